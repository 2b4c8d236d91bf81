//! Configuration of an enumeration: its limits, and the ways to process the cycles.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::classes::Variants;
use crate::enumerate::{ElementaryCycles, SLICE};
use crate::graph::{EdgeId, Multigraph};
use crate::path::Path;
use crate::roots::Roots;
use crate::search::{Choice, Fuel, Status, Visitor};

/// An enumeration of the elementary cycles of a graph, with limits.
///
/// ```
/// use std::time::Duration;
/// use cycles::{End, Enumeration, Multigraph};
///
/// // All edges between six vertices: 409 cycles.
/// let edges = (0..36).filter(|n| n / 6 != n % 6).map(|n| (n / 6, n % 6));
/// let graph = Multigraph::new(6, edges)?;
///
/// let mut lengths = [0; 7];
/// let all = Enumeration::of(&graph).for_each(|edges| lengths[edges.len()] += 1);
/// assert_eq!((all.cycles, all.end), (409, End::Complete));
/// assert_eq!(lengths, [0, 0, 15, 40, 90, 144, 120]);
///
/// let short = Enumeration::of(&graph).max_length(3).time_limit(Duration::from_secs(60)).for_each(|_| ());
/// assert_eq!((short.cycles, short.end), (55, End::Complete));
///
/// let some = Enumeration::of(&graph).max_cycles(100).for_each(|_| ());
/// assert_eq!((some.cycles, some.end), (100, End::CycleLimit));
/// # Ok::<(), cycles::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Enumeration<'a> {
    pub(crate) graph: &'a Multigraph,
    pub(crate) max_cycles: Option<u64>,
    pub(crate) max_length: Option<usize>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) cancelled: Option<&'a AtomicBool>,
}

/// The reason why an enumeration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All cycles were visited: all of the graph, or with [`Enumeration::max_length`] all that are
    /// short enough.
    Complete,
    /// There are more cycles than [`Enumeration::max_cycles`] allows.
    CycleLimit,
    /// The time of [`Enumeration::time_limit`] is over.
    TimeLimit,
    /// The flag of [`Enumeration::cancel_on`] was set.
    Cancelled,
    /// The visitor stopped it.
    Stopped,
}

/// Statistics of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Number of cycles visited.
    pub cycles: u64,
    /// The reason why the enumeration ended.
    pub end: End,
    /// Number of steps of the searches, each of constant time: edges followed, and vertices that
    /// began and ceased to wait.
    pub steps: u64,
}

/// The return value of a visitor of cycles: `()` to visit all of them, or a [`ControlFlow`], to
/// stop at some.
pub trait Answer {
    /// The answer as a `ControlFlow`.
    fn flow(self) -> ControlFlow<()>;
}

impl Answer for () {
    fn flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Answer for ControlFlow<()> {
    fn flow(self) -> ControlFlow<()> {
        self
    }
}

/// The conditions for giving up, fixed when the enumeration began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch<'a> {
    deadline: Option<Instant>,
    cancelled: Option<&'a AtomicBool>,
}

impl Watch<'_> {
    /// The reason to give up now, if there is one.
    pub(crate) fn reason(&self) -> Option<End> {
        if self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(End::Cancelled);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(End::TimeLimit)
    }
}

impl<'a> Enumeration<'a> {
    /// The enumeration of all elementary cycles of `graph`.
    #[must_use]
    pub fn of(graph: &'a Multigraph) -> Self {
        Self { graph, max_cycles: None, max_length: None, time_limit: None, cancelled: None }
    }

    /// Ends after the given number of cycles.
    #[must_use]
    pub fn max_cycles(self, cycles: u64) -> Self {
        Self { max_cycles: Some(cycles), ..self }
    }

    /// Excludes cycles with more than the given number of edges.
    ///
    /// They are not walked: the time between two cycles is O(length·(V + E)), however many longer
    /// ones there are.
    #[must_use]
    pub fn max_length(self, edges: usize) -> Self {
        Self { max_length: Some(edges), ..self }
    }

    /// Ends after the given time, which begins when the enumeration does. The clock is read once in
    /// some thousand steps.
    #[must_use]
    pub fn time_limit(self, time: Duration) -> Self {
        Self { time_limit: Some(time), ..self }
    }

    /// Ends once `flag` is set, for example by another thread. It is checked once in some thousand
    /// steps.
    #[must_use]
    pub fn cancel_on(self, flag: &'a AtomicBool) -> Self {
        Self { cancelled: Some(flag), ..self }
    }

    /// The cycles as a lazy iterator. It respects only [`Enumeration::max_length`]; for the other
    /// limits there are `take` and `take_while`.
    #[must_use]
    pub fn iter(&self) -> ElementaryCycles {
        ElementaryCycles::new(self.graph, self.choice())
    }

    /// Visits the cycles, each as its edges from its least vertex on, in the [documented
    /// order](crate#order).
    ///
    /// Time: O((V + E)(k + 1)) for k cycles, no allocation per cycle. Memory: O(V + E).
    pub fn for_each<A: Answer>(&self, visit: impl FnMut(&[EdgeId]) -> A) -> Summary {
        let mut roots = self.roots();
        let limit = self.max_cycles.unwrap_or(u64::MAX);
        let mut each = Each { visit, limit, cycles: 0, watch: self.watch() };
        let (end, steps) = drive(&mut roots, &self.watch(), &mut each);
        Summary { cycles: each.cycles, end, steps }
    }

    fn choice(&self) -> Choice {
        self.max_length.map_or(Choice::Best, Choice::Short)
    }

    /// The searches.
    pub(crate) fn roots(&self) -> Roots {
        Roots::new(self.graph, self.choice())
    }

    /// The conditions for giving up, from now on.
    pub(crate) fn watch(&self) -> Watch<'a> {
        // A deadline that cannot be represented is never reached.
        let deadline = self.time_limit.and_then(|time| Instant::now().checked_add(time));
        Watch { deadline, cancelled: self.cancelled }
    }
}

/// A visitor of cycles of classes.
pub(crate) trait Watcher {
    /// Visits a cycle of classes, with its first way, which must be restored on return; `Err` to
    /// stop, with the reason.
    fn see(&mut self, path: &mut Path, variants: &Variants) -> Result<(), End>;
}

/// Passes each cycle of edges to a visitor.
struct Each<'a, F> {
    visit: F,
    limit: u64,
    cycles: u64,
    watch: Watch<'a>,
}

impl<A: Answer, F: FnMut(&[EdgeId]) -> A> Watcher for Each<'_, F> {
    #[inline(always)]
    fn see(&mut self, path: &mut Path, variants: &Variants) -> Result<(), End> {
        loop {
            if self.cycles == self.limit {
                return Err(End::CycleLimit);
            }
            self.cycles += 1;
            if (self.visit)(path.edges()).flow().is_break() {
                return Err(End::Stopped);
            }
            if !path.has_choices() || !path.next_way(variants) {
                return Ok(());
            }
            if self.cycles.is_multiple_of(u64::from(SLICE)) {
                self.watch.reason().map_or(Ok(()), Err)?;
            }
        }
    }
}

/// A watcher during the search in one component.
struct During<'a, W> {
    watcher: &'a mut W,
    variants: &'a Variants,
    /// The reason to stop, if the watcher has given one.
    end: Option<End>,
}

impl<W: Watcher> Visitor for During<'_, W> {
    #[inline(always)]
    fn visit(&mut self, path: &mut Path) -> ControlFlow<()> {
        match self.watcher.see(path, self.variants) {
            Ok(()) => ControlFlow::Continue(()),
            Err(reason) => {
                self.end = Some(reason);
                ControlFlow::Break(())
            }
        }
    }
}

/// Passes the cycles of classes of all roots to a watcher. Returns the reason why it ended, and the
/// number of steps.
pub(crate) fn drive(roots: &mut Roots, watch: &Watch<'_>, watcher: &mut impl Watcher) -> (End, u64) {
    let mut steps = 0;
    while let Some(mut search) = roots.next_search() {
        let mut during = During { watcher, variants: &roots.classes().variants, end: None };
        loop {
            if let Some(reason) = watch.reason() {
                return (reason, steps);
            }
            let mut fuel = Fuel::new(SLICE);
            let status = search.run(during.variants, &mut fuel, &mut during);
            steps += fuel.burnt(SLICE);
            match (status, during.end) {
                (_, Some(reason)) => return (reason, steps),
                (Status::Done, None) => break,
                _ => {}
            }
        }
    }
    (End::Complete, steps)
}
