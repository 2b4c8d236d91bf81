//! Index of macro uses: maps a span to the macros that it passed through.

use std::cmp::Reverse;

use cfsm_core::source::Span;

use crate::token::{Token, UseId};

/// One use of a macro.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// Span of the use of the outermost macro, from its name up to `)`. The use of a macro in an
    /// argument of another one has its span in that argument.
    pub site: Span,
    /// Index of the macro in [`Uses::names`].
    definition: u32,
    /// The use in whose body or argument the name of this one is.
    outer: Option<UseId>,
}

/// All uses of macros.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    uses: Vec<Use>,
    /// Names of macros and the spans of their definitions; `None` for a predefined macro.
    names: Vec<(String, Option<Span>)>,
}

impl Uses {
    /// Registers a macro; returns its number.
    pub(super) fn definition(&mut self, name: &str, defined: Option<Span>) -> u32 {
        self.names.push((name.to_owned(), defined));
        u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
    }

    /// Records a use.
    pub(super) fn push(&mut self, site: Span, definition: u32, outer: Option<UseId>) -> Option<UseId> {
        self.uses.push(Use { site, definition, outer });
        u32::try_from(self.uses.len()).ok().and_then(UseId::new)
    }

    /// Returns `true` if there are no uses.
    pub(crate) const fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    fn get(&self, id: UseId) -> Option<&Use> {
        self.uses.get(id.get() as usize - 1)
    }

    /// The enclosing uses of a use, the outermost first.
    fn chain(&self, innermost: Option<UseId>) -> Vec<UseId> {
        let mut chain = Vec::new();
        let mut next = innermost;
        while let Some(id) = next {
            chain.push(id);
            next = self.get(id).and_then(|one| one.outer);
        }
        chain.reverse();
        chain
    }

    /// Builds an index of spans. Time linear in tokens and uses, apart from sorting.
    pub(crate) fn index<'u>(&'u self, tokens: &'u [Token]) -> Index<'u> {
        let mut through: Vec<&Token> = tokens.iter().filter(|token| token.through.is_some()).collect();
        through.sort_by_key(|token| token.span);
        let numbers = (1..).map_while(UseId::new);
        let mut sites: Vec<Site> = self
            .uses
            .iter()
            .zip(numbers)
            .map(|(one, id)| Site { span: one.site, id, around: None })
            .collect();
        sites.sort_by_key(|site| (site.span.file, site.span.start, Reverse(site.span.end), site.id));
        sites.dedup_by_key(|site| site.span);
        let mut open: Vec<usize> = Vec::new();
        for position in 0..sites.len() {
            while open.pop_if(|last| !holds(sites[*last].span, sites[position].span)).is_some() {}
            sites[position].around = open.last().copied();
            open.push(position);
        }
        Index { uses: self, through, sites }
    }
}

/// A span in which macros are used.
#[derive(Debug)]
struct Site {
    span: Span,
    /// The outermost use there.
    id: UseId,
    /// The smallest site around it.
    around: Option<usize>,
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Greatest number of tokens at one span that are inspected.
const MOST_TOKENS: usize = 4096;

/// Index for queries by span.
#[derive(Debug)]
pub(crate) struct Index<'u> {
    uses: &'u Uses,
    /// Tokens that passed through macros, sorted by span.
    through: Vec<&'u Token>,
    /// Sorted by file and first byte, the longer ones first.
    sites: Vec<Site>,
}

impl Index<'_> {
    /// Names and definitions of the macros that a span passed through, the outermost first; empty
    /// if it has nothing to do with macros. `meant` selects among several tokens at the span.
    /// Logarithmic time, apart from the length of the result and a bounded number of tokens.
    pub(crate) fn path(&self, span: Span, meant: impl Fn(&Token) -> bool) -> Vec<(&str, Option<Span>)> {
        let first = self.through.partition_point(|token| token.span < span);
        let there = || self.through[first..].iter().take_while(|token| token.span == span).take(MOST_TOKENS);
        let some = there().any(|token| meant(token));
        let mut common: Option<Vec<UseId>> = None;
        for token in there().filter(|token| !some || meant(token)) {
            let other = self.uses.chain(token.through);
            let Some(common) = &mut common else {
                common = Some(other);
                continue;
            };
            common.truncate(common.iter().zip(&other).take_while(|(one, other)| one == other).count());
        }
        let chain = common.unwrap_or_else(|| self.uses.chain(self.around(span)));
        let uses = chain.iter().filter_map(|&id| self.uses.get(id));
        let names = uses.filter_map(|one| self.uses.names.get(one.definition as usize));
        names.map(|(name, defined)| (name.as_str(), *defined)).collect()
    }

    /// The use in the smallest site that contains a span.
    fn around(&self, span: Span) -> Option<UseId> {
        let start = |site: &Site| (site.span.file, site.span.start);
        let mut next =
            self.sites.partition_point(|site| start(site) <= (span.file, span.start)).checked_sub(1);
        while let Some(site) = next.map(|position| &self.sites[position]) {
            if holds(site.span, span) {
                return Some(site.id);
            }
            next = site.around;
        }
        None
    }
}
