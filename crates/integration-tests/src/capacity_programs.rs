//! Random small programs in which it matters how much room queues have, each of which has its own
//! number of places: sends that are given up or go elsewhere if they have to wait, questions after
//! room and length, and others that see that somebody waits.

use std::cell::RefCell;
use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

use crate::room::with_capacities;

/// Most messages in a queue, as declared.
const MOST: usize = 4;

/// The text with other capacities, each drawn by itself, wherever a channel is declared with a
/// number; rendezvous channels stay.
#[must_use]
pub fn with_unequal_capacities(text: &str, seed: u64) -> String {
    let dice = RefCell::new(SplitMix::new(seed ^ 0x5eed));
    with_capacities(text, |declared| {
        declared?;
        u32::try_from(1 + dice.borrow_mut().below(MOST)).ok()
    })
}

/// A program that is being written.
struct Author {
    dice: SplitMix,
    /// The queues, and their capacities.
    queues: Vec<Queue>,
    /// How many processes there are.
    processes: usize,
}

#[derive(Clone, Debug)]
struct Queue {
    name: String,
    capacity: usize,
}

/// The program that a number stands for.
///
/// # Panics
/// Never: a string takes all.
#[must_use]
pub fn capacity_program(seed: u64) -> String {
    let mut author = Author { dice: SplitMix::new(seed), queues: Vec::new(), processes: 0 };
    author.processes = 1 + author.dice.below(3);
    let mut text = author.queues();
    text += "byte g; bit f;\n";
    let has_priorities = author.dice.below(12) == 0;
    for number in 0..author.processes {
        let count = if author.dice.below(8) == 0 { " [2]" } else { "" };
        let priority =
            if has_priorities { format!(" priority {}", 1 + author.dice.below(3)) } else { String::new() };
        let body = author.body();
        writeln!(text, "active{count} proctype P{number}(){priority} {{\n  byte x, y;\n{body}}}")
            .expect("a string takes all");
    }
    if author.dice.below(3) == 0 {
        text += &author.watchman();
    }
    if author.dice.below(5) == 0 {
        text += &author.created();
    }
    text
}

impl Author {
    fn queues(&mut self) -> String {
        let mut text = String::new();
        for name in ["a", "b", "c"].into_iter().take(2 + self.dice.below(2)) {
            let capacity = 1 + self.dice.below(MOST);
            writeln!(text, "chan {name} = [{capacity}] of {{ byte }};").expect("a string takes all");
            self.queues.push(Queue { name: name.to_owned(), capacity });
        }
        if self.dice.below(5) == 0 {
            let capacity = 1 + self.dice.below(MOST);
            writeln!(text, "chan d[2] = [{capacity}] of {{ byte }};").expect("a string takes all");
            self.queues.extend(["d[0]", "d[1]"].map(|name| Queue { name: name.to_owned(), capacity }));
        }
        text
    }

    fn queue(&mut self) -> Queue {
        let at = self.dice.below(self.queues.len());
        self.queues[at].clone()
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.dice.below(all.len())]
    }

    /// What is sent: mostly always the same, so that there are few states.
    fn value(&mut self) -> &'static str {
        self.one_of(&["1", "1", "1", "1", "0", "x"])
    }

    /// A send, and what depends on whether there is room for it.
    fn attempt(&mut self) -> String {
        let (queue, other, value) = (self.queue(), self.queue(), self.value());
        let (queue, other, number) = (queue.name, other.name, queue.capacity);
        let change = self.change();
        match self.dice.below(22) {
            0..4 => format!("{queue}!{value}"),
            4 | 5 => format!("if :: {queue}!{value} :: else -> {other}!{value} fi"),
            6 | 7 => format!("if :: {queue}!{value} :: else -> {change} fi"),
            8 => format!("if :: full({queue}) -> {other}!{value} :: nfull({queue}) -> {queue}!{value} fi"),
            9 => format!("nfull({queue}) -> {queue}!{value}"),
            10 => format!("atomic {{ nfull({queue}) -> {queue}!{value} }}"),
            11 => format!("atomic {{ {queue}!{value}; {other}!{value} }}"),
            12 => format!("d_step {{ nfull({queue}) -> {queue}!{value} }}"),
            13 => format!("{{ {other}!{value} }} unless {{ {queue}!{value} }}"),
            14 => format!("{{ {queue}!1; {queue}!1 }} unless {{ timeout -> {other}!{value} }}"),
            15 => format!(
                "if :: len({queue}) < {number} -> {queue}!{value} :: len({queue}) >= {number} -> {other}!{value} fi"
            ),
            16 => format!("if :: {queue}!{value} :: timeout -> {other}!{value} fi"),
            17 => format!("{queue}!!{value}"),
            18 => format!("if :: full({queue}) && full({other}) -> {change} :: {queue}!{value} fi"),
            19 => format!("if :: {queue}!{value} :: {other}!{value} :: else -> {change} fi"),
            20 => format!("atomic {{ f = 1; {queue}!{value}; f = 0 }}"),
            _ => {
                let process = self.dice.below(self.processes);
                format!(
                    "if :: enabled({process}) -> {queue}!{value} :: enabled({process}) == 0 -> {change} fi"
                )
            }
        }
    }

    fn change(&mut self) -> &'static str {
        self.one_of(&["f = 1", "f = 0", "g = 1", "skip", "if :: g < 3 -> g++ :: g >= 3 -> skip fi"])
    }

    fn receive(&mut self) -> String {
        let queue = self.queue().name;
        let ending = self.one_of(&["?y", "?y", "?_", "?1", "??1", "?<y>"]);
        format!("{queue}{ending}")
    }

    /// What a process does: mostly something that comes to an end, or goes on only with what others
    /// send.
    fn body(&mut self) -> String {
        let start = match self.dice.below(4) {
            0 => format!("  {};\n", self.attempt()),
            1 => format!("  {};\n  {};\n", self.attempt(), self.attempt()),
            _ => String::new(),
        };
        let most = 1 + self.dice.below(4);
        let (one, other, taken) = (self.attempt(), self.attempt(), self.receive());
        let rest = match self.dice.below(10) {
            0..3 => format!("  do\n  :: x < {most} -> {one}; x++\n  :: x == {most} -> break\n  od\n"),
            3 | 4 => format!("  do\n  :: {taken} -> {one}\n  od\n"),
            5 => format!("  do\n  :: {taken}\n  :: x < {most} -> x++; {one}\n  od\n"),
            6 => format!("  do\n  :: {one}; {taken}\n  od\n"),
            7 => format!("  do\n  :: {one}; {taken}; {other}\n  :: {}\n  od\n", self.receive()),
            8 => format!("  do\n  :: {one}\n  od\n"),
            _ => format!("  {one};\n  {other};\n  {taken}\n"),
        };
        start + &rest
    }

    /// Somebody who looks at others.
    fn watchman(&mut self) -> String {
        let (queue, other, number) = (self.queue(), self.queue(), self.dice.below(3));
        let guard = match self.dice.below(5) {
            0 => "timeout".to_owned(),
            1 => "timeout && g == 0".to_owned(),
            2 => format!("len({}) > len({})", queue.name, other.name),
            3 => "f".to_owned(),
            _ => format!("full({})", queue.name),
        };
        let told = self.queue().name;
        if self.dice.below(2) == 0 {
            format!("active proctype W() {{ do :: {guard} -> {told}!1 od }}\n")
        } else {
            let sends = vec![format!("{told}!1"); 1 + number].join("; ");
            format!("active proctype W() {{ {guard} -> {sends} }}\n")
        }
    }

    /// Processes that are created with a queue.
    fn created(&mut self) -> String {
        let (first, second, other) = (self.queue().name, self.queue().name, self.queue().name);
        let attempt = self.one_of(&[
            "if :: q!1 :: else -> o!1 fi",
            "if :: full(q) -> o!1 :: nfull(q) -> q!1 fi",
            "nfull(q) -> q!1; o!1",
        ]);
        format!(
            "proctype K(chan q; chan o) {{ {attempt} }}\ninit {{ run K({first}, {other}); run K({second}, {other}) }}\n"
        )
    }
}
