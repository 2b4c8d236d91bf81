//! The variables on which behaviour depends.

use std::collections::BTreeSet;

use crate::model::{AttributeId, Block, Condition, Machine, Step};

/// The variables that some condition of a machine depends on, in as many steps as may be:
/// conditions of transitions, and those in code that decide about sends, jumps and changes of such
/// variables.
pub(crate) fn relevant(machine: &Machine) -> BTreeSet<AttributeId> {
    let mut all = BTreeSet::new();
    for condition in machine.conditions() {
        if let Condition::When(value) = condition {
            value.collect_reads(&mut all);
        }
    }
    loop {
        let before = all.len();
        for block in machine.blocks() {
            add(block, &mut all);
        }
        if all.len() == before {
            return all;
        }
    }
}

fn add(block: &Block, all: &mut BTreeSet<AttributeId>) {
    for step in block {
        match step {
            Step::Assign { variable, value } if all.contains(variable) => value.collect_reads(all),
            Step::If { condition, .. } if decides(step, all) => condition.collect_reads(all),
            Step::Loop(known) if decides(step, all) => {
                known.condition.iter().for_each(|condition| condition.collect_reads(all));
            }
            _ => {}
        }
        step.blocks().into_iter().for_each(|block| add(block, all));
    }
}

/// True if it matters whether a step is executed.
fn decides(step: &Step, all: &BTreeSet<AttributeId>) -> bool {
    step.any(&mut |step| match step {
        Step::Send(_)
        | Step::Requeue
        | Step::Incarnate { .. }
        | Step::Break
        | Step::Continue
        | Step::Return => true,
        Step::Assign { variable, .. } => all.contains(variable),
        _ => false,
    })
}
