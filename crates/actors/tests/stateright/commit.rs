//! Two-phase commit: a manager asks resources whether they are prepared, and tells all of them the
//! outcome. All resources but the last one agree.

use std::collections::BTreeSet;

use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
pub enum Word {
    Prepare,
    Prepared,
    Refused,
    Commit,
    Abort,
    Done,
}

#[derive(Clone, Debug)]
pub enum Member {
    Manager { resources: Vec<Address> },
    Resource { agrees: bool },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberState {
    Asking(BTreeSet<Address>),
    Deciding { commits: bool, open: BTreeSet<Address> },
    Working,
    Ready,
    Over(bool),
}

impl Role for Member {
    type State = MemberState;
    type Message = Word;
    type Timer = ();

    fn start(&self, out: &mut Out<Word, ()>) -> MemberState {
        match self {
            Self::Manager { resources } => {
                for resource in resources {
                    out.send(*resource, Word::Prepare);
                }
                MemberState::Asking(BTreeSet::new())
            }
            Self::Resource { .. } => MemberState::Working,
        }
    }

    fn on(&self, state: &mut MemberState, from: Address, message: &Word, out: &mut Out<Word, ()>) {
        match self {
            Self::Manager { resources } => manage(resources, state, from, message, out),
            Self::Resource { agrees } => serve(*agrees, state, from, message, out),
        }
    }
}

fn manage(
    resources: &[Address],
    state: &mut MemberState,
    from: Address,
    message: &Word,
    out: &mut Out<Word, ()>,
) {
    let outcome = match (message, &mut *state) {
        (Word::Prepared, MemberState::Asking(prepared)) => {
            prepared.insert(from);
            (prepared.len() == resources.len()).then_some(true)
        }
        (Word::Refused, MemberState::Asking(_)) => Some(false),
        (Word::Done, MemberState::Deciding { commits, open }) => {
            open.remove(&from);
            if open.is_empty() {
                *state = MemberState::Over(*commits);
            }
            None
        }
        _ => None,
    };
    let Some(commits) = outcome else { return };
    for resource in resources {
        out.send(*resource, if commits { Word::Commit } else { Word::Abort });
    }
    *state = MemberState::Deciding { commits, open: resources.iter().copied().collect() };
}

fn serve(agrees: bool, state: &mut MemberState, from: Address, message: &Word, out: &mut Out<Word, ()>) {
    match (message, &*state) {
        (Word::Prepare, MemberState::Working) => {
            *state = MemberState::Ready;
            out.send(from, if agrees { Word::Prepared } else { Word::Refused });
        }
        (Word::Commit | Word::Abort, MemberState::Ready | MemberState::Working) => {
            *state = MemberState::Over(*message == Word::Commit);
            out.send(from, Word::Done);
        }
        _ => {}
    }
}

pub struct Group {
    pub network: Network<Word>,
    pub members: Vec<Member>,
}

/// A manager, and resources of which the last one refuses.
pub fn network(delivery: Delivery, resources: usize) -> Group {
    let mut network = Network::new("two-phase commit", delivery);
    let manager = network.actor("manager");
    let addresses: Vec<Address> = (0..resources).map(|at| network.actor(&format!("resource {at}"))).collect();
    let mut members = vec![Member::Manager { resources: addresses.clone() }];
    members.extend((1..=resources).map(|at| Member::Resource { agrees: at < resources }));
    for (actor, member) in [manager].into_iter().chain(addresses).zip(&members) {
        network.play(actor, member.clone());
    }
    Group { network, members }
}
