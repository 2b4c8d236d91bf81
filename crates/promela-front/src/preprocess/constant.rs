//! Numbers in conditions: 64 bits, signed or unsigned.

use crate::lexer::Raw;

/// A number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    pub const fn signed(bits: i64) -> Self {
        Self { bits, unsigned: false }
    }

    pub const fn is_true(self) -> bool {
        self.bits != 0
    }

    /// Applies a prefix operator: `+`, `-`, `!` or `~`.
    pub const fn prefix(self, operator: Raw) -> Self {
        match operator {
            Raw::Minus => Self { bits: self.bits.wrapping_neg(), ..self },
            Raw::Tilde => Self { bits: !self.bits, ..self },
            Raw::Bang => Self::signed((self.bits == 0) as i64),
            _ => self,
        }
    }

    /// `c ? self : other`, which is signed only if both are.
    pub const fn either(self, other: Self, first: bool) -> Self {
        let unsigned = self.unsigned || other.unsigned;
        Self { bits: if first { self.bits } else { other.bits }, unsigned }
    }

    /// Applies a binary operator. A division by zero is no error if the value is irrelevant.
    pub fn binary(self, operator: Raw, other: Self, skipped: bool) -> Result<Self, String> {
        let unsigned = self.unsigned || other.unsigned;
        let (left, right) = (self.bits, other.bits);
        let number = |bits: i64| Ok(Self { bits, unsigned });
        let truth = |value: bool| Ok(Self::signed(i64::from(value)));
        let less = |left: i64, right: i64| {
            if unsigned { left.cast_unsigned() < right.cast_unsigned() } else { left < right }
        };
        match operator {
            Raw::Comma => Ok(other),
            Raw::OrOr => truth(left != 0 || right != 0),
            Raw::AndAnd => truth(left != 0 && right != 0),
            Raw::Or => number(left | right),
            Raw::Caret => number(left ^ right),
            Raw::And => number(left & right),
            Raw::Equal => truth(left == right),
            Raw::NotEqual => truth(left != right),
            Raw::Less => truth(less(left, right)),
            Raw::Greater => truth(less(right, left)),
            Raw::LessEqual => truth(!less(right, left)),
            Raw::GreaterEqual => truth(!less(left, right)),
            Raw::ShiftLeft => Ok(self.shifted(other, true)),
            Raw::ShiftRight => Ok(self.shifted(other, false)),
            Raw::Plus => number(left.wrapping_add(right)),
            Raw::Minus => number(left.wrapping_sub(right)),
            Raw::Star => number(left.wrapping_mul(right)),
            _ if right == 0 && skipped => number(0),
            _ if right == 0 => Err("division by zero".into()),
            Raw::Slash if unsigned => number((left.cast_unsigned() / right.cast_unsigned()).cast_signed()),
            Raw::Slash => number(left.wrapping_div(right)),
            _ if unsigned => number((left.cast_unsigned() % right.cast_unsigned()).cast_signed()),
            _ => number(left.wrapping_rem(right)),
        }
    }

    /// Shifted by another number, in the opposite direction if that is negative. The sign is that
    /// of the left operand.
    fn shifted(self, other: Self, left: bool) -> Self {
        let backwards = !other.unsigned && other.bits < 0;
        let distance = if backwards { other.bits.unsigned_abs() } else { other.bits.cast_unsigned() };
        let distance = u32::try_from(distance).unwrap_or(u32::MAX);
        let bits = match (left != backwards, self.unsigned) {
            (true, _) => self.bits.checked_shl(distance).unwrap_or(0),
            (false, true) => self.bits.cast_unsigned().checked_shr(distance).unwrap_or(0).cast_signed(),
            (false, false) => self.bits.checked_shr(distance).unwrap_or(if self.bits < 0 { -1 } else { 0 }),
        };
        Self { bits, ..self }
    }
}

/// Parses a number of C.
pub(super) fn number(letters: &str) -> Result<Value, String> {
    let bad = || format!("`{letters}` is no whole number");
    let lower = letters.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let length = digits.bytes().take_while(|&byte| char::from(byte).is_digit(radix)).count();
    let (digits, suffix) = digits.split_at(length);
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") || (length == 0 && radix != 8) {
        return Err(bad());
    }
    let mut bits = 0_u64;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(radix)) {
        bits = bits.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
    }
    let unsigned = suffix.contains('u') || i64::try_from(bits).is_err();
    Ok(Value { bits: bits.cast_signed(), unsigned })
}

/// Parses a character constant of C: the last characters count, with eight bits each.
pub(super) fn character(letters: &str) -> Result<Value, String> {
    let inside = letters.get(1..letters.len().saturating_sub(1)).unwrap_or_default();
    let mut bytes = inside.bytes().peekable();
    let (mut value, mut count) = (0_u32, 0);
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'\\' => escape(&mut bytes),
            byte => u32::from(byte),
        };
        value = (value << 8) | (byte & 0xff);
        count += 1;
    }
    match count {
        0 => Err(format!("`{letters}` holds no character")),
        // A single character is a signed char, several are an int.
        1 => Ok(Value::signed(i64::from((value as u8).cast_signed()))),
        _ => Ok(Value::signed(i64::from(value.cast_signed()))),
    }
}

/// The value of an escape sequence after the backslash.
fn escape(bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>) -> u32 {
    let digits = |bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>, radix: u32, most: usize| {
        let (mut value, mut count) = (0_u32, 0);
        while let Some(digit) = bytes.peek().and_then(|&byte| char::from(byte).to_digit(radix)) {
            if count == most {
                break;
            }
            value = value.wrapping_mul(radix).wrapping_add(digit);
            count += 1;
            bytes.next();
        }
        value
    };
    match bytes.peek().copied() {
        Some(b'0'..=b'7') => digits(bytes, 8, 3),
        Some(b'x') => {
            bytes.next();
            digits(bytes, 16, usize::MAX)
        }
        Some(other) => {
            bytes.next();
            u32::from(match other {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                b'e' | b'E' => 27,
                other => other,
            })
        }
        None => 0,
    }
}
