//! Where pumps are looked for: the program without data that decide nothing, and with variables
//! that are not read any more forgotten.
//!
//! There, control and data come back where in the program they only come back some rounds later, or
//! with other contents of idle fields. What is found there is followed in the program itself until
//! it is a pump of that; if it does not come to that, without idle data.

use crate::reduce::{Reduction, Tables, without_idle_data};
use crate::{ReplayError, Run, RunError, Semantics, State, Step};

use super::counted::Counted;
use super::supply::Supplier;
use super::{Aim, Refusal, Witness};

/// Rounds of what is proposed that are made to find a pump, at most.
const MOST_ROUNDS: usize = 300;
/// The same in steps.
const MOST_STEPS: usize = 3_000;
/// Pumps of several rounds that are tried, at most.
const MOST_TRIES: usize = 6;

/// What there is as much of as is wanted.
#[derive(Clone, Copy)]
enum Stock<'a> {
    /// Messages in the queues that a pump fills.
    Messages(&'a Supplier<'a>),
    /// A number that a round counts up.
    Count(&'a Counted<'a>),
}

/// A program, and what of it is searched.
pub(super) struct Ground<'a> {
    whole: &'a Semantics,
    aim: &'a Aim,
    /// The same without idle data, if it has any. Locations, edges and the layout of states are the
    /// same.
    less: Option<Semantics>,
    tables: Tables,
    /// What there is as much of as is wanted, if anything.
    stock: Option<Stock<'a>>,
}

impl<'a> Ground<'a> {
    /// For what is to be shown: where steps may be part of a run without progress, all of them are
    /// followed.
    pub fn new(whole: &'a Semantics, aim: &'a Aim) -> Self {
        let less = without_idle_data(whole);
        let reduction = match aim {
            Aim::Growth { .. } => Reduction::ALL,
            Aim::NoProgress { .. } => Reduction { dead_variables: true, ..Reduction::NONE },
        };
        let tables = Tables::new(less.as_ref().unwrap_or(whole), reduction);
        Self { whole, aim, less, tables, stock: None }
    }

    /// The same behind a pump, where the queues that it fills hold as many messages as are wanted.
    pub fn supplied(whole: &'a Semantics, aim: &'a Aim, supplier: &'a Supplier<'a>) -> Self {
        Self { stock: Some(Stock::Messages(supplier)), ..Self::new(whole, aim) }
    }

    /// In a program in which a counter is large, behind the round that counts it up. As it begins
    /// in the middle of a run, no data are left out.
    pub fn counted(whole: &'a Semantics, aim: &'a Aim, counted: &'a Counted<'a>) -> Self {
        let tables = Tables::new(whole, Reduction::NONE);
        Self { whole, aim, less: None, tables, stock: Some(Stock::Count(counted)) }
    }

    /// What is searched.
    pub fn part(&self) -> &Semantics {
        self.less.as_ref().unwrap_or(self.whole)
    }

    /// Where runs start.
    ///
    /// # Errors
    /// What goes wrong there.
    pub fn initial(&self) -> Result<State, RunError> {
        let mut start = match self.stock {
            Some(Stock::Messages(supplier)) => supplier.begin(self.part())?,
            Some(Stock::Count(counted)) => counted.begin(),
            None => self.part().initial()?,
        };
        self.tables.forget(&mut start);
        Ok(start)
    }

    /// The steps of a state.
    pub fn successors(&self, state: &State) -> Vec<Step> {
        let mut steps = self.local(state).unwrap_or_else(|| self.part().successors(state));
        steps.iter_mut().filter_map(|step| step.after.as_mut()).for_each(|after| self.tables.forget(after));
        if let Some(Stock::Messages(supplier)) = self.stock {
            let mut refills = |after: &mut State| supplier.refill(self.part(), state, after);
            steps.retain_mut(|step| step.after.as_mut().is_some_and(&mut refills));
        }
        steps
    }

    /// The steps of a process all of whose steps are local, if none of them ends the run.
    fn local(&self, state: &State) -> Option<Vec<Step>> {
        let mut below = state.process_count();
        while let Some(process) = self.tables.first_local(self.part(), state, below) {
            let mut steps = Vec::new();
            self.part().expand_process((state, process), true, &mut steps, &mut Vec::new());
            if !steps.is_empty() && steps.iter().all(|step| step.after.is_some() && step.errors.is_empty()) {
                return Some(steps);
            }
            below = process;
        }
        None
    }

    /// The run of the program that does what a prefix and a pump do here, if some rounds of it are
    /// a pump, at least up to idle data. Adds to `effort` how many steps were made.
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

    /// A witness of what is to be shown: what looked like growth may be that of a queue that dies
    /// with its process, and is another one each time.
    fn as_asked_for(&self, witness: Witness) -> Result<Witness, Refusal> {
        let grows = witness.growth.iter().map(|(origin, _)| *origin);
        if self.aim.is_met(grows) { Ok(witness) } else { Err(Refusal::Differs) }
    }

    fn confirm_with_others(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        let Some(less) = &self.less else { return rounds(self.whole, (prefix, pump), effort) };
        // A pump of the program is one without idle data, too.
        let found = rounds(less, (prefix, pump), effort)?;
        rounds(self.whole, (prefix, pump), effort).or_else(|_| {
            let (prefix, pump) = self.whole.same_edges(&found.prefix, &found.pump)?;
            self.whole.confirm_up_to_idle_data(less, (&prefix, &pump), effort)
        })
    }

    /// The run of the program that does what a prefix and a pump do here, if the statements of that
    /// are a pump on their own. Adds to `effort` how many steps were made.
    pub fn confirm_alone(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        if self.stock.is_some() {
            return Err(Refusal::Differs);
        }
        let (prefix, pump) = self.whole.same_edges(prefix, pump)?;
        self.as_asked_for(self.whole.confirm_alone(&prefix, &pump, effort)?)
    }

    /// The run of the program that does what a prefix and a pump do here, if the pump can be
    /// repeated with the processes beside it that it has left behind. Adds to `effort` how many
    /// steps were made.
    pub fn confirm_behind(&self, prefix: &Run, pump: &Run, effort: &mut usize) -> Result<Witness, Refusal> {
        if self.stock.is_some() {
            return Err(Refusal::Differs);
        }
        let (prefix, pump) = self.whole.same_edges(prefix, pump)?;
        self.as_asked_for(self.whole.confirm_behind(&prefix, &pump, effort)?)
    }
}

/// The run of a program that does what a prefix and a pump do, if some rounds of it are a pump.
fn rounds(
    semantics: &Semantics,
    (prefix, pump): (&Run, &Run),
    effort: &mut usize,
) -> Result<Witness, Refusal> {
    let mut steps = Vec::new();
    let start = semantics.initial().map_err(ReplayError::Start)?;
    let mut state =
        semantics.repeated(start, prefix, &mut steps, &mut |_| {}).ok_or(ReplayError::NoSuchStep(0))?;
    *effort += steps.len();
    // Control and data before each step behind the prefix.
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
        // Behind the first round, what was left over from before is gone.
        for skipped in [0, 1] {
            let same = (skipped..round).map(|begin| begin * length).find(|begin| frames[*begin] == frame);
            let Some(mut begin) = same.filter(|_| skipped == 0 || frames[0] == frame) else {
                continue;
            };
            let mut end = round * length;
            // It may have come back earlier on its way.
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
