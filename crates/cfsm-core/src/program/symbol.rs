//! Symbolic constants, and printing of values.

use serde::{Deserialize, Serialize};

use super::{Program, Type};

/// A named set of symbolic constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolSet {
    /// The name; `None` for the anonymous `mtype`.
    pub name: Option<String>,
    /// Constants with their numbers.
    pub constants: Vec<(String, i64)>,
}

impl SymbolSet {
    /// The name of a value, if it has one.
    #[must_use]
    pub fn name_of(&self, value: i64) -> Option<&str> {
        self.constants.iter().find(|(_, number)| *number == value).map(|(name, _)| name.as_str())
    }
}

impl Program {
    /// A value as the user would write it: the name of a symbolic constant, or the number.
    #[must_use]
    pub fn constant_name(&self, ty: Type, value: i64) -> String {
        let symbol = match ty {
            Type::Symbol(set) => self.symbols.get(set).and_then(|set| set.name_of(value)),
            _ => None,
        };
        symbol.map_or_else(|| value.to_string(), str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn symbols_have_names_and_numbers_are_numbers() {
        let mut program = Program::default();
        let constants = vec![("ask".into(), 1), ("tell".into(), 2)];
        let set = program.symbols.push(SymbolSet { name: None, constants });
        assert_eq!(program.constant_name(Type::Symbol(set), 2), "tell");
        assert_eq!(program.constant_name(Type::Symbol(set), 0), "0");
        assert_eq!(program.constant_name(Type::Symbol(Id::new(7)), 2), "2");
        assert_eq!(program.constant_name(Type::Int, -3), "-3");
    }
}
