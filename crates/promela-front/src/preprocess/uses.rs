//! The way from a place to the macros that it went through.

use std::cmp::Reverse;

use cfsm_core::source::Span;

use crate::token::{Token, UseId};

/// One use of a macro.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// Where the outermost macro is used, from its name up to `)`. The use of a macro in an
    /// argument of another one stands in that argument.
    pub site: Span,
    /// Which macro: a position in [`Uses::names`].
    definition: u32,
    /// The use in whose body or argument the name of this one stands.
    outer: Option<UseId>,
}

/// All uses of macros.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    uses: Vec<Use>,
    /// Names of macros, and where they are defined; a built-in macro is defined nowhere.
    names: Vec<(String, Option<Span>)>,
}

impl Uses {
    /// Makes a macro known; gives its number.
    pub(super) fn definition(&mut self, name: &str, defined: Option<Span>) -> u32 {
        self.names.push((name.to_owned(), defined));
        u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
    }

    /// Notes a use.
    pub(super) fn push(&mut self, site: Span, definition: u32, outer: Option<UseId>) -> Option<UseId> {
        self.uses.push(Use { site, definition, outer });
        u32::try_from(self.uses.len()).ok().and_then(UseId::new)
    }

    /// Whether there are none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    fn get(&self, id: UseId) -> Option<&Use> {
        self.uses.get(id.get() as usize - 1)
    }

    /// The uses through which something went, the outermost first.
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

    /// Prepares for questions about places. Time linear in tokens and uses, but for sorting.
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

/// A place where macros are used.
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

/// How many tokens at one place are looked at.
const MOST_TOKENS: usize = 4096;

/// Answers to questions about places.
#[derive(Debug)]
pub(crate) struct Index<'u> {
    uses: &'u Uses,
    /// Tokens that went through macros, by their places.
    through: Vec<&'u Token>,
    /// By file and first byte, the longer ones first.
    sites: Vec<Site>,
}

impl Index<'_> {
    /// Name and place of definition of the macros through which a place went, the outermost first;
    /// empty for one that has nothing to do with macros. `meant` tells which letters are spoken of:
    /// of several tokens at the place, those are meant. Logarithmic time, but for the length of the
    /// answer and for some tokens.
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

    /// The use in the smallest site that a place lies in.
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
