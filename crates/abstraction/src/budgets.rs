//! Budgets: amounts that instances of a process type have, and that their statements change.
//!
//! Whoever names a budget vouches for it: no run of the program takes more than there is. A budget
//! becomes a data place per class of the process type, to which each instance brings its start.

use std::collections::BTreeMap;

use cfsm_core::program::{EdgeId, ProcessTypeId};
use cfsm_core::system::{ClassId, DataChange, DataPlace};

use crate::Abstraction;
use crate::naming::unique;

/// An amount of something that each instance of a process type has: what it begins with and what
/// its statements add, less what they take, is never below 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The loop that it is an amount of rounds of, or another thing that turns, for people.
    pub name: String,
    /// The process type that has it.
    pub process_type: ProcessTypeId,
    /// The amount that a new instance has.
    pub start: i64,
    /// The change by each statement, where that is not 0. Statements of other types change the
    /// amounts of all instances together.
    pub changes: BTreeMap<(ProcessTypeId, EdgeId), i64>,
}

impl Abstraction {
    /// Adds a data place for each budget and each class of its process type, unless a number is too
    /// large. Time linear in transitions, for each budget.
    #[must_use]
    pub fn with_budgets(mut self, budgets: &[Budget]) -> Self {
        self.precision.budgets.extend_from_slice(budgets);
        let mut taken = self.system.data.values().map(|place| place.name.clone()).collect();
        for budget in budgets {
            let classes = self.process_types.iter().filter(|(_, of)| **of == budget.process_type);
            let classes: Vec<ClassId> = classes.map(|(class, _)| class).collect();
            for class in classes {
                let name = format!("rounds of {} of {}", budget.name, self.system.classes[class].name);
                self.add_budget(budget, class, unique(name, &mut taken));
            }
        }
        self
    }

    fn add_budget(&mut self, budget: &Budget, class: ClassId, name: String) {
        let instances = self.system.classes[class].instances;
        let Some(start) = u64::try_from(budget.start).ok().and_then(|one| one.checked_mul(instances.into()))
        else {
            return;
        };
        let place = self.system.data.push(DataPlace::new(name, start));
        for (id, statements) in self.statements.iter() {
            let is_of_class = self.system.class_of(id) == class;
            let counts = |(ty, _): &&(ProcessTypeId, EdgeId)| is_of_class || *ty != budget.process_type;
            let changes = statements.iter().filter(counts);
            let changes = changes.map(|statement| budget.changes.get(statement).copied().unwrap_or(0));
            let change = changes.max().unwrap_or(0);
            let created = self.system.transitions[id].creates.iter().filter(|created| **created == class);
            let brought: i64 = created.map(|_| budget.start).sum();
            if change + brought != 0 {
                self.system.transitions[id].data.push(DataChange { place, change: change + brought });
            }
        }
    }
}
