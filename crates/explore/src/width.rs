//! Storage widths: the truncation of values when they are stored, as in the C code of Spin's
//! verifier.

use cfsm_core::program::{Type, Variable};

/// Storage width of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// This number of bits, unsigned.
    Bits(u8),
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
}

/// The width of a byte.
pub(crate) const BYTE: Width = Width::Bits(8);

impl Width {
    /// The width of a variable's elements. A `bit` takes one bit only if it is not an element of an
    /// array.
    pub(crate) fn of(variable: &Variable) -> Self {
        match variable.stored_type() {
            Type::Bit if variable.length.is_some() && !variable.of_records() => BYTE,
            ty => Self::scalar(ty),
        }
    }

    /// The widths of a message's fields. A `bit` takes one bit only if there are other fields.
    pub(crate) fn fields(types: &[Type]) -> Vec<Self> {
        match types {
            [Type::Bit] => vec![BYTE],
            types => types.iter().copied().map(Self::scalar).collect(),
        }
    }

    const fn scalar(ty: Type) -> Self {
        match ty {
            Type::Bit => Self::Bits(1),
            Type::Byte | Type::Pid | Type::Symbol(_) | Type::Channel => BYTE,
            Type::Short => Self::Short,
            Type::Int => Self::Int,
            Type::Unsigned(bits) => Self::Bits(bits),
        }
    }

    /// The value that is stored: `value` truncated to the width.
    pub(crate) const fn keep(self, value: i32) -> i32 {
        match self {
            Self::Bits(bits @ 0..31) => value & ((1 << bits) - 1),
            Self::Bits(31) => value & i32::MAX,
            Self::Bits(_) | Self::Int => value,
            #[allow(clippy::cast_possible_truncation)] // what is meant
            Self::Short => value as i16 as i32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_to_the_width() {
        assert_eq!(BYTE.keep(-1), 255);
        assert_eq!(Width::Short.keep(40_000), 40_000 - 65_536);
        assert_eq!(Width::Bits(1).keep(2), 0);
        assert_eq!(Width::Bits(31).keep(-1), i32::MAX);
        assert_eq!(Width::Int.keep(-7), -7);
    }

    #[test]
    fn the_only_field_of_a_message_is_a_byte() {
        assert_eq!(Width::fields(&[Type::Bit]), [BYTE]);
        assert_eq!(Width::fields(&[Type::Bit, Type::Pid]), [Width::Bits(1), BYTE]);
    }
}
