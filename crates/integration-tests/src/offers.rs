//! Parts of random programs that several families share: sends that depend on how much room there
//! is, and processes beside others.

use cfsm_core::splitmix::SplitMix;

/// Draws parts of a program. Programs that make use of [`offer`](Self::offer) declare a channel
/// `err` of bytes.
pub(crate) struct Dice(SplitMix);

impl Dice {
    /// The dice of a program that a number stands for.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// A number below another one.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0.below(most)
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some texts.
    pub(crate) fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// The one, or, once in so many times, one of the others.
    pub(crate) fn mostly<'a>(&mut self, one: &'a str, times: usize, others: &[&'a str]) -> &'a str {
        if self.once_in(times) { self.one_of(others) } else { one }
    }

    /// A send, and what is done where there is no room for it: mostly nothing but to wait.
    pub(crate) fn offer(&mut self, channel: &str, message: &str) -> String {
        let send = format!("{channel}!{message}");
        if !self.once_in(3) {
            return send;
        }
        let number = 1 + self.below(4);
        match self.below(11) {
            0 | 1 => format!("nfull({channel}) -> {send}"),
            2 => format!("atomic {{ nfull({channel}) -> {send} }}"),
            3 => format!("len({channel}) < {number} -> {send}"),
            4 => format!("if :: {send} :: full({channel}) -> skip fi"),
            5 => format!("if :: {send} :: else -> skip fi"),
            6 => format!("if :: {send} :: else -> err!1 fi"),
            7 => format!("if :: nfull({channel}) -> {send} :: full({channel}) -> err!1 fi"),
            8 => format!("if :: {send} :: timeout -> err!1 fi"),
            9 => {
                format!("if :: len({channel}) < {number} -> {send} :: len({channel}) >= {number} -> skip fi")
            }
            _ => format!("{{ {send} }} unless {{ timeout -> err!1 }}"),
        }
    }

    /// The declaration of `err`, and at times a process beside all others that has something to do
    /// with it, or with another channel of bytes.
    pub(crate) fn beside(&mut self, channel: &str) -> String {
        let capacity = 1 + self.below(3);
        let process = match self.below(14) {
            0 => "do :: err?_ od".to_owned(),
            1 => format!("if :: full({channel}) -> err!1 :: err?_ fi"),
            2 => "timeout -> err!1".to_owned(),
            3 => format!("do :: full({channel}) -> err!1; err?_ od"),
            4 => "err!1; err!1; do :: err?_ od".to_owned(),
            5 => format!("do :: len({channel}) > 1 -> err!1 od"),
            _ => return format!("chan err = [{capacity}] of {{ byte }};\n"),
        };
        format!("chan err = [{capacity}] of {{ byte }};\nactive proctype Beside() {{ {process} }}\n")
    }
}
