//! Pumps that leave processes behind: each round creates some that never move again.
//!
//! Processes that take no step of the pump are dropped, in the program confined to the pump's
//! statements, and there the pump returns to its first state. A program that never uses numbers of
//! processes takes the same steps while the dropped processes exist: `docs/soundness/witnesses.md`.

use std::collections::BTreeSet;

use cfsm_core::ids::Id;
use cfsm_core::program::Hold;

use super::confined_pump::statements;
use super::{Refusal, Witness, repeat};
use crate::code::{Code, Statement};
use crate::reduce::{confined, looks_at_processes, queues_stay_private, without_idle_data_in};
use crate::{Move, ReplayError, Run, Semantics, State};

/// Greatest number of rounds that are skipped until the local variables of processes repeat.
const MOST_SKIPPED: usize = 3;
/// Least number of rounds that are executed in the program itself.
const FEWEST_ROUNDS: usize = 3;

/// A pump in the confined program, with the processes that are left behind dropped.
struct Forgetful {
    /// The moves of one round; processes are numbered as in the state before the round.
    round: Run,
    /// For each process of that state, the number of the process that takes its place after the
    /// round.
    kept: Vec<usize>,
    /// Number of processes that are dropped after each round.
    forgotten: usize,
    /// Number of rounds that were executed before.
    skipped: usize,
    /// The queues that grow, with their growth per round.
    growth: repeat::Growth,
    /// Number of replayed rounds.
    rounds: usize,
}

impl Semantics {
    /// Confirms that a pump can be repeated for ever if the processes that each round leaves behind
    /// never move. Adds the number of replayed steps to `effort`.
    pub(super) fn confirm_behind(
        &self,
        prefix: &Run,
        pump: &Run,
        effort: &mut usize,
    ) -> Result<Witness, Refusal> {
        let creates = pump.steps.iter().flatten().any(|moved| moved.created.is_some());
        if !creates {
            return Err(Refusal::Differs);
        }
        let alone = confined(self, &statements(pump)).ok_or(Refusal::Sensitive)?;
        let less = without_idle_data_in(&alone, self);
        let part = less.as_ref().unwrap_or(&alone);
        if is_told_numbers(part) || keeps_control_at_its_end(part, pump) {
            return Err(Refusal::Sensitive);
        }
        if !queues_stay_private(part, self, &statements(pump)) {
            return Err(Refusal::Sensitive);
        }
        let start = self.initial().map_err(ReplayError::Start)?;
        let start = self.follow(&start, &prefix.steps, 0)?.pop().unwrap_or(start);
        *effort += prefix.steps.len();
        let base = base(&start, pump)?;
        let found = part.forgetful(&start, &base, pump, effort)?;
        self.along(prefix, start, &base, found)
    }

    /// Replays the pump with the processes of the base only, and checks that it returns to its
    /// first state when others are dropped.
    fn forgetful(
        &self,
        start: &State,
        base: &[usize],
        pump: &Run,
        effort: &mut usize,
    ) -> Result<Forgetful, Refusal> {
        let queues = start.queues.len();
        let mut before = start.only(base, queues).ok_or(Refusal::Differs)?;
        let mut names: Vec<usize> = vec![usize::MAX; start.process_count()];
        base.iter().enumerate().for_each(|(at, process)| names[*process] = at);
        let (mut round, mut after) = self.played(before.clone(), pump, &mut names)?;
        for skipped in 0..=MOST_SKIPPED {
            *effort += pump.steps.len();
            let kept = successors_of(&before, &after)?;
            let closed = after.only(&kept, queues).ok_or(Refusal::Differs)?;
            let forgotten = after.process_count() - kept.len();
            if forgotten == 0 || repeat::compare(&before, &closed) == Err(Refusal::Shrinks) {
                return Err(Refusal::Differs);
            }
            if before.cells == closed.cells {
                let close = |state: &State| state.only(&kept, queues).ok_or(Refusal::Differs);
                let (growth, rounds) = repeat::confirm_closed(self, &before, &round, &close, effort)?;
                let growth = growth.into_iter().map(|(mut origin, count)| {
                    origin.process = origin.process.map(|(process, ty)| (base[process], ty));
                    (origin, count)
                });
                let growth = growth.collect();
                return Ok(Forgetful { round, kept, forgotten, skipped, growth, rounds });
            }
            let mut names: Vec<usize> = (0..closed.process_count()).collect();
            before = closed;
            (round, after) = self.played(before.clone(), &round, &mut names)?;
        }
        Err(Refusal::Differs)
    }

    /// Builds the witness by executing the pump in the program itself, after a prefix.
    fn along(
        &self,
        prefix: &Run,
        mut state: State,
        base: &[usize],
        found: Forgetful,
    ) -> Result<Witness, Refusal> {
        let room = usize::from(self.options.max_processes).saturating_sub(state.process_count());
        // The language limits the number of processes; one more round must fit while the last one
        // runs.
        let possible = (room / found.forgotten).saturating_sub(found.skipped + 1);
        let rounds = found.rounds.min(possible);
        if rounds < FEWEST_ROUNDS {
            return Err(Refusal::TooManyRounds(rounds));
        }
        let (mut prefix, mut pump) = (prefix.clone(), Run::default());
        let mut own = base.to_vec();
        for round in 0..found.skipped + rounds {
            let mut names = own.clone();
            let (steps, after) = self.played(state, &found.round, &mut names)?;
            own = found.kept.iter().map(|process| names[*process]).collect();
            state = after;
            if round < found.skipped {
                prefix.steps.extend(steps.steps);
            } else if round == found.skipped {
                pump = steps;
            }
        }
        Ok(Witness {
            prefix,
            pump,
            growth: found.growth,
            rounds,
            up_to_idle_data: true,
            supply: None,
            counter: None,
            left_behind: found.forgotten,
            buffers: self.options.buffers.clone(),
        })
    }

    /// Executes the edges of a run with renumbered processes: `names` maps the numbers in the run
    /// to actual ones, and created processes are appended.
    fn played(&self, mut state: State, run: &Run, names: &mut Vec<usize>) -> Result<(Run, State), Refusal> {
        let mut steps = Vec::with_capacity(run.steps.len());
        for (at, moves) in run.steps.iter().enumerate() {
            let none = || Refusal::Replay(ReplayError::NoSuchStep(at));
            let same = |own: &[Move]| {
                own.len() == moves.len()
                    && own.iter().zip(moves).all(|(own, moved)| {
                        names.get(moved.process) == Some(&own.process)
                            && (own.process_type, own.edge) == (moved.process_type, moved.edge)
                    })
            };
            let step = self.successors(&state).into_iter().find(|step| same(&step.moves)).ok_or_else(none)?;
            if let Some(error) = step.errors.into_iter().next() {
                return Err(Refusal::Fails(error));
            }
            for (own, moved) in step.moves.iter().zip(moves) {
                if moved.edge.is_none() {
                    names.truncate(moved.process);
                }
                if let Some(created) = moved.created {
                    names.resize(created, usize::MAX);
                    names.push(own.created.ok_or_else(none)?);
                }
            }
            steps.push(step.moves);
            state = step.after.ok_or_else(none)?;
        }
        Ok((Run { steps }, state))
    }
}

impl State {
    /// The state with these processes only, in this order, and with the first `queues` queues,
    /// which must be owned by these processes or global.
    fn only(&self, processes: &[usize], queues: usize) -> Option<Self> {
        let place = |process: usize| processes.iter().position(|kept| *kept == process);
        let globals = self.frames.first().map_or(self.cells.len(), |first| *first as usize);
        let mut new = Self { cells: self.cells[..globals].to_vec(), ..Self::default() };
        for &process in processes {
            new.frames.push(u32::try_from(new.cells.len()).ok()?);
            new.cells.extend_from_slice(self.frame_of(process)?);
        }
        for queue in self.queues.get(..queues)? {
            let mut queue = *queue;
            if let Some(owner) = queue.owner() {
                queue.owner = u16::try_from(place(owner)?).ok()?;
            }
            new.queues.push(queue);
        }
        let end = self.queues.get(queues).map_or(self.messages.len(), |queue| queue.first as usize);
        new.messages = self.messages.get(..end)?.to_vec();
        new.held = match self.held {
            Some(held) => Some(u16::try_from(place(held.into())?).ok()?),
            None => None,
        };
        Some(new)
    }

    /// The cells of a process: its header and its locals.
    fn frame_of(&self, process: usize) -> Option<&[i32]> {
        let first = *self.frames.get(process)? as usize;
        let end = self.frames.get(process + 1).map_or(self.cells.len(), |end| *end as usize);
        self.cells.get(first..end)
    }

    /// Returns `true` if a process owns queues.
    fn owns(&self, process: usize) -> bool {
        self.queues.iter().any(|queue| queue.owner() == Some(process))
    }
}

/// The processes that a pump needs: those that move, and those that own queues. None of them may
/// terminate.
fn base(start: &State, pump: &Run) -> Result<Vec<usize>, Refusal> {
    let count = start.process_count();
    let moves = || pump.steps.iter().flatten().filter(|moved| moved.process < count);
    if moves().any(|moved| moved.edge.is_none()) {
        return Err(Refusal::Differs);
    }
    let movers: BTreeSet<usize> = moves().map(|moved| moved.process).collect();
    Ok((0..count).filter(|process| movers.contains(process) || start.owns(*process)).collect())
}

/// For each process before a round, the one that takes its place after the round: itself, or one
/// that was created in it.
fn successors_of(before: &State, after: &State) -> Result<Vec<usize>, Refusal> {
    let (old, new) = (before.process_count(), after.process_count());
    let mut free: BTreeSet<usize> = (old..new).filter(|process| !after.owns(*process)).collect();
    let same = |process: usize, other: usize| before.frame_of(process) == after.frame_of(other);
    let alike = |process: usize, other: usize| {
        before.frame_of(process).map(|frame| &frame[..2]) == after.frame_of(other).map(|frame| &frame[..2])
    };
    let next = |process: usize| {
        let may_change = !before.owns(process);
        let others = |fits: &dyn Fn(usize, usize) -> bool| {
            let found = free.iter().copied().find(|other| fits(process, *other));
            found.filter(|_| may_change)
        };
        let stays = |fits: &dyn Fn(usize, usize) -> bool| fits(process, process).then_some(process);
        let found = stays(&same).or_else(|| others(&same)).or_else(|| stays(&alike));
        let found = found.or_else(|| others(&alike)).ok_or(Refusal::Differs)?;
        free.remove(&found);
        Ok(found)
    };
    (0..old).map(next).collect()
}

/// Returns `true` if some statement may depend on numbers of processes, or on how many there are.
fn is_told_numbers(part: &Semantics) -> bool {
    let asks = |code: &Code| {
        code.any(&mut |part| {
            matches!(part, Code::Pid | Code::ProcessCount | Code::Timeout | Code::NonProgress)
        })
    };
    let mut types = part.types.iter();
    looks_at_processes(part)
        || types.any(|ty| {
            ty.initial_values().into_iter().any(asks)
                || ty.edges.iter().any(|edge| match &edge.statement {
                    // Printed values influence nothing.
                    Statement::Print(codes) => codes.iter().any(|code| *code != Code::Pid && asks(code)),
                    Statement::Create(create) if create.result.is_some() => true,
                    Statement::SetPriority(..) => true,
                    other => other.codes().into_iter().any(asks),
                })
        })
}

/// Returns `true` if a pump has a step inside `atomic` that leads to the end of a process: the
/// process keeps control there exactly if there is no younger one.
fn keeps_control_at_its_end(part: &Semantics, pump: &Run) -> bool {
    pump.steps.iter().flatten().any(|moved| {
        let ty = &part.types[moved.process_type.index()];
        let mut edges = ty.edges.iter().filter(|edge| Some(edge.id) == moved.edge);
        edges.any(|edge| edge.hold != Hold::No && edge.target == ty.exit)
    })
}
