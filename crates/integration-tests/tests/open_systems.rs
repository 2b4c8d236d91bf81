//! Open systems: what is proved for every environment, held against runs with some of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use cfsm_core::ids::IdMap;
use cfsm_core::program::{
    Action, ChannelDeclaration, Expression, Initializer, Limit, ProcessType, ProcessTypeId, Program, Reading,
    Type, VariableId, VariableRef,
};
use cfsm_core::splitmix::SplitMix;
use closing::{Interface, close};
use explore::{Buffers, Claims, Limits, Options as RunOptions, Progress, Semantics};
use freeboard::report::view::{BufferVerdict, Check, Number, Verdict};
use freeboard::{
    Model, OpenChannels, Options, RangeAssumption, abstract_model, check_livelock, check_model, close_promela,
};
use integration_tests::comparison::corpus::{self, models, own_models};
use integration_tests::generator::{Profile, sample};
use integration_tests::service_programs::service_program;
use integration_tests::{given, say, short_or_long};

/// Channels of a model that are opened one by one.
const MOST_CHANNELS: usize = 4;
/// States of a run with an environment that are looked at.
const STATES: usize = 3_000;

/// The limits of a question.
fn options() -> Options {
    let mut options = Options { time_limit: Some(Duration::from_secs(5)), ..Options::default() };
    options.runs.search_states = 2_000;
    options.runs.exploration_states = 20_000;
    options
}

/// The answer about a program with its environment.
fn checked(program: &Program) -> Option<(Model, Check)> {
    let options = options();
    let model = abstract_model(program.clone(), &options).ok()?;
    let view = check_model(model.clone(), &options, Instant::now()).view("open");
    Some((model, view))
}

/// The most messages that each global channel holds in the states nearest to the start; `None` if
/// the program cannot be run.
struct Seen {
    maxima: BTreeMap<String, u32>,
    /// A cycle without progress in which a process other than the last type takes part.
    goes_round: bool,
}

fn seen(program: &Program, reading: Reading, environment: Option<ProcessTypeId>) -> Option<Seen> {
    let options =
        RunOptions { buffers: Buffers::Reading(reading), claims: Claims::Ignored, ..RunOptions::default() };
    let semantics = Semantics::new(program, &options).ok()?;
    let limits =
        Limits { states: Some(STATES), passed: Some(STATES * 10), progress: true, ..Limits::default() };
    let found = semantics.explore(&limits).ok()?;
    let mut maxima = BTreeMap::new();
    for (origin, most) in &found.maxima {
        if origin.process.is_none() {
            let name = program.globals[origin.variable].element_name(origin.element);
            maxima.insert(name, *most);
        }
    }
    let goes_round = match &found.progress {
        Progress::Cycle(lasso) => {
            let mut moves = lasso.cycle.steps.iter().flatten();
            moves.any(|step| Some(step.process_type) != environment)
        }
        _ => false,
    };
    Some(Seen { maxima, goes_round })
}

/// A reading in which open channels hold few messages, and others are unlimited or as declared.
fn reading(program: &Program, open: &BTreeSet<VariableId>, dice: &mut SplitMix) -> Reading {
    let mut reading = Reading::uniform(Limit::Unlimited);
    for channel in program.buffered_channels() {
        let is_open = channel.owner.is_none() && open.contains(&channel.variable);
        let few = u32::try_from(1 + dice.below(3)).ok().and_then(std::num::NonZeroU32::new);
        let limit = match few {
            Some(few) if is_open => Limit::Size(few),
            _ if dice.below(3) == 0 => Limit::Declared,
            _ => Limit::Unlimited,
        };
        reading.channels.insert(channel, limit);
    }
    reading
}

/// Holds the bounds of a view against maxima that were seen. Returns how many were compared.
///
/// # Panics
/// If a channel held more than is proved.
fn hold(view: &Check, seen: &Seen, what: &str) -> usize {
    let mut compared = 0;
    for buffer in &view.property_results[0].buffers {
        let Some(most) = seen.maxima.get(&buffer.name).filter(|_| buffer.verdict == BufferVerdict::Bounded)
        else {
            continue;
        };
        let number = |number: &Number| number.to_string().parse::<u64>().ok();
        if let Some(bound) = buffer.bound.as_ref().and_then(number) {
            compared += 1;
            assert!(
                u64::from(*most) <= bound,
                "{} held {most}, and at most {bound} is proved\n{what}",
                buffer.name
            );
        }
        if let Some(exact) = buffer.exact.as_ref().and_then(number) {
            assert!(
                u64::from(*most) <= exact,
                "{} held {most}, and its maximum is {exact}\n{what}",
                buffer.name
            );
        }
    }
    compared
}

/// The global channels of a program.
fn global_channels(program: &Program) -> Vec<VariableId> {
    let channels = program.globals.iter();
    let channels = channels.filter(|(_, variable)| matches!(variable.init, Initializer::NewChannel(_)));
    channels.map(|(id, _)| id).collect()
}

/// Ranges of numbers for some fields of an interface; of half of the programs none.
fn ranges(program: &Program, interface: &Interface, dice: &mut SplitMix) -> BTreeSet<RangeAssumption> {
    let mut ranges = BTreeSet::new();
    if dice.below(2) == 0 {
        return ranges;
    }
    for (variable, name) in interface.channels.iter().zip(interface.names(program)) {
        let declaration = ChannelDeclaration { owner: None, variable: *variable };
        for (field, ty) in
            program.channel_shape(declaration).iter().flat_map(|shape| &shape.fields).enumerate()
        {
            if matches!(ty, Type::Channel | Type::Symbol(_)) || dice.below(3) == 0 {
                continue;
            }
            let (least, width) = (dice.below(2), [0, 1, 3, 100][dice.below(4)]);
            let text = format!("{name}.{} in {least}..{}", field + 1, least + width);
            ranges.insert(text.parse().expect("a range"));
        }
    }
    ranges
}

/// Random programs of the whole language, some channels of which are open: no run with the
/// environment that `close` writes exceeds what is proved, whatever the capacities.
#[test]
fn no_run_with_an_environment_exceeds_what_is_proved() {
    let count: u64 = given("OPEN_PROGRAMS").unwrap_or_else(|| short_or_long(300, 20_000));
    let (mut compared, mut limited, mut proved, mut free) = (0, 0, 0, 0);
    for seed in 0..count {
        let generated = sample(&Profile::small(), seed);
        let parsed = promela_front::parse("random", &generated.text, &promela_front::Options::default());
        let Some(program) = parsed.program else { continue };
        let mut dice = SplitMix::new(seed);
        let open: BTreeSet<VariableId> =
            global_channels(&program).into_iter().filter(|_| dice.below(2) == 0).collect();
        let interface = Interface { channels: open.clone(), ..Interface::default() };
        let names: BTreeSet<String> = interface.names(&program).map(str::to_owned).collect();
        if names.is_empty() {
            continue;
        }
        let ranges = ranges(&program, &interface, &mut dice);
        let interface = interface.with_ranges(&program, &ranges).expect("ranges of the interface");
        limited += usize::from(!ranges.is_empty());
        let names = OpenChannels { names, ranges, ..OpenChannels::default() };
        let parse = promela_front::Options::default();
        let Ok(text) = close_promela("random", &generated.text, &parse, &names) else { continue };
        let closed = promela_front::parse("closed", &text, &parse);
        let closed = closed.program.unwrap_or_else(|| panic!("{:?}\n{text}", closed.diagnostics));
        let Some((model, view)) = checked(&close(&program, &interface)) else { continue };
        let reading = reading(&closed, &open, &mut dice);
        let environment = closed.types.ids().last();
        let Some(seen) = seen(&closed, reading.clone(), environment) else { continue };
        let what = format!("seed {seed}, open {names:?}, {reading:?}\n{text}");
        compared += hold(&view, &seen, &what);
        proved += usize::from(view.property_results[0].verdict == Verdict::Proved);
        if freeboard::has_progress_labels(&program) && seen.goes_round {
            let found = check_livelock(&model.program, &model.abstraction, &options());
            let view = found.view("open", &model);
            let verdict = view.property_results[0].verdict;
            assert_ne!(verdict, Verdict::Proved, "a cycle without progress\n{what}");
            free += 1;
        }
    }
    say(&format!(
        "{compared} bounds of {count} programs, {limited} with ranges, {proved} proved, {free} with a cycle"
    ));
    assert!(compared >= usize::try_from(count / 8).unwrap_or_default(), "{compared} bounds");
}

/// A text with its most general environment, which keeps to an assumption: at any time it has sent
/// at most `slack` messages more to the channels `sent` than it has taken from `taken`.
fn keeping(text: &str, sent: &BTreeSet<String>, taken: &BTreeSet<String>, slack: u64) -> String {
    const MARK: &str = "/* The most general environment. */";
    let (model, environment) = text.split_once(MARK).expect("it is there");
    let line = |line: &str| {
        let statement = line.trim_start().trim_start_matches(":: ");
        let channel = statement.split(['!', '?', '[']).next().unwrap_or_default();
        match () {
            () if line.contains("proctype") => format!("{line}\n    int slack = {slack};"),
            () if statement.contains('!') && sent.contains(channel) => {
                line.replace(statement, &format!("slack >= 1 -> {statement}; slack = slack - 1"))
            }
            () if statement.contains('?') && taken.contains(channel) => {
                line.replace(statement, &format!("{statement} -> slack = slack + 1"))
            }
            () => line.to_owned(),
        }
    };
    let lines: Vec<String> = environment.lines().map(line).collect();
    format!("{model}{MARK}{}", lines.join("\n"))
}

/// Random programs, and environments that keep to an assumption about them: no run exceeds what is
/// proved under it, whatever the capacities.
#[test]
fn no_run_with_an_environment_that_keeps_to_an_assumption_exceeds_what_is_proved() {
    let count: u64 = given("ASSUMED_PROGRAMS").unwrap_or_else(|| short_or_long(400, 20_000));
    let (mut compared, mut needed) = (0, 0);
    for seed in 0..count {
        // Programs of the whole language, and others that mostly need what is assumed.
        let text = if seed % 4 == 0 { sample(&Profile::small(), seed).text } else { service_program(seed) };
        let parse = promela_front::Options::default();
        let Some(program) = promela_front::parse("random", &text, &parse).program else { continue };
        let mut dice = SplitMix::new(seed);
        let open: BTreeSet<VariableId> = match Interface::named(&program, ["in", "out"]) {
            Ok(interface) => interface.channels,
            Err(_) => global_channels(&program).into_iter().filter(|_| dice.below(3) > 0).collect(),
        };
        let interface = Interface { channels: open.clone(), ..Interface::default() };
        let names: BTreeSet<String> = interface.names(&program).map(str::to_owned).collect();
        let channels = OpenChannels { names: names.clone(), ..OpenChannels::default() };
        let Ok(text) = close_promela("random", &text, &parse, &channels) else { continue };
        let environment = text.split("/* The most general").nth(1).unwrap_or_default();
        let used = |sign: char| -> BTreeSet<String> {
            let is_used = |name: &&String| {
                environment.lines().any(|line| {
                    let statement = line.trim_start().trim_start_matches(":: ");
                    statement.contains(sign) && statement.split(['!', '?', '[']).next() == Some(name.as_str())
                })
            };
            names.iter().filter(is_used).cloned().collect()
        };
        let (fed, drained) = (used('!'), used('?'));
        let sent: BTreeSet<String> = &fed - &drained;
        let taken: BTreeSet<String> = (&drained - &fed).into_iter().filter(|_| dice.below(4) > 0).collect();
        if sent.is_empty() {
            continue;
        }
        let slack = dice.below(4) as u64;
        let listed = |names: &BTreeSet<String>| Vec::from_iter(names.iter().map(String::as_str)).join(" + ");
        let answers = if taken.is_empty() { String::new() } else { format!("{} + ", listed(&taken)) };
        let assumption = format!("{} <= {answers}{slack}", listed(&sent));
        let assumptions = vec![assumption.parse().expect("an assumption")];
        let options = Options { assumptions, ..options() };
        let Ok(model) = abstract_model(close(&program, &interface), &options) else { continue };
        let view = check_model(model, &options, Instant::now()).view("open");
        let text = keeping(&text, &sent, &taken, slack);
        let closed = promela_front::parse("closed", &text, &parse);
        let closed = closed.program.unwrap_or_else(|| panic!("{:?}\n{text}", closed.diagnostics));
        let reading = reading(&closed, &open, &mut dice);
        let Some(seen) = seen(&closed, reading.clone(), None) else { continue };
        let what = format!("seed {seed}, {assumption}, {reading:?}\n{text}");
        compared += hold(&view, &seen, &what);
        needed += usize::from(view.property_results[0].verdict == Verdict::Proved);
    }
    say(&format!("{compared} bounds under assumptions of {count} programs, {needed} proved"));
    assert!(compared >= usize::try_from(count / 16).unwrap_or_default(), "{compared} bounds");
}

/// The uses that a process type makes of what is outside of it; `None` if it touches more than
/// global channels by name.
fn interface_of(program: &Program, process: &ProcessType) -> Option<BTreeSet<VariableId>> {
    let mut channels = BTreeSet::new();
    let own = |variable: VariableRef| matches!(variable, VariableRef::Local(_));
    for edge in process.edges.values() {
        let targets = edge.action.targets();
        if !targets.iter().all(|place| own(place.variable)) {
            return None;
        }
        if let Action::Send { channel, .. } | Action::Receive { channel, .. } = &edge.action {
            match channel {
                Expression::Read(place) => match place.variable {
                    VariableRef::Global(variable)
                        if matches!(program.globals[variable].init, Initializer::NewChannel(_)) =>
                    {
                        channels.insert(variable);
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        if matches!(edge.action, Action::Create { .. } | Action::Opaque { .. } | Action::SetPriority { .. }) {
            return None;
        }
    }
    let has_channels = process.locals.values().any(|local| local.ty == Type::Channel);
    (process.provided.is_none() && process.parameters == 0 && !has_channels && !channels.is_empty())
        .then_some(channels)
}

/// Returns `true` if processes of a program may know their numbers, or how many there are.
fn counts_processes(program: &Program) -> bool {
    program.any_expression(&|value| {
        value.any(&mut |part| {
            matches!(
                part,
                Expression::Pid
                    | Expression::ProcessCount
                    | Expression::Last
                    | Expression::Enabled(_)
                    | Expression::ProgramCounter(_)
                    | Expression::AtLocation { .. }
                    | Expression::RemoteRead { .. }
            )
        })
    })
}

/// The program without the processes of a type, and what becomes its interface. `None` if the
/// processes of the type do more than exchange messages.
fn cut(program: &Program, at: ProcessTypeId) -> Option<(Program, Interface)> {
    let process = &program.types[at];
    let creates = |edge: &cfsm_core::program::Edge| matches!(edge.action, Action::Create { process_type, .. } if process_type == at);
    let is_created = program.types.values().any(|process| process.edges.values().any(creates));
    if is_created || !program.claims.is_empty() || program.uses_priorities() || counts_processes(program) {
        return None;
    }
    let channels = interface_of(program, process)?;
    let mut rest = program.clone();
    rest.initial.retain(|initial| initial.process_type != at);
    // What nobody starts uses nothing.
    rest.types[at].edges = IdMap::new();
    (rest.initial.len() < program.initial.len() && !rest.initial.is_empty())
        .then_some((rest, Interface { channels, ..Interface::default() }))
}

/// Cuts a model at each of its processes, and opens each of its global channels, and half of them:
/// what is proved for every environment holds in the whole model, whose other processes, or none,
/// are one. Returns how many cases there were, and how many bounds.
fn hold_cuts(name: &str, program: &Program, dice: &mut SplitMix) -> (usize, usize) {
    let cuts = program.types.ids().filter_map(|at| {
        let (rest, interface) = cut(program, at)?;
        Some((format!("cut at {}", program.types[at].name), rest, interface))
    });
    let channels = global_channels(program);
    let half: Vec<VariableId> = channels.iter().copied().filter(|_| dice.below(2) == 0).collect();
    let sets = channels.iter().take(MOST_CHANNELS).map(|channel| vec![*channel]).chain([half]);
    let opened = sets.filter(|set| !set.is_empty()).map(|set| {
        let interface = Interface { channels: set.into_iter().collect(), ..Interface::default() };
        let names: Vec<&str> = interface.names(program).collect();
        (format!("with {} open", names.join(", ")), program.clone(), interface)
    });
    let (mut cases, mut compared) = (0, 0);
    for (how, open, interface) in cuts.chain(opened).collect::<Vec<_>>() {
        let Some((_, view)) = checked(&close(&open, &interface)) else { continue };
        cases += 1;
        let some = reading(program, &interface.channels, dice);
        for reading in [Reading::uniform(Limit::Unlimited), Reading::uniform(Limit::Declared), some] {
            let Some(seen) = seen(program, reading.clone(), None) else { continue };
            compared += hold(&view, &seen, &format!("{name} {how}, {reading:?}"));
        }
    }
    (cases, compared)
}

#[test]
fn what_holds_in_every_environment_holds_in_the_whole_model() {
    let mut all = own_models();
    if let Some(place) = corpus::place(None) {
        all.extend(models(&place));
    } else {
        say("the collection of models is not there: examples only");
    }
    let all = if given::<u32>("OPEN_CUTS").is_some() {
        all
    } else {
        corpus::sample(&all, short_or_long(24, usize::MAX))
    };
    let (mut cuts, mut compared) = (0, 0);
    let mut dice = SplitMix::new(52);
    for model in &all {
        let options =
            promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
        let Some(program) = promela_front::parse(&model.name, &model.text(), &options).program else {
            continue;
        };
        let (found, bounds) = hold_cuts(&model.name, &program, &mut dice);
        cuts += found;
        compared += bounds;
    }
    say(&format!("{} models, {cuts} cuts, {compared} bounds", all.len()));
    assert!(cuts >= 10 && compared >= 10, "{cuts} cuts, {compared} bounds");
}

/// A search of all states with the environment may count as a proof: its maxima are those of
/// environments that send ahead.
#[test]
fn complete_environments_show_every_length() {
    let count: u64 = given("OPEN_PROGRAMS").unwrap_or_else(|| short_or_long(150, 5_000));
    let (mut complete, mut compared) = (0, 0);
    for seed in 0..count {
        let text = waiting_program(seed);
        let parse = promela_front::Options::default();
        let program = promela_front::parse("waiting", &text, &parse).program.expect("it is accepted");
        let interface = Interface::named(&program, ["in", "out"]).expect("they are there");
        let closed = close(&program, &interface);
        let is_complete = closed.environment.as_ref().is_some_and(|environment| environment.is_complete);
        complete += usize::from(is_complete);
        let Some((_, view)) = checked(&closed) else { continue };
        let names =
            OpenChannels { names: ["in", "out"].map(str::to_owned).into(), ..OpenChannels::default() };
        let ahead = close_promela("waiting", &text, &parse, &names).expect("it can be closed");
        let ahead = promela_front::parse("ahead", &ahead, &parse).program.expect("it is accepted");
        let mut dice = SplitMix::new(seed ^ 52);
        let reading = reading(&ahead, &interface.channels, &mut dice);
        let Some(seen) = seen(&ahead, reading.clone(), None) else { continue };
        compared += hold(&view, &seen, &format!("seed {seed} {reading:?}\n{text}"));
        // And the environment that sends in time only is no stronger.
        let in_time = Buffers::Reading(Reading::uniform(Limit::Unlimited));
        let run = RunOptions { buffers: in_time, claims: Claims::Ignored, ..RunOptions::default() };
        let Ok(semantics) = Semantics::new(&closed, &run) else { continue };
        let limits = Limits { states: Some(STATES), ..Limits::default() };
        let Ok(found) = semantics.explore(&limits) else { continue };
        if is_complete && found.completion == explore::Completion::Complete {
            for (origin, most) in &found.maxima {
                let channel = ChannelDeclaration { owner: None, variable: origin.variable };
                let name = program.globals[origin.variable].element_name(origin.element);
                if !closed.is_open(channel) && reading.limit(channel) == Limit::Unlimited {
                    let ahead = seen.maxima.get(&name).copied().unwrap_or_default();
                    assert!(ahead <= *most, "{name} held {ahead}, and {most} in time\nseed {seed}\n{text}");
                }
            }
        }
    }
    say(&format!("{complete} of {count} environments are complete; {compared} bounds"));
    assert!(complete >= usize::try_from(count / 10).unwrap_or_default(), "{complete} complete");
}

/// Programs in which it can be seen that the environment has ended, by numbers of processes and
/// channels.
/// Each program with what it is closed by.
const ENDING: [&str; 4] = [
    "chan in = [2] of { bit }; chan q = [9] of { bit };
     proctype B() { do :: (_pid != 2) -> q!1; progress: skip :: (_pid == 2) -> break od }
     init { bit x; in?x; run B() }",
    "chan in = [2] of { bit }; chan q = [9] of { bit };
     proctype B() { if :: _pid == 1 -> q!1; q!1; q!1 :: else -> q!1 fi }
     init { bit x; in?x; run B() }",
    "chan in = [1] of { bit }; chan reg = [1] of { chan }; chan q = [4] of { bit };
     proctype W() { chan me = [5] of { bit }; bit y; me?y; do :: q!1 od }
     init { chan c; bit x; reg?c; in?x; run W(); c!1 }
     active proctype A() { chan mine = [1] of { bit }; reg!mine }",
    "chan in = [1] of { bit }; chan q = [4] of { bit };
     proctype B() { skip }
     init { bit x; pid p; progress: in?x; p = run B(); do :: (p < 2) -> q!1; q?_ :: else -> break od }",
];

#[test]
fn an_environment_may_end() {
    for text in ENDING {
        let parse = promela_front::Options::default();
        let program = promela_front::parse("ending", text, &parse).program.expect("it is accepted");
        let interface = Interface::named(&program, ["in"]).expect("it is there");
        let (model, view) = checked(&close(&program, &interface)).expect("there is an abstraction");
        let text = format!("{text}\nactive proctype env() {{ in!1 }}");
        let whole = promela_front::parse("whole", &text, &parse).program.expect("it is accepted");
        let seen = seen(&whole, Reading::uniform(Limit::Unlimited), None).expect("it can be run");
        hold(&view, &seen, &text);
        if seen.goes_round {
            let found = check_livelock(&model.program, &model.abstraction, &options()).view("open", &model);
            assert_ne!(found.property_results[0].verdict, Verdict::Proved, "{text}");
        }
    }
}

/// A program of two or three processes that wait for messages of their environment and of each
/// other, and mostly do nothing else.
fn waiting_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text = format!(
        "chan in = [{}] of {{ bit }}; chan out = [{}] of {{ bit }};\nchan a = [{}] of {{ bit }}; chan b = [{}] of {{ bit }};\n",
        dice.below(3),
        dice.below(3),
        1 + dice.below(3),
        1 + dice.below(3)
    );
    let step = |dice: &mut SplitMix| -> String {
        match dice.below(16) {
            0..3 => "in?0".into(),
            3 => "in?x".into(),
            4 => "in?1".into(),
            5 => "out!x".into(),
            6..8 => "a!x".into(),
            8 => "b!1".into(),
            9 | 10 => "a?x".into(),
            11 => "b?x".into(),
            12 => "x = 1 - x".into(),
            13 => "x == 1".into(),
            14 => "atomic { in?x; a!x }".into(),
            _ => "if :: in?0 :: b!x :: else -> skip fi".into(),
        }
    };
    for process in 0..2 + dice.below(2) {
        let options: Vec<String> = (0..1 + dice.below(3))
            .map(|_| {
                let steps: Vec<String> = (0..1 + dice.below(3)).map(|_| step(&mut dice)).collect();
                format!("    :: {}\n", steps.join("; "))
            })
            .collect();
        text += &format!("active proctype P{process}() {{\n  bit x;\n  do\n{}  od\n}}\n", options.concat());
    }
    text
}
