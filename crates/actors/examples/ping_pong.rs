//! Ping-pong: one handler, proved, run on tokio, and watched.
//! `cargo run -p freeboard-actors --features tokio --example ping_pong`

use std::error::Error;
use std::time::Duration;

use freeboard_actors::live::{Mailboxes, spawn};
use freeboard_actors::{Address, Delivery, Message, Network, Options, Out, Role};

#[derive(Clone, Debug, Message)]
enum Ball {
    Ping,
    Pong,
}

/// Sends back a ball for each that comes.
struct Server;

impl Role for Server {
    type State = ();
    type Message = Ball;
    type Timer = ();

    fn start(&self, _: &mut Out<Ball, ()>) {}

    fn on(&self, (): &mut (), from: Address, _: &Ball, out: &mut Out<Ball, ()>) {
        out.send(from, Ball::Pong);
    }
}

/// Plays two balls, three times each.
struct Client {
    server: Address,
}

const BALLS: u8 = 2;
const ROUNDS: u8 = 6;

impl Role for Client {
    type State = u8;
    type Message = Ball;
    type Timer = ();

    fn start(&self, out: &mut Out<Ball, ()>) -> u8 {
        for _ in 0..BALLS {
            out.send(self.server, Ball::Ping);
        }
        BALLS
    }

    fn on(&self, played: &mut u8, from: Address, _: &Ball, out: &mut Out<Ball, ()>) {
        if *played < ROUNDS {
            *played += 1;
            out.send(from, Ball::Ping);
        }
    }
}

fn network() -> Network<Ball> {
    let mut network = Network::new("ping-pong", Delivery::Mailboxes);
    let (client, server) = (network.actor("client"), network.actor("server"));
    network.play(client, Client { server }).play(server, Server);
    network
}

fn main() -> Result<(), Box<dyn Error>> {
    let capacities = network().extract()?.prove(&Options::default())?;
    for (actor, capacity) in capacities.iter() {
        println!("{actor}: at most {capacity}");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let finished = runtime.block_on(async {
        spawn(network(), &capacities, Mailboxes::Bounded).finish(Duration::from_secs(1)).await
    });
    println!("{} balls have been played", finished.states[0]);
    Ok(())
}

#[test]
fn the_mailboxes_stay_short() {
    freeboard_actors::freeboard::assert_bounded!(network().extract().unwrap().system(), at most 2);
}
