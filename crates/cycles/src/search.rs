//! The search for the cycles through the root of one component, in one of several forms.

use std::ops::ControlFlow;

use crate::classes::{Classes, Variants};
use crate::component::{Component, Ways};
use crate::graph::EdgeId;
use crate::path::{Mark, Path};
use crate::small::Patience;
use crate::{acyclic, large, short, small};

/// The reason why a search returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There are no more cycles.
    Done,
    /// The visitor stopped it.
    Stopped,
    /// The fuel is used up.
    Paused,
}

/// A visitor of the cycles that a search finds.
pub(crate) trait Visitor {
    /// Visits a cycle of classes, with its first way, which must be restored on return. Returns
    /// whether to continue.
    fn visit(&mut self, path: &mut Path) -> ControlFlow<()>;
}

/// Number of steps after which a search pauses; it also counts the steps. A step takes constant
/// time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fuel {
    left: i64,
}

impl Fuel {
    /// The given number of steps.
    pub(crate) fn new(steps: u32) -> Self {
        Self { left: steps.into() }
    }

    /// Takes a step at a place where the search can pause; `false` if it must pause.
    #[inline(always)]
    pub(crate) fn burn(&mut self) -> bool {
        self.left -= 1;
        self.left >= 0
    }

    /// Takes a step at a place where the search cannot pause.
    #[inline(always)]
    pub(crate) fn spend(&mut self) {
        self.left -= 1;
    }

    /// Number of steps taken since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> u64 {
        earlier.left.abs_diff(self.left)
    }

    /// Takes the given number of steps.
    pub(crate) fn spend_all(&mut self, steps: u64) {
        self.left = self.left.saturating_sub_unsigned(steps);
    }

    /// Number of steps taken out of `of`.
    pub(crate) fn burnt(self, of: u32) -> u64 {
        (i64::from(of) - self.left).unsigned_abs()
    }
}

/// The search in a component, in the fastest form for its size.
#[derive(Clone, Debug)]
enum Form {
    Acyclic(acyclic::Search),
    Small(small::Search<u64>),
    Medium(small::Search<u128>),
    Large(large::Search),
    Short(short::Search),
}

/// The forms that may be chosen. All give the same cycles in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The fastest that is applicable.
    Best,
    /// Any except the one for acyclic components.
    #[cfg(test)]
    Narrowest,
    /// Any except the one with the narrowest mask.
    #[cfg(test)]
    Medium,
    /// The forms with bit sets, but with memoised tails from the beginning if `patience` says so.
    #[cfg(test)]
    Patient { is_narrow: bool, patience: Patience },
    /// The form that is applicable to all components.
    #[cfg(test)]
    Large,
    /// The form with a limit on the length of cycles.
    Short(usize),
}

impl Form {
    fn new(component: Component, part_of: Vec<u32>, variants: &Variants, choice: Choice) -> Self {
        if let Choice::Short(longest) = choice {
            return Self::Short(short::Search::new(component, longest));
        }
        let ways = Ways::of(&component, part_of);
        if choice == Choice::Best && ways.is_acyclic() {
            return Self::Acyclic(acyclic::Search::new(&component, &ways, variants));
        }
        let (narrow, wide, patience) = match choice {
            #[cfg(test)]
            Choice::Medium => (false, true, Patience::BEST),
            #[cfg(test)]
            Choice::Large => (false, false, Patience::BEST),
            #[cfg(test)]
            Choice::Patient { is_narrow, patience } => (is_narrow, true, patience),
            _ => (true, true, Patience::BEST),
        };
        let small = narrow.then(|| small::Search::new(&component, &ways, variants, patience));
        if let Some(search) = small.flatten() {
            return Self::Small(search);
        }
        let medium = wide.then(|| small::Search::new(&component, &ways, variants, patience));
        if let Some(search) = medium.flatten() {
            return Self::Medium(search);
        }
        Self::Large(large::Search::new(component, ways))
    }
}

/// The paused search from the root of one component.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    form: Form,
    path: Path,
    /// The least self-loop of the root, until it is visited.
    self_loop: Option<EdgeId>,
}

impl Search {
    /// The search from the root of a component. Time and memory: O(V + E) of the component.
    pub(crate) fn new(classes: &Classes, component: Component, part_of: Vec<u32>, choice: Choice) -> Self {
        let variants = &classes.variants;
        let path = Path::new(component.len());
        let self_loop = classes.self_loop(component.root()).filter(|_| choice != Choice::Short(0));
        let form = Form::new(component, part_of, variants, choice);
        Self { form, path, self_loop }
    }

    /// Continues until there are no more cycles, the visitor stops it, or the fuel is used up.
    /// Visits each cycle of classes, as a path with its first way.
    pub(crate) fn run(&mut self, variants: &Variants, fuel: &mut Fuel, visitor: &mut impl Visitor) -> Status {
        if let Some(edge) = self.self_loop.take() {
            self.path.back_to(Mark::default());
            self.path.push_class(edge, variants);
            if visitor.visit(&mut self.path).is_break() {
                return Status::Stopped;
            }
        }
        let path = &mut self.path;
        match &mut self.form {
            Form::Acyclic(search) => search.run(path, variants, fuel, visitor),
            Form::Small(search) => search.run(path, variants, fuel, visitor),
            Form::Medium(search) => search.run(path, variants, fuel, visitor),
            Form::Large(search) => search.run(path, variants, fuel, visitor),
            Form::Short(search) => search.run(path, variants, fuel, visitor),
        }
    }

    /// The cycle at which the search was stopped.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The cycle at which the search was stopped, to advance to its other ways.
    pub(crate) fn path_mut(&mut self) -> &mut Path {
        &mut self.path
    }

    /// Splits off part of the remaining work; it comes after all that stays. `None` if no choice
    /// remains. Must be called only while the path has its first way.
    #[cfg(any(test, feature = "rayon"))]
    pub(crate) fn split(&mut self) -> Option<Self> {
        let path = &self.path;
        let (form, path) = match &mut self.form {
            Form::Acyclic(search) => search.split(path).map(|(search, path)| (Form::Acyclic(search), path)),
            Form::Small(search) => search.split(path).map(|(search, path)| (Form::Small(search), path)),
            Form::Medium(search) => search.split(path).map(|(search, path)| (Form::Medium(search), path)),
            Form::Large(search) => search.split(path).map(|(search, path)| (Form::Large(search), path)),
            Form::Short(search) => search.split(path).map(|(search, path)| (Form::Short(search), path)),
        }?;
        Some(Self { form, path, self_loop: None })
    }
}
