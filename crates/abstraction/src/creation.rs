//! Creation of contexts: for initial processes, and for those that statements create.

use std::collections::BTreeMap;
use std::rc::Rc;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{Action, Binary, EdgeId, Expression, ProcessType, ProcessTypeId, Type};

use crate::analysis::{Analysis, Coarser, Site};
use crate::arithmetic;
use crate::contexts::{Birth, Context, ContextId, recursions};
use crate::evaluate::View;
use crate::initial::{self, Declared};
use crate::layout::{Cells, PROCESSES};
use crate::numbers::ValueSet;
use crate::values::Value;

impl Analysis<'_> {
    /// Adds contexts for the processes that exist at the start. The instances of one entry get
    /// contexts of their own if their type reads its process number.
    pub(crate) fn add_initial(&mut self) {
        let mut pid = 0_i64;
        let program = self.program;
        for initial in &program.initial {
            let process = &program.types[initial.process_type];
            let apart = asks_for_pid(process) && initial.count as usize <= self.options.contexts_per_type;
            let (entries, count) = if apart { (initial.count, 1) } else { (1, initial.count) };
            for _ in 0..entries {
                let last = pid + i64::from(count);
                if count > 0 {
                    let pids = ValueSet::between(pid, last - 1, self.options.values).into();
                    let zeros = vec![Value::zero(); process.parameters];
                    let globals = Rc::clone(&self.start);
                    self.add(initial.process_type, Birth::Initial(count), zeros, pids, globals);
                }
                pid = last;
            }
        }
    }

    /// Records that a context creates processes with these arguments and this process number, in
    /// the given state of the creator.
    pub(crate) fn create(
        &mut self,
        site: Site,
        process_type: ProcessTypeId,
        arguments: &[Value],
        pid: &Value,
        cells: &Cells,
    ) -> Result<(), Coarser> {
        let Site { context: creator, node, edge } = site;
        let globals = self.globals_behind(creator, cells);
        if let Some(&child) = self.contexts[creator].children.get(&(node, edge)) {
            self.join_birth(child, arguments, pid, &globals);
            return Ok(());
        }
        let child = match self.known_context(creator, edge, process_type, arguments)? {
            Some(child) => {
                if !std::mem::replace(&mut self.contexts[child].shared, true) {
                    self.contexts[child].news += 1;
                    self.dirty.insert(child);
                }
                self.join_birth(child, arguments, pid, &globals);
                child
            }
            None => {
                let birth = Birth::Created { parent: creator, node, edge };
                self.add(process_type, birth, arguments.to_vec(), pid.clone(), Rc::new(globals))
            }
        };
        self.contexts[creator].children.insert((node, edge), child);
        Ok(())
    }

    /// The values that the cells of all globals may have after a statement of a context, without
    /// interference of other contexts.
    fn globals_behind(&self, creator: ContextId, cells: &Cells) -> Cells {
        let creator = &self.contexts[creator];
        let frame = &self.layout.frames[creator.process_type];
        let mut globals = (*creator.globals).clone();
        for (&origin, cell) in frame.origins.iter().zip(&cells[frame.shared()]) {
            globals[origin] = Rc::clone(cell);
        }
        globals
    }

    /// The context that a create statement must reuse, because of recursion or because the type has
    /// as many contexts as the limit allows; `None` if a new one is to be made.
    fn known_context(
        &self,
        creator: ContextId,
        edge: EdgeId,
        process_type: ProcessTypeId,
        arguments: &[Value],
    ) -> Result<Option<ContextId>, Coarser> {
        let creator_type = self.contexts[creator].process_type;
        let recursive = self.coarseness.recursive.contains(&(creator_type, edge));
        let mut depth = 0;
        for known in recursions(&self.contexts, creator, edge) {
            let before = &self.contexts[known].arguments;
            if recursive || before.iter().zip(arguments).all(|(before, new)| before.includes(new)) {
                return Ok(Some(known));
            }
            depth += 1;
        }
        if depth >= self.options.recursion {
            return Err(Coarser::Recursion(creator_type, edge));
        }
        let created = |id: ContextId| matches!(self.contexts[id].birth, Birth::Created { .. });
        let by_created = |context: &Context| match context.birth {
            Birth::Created { parent, .. } => created(parent),
            Birth::Initial(_) => false,
        };
        // Contexts that are created by created contexts multiply, so they have a limit of their
        // own.
        let (alike, most) = match (created(creator), self.coarseness.crowded.contains(&process_type)) {
            (true, _) => (true, self.options.descendants_per_type),
            (false, true) => (false, self.options.descendants_per_type),
            (false, false) => (false, self.options.contexts_per_type),
        };
        let same = |(_, context): &(ContextId, &Context)| {
            context.process_type == process_type && by_created(context) == alike
        };
        let of_type = || self.contexts.iter().filter(same);
        if self.contexts.len() < most || of_type().count() < most.max(1) {
            return Ok(None);
        }
        match self.coarseness.crowded.contains(&process_type) {
            true => Ok(of_type().next_back().map(|(id, _)| id)),
            false => Err(Coarser::Crowd(process_type, alike)),
        }
    }

    fn join_birth(&mut self, id: ContextId, arguments: &[Value], pid: &Value, globals: &Cells) {
        let context = &mut self.contexts[id];
        let mut grown = self.widening.grow(&mut context.pid, pid);
        for (known, new) in context.arguments.iter_mut().zip(arguments) {
            grown |= self.widening.grow(known, new);
        }
        let news = |(known, new): &(&Rc<Value>, &Rc<Value>)| !Rc::ptr_eq(known, new) && !known.includes(new);
        if context.globals.iter().zip(globals).any(|pair| news(&pair)) {
            for (known, new) in Rc::make_mut(&mut context.globals).iter_mut().zip(globals) {
                if news(&(known, new)) {
                    self.widening.grow(Rc::make_mut(known), new);
                }
            }
            grown = true;
        }
        if grown {
            context.news += 1;
            self.dirty.insert(id);
        }
    }

    fn add(
        &mut self,
        process_type: ProcessTypeId,
        birth: Birth,
        arguments: Vec<Value>,
        pid: Value,
        globals: Rc<Cells>,
    ) -> ContextId {
        let id = ContextId::new(self.contexts.len());
        let declared: Declared =
            initial::declare_all(self.program, &mut self.objects, Some((id, process_type)));
        self.traffic.extend_to(self.objects.len());
        for &origin in &self.layout.frames[process_type].origins {
            self.interference.add_reader(origin, id);
        }
        self.singles.push(true);
        self.dirty.insert(id);
        self.contexts.push(Context {
            process_type,
            birth,
            shared: false,
            arguments,
            pid,
            globals,
            declared,
            children: BTreeMap::new(),
            nodes: IdMap::new(),
            around: Cells::new(),
            news: 0,
            index: BTreeMap::new(),
        })
    }

    /// The values that other contexts may put into the cells of a context's frame.
    pub(crate) fn around(&self, id: ContextId) -> Cells {
        let context = &self.contexts[id];
        let frame = &self.layout.frames[context.process_type];
        let several = self.several(id);
        let limit = self.options.values;
        let nothing = Rc::new(Value::empty());
        let mut around: Cells = vec![nothing; frame.cells];
        for (cell, &origin) in frame.shared().zip(&frame.origins) {
            around[cell] = Rc::new(self.interference.of_others(origin, id, several, limit));
        }
        // Processes with smaller numbers, and the process itself, live as long as the process does.
        let least = context.pid.numbers.bounds().map_or(1, |(low, _)| low.saturating_add(1));
        around[PROCESSES] = Rc::new(ValueSet::between(least, self.most_processes(), limit).into());
        around
    }

    /// The largest number of processes that may exist at a time. Unlike in Spin, it is not limited.
    fn most_processes(&self) -> i64 {
        let creates = |process: &ProcessType| {
            process.edges.values().into_iter().any(|edge| matches!(edge.action, Action::Create { .. }))
        };
        let any = self.program.types.values().into_iter().any(creates);
        if any { Type::Int.range().1 } else { self.at_start() }
    }

    /// The number of processes at the start.
    fn at_start(&self) -> i64 {
        self.program.initial.iter().map(|initial| i64::from(initial.count)).sum()
    }

    /// Returns `true` if all instances of a context exist at the start.
    pub(crate) fn is_initial(&self, id: ContextId) -> bool {
        let context = &self.contexts[id];
        matches!(context.birth, Birth::Initial(_)) && !context.shared
    }

    /// The state in which an instance of a context starts.
    pub(crate) fn entry(&self, id: ContextId, around: &Cells) -> Cells {
        let context = &self.contexts[id];
        let frame = &self.layout.frames[context.process_type];
        let (alone, limit) = (self.is_initial(id), self.options.values);
        let zero = Rc::new(Value::zero());
        let mut cells = vec![zero; frame.cells];
        // First, since initial values may read elements.
        for selection in &frame.selections {
            cells[selection.cell] = Rc::new(Value::any());
        }
        frame.private.iter().for_each(|queue| queue.clear(&mut cells));
        let own = arithmetic::binary(Binary::Add, &context.pid.numbers, &ValueSet::of(1), limit);
        cells[PROCESSES] = match alone {
            // Initial processes are added, and initialised, one after the other.
            true => Rc::new(own.into()),
            false => Rc::clone(&around[PROCESSES]),
        };
        for (cell, &origin) in frame.shared().zip(&frame.origins) {
            cells[cell] = Rc::clone(&context.globals[origin]);
            if !alone && !cells[cell].includes(&around[cell]) {
                cells[cell] = Rc::new(cells[cell].join(&around[cell], limit));
            }
        }
        let view = View {
            layout: &self.layout,
            start: &self.start,
            frame: Some(frame),
            cells: &[],
            pid: &context.pid,
            observers: self.observers,
            limit,
        };
        let process = &self.program.types[context.process_type];
        let mut cells = initial::locals(process, &view, &context.arguments, &context.declared, cells);
        if alone {
            cells[PROCESSES] = Rc::new(ValueSet::of(self.at_start()).into());
        }
        cells
    }
}

/// Returns `true` if the behaviour of a process may depend on its number.
pub(crate) fn asks_for_pid(process: &ProcessType) -> bool {
    let asks = |expression: &Expression| expression.any(&mut |inner| matches!(inner, Expression::Pid));
    let initial = process.locals.values().flat_map(|variable| variable.init.expressions());
    let is_relevant = |action: &Action| !matches!(action, Action::Print { .. } | Action::Assert(_));
    let mut actions = process.edges.values().map(|edge| &edge.action).filter(|action| is_relevant(action));
    actions.any(|action| action.expressions().into_iter().any(asks)) || initial.into_iter().any(asks)
}
