//! Conservative test for run-time errors in expressions, for all values of variables.

use cfsm_core::program::Binary;

use crate::code::{Code, Target};

/// Returns `true` if evaluating an expression may be an error. `is_inside` tells if an index surely
/// lies in an array of the given length.
pub(super) fn may_fail(code: &Code, is_inside: &impl Fn(&Code, u32) -> bool) -> bool {
    code.any(&mut |part| fails(part, is_inside))
}

/// Returns `true` if the index of a target may be out of bounds.
pub(super) fn target_may_fail(target: &Target, is_inside: &impl Fn(&Code, u32) -> bool) -> bool {
    target.element.as_deref().is_some_and(|(length, index)| !is_inside(index, *length))
}

/// Returns `true` if the outermost operator may be an error although its operands have values.
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

/// Returns `true` if an index is a constant inside an array of the given length.
pub(super) fn is_constant_inside(index: &Code, length: u32) -> bool {
    matches!(index, Code::Constant(index) if u32::try_from(*index).is_ok_and(|index| index < length))
}
