//! Property test: differences of all variables of random programs, against random runs of a
//! machine. For the position of every instance there is a node whose bounds hold.

use cfsm_core::ids::Id;
use cfsm_core::program::{
    Action, Binary, EdgeId, Expression, Pattern, Place, Program, Type, Unary, VariableRef,
};

use crate::Options;
use crate::analysis::{Analysis, analyse};
use crate::contexts::{ContextId, NodeId};
use crate::scenarios::machine::{Dice, Machine};
use crate::testing::{
    ProcessBuilder, ProgramBuilder, assign, constant, global, into, process, receive, send,
};
use crate::zones::{State, Zones, choice};

const PROGRAMS: u64 = 4_000;
const RUNS: usize = 3;
const STEPS: usize = 60;
const INSTANCES: usize = 6;
const LINES: usize = 6;

/// The variables that a process can name.
struct Names {
    numbers: Vec<VariableRef>,
    channel: VariableRef,
}

fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

/// Mostly small; at times where types end.
fn number(dice: &mut Dice) -> Expression {
    let ends = [255, 256, -1, 32_767, -32_768, 2_147_483_647, -2_147_483_648, 4_294_967_295];
    let small = i64::try_from(dice.roll(6)).unwrap() - 1;
    constant(if dice.roll(12) == 0 { dice.pick(&ends) } else { small })
}

fn variable(dice: &mut Dice, names: &Names) -> Expression {
    global(dice.pick(&names.numbers))
}

/// A variable, mostly with a number added.
fn term(dice: &mut Dice, names: &Names) -> Expression {
    let variable = variable(dice, names);
    match dice.roll(4) {
        0 => binary(Binary::Add, variable, number(dice)),
        1 => binary(Binary::Subtract, variable, number(dice)),
        2 if dice.roll(3) == 0 => binary(Binary::Add, number(dice), variable),
        _ => variable,
    }
}

fn condition(dice: &mut Dice, names: &Names, depth: usize) -> Expression {
    use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    if depth > 0 && dice.roll(3) == 0 {
        let left = condition(dice, names, depth - 1);
        return match dice.roll(3) {
            0 => Expression::Unary(Unary::Not, Box::new(left)),
            one => binary([And, Or][one - 1], left, condition(dice, names, depth - 1)),
        };
    }
    let operator = dice.pick(&[Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]);
    let right = if dice.roll(3) == 0 { number(dice) } else { term(dice, names) };
    binary(operator, term(dice, names), right)
}

fn action(dice: &mut Dice, names: &Names, may_create: bool) -> Action {
    let target = dice.pick(&names.numbers);
    match dice.roll(16) {
        0..5 => Action::Condition(condition(dice, names, 2)),
        5..8 => assign(target, term(dice, names)),
        8 => assign(target, number(dice)),
        9 | 10 => assign(target, binary(Binary::Subtract, global(target), constant(1))),
        11 => assign(target, binary(Binary::Add, global(target), constant(1))),
        12 => assign(
            target,
            binary(dice.pick(&[Binary::Add, Binary::Subtract]), term(dice, names), variable(dice, names)),
        ),
        13 => send(names.channel, vec![term(dice, names)]),
        14 => receive(names.channel, vec![into(target)]),
        _ if may_create => Action::Create {
            process_type: Id::new(1),
            arguments: vec![term(dice, names)],
            priority: None,
            result: (dice.roll(3) == 0).then(|| Place::scalar(target)),
        },
        _ => receive(names.channel, vec![Pattern::Match(term(dice, names))]),
    }
}

/// A loop whose guard reads a copy of a variable that a statement in the loop counts.
fn guarded(dice: &mut Dice, p: &mut ProcessBuilder, names: &Names) {
    let (copy, counted) = (dice.pick(&names.numbers), dice.pick(&names.numbers));
    let bound = if dice.roll(2) == 0 { number(dice) } else { variable(dice, names) };
    let down = dice.roll(2) == 0;
    let (asked, step) = if down { (Binary::Greater, Binary::Subtract) } else { (Binary::Less, Binary::Add) };
    p.edge(1, Action::Condition(binary(asked, global(copy), bound)), 2);
    p.edge(2, assign(counted, binary(step, global(counted), constant(1))), 3);
    p.edge(3, assign(copy, global(counted)), 1);
}

fn fill(dice: &mut Dice, p: &mut ProcessBuilder, names: &Names, may_create: bool) {
    let mut first = 1;
    if dice.roll(2) == 0 {
        guarded(dice, p, names);
        if dice.roll(2) == 0 {
            return;
        }
        first += dice.roll(LINES - 1);
    }
    for line in first..LINES {
        for _ in 0..=dice.roll(2) {
            let target = if dice.roll(4) == 0 { dice.roll(LINES) } else { line % (LINES - 1) + 1 };
            p.edge(line, action(dice, names, may_create), target);
        }
        if dice.roll(3) == 0 {
            p.edge(line, Action::Else, line % (LINES - 1) + 1);
        }
    }
}

fn ty(dice: &mut Dice) -> Type {
    dice.pick(&[
        Type::Int,
        Type::Int,
        Type::Byte,
        Type::Byte,
        Type::Short,
        Type::Bit,
        Type::Unsigned(2),
        Type::Pid,
    ])
}

/// One or two kinds of process over two globals and a channel; at times one of them creates the
/// other.
fn program(dice: &mut Dice) -> Program {
    let mut b = ProgramBuilder::new();
    let globals: Vec<VariableRef> = ["g", "h"].iter().map(|name| b.global(name, ty(dice))).collect();
    let channel = b.channel("c", 3, &[ty(dice)]);
    let creates = dice.roll(3) == 0;
    let mut p = process("P");
    let mut numbers = globals.clone();
    numbers.extend(["x", "y"].map(|name| p.local(name, ty(dice))));
    fill(dice, &mut p, &Names { numbers, channel }, creates);
    b.active(p, u32::try_from(1 + dice.roll(4) / 3).unwrap());
    let mut q = process("Q");
    let mut numbers = globals[..1 + dice.roll(2)].to_vec();
    numbers.push(if creates { q.parameter("n", ty(dice)) } else { q.local("n", ty(dice)) });
    fill(dice, &mut q, &Names { numbers, channel }, false);
    if creates {
        b.add(q);
    } else {
        b.active(q, u32::try_from(1 + dice.roll(4) / 3).unwrap());
    }
    b.finish()
}

/// The values of the variables of a context, in the order of columns, for an instance.
fn values(zones: &Zones<'_>, machine: &Machine<'_>, who: usize) -> Vec<i64> {
    let instance = &machine.instances[who];
    let columns = &zones.columns[instance.process_type];
    let value = |variable| match variable {
        VariableRef::Global(id) => machine.globals[Id::index(id)][0],
        VariableRef::Local(id) => instance.locals[Id::index(id)][0],
    };
    columns.iter().map(|column| value(column.variable)).collect()
}

/// Returns `true` if the state of an instance is included in a node of a context of its type.
fn is_somewhere(analysis: &Analysis<'_>, zones: &Zones<'_>, machine: &Machine<'_>, who: usize) -> bool {
    let instance = &machine.instances[who];
    let values = values(zones, machine, who);
    let columns = &zones.columns[instance.process_type];
    let holds = |context: ContextId, node: NodeId| {
        zones.state(context, node).is_some_and(|State { matrix, cells }| {
            let mut single = columns.iter().zip(&values);
            matrix.holds(&values)
                && single.all(|(column, value)| cells[column.position].numbers.contains(*value))
        })
    };
    let of_type =
        analysis.contexts.iter().filter(|(_, context)| context.process_type == instance.process_type);
    of_type.into_iter().any(|(id, context)| {
        let mut there = context.nodes.iter().filter(|(_, node)| node.location == instance.at);
        there.any(|(node, _)| holds(id, node))
    })
}

/// Runs a program once. Returns the number of checked instance states.
fn check(program: &Program, analysis: &Analysis<'_>, zones: &Zones<'_>, dice: &mut Dice) -> usize {
    let mut machine = Machine::new(program, false);
    let mut checked = 0;
    for _ in 0..STEPS {
        for who in 0..machine.instances.len() {
            assert!(
                is_somewhere(analysis, zones, &machine, who),
                "{who} at {:?} holds {:?} in\n{program:#?}",
                machine.instances[who].at,
                values(zones, &machine, who)
            );
            checked += 1;
        }
        let who = dice.roll(machine.instances.len());
        let (process_type, at) = (machine.instances[who].process_type, machine.instances[who].at);
        let edges = program.types[process_type].edges.iter();
        let leaving: Vec<EdgeId> = edges.filter(|(_, edge)| edge.source == at).map(|(id, _)| id).collect();
        if leaving.is_empty() || machine.instances.len() > INSTANCES {
            break;
        }
        if machine.step(who, dice.pick(&leaving), dice).is_err() {
            break;
        }
    }
    checked
}

/// Numbers of nodes at which the zones are more precise than the value sets: about a variable, and
/// about a difference of two.
fn bites(analysis: &Analysis<'_>, zones: &Zones<'_>) -> [usize; 2] {
    let mut bites = [0; 2];
    for (id, context) in analysis.contexts.iter() {
        let columns = &zones.columns[context.process_type];
        for (node, known) in context.nodes.iter() {
            let Some(State { matrix, cells }) = zones.state(id, node) else { continue };
            bites[0] += usize::from(cells != known.cells);
            let related = |x: usize, y: usize| {
                let (most, least) = (matrix.ends(x).1, matrix.ends(y).0);
                x != y && matrix.bound(x, y).is_some_and(|bound| bound < most.saturating_sub(least))
            };
            let mut pairs = (1..=columns.len()).flat_map(|x| (1..=columns.len()).map(move |y| (x, y)));
            bites[1] += usize::from(pairs.any(|(x, y)| related(x, y)));
        }
    }
    bites
}

#[test]
fn bounds_hold_wherever_a_run_gets() {
    let (mut checked, mut too_long, mut all) = (0, 0, [0; 2]);
    for seed in 0..PROGRAMS {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.roll(2);
        let program = program(&mut dice);
        let options = match seed % 3 {
            0 => Options::default(),
            1 => Options { values: 3, ..Options::default() },
            _ => Options { contexts_per_type: 1, values: 8, ..Options::default() },
        };
        let analysis = analyse(&program, &options).unwrap();
        // A process may create very many others.
        let Some(zones) = Zones::find(&analysis, choice::all(&analysis)) else {
            too_long += 1;
            continue;
        };
        let bites = bites(&analysis, &zones);
        all.iter_mut().zip(bites).for_each(|(all, new)| *all += new);
        for _ in 0..RUNS {
            checked += check(&program, &analysis, &zones, &mut dice);
        }
    }
    assert!(too_long * 100 < PROGRAMS, "{too_long}");
    assert!(checked > 500_000 && all[0] > 500 && all[1] > 1_000, "{checked} states, {all:?}");
}
