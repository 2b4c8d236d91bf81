//! Proofs in the words of certificates: variables, states and data places by name.

use certificate::{Amount, Changed, Multiple, Quantity, Reason, Sum, Variable, Way};
use cfsm_core::ids::Id;
use cfsm_core::program::VariableRef;
use num_bigint::BigInt;

use super::{Ground, Kept, Machine, Proved, Shown};
use crate::affine::{Affine, Interval, Symbol};
use crate::blocks::{Block, PointId};
use crate::reasons::Multipliers;
use crate::variables::Tracked;

/// Names for symbols and states.
pub(super) struct Named<'a> {
    ground: &'a Ground<'a>,
    kept: &'a Kept,
    variables: Vec<String>,
}

impl<'a> Named<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, kept: &'a Kept) -> Self {
        let Machine { program, class, process_types, .. } = *ground.machine;
        let name = |one: &Tracked| match (one.reference, class) {
            (VariableRef::Local(_), Some(class)) => {
                program.variable(process_types[class], one.reference).name.clone()
            }
            (VariableRef::Global(id) | VariableRef::Local(id), _) => program.globals[id].name.clone(),
        };
        let mut variables: Vec<String> = Vec::new();
        for name in ground.blocks.variables.iter().map(name) {
            let again = variables.iter().filter(|other| other.split('#').next() == Some(&name)).count();
            variables.push(if again == 0 { name } else { format!("{name}#{}", again + 1) });
        }
        Self { ground, kept, variables }
    }

    fn name(&self, symbol: Symbol) -> String {
        let known = self.variables.get(symbol.index()).cloned();
        known.unwrap_or_else(|| format!("?{}", symbol.index() - self.variables.len() + 1))
    }

    fn variable(&self, symbol: Symbol, range: Interval, at_start: Option<Interval>) -> Variable {
        let range_of = |Interval { low, high }: Interval| certificate::Range {
            least: low.into(),
            greatest: high.into(),
        };
        let at_start = at_start.filter(|first| *first != range).map(range_of);
        Variable { name: self.name(symbol), range: range_of(range), at_start }
    }

    pub(super) fn variables(&self) -> Vec<Variable> {
        let all = self.ground.blocks.variables.iter().enumerate();
        all.map(|(at, one)| self.variable(Symbol::new(at), one.range, Some(one.initial))).collect()
    }

    pub(super) fn sum(&self, value: &Affine) -> Sum {
        let terms = value.terms.iter().map(|(symbol, factor)| (self.name(*symbol), (*factor).into()));
        Sum { terms: terms.collect(), constant: value.constant.into() }
    }

    pub(super) fn way(&self, block: &Block, reasons: Vec<Reason>) -> Way {
        let count = self.variables.len();
        let unknown = block.symbols.iter().filter(|(symbol, _)| symbol.index() >= count);
        let changed = block.update.iter().enumerate();
        let changed = changed.filter(|(at, value)| **value != Affine::symbol(Symbol::new(*at)));
        Way {
            unknown: unknown.map(|(symbol, range)| self.variable(symbol, *range, None)).collect(),
            conditions: block.rows.iter().map(|row| self.sum(row)).collect(),
            changed: changed.map(|(at, value)| self.changed(at, value)).collect(),
            reasons,
        }
    }

    fn changed(&self, at: usize, value: &Affine) -> Changed {
        Changed { variable: self.variables[at].clone(), behind: self.sum(value) }
    }

    /// A reason about a block, with the positions that invariants have among those that are kept.
    pub(super) fn reason(&self, reason: &Multipliers, block: &Block) -> Reason {
        self.renumbered(reason, block.source, Ground::first_invariant(block))
    }

    fn renumbered(
        &self,
        Multipliers { factor, parts }: &Multipliers,
        point: PointId,
        first: usize,
    ) -> Reason {
        let position = |at: usize| match at.checked_sub(first) {
            Some(invariant) => first + self.kept.at(point).take_while(|kept| *kept < invariant).count(),
            None => at,
        };
        let multiple = |(at, times): (&usize, &BigInt)| Multiple { of: position(*at), times: times.clone() };
        Reason { factor: factor.clone(), parts: parts.iter().map(multiple).collect() }
    }

    pub(super) fn quantity(&self, proved: &Proved) -> Quantity {
        let system = self.ground.machine.system;
        let is_something = |(_, shown): &(&PointId, &Shown)| shown.amount != Affine::default();
        let amount = |(point, shown): (&PointId, &Shown)| {
            let reason = self.renumbered(&shown.reason, *point, 2 * self.variables.len());
            let state = self.ground.states[*point].map(|state| system.state_name(state));
            Amount { state, sum: self.sum(&shown.amount), reason }
        };
        Quantity {
            place: system.data[proved.place].name.clone(),
            denominator: proved.denominator.into(),
            amounts: proved.amounts.iter().filter(is_something).map(amount).collect(),
        }
    }
}
