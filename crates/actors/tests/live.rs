//! Actors as tasks.

use std::time::Duration;

use freeboard_actors::live::{Mailboxes, spawn};
use freeboard_actors::{Delivery, Options};

use crate::pipeline;

const A_WHILE: Duration = Duration::from_millis(50);

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

#[test]
fn mailboxes_stay_as_short_as_proved() {
    for mailboxes in [Mailboxes::Bounded, Mailboxes::Guarded] {
        let (network, _) = pipeline::network(Delivery::Mailboxes, false);
        let capacities = network.extract().unwrap().prove(&Options::default()).unwrap();
        let finished =
            runtime().block_on(async { spawn(network, &capacities, mailboxes).finish(A_WHILE).await });
        assert_eq!(finished.excess, None);
        assert_eq!(finished.lengths, [1, 1, 1]);
    }
}

#[test]
fn a_guard_tells_of_a_handler_that_has_changed() {
    let (network, _) = pipeline::network(Delivery::Mailboxes, false);
    let capacities = network.extract().unwrap().prove(&Options::default()).unwrap();
    // Somebody has changed the handler since.
    let (mut hasty, actors) = pipeline::network(Delivery::Mailboxes, false);
    hasty.play(actors.source, pipeline::Hasty { filter: actors.filter });
    let finished =
        runtime().block_on(async { spawn(hasty, &capacities, Mailboxes::Guarded).finish(A_WHILE).await });
    assert_eq!(
        finished.excess.expect("two samples come at once").to_string(),
        "the mailbox of `filter` held 2 messages, and no more than 1 were proved"
    );
    assert_eq!(finished.lengths, [2, 2, 2]);
}
