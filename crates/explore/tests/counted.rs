//! Pumps that live on a number that is counted up before, and such that only look like it.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests, and helpers of tests are no less

use cfsm_core::deadline::Deadline;
use cfsm_core::splitmix::SplitMix;
use explore::{Budget, Move, Run, Semantics, State, Witness};

use crate::common::{any_growth, semantics};

fn found(semantics: &Semantics) -> Option<Witness> {
    let budget = Budget { states: 8_000, deadline: Deadline::default() };
    semantics.search_counted(&any_growth(semantics), &budget).unwrap().witness
}

/// The state behind steps in which the same processes take the same edges, none of which fails.
fn behind(semantics: &Semantics, state: State, steps: &[Vec<Move>]) -> Option<State> {
    let edges = |moves: &[Move]| -> Vec<_> {
        moves.iter().map(|moved| (moved.process, moved.process_type, moved.edge)).collect()
    };
    steps.iter().try_fold(state, |state, wanted| {
        let mut possible = semantics.successors(&state).into_iter();
        possible.find(|step| edges(&step.moves) == edges(wanted)).filter(|step| step.errors.is_empty())?.after
    })
}

/// Number of rounds of the pump, up to `most`, that can be executed with the stated growth if its
/// supply is executed `times` times.
fn repeats(semantics: &Semantics, witness: &Witness, times: usize, most: usize) -> usize {
    let supply = witness.supply().unwrap();
    let steps = &witness.prefix().steps;
    let (round, end) =
        (&steps[supply.first..supply.first + supply.steps], supply.first + supply.steps * supply.times);
    let mut state = behind(semantics, semantics.initial().unwrap(), &steps[..supply.first]).unwrap();
    for _ in 0..times {
        state = behind(semantics, state, round).unwrap();
    }
    let Some(mut state) = behind(semantics, state, &steps[end..]) else { return 0 };
    let lengths = |state: &State| -> Vec<usize> {
        let queues = witness.growth().iter().map(|(origin, _)| {
            let mut all = semantics.queues(state);
            all.find(|queue| queue.origin == *origin).map_or(0, |queue| queue.messages.len())
        });
        queues.collect()
    };
    for at in 0..most {
        let wanted: Vec<usize> = lengths(&state)
            .into_iter()
            .zip(witness.growth())
            .map(|(length, (_, growth))| length + *growth as usize)
            .collect();
        match behind(semantics, state, &witness.pump().steps) {
            Some(after) if lengths(&after) == wanted => state = after,
            _ => return at,
        }
    }
    most
}

/// Numbers that are counted up without a bound, and then sent for.
const COUNTED: &[&str] = &[
    // Thesis, Figure 5.5.
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: break od; do :: n > 0 -> q!1; n-- :: else -> break od }",
    // A global, counted by one process and taken by another, some at a time.
    "chan q = [1] of { bit }; int n;
     active proctype C() { do :: n = n + 3 od } active proctype D() { do :: atomic { n >= 7 -> n = n - 2 }; q!1 od }",
    // Beyond a number, in a `d_step`, with messages that come back.
    "chan q = [1] of { bit }; chan a = [1] of { bit }; int n;
     active proctype C() { do :: n++ :: break od; n > 50; a!1; do :: a?1; d_step { 20 < n -> n--; a!1; q!0 } od }",
    // Down and up.
    "chan q = [1] of { bit }; int n;
     active proctype C() { do :: n++; n++; n-- :: break od; do :: n != 0 -> n--; n--; n++; q!1 :: n == 0 -> break od }",
];

#[test]
fn what_is_counted_up_can_be_sent_for() {
    for text in COUNTED {
        let semantics = semantics(text);
        let witness = found(&semantics).unwrap_or_else(|| panic!("{text}"));
        assert!(witness.counter().is_some(), "{text}");
        let supply = witness.supply().unwrap();
        assert!(repeats(&semantics, &witness, supply.times, witness.rounds()) == witness.rounds(), "{text}");
        // A round of the pump takes no more than three.
        assert_eq!(repeats(&semantics, &witness, supply.times + 300, 100), 100, "{text}");
        let again = semantics.confirm_supplied(witness.prefix(), &supply, witness.pump());
        assert_eq!(again.as_ref().map(Witness::growth), Ok(witness.growth()), "{text}");
    }
}

/// Numbers that have a bound, or that decide more than how often something is sent.
const NOT_COUNTED: &[&str] = &[
    // There is a limit to the counting.
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n < 99 -> n++ :: break od; do :: n > 0 -> q!1; n-- :: else -> break od }",
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n != 99 -> n++ :: break od; do :: n > 0 -> q!1; n-- :: else -> break od }",
    // It has to be small again.
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: n == 50 -> break od; do :: n > 0 -> q!1; n-- :: else -> break od }",
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: break od; n < 50; do :: n > 0 -> q!1; n-- :: else -> break od }",
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: break od; do :: n > 0 && n < 50 -> q!1; n-- :: else -> break od }",
    // It is forgotten, or another number by then.
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: break od; n = 50; do :: n > 0 -> q!1; n-- :: else -> break od }",
    "chan q = [1] of { bit }; chan k = [1] of { byte };
     active proctype C() { int n; do :: n++ :: break od; k!50; k?n; do :: n > 0 -> q!1; n-- :: else -> break od }",
    "chan q = [1] of { bit };
     active proctype C() { int n, m; do :: n++ :: break od; m = n % 50; do :: m > 0 -> q!1; m-- :: else -> break od }",
    // It is not wide enough.
    "chan q = [1] of { bit };
     active proctype C() { byte n; do :: n++ :: break od; do :: n > 0 -> q!1; n-- :: else -> break od }",
    // The loop asks for more than the number.
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: break od; do :: n > 0 && len(q) * 2 < 99 -> q!1; n-- :: else -> break od }",
    "chan q = [1] of { bit };
     active proctype C() { int n; byte i; do :: n++ :: break od; do :: n > 0 && i < 99 -> q!1; i++; n-- :: else -> break od }",
    // An assertion holds for small numbers only.
    "chan q = [1] of { bit };
     active proctype C() { int n; do :: n++ :: break od; do :: n > 0 -> assert(n < 50); q!1; n-- :: else -> break od }",
    // The number of another process of the same type.
    "chan q = [1] of { bit }; chan go = [1] of { bit };
     proctype C(bit first) { int n;
       if :: first -> do :: n++ :: break od; run C(0); false
          :: else -> n = 9; do :: n > 0 -> q!1; n-- :: else -> break od fi }
     init { run C(1) }",
    // Elements of an array.
    "chan q = [1] of { bit };
     active proctype C() { int n[2]; do :: n[0]++ :: break od; do :: n[1] > 0 -> q!1; n[1]-- :: else -> break od }",
];

#[test]
fn what_is_counted_up_in_vain() {
    for text in NOT_COUNTED {
        let witness = found(&semantics(text));
        assert!(witness.is_none(), "{text}\n{witness:?}");
    }
}

/// A record that says more than is so is refused.
#[test]
fn supplies_that_do_not_count_are_refused() {
    let semantics = semantics(COUNTED[0]);
    let witness = found(&semantics).unwrap();
    let mut supply = witness.supply().unwrap();
    supply.first += supply.steps * supply.times;
    supply.times = 1;
    assert!(semantics.confirm_supplied(witness.prefix(), &supply, witness.pump()).is_err());
    // The pump in place of what counts up.
    let mut run = witness.prefix().clone();
    run.steps.extend(witness.pump().steps.iter().cloned());
    let (first, steps) = (witness.prefix().steps.len(), witness.pump().steps.len());
    let supply = explore::Supply { first, steps, times: 1 };
    assert!(semantics.confirm_supplied(&run, &supply, &Run { steps: witness.pump().steps.clone() }).is_err());
}

/// Random programs of two loops about two numbers: whatever is found can be executed for as many
/// rounds as one likes.
#[test]
fn random_programs_that_count() {
    const PROGRAMS: usize = 400;
    const ROUNDS: usize = 60;
    let mut random = SplitMix::new(47);
    let mut draw = |count: usize| usize::try_from(random.draw() % count as u64).unwrap();
    let tests = [
        "n > 0",
        "n >= 3",
        "2 < n",
        "n != 1",
        "n == 4",
        "n < 9",
        "m > 0",
        "m == 0",
        "m <= n",
        "true",
        "len(q) < 7",
    ];
    let acts = [
        "n++",
        "n--",
        "n = n + 4",
        "n = n - 2",
        "n = 0",
        "m++",
        "m--",
        "m = n",
        "q!1",
        "q!1",
        "r!m",
        "q?_",
        "skip",
    ];
    let mut confirmed = 0;
    for number in 0..PROGRAMS {
        let body = |draw: &mut dyn FnMut(usize) -> usize| -> String {
            let options: Vec<String> = (0..1 + draw(3))
                .map(|_| {
                    let some: Vec<&str> = (0..1 + draw(3)).map(|_| acts[draw(acts.len())]).collect();
                    match draw(4) {
                        0 => format!(":: atomic {{ {} -> {} }}", tests[draw(tests.len())], some.join("; ")),
                        1 => format!(":: d_step {{ {} -> n++; n-- }}", tests[draw(tests.len())]),
                        _ => format!(":: {} -> {}", tests[draw(tests.len())], some.join("; ")),
                    }
                })
                .collect();
            let last = [":: break", ":: else -> break", ":: n == 0 -> break"][draw(3)];
            format!("do {} {last} od", options.join(" "))
        };
        let (one, two, three) = (body(&mut draw), body(&mut draw), body(&mut draw));
        let text = format!(
            "chan q = [1] of {{ bit }}; chan r = [1] of {{ byte }}; int n; byte m;
             active proctype P() {{ do :: n++ :: break od; {one}; {two} }} active proctype Q() {{ {three} }}"
        );
        let semantics = semantics(&text);
        let Some(witness) = found(&semantics) else { continue };
        let times = witness.supply().unwrap().times + 20 * ROUNDS;
        assert_eq!(repeats(&semantics, &witness, times, ROUNDS), ROUNDS, "{number}: {text}\n{witness:?}");
        confirmed += 1;
    }
    assert!(confirmed >= PROGRAMS / 10, "{confirmed}");
}
