//! Figures of items: parameters, doc comments, constants.

use syn::visit::{self, Visit};
use syn::{FnArg, ItemConst, Pat, Signature, Type};

use super::SourceFile;

/// A parameter of a function that is a tuple.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TupleParameter {
    /// The function.
    pub function: String,
    /// How many parts the tuple has.
    pub parts: usize,
    /// Whether the function takes it apart in its signature.
    pub is_taken_apart: bool,
}

/// The parameters of functions that are tuples, or references to tuples.
#[must_use]
pub fn tuple_parameters(file: &SourceFile) -> Vec<TupleParameter> {
    struct Functions(Vec<TupleParameter>);
    impl<'ast> Visit<'ast> for Functions {
        fn visit_signature(&mut self, signature: &'ast Signature) {
            for input in &signature.inputs {
                if let FnArg::Typed(parameter) = input
                    && let Some(parts) = parts_of(&parameter.ty)
                {
                    let is_taken_apart = matches!(*parameter.pat, Pat::Tuple(_) | Pat::Reference(_));
                    let function = signature.ident.to_string();
                    self.0.push(TupleParameter { function, parts, is_taken_apart });
                }
            }
            visit::visit_signature(self, signature);
        }
    }
    let mut functions = Functions(Vec::new());
    functions.visit_file(&file.syntax);
    functions.0
}

/// How many parts a type has, if it is a tuple or a reference to one.
fn parts_of(of: &Type) -> Option<usize> {
    match of {
        Type::Tuple(tuple) if !tuple.elems.is_empty() => Some(tuple.elems.len()),
        Type::Reference(reference) => parts_of(&reference.elem),
        Type::Paren(inner) => parts_of(&inner.elem),
        _ => None,
    }
}

/// The first words of a doc comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opener {
    /// The first line.
    pub line: String,
    /// Whether it opens with a word of a question, which names nothing.
    pub is_question: bool,
}

/// Words of questions. A doc comment that opens with one leaves out what it is about.
const QUESTION_WORDS: [&str; 8] = ["what", "whether", "who", "whom", "whose", "where", "how", "which"];

/// The first lines of all doc comments.
#[must_use]
pub fn openers(file: &SourceFile) -> Vec<Opener> {
    let mut openers = Vec::new();
    let mut is_inside = false;
    for line in file.text.lines() {
        let comment = line.trim();
        let text = comment.strip_prefix("///").or_else(|| comment.strip_prefix("//!"));
        if let (Some(text), false) = (text, is_inside) {
            let line = text.trim().to_owned();
            let word = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let is_question = QUESTION_WORDS.contains(&word.to_lowercase().as_str());
            openers.push(Opener { line, is_question });
        }
        is_inside = text.is_some();
    }
    openers
}

/// The names of constants that are numbers or durations.
#[must_use]
pub fn constants(file: &SourceFile) -> Vec<String> {
    struct Constants(Vec<String>);
    impl<'ast> Visit<'ast> for Constants {
        fn visit_item_const(&mut self, constant: &'ast ItemConst) {
            if is_number(&constant.ty) {
                self.0.push(constant.ident.to_string());
            }
        }
        fn visit_impl_item_const(&mut self, constant: &'ast syn::ImplItemConst) {
            if is_number(&constant.ty) {
                self.0.push(constant.ident.to_string());
            }
        }
    }
    let mut constants = Constants(Vec::new());
    constants.visit_file(&file.syntax);
    constants.0
}

/// Whether a type is one of numbers or of durations.
fn is_number(of: &Type) -> bool {
    let Type::Path(path) = of else { return false };
    let last = path.path.segments.last().map(|segment| segment.ident.to_string());
    last.is_some_and(|name| {
        name == "Duration"
            || matches!(name.as_bytes(), [b'u' | b'i' | b'f', rest @ ..] if !rest.is_empty()
                && (rest == b"size" || rest.iter().all(u8::is_ascii_digit)))
    })
}
