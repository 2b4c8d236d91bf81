//! Families of Promela models, as large as one likes: what an abstraction must get through.
//!
//! In all of them but [`Family::Clients`] and [`Family::Flags`] a process is the same machine of 50
//! statements, a member of a ring that takes tokens from its neighbour and passes them on:
//!
//! ```text
//! ACCOUNT = START;
//! FIRST;
//! do
//! :: IN?token,j -> account = (account + value) % 16;        (for j in 0..4)
//!    if :: account > j -> OUT!token,(j + 1) % 4
//!       :: else -> OUT!release,account fi
//! :: IN?release,value -> ...the same...                     (for j in 4..8)
//! od
//! ```
//!
//! Every message that is sent is paid for with one that is received, so there are never more
//! messages than at the start: whoever tells all channels apart, or none of them, can prove that.

use std::fmt::Write;

/// What grows with the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// As many process types as the size says, each with its own text and 50 statements, in a ring
    /// over an array of channels. Every index is a constant.
    Ring,
    /// One process type, of which a loop in `init` creates so many processes, each with its number.
    /// The indices are the parameter and the number behind it.
    Created,
    /// One process type with so many instances at the start; beyond 250, which Promela nearly ends
    /// at, another type with the same text for each further 250. The indices are `_pid` and the
    /// number behind it.
    Instances,
    /// So many clients, each a process type with a channel of its own, that they send to one
    /// server, which answers through it.
    Clients,
    /// The same with one process type for all clients, created in a loop.
    CreatedClients,
    /// So many processes of one type, each created by a `run` of its own with a constant, that test
    /// and write an array of 64 flags; `init` sets two globals before.
    Flags,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Ring, Self::Created, Self::Instances, Self::Clients, Self::CreatedClients, Self::Flags];

    /// Its name, in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Created => "created",
            Self::Instances => "instances",
            Self::Clients => "clients",
            Self::CreatedClients => "created-clients",
            Self::Flags => "flags",
        }
    }

    /// The model of a size of at least 1. Time and memory linear in the size.
    #[must_use]
    pub fn text(self, size: usize) -> String {
        match self {
            Self::Ring => ring(size),
            Self::Created => created(size),
            Self::Instances => instances(size),
            Self::Clients => clients(size),
            Self::CreatedClients => created_clients(size),
            Self::Flags => flags(size),
        }
    }
}

/// Statements of a process of a ring.
pub const STATEMENTS: usize = 50;

/// The declarations of a ring.
fn ring_head(size: usize) -> String {
    format!("mtype = {{ token, release }};\nchan q[{size}] = [4] of {{ mtype, byte }};\n\n")
}

/// The body of a member of a ring, with [`STATEMENTS`] edges: what it begins with, and the indices
/// of the channels that it receives from and sends to.
fn member(start: usize, first: &str, from: &str, to: &str) -> String {
    let mut text = format!("    byte value, account;\n    account = {start};\n    {first};\n    do\n");
    for option in 0..8 {
        let pattern = if option < 4 { format!("token,{option}") } else { String::from("release,value") };
        let _ = writeln!(
            text,
            "    :: q[{from}]?{pattern} -> account = (account + value) % 16;\n       \
             if :: account > {option} -> q[{to}]!token,{}\n          \
             :: else -> q[{to}]!release,account fi",
            (option + 1) % 4
        );
    }
    text + "    od\n"
}

fn ring(size: usize) -> String {
    let mut text = ring_head(size);
    for number in 0..size {
        let (from, to) = (number.to_string(), ((number + 1) % size).to_string());
        let first = if number == 0 { format!("q[{to}]!token,0") } else { String::from("skip") };
        let body = member(number % 16, &first, &from, &to);
        let _ = writeln!(text, "active proctype member_{number}() {{\n{body}}}\n");
    }
    text
}

fn created(size: usize) -> String {
    let body = member(0, "skip", "id", &format!("(id + 1) % {size}"));
    let head = ring_head(size);
    format!(
        "{head}proctype member(short id) {{\n{body}}}\n\n\
         init {{\n    short i;\n    q[0]!token,0;\n    \
         atomic {{ i = 0; do :: i < {size} -> run member(i); i++ :: else -> break od }}\n}}\n"
    )
}

fn instances(size: usize) -> String {
    const MOST: usize = 250;
    let first = format!("if :: _pid == 0 -> q[1 % {size}]!token,0 :: else fi");
    let body = member(0, &first, "_pid", &format!("(_pid + 1) % {size}"));
    let mut text = ring_head(size);
    for (number, start) in (0..size).step_by(MOST).enumerate() {
        let count = MOST.min(size - start);
        let _ = writeln!(text, "active [{count}] proctype member_{number}() {{\n{body}}}\n");
    }
    text
}

/// The server of clients, and what it is called by.
fn server(size: usize) -> String {
    format!(
        "mtype = {{ request, grant, deny }};\nchan server = [{size}] of {{ mtype, chan }};\n\n\
         active proctype Server() {{\n    chan who;\n    \
         do :: server?request,who -> if :: who!grant :: who!deny fi od\n}}\n\n"
    )
}

/// The body of a client.
const CLIENT: &str = "    chan reply = [1] of { mtype };\n    \
    do :: server!request,reply -> if :: reply?grant :: reply?deny -> skip fi od\n";

fn clients(size: usize) -> String {
    let mut text = server(size);
    for number in 0..size {
        let _ = writeln!(text, "active proctype client_{number}() {{\n{CLIENT}}}\n");
    }
    text
}

fn created_clients(size: usize) -> String {
    let head = server(size);
    format!(
        "{head}proctype client() {{\n{CLIENT}}}\n\n\
         init {{\n    short i;\n    do :: i < {size} -> run client(); i++ :: else -> break od\n}}\n"
    )
}

fn flags(size: usize) -> String {
    let mut text = String::from(
        "byte flag[64];\nbyte limit, step;\nchan done = [8] of { byte };\n\n\
         proctype user(short id) {\n    byte other;\n    do\n    \
         :: flag[id % 64] == 0 -> flag[id % 64] = 1; other = flag[(id + 1) % 64];\n       \
         if :: other < limit -> done!other\n          \
         :: else -> flag[(id + step) % 64] = 0 fi;\n       \
         flag[id % 64] = 0\n    \
         :: flag[(id + step) % 64] > limit -> break\n    od\n}\n\n\
         init {\n    limit = 3;\n    step = 2;\n    atomic {\n",
    );
    for number in 0..size {
        let _ = writeln!(text, "        run user({number});");
    }
    text + "    };\n    do :: done?_ od\n}\n"
}

#[cfg(test)]
mod tests {
    use freeboard::read_promela;
    use promela_front::{Options, parse};

    use super::*;

    #[test]
    fn every_model_can_be_read() {
        for family in Family::ALL {
            for size in [1, 2, 20, 300] {
                let read = parse(family.name(), &family.text(size), &Options::default());
                assert!(read.program.is_some(), "{} {size}: {:?}", family.name(), read.diagnostics.first());
            }
        }
    }

    #[test]
    fn a_member_has_fifty_statements() {
        let text = Family::Ring.text(20);
        let program = parse("ring", &text, &Options::default()).program.expect("a valid model");
        let edges = program.types.values().map(|process| process.edges.len());
        assert_eq!(edges.collect::<Vec<_>>(), [STATEMENTS; 20]);
        // None of them is lost, and none split.
        let system = read_promela("ring", &text, &freeboard::Options::default());
        let system = system.expect("a valid model").abstraction.system;
        assert_eq!(system.transitions.len(), 20 * STATEMENTS);
    }
}
