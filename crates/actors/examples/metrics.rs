//! A pipeline of metrics: a source with a timer sends samples through a filter to a sink, and waits
//! for the sink's word before it sends the next one. A flooding source does not wait, and fails the
//! test. `cargo run -p freeboard-actors --example metrics`
#![allow(missing_docs)]

use std::time::Duration;

use freeboard_actors::{Address, Delivery, Ignored, Message, Network, Options, Out, Role};

#[allow(dead_code)] // the tests have this file as a module
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (waiting, _) = network(Delivery::Mailboxes, false);
    for (actor, capacity) in waiting.extract()?.prove(&Options::default())?.iter() {
        println!("{actor}: at most {capacity}");
    }
    let (flooding, _) = network(Delivery::Mailboxes, true);
    if let Err(report) = flooding.extract()?.prove(&Options::default()) {
        println!("if the source does not wait:\n{report}");
    }
    Ok(())
}

#[derive(Clone, Debug, Message)]
pub enum Metric {
    Sample(#[label(skip)] u64),
    Total(#[label(skip)] u64),
    Seen,
}

pub struct Source {
    pub filter: Address,
    /// `true` if it does not wait.
    pub floods: bool,
}

/// A source's state: the samples it has sent, which decide nothing in the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sent {
    waits: bool,
    count: Ignored<u64>,
}

const TICK: Duration = Duration::from_micros(50);

impl Role for Source {
    type State = Sent;
    type Message = Metric;
    type Timer = ();

    fn start(&self, out: &mut Out<Metric, ()>) -> Sent {
        out.arm((), TICK);
        Sent { waits: false, count: Ignored(0) }
    }

    fn on(&self, state: &mut Sent, _: Address, message: &Metric, out: &mut Out<Metric, ()>) {
        if matches!(message, Metric::Seen) && state.waits {
            state.waits = false;
            out.arm((), TICK);
        }
    }

    fn on_timer(&self, state: &mut Sent, (): &(), out: &mut Out<Metric, ()>) {
        state.count.0 += 1;
        out.send(self.filter, Metric::Sample(state.count.0));
        if self.floods {
            out.arm((), TICK);
        } else {
            state.waits = true;
        }
    }
}

/// Passes on sums.
pub struct Filter {
    pub sink: Address,
}

impl Role for Filter {
    type State = Ignored<u64>;
    type Message = Metric;
    type Timer = ();

    fn start(&self, _: &mut Out<Metric, ()>) -> Ignored<u64> {
        Ignored(0)
    }

    fn on(&self, sum: &mut Ignored<u64>, _: Address, message: &Metric, out: &mut Out<Metric, ()>) {
        if let Metric::Sample(value) = message {
            sum.0 += value;
            out.send(self.sink, Metric::Total(sum.0));
        }
    }
}

/// Tells the source that a total has come.
pub struct Sink {
    pub source: Address,
}

impl Role for Sink {
    type State = Ignored<u64>;
    type Message = Metric;
    type Timer = ();

    fn start(&self, _: &mut Out<Metric, ()>) -> Ignored<u64> {
        Ignored(0)
    }

    fn on(&self, total: &mut Ignored<u64>, _: Address, message: &Metric, out: &mut Out<Metric, ()>) {
        if let Metric::Total(value) = message {
            total.0 = *value;
            out.send(self.source, Metric::Seen);
        }
    }
}

/// The actors of the network.
#[derive(Clone, Copy)]
pub struct Actors {
    pub source: Address,
    pub filter: Address,
    pub sink: Address,
}

pub fn network(delivery: Delivery, floods: bool) -> (Network<Metric>, Actors) {
    let mut network = Network::new("metrics", delivery);
    let (source, filter, sink) = (network.actor("source"), network.actor("filter"), network.actor("sink"));
    network.play(source, Source { filter, floods });
    network.play(filter, Filter { sink }).play(sink, Sink { source });
    (network, Actors { source, filter, sink })
}

/// A source that sends two samples at once.
#[allow(dead_code)]
pub struct Hasty {
    pub filter: Address,
}

impl Role for Hasty {
    type State = ();
    type Message = Metric;
    type Timer = ();

    fn start(&self, out: &mut Out<Metric, ()>) {
        out.send(self.filter, Metric::Sample(1));
        out.send(self.filter, Metric::Sample(2));
    }

    fn on(&self, (): &mut (), _: Address, _: &Metric, _: &mut Out<Metric, ()>) {}
}
