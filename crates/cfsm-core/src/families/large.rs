//! Families of systems of arbitrary size, generated without a source text, to measure the analysis
//! alone.

use super::line_of_servers;
use crate::splitmix::SplitMix;
use crate::system::{MessageId, System, SystemBuilder};

/// A family of systems, all of them bounded unless stated otherwise. Sizes are approximate numbers
/// of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Processes in a line, each a server of the one before it.
    Line,
    /// 24 participants that repeat a long protocol: at each point one chooses among three labels
    /// and sends it to another. Each machine has `3^(transitions / 72)` elementary cycles.
    Multiparty,
    /// As [`Multiparty`](Self::Multiparty), with two labels for each pair of participants, wherever
    /// they communicate in the protocol.
    Labels,
    /// One server with two channels for each of its clients.
    Clients,
    /// Participants that register with each other over a common medium (an outline of GARP).
    Registrars,
    /// Processes with random control flow that exchange messages with their neighbours. No exchange
    /// raises a hidden potential.
    Random,
    /// As [`Random`](Self::Random), and a few processes flood others: unbounded.
    Leaky,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 7] = [
        Self::Line,
        Self::Multiparty,
        Self::Labels,
        Self::Clients,
        Self::Registrars,
        Self::Random,
        Self::Leaky,
    ];

    /// The name of the family, in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Multiparty => "multiparty",
            Self::Labels => "labels",
            Self::Clients => "clients",
            Self::Registrars => "registrars",
            Self::Random => "random",
            Self::Leaky => "leaky",
        }
    }

    /// The system with about this many transitions. Time and memory linear in them, apart from name
    /// lookups.
    #[must_use]
    pub fn system(self, transitions: usize) -> System {
        match self {
            Self::Line => line_of_servers((transitions / 70).max(2), 50, 3),
            Self::Multiparty => multiparty(transitions / 6, 3, false),
            Self::Labels => multiparty(transitions / 4, 2, true),
            Self::Clients => clients((transitions / 8).max(1)),
            Self::Registrars => registrars((transitions / 24).max(2)),
            Self::Random => random(transitions, false),
            Self::Leaky => random(transitions, true),
        }
    }
}

/// A turn of a participant: `true` if it sends, and the messages that it chooses among.
type Turn = (bool, Vec<MessageId>);

/// A planned transition: source, changes, target.
type Planned = (usize, Vec<(MessageId, i32)>, usize);

/// A protocol of 24 participants with this many rounds.
fn multiparty(rounds: usize, labels: usize, shared: bool) -> System {
    const PARTICIPANTS: usize = 24;
    let mut numbers = SplitMix::new(1);
    let mut b = SystemBuilder::new("multiparty");
    // A circle first: a participant that never receives could run ahead.
    let pair = |round: usize, numbers: &mut SplitMix| {
        if round < PARTICIPANTS {
            return (round, (round + 1) % PARTICIPANTS);
        }
        let from = numbers.below(PARTICIPANTS);
        (from, (from + 1 + numbers.below(PARTICIPANTS - 1)) % PARTICIPANTS)
    };
    let mut speaks: Vec<Vec<Turn>> = vec![Vec::new(); PARTICIPANTS];
    for round in 0..rounds.max(PARTICIPANTS) {
        let (from, to) = pair(round, &mut numbers);
        let name = |label: usize| if shared { format!("{label}") } else { format!("{round}.{label}") };
        let messages: Vec<_> =
            (0..labels).map(|label| b.message(&format!("{from}>{to}"), &name(label))).collect();
        speaks[from].push((true, messages.clone()));
        speaks[to].push((false, messages));
    }
    for (participant, turns) in speaks.iter().enumerate() {
        let mut class = b.class(&format!("P{participant}"), 1);
        for (turn, (sends, messages)) in turns.iter().enumerate() {
            let (here, next) = (turn.to_string(), ((turn + 1) % turns.len()).to_string());
            for &message in messages {
                class.step(&here, &[(message, if *sends { 1 } else { -1 })], &next);
            }
        }
    }
    b.build().expect("names are numbered")
}

/// A stateless server with this many clients.
fn clients(count: usize) -> System {
    let mut b = SystemBuilder::new("clients");
    for client in 0..count {
        let request = b.message(&format!("ask{client}"), "request");
        let replies = ["grant", "deny"].map(|reply| b.message(&format!("tell{client}"), reply));
        let mut class = b.class(&format!("client{client}"), 1);
        class.step("idle", &[], "ready").send("ready", request, "waiting");
        replies.iter().for_each(|&reply| {
            class.receive("waiting", reply, "idle");
        });
    }
    let server = b.class("server", 1).id();
    for client in 0..count {
        let request = b.message(&format!("ask{client}"), "request");
        let replies = ["grant", "deny"].map(|reply| b.message(&format!("tell{client}"), reply));
        let mut class = b.class_again(server);
        let busy = format!("busy{client}");
        class.receive("free", request, &busy);
        replies.iter().for_each(|&reply| {
            class.send(&busy, reply, "free");
        });
    }
    b.build().expect("names are numbered")
}

/// Participants in a circle, each with an applicant, a registrar, a timer and its part of the
/// medium.
fn registrars(count: usize) -> System {
    const KINDS: [&str; 4] = ["join", "leave", "empty", "leave-all"];
    /// The transition table of a registrar: the next state for each state and message kind.
    const NEXT: [(&str, [&str; 4]); 3] = [
        ("in", ["in", "leaving", "in", "leaving"]),
        ("leaving", ["in", "leaving", "out", "leaving"]),
        ("out", ["in", "out", "out", "out"]),
    ];
    let mut b = SystemBuilder::new("registrars");
    let channel = |b: &mut SystemBuilder, name: String| KINDS.map(|kind| b.message(&name, kind));
    let medium: Vec<_> = (0..count).map(|i| channel(&mut b, format!("medium{i}"))).collect();
    let inbox: Vec<_> = (0..count).map(|i| channel(&mut b, format!("registrar{i}"))).collect();
    for i in 0..count {
        let [tick, done, heard] =
            ["tick", "done", "heard"].map(|name| b.message(&format!("{name}{i}"), name));
        let mut applicant = b.class(&format!("applicant{i}"), 1);
        applicant.receive("waits", tick, "may").send("may", done, "waits");
        medium[i].iter().for_each(|&message| {
            applicant.send("may", message, "waits");
        });
        b.class(&format!("timer{i}"), 1).send("sleeps", tick, "armed").receive("armed", done, "sleeps");
        // The medium forwards to the registrars of both neighbours, and waits for their
        // acknowledgements.
        let neighbours = [(i + 1) % count, (i + count - 1) % count];
        let mut class = b.class(&format!("medium{i}"), 1);
        for kind in 0..KINDS.len() {
            let half = format!("half{kind}");
            class.receive("free", medium[i][kind], &half);
            class.step(&half, &neighbours.map(|other| (inbox[other][kind], 1)), "busy");
        }
        class.receive("busy", heard, "again").receive("again", heard, "tells").send("tells", done, "free");
        let all = neighbours.map(|other| b.message(&format!("heard{other}"), "heard"));
        let mut registrar = b.class(&format!("registrar{i}"), 1);
        for (state, next) in NEXT {
            for (kind, target) in next.iter().enumerate() {
                registrar.step(state, &[(inbox[i][kind], -1), (all[kind % 2], 1)], target);
            }
        }
    }
    b.build().expect("names are numbered")
}

/// Classes of about 50 transitions on 20 states. Message types and states have hidden weights, and
/// no transition raises the weighted sum.
fn random(transitions: usize, leaky: bool) -> System {
    const STATES: usize = 20;
    const STEPS: usize = 50;
    const KINDS: usize = 3;
    let count = (transitions / STEPS).max(2);
    let mut numbers = SplitMix::new(7);
    let mut b = SystemBuilder::new(if leaky { "leaky" } else { "random" });
    let mut kinds: Vec<Vec<(MessageId, usize)>> = Vec::new();
    for i in 0..count {
        let weigh = |kind: usize, numbers: &mut SplitMix| (kind, 1 + numbers.below(4));
        let weighed: Vec<_> = (0..KINDS).map(|kind| weigh(kind, &mut numbers)).collect();
        let message =
            |(kind, weight): (usize, usize)| (b.message(&format!("q{i}"), &format!("m{kind}")), weight);
        kinds.push(weighed.into_iter().map(message).collect());
    }
    for i in 0..count {
        let heights: Vec<usize> = (0..STATES).map(|_| numbers.below(6)).collect();
        let mut steps: Vec<Planned> = Vec::new();
        for step in 0..STEPS {
            // A cycle through all states, then random transitions.
            let source = if step < STATES { step } else { numbers.below(STATES) };
            let target = if step < STATES { (step + 1) % STATES } else { numbers.below(STATES) };
            let mut room = heights[source] as i64 - heights[target] as i64;
            let mut changes: Vec<(MessageId, i32)> = Vec::new();
            if room < 0 || numbers.below(2) == 0 {
                let (message, weight) = kinds[i][numbers.below(KINDS)];
                let times = 1 + (-room).max(0) as usize / weight + usize::from(room < 0) * numbers.below(2);
                changes.push((message, -(times as i32)));
                room += (times * weight) as i64;
            }
            // Sends go to near neighbours, so that the system is sparse.
            while numbers.below(3) > 0 {
                let to = (i + count + numbers.below(9) - 4) % count;
                let (message, weight) = kinds[to][numbers.below(KINDS)];
                if to != i && weight as i64 <= room {
                    changes.push((message, 1));
                    room -= weight as i64;
                }
            }
            steps.push((source, changes, target));
        }
        if leaky && i % 50 == 25 {
            steps.push((3, vec![(kinds[(i + 1) % count][0].0, 1)], 3));
        }
        let mut class = b.class(&format!("P{i}"), 1);
        for (source, changes, target) in steps {
            class.step(&source.to_string(), &changes, &target.to_string());
        }
    }
    b.build().expect("names are numbered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_about_as_stated() {
        for family in Family::ALL {
            for size in [1_000, 10_000] {
                let transitions = family.system(size).transitions.len();
                assert!(
                    (size / 2..=size * 2).contains(&transitions),
                    "{} {size}: {transitions}",
                    family.name()
                );
            }
        }
    }
}
