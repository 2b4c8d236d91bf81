//! Monitors of code that is written by hand.

use std::thread;

use freeboard_actors::monitor::{Drift, Monitor};
use freeboard_actors::{Delivery, Options};

use crate::pipeline::{self, Actors, Metric};

fn monitored() -> (Monitor, Actors) {
    let (network, actors) = pipeline::network(Delivery::Mailboxes, false);
    let extracted = network.extract().unwrap();
    let capacities = extracted.prove(&Options::default()).unwrap();
    (Monitor::new(&extracted, Some(&capacities)), actors)
}

/// The behaviour of the code of the filter.
#[derive(Clone, Copy, PartialEq)]
enum Filtering {
    AsModelled,
    /// Forgets every third sample.
    Forgets,
}

/// Threads with channels that do what the roles of the pipeline do.
fn run(filtering: Filtering) -> Option<Drift> {
    let (monitor, Actors { source, filter, sink }) = monitored();
    let (to_source, seen) = monitor.channel(source);
    let (to_filter, samples) = monitor.channel(filter);
    let (to_sink, totals) = monitor.channel(sink);
    let (numbers, sums, words) = (to_filter.of(source), to_sink.of(filter), to_source.of(sink));
    drop((to_source, to_filter, to_sink));
    let threads = [
        thread::spawn(move || {
            for number in 0..100 {
                if numbers.send(Metric::Sample(number)).is_err() || seen.recv().is_err() {
                    return;
                }
            }
        }),
        thread::spawn(move || {
            let mut sum = 0;
            while let Ok(Metric::Sample(number)) = samples.recv() {
                sum += number;
                if filtering == Filtering::Forgets && number % 3 == 2 {
                    // It takes the next one instead, which never comes.
                    return;
                }
                if sums.send(Metric::Total(sum)).is_err() {
                    return;
                }
                if filtering == Filtering::Forgets && number == 1 {
                    let _ = sums.send(Metric::Total(sum));
                }
            }
        }),
        thread::spawn(move || {
            while let Ok(Metric::Total(_)) = totals.recv() {
                if words.send(Metric::Seen).is_err() {
                    return;
                }
            }
        }),
    ];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    monitor.drift()
}

#[test]
fn code_that_does_as_its_model_has_no_drift() {
    assert_eq!(run(Filtering::AsModelled), None);
}

#[test]
fn the_first_wrong_step_is_told() {
    let drift = run(Filtering::Forgets).expect("a total is sent twice");
    assert_eq!(
        drift.to_string(),
        "`filter` sends Total to sink, but in `_` it may only: receive Sample from source"
    );
}

#[test]
fn a_mailbox_that_is_too_long_is_told() {
    let (network, Actors { source, filter, sink }) = pipeline::network(Delivery::Mailboxes, true);
    let (ours, _) = pipeline::network(Delivery::Mailboxes, false);
    let capacities = ours.extract().unwrap().prove(&Options::default()).unwrap();
    // The model floods, the capacities are those of one that does not.
    let monitor = Monitor::new(&network.extract().unwrap(), Some(&capacities));
    let (to_filter, samples) = monitor.channel(filter);
    let sample = to_filter.of(source);
    sample.send(Metric::Sample(1)).unwrap();
    sample.send(Metric::Sample(2)).unwrap();
    assert_eq!(
        monitor.drift().unwrap().to_string(),
        "the mailbox of `filter` holds 2 messages, and no more than 1 were proved"
    );
    assert!(matches!(samples.try_recv(), Ok(Metric::Sample(1))));
    let _ = sink;
}

#[cfg(feature = "tokio")]
#[test]
fn channels_of_tokio_are_watched_as_well() {
    let (monitor, Actors { source, filter, .. }) = monitored();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (to_filter, mut samples) = monitor.tokio_channel(filter, Some(1));
        let sample = to_filter.of(source);
        sample.send(Metric::Sample(1)).await.unwrap();
        assert!(matches!(samples.recv().await, Some(Metric::Sample(1))));
        assert_eq!(monitor.drift(), None);
        sample.send(Metric::Seen).await.unwrap();
    });
    assert_eq!(
        monitor.drift().unwrap().to_string(),
        "`source` sends Seen to filter, but in `Sent { waits: true, count: _ }` it may only: receive Seen from sink"
    );
}
