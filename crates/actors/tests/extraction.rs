//! Systems that are extracted from handlers, and the errors of extraction.

use freeboard::assertions::{self, Expectation};
use freeboard_actors::{Address, Delivery, ExtractError, Limits, Message, Network, NotProved, Out, Role};

use crate::pipeline;

#[test]
fn a_pipeline_that_waits_is_bounded_by_one() {
    let (network, actors) = pipeline::network(Delivery::Mailboxes, false);
    let extracted = network.extract().unwrap();
    let capacities = extracted.prove(&freeboard::Options::default()).unwrap();
    for actor in [actors.source, actors.filter, actors.sink] {
        assert_eq!(capacities.of(actor), 1);
    }
    freeboard::assert_bounded!(extracted.system(), at most 1);
}

#[test]
fn a_pipeline_that_does_not_wait_is_refuted_with_its_run() {
    let (network, _) = pipeline::network(Delivery::Mailboxes, true);
    let extracted = network.extract().unwrap();
    let Err(NotProved::Unbounded { report }) = extracted.prove(&freeboard::Options::default()) else {
        panic!("the source floods the filter");
    };
    assert!(report.contains("Sample from source"), "{report}");
    let text = assertions::bounded(extracted.system(), Expectation::default()).unwrap_err();
    assert!(text.contains("each time filter grows by 1"), "{text}");
}

#[test]
fn each_way_of_delivery_has_its_buffers() {
    let names = |delivery| -> Vec<String> {
        let (network, _) = pipeline::network(delivery, false);
        let extracted = network.extract().unwrap();
        extracted.system().buffers.values().map(|buffer| buffer.name.clone()).collect()
    };
    assert_eq!(names(Delivery::Mailboxes), ["source", "filter", "sink"]);
    assert_eq!(names(Delivery::Unordered), ["source", "filter", "sink"]);
    assert_eq!(names(Delivery::Links), ["source->filter", "sink->source", "filter->sink"]);
}

#[test]
fn a_network_that_loses_messages_has_a_machine_for_it() {
    let (network, _) = pipeline::network(Delivery::Unordered, false);
    let extracted = network.lossy().extract().unwrap();
    let classes: Vec<_> = extracted.system().classes.values().map(|class| class.name.as_str()).collect();
    assert_eq!(classes, ["source", "filter", "sink", "loss"]);
    freeboard::assert_bounded!(extracted.system(), at most 1);
}

/// Messages with a number, of which the label does not tell.
#[derive(Clone, Debug, Message)]
enum Count {
    #[allow(dead_code)]
    Up(#[label(skip)] u32),
}

/// The behaviour of the actors of the tests below.
#[derive(Clone, Copy)]
enum Manner {
    /// Counts the messages in its state.
    Counts,
    /// Sends itself a greater number for each message.
    Numbers,
    /// Decides by a number that the label leaves out.
    Peeks,
    /// Panics at each message.
    Panics,
    /// Sends to somebody unknown.
    Strays,
}

struct Counter {
    own: Address,
    manner: Manner,
}

impl Role for Counter {
    type State = u32;
    type Message = Count;
    type Timer = ();

    fn start(&self, out: &mut Out<Count, ()>) -> u32 {
        out.send(self.own, Count::Up(0));
        0
    }

    fn on(&self, state: &mut u32, _: Address, message: &Count, out: &mut Out<Count, ()>) {
        let Count::Up(number) = message;
        match self.manner {
            Manner::Counts => *state += 1,
            Manner::Numbers => {}
            Manner::Peeks => *state = number % 2,
            Manner::Panics => panic!("it does"),
            Manner::Strays => {
                let mut other = Network::<Count>::new("other", Delivery::Mailboxes);
                other.actor("first");
                out.send(other.actor("second"), Count::Up(0));
            }
        }
        out.send(self.own, Count::Up(number + 1));
    }
}

fn counter(manner: Manner) -> Network<Count> {
    let mut network = Network::new("counter", Delivery::Mailboxes);
    let own = network.actor("counter");
    network.play(own, Counter { own, manner });
    network
}

#[test]
fn what_has_no_end_is_an_error_that_says_what_to_do() {
    let limits = Limits { states: 3, ..Limits::default() };
    let error = counter(Manner::Counts).extract_within(limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`counter` has more than 3 local states, `3` among them: wrap data of the state that decides \
         nothing in `Ignored`, or raise `Limits::states`"
    );
    let limits = Limits { messages: 0, ..Limits::default() };
    let error = counter(Manner::Numbers).extract_within(limits).unwrap_err();
    assert!(matches!(error, ExtractError::TooManyMessages { limit: 0, .. }), "{error}");
}

#[test]
fn data_without_end_that_a_label_leaves_out_has_one() {
    let extracted = counter(Manner::Numbers).extract().unwrap();
    assert_eq!(extracted.system().messages.len(), 1);
}

#[test]
fn a_broken_promise_is_found() {
    let error = counter(Manner::Peeks).extract().unwrap_err();
    assert_eq!(
        error.to_string(),
        "data that the label `Up` leaves out decides what `counter` does in `0`: Up(0) and Up(1) lead \
         to different states or messages; make it part of the label"
    );
}

#[test]
fn an_actor_that_panics_goes_on_no_more() {
    let extracted = counter(Manner::Panics).extract().unwrap();
    let panics: Vec<_> = extracted.panics().iter().map(|panic| panic.trigger.as_str()).collect();
    assert_eq!(panics, ["Up from counter"]);
    let receives = extracted.system().transitions.len();
    assert_eq!(receives, 1, "it only sends");
}

#[test]
fn mistakes_in_the_network_are_told() {
    let error = counter(Manner::Strays).extract().unwrap_err();
    assert_eq!(error.to_string(), "`counter` sends `Up` to an actor that this network does not have");
    let mut network = counter(Manner::Numbers);
    network.actor("nobody");
    let error = network.extract().unwrap_err();
    assert_eq!(error.to_string(), "`nobody` plays no role: give it one with `Network::play`");
    let mut network = Network::new("names", Delivery::Links);
    let own = network.actor("a->b");
    network.play(own, Counter { own, manner: Manner::Numbers });
    assert!(matches!(network.extract(), Err(ExtractError::Name { .. })));
}
