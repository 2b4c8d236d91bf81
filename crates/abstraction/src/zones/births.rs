//! What new instances find, and what they start with.

use std::collections::BTreeMap;

use cfsm_core::program::{EdgeId, VariableId, VariableRef};

use super::matrix::Matrix;
use super::{Ends, Zones, hull};
use crate::contexts::{Birth, ContextId, NodeId};
use crate::step::{Deed, Step};

/// What a new instance of a context finds in globals.
pub(super) type Births = BTreeMap<VariableId, Ends>;

impl Zones<'_> {
    /// Those that exist at the start find what globals hold then.
    pub(super) fn add_initial(&mut self) {
        let analysis = self.analysis;
        let start = |id: &VariableId| {
            let start = &analysis.start[analysis.layout.globals[*id].start];
            (*id, start.numbers.bounds().unwrap_or((i64::MIN, i64::MAX)))
        };
        let births: Births = self.shared.iter().map(start).collect();
        for (id, context) in analysis.contexts.iter() {
            if matches!(context.birth, Birth::Initial(_)) {
                self.give_birth(id, &births);
            }
        }
    }

    /// Notes what globals may hold when an instance of a context comes into being.
    pub(super) fn give_birth(&mut self, context: ContextId, births: &Births) {
        let mut grown = !self.births.contains_key(&context);
        let known = self.births.entry(context).or_default();
        for (global, ends) in births {
            let all = known.entry(*global).or_insert(*ends);
            let joined = hull(*all, *ends);
            grown |= joined != *all;
            *all = joined;
        }
        if grown {
            self.dirty.insert(context);
        }
    }

    /// What a new instance of a context starts with.
    pub(super) fn entry(&self, id: ContextId, births: &Births) -> Option<Matrix> {
        let columns = &self.columns[self.analysis.contexts[id].process_type];
        let cells = self.analysis.entry(id, &self.analysis.around(id));
        let mut matrix = Matrix::any(columns.len());
        for (at, column) in columns.iter().enumerate() {
            let ends = match column.variable {
                VariableRef::Global(global) => *births.get(&global)?,
                VariableRef::Local(_) => cells[column.position].numbers.bounds()?,
            };
            matrix.within(at + 1, ends);
        }
        matrix.close().then_some(matrix)
    }

    /// Notes what a step that creates a process leaves to it. Its locals are initialised before the
    /// result of `run` is stored, but it steps behind that.
    pub(super) fn create(
        &mut self,
        (id, node): (ContextId, NodeId),
        edge: EdgeId,
        step: &Step,
        behind: &Matrix,
    ) {
        let Deed::Create { .. } = step.deed else { return };
        let context = &self.analysis.contexts[id];
        let Some(&child) = context.children.get(&(node, edge)) else { return };
        // Of a global that the creator does not name, what there was when it came into being
        // itself.
        let Some(mut births) = self.births.get(&id).cloned() else { return };
        for (at, column) in self.columns[context.process_type].iter().enumerate() {
            if let VariableRef::Global(global) = column.variable {
                births.insert(global, behind.ends(at + 1));
            }
        }
        self.give_birth(child, &births);
    }
}
