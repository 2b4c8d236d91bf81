//! Tests of the bounds that differences give for variables of small models.

use cfsm_core::program::VariableRef;

use crate::analysis::{Analysis, analyse};
use crate::zones::narrow;
use crate::{Options, Precision};

/// The variables that differences narrow: the location's line, the variable, and the least and the
/// greatest value that it may have there.
fn narrowed(text: &str) -> Vec<String> {
    let outcome = promela_front::parse("model.pml", text, &promela_front::Options::default());
    let program = outcome.program.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let precision = Precision { data_places: true, ..Precision::default() };
    let options = Options { precision, ..Options::default() };
    let plain = analyse(&program, &options).expect("within limits");
    let mut analysis = analyse(&program, &options).expect("within limits");
    narrow(&mut analysis);
    let mut lines: Vec<String> = Vec::new();
    for (id, context) in analysis.contexts.iter() {
        for (node, known) in context.nodes.iter() {
            for (name, position) in scalars(&analysis, id) {
                let before = &plain.contexts[id].nodes[node].cells[position];
                let behind = &known.cells[position];
                assert!(before.includes(behind));
                if before != behind {
                    let ty = &program.types[context.process_type];
                    let line = program.sources.origin(ty.locations[known.location].span).line;
                    let (least, most) = behind.numbers.bounds().expect("a value is left");
                    lines.push(format!("{line}: {name} {least}..{most}"));
                }
            }
        }
    }
    lines
}

/// The scalars of a process, with their positions.
fn scalars(analysis: &Analysis<'_>, id: crate::contexts::ContextId) -> Vec<(String, usize)> {
    let process_type = analysis.contexts[id].process_type;
    let frame = &analysis.layout.frames[process_type];
    let program = analysis.program;
    let globals = frame.globals.iter().map(|(id, position)| (VariableRef::Global(*id), *position));
    let locals = frame.locals.iter().map(|(id, block)| (VariableRef::Local(id), block.start));
    let all = globals
        .chain(locals)
        .map(|(variable, position)| (program.variable(process_type, variable), position));
    all.filter(|(variable, _)| variable.length.is_none())
        .map(|(variable, position)| (variable.name.clone(), position))
        .collect()
}

const JUG: &str = "TYPE jug = 5;
active proctype Guest() {
  TYPE cup = 5;
  do
  :: cup > 0 -> jug--; cup = jug
  od
}
active proctype Host() {
  do
  :: jug = 5
  od
}";

#[test]
fn a_jug_that_somebody_fills_is_never_below_0() {
    let lines = narrowed(&JUG.replace("TYPE", "int"));
    assert_eq!(
        lines,
        [
            "4: jug 0..5",
            "4: cup 0..5",
            "5: jug 1..5",
            "5: cup 1..5",
            "5: jug 0..5",
            "5: cup 1..5",
            "9: jug 0..5"
        ]
    );
    assert!(!narrowed(&JUG.replace("TYPE", "byte")).is_empty());
}

/// The least value that a variable may hold at the line.
fn least(lines: &[String], line: usize, variable: &str) -> Option<i64> {
    let head = format!("{line}: {variable} ");
    let ends = lines.iter().filter_map(|one| one.strip_prefix(&head)?.split_once("..")?.0.parse().ok());
    ends.min()
}

#[test]
fn who_leaves_less_than_is_in_the_cup_takes_it_away() {
    let lines = narrowed(&JUG.replace("TYPE", "int").replace(":: jug = 5", ":: jug = 0"));
    assert!(least(&lines, 4, "jug").is_none_or(|least| least <= -1), "{lines:?}");
}

#[test]
fn two_guests_take_more_than_there_is() {
    let lines =
        narrowed(&JUG.replace("TYPE", "int").replace("active proctype Guest", "active [2] proctype Guest"));
    assert!(lines.iter().all(|line| !line.contains("jug")), "{lines:?}");
}

#[test]
fn what_init_has_written_is_known_to_those_that_it_creates() {
    let text = JUG.replace("TYPE jug = 5", "TYPE jug").replace("active ", "").replace("TYPE", "int");
    let lines = narrowed(&format!("{text}\ninit {{ jug = 5; run Guest(); run Host() }}"));
    assert!(lines.contains(&"5: jug 1..5".into()), "{lines:?}");
    // Here the guest may find it empty.
    let lines = narrowed(&format!("{text}\ninit {{ run Guest(); run Host() }}"));
    assert!(lines.iter().all(|line| !line.contains("jug 1")), "{lines:?}");
}

#[test]
fn a_message_or_code_in_c_may_write_anything() {
    let with = |other: &str| {
        let text = JUG.replace("TYPE", "int").replace(":: jug = 5", &format!(":: {other} :: c!-1"));
        narrowed(&format!("chan c = [1] of {{ int }}; {text}"))
    };
    for (other, least_of_all) in
        [("c?jug", -2), ("select (jug : -2 .. 7)", -3), ("c_code { jug = -7; }", i64::MIN)]
    {
        let lines = with(other);
        assert!(least(&lines, 4, "jug").is_none_or(|least| least <= least_of_all), "{other}: {lines:?}");
    }
}

#[test]
fn code_in_c_may_write_what_the_process_itself_counts() {
    let text = JUG.replace("TYPE", "int").replace("cup = jug", "cup = jug; c_code { jug = -7; }");
    let lines = narrowed(&text);
    assert!(lines.iter().all(|line| !line.contains("jug")), "{lines:?}");
}

#[test]
fn all_that_a_creator_may_leave_to_others_counts() {
    let text = JUG.replace("active ", "").replace("TYPE", "int");
    let lines = narrowed(&format!("{text}\ninit {{ run Guest(); run Host() }}"));
    assert!(lines.contains(&"5: jug 1..5".into()), "{lines:?}");
    // The first of the two states that the loop leaves to them is better.
    let lines =
        narrowed(&format!("{text}\ninit {{ do :: run Guest(); run Host(); break :: jug > 0 -> jug-- od }}"));
    assert!(least(&lines, 4, "jug").is_none_or(|least| least <= -1), "{lines:?}");
}

#[test]
fn who_creates_without_naming_anything_hands_on_what_there_was() {
    let text = JUG.replace("active ", "").replace("TYPE", "int");
    let between = "proctype Between() { run Guest(); run Host() }";
    let lines = narrowed(&format!("{text}\n{between}\ninit {{ jug = 5; run Between() }}"));
    assert!(lines.contains(&"5: jug 1..5".into()), "{lines:?}");
    let lines = narrowed(&format!("{text}\n{between}\ninit {{ jug = 0; run Between() }}"));
    assert!(least(&lines, 4, "jug").is_none_or(|least| least <= -1), "{lines:?}");
}

#[test]
fn what_may_hold_a_channel_is_not_looked_at() {
    let text = JUG.replace("TYPE", "byte").replace(":: jug = 5", ":: jug = 5 :: d?jug :: d!c");
    let lines = narrowed(&format!("chan c = [1] of {{ byte }}; chan d = [1] of {{ byte }}; {text}"));
    assert_eq!(lines, [""; 0]);
}

#[test]
fn what_is_not_related_is_not_looked_at() {
    assert_eq!(narrowed("int n; active proctype P() { do :: n > 0 -> n-- :: n++ od }"), [""; 0]);
    let hidden = JUG.replace("TYPE jug", "hidden byte jug").replace("TYPE", "byte");
    assert_eq!(narrowed(&hidden), [""; 0]);
}

#[test]
fn a_copy_keeps_what_it_is_a_copy_of_below_its_guard() {
    let lines = narrowed(
        "short low;
active proctype P() {
  short copy;
  do
  :: copy + 1 < 9 -> low++; copy = low
  od
}",
    );
    assert_eq!(lines[0], "4: low 0..8");
}
