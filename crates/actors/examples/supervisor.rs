//! Supervised workers: a supervisor hands out jobs, one to each worker at a time. A worker whose
//! timer runs off gives up, tells so, and is started again.
//! `cargo run -p freeboard-actors --example supervisor`
#![allow(missing_docs)]

use std::time::Duration;

use freeboard_actors::{Address, Delivery, Message, Network, Options, Out, Role};

#[allow(dead_code)] // the tests have this file as a module
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (actor, capacity) in network(3).extract()?.prove(&Options::default())?.iter() {
        println!("{actor}: at most {capacity}");
    }
    Ok(())
}

#[derive(Clone, Debug, Message)]
pub enum Work {
    Job(
        #[allow(dead_code)] // the tests have this file as a module
        #[label(skip)]
        u64,
    ),
    Done(#[label(skip)] u64),
    GaveUp,
    Restart,
}

/// Hands out jobs: a new one for each that is done; the same worker is started again if it gives
/// up.
pub struct Supervisor {
    pub workers: Vec<Address>,
}

impl Role for Supervisor {
    type State = ();
    type Message = Work;
    type Timer = ();

    fn start(&self, out: &mut Out<Work, ()>) {
        for worker in &self.workers {
            out.send(*worker, Work::Job(1));
        }
    }

    fn on(&self, (): &mut (), from: Address, message: &Work, out: &mut Out<Work, ()>) {
        match message {
            Work::Done(square) => out.send(from, Work::Job(square + 1)),
            Work::GaveUp => {
                out.send(from, Work::Restart);
                out.send(from, Work::Job(1));
            }
            Work::Job(_) | Work::Restart => {}
        }
    }
}

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Health {
    Idle,
    Busy,
    Down,
}

/// Takes its time for a job, or does not come to an end with it.
pub struct Worker {
    pub supervisor: Address,
}

/// The timers of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    Finished,
    TooLong,
}

impl Role for Worker {
    type State = Health;
    type Message = Work;
    type Timer = Clock;

    fn start(&self, _: &mut Out<Work, Clock>) -> Health {
        Health::Idle
    }

    fn on(&self, health: &mut Health, _: Address, message: &Work, out: &mut Out<Work, Clock>) {
        match (message, *health) {
            (Work::Job(_), Health::Idle) => {
                *health = Health::Busy;
                out.arm(Clock::Finished, Duration::from_micros(100));
                out.arm(Clock::TooLong, Duration::from_millis(100));
            }
            (Work::Restart, Health::Down) => *health = Health::Idle,
            _ => {}
        }
    }

    fn on_timer(&self, health: &mut Health, clock: &Clock, out: &mut Out<Work, Clock>) {
        let (next, message, other) = match clock {
            Clock::Finished => (Health::Idle, Work::Done(1), Clock::TooLong),
            Clock::TooLong => (Health::Down, Work::GaveUp, Clock::Finished),
        };
        *health = next;
        out.disarm(other);
        out.send(self.supervisor, message);
    }
}

pub fn network(workers: usize) -> Network<Work> {
    let mut network = Network::new("supervised workers", Delivery::Mailboxes);
    let supervisor = network.actor("supervisor");
    let workers: Vec<Address> = (0..workers).map(|at| network.actor(&format!("worker {at}"))).collect();
    for worker in &workers {
        network.play(*worker, Worker { supervisor });
    }
    network.play(supervisor, Supervisor { workers });
    network
}
