//! What may go wrong in an expression, whatever the values of variables are.

use cfsm_core::program::Binary;

use crate::code::{Code, Target};

/// Whether an expression may have no value. `is_inside` says whether an index is sure to be one of
/// an array of such a length.
pub(super) fn may_fail(code: &Code, is_inside: &impl Fn(&Code, u32) -> bool) -> bool {
    code.any(&mut |part| fails(part, is_inside))
}

/// Whether it may be unknown which cell is meant.
pub(super) fn target_may_fail(target: &Target, is_inside: &impl Fn(&Code, u32) -> bool) -> bool {
    target.element.as_deref().is_some_and(|(length, index)| !is_inside(index, *length))
}

/// Whether something goes wrong here, where the parts have values.
pub(super) fn fails(code: &Code, is_inside: &impl Fn(&Code, u32) -> bool) -> bool {
    match code {
        Code::Element(element) => !is_inside(&element.index, element.length),
        Code::Inside(inside) => !is_inside(&inside.1, inside.0),
        Code::Binary(Binary::Divide | Binary::Remainder, operands) => {
            !matches!(operands.1, Code::Constant(1..))
        }
        Code::Binary(Binary::ShiftLeft | Binary::ShiftRight, operands) => {
            !matches!(operands.1, Code::Constant(0..=31))
        }
        Code::Constant(_)
        | Code::Global(_)
        | Code::Local(_)
        | Code::Unary(..)
        | Code::Binary(..)
        | Code::Conditional(_)
        | Code::Timeout
        | Code::NonProgress
        | Code::Pid
        | Code::ProcessCount
        | Code::Last => false,
        Code::Length(_)
        | Code::Empty(_)
        | Code::Full(_)
        | Code::Poll(_)
        | Code::Enabled(_)
        | Code::Priority(_)
        | Code::AtLocation(..)
        | Code::RemoteRead(..) => true,
    }
}

/// Whether an index is a number, and one of an array of such a length.
pub(super) fn is_constant_inside(index: &Code, length: u32) -> bool {
    matches!(index, Code::Constant(index) if u32::try_from(*index).is_ok_and(|index| index < length))
}
