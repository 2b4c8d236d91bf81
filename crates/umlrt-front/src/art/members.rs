//! The C++ declarations of a capsule: attributes with their values, operations with their bodies,
//! and all else, which may run at any time.

use std::collections::BTreeSet;
use std::ops::Range;

#[cfg(feature = "action-code")]
use action_code::Function;

use crate::fragment::Fragment;
#[cfg(feature = "action-code")]
use crate::tree::Name;
use crate::tree::art::Capsule;
use crate::tree::structure::{Attribute, Operation};
#[cfg(feature = "action-code")]
use crate::tree::structure::{Parameter, TypeRef};

/// The declarations in the code of a capsule.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) operations: Vec<Operation>,
    /// Code that is none of these, or that others may call too.
    pub(crate) user_code: Vec<Fragment>,
}

#[cfg(feature = "action-code")]
/// The body of an operation that is declared here and defined elsewhere: it may do anything.
const ELSEWHERE: &str = "defined_elsewhere(this);";

/// Sorts the code of a capsule: without a reader of C++ all of it may run at any time.
#[cfg(not(feature = "action-code"))]
pub(crate) fn members(capsule: &Capsule, _: &BTreeSet<String>) -> Declared {
    let user_code = capsule.snippets.iter().map(|snippet| snippet.code.clone()).collect();
    Declared { user_code, ..Declared::default() }
}

/// Functions that the run-time system calls.
#[cfg(feature = "action-code")]
const HOOKS: &[&str] = &["unexpectedMessage", "unhandledMessage", "logMsg", "messageReceived"];

/// Sorts the code of a capsule. `elsewhere` has the names of members that some code uses of other
/// objects.
#[cfg(feature = "action-code")]
pub(crate) fn members(capsule: &Capsule, elsewhere: &BTreeSet<String>) -> Declared {
    let mut declared = Declared::default();
    let (mut functions, mut constructors) = (Vec::new(), 0);
    for snippet in &capsule.snippets {
        let code = &snippet.code;
        let found = match snippet.place.text.as_str() {
            "decl" => action_code::members(&code.text),
            "impl" => action_code::definitions(&code.text),
            _ => None,
        };
        let Some(found) = found else {
            declared.user_code.push(code.clone());
            continue;
        };
        for range in found.others {
            let other = stretch(code, &range);
            constructors += usize::from(declares_constructor(&other.text, &capsule.name.text));
            declared.user_code.push(other);
        }
        // Without a value it begins with any.
        for field in found.fields {
            let (Some(initial), name) = (&field.initial, named(code, &field.name)) else { continue };
            if elsewhere.contains(&name.text) {
                continue;
            }
            let ty = TypeRef { name: named(code, &field.ty), by_reference: false };
            let default = Some(named(code, initial));
            declared.attributes.push(Attribute { name, size: None, ty: Some(ty), default });
        }
        functions.extend(found.functions.into_iter().map(|function| Member { code, function }));
    }
    let is_definition = |member: &&Member<'_>| member.is_outside() && member.name() == capsule.name.text;
    if constructors > functions.iter().filter(is_definition).count() {
        let mut body = Fragment::default();
        body.push(ELSEWHERE, capsule.name.span);
        declared.user_code.push(body);
    }
    let names: BTreeSet<&str> = functions.iter().map(Member::name).collect();
    for name in names {
        let same: Vec<&Member<'_>> = functions.iter().filter(|member| member.name() == name).collect();
        declare(&mut declared, capsule, &same, elsewhere.contains(name));
    }
    declared
}

/// Adds the functions with one name; code of others may call them.
#[cfg(feature = "action-code")]
fn declare(declared: &mut Declared, capsule: &Capsule, same: &[&Member<'_>], by_others: bool) {
    let name = same.first().map_or("", |member| member.name());
    let bodies = same.iter().filter(|member| member.function.body.is_some()).count();
    // Each body outside of the class has its declaration inside.
    let mut missing = same.len() - bodies > same.iter().filter(|member| member.is_outside()).count();
    let by_others = by_others
        || HOOKS.contains(&name)
        || capsule.has_other_bases
        || same.iter().any(|member| member.function.is_virtual);
    let is_structor = name.trim_start_matches('~') == capsule.name.text;
    for member in same {
        let body = match &member.function.body {
            Some(body) => stretch(member.code, body),
            None if std::mem::take(&mut missing) => {
                let mut body = Fragment::default();
                body.push(ELSEWHERE, named(member.code, &member.function.name).span);
                body
            }
            None => continue,
        };
        if by_others || is_structor {
            declared.user_code.push(body.clone());
        }
        if !is_structor {
            declared.operations.push(operation(member.code, &member.function, body));
        }
    }
}

/// True for the declaration of a constructor, which does not look like one to who does not know its
/// class.
#[cfg(feature = "action-code")]
fn declares_constructor(text: &str, class: &str) -> bool {
    let tokens = crate::action::token::tokens(text);
    let named = tokens.windows(2).any(|pair| pair[0].is(class) && pair[1].text == "(");
    named && !text.contains('{')
}

/// A function with the code that it stands in.
#[cfg(feature = "action-code")]
struct Member<'c> {
    code: &'c Fragment,
    function: Function,
}

#[cfg(feature = "action-code")]
impl Member<'_> {
    fn name(&self) -> &str {
        &self.code.text[self.function.name.clone()]
    }

    /// True for a definition behind the name of the class.
    fn is_outside(&self) -> bool {
        self.function.body.is_some() && self.code.text[..self.function.name.start].trim_end().ends_with("::")
    }
}

#[cfg(feature = "action-code")]
fn operation(code: &Fragment, function: &Function, body: Fragment) -> Operation {
    let parameters = function.parameters.iter().map(|parameter| Parameter {
        name: named(code, &parameter.name),
        ty: TypeRef { name: named(code, &parameter.ty), by_reference: false },
    });
    let (result, sends) = (None, None);
    Operation {
        name: named(code, &function.name),
        parameters: parameters.collect(),
        result,
        sends,
        code: body,
    }
}

#[cfg(feature = "action-code")]
fn named(code: &Fragment, range: &Range<usize>) -> Name {
    let place = code.place(range.start, range.end).or_else(|| code.span());
    let text = code.text[range.clone()].to_owned();
    Name { text, span: place.unwrap_or_else(|| unreachable!("code of a text has a place")) }
}

/// A stretch of code.
pub(crate) fn stretch(code: &Fragment, range: &Range<usize>) -> Fragment {
    let mut found = Fragment::default();
    let text = &code.text[range.clone()];
    match code.place(range.start, range.end) {
        Some(span) => found.push(text, span),
        None => found.text.push_str(text),
    }
    found
}
