//! Runs that go on for ever: what is confirmed, what is refused, what is found.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use std::collections::BTreeSet;

use cfsm_core::deadline::Deadline;
use cfsm_core::ids::Id;
use cfsm_core::program::{Program, VariableId};
use explore::{
    Aim, Budget, Buffers, Guide, Options, Quest, QueueOrigin, Refusal, Run, Search, Semantics, Witness,
};
use proptest::prelude::*;

fn program(text: &str) -> Program {
    let read = promela_front::parse("model.pml", text, &promela_front::Options::default());
    read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
}

fn unbounded(program: &Program) -> Semantics {
    Semantics::new(program, &Options { buffers: Buffers::Unbounded, ..Options::default() }).unwrap()
}

fn search_in(semantics: &Semantics) -> Search {
    let guide = Guide::new(semantics, BTreeSet::new());
    let quest = Quest { aim: Aim::Growth { known: BTreeSet::new() }, guide };
    semantics.search(&quest, &Budget { states: 20_000, deadline: Deadline::default() }).unwrap()
}

fn found(text: &str) -> Option<Witness> {
    search_in(&unbounded(&program(text))).witness
}

/// The run that takes, in each state, the step at the position given.
fn run(semantics: &Semantics, choices: &[usize]) -> Run {
    let mut state = semantics.initial().unwrap();
    let mut run = Run::default();
    for &choice in choices {
        let step = semantics.successors(&state).swap_remove(choice);
        run.steps.push(step.moves);
        state = step.after.unwrap();
    }
    run
}

/// Confirms the first steps of a run as a prefix and the others as a pump.
fn confirm(text: &str, choices: &[usize], prefix: usize) -> Result<Witness, Refusal> {
    let semantics = unbounded(&program(text));
    let mut first = run(&semantics, choices);
    let pump = Run { steps: first.steps.split_off(prefix) };
    semantics.confirm(&first, &pump)
}

#[test]
fn a_flood_is_a_witness() {
    let witness = confirm("chan c = [1] of { bit }; active proctype P() { do :: c!1 od }", &[0], 0).unwrap();
    let c = QueueOrigin { process: None, variable: VariableId::new(0), element: 0 };
    assert_eq!(witness.growth(), [(c, 1)]);
    assert!(witness.rounds() > 3);
}

#[test]
fn a_pump_must_have_steps_that_are_steps() {
    let text = "chan c = [1] of { bit }; active proctype P() { do :: c!1 :: c?_ od }";
    assert_eq!(confirm(text, &[], 0), Err(Refusal::Empty));
    // What was sent can be received once.
    assert!(matches!(confirm(text, &[0, 1], 1), Err(Refusal::Shrinks)));
    let other = unbounded(&program("chan c = [1] of { bit }; active proctype P() { do :: c!0 od }"));
    let run = run(&unbounded(&program(text)), &[0]);
    assert!(matches!(other.confirm(&Run::default(), &run), Err(Refusal::Replay(_))));
}

#[test]
fn what_goes_wrong_is_no_witness() {
    let text = "chan c = [1] of { bit }; active proctype P() { do :: c!1; assert(false) od }";
    assert_eq!(confirm(text, &[0, 0], 0), Err(Refusal::Fails(explore::RunError::Assertion)));
}

#[test]
fn control_and_data_must_come_back() {
    let counts = "chan c = [1] of { bit }; byte n; active proctype P() { do :: n < 200 -> c!1; n++ od }";
    assert_eq!(confirm(counts, &[0, 0, 0], 0), Err(Refusal::Differs));
    assert_eq!(found(counts), None);
}

/// A counter that wraps comes back, after 256 rounds of the loop.
#[test]
fn a_counter_that_wraps_comes_back() {
    let witness =
        found("chan c = [1] of { bit }; byte n; active proctype P() { do :: c!1; n++ od }").unwrap();
    assert_eq!(witness.growth()[0].1, 256);
}

/// It can be repeated as often as there are messages of the first kind, and then no more.
#[test]
fn messages_must_come_in_the_order_in_which_they_are_taken() {
    let text = "chan c = [9] of { bit };
        active proctype P() {
            c!0; c!0; c!0; c!0; c!0; c!0; c!0; c!1;
            do :: c?0; c!0; c!0 od
        }";
    let choices = [0; 8 + 3];
    assert_eq!(confirm(text, &choices, 8), Err(Refusal::Order));
    let same = text.replace("c!1;", "c!0;");
    assert!(confirm(&same, &choices, 8).is_ok());
}

#[test]
fn lengths_of_growing_queues_may_not_matter() {
    let model =
        |guard: &str| format!("chan c = [1] of {{ bit }}; active proctype P() {{ do :: {guard} -> c!1 od }}");
    let pump = |guard: &str| confirm(&model(guard), &[0, 0], 0);
    // True for a thousand rounds, and then no more.
    assert!(matches!(pump("len(c) < 1000"), Err(Refusal::Replay(_))));
    assert_eq!(pump("len(c) < 100000"), Err(Refusal::TooManyRounds(2_000)));
    assert_eq!(pump("(len(c) + 1) < 1000"), Err(Refusal::Sensitive));
    assert_eq!(pump("!c??[eval(1 - 1)]"), Err(Refusal::Sensitive));
    assert!(pump("!c??[0]").is_ok(), "no message matches");
    // `nfull` compares with the declared number.
    assert!(matches!(pump("nfull(c)"), Err(Refusal::Replay(_))));
    let witness = confirm(&model("len(c) != 700"), &[0, 0], 0);
    assert!(matches!(witness, Err(Refusal::Replay(_))), "{witness:?}");
    let text = "chan c = [1] of { bit }; active proctype P() { do :: c!1 :: len(c) > 7 -> c!1 od }";
    let semantics = unbounded(&program(text));
    let mut long = run(&semantics, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    let pump = Run { steps: long.steps.split_off(8) };
    assert!(semantics.confirm(&long, &pump).is_ok());
}

/// Processes that stand by and test queues do not matter, unless others depend on that.
#[test]
fn only_questions_of_those_who_move_count() {
    let watcher = "active proctype Watcher() { len(c) * 2 == 1000; assert(true) }";
    let flood = "chan c = [1] of { bit }; active proctype P() { do :: c!1 od }";
    assert!(found(&format!("{flood} {watcher}")).is_some());
    let waits = "bit b; active proctype Waiting() { do :: timeout -> b = 1 - b od }";
    assert!(found(&format!("{flood} {watcher} {waits}")).is_some(), "the flood does not wait for a timeout");
    let last = "chan c = [1] of { bit }; active proctype P() { do :: timeout -> c!1 od }";
    let watcher = "active proctype Watcher() { len(c) * 2 == 1000; do :: true od }";
    assert_eq!(found(&format!("{last} {watcher}")), None);
}

/// One process that sends eight messages and then goes round.
fn after_eight(first: &str, round: &str, steps: usize) -> Result<Witness, Refusal> {
    let sends = format!("{first}; ").repeat(8);
    let text =
        format!("chan c = [9] of {{ byte }}; byte n; active proctype P() {{ {sends} do :: {round} od }}");
    confirm(&text, &vec![0; 8 + steps], 8)
}

#[test]
fn of_a_queue_that_is_sorted_only_the_least_messages_matter() {
    assert!(after_eight("c!!1", "c!!1", 1).is_ok(), "nobody looks");
    assert!(after_eight("c!!1", "c!!1; c!!1; c?1", 3).is_ok(), "all are the same");
    assert!(after_eight("c!!7", "c!!1; c!!2; c?1", 3).is_ok());
    // It can be repeated as long as there are messages like the first ones.
    assert_eq!(after_eight("c!!1", "c?1; c!!2; c!!2", 3), Err(Refusal::Shrinks));
    // The message that is put at the end comes to the front before those that are sorted behind it.
    assert_eq!(after_eight("c!!7", "c!!1; c!9; c?1", 3), Err(Refusal::Sensitive));
    // What is sorted by 257 is kept as 1: at the end, wherever that is.
    assert_eq!(after_eight("c!!1", "c!!0; c!!257; c?0", 3), Err(Refusal::Sensitive));
    // No process can have observed the first message in the middle of a step.
    assert_eq!(after_eight("c!!7", "d_step { c!!1; c!!2; c?1 }", 1), Err(Refusal::Sensitive));
    // The poll may match messages of which there are more in each round.
    assert_eq!(after_eight("c!!7", "c!!1; c!!2; !c??[eval(n + 3)]; c?1", 4), Err(Refusal::Sensitive));
    assert!(after_eight("c!!7", "c!!1; c!!2; !c??[3]; c?1", 4).is_ok());
    // The queue is not sorted, as what came before was not.
    let text = "chan c = [9] of { byte }; active proctype P() { c!9; c!7; do :: c!!1; c!!8; c?1 od }";
    assert_eq!(confirm(text, &[0; 5], 2), Err(Refusal::Sensitive));
    // A length that matters still does.
    assert!(matches!(after_eight("c!!7", "len(c) < 1000; c!!1; c!!2; c?1", 4), Err(Refusal::Replay(_))));
}

#[test]
fn of_messages_that_are_taken_by_pattern_only_those_that_match_matter() {
    assert!(after_eight("c!7", "c!1; c!2; c??1", 3).is_ok());
    assert!(after_eight("c!1", "c!1; c!1; c??1", 3).is_ok(), "there are more of them, all alike");
    assert_eq!(after_eight("c!1", "c??1; c!2; c!2", 3), Err(Refusal::Shrinks));
    assert_eq!(after_eight("c!1", "c??n; c!2; c!2; n < 3; n = 0", 5), Err(Refusal::Order));
    assert!(after_eight("c!1", "c??_; c!2; c!2", 3).unwrap().is_up_to_idle_data(), "nobody looks");
    // The first message stays in place if no statement receives it.
    assert!(after_eight("c!7", "c!1; c!2; c?[7]; c??1", 4).is_ok());
    assert_eq!(after_eight("c!1", "c!1; c!2; c?[1]; c??1", 4), Err(Refusal::Sensitive));
    // What is asked for depends on the state: not each message is one of these.
    assert_eq!(after_eight("c!7", "c!1; c!2; c??eval(n + 1)", 3), Err(Refusal::Sensitive));
    // The index is another one in the middle of the step.
    let array = "chan c[2] = [9] of { byte }; byte i, n;
        active proctype P() { do :: d_step { i = 1; !c[i]??[eval(n + 3)]; i = 0 }; c[1]!2 od }";
    assert_eq!(confirm(array, &[0, 0], 0), Err(Refusal::Sensitive));
    // Two that ask for different ones, and two that may ask for the same one.
    assert!(after_eight("c!7", "c!1; c!2; c!3; c??1; c??2", 5).is_ok());
    let pair = |round: &str| {
        let text = format!("chan c = [9] of {{ byte, byte }}; active proctype P() {{ do :: {round} od }}");
        confirm(&text, &[0; 4], 0)
    };
    assert!(pair("c!1,1; c!1,1; c!0,5; c??1,_").is_ok());
    assert_eq!(pair("c!1,1; c!0,1; c??[_,1]; c??1,_"), Err(Refusal::Sensitive));
}

/// The queue is another one each time.
#[test]
fn a_queue_that_dies_does_not_grow() {
    let text = "proctype Q() { chan c = [1] of { bit }; c!1 }
        init { do :: _nr_pr == 1 -> run Q() od }";
    let search = search_in(&unbounded(&program(text)));
    assert_eq!((search.witness, search.exhausted), (None, true));
}

#[test]
fn capacities_are_respected() {
    let text = "chan c = [3] of { bit }; active proctype P() { do :: c!1 od }";
    let declared = Semantics::new(&program(text), &Options::default()).unwrap();
    let search = search_in(&declared);
    assert_eq!((search.witness, search.exhausted), (None, true));
    // Three rounds would do, if it were not for the rule.
    let pump = run(&declared, &[0]);
    assert_eq!(declared.confirm(&Run::default(), &pump), Err(Refusal::Sensitive));
}

/// A pump through a rendezvous, an `atomic` and a channel that comes in a message.
#[test]
fn pumps_go_through_all_kinds_of_steps() {
    let text = "chan door = [0] of { chan }; chan log = [2] of { byte };
        active proctype Guest() { chan reply = [0] of { bit }; do :: door!reply; reply?1; log!7 od }
        active proctype Host() { chan to; do :: atomic { door?to; to!1 } od }";
    let witness = found(text).unwrap();
    assert_eq!(witness.growth().len(), 1);
    // At first the host knows no channel: the first step does not come back.
    assert_eq!((witness.prefix().steps.len(), witness.pump().steps.len()), (1, 3));
}

#[test]
fn a_loop_without_progress_is_found() {
    let text = "bit b; active proctype P() { do :: b = 1; b = 0 :: skip; progress: b = 1; b = 0 od }";
    let program = program(text);
    let semantics = unbounded(&program);
    let ty = program.types.iter().next().unwrap().1;
    let (id, _) = program.types.iter().next().unwrap();
    let marked = ty.edges.iter().filter(|(_, edge)| ty.locations[edge.source].is_progress());
    let progress: BTreeSet<_> = marked.map(|(edge, _)| (id, edge)).collect();
    assert!(!progress.is_empty());
    let quest = Quest {
        aim: Aim::NoProgress { progress: progress.clone() },
        guide: Guide::new(&semantics, BTreeSet::new()),
    };
    let witness = semantics
        .search(&quest, &Budget { states: 1_000, deadline: Deadline::default() })
        .unwrap()
        .witness
        .unwrap();
    assert!(witness.avoids(&progress));
    assert!(witness.growth().is_empty());
    assert_eq!(witness.pump().steps.len(), 2);
}

/// The two processes of thesis Fig. 5.2 are finite: nothing grows, and that is known.
#[test]
fn a_finite_model_is_seen_whole() {
    let text = "chan a = [1] of { bit }; chan b = [1] of { bit };
        active proctype P() { do :: a!1; b?1 od } active proctype Q() { do :: a?1; b!1 od }";
    let search = search_in(&unbounded(&program(text)));
    assert_eq!((search.witness, search.exhausted), (None, true));
}

/// Availability of a receiver may depend on a length, and an `else`, an escape or `atomic` on that
/// receiver.
#[test]
fn questions_of_those_who_answer_count() {
    let channels = "chan q = [5] of { bit }; chan r = [0] of { bit };";
    let asked = "active proctype A() { do :: r!1 -> break :: else -> q!1 od }";
    let escape = "active proctype A() { { do :: q!1 od } unless { r!1 } }";
    let answers = [
        "active proctype B() { r?eval(len(q) > 3000) }",
        "active proctype B() provided (len(q) > 3000) { r?1 }",
    ];
    for answer in answers {
        assert_eq!(found(&format!("{channels} {asked} {answer}")), None);
        assert_eq!(found(&format!("{channels} {escape} {answer}")), None);
    }
    // A question that is no answer does not matter.
    let bystander = "active proctype B() { q?eval(len(q) > 3000) }";
    assert!(found(&format!("{channels} {asked} {bystander}")).is_some());
}

/// The values that variables begin with are computed in the step that creates the process.
#[test]
fn initial_values_of_created_processes_count() {
    let main = "chan q = [5] of { bit }; active proctype I() { do :: _nr_pr == 1 -> q!1; run W() od }";
    assert_eq!(found(&format!("{main} proctype W() {{ bit n = (len(q) < 3000); n }}")), None);
    assert_eq!(found(&format!("{main} proctype W() {{ short n = len(q); n < 3000 }}")), None);
    assert!(found(&format!("{main} proctype W() {{ bit n = (len(q) < 100); n == n }}")).is_some());
    let enabled = "chan q = [5] of { bit }; active proctype X() { len(q) < 3000 }
        active proctype I() { do :: _nr_pr == 2 -> q!1; run W() od } proctype W() { bit n = enabled(0); n }";
    assert_eq!(found(enabled), None);
}

/// In the middle of a `d_step`, the channel that another process would ask about is another one.
#[test]
fn enabled_in_a_d_step_sees_other_channels() {
    let text = "chan q = [5] of { bit }; chan e = [5] of { bit }; bit b; chan c;
        active proctype A() { q!1; c = e; do :: d_step { c = q; b = enabled(1); c = e }; b; q!1; b = 0 od }
        active proctype B() { (len(c) > 0 && len(c) < 3000) }";
    assert_eq!(found(text), None);
}

/// No more rounds than necessary are replayed, and none if they would be too many.
#[test]
fn long_pumps_have_fewer_rounds() {
    let text = "chan c = [1] of { byte }; byte n;
        active proctype P() { do :: atomic { len(c) < 1900; c!1; n++ } od }";
    let refused = confirm(text, &[0; 768], 0);
    assert!(matches!(refused, Err(Refusal::Replay(_))), "{refused:?}");
    let longer = text.replace("1900", "30000");
    assert_eq!(confirm(&longer, &[0; 768], 0), Err(Refusal::TooManyRounds(65)));
}

/// Deep queues take memory: a search that finds nothing comes to its end nevertheless.
#[test]
fn a_search_without_success_ends() {
    let text = "chan c = [5] of { byte, int, int, int, int, int, int, int };
        active proctype A() { do :: c!1,2,3,4,5,6,7,8; len(c) * 2 != 1000000 od }";
    let semantics = unbounded(&program(text));
    let guide = Guide::new(&semantics, BTreeSet::new());
    let quest = Quest { aim: Aim::Growth { known: BTreeSet::new() }, guide };
    // More than the trees can keep.
    let search = semantics.search(&quest, &Budget { states: 60_000, deadline: Deadline::default() }).unwrap();
    assert_eq!((search.witness, search.exhausted), (None, false));
    assert!(search.states > 10_000);
}

/// A statement at a queue of letters 0 to 2, which two processes share.
fn statement_at_a_queue() -> impl Strategy<Value = String> {
    let letter = 0..3_u8;
    prop_oneof![
        4 => letter.clone().prop_map(|a| format!("c!{a}")),
        4 => letter.clone().prop_map(|a| format!("c!!{a}")),
        2 => letter.clone().prop_map(|a| format!("c?{a}")),
        1 => Just("c?n".to_owned()),
        3 => letter.clone().prop_map(|a| format!("c??{a}")),
        1 => Just("c??n".to_owned()),
        1 => letter.clone().prop_map(|a| format!("c??eval((n + {a}) % 3)")),
        1 => letter.clone().prop_map(|a| format!("if :: c?[{a}] -> c!0 :: else -> c!!1 fi")),
        1 => letter.clone().prop_map(|a| format!("if :: c??[{a}] -> c!!2 :: else fi")),
        1 => letter.prop_map(|a| format!("if :: c??[eval((n + {a}) % 3)] -> c??_ :: else -> c!1 fi")),
        1 => Just("d_step { c!1; c!!0 }".to_owned()),
        1 => Just("d_step { c??1; c!!0 }".to_owned()),
        1 => Just("n = 0".to_owned()),
    ]
}

fn loop_at_a_queue() -> impl Strategy<Value = String> {
    prop::collection::vec(statement_at_a_queue(), 1..5).prop_map(|statements| statements.join("; "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("FREEBOARD_LONG").is_some() { 20_000 } else { 100 }))]

    /// Pumps that are confirmed as repeatable are repeated for longer than any of the initial
    /// messages last.
    #[test]
    fn pumps_of_queues_that_are_used_in_any_order_go_on(
        first in prop::collection::vec((0..3_u8, 1..9_usize), 0..3),
        one in loop_at_a_queue(),
        other in loop_at_a_queue(),
    ) {
        let first: String = first.iter().map(|(letter, times)| format!("c!!{letter}; ").repeat(*times)).collect();
        let text = format!(
            "chan c = [9] of {{ byte }};
            active proctype P() {{ byte n; {first} do :: {one} od }}
            active proctype Q() {{ byte n; do :: {other} od }}"
        );
        let semantics = unbounded(&program(&text));
        let guide = Guide::new(&semantics, BTreeSet::new());
        let quest = Quest { aim: Aim::Growth { known: BTreeSet::new() }, guide };
        let search = semantics.search(&quest, &Budget { states: 3_000, deadline: Deadline::default() }).unwrap();
        if let Some(witness) = search.witness {
            let mut state = semantics.initial().unwrap();
            let more = std::iter::repeat_n(&witness.pump().steps, 60).flatten();
            for (at, moves) in witness.prefix().steps.iter().chain(more).enumerate() {
                let step = semantics.successors(&state).into_iter().find(|step| step.moves == *moves);
                let after = step.filter(|step| step.errors.is_empty()).and_then(|step| step.after);
                prop_assert!(after.is_some(), "step {at} of {text}\n{witness:?}");
                state = after.unwrap();
            }
        }
    }
}
