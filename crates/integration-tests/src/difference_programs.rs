//! Random small programs in which it matters how two variables differ.
//!
//! Their loops count one variable and ask about another one, which is a copy of the first, a bound
//! for it, or what a neighbour left in it. Some statements in them are as such loops have them, and
//! some are not.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// A program that is being written.
struct Author {
    dice: SplitMix,
    /// How many labels there are.
    labels: usize,
    /// Whether there is a process type `W` to be created.
    workers: bool,
}

/// The types of variables; small ones, so that they are at their ends soon.
const TYPES: [&str; 7] = ["int", "int", "byte", "byte", "short", "unsigned", "bit"];

/// The program that a number stands for. It is well-typed, and has no index and no division.
#[must_use]
pub fn difference_program(seed: u64) -> String {
    let mut author = Author { dice: SplitMix::new(seed), labels: 0, workers: false };
    let mut text = String::new();
    for name in ["g", "h"] {
        let declared = author.declared(name);
        writeln!(text, "{declared};").expect("a string takes all");
    }
    let capacity = author.dice.below(3);
    let field = author.pick(&["byte", "int", "short"]);
    writeln!(text, "chan c = [{capacity}] of {{ {field} }};").expect("a string takes all");
    author.workers = author.once_in(4);
    let processes = 1 + author.dice.below(2) + usize::from(!author.workers);
    for number in 0..processes {
        let (body, instances) = (author.body(), if author.once_in(7) { " [2]" } else { "" });
        let locals = author.locals();
        let head = match (author.workers, number) {
            (true, 0) => "init".to_owned(),
            _ => format!("active{instances} proctype P{number}()"),
        };
        let creations = match (author.workers, number) {
            (true, 0) => author.creations(),
            _ => String::new(),
        };
        writeln!(text, "{head} {{\n{locals}{creations}{body}}}").expect("a string takes all");
    }
    if author.workers {
        let ty = author.pick(&["int", "byte", "short"]);
        let body = match author.dice.below(3) {
            0 => "  do\n  :: x > 0 -> g--; x = g\n  od\n".to_owned(),
            1 => "  do\n  :: x < 3 -> g++; x = g\n  od\n".to_owned(),
            _ => author.body(),
        };
        writeln!(text, "proctype W({ty} x) {{\n  int y;\n{body}}}").expect("a string takes all");
    }
    text
}

impl Author {
    fn once_in(&mut self, times: usize) -> bool {
        self.dice.below(times) == 0
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.dice.below(all.len())]
    }

    /// A declaration with a small number, mostly.
    fn declared(&mut self, name: &str) -> String {
        let (ty, first) = (self.pick(&TYPES), self.dice.below(6));
        let (hidden, width) =
            (if self.once_in(12) { "hidden " } else { "" }, if ty == "unsigned" { " : 3" } else { "" });
        let first = if ty == "bit" { first % 2 } else { first };
        // Locals cannot be hidden, and bits cannot either.
        let hidden = if ty != "bit" && ["g", "h"].contains(&name) { hidden } else { "" };
        format!("{hidden}{ty} {name}{width} = {first}")
    }

    fn locals(&mut self) -> String {
        let (x, mut y) = (self.declared("x"), self.declared("y"));
        if self.once_in(4) {
            let ty = self.pick(&["int", "byte"]);
            y = format!("{ty} y = g");
        }
        format!("  {x};\n  {y};\n")
    }

    fn variable(&mut self) -> &'static str {
        self.pick(&["g", "g", "g", "h", "x", "x", "y"])
    }

    fn number(&mut self) -> String {
        match self.dice.below(14) {
            0 => self.pick(&["255", "-1", "32767", "2147483647", "256"]).to_owned(),
            _ => self.dice.below(6).to_string(),
        }
    }

    /// A variable, at times with a number added.
    fn term(&mut self) -> String {
        let (variable, number) = (self.variable(), self.dice.below(3));
        match self.dice.below(5) {
            0 => format!("{variable} + {number}"),
            1 => format!("{variable} - {number}"),
            _ => variable.to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (left, sign) = (self.term(), self.pick(&["<", "<=", ">", ">=", "==", "!="]));
        let right = if self.once_in(3) { self.number() } else { self.term() };
        let one = format!("{left} {sign} {right}");
        if !self.once_in(5) {
            return one;
        }
        let (other, number) = (self.variable(), self.number());
        match self.dice.below(3) {
            0 => format!("!({one})"),
            1 => format!("{one} && {other} > {number}"),
            _ => format!("{one} || {other} > {number}"),
        }
    }

    /// A label for the next statement, at times.
    fn label(&mut self) -> String {
        if !self.once_in(4) {
            return String::new();
        }
        self.labels += 1;
        format!("progress{}: ", self.labels)
    }

    /// A statement that writes.
    fn change(&mut self) -> String {
        let (target, other) = (self.variable(), self.variable());
        let (number, condition) = (self.number(), self.condition());
        match self.dice.below(15) {
            0..3 => format!("{target} = {number}"),
            3..5 => format!("{target}--"),
            5 => format!("{target}++"),
            6 | 7 => format!("{target} = {}", self.term()),
            8 => format!("{target} = {other} - h"),
            9 => format!("c?{target}"),
            10 => format!("c!{other}"),
            11 => format!("if :: {condition} -> {target} = {other} :: else fi"),
            12 => format!("if :: {condition} :: else -> {target}-- fi"),
            13 if self.workers && self.once_in(2) => format!("{target} = run W({other})"),
            13 => format!("if :: c?eval({target}) :: c?{other} :: {other}-- fi"),
            _ => format!("select ({target} : 0 .. 3)"),
        }
    }

    /// Statements in a row, at times with one more, or one less, or as one.
    fn row(&mut self, own: &[String]) -> String {
        let mut all = own.to_vec();
        match self.dice.below(6) {
            0 => {
                let at = self.dice.below(all.len() + 1);
                let more = self.change();
                all.insert(at, more);
            }
            1 if all.len() > 2 => drop(all.remove(self.dice.below(all.len()))),
            _ => {}
        }
        // Spin does not see a label at the beginning of an option.
        let last = all.len() - 1;
        if last > 0 {
            all[last] = self.label() + &all[last];
        }
        let row = all.join("; ");
        match self.dice.below(7) {
            0 => format!("atomic {{ {row} }}"),
            1 if !row.contains('?')
                && !row.contains('!')
                && !row.contains("run")
                && !row.contains("progress") =>
            {
                format!("d_step {{ {row} }}")
            }
            _ => row,
        }
    }

    /// Counts one variable, and asks about another.
    fn counting(&mut self) -> String {
        let (counted, asked) = (self.variable(), self.variable());
        let bound = if self.once_in(3) { self.variable().to_owned() } else { self.number() };
        let (copy, by) = (format!("{asked} = {counted}"), 1 + usize::from(self.once_in(6)));
        let own = match self.dice.below(4) {
            0 => [format!("{asked} < {bound}"), format!("{counted} = {counted} + {by}"), copy],
            1 => [format!("{asked} > {bound}"), copy, format!("{counted} = {counted} - {by}")],
            _ => [format!("{asked} > {bound}"), format!("{counted} = {counted} - {by}"), copy],
        };
        self.row(&own)
    }

    /// Two variables that come nearer to each other, or go apart.
    fn nearer(&mut self) -> String {
        let (one, other, condition) = (self.variable(), self.variable(), self.pick(&["<", ">", "!=", ">="]));
        let change = match self.dice.below(3) {
            0 => format!("{one}++"),
            1 => format!("{one}--"),
            _ => format!("{other}--"),
        };
        self.row(&[format!("{one} {condition} {other}"), change])
    }

    fn option(&mut self) -> String {
        match self.dice.below(8) {
            0..3 => self.counting(),
            3 => self.nearer(),
            4 | 5 => {
                let (guard, change) = (self.condition(), self.change());
                self.row(&[guard, change])
            }
            6 => self.condition() + " -> break",
            _ => {
                let own = [self.change(), self.change()];
                self.row(&own)
            }
        }
    }

    /// A loop.
    fn body(&mut self) -> String {
        let first = if self.once_in(4) { format!("  {};\n", self.change()) } else { String::new() };
        let mut options: Vec<String> = (0..=self.dice.below(3)).map(|_| self.option()).collect();
        if self.once_in(6) {
            options.push(format!("else -> {}", self.change()));
        }
        let all = format!("  do\n  :: {}\n  od", options.join("\n  :: "));
        let last = self.change();
        match self.dice.below(8) {
            0 => format!("{first}  {{\n{all}\n  }} unless {{ {}; {last} }}\n", self.condition()),
            _ => format!("{first}{all};\n  {last}\n"),
        }
    }

    /// Writes, and creates processes.
    fn creations(&mut self) -> String {
        let (before, term, other) = (self.change(), self.term(), self.number());
        let plain = format!("  g = {};\n  run W({term});\n", self.dice.below(6));
        match self.dice.below(4) {
            0 => format!("  {before};\n{plain}"),
            1 => format!("{plain}  run W({other});\n"),
            _ => plain,
        }
    }
}
