//! A register on two servers, read and written as Attiya, Bar-Noy and Dolev have it: a query to all
//! servers for the latest value, then a round in which all of them learn of it.

use std::collections::BTreeMap;

use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};

/// The time stamp of a value: a number, and who has written it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    number: u32,
    writer: Address,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
pub enum Register {
    Put(char),
    PutOk,
    Get,
    GetOk(char),
    Query,
    Answer(Option<Stamp>, char),
    Record(Option<Stamp>, char),
    Recorded,
}

#[derive(Clone, Debug)]
pub enum Member {
    /// It knows how many writes there are, which no number of a stamp exceeds.
    Server { own: Address, peers: Vec<Address>, writes: u32 },
    /// It writes once, and reads once.
    Client { servers: Vec<Address>, value: char },
}

/// The work of a server for a client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    Free,
    Asks { client: Address, write: Option<char>, answers: BTreeMap<Address, Latest> },
    Records { client: Address, read: Option<char>, recorded: usize },
}

/// A value with its stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Latest {
    stamp: Option<Stamp>,
    value: char,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberState {
    Server { latest: Latest, phase: Phase },
    Client { answers: u8 },
}

impl Role for Member {
    type State = MemberState;
    type Message = Register;
    type Timer = ();

    fn start(&self, out: &mut Out<Register, ()>) -> MemberState {
        match self {
            Self::Server { .. } => {
                MemberState::Server { latest: Latest { stamp: None, value: '-' }, phase: Phase::Free }
            }
            Self::Client { servers, value } => {
                out.send(servers[0], Register::Put(*value));
                MemberState::Client { answers: 0 }
            }
        }
    }

    fn on(&self, state: &mut MemberState, from: Address, message: &Register, out: &mut Out<Register, ()>) {
        match (self, state) {
            (Self::Server { own, peers, writes }, MemberState::Server { latest, phase }) => {
                Serving { own: *own, peers, writes: *writes, latest, phase, out }.on(from, message);
            }
            (Self::Client { servers, .. }, MemberState::Client { answers }) => match (message, *answers) {
                (Register::PutOk, 0) => {
                    *answers = 1;
                    out.send(servers[1], Register::Get);
                }
                (Register::GetOk(_), 1) => *answers = 2,
                _ => {}
            },
            _ => {}
        }
    }
}

struct Serving<'a> {
    own: Address,
    peers: &'a [Address],
    writes: u32,
    latest: &'a mut Latest,
    phase: &'a mut Phase,
    out: &'a mut Out<Register, ()>,
}

impl Serving<'_> {
    fn on(&mut self, from: Address, message: &Register) {
        match *message {
            Register::Put(value) if *self.phase == Phase::Free => self.ask(from, Some(value)),
            Register::Get if *self.phase == Phase::Free => self.ask(from, None),
            Register::Query => self.out.send(from, Register::Answer(self.latest.stamp, self.latest.value)),
            Register::Answer(stamp, value) => self.answered(from, Latest { stamp, value }),
            Register::Record(stamp, value) => {
                self.learn(Latest { stamp, value });
                self.out.send(from, Register::Recorded);
            }
            Register::Recorded => self.recorded(),
            _ => {}
        }
    }

    fn ask(&mut self, client: Address, write: Option<char>) {
        let answers = BTreeMap::from([(self.own, *self.latest)]);
        *self.phase = Phase::Asks { client, write, answers };
        for peer in self.peers {
            self.out.send(*peer, Register::Query);
        }
    }

    fn learn(&mut self, latest: Latest) {
        if latest.stamp > self.latest.stamp {
            *self.latest = latest;
        }
    }

    fn answered(&mut self, from: Address, latest: Latest) {
        let Phase::Asks { client, write, answers } = self.phase else { return };
        answers.insert(from, latest);
        if answers.len() <= self.peers.len() {
            return;
        }
        let (client, write) = (*client, *write);
        let most = answers.values().copied().max().expect("its own is there");
        let chosen = match write {
            Some(value) => {
                let number = most.stamp.map_or(0, |stamp| stamp.number) + 1;
                let number = number.min(self.writes);
                Latest { stamp: Some(Stamp { number, writer: self.own }), value }
            }
            None => most,
        };
        self.learn(chosen);
        let read = if write.is_some() { None } else { Some(chosen.value) };
        *self.phase = Phase::Records { client, read, recorded: 1 };
        for peer in self.peers {
            self.out.send(*peer, Register::Record(chosen.stamp, chosen.value));
        }
    }

    fn recorded(&mut self) {
        let Phase::Records { client, read, recorded } = self.phase else { return };
        *recorded += 1;
        if *recorded > self.peers.len() {
            let message = read.map_or(Register::PutOk, Register::GetOk);
            self.out.send(*client, message);
            *self.phase = Phase::Free;
        }
    }
}

pub struct Group {
    pub network: Network<Register>,
    pub members: Vec<Member>,
}

/// Two servers and one client.
pub fn network(delivery: Delivery) -> Group {
    let mut network = Network::new("register", delivery);
    let servers = vec![network.actor("server 0"), network.actor("server 1")];
    let client = network.actor("client");
    let members = vec![
        Member::Server { own: servers[0], peers: vec![servers[1]], writes: 1 },
        Member::Server { own: servers[1], peers: vec![servers[0]], writes: 1 },
        Member::Client { servers: servers.clone(), value: 'A' },
    ];
    for (actor, member) in servers.into_iter().chain([client]).zip(&members) {
        network.play(actor, member.clone());
    }
    Group { network, members }
}
