//! Initial differences of new instances: the globals that they find, and the values of their
//! locals.

use std::collections::BTreeMap;

use cfsm_core::program::{EdgeId, VariableId, VariableRef};

use super::matrix::Matrix;
use super::{Ends, Zones, hull};
use crate::contexts::{Birth, ContextId, NodeRef};
use crate::step::{Effect, Step};

/// The intervals of globals when an instance of a context is created.
pub(super) type Births = BTreeMap<VariableId, Ends>;

impl Zones<'_> {
    /// Adds the instances that exist at the start, which find the initial values of globals.
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

    /// Joins the intervals of globals at the creation of an instance of a context.
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

    /// The initial matrix of a new instance of a context; `None` if it is empty.
    pub(super) fn entry(&self, id: ContextId, births: &Births) -> Option<Matrix> {
        let columns = &self.columns[self.analysis.contexts[id].process_type];
        let cells = self.analysis.entry(id, &self.analysis.around(id));
        let mut matrix = Matrix::any(columns.len());
        for (at, column) in columns.iter().enumerate() {
            let ends = match column.variable {
                VariableRef::Global(global) => *births.get(&global)?,
                VariableRef::Local(_) => cells[column.position].numbers.bounds()?,
            };
            let (least, most) = ends;
            matrix.within(at + 1, least, most);
        }
        matrix.close().then_some(matrix)
    }

    /// Records the globals that a created process finds. Its locals are initialised before the
    /// result of `run` is stored, but it executes statements after that.
    pub(super) fn create(&mut self, at: NodeRef, edge: EdgeId, step: &Step, behind: &Matrix) {
        let Effect::Create { .. } = step.effect else { return };
        let context = &self.analysis.contexts[at.context];
        let Some(&child) = context.children.get(&(at.node, edge)) else { return };
        // A global that the creator does not name has the value that it had when the creator was
        // created.
        let Some(mut births) = self.births.get(&at.context).cloned() else { return };
        for (place, column) in self.columns[context.process_type].iter().enumerate() {
            if let VariableRef::Global(global) = column.variable {
                births.insert(global, behind.ends(place + 1));
            }
        }
        self.give_birth(child, &births);
    }
}
