//! Types of variables that are followed.

use crate::model::ValueType;

/// The type with a name, in a model or in code.
pub(crate) fn type_of(name: &str) -> Option<ValueType> {
    match name.rsplit('.').next()? {
        "int" | "int32" | "int32_t" => Some(ValueType::Int),
        "int16" | "int16_t" | "short" => Some(ValueType::Short),
        "uint8" | "uint8_t" | "unsigned char" => Some(ValueType::Byte),
        "uint16" | "uint16_t" | "unsigned short" => Some(ValueType::Word),
        "uint32" | "uint32_t" | "unsigned int" | "unsigned" => Some(ValueType::Unsigned),
        "boolean" | "bool" => Some(ValueType::Boolean),
        _ => None,
    }
}

/// True for the types that words of C++ name, which no declaration can give another meaning.
pub(crate) fn is_of_language(name: &str) -> bool {
    matches!(name, "int" | "short" | "bool") || name.split(' ').next() == Some("unsigned")
}

/// The value of an attribute before the initial transition, from the text of its default value.
pub(crate) fn initial_of(ty: ValueType, text: Option<&str>) -> Option<i64> {
    let value = match text.map(str::trim) {
        None | Some("false" | "FALSE" | "ET_FALSE") => 0,
        Some("true" | "TRUE" | "ET_TRUE") => 1,
        Some(number) => {
            let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
            // Numbers with a 0 in front are octal in the target languages.
            let is_decimal = digits == "0" || (!digits.starts_with('0') && !digits.is_empty());
            number.parse().ok().filter(|_| is_decimal)?
        }
    };
    let (least, greatest) = ty.range();
    (least..=greatest).contains(&value).then_some(value)
}
