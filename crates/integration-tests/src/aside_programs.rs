//! Random small programs whose processes put messages aside in queues of their own, look at these
//! and take them back; now and then somebody else gets to know of such a queue.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn aside_program(seed: u64) -> String {
    let mut dice = SplitMix::new(seed);
    let mut text = String::from("chan c = [2] of { byte, byte };\nchan h;\n");
    text += "proctype W(chan w) { if :: w!1,1 :: w?1,_ :: w?_,_ fi }\n";
    text += "active proctype V() { byte a, b; do :: c?a,b :: nfull(c) -> c!b,2 od }\n";
    for process in 0..=dice.below(2) {
        let count = ["active", "active", "active [2]"][dice.below(3)];
        let (room, ty) = (1 + dice.below(3), ["byte", "byte", "bit", "short"][dice.below(4)]);
        writeln!(text, "{count} proctype P{process}() {{").expect("a string takes all");
        writeln!(text, "chan d = [{room}] of {{ {ty}, byte }}; chan e = [1] of {{ byte }};")
            .expect("a string takes all");
        writeln!(text, "chan f; byte m, k, x;\ndo").expect("a string takes all");
        for _ in 0..2 + dice.below(4) {
            let steps: Vec<String> = (0..=dice.below(4)).map(|_| step(&mut dice)).collect();
            writeln!(text, ":: {}", held(&mut dice, &steps.join("; "))).expect("a string takes all");
        }
        text += ":: k = 1 - k\nod }\n";
    }
    text
}

/// Statements, perhaps without others in between.
fn held(dice: &mut SplitMix, steps: &str) -> String {
    match dice.below(8) {
        0 => format!("atomic {{ {steps} }}"),
        1 => format!("{{ {steps} }} unless {{ x == 7 -> x = 0 }}"),
        _ => steps.into(),
    }
}

/// A statement.
fn step(dice: &mut SplitMix) -> String {
    let (one, other) = (dice.below(3), dice.below(3));
    let put =
        [format!("d!{one},{other}"), "d!m,k".into(), format!("d!k,{other}"), format!("d!{},k", 255 + one)];
    let put = put[dice.below(4)].clone();
    let take = [
        "d?m,k".into(),
        "d?k,m".into(),
        "d?_,m".into(),
        format!("d?{one},k"),
        "d?eval(k),m".into(),
        format!("d?m,{other}"),
    ];
    let take = take[dice.below(6)].clone();
    let asks = [
        "empty(d)".into(),
        "nempty(d)".into(),
        "d?[_,_]".into(),
        "!d?[m,_]".into(),
        format!("d?[{one},_]"),
        format!("!d?[_,{other}]"),
        format!("len(d) == {one}"),
        format!("len(d) > {one} && m == {other}"),
        format!("(empty(d) || k == {one})"),
        "nempty(e) && empty(d)".into(),
        format!("m == {one}"),
        format!("k != {other}"),
    ];
    let ask = asks[dice.below(12)].clone();
    let rare = [
        format!("d!!{one},{other}"),
        format!("d??{one},k"),
        format!("d??[{one},_]"),
        "f = d; f!1,1".into(),
        "f = d; f?_,_".into(),
        "h = d".into(),
        "h!2,2".into(),
        "_nr_pr < 9 -> run W(d)".into(),
    ];
    match dice.below(24) {
        0..=4 => put,
        5..=7 => take,
        8 | 9 => ask,
        10 => format!("if :: {ask} -> {put} :: else -> {take} fi"),
        11 => format!("if :: {ask} -> m = {one} :: else -> m = {other} fi"),
        12 => format!("if :: {take} -> m = {one} :: {ask} -> k = {other} fi"),
        13 => "d?<m,k>".into(),
        14 => format!("{put}; {take}; if :: m == {one} :: m != {one} fi"),
        15 | 16 => format!("empty(d) -> {put}; c?k,x; {take}; if :: m == k -> x = 1 :: m != k -> x = 2 fi"),
        17 => format!("e!k; e?m; if :: m == {one} :: m != {one} fi"),
        18 => ["e!len(d)", "e?k", "e?<m>", "nfull(e) -> e!m"][dice.below(4)].into(),
        19 => format!("d_step {{ {put}; {take} }}"),
        20 => ["nfull(c) -> c!m,k", "c?m,k", "c?k,_"][dice.below(3)].into(),
        21 if dice.below(6) == 0 => rare[dice.below(8)].clone(),
        21 => format!("k = {one}"),
        22 => format!("m = {one}"),
        _ => "k = m".into(),
    }
}
