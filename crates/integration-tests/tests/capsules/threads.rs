//! Pools of threads.

use freeboard::Analysis;
use freeboard::report::view::Verdict;
use freeboard::umlrt_front::{Imports, Options};

use super::check;

/// A sender of four messages at once, which the receiver answers one by one, on one thread.
const BURST: &str = "
    RoomModel Burst {
        LogicalSystem Burst { SubSystemRef all: SAll }
        SubSystemClass SAll {
            ActorRef sender: ASender
            ActorRef receiver: AReceiver
            Binding sender.out and receiver.in
        }
        ProtocolClass P { incoming { Message item() } outgoing { Message next() } }
        ActorClass ASender {
            Interface { conjugated Port out: P }
            Structure { external Port out Attribute i: int32 Attribute answers: int32 }
            Behavior { StateMachine {
                State sending { entry '''for (i = 0; i < 4; i++) out.item();''' }
                State waiting
                Transition init: initial -> sending
                Transition first: sending -> waiting { triggers { <next: out> } action '''answers = 1;''' }
                Transition more: waiting -> waiting {
                    triggers { <next: out guard '''answers < 3'''> }
                    action '''answers++;'''
                }
                Transition last: waiting -> sending {
                    triggers { <next: out guard '''answers == 3'''> }
                }
            } }
        }
        ActorClass AReceiver {
            Interface { Port in: P }
            Structure { external Port in }
            Behavior { StateMachine {
                State ready
                Transition init: initial -> ready
                Transition item: ready -> ready { triggers { <item: in> } action '''in.next();''' }
            } }
        }
    }";

/// The burst with room for some messages.
fn burst(room: u32) -> Analysis {
    let thread = format!(
        "DefaultThread main {{ execmode = blocked prio = 0 stacksize = 1 msgblocksize = 1 msgpoolsize = {room} }}"
    );
    let node = format!("NodeClass N {{ runtime = R priomin = 0 priomax = 0 {thread} }}");
    let physical = format!(
        "PhysicalModel Board {{ PhysicalSystem Board {{ NodeRef node: N }} {node} RuntimeClass R {{ model = multiThreaded }} }}"
    );
    let given = [("burst.room".to_owned(), BURST.to_owned()), ("board.etphys".to_owned(), physical)];
    let mapping = "MappingModel M {
        import model \"burst.room\"
        import model \"board.etphys\"
        Mapping Burst -> Board { SubSystemMapping all -> node }
    }";
    let reading = Options { imports: Imports::Given(given.into()), ..Options::default() };
    check("m.etmap", mapping, &reading)
}

#[test]
fn a_thread_loses_messages_only_where_its_pool_is_too_small() {
    let enough = burst(5).view("m.etmap").property_results.swap_remove(0);
    let [thread] = enough.buffers.as_slice() else { panic!("{:?}", enough.buffers) };
    assert_eq!(enough.verdict, Verdict::Proved);
    let declared = thread.as_declared.as_ref().expect("it has a pool");
    assert_eq!((declared.blocks, declared.loses), (Some(false), true));
    let little = burst(4).view("m.etmap").property_results.swap_remove(0);
    let declared = little.buffers[0].as_declared.as_ref().expect("it has a pool");
    assert_eq!((declared.blocks, declared.loses), (Some(true), true));
    let lost = declared.send.as_ref().expect("a send");
    assert!(lost.text.contains("out.item()") || lost.text.contains("in.next()"), "{}", lost.text);
}
