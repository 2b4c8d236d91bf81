//! The mailboxes stay short, in the model and in a run.

use std::time::Duration;

use freeboard_actors::freeboard::assert_bounded;
use freeboard_actors::live::{Mailboxes, spawn};
use mailboxes::network;

const IMPATIENT: bool = cfg!(feature = "flood");

#[test]
fn mailboxes_stay_short() {
    assert_bounded!(network(IMPATIENT).extract().unwrap().system(), at most 1);
}

#[test]
fn tasks_keep_to_the_proved_capacities() {
    let capacities = network(false).extract().unwrap().prove(&Default::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let a_moment = Duration::from_millis(10);
    let finished = runtime.block_on(async {
        spawn(network(IMPATIENT), &capacities, Mailboxes::Guarded).finish(a_moment).await
    });
    assert_eq!(finished.excess, None);
}
