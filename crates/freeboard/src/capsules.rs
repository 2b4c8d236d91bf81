//! One call from a system of capsules to a typed result.

use cfsm_core::clock::Instant;

use crate::analysis::Failure;
use crate::options::{Options, Stage};
use crate::programs::{self, Analysis, Model, check_model};

/// Reads a system of capsules in ROOM or Art and makes the abstract system; `name` is what
/// diagnostics call the text.
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Abstraction`] if there is no abstract
/// system.
pub fn read_room(
    name: &str,
    text: &str,
    reading: &umlrt_front::Options,
    options: &Options,
) -> Result<Model, Failure> {
    let start = Instant::now();
    options.tell(Stage::Reading);
    let read = umlrt_front::parse(name, text, reading);
    let Some(lowered) = read.lowered else {
        return Err(Failure::Input { diagnostics: read.diagnostics, sources: read.sources });
    };
    let mut program = lowered.program;
    options.capacities.limit_program(&mut program)?;
    programs::model(program, read.diagnostics, start, options)
}

/// Decides, as far as the abstraction allows, which queues of a system of capsules are bounded, and
/// by what.
///
/// ```
/// use freeboard::{Options, check_room, umlrt_front};
///
/// let model = "
///     RoomModel Example {
///         ProtocolClass PTalk { incoming { Message ask() } outgoing { Message answer() } }
///         ActorClass AClient {
///             Interface { conjugated Port server: PTalk }
///             Structure { external Port server }
///             Behavior { StateMachine {
///                 State waiting { entry '''server.ask();''' }
///                 Transition init: initial -> waiting
///                 Transition again: waiting -> waiting { triggers { <answer: server> } }
///             } }
///         }
///         ActorClass AServer {
///             Interface { Port client: PTalk }
///             Structure { external Port client }
///             Behavior { StateMachine {
///                 State ready
///                 Transition init: initial -> ready
///                 Transition serve: ready -> ready {
///                     triggers { <ask: client> }
///                     action '''client.answer();'''
///                 }
///             } }
///         }
///         ActorClass ATop {
///             Structure {
///                 ActorRef client: AClient
///                 ActorRef server: AServer
///                 Binding client.server and server.client
///             }
///         }
///     }";
/// let reading = umlrt_front::Options::default();
/// let analysis = check_room("example.room", model, &reading, &Options::default())?;
/// assert!(analysis.outcome.verdict.is_proved());
/// # Ok::<(), freeboard::Failure>(())
/// ```
///
/// # Errors
/// [`Failure::Input`] if the text has errors, [`Failure::Abstraction`] if there is no abstract
/// system.
pub fn check_room(
    name: &str,
    text: &str,
    reading: &umlrt_front::Options,
    options: &Options,
) -> Result<Analysis, Failure> {
    let start = Instant::now();
    let model = read_room(name, text, reading, options)?;
    Ok(check_model(model, options, start))
}
