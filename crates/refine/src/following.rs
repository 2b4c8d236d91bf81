//! Which values are followed: as many as wanted, and as few as a process stays small with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abstraction::{Abstraction, Counters, Declared, Precision, abstract_program, may_have_registers};
use cfsm_core::program::{Action, Binary, Expression, ProcessTypeId, Program, Type, VariableRef};

use crate::counters::with_counters;
use crate::refinement::RefinementOptions;
use crate::relevance::Followed;
use crate::strategy::Strategy;

/// How far pairs of processes are followed where only threads are: little is told apart there, and
/// it is most of what they need.
const THREAD_PAIR_STEPS: usize = 1 << 19;

/// How much longer an abstraction may take where only threads are followed.
const THREAD_VISITS: usize = 4;

/// How much longer an abstraction may take where values are carried: it is made twice, and fewer
/// are looked at.
const CARRYING: usize = 16;

/// The same where tables have registers: a process has a state for each element that it may ask
/// for.
const REGISTERS: usize = 64;

/// How much larger a process may get there.
const NODES: usize = 4;

/// Elements of arrays that are followed, at most.
const ELEMENTS: u32 = 8;

/// What is followed.
pub(crate) struct Following<'a> {
    program: &'a Program,
    options: Arc<RefinementOptions>,
    tracked: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// What is followed only where it matters.
    carried: BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>,
    /// What has registers.
    registers: BTreeSet<Declared>,
    counters: Counters,
    /// Whether variables that are counted up and down are followed, too.
    counted: bool,
    /// Whether pairs of processes are asked what they exclude.
    pairs: bool,
    /// How far these are followed.
    pair_steps: usize,
    /// How long an abstraction may take, and how large a process may get.
    visits: usize,
    nodes: usize,
    /// What would be too much.
    pub(crate) skipped: BTreeSet<Followed>,
}

impl<'a> Following<'a> {
    /// Nothing is followed yet; these variables are known to keep to their ranges, and pairs of
    /// processes are to be asked, or not.
    pub(crate) fn new(
        program: &'a Program,
        options: Arc<RefinementOptions>,
        known: &Counters,
        pairs: bool,
    ) -> Self {
        let Precision { tracked, carried, registers, mut counters, .. } =
            options.abstraction.precision.clone();
        counters.extend(known.clone());
        let pair_steps = options.abstraction.pair_steps;
        let (visits, nodes) = (options.visits, options.nodes);
        Self {
            program,
            options,
            tracked,
            carried,
            registers,
            counters,
            counted: true,
            pairs,
            pair_steps,
            visits,
            nodes,
            skipped: BTreeSet::new(),
        }
    }

    /// From the beginning, without variables that are counted up and down, if these are why others
    /// would be too much: places stand for them.
    pub(crate) fn without_counted(self) -> Option<Self> {
        let mut followed =
            self.tracked.iter().flat_map(|(ty, variables)| variables.iter().map(|variable| (*ty, *variable)));
        let is_crowded =
            !self.skipped.is_empty() && followed.any(|followed| is_counted(self.program, followed));
        let Precision { tracked, .. } = self.options.abstraction.precision.clone();
        is_crowded.then(|| Self { tracked, counted: false, skipped: BTreeSet::new(), ..self })
    }

    fn follows(&self, (ty, variable): Followed) -> bool {
        self.tracked.get(&ty).is_some_and(|tracked| tracked.contains(&variable))
    }

    /// Asks pairs of processes no more.
    pub(crate) const fn without_pairs(&mut self) {
        self.pairs = false;
    }

    /// What is wanted and can be followed, and is not yet.
    pub(crate) fn fresh(&self, wanted: &BTreeSet<Followed>) -> BTreeSet<Followed> {
        self.possible(wanted).into_iter().filter(|followed| !self.follows(*followed)).collect()
    }

    /// What is wanted and can be followed.
    pub(crate) fn possible(&self, wanted: &BTreeSet<Followed>) -> BTreeSet<Followed> {
        let is_possible = |followed: &Followed| {
            let variable = self.program.variable(followed.0, followed.1);
            let short = variable.length.is_none_or(|length| length <= ELEMENTS);
            variable.ty != Type::Channel
                && short
                && (self.counted || !is_counted(self.program, *followed))
                && !self.skipped.contains(followed)
        };
        wanted.iter().copied().filter(is_possible).collect()
    }

    /// The abstraction in which all of this is followed too; of a process that gets too large, all
    /// but what is heaviest. `None` if there is none within the limits.
    pub(crate) fn follow(&mut self, fresh: &BTreeSet<Followed>) -> Option<Abstraction> {
        for (ty, variable) in fresh {
            self.tracked.entry(*ty).or_default().insert(*variable);
        }
        let mut left = fresh.clone();
        while !left.is_empty() {
            match self.followed() {
                Ok(followed) => return Some(followed),
                // Nothing says that it would have been too much.
                Err(_) if self.options.deadline.is_over() => return None,
                Err(too_large) => {
                    let all = || left.iter().map(|(ty, _)| *ty).collect();
                    for ty in too_large.unwrap_or_else(all) {
                        self.skip_heaviest(ty, &mut left)?;
                    }
                }
            }
        }
        None
    }

    /// The abstraction in which all of this is followed, and nothing else; `None` if that is not
    /// within the limits.
    pub(crate) fn follow_only(&mut self, all: &BTreeSet<Followed>) -> Option<Abstraction> {
        self.tracked.clone_from(&self.options.abstraction.precision.tracked);
        for (ty, variable) in all {
            self.tracked.entry(*ty).or_default().insert(*variable);
        }
        self.pair_steps = THREAD_PAIR_STEPS;
        self.visits = self.visits.max(THREAD_VISITS * self.options.visits);
        let followed = self.followed().ok();
        self.pair_steps = self.options.abstraction.pair_steps;
        (self.visits, self.nodes) = (self.options.visits, self.options.nodes);
        followed
    }

    /// Gives registers to tables that are only assigned to, among these; `None` if there are none.
    pub(crate) fn give_registers(&mut self, copied: &BTreeSet<Followed>) -> Option<()> {
        let followed = copied.iter().filter_map(|(ty, variable)| match variable {
            VariableRef::Local(id) => Some(((Some(*ty), *id), self.program.variable(*ty, *variable))),
            VariableRef::Global(_) => None,
        });
        let tables = followed.filter(|(declared, variable)| {
            variable.length.is_some()
                && may_have_registers(self.program, *declared)
                && self.is_chosen_by_variables(*declared)
        });
        self.registers = tables.map(|(declared, _)| declared).collect();
        (!self.registers.is_empty()).then_some(())
    }

    /// The abstraction in which threads are followed, and what is copied is followed where it
    /// matters; `None` if that is not within the limits.
    pub(crate) fn carry(
        &mut self,
        threads: &BTreeSet<Followed>,
        copied: &BTreeSet<Followed>,
    ) -> Option<Abstraction> {
        let (threads, short) = (&self.possible(threads), self.possible(copied));
        let all: BTreeSet<Followed> = threads.union(&short).copied().collect();
        let is_table =
            |followed: &&Followed| self.program.variable(followed.0, followed.1).ty != Type::Channel;
        let copied = copied.iter().filter(is_table).copied().collect::<BTreeSet<Followed>>();
        let (told, carried): (BTreeSet<Followed>, BTreeSet<Followed>) = copied
            .difference(threads)
            .partition(|followed| short.contains(followed) && self.is_selected_by(**followed, &all));
        let has_register = |(ty, variable): &Followed| match variable {
            VariableRef::Local(id) => self.registers.contains(&(Some(*ty), *id)),
            VariableRef::Global(id) => self.registers.contains(&(None, *id)),
        };
        let told: BTreeSet<Followed> = told.into_iter().filter(|followed| !has_register(followed)).collect();
        let carried: Vec<Followed> = carried.into_iter().filter(|followed| !has_register(followed)).collect();
        for (ty, variable) in carried {
            self.carried.entry(ty).or_default().insert(variable);
        }
        self.visits = if self.registers.is_empty() { CARRYING } else { REGISTERS } * self.options.visits;
        self.nodes = NODES * self.options.nodes;
        self.follow_only(&threads.union(&told).copied().collect())
    }

    /// Whether constants and variables select the elements of an array, and nothing that is
    /// computed.
    fn is_chosen_by_variables(&self, (owner, variable): Declared) -> bool {
        let is_plain = |index: &Expression| match index {
            Expression::Constant(_) => true,
            Expression::Read(place) => place.index.is_none(),
            _ => false,
        };
        let Some(owner) = owner else { return false };
        let mut places = self.program.types[owner].edges.values().flat_map(|edge| edge.action.places());
        places.all(|place| {
            place.variable != VariableRef::Local(variable) || place.index.as_deref().is_none_or(is_plain)
        })
    }

    /// Whether a variable is an array, and it is variables among these or constants that select its
    /// elements.
    fn is_selected_by(&self, (ty, variable): Followed, selecting: &BTreeSet<Followed>) -> bool {
        let is_other = |part: &Expression| match part {
            Expression::Read(place) => !selecting.contains(&(ty, place.variable)),
            Expression::Constant(_) => false,
            _ => true,
        };
        let is_array = self.program.variable(ty, variable).length.is_some();
        let places = self.program.types[ty].edges.values().flat_map(|edge| edge.action.places());
        let mut own = places.filter(|place| place.variable == variable);
        is_array
            && own
                .all(|place| !place.index.as_ref().is_some_and(|index| index.any(&mut |part| is_other(part))))
    }

    /// The abstraction in which all that is to be followed is; or which processes get too large, if
    /// that is known.
    fn followed(&mut self) -> Result<Abstraction, Option<BTreeSet<ProcessTypeId>>> {
        let precision = Precision {
            tracked: self.tracked.clone(),
            carried: self.carried.clone(),
            data_places: self.options.wants_data_places() || !self.counters.is_empty(),
            counters: self.counters.clone(),
            budgets: self.options.abstraction.precision.budgets.clone(),
            pairs: self.pairs,
            registers: self.registers.clone(),
        };
        let mut options = abstraction::Options {
            nodes: self.nodes.min(self.options.abstraction.nodes),
            transitions: self.options.transitions.min(self.options.abstraction.transitions),
            visits: self.visits.min(self.options.abstraction.visits),
            pair_steps: self.pair_steps,
            ..self.options.abstraction(precision)
        };
        match abstract_program(self.program, &options) {
            Ok(abstraction) if abstraction.folded.is_empty() => {
                Ok(self.sharpened(abstraction, &mut options).activated().0)
            }
            Ok(abstraction) => Err(Some(abstraction.folded.iter().copied().collect())),
            Err(error) => {
                debug_assert!(!matches!(error, abstraction::Error::System(_)), "{error}");
                Err(None)
            }
        }
    }

    /// With the ranges of counters, if that is wanted.
    fn sharpened(&mut self, known: Abstraction, options: &mut abstraction::Options) -> Abstraction {
        let wanted = options.precision.data_places && self.options.strategies.contains(&Strategy::Counters);
        // What is carried is copied, and says little of what is counted.
        if !wanted || !self.carried.is_empty() {
            return known;
        }
        let sharpened = with_counters(self.program, &known, options, self.options.deadline);
        self.counters.clone_from(&options.precision.counters);
        sharpened.unwrap_or(known)
    }

    /// Stops following the heaviest variable of a type. `None` if none is left that was not
    /// followed before.
    fn skip_heaviest(&mut self, ty: ProcessTypeId, left: &mut BTreeSet<Followed>) -> Option<()> {
        let of_type = left.iter().filter(|followed| followed.0 == ty);
        let heaviest = of_type.max_by_key(|followed| self.weight(**followed)).copied();
        // The type may have got too large by what others send: then it is they who go.
        let heaviest =
            heaviest.or_else(|| left.iter().max_by_key(|followed| self.weight(**followed)).copied())?;
        left.remove(&heaviest);
        self.skipped.insert(heaviest);
        self.tracked.entry(heaviest.0).or_default().remove(&heaviest.1);
        Some(())
    }

    /// How many values a variable may have, as a power of two.
    fn weight(&self, (ty, variable): Followed) -> u32 {
        let variable = self.program.variable(ty, variable);
        let bits = match variable.ty {
            Type::Bit => 1,
            Type::Symbol(_) => 3,
            Type::Unsigned(bits) => bits.into(),
            Type::Byte | Type::Pid | Type::Channel => 8,
            Type::Short => 16,
            Type::Int => 32,
        };
        bits * variable.length.unwrap_or(1)
    }

    /// `a of P`
    pub(crate) fn named(&self, (ty, variable): Followed) -> String {
        let process = &self.program.types[ty];
        format!("`{}` of {}", self.program.variable(ty, variable).name, process.name)
    }

    /// The choice for people; empty if nothing is followed, carried, or in a register.
    pub(crate) fn described(&self) -> String {
        let names = |of: &BTreeMap<ProcessTypeId, BTreeSet<VariableRef>>| {
            let all = of.iter().flat_map(|(ty, variables)| variables.iter().map(|variable| (*ty, *variable)));
            let names: Vec<String> = all.map(|followed| self.named(followed)).collect();
            list(&names)
        };
        let registers = self.registers.iter().map(|(owner, variable)| match owner {
            Some(owner) => self.named((*owner, VariableRef::Local(*variable))),
            None => format!("`{}`", self.program.globals[*variable].name),
        });
        described(&names(&self.tracked), &names(&self.carried), &list(&registers.collect::<Vec<_>>()))
    }
}

/// What is followed, followed where it matters, and in registers, in a sentence without a full
/// stop. Each may be an empty list; if all are, so is the sentence.
fn described(followed: &str, carried: &str, registers: &str) -> String {
    let values = match (followed, carried) {
        ("", "") => String::new(),
        ("", carried) => format!("the values of {carried} are followed where they matter"),
        (followed, "") => format!("the values of {followed} are followed"),
        (followed, carried) => {
            format!("the values of {followed} are followed, and where they matter those of {carried}")
        }
    };
    match (&values[..], registers) {
        (_, "") => values,
        ("", registers) => format!("there are registers for {registers}"),
        (values, registers) => format!("{values}, with registers for {registers}"),
    }
}

/// Whether something is added to a variable or subtracted from it.
pub(crate) fn is_counted(program: &Program, (ty, variable): Followed) -> bool {
    program.types[ty].edges.values().any(|edge| counts(&edge.action, variable))
}

/// Whether a statement adds something to a variable or subtracts it.
pub(crate) fn counts(action: &Action, variable: VariableRef) -> bool {
    let is_held = |part: &Expression| matches!(part, Expression::Read(read) if read.variable == variable);
    let is_sum = |value: &Expression| match value {
        Expression::Binary(Binary::Add, one, other) => is_held(one) || is_held(other),
        Expression::Binary(Binary::Subtract, one, _) => is_held(one),
        _ => false,
    };
    matches!(action, Action::Assign { target, value } if target.variable == variable && is_sum(value))
}

/// Names that a list has, at most.
const NAMES: usize = 8;

/// `a, b and c`
pub(crate) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., _] if first.len() >= NAMES => {
            format!("{} and {} more", names[..NAMES].join(", "), names.len() - NAMES)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn no_sentence_has_an_empty_list() {
        let names = ["", "`a` of P"];
        for followed in names {
            for carried in names {
                for registers in names {
                    let text = described(followed, carried, registers);
                    let named = [followed, carried, registers].iter().filter(|list| !list.is_empty()).count();
                    assert_eq!(text.matches("`a` of P").count(), named, "{text}");
                    assert_eq!(text.is_empty(), named == 0, "{text}");
                    let holes = ["  ", "of are", "for,", "of,", "those of \n"];
                    assert!(!holes.iter().any(|hole| text.contains(hole)), "{text}");
                    assert!(!text.ends_with([' ', ',']), "{text}");
                }
            }
        }
    }
}
