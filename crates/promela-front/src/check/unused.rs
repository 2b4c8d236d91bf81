//! Warnings for unused declarations.

use std::collections::{HashMap, HashSet};

use cfsm_core::ids::Id;
use cfsm_core::source::Sources;

use super::Checker;
use super::fit::Misfit;
use super::types::Ty;
use crate::ast::{Model, Name, Unit};
use crate::codes;

impl<'m> Checker<'m> {
    /// Reports unused declarations. Names in texts that are not parsed, such as C or the bodies of
    /// macros, may be used there and are not reported.
    pub(super) fn find_unused(&mut self, model: &'m Model, sources: &'m Sources) {
        if model.incomplete {
            return;
        }
        self.mention_directives(sources);
        for unit in &model.units {
            if let Unit::Inline(inline) = unit
                && !self.mentioned.contains(&*inline.name.text)
            {
                // The meaning of its body is unknown, but its words are known.
                self.mentioned.extend(words(&inline.body.text).filter(|word| *word != &*inline.name.text));
            }
        }
        self.unused_variables();
        if self.has_code {
            return;
        }
        for unit in &model.units {
            let (what, name) = match unit {
                Unit::Process(process) if process.active.is_none() => {
                    (format!("the process type `{}` is never run", process.name.text), &process.name)
                }
                Unit::Inline(inline) => {
                    (format!("the inline `{}` is never called", inline.name.text), &inline.name)
                }
                Unit::Typedef(typedef) => {
                    (format!("the type `{}` is never used", typedef.name.text), &typedef.name)
                }
                _ => continue,
            };
            self.unused(name, what);
        }
    }

    /// Reports unused variables. A variable in an inline is used if it is used in one of the calls.
    fn unused_variables(&mut self) {
        let variables = self.scopes.variables();
        let candidates: Vec<_> = variables
            .iter()
            .filter(|variable| !(variable.used || variable.parameter || (variable.global && self.has_code)))
            .map(|variable| (variable.name, variable.ty))
            .collect();
        if candidates.is_empty() {
            return;
        }
        let key = |name: &'m Name| (name.span, &*name.text);
        let used: HashSet<_> =
            variables.iter().filter(|variable| variable.used).map(|variable| key(variable.name)).collect();
        let unused = candidates.into_iter().filter(|(name, _)| !used.contains(&key(name)));
        for (name, ty) in unused.collect::<Vec<(&'m Name, Ty)>>() {
            let what = if ty == Ty::Channel { "channel" } else { "variable" };
            self.unused(name, format!("the {what} `{}` is never used", name.text));
        }
    }

    /// Reports an unused name. Declarations of included files may be meant for other models and are
    /// not reported.
    fn unused(&mut self, name: &'m Name, message: String) {
        let text = &*name.text;
        if name.span.file != Id::new(0) || text.starts_with('_') || self.mentioned.contains(text) {
            return;
        }
        self.report(name.span, Misfit::new(codes::NEVER_USED, message), Vec::new(), None);
    }

    /// Marks the words in directives of the preprocessor as used: a macro may be meant for a
    /// formula that is given elsewhere. In a text with conditional sections, a word may be used in
    /// a section that is left out.
    fn mention_directives(&mut self, sources: &'m Sources) {
        let mut seen: HashMap<&'m str, u32> = HashMap::new();
        let mut conditions = false;
        for file in sources.files.values() {
            let mut in_directive = false;
            for line in file.text.lines() {
                if in_directive || line.trim_start().starts_with('#') {
                    let directive = line.trim_start().trim_start_matches('#').trim_start();
                    conditions |= !in_directive && directive.starts_with("if");
                    self.mentioned.extend(words(line));
                    in_directive = line.trim_end().ends_with('\\');
                }
            }
        }
        if conditions {
            for file in sources.files.values() {
                words(&file.text).for_each(|word| *seen.entry(word).or_default() += 1);
            }
            let repeated = seen.into_iter().filter(|(_, times)| *times > 1);
            self.mentioned.extend(repeated.map(|(word, _)| word));
        }
    }
}

/// The identifiers in a text, and other words.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    parts.filter(|word| !word.is_empty())
}
