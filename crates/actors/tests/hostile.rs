//! Names, messages and handlers that are made to break the extraction.

use std::collections::BTreeSet;
use std::fmt::{self, Debug};

use freeboard::check_system;
use freeboard::report::view::BufferVerdict;
use freeboard_actors::monitor::Monitor;
use freeboard_actors::{Address, Delivery, Extracted, Message, Network, NotProved, Options, Out, Role};

/// The forms that messages have.
mod forms {
    use freeboard_actors::Message;

    #[derive(Clone, Debug, Message)]
    struct Unit;
    #[derive(Clone, Debug, Message)]
    struct Tuple(
        u8,
        #[label(skip)]
        #[allow(dead_code)]
        u8,
        char,
    );
    #[derive(Clone, Debug, Message)]
    struct Empty {}
    #[derive(Clone, Debug, Message)]
    struct Fields<T, const N: usize>
    where
        T: PartialEq,
    {
        r#type: [T; N],
        label: T,
        f: u8,
        text: u8,
        field_0: u8,
    }
    #[derive(Clone, Debug, Message)]
    enum Nothing {}
    #[derive(Clone, Debug, Message)]
    #[allow(non_camel_case_types)]
    enum Words<T = u8> {
        r#loop,
        Self_(T, Option<Nothing>),
        Option {},
        None(),
    }

    #[test]
    fn each_form_has_a_label() {
        assert_eq!(Unit.label(), "Unit");
        assert_eq!(Tuple(1, 2, 'c').label(), "Tuple(1, 'c')");
        assert_eq!(Empty {}.label(), "Empty");
        let fields = Fields { r#type: ["a"], label: "b", f: 1, text: 2, field_0: 3 };
        assert_eq!(fields.label(), r#"Fields(["a"], "b", 1, 2, 3)"#);
        assert_eq!(<Words>::r#loop.label(), "loop");
        assert_eq!(Words::Self_(1, None).label(), "Self_(1, None)");
        assert_eq!(
            {
                type Plain = Words;
                Plain::Option {}
            }
            .label(),
            "Option"
        );
        assert_eq!(<Words>::None().label(), "None");
    }
}

/// A message whose label is any text.
#[derive(Clone, Debug)]
struct Text(&'static str);

impl Message for Text {
    fn label(&self) -> String {
        self.0.into()
    }
}

/// Sends some texts first, and takes all that comes.
struct Sender {
    first: Vec<(Address, Text)>,
}

impl Role for Sender {
    type State = ();
    type Message = Text;
    type Timer = ();

    fn start(&self, out: &mut Out<Text, ()>) {
        self.first.iter().for_each(|(to, text)| out.send(*to, text.clone()));
    }

    fn on(&self, (): &mut (), _: Address, _: &Text, _: &mut Out<Text, ()>) {}
}

fn bounds(extracted: &Extracted) -> Vec<(String, Option<u64>)> {
    let analysis = check_system(extracted.system().clone(), &Options::default()).unwrap();
    let view = analysis.view("hostile");
    let buffers = view.property_results.iter().flat_map(|result| &result.buffers);
    let bounds = buffers.map(|buffer| {
        assert_eq!(buffer.verdict, BufferVerdict::Bounded);
        let bound = buffer.bound.as_ref().map(|bound| bound.to_string().parse().unwrap());
        (buffer.name.clone(), bound)
    });
    bounds.collect()
}

const NAMES: [&str; 7] = ["", "a", "b", "a from b", "#0 sends x to a, then ()", "a: b\n", "-"];
const LABELS: [&str; 5] = ["", "x", "x from a", "x from a from b", "\n"];

/// Everybody sends every text to everybody.
fn everybody(delivery: Delivery) -> (Network<Text>, Vec<Address>) {
    let mut network = Network::new("hostile", delivery);
    let actors: Vec<Address> = NAMES.iter().map(|name| network.actor(name)).collect();
    for actor in &actors {
        let texts = LABELS.iter().map(|label| Text(label));
        let first = texts.flat_map(|text| actors.iter().map(move |to| (*to, text.clone())));
        network.play(*actor, Sender { first: first.collect() });
    }
    (network, actors)
}

#[test]
fn names_of_all_kinds_are_told_apart_where_it_counts() {
    let (network, actors) = everybody(Delivery::Mailboxes);
    let extracted = network.extract().unwrap();
    let most = (NAMES.len() * LABELS.len()) as u64;
    let found = bounds(&extracted);
    assert_eq!(found.len(), NAMES.len());
    for (name, bound) in found {
        assert_eq!(bound, Some(most), "{name:?}");
    }
    let monitor = Monitor::new(&extracted, None);
    for (to, label) in LABELS.iter().flat_map(|label| actors.iter().map(move |to| (to, label))) {
        for from in &actors {
            monitor.sending(*from, *to, &Text(label), || ());
        }
    }
    assert_eq!(monitor.drift(), None);
    for (to, label) in actors.iter().flat_map(|to| LABELS.iter().map(move |label| (to, label))) {
        for from in &actors {
            monitor.received(*to, *from, &Text(label));
        }
    }
    assert_eq!(monitor.drift(), None);
    let (network, _) = everybody(Delivery::Links);
    let found = bounds(&network.extract().unwrap());
    assert_eq!(found.len(), NAMES.len() * NAMES.len());
    assert!(found.iter().all(|(_, bound)| *bound == Some(LABELS.len() as u64)), "{found:?}");
}

#[test]
fn who_is_never_sent_anything_has_a_mailbox_of_0() {
    let mut network = Network::new("silent", Delivery::Mailboxes);
    let (one, other) = (network.actor("one"), network.actor("other"));
    network.play(one, Sender { first: Vec::new() });
    network.play(other, Sender { first: vec![(other, Text("x")), (other, Text("x"))] });
    let capacities = network.extract().unwrap().prove(&Options::default()).unwrap();
    assert_eq!((capacities.of(one), capacities.of(other)), (0, 2));
}

/// A state whose text is always the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Hidden(u8);

impl Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 == 2 { "x #1" } else { "x" })
    }
}

/// Sends itself a text three times; sends twice at the last one.
struct Counts {
    own: Address,
}

impl Role for Counts {
    type State = Hidden;
    type Message = Text;
    type Timer = ();

    fn start(&self, out: &mut Out<Text, ()>) -> Hidden {
        out.send(self.own, Text("x"));
        Hidden(0)
    }

    fn on(&self, state: &mut Hidden, _: Address, _: &Text, out: &mut Out<Text, ()>) {
        state.0 = 3.min(state.0 + 1);
        match state.0 {
            3 => (0..2).for_each(|_| out.send(self.own, Text("y"))),
            _ => out.send(self.own, Text("x")),
        }
    }
}

#[test]
fn states_with_one_text_are_several() {
    let mut network = Network::new("hidden", Delivery::Mailboxes);
    let own = network.actor("own");
    network.play(own, Counts { own });
    let extracted = network.extract().unwrap();
    let names: Vec<_> = extracted.system().states.values().map(|state| &state.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with('x')).count(), 4, "{names:?}");
    // The last state sends two for each one that it takes.
    assert!(extracted.prove(&Options::default()).is_err());
}

#[test]
fn capacities_of_the_options_prove_nothing() {
    let mut network = Network::new("flood", Delivery::Mailboxes);
    let own = network.actor("own");
    network.play(own, Counts { own });
    let limited = Options { capacities: "own=1".parse().unwrap(), ..Options::default() };
    let result = network.extract().unwrap().prove(&limited);
    assert!(matches!(result, Err(NotProved::Unbounded { .. })), "{result:?}");
}

/// Arms and disarms timers in one step.
struct Timers;

impl Role for Timers {
    type State = u8;
    type Message = Text;
    type Timer = char;

    fn start(&self, out: &mut Out<Text, char>) -> u8 {
        out.arm('a', std::time::Duration::MAX);
        out.disarm('a');
        out.disarm('b');
        out.arm('b', std::time::Duration::ZERO);
        out.arm('b', std::time::Duration::ZERO);
        0
    }

    fn on(&self, _: &mut u8, _: Address, _: &Text, _: &mut Out<Text, char>) {}

    fn on_timer(&self, state: &mut u8, timer: &char, out: &mut Out<Text, char>) {
        *state += if *timer == 'a' { 10 } else { 1 };
        if *state == 1 {
            out.arm('b', std::time::Duration::MAX);
            out.arm('a', std::time::Duration::ZERO);
        }
    }
}

fn timers() -> Network<Text> {
    let mut network = Network::new("timers", Delivery::Mailboxes);
    let own = network.actor("own");
    network.play(own, Timers);
    network
}

#[test]
fn timers_are_armed_as_they_are_changed_last() {
    let extracted = timers().extract().unwrap();
    let names: BTreeSet<_> = extracted.system().states.values().map(|state| state.name.as_str()).collect();
    let b = "with timer 'b'";
    let both = "1 with timer 'a' with timer 'b'";
    let expected = [&format!("0 {b}"), both, "2 with timer 'a'", &format!("11 {b}"), "12"];
    assert_eq!(names, BTreeSet::from(expected));
}

#[cfg(feature = "tokio")]
mod live {
    use std::time::{Duration, Instant};

    use freeboard_actors::live::{Mailboxes, spawn};

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    }

    #[test]
    fn a_run_ends_when_nothing_can_happen() {
        for mailboxes in [Mailboxes::Bounded, Mailboxes::Guarded] {
            let (network, _) = everybody(Delivery::Mailboxes);
            let capacities = network.extract().unwrap().prove(&Options::default()).unwrap();
            let begin = Instant::now();
            let finished =
                runtime().block_on(async { spawn(network, &capacities, mailboxes).finish(LONG).await });
            assert!(begin.elapsed() < LONG);
            assert_eq!(finished.excess, None);
        }
    }

    #[test]
    fn a_timer_may_be_armed_for_ever() {
        let capacities = timers().extract().unwrap().prove(&Options::default()).unwrap();
        let finished = runtime().block_on(async {
            spawn(timers(), &capacities, Mailboxes::Bounded).finish(Duration::from_millis(50)).await
        });
        assert_eq!(finished.states, ["11"]);
    }

    struct Panics {
        own: Address,
    }

    impl Role for Panics {
        type State = ();
        type Message = Text;
        type Timer = ();

        fn start(&self, out: &mut Out<Text, ()>) {
            out.send(self.own, Text("x"));
        }

        fn on(&self, (): &mut (), _: Address, _: &Text, _: &mut Out<Text, ()>) {
            panic!("it does");
        }
    }

    #[test]
    #[should_panic = "it does"]
    fn a_panic_is_passed_on() {
        let mut network = Network::new("panics", Delivery::Mailboxes);
        let own = network.actor("own");
        network.play(own, Panics { own });
        let capacities = network.extract().unwrap().prove(&Options::default()).unwrap();
        runtime().block_on(async { spawn(network, &capacities, Mailboxes::Bounded).finish(LONG).await });
    }

    #[test]
    #[should_panic = "capacities of another network"]
    fn capacities_are_those_of_the_network() {
        let capacities = timers().extract().unwrap().prove(&Options::default()).unwrap();
        let (network, _) = everybody(Delivery::Mailboxes);
        runtime().block_on(async { drop(spawn(network, &capacities, Mailboxes::Bounded)) });
    }

    #[test]
    fn a_send_to_nobody_is_a_step_of_the_sender() {
        for capacity in [None, Some(1)] {
            let mut network = Network::new("gone", Delivery::Mailboxes);
            let (one, other) = (network.actor("one"), network.actor("other"));
            network.play(one, Sender { first: vec![(other, Text("x")), (other, Text("y"))] });
            network.play(other, Sender { first: Vec::new() });
            let monitor = Monitor::new(&network.extract().unwrap(), None);
            let (outlet, inbox) = monitor.tokio_channel(other, capacity);
            drop(inbox);
            runtime().block_on(async {
                assert!(outlet.of(one).send(Text("x")).await.is_err());
                assert!(outlet.of(one).send(Text("y")).await.is_err());
            });
            assert_eq!(monitor.drift(), None, "{capacity:?}");
        }
    }
}
