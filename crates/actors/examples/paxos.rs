//! Single-decree Paxos: three servers, each of which proposes what a client asks it to, and a
//! client that writes once and reads once. `cargo run -p freeboard-actors --example paxos`
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use freeboard_actors::{Address, Delivery, Message, Network, Options, Out, Role};

#[allow(dead_code)] // the tests have this file as a module
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let extracted = network(Delivery::Mailboxes, 1).network.extract()?;
    let system = extracted.system();
    println!("{} states, {} transitions", system.states.len(), system.transitions.len());
    for (actor, capacity) in extracted.prove(&Options::default())?.iter() {
        println!("{actor}: at most {capacity}");
    }
    Ok(())
}

/// A round of a proposer; rounds are ordered by number, then by proposer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ballot {
    pub round: u32,
    pub proposer: Address,
}

/// A value that a client wants to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proposal {
    pub client: Address,
    pub value: char,
}

/// The proposal that an acceptor has accepted last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Accepted {
    pub ballot: Ballot,
    pub proposal: Proposal,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
pub enum Paxos {
    Put(char),
    PutOk,
    Get,
    GetOk(char),
    Prepare(Ballot),
    Promise(Ballot, Option<Accepted>),
    Accept(Ballot, Proposal),
    Vote(Ballot),
    Decided(Ballot, Proposal),
}

/// A member of the network. One type, so that all of them can be kept in one list.
#[derive(Clone, Debug)]
pub enum Member {
    Server { own: Address, peers: Vec<Address> },
    Client { servers: Vec<Address>, first: usize, value: char },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Server {
    pub ballot: Option<Ballot>,
    pub proposal: Option<Proposal>,
    pub promises: BTreeMap<Address, Option<Accepted>>,
    pub votes: BTreeSet<Address>,
    pub accepted: Option<Accepted>,
    pub is_decided: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberState {
    Server(Server),
    /// The number of answers that have come.
    Client(u8),
}

impl Role for Member {
    type State = MemberState;
    type Message = Paxos;
    type Timer = ();

    fn start(&self, out: &mut Out<Paxos, ()>) -> MemberState {
        match self {
            Self::Server { .. } => MemberState::Server(Server::default()),
            Self::Client { servers, first, value } => {
                out.send(servers[*first % servers.len()], Paxos::Put(*value));
                MemberState::Client(0)
            }
        }
    }

    fn on(&self, state: &mut MemberState, from: Address, message: &Paxos, out: &mut Out<Paxos, ()>) {
        match (self, state) {
            (Self::Server { own, peers }, MemberState::Server(server)) => {
                Serving { own: *own, peers, server, out }.on(from, message);
            }
            (Self::Client { servers, first, .. }, MemberState::Client(answers)) => {
                match (message, *answers) {
                    (Paxos::PutOk, 0) => {
                        *answers = 1;
                        out.send(servers[(*first + 1) % servers.len()], Paxos::Get);
                    }
                    (Paxos::GetOk(_), 1) => *answers = 2,
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// A server at work.
struct Serving<'a> {
    own: Address,
    peers: &'a [Address],
    server: &'a mut Server,
    out: &'a mut Out<Paxos, ()>,
}

impl Serving<'_> {
    fn on(&mut self, from: Address, message: &Paxos) {
        if self.server.is_decided {
            if let (Paxos::Get, Some(accepted)) = (message, self.server.accepted) {
                self.out.send(from, Paxos::GetOk(accepted.proposal.value));
            }
            return;
        }
        match *message {
            Paxos::Put(value) if self.server.proposal.is_none() => {
                self.propose(Proposal { client: from, value });
            }
            Paxos::Prepare(ballot) if self.server.ballot < Some(ballot) => {
                self.server.ballot = Some(ballot);
                self.out.send(from, Paxos::Promise(ballot, self.server.accepted));
            }
            Paxos::Promise(ballot, accepted) if self.server.ballot == Some(ballot) => {
                self.promised(from, ballot, accepted);
            }
            Paxos::Accept(ballot, proposal) if self.server.ballot <= Some(ballot) => {
                self.server.ballot = Some(ballot);
                self.server.accepted = Some(Accepted { ballot, proposal });
                self.out.send(from, Paxos::Vote(ballot));
            }
            Paxos::Vote(ballot) if self.server.ballot == Some(ballot) => self.voted(from, ballot),
            Paxos::Decided(ballot, proposal) => {
                self.server.ballot = Some(ballot);
                self.server.accepted = Some(Accepted { ballot, proposal });
                self.server.is_decided = true;
            }
            _ => {}
        }
    }

    fn broadcast(&mut self, message: &Paxos) {
        for peer in self.peers {
            self.out.send(*peer, message.clone());
        }
    }

    fn majority(&self) -> usize {
        self.peers.len().div_ceil(2) + 1
    }

    fn propose(&mut self, proposal: Proposal) {
        let round = self.server.ballot.map_or(0, |ballot| ballot.round) + 1;
        let ballot = Ballot { round, proposer: self.own };
        self.server.proposal = Some(proposal);
        self.server.ballot = Some(ballot);
        self.server.promises = BTreeMap::from([(self.own, self.server.accepted)]);
        self.server.votes.clear();
        self.broadcast(&Paxos::Prepare(ballot));
    }

    fn promised(&mut self, from: Address, ballot: Ballot, accepted: Option<Accepted>) {
        if ballot.proposer != self.own {
            return;
        }
        self.server.promises.insert(from, accepted);
        if self.server.promises.len() != self.majority() {
            return;
        }
        let latest = self.server.promises.values().flatten().max();
        let Some(proposal) = latest.map(|accepted| accepted.proposal).or(self.server.proposal) else {
            return;
        };
        self.server.proposal = Some(proposal);
        self.server.accepted = Some(Accepted { ballot, proposal });
        self.server.votes = BTreeSet::from([self.own]);
        self.broadcast(&Paxos::Accept(ballot, proposal));
    }

    fn voted(&mut self, from: Address, ballot: Ballot) {
        self.server.votes.insert(from);
        let Some(proposal) = self.server.proposal else { return };
        if ballot.proposer != self.own || self.server.votes.len() != self.majority() {
            return;
        }
        self.server.is_decided = true;
        self.broadcast(&Paxos::Decided(ballot, proposal));
        self.out.send(proposal.client, Paxos::PutOk);
    }
}

/// The network, and its members in the order of their addresses.
pub struct Group {
    pub network: Network<Paxos>,
    #[allow(dead_code)]
    pub members: Vec<Member>,
}

/// Three servers, and some clients, each of which writes to another server.
pub fn network(delivery: Delivery, clients: usize) -> Group {
    let mut network = Network::new("paxos", delivery);
    let servers: Vec<Address> = (0..3).map(|server| network.actor(&format!("server {server}"))).collect();
    let mut members = Vec::new();
    for own in &servers {
        let peers = servers.iter().copied().filter(|peer| peer != own).collect();
        members.push(Member::Server { own: *own, peers });
    }
    for (first, value) in (0..clients).zip('A'..) {
        members.push(Member::Client { servers: servers.clone(), first, value });
        network.actor(&format!("client {first}"));
    }
    for (at, member) in members.iter().enumerate() {
        let name = match member {
            Member::Server { .. } => format!("server {at}"),
            Member::Client { first, .. } => format!("client {first}"),
        };
        let actor = network.actor(&name);
        network.play(actor, member.clone());
    }
    Group { network, members }
}
