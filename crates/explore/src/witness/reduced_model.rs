//! The program in which pumps are searched: sliced (without irrelevant data), with dead variables
//! reset.
//!
//! There, control and data repeat earlier than in the program itself, where some further rounds may
//! be needed or irrelevant message fields may differ. A pump that is found is replayed in the
//! program itself until it is a pump there; if that fails, it is confirmed up to irrelevant data.

use crate::reduce::{Reduction, Tables, without_idle_data};
use crate::{ReplayError, Run, RunError, Semantics, State, Step};

use super::backlog_pump::Supplier;
use super::counted::Counted;
use super::{Aim, Refusal, Witness};

/// Greatest number of rounds of a proposed pump that are executed.
const MOST_ROUNDS: usize = 300;
/// Greatest number of steps of these rounds.
const MOST_STEPS: usize = 3_000;
/// Greatest number of pumps of several rounds that are tried.
const MOST_TRIES: usize = 6;

/// A resource of which any amount is available.
#[derive(Clone, Copy)]
enum Stock<'a> {
    /// Messages in the queues that a pump fills.
    Messages(&'a Supplier<'a>),
    /// Units of a counter that a round increases.
    Count(&'a Counted<'a>),
}

/// The parts of the reductions of a program that do not depend on where a search begins.
pub(super) struct ReducedProgram {
    /// The sliced program, if it has irrelevant data. Locations, edges and the layout of states are
    /// unchanged.
    less: Option<Semantics>,
    tables: Tables,
}

impl ReducedProgram {
    /// The reductions for an aim. All steps are followed if they may belong to a run without
    /// progress.
    pub fn new(whole: &Semantics, aim: &Aim) -> Self {
        let less = without_idle_data(whole);
        let reduction = match aim {
            Aim::Growth { .. } => Reduction::ALL,
            Aim::NoProgress { .. } => Reduction { dead_variables: true, ..Reduction::NONE },
        };
        let tables = Tables::new(less.as_ref().unwrap_or(whole), reduction);
        Self { less, tables }
    }

    /// No reduction.
    pub fn none(whole: &Semantics) -> Self {
        Self { less: None, tables: Tables::new(whole, Reduction::NONE) }
    }
}

/// A program, with the reductions for the search.
pub(super) struct ReducedModel<'a> {
    whole: &'a Semantics,
    reduced: &'a ReducedProgram,
    aim: &'a Aim,
    /// The resource of which any amount is available, if there is one.
    stock: Option<Stock<'a>>,
}

impl<'a> ReducedModel<'a> {
    /// The search in a program for an aim, with the reductions of the program for such aims.
    pub const fn new(whole: &'a Semantics, reduced: &'a ReducedProgram, aim: &'a Aim) -> Self {
        Self { whole, reduced, aim, stock: None }
    }

    /// The same behind a pump: the queues that it fills hold any number of messages.
    pub const fn supplied(self, supplier: &'a Supplier<'a>) -> Self {
        Self { stock: Some(Stock::Messages(supplier)), ..self }
    }

    /// The same for a program specialised to large values of a counter, behind the round that
    /// increases it. As the search begins in the middle of a run, the program must not be sliced.
    pub const fn counted(self, counted: &'a Counted<'a>) -> Self {
        Self { stock: Some(Stock::Count(counted)), ..self }
    }

    /// The program that is searched.
    pub fn part(&self) -> &Semantics {
        self.reduced.less.as_ref().unwrap_or(self.whole)
    }

    /// The initial state of the search.
    ///
    /// # Errors
    /// The error of the initial state, if it has one.
    pub fn initial(&self) -> Result<State, RunError> {
        let mut start = match self.stock {
            Some(Stock::Messages(supplier)) => supplier.begin(self.part())?,
            Some(Stock::Count(counted)) => counted.begin(),
            None => self.part().initial()?,
        };
        self.reduced.tables.normalize(&mut start);
        Ok(start)
    }

    /// The steps of a state.
    pub fn successors(&self, state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        self.expand(state, &mut steps, &mut Vec::new());
        steps
    }

    /// Appends the steps of a state to `steps`, which should be empty, reusing the storage of the
    /// states in `room`.
    pub fn expand(&self, state: &State, steps: &mut Vec<Step>, room: &mut Vec<State>) {
        if !self.expand_local(state, steps, room) {
            self.part().expand_in(state, true, steps, room);
        }
        steps
            .iter_mut()
            .filter_map(|step| step.after.as_mut())
            .for_each(|after| self.reduced.tables.normalize(after));
        if let Some(Stock::Messages(supplier)) = self.stock {
            let mut refills = |after: &mut State| supplier.refill(self.part(), state, after);
            steps.retain_mut(|step| step.after.as_mut().is_some_and(&mut refills));
        }
    }

    /// Appends the steps of a process with local steps only, if none of them ends the run; returns
    /// `true` if there is such a process.
    fn expand_local(&self, state: &State, steps: &mut Vec<Step>, room: &mut Vec<State>) -> bool {
        let mut below = state.process_count();
        while let Some(process) = self.reduced.tables.first_local(self.part(), state, below) {
            self.part().expand_process(state, process, true, steps, room);
            if !steps.is_empty() && steps.iter().all(|step| step.after.is_some() && step.errors.is_empty()) {
                return true;
            }
            room.extend(steps.drain(..).filter_map(|step| step.after));
            below = process;
        }
        false
    }

    /// The run of the program that corresponds to a prefix and a pump of the searched program, if
    /// some rounds of it are a pump, possibly up to irrelevant data. Adds the number of executed
    /// steps to `effort`.
    pub fn confirm(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        match self.stock {
            Some(Stock::Messages(supplier)) => {
                return self.as_asked_for(supplier.confirm(prefix, pump, effort)?);
            }
            Some(Stock::Count(counted)) => return self.as_asked_for(counted.confirm(prefix, pump, effort)?),
            None => {}
        }
        match self.confirm_with_others(prefix, pump, effort) {
            Err(Refusal::Sensitive) => self.confirm_alone(prefix, pump, effort),
            found => self.as_asked_for(found?),
        }
    }

    /// Checks that a witness meets the aim: apparent growth may be that of a queue that dies with
    /// its process and is another one in each round.
    fn as_asked_for(&self, witness: Witness) -> Result<Witness, Refusal> {
        let grows = witness.growth.iter().map(|(origin, _)| *origin);
        if self.aim.is_met(grows) { Ok(witness) } else { Err(Refusal::Differs) }
    }

    fn confirm_with_others(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        let Some(less) = &self.reduced.less else { return rounds(self.whole, prefix, pump, effort) };
        // A pump of the program is one of the sliced program, too.
        let found = rounds(less, prefix, pump, effort)?;
        rounds(self.whole, prefix, pump, effort).or_else(|_| {
            let (prefix, pump) = self.whole.same_edges(&found.prefix, &found.pump)?;
            self.whole.confirm_up_to_idle_data(less, &prefix, &pump, effort)
        })
    }

    /// The run of the program that corresponds to a prefix and a pump, if the pump can be confirmed
    /// in the program confined to its statements. Adds the number of executed steps to `effort`.
    pub fn confirm_alone(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        if self.stock.is_some() {
            return Err(Refusal::Differs);
        }
        let (prefix, pump) = self.whole.same_edges(prefix, pump)?;
        self.as_asked_for(self.whole.confirm_alone(&prefix, &pump, effort)?)
    }

    /// The run of the program that corresponds to a prefix and a pump, if the pump can be repeated
    /// while the processes that it leaves behind exist. Adds the number of executed steps to
    /// `effort`.
    pub fn confirm_behind(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        if self.stock.is_some() {
            return Err(Refusal::Differs);
        }
        let (prefix, pump) = self.whole.same_edges(prefix, pump)?;
        self.as_asked_for(self.whole.confirm_behind(&prefix, &pump, effort)?)
    }
}

/// The run of a program that takes the edges of a prefix and a pump, if some rounds of it are a
/// pump.
fn rounds(semantics: &Semantics, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
    let mut steps = Vec::new();
    let start = semantics.initial().map_err(ReplayError::Start)?;
    let mut state =
        semantics.repeated(start, prefix, &mut steps, &mut |_| {}).ok_or(ReplayError::NoSuchStep(0))?;
    *effort += steps.len();
    // Control and data before each step after the prefix.
    let mut frames: Vec<Vec<u8>> = Vec::new();
    let (offset, length) = (steps.len(), pump.steps.len());
    let (mut refusal, mut tries) = (Refusal::Differs, 0);
    for round in 1..=MOST_ROUNDS.min(MOST_STEPS / length.max(1)).max(2) {
        let mut keep = |state: &State| frames.push(frame(semantics, state));
        state = semantics
            .repeated(state, pump, &mut steps, &mut keep)
            .ok_or(ReplayError::NoSuchStep(offset + frames.len()))?;
        *effort += length;
        let frame = frame(semantics, &state);
        // After the first round, remainders from before the pump are gone.
        for skipped in [0, 1] {
            let same = (skipped..round).map(|begin| begin * length).find(|begin| frames[*begin] == frame);
            let Some(mut begin) = same.filter(|_| skipped == 0 || frames[0] == frame) else {
                continue;
            };
            let mut end = round * length;
            // Control and data may have repeated earlier in the round.
            while begin > 0 && frames[begin - 1] == frames[end - 1] {
                (begin, end) = (begin - 1, end - 1);
            }
            let before = Run { steps: steps[..offset + begin].to_vec() };
            let rounds = Run { steps: steps[offset + begin..offset + end].to_vec() };
            match semantics.confirm_exactly(&before, &rounds, effort) {
                Ok(witness) => return Ok(witness),
                Err(Refusal::Order | Refusal::Differs) if tries < MOST_TRIES => tries += 1,
                Err(other) => return Err(other),
            }
            refusal = Refusal::Order;
        }
    }
    Err(refusal)
}

fn frame(semantics: &Semantics, state: &State) -> Vec<u8> {
    let mut frame = Vec::new();
    semantics.encode_frame(state, &mut frame);
    frame
}
