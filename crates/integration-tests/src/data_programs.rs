//! Random small programs whose verdicts rest on data.
//!
//! Each process is one of a few kinds of loop that models are full of (counters, flags,
//! acknowledgements, values that travel in messages, little machines whose state is a variable),
//! with details drawn at random, so that some do what they should, and some do not.

use std::fmt::Write as _;

use cfsm_core::splitmix::SplitMix;

/// Where numbers come from: the same seed gives the same ones.
struct Dice(SplitMix);

impl Dice {
    /// A number less than `sides`.
    const fn roll(&mut self, sides: u64) -> u64 {
        self.0.draw() % sides
    }

    const fn once_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.roll(all.len() as u64)).unwrap_or(0);
        all[at]
    }
}

/// A program that is being written.
struct Author {
    dice: Dice,
    /// How many labels there are.
    labels: usize,
}

/// The program that a number stands for. It is well-typed, has no index and no division, and keeps
/// most variables small.
#[must_use]
pub fn data_program(seed: u64) -> String {
    let mut author = Author { dice: Dice(SplitMix::new(seed)), labels: 0 };
    let mut text = String::from("mtype = { a, b };\nbyte g; bool f;\n");
    for channel in ["q", "r", "s"] {
        let capacity = if author.dice.once_in(9) { 0 } else { 1 + author.dice.roll(2) };
        writeln!(text, "chan {channel} = [{capacity}] of {{ byte }};").expect("a string takes all");
    }
    writeln!(text, "chan m = [{}] of {{ mtype, byte }};", 1 + author.dice.roll(2))
        .expect("a string takes all");
    let processes = 1 + author.dice.roll(3);
    for number in 0..processes {
        let body = author.body();
        let instances = if author.dice.once_in(8) { " [2]" } else { "" };
        writeln!(
            text,
            "active{instances} proctype P{number}() {{\n  byte x, y; bool w; mtype k;\n{body}  skip\n}}"
        )
        .expect("a string takes all");
    }
    if author.dice.once_in(5) {
        text.push_str(&author.workers());
    }
    text
}

impl Author {
    fn channel(&mut self) -> &'static str {
        self.dice.pick(&["q", "r", "s"])
    }

    fn number(&mut self) -> String {
        self.dice.roll(4).to_string()
    }

    /// A label for the next statement, at times.
    fn label(&mut self) -> String {
        if !self.dice.once_in(3) {
            return String::new();
        }
        self.labels += 1;
        format!("progress{}: ", self.labels)
    }

    /// What depends on nothing and makes others depend on it.
    fn change(&mut self) -> String {
        let number = self.number();
        let other = 2 + self.dice.roll(2);
        match self.dice.roll(9) {
            0 => format!("x = {number}"),
            1 => format!("x = (x + 1) % {other}"),
            2 => format!("g = (g + {number}) % {other}"),
            3 => "f = !f".into(),
            4 => format!("f = {}", self.dice.roll(2)),
            5 => format!("if :: x > {number} -> x-- :: else fi"),
            6 => format!("if :: g < {number} -> g++ :: else fi"),
            7 => "w = !w".into(),
            _ => "y = x".into(),
        }
    }

    fn condition(&mut self) -> String {
        let number = self.number();
        match self.dice.roll(11) {
            0 => format!("x == {number}"),
            1 => format!("x < {number}"),
            2 => "f".into(),
            3 => "!f".into(),
            4 => format!("g == {number}"),
            5 => format!("g < {number}"),
            6 => "w".into(),
            7 => format!("y != {number}"),
            8 => format!("full({})", self.channel()),
            9 => "timeout".into(),
            _ => format!("len({}) < {number}", self.channel()),
        }
    }

    /// What is sent or received.
    fn talk(&mut self) -> String {
        let channel = self.channel();
        let number = self.number();
        let symbol = self.dice.pick(&["a", "b"]);
        match self.dice.roll(11) {
            0 | 1 => format!("{channel}!{number}"),
            2 => format!("{channel}!x"),
            3 | 4 => format!("{channel}?y"),
            5 => format!("{channel}?eval(x)"),
            6 => format!("{channel}?{number}"),
            7 => format!("m!{symbol}(x)"),
            8 => format!("m?{symbol}(y)"),
            9 => self.impatient(),
            _ => "m?k(y)".into(),
        }
    }

    /// A send that may be given up, if there is no room.
    fn impatient(&mut self) -> String {
        let (channel, change) = (self.channel(), self.change());
        format!("if :: {channel}!1 :: else -> {change} fi")
    }

    /// Statements behind a guard, in a row; maybe one more than a kind of loop has by itself.
    fn row(&mut self, own: &[&str]) -> String {
        let mut all: Vec<String> = own.iter().map(|one| (*one).to_owned()).collect();
        if self.dice.once_in(4) {
            let at = usize::try_from(self.dice.roll(all.len() as u64 + 1)).unwrap_or(0);
            let more = if self.dice.once_in(3) { self.talk() } else { self.change() };
            all.insert(at, more);
        }
        // Spin does not see a label at the beginning of an option.
        let at = all.len() - 1;
        if at > 0 {
            all[at] = self.label() + &all[at];
        }
        let row = all.join("; ");
        if all.len() > 1 && self.dice.once_in(6) { format!("atomic {{ {row} }}") } else { row }
    }

    /// A loop.
    fn body(&mut self) -> String {
        match self.dice.roll(16) {
            0 | 1 => return self.phases(),
            2 => return self.overtaken(),
            _ => {}
        }
        let options = match self.dice.roll(9) {
            0 => self.counter(),
            1 => self.asker(),
            2 => self.alternating(),
            3 => self.answerer(),
            4 => self.shared_counter(),
            5 => self.turns(),
            6 => self.stopped(),
            7 => self.tagged(),
            _ => self.anything(),
        };
        let first = match self.dice.roll(8) {
            0 | 1 => format!("  {};\n", self.change()),
            2 => format!("  {};\n", self.few()),
            _ => String::new(),
        };
        format!("{first}  do\n  :: {}\n  od\n", options.join("\n  :: "))
    }

    /// Sends a few messages that somebody has to make room for, and asks what became of it.
    fn few(&mut self) -> String {
        let (channel, last, asked) = (self.channel(), self.impatient(), self.condition());
        let sends =
            vec![format!("{channel}!2"); usize::try_from(1 + self.dice.roll(2)).unwrap_or(1)].join("; ");
        if self.dice.once_in(2) {
            format!("{sends}; {last}")
        } else {
            format!("atomic {{ {sends} }}; {asked}")
        }
    }

    /// What goes round, or sends on and on, only where there is no room.
    fn overtaken(&mut self) -> String {
        let (channel, other, guard) = (self.channel(), self.channel(), self.condition());
        let sends =
            vec![format!("{channel}!0"); usize::try_from(1 + self.dice.roll(2)).unwrap_or(1)].join("; ");
        let (first, second) = (self.change(), self.label());
        let round = match self.dice.roll(3) {
            0 => format!("{other}!1; {second}{first}"),
            _ => format!("{first}; {second}{}", self.change()),
        };
        let instead = match self.dice.roll(3) {
            0 => format!("full({channel})"),
            1 => format!("timeout && {guard}"),
            _ => "else".into(),
        };
        format!(
            "  {sends};\n  if\n  :: {channel}!0\n  :: {instead} -> do :: {round} :: {guard} -> break od\n  fi;\n"
        )
    }

    /// Two loops, each of which takes what the other one gives, and a way from the first one to the
    /// second, seldom back.
    fn phases(&mut self) -> String {
        let (one, other) = (self.channel(), self.channel());
        let (first, second) = (self.label(), self.label());
        let start = vec![format!("{one}!1"); usize::try_from(1 + self.dice.roll(2)).unwrap_or(1)].join("; ");
        let again = if self.dice.once_in(4) { "  goto again\n" } else { "" };
        let leave = self.dice.pick(&["skip", "f", "g > 0"]);
        format!(
            "  {start};\nagain:\n  do\n  :: {one}?y -> {other}!1; {first}{other}!y\n  :: {leave} -> break\n  od;
  do\n  :: {other}?y -> {second}{one}!1\n  :: !w -> {}; break\n  od;\n{again}",
            self.change()
        )
    }

    /// Sends while it has something left.
    fn counter(&mut self) -> Vec<String> {
        let (channel, back, most) = (self.channel(), self.channel(), 2 + self.dice.roll(60));
        let mut options = vec![self.row(&[&format!("x < {most}"), &format!("{channel}!1"), "x++"])];
        match self.dice.roll(4) {
            0 => options.push(self.row(&["x > 0", &format!("{back}?y"), "x--"])),
            1 => options.push(format!("x >= {most} -> break")),
            2 => options.push(self.row(&[&format!("x == {most}"), &format!("{back}?y"), "x = 0"])),
            _ => {}
        }
        options
    }

    /// Asks once, and waits for the answer.
    fn asker(&mut self) -> Vec<String> {
        let (channel, back) = (self.channel(), self.channel());
        vec![
            self.row(&["!w", &format!("{channel}!x"), "w = true"]),
            self.row(&["w", &format!("{back}?y"), "w = false"]),
        ]
    }

    /// The alternating bit.
    fn alternating(&mut self) -> Vec<String> {
        let (channel, back) = (self.channel(), self.channel());
        let mut options = vec![self.row(&[&format!("{channel}!x"), &format!("{back}?eval(x)"), "x = 1 - x"])];
        if self.dice.once_in(2) {
            options.push(self.row(&[&format!("{back}?eval(1 - x)"), "y = 0"]));
        }
        options
    }

    /// Answers, maybe depending on the question.
    fn answerer(&mut self) -> Vec<String> {
        let (channel, back, number) = (self.channel(), self.channel(), self.number());
        let answer = match self.dice.roll(4) {
            0 => format!("if :: y == {number} -> {back}!y :: else fi"),
            1 => format!("if :: y == {number} -> {back}!y :: else -> {back}!x fi"),
            2 => format!("{back}!1 - y"),
            _ => format!("{back}!y"),
        };
        vec![self.row(&[&format!("{channel}?y"), &answer])]
    }

    /// Counts what is under way in a variable that all see.
    fn shared_counter(&mut self) -> Vec<String> {
        let (channel, most) = (self.channel(), 1 + self.dice.roll(4));
        let mut options = vec![match self.dice.roll(2) {
            0 => format!("atomic {{ g < {most} -> g++ }}; {channel}!g"),
            _ => self.row(&[&format!("g < {most}"), "g++", &format!("{channel}!1")]),
        }];
        match self.dice.roll(3) {
            0 => options.push(self.row(&[&format!("{channel}?y"), "if :: g > 0 -> g-- :: else fi"])),
            1 => options.push(self.row(&[&format!("g == {most}"), &format!("{channel}?y"), "g = 0"])),
            _ => {}
        }
        options
    }

    /// A little machine whose state is a variable.
    fn turns(&mut self) -> Vec<String> {
        let states = 2 + self.dice.roll(2);
        let turn = |this: &mut Self, state: u64| {
            let next = if this.dice.once_in(4) { this.dice.roll(states) } else { (state + 1) % states };
            let does = if this.dice.once_in(3) { this.change() } else { this.talk() };
            this.row(&[&format!("x == {state}"), &does, &format!("x = {next}")])
        };
        (0..states).map(|state| turn(self, state)).collect()
    }

    /// Goes round until somebody says stop.
    fn stopped(&mut self) -> Vec<String> {
        let work = match self.dice.roll(3) {
            0 => self.talk(),
            _ => self.change(),
        };
        let mut options = vec![self.row(&["!f", &work]), "f -> break".into()];
        if self.dice.once_in(2) {
            let guard = self.condition();
            options.push(self.row(&[&guard, "f = true"]));
        }
        options
    }

    /// Values that travel with symbols.
    fn tagged(&mut self) -> Vec<String> {
        let number = self.number();
        let mut options = vec![
            self.row(&["w == 0", "m!a(x)", "w = 1"]),
            self.row(&[
                "m?k(y)",
                &format!("if :: k == a -> m!b(y) :: k == b && y == {number} -> w = 0 :: else fi"),
            ]),
        ];
        if self.dice.once_in(3) {
            options.push(self.row(&["m?b(y)", "w = 0"]));
        }
        options
    }

    fn anything(&mut self) -> Vec<String> {
        let option = |this: &mut Self| {
            let guard = if this.dice.once_in(3) { this.talk() } else { this.condition() };
            let body = [this.talk(), this.change()];
            let length = 1 + usize::from(this.dice.once_in(2));
            let mut all = vec![guard.as_str()];
            all.extend(body[..length].iter().map(String::as_str));
            this.row(&all)
        };
        (0..=self.dice.roll(3)).map(|_| option(self)).collect()
    }

    /// Processes that are created.
    fn workers(&mut self) -> String {
        let (channel, number) = (self.channel(), 1 + self.dice.roll(3));
        let create = match self.dice.roll(3) {
            0 => format!("run W({number}); run W(2)"),
            1 => format!("do :: i < {number} -> run W(i); i++ :: else -> break od"),
            _ => format!("do :: i < {number} -> run W(i); i++; {channel}?i :: else -> break od"),
        };
        format!(
            "proctype W(byte n) {{ do :: n > 0 -> {channel}!n; n-- :: n == 0 -> break od }}\ninit {{ byte i; {create} }}\n"
        )
    }
}
