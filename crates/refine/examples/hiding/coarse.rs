//! The coarse program.

use std::collections::BTreeSet;

use cfsm_core::ids::{Id, IdMap};
use cfsm_core::program::{
    Action, Edge, EdgeId, Expression, Initializer, Pattern, Place, ProcessTypeId, Program, Type, VariableId,
};

use super::constants::Constants;
use super::rebuild::{Partners, Ways, rebuild};
use super::weaken::{Known, buffers};
use super::{Declared, Kept, each_variable, owner};

/// Most edges for one statement.
const MOST_WAYS: usize = 32;

/// A program without what some variables hold.
#[derive(Clone, Debug)]
pub struct Coarse {
    /// The program: the same variables, locations and channels.
    pub program: Program,
    /// For each type and edge of it, the edge that it is of the original.
    pub origins: IdMap<ProcessTypeId, IdMap<EdgeId, EdgeId>>,
}

/// What becomes of the `d_step`s of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DSteps {
    /// They stay, if nothing is hidden in them.
    Whole,
    /// Each is an `atomic`, so that runs of more and less coarse programs have the same steps.
    Apart,
}

/// The program without what variables hold that are not wanted; what is needed to say what those
/// hold that are, is kept too. `None`: it asks for more than values and queues.
pub fn coarse(program: &Program, wanted: &Kept, d_steps: DSteps) -> Option<Coarse> {
    if !is_fit(program) {
        return None;
    }
    let constants = Constants::of(program);
    let mut kept = wanted.clone();
    each_variable(program, &mut |declared, variable| {
        if variable.ty == Type::Channel {
            kept.insert(declared);
        }
    });
    let buffers = buffers(program);
    loop {
        let mut maker = Maker {
            program,
            d_steps,
            constants: &constants,
            buffers: &buffers,
            kept: &kept,
            missing: BTreeSet::new(),
            needed: BTreeSet::new(),
        };
        maker.need_fields();
        let (made, origins) = maker.make();
        let missing = maker.missing;
        if missing.is_empty() {
            return Some(Coarse { program: made, origins });
        }
        kept.extend(missing);
    }
}

fn is_fit(program: &Program) -> bool {
    let strange = |e: &Expression| {
        e.any(&mut |part| {
            matches!(
                part,
                Expression::NonProgress
                    | Expression::Last
                    | Expression::Enabled(_)
                    | Expression::ProgramCounter(_)
                    | Expression::Priority(_)
                    | Expression::RemoteRead { .. }
                    | Expression::AtLocation { .. }
                    | Expression::Opaque(_)
            )
        })
    };
    let mut fit = !program.whole_steps;
    each_variable(program, &mut |_, variable| fit &= !variable.init.expressions().iter().any(strange));
    fit && program.types.values().all(|ty| {
        ty.provided.is_none()
            && ty.priority.is_none()
            && ty.edges.values().all(|edge| {
                // A condition may hold at any time; what `timeout` says elsewhere is not known.
                let any_time = matches!(edge.action, Action::Condition(_));
                let asks = |e: &Expression| {
                    strange(e) || (!any_time && e.any(&mut |part| *part == Expression::Timeout))
                };
                !edge.action.expressions().into_iter().any(asks)
                    && !matches!(
                        edge.action,
                        Action::SetPriority { .. }
                            | Action::Opaque { .. }
                            | Action::Create { priority: Some(_), .. }
                            | Action::Send { sorted: true, .. }
                    )
            })
    })
}

struct Maker<'a> {
    d_steps: DSteps,
    program: &'a Program,
    constants: &'a Constants,
    buffers: &'a BTreeSet<VariableId>,
    kept: &'a Kept,
    missing: BTreeSet<Declared>,
    /// Fields that somebody looks at or keeps: kind and position.
    needed: BTreeSet<(Option<i64>, usize)>,
}

impl Maker<'_> {
    fn known(&self, ty: ProcessTypeId) -> Known<'_> {
        Known { kept: self.kept, buffers: self.buffers, process_type: ty }
    }

    /// All variables that an expression reads are missing that are hidden.
    fn miss(&mut self, ty: ProcessTypeId, expression: &Expression) {
        let kept = self.kept;
        let missing = &mut self.missing;
        let _ = expression.any(&mut |part| {
            if let Expression::Read(place) = part {
                let declared = owner(ty, place.variable);
                if !kept.contains(&declared) {
                    missing.insert(declared);
                }
            }
            false
        });
    }

    fn miss_index(&mut self, ty: ProcessTypeId, place: &Place) {
        if let Some(index) = &place.index {
            self.miss(ty, index);
        }
    }

    /// Fields of messages that are looked at.
    fn need_fields(&mut self) {
        let mut needed = BTreeSet::new();
        for (ty, process) in self.program.types.iter() {
            let known = self.known(ty);
            let mut see = |patterns: &[Pattern], always: bool| {
                let first = match patterns.first() {
                    Some(Pattern::Match(first)) => Some(first),
                    _ => None,
                };
                let kind = self.constants.kind(first);
                for (at, pattern) in patterns.iter().enumerate() {
                    let looks = match pattern {
                        Pattern::Any => false,
                        Pattern::Store(place) => known.keeps(place),
                        Pattern::Match(value) => always || known.is_known(value),
                    };
                    if looks {
                        needed.insert((kind.filter(|_| at > 0), at));
                    }
                }
            };
            for edge in process.edges.values() {
                if let Action::Receive { patterns, random, .. } = &edge.action {
                    see(patterns, *random);
                }
                for expression in edge.action.expressions() {
                    let _ = expression.any(&mut |part| {
                        if let Expression::Poll { patterns, .. } = part {
                            see(patterns, true);
                        }
                        false
                    });
                }
            }
        }
        self.needed = needed;
    }

    fn is_needed(&self, kind: Option<i64>, at: usize) -> bool {
        self.needed.iter().any(|(wanted, position)| {
            *position == at && (kind.is_none() || wanted.is_none() || *wanted == kind)
        })
    }

    fn make(&mut self) -> (Program, IdMap<ProcessTypeId, IdMap<EdgeId, EdgeId>>) {
        let mut program = self.program.clone();
        self.initials(&mut program);
        let all: Vec<(ProcessTypeId, Vec<Ways>)> = self
            .program
            .types
            .iter()
            .map(|(ty, process)| (ty, process.edges.values().map(|edge| self.ways(ty, edge)).collect()))
            .collect();
        let changes = |ways: &Ways, edge: &Edge, is: fn(&Action) -> bool| {
            is(&edge.action) && (ways.weaker || ways.actions.len() > 1)
        };
        let any = |is: fn(&Action) -> bool| {
            all.iter().any(|(ty, ways)| {
                ways.iter()
                    .zip(self.program.types[*ty].edges.values())
                    .any(|(ways, edge)| changes(ways, edge, is))
            })
        };
        // Who offers more in a rendezvous lets its partner do more.
        let partners = Partners {
            receive: any(|action| matches!(action, Action::Receive { .. })),
            send: any(|action| matches!(action, Action::Send { .. })),
        };
        let origins = all
            .into_iter()
            .map(|(ty, ways)| {
                let (process, origins) = rebuild(&program.types[ty], ways, partners, self.d_steps);
                program.types[ty] = process;
                origins
            })
            .collect();
        (program, origins)
    }

    fn initials(&mut self, program: &mut Program) {
        let change = |this: &mut Self, declared: Declared, init: &mut Initializer| {
            let ty = declared.0.unwrap_or_else(|| ProcessTypeId::new(0));
            if this.kept.contains(&declared) {
                for value in init.expressions() {
                    if !this.known(ty).is_known(value) {
                        this.miss(ty, value);
                    }
                }
            } else if matches!(init, Initializer::Value(_) | Initializer::List(_)) {
                *init = Initializer::Zero;
            }
        };
        for (id, variable) in program.globals.iter_mut() {
            change(self, (None, id), &mut variable.init);
        }
        for (ty, process) in program.types.iter_mut() {
            for (id, variable) in process.locals.iter_mut() {
                change(self, (Some(ty), id), &mut variable.init);
            }
        }
    }

    fn ways(&mut self, ty: ProcessTypeId, edge: &Edge) -> Ways {
        match &edge.action {
            Action::Condition(condition) if !self.known(ty).is_known(condition) => {
                Ways { actions: vec![Action::Condition(self.known(ty).weaker(condition))], weaker: true }
            }
            Action::Assert(_) | Action::Print { .. } => Ways::skip(),
            Action::Assign { target, .. } if !self.known(ty).keeps(target) => Ways::skip(),
            Action::Assign { target, value } => {
                self.miss_index(ty, target);
                let values = self.any_of(ty, value);
                Ways {
                    actions: values
                        .into_iter()
                        .map(|value| Action::Assign { target: target.clone(), value })
                        .collect(),
                    weaker: false,
                }
            }
            Action::Send { channel, fields, sorted } => self.send(ty, channel, fields, *sorted),
            Action::Receive { channel, patterns, random, peek } => {
                self.receive(ty, channel, patterns, *random, *peek)
            }
            Action::Create { process_type, arguments, result, priority } => {
                let parameters: Vec<VariableId> = self.program.types[*process_type].locals.ids().collect();
                let arguments = arguments
                    .iter()
                    .zip(parameters)
                    .map(|(argument, parameter)| {
                        if self.kept.contains(&(Some(*process_type), parameter)) {
                            self.miss(ty, argument);
                            argument.clone()
                        } else {
                            Expression::Constant(0)
                        }
                    })
                    .collect();
                let result = result.clone().filter(|place| self.known(ty).keeps(place));
                if let Some(place) = &result {
                    self.miss_index(ty, place);
                }
                Ways::one(Action::Create {
                    process_type: *process_type,
                    arguments,
                    result,
                    priority: *priority,
                })
            }
            action => Ways::same(action),
        }
    }

    /// The value of an expression, or all that it may have.
    fn any_of(&mut self, ty: ProcessTypeId, value: &Expression) -> Vec<Expression> {
        if self.known(ty).is_known(value) {
            return vec![value.clone()];
        }
        match self.constants.values(ty, value) {
            Some(values) => values.into_iter().map(Expression::Constant).collect(),
            None => {
                self.miss(ty, value);
                vec![value.clone()]
            }
        }
    }

    fn send(&mut self, ty: ProcessTypeId, channel: &Expression, fields: &[Expression], sorted: bool) -> Ways {
        self.miss(ty, channel);
        let kind = self.constants.kind(fields.first());
        let mut all: Vec<Vec<Expression>> = vec![Vec::new()];
        for (at, field) in fields.iter().enumerate() {
            let values =
                if self.is_needed(kind, at) { self.any_of(ty, field) } else { vec![Expression::Constant(0)] };
            all = all
                .into_iter()
                .flat_map(|before| {
                    values
                        .iter()
                        .map(move |value| {
                            let mut with = before.clone();
                            with.push(value.clone());
                            with
                        })
                        .collect::<Vec<_>>()
                })
                .collect();
            if all.len() > MOST_WAYS {
                self.miss(ty, field);
                all.truncate(1);
            }
        }
        Ways {
            actions: all
                .into_iter()
                .map(|fields| Action::Send { channel: channel.clone(), fields, sorted })
                .collect(),
            weaker: false,
        }
    }

    fn receive(
        &mut self,
        ty: ProcessTypeId,
        channel: &Expression,
        patterns: &[Pattern],
        random: bool,
        peek: bool,
    ) -> Ways {
        self.miss(ty, channel);
        let mut weaker = false;
        let patterns = patterns
            .iter()
            .map(|pattern| match pattern {
                Pattern::Any => Pattern::Any,
                Pattern::Store(place) if self.known(ty).keeps(place) => {
                    self.miss_index(ty, place);
                    pattern.clone()
                }
                Pattern::Store(_) => Pattern::Any,
                Pattern::Match(value) if self.known(ty).is_known(value) => pattern.clone(),
                Pattern::Match(value) if random => {
                    self.miss(ty, value);
                    pattern.clone()
                }
                Pattern::Match(_) => {
                    weaker = true;
                    Pattern::Any
                }
            })
            .collect();
        Ways { actions: vec![Action::Receive { channel: channel.clone(), patterns, random, peek }], weaker }
    }
}
