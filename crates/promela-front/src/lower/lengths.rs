//! Checks the number of fields of messages. Spin compares a send with the channel only when it is
//! executed, and rejects a text with a message that is longer than those of all channels.

use std::collections::BTreeMap;

use cfsm_core::program::{ChannelShape, Type};
use cfsm_core::source::Span;

use super::Lowering;
use crate::ast::Variable;
use crate::codes;
use cfsm_core::diagnostic::{Diagnostic, Severity};

/// Kinds of accesses to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It is appended to the channel.
    Send,
    /// It is removed from the channel.
    Receive,
    /// It is inspected in place.
    Look,
    /// An observer watches for its send or receive.
    Watch,
}

/// Sends that may be too long, until all channels are known.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    /// Greatest number of fields of a channel.
    longest: usize,
    /// Reported sends, by span and message of the diagnostic.
    sends: BTreeMap<(Span, String), Sent>,
}

/// A send with more fields than are known to fit.
#[derive(Debug)]
struct Sent {
    fields: usize,
    /// `true` if the channel is known.
    known: bool,
}

impl Lengths {
    /// Records the shape of a channel.
    pub(super) fn note(&mut self, shape: &ChannelShape) {
        self.longest = self.longest.max(shape.fields.len());
    }
}

impl Lowering<'_> {
    /// Compares the number of fields of a message with that of its channel. The statement keeps its
    /// number: at run time the variable may refer to another channel. A receive with too many is a
    /// run-time error once there is a message, and so is a send if another channel has as many.
    pub(super) fn check_fields(&mut self, channel: &Variable, given: usize, span: Span, access: Access) {
        let Some((shape, declared)) = self.shape(channel) else {
            let is_channel =
                self.scalar_of(channel).is_some_and(|variable| self.type_of(variable) == Type::Channel);
            if is_channel && access == Access::Send && given > self.lengths.longest {
                let message = String::from("the message is longer than those of all channels");
                self.too_long(given, false, Diagnostic::warning(codes::MESSAGE_TOO_LONG, span, message));
            }
            return;
        };
        let wanted = shape.fields.len();
        let name = &channel.name.text;
        if given > wanted {
            let (message, hint) = match access {
                Access::Send => (
                    format!("the message has {given} fields, the channel `{name}` only {wanted}"),
                    "leave out the rest: Spin's verifier stops here with an error",
                ),
                Access::Receive => (
                    format!("{given} fields are asked for, messages of the channel `{name}` have {wanted}"),
                    "leave out the rest: Spin's verifier stops here with an error, once a message comes",
                ),
                Access::Look => (
                    format!("{given} fields are asked for, messages of the channel `{name}` have {wanted}"),
                    "leave out the rest: it is 0 behind a single field, and else an error of the run",
                ),
                Access::Watch => (
                    format!("{given} fields are watched, messages of the channel `{name}` have {wanted}"),
                    "leave out the rest",
                ),
            };
            let diagnostic = Diagnostic::warning(codes::MESSAGE_TOO_LONG, span, message)
                .with_hint(hint)
                .with_label(declared, "the channel is declared here");
            match access {
                Access::Send => self.too_long(given, true, diagnostic),
                Access::Receive | Access::Look | Access::Watch => self.diagnostics.push(diagnostic),
            }
        } else if given < wanted {
            let message = format!("{given} of the {wanted} fields of channel `{name}`");
            self.diagnostics.push(
                Diagnostic::warning(codes::MESSAGE_TOO_SHORT, span, message)
                    .with_label(declared, "the channel is declared here")
                    .with_hint(
                        "name them all: Spin's verifier stops here with an error, unless it is told to go on; \
                         then the rest is sent as 0, or received and dropped",
                    ),
            );
        }
    }

    fn too_long(&mut self, fields: usize, known: bool, diagnostic: Diagnostic) {
        let place = (diagnostic.span(), diagnostic.message.clone());
        self.lengths.sends.insert(place, Sent { fields, known });
        self.diagnostics.push(diagnostic);
    }

    /// Decides on the messages that may be too long, when all channels are known.
    pub(super) fn check_lengths(&mut self) {
        let Lengths { longest, sends } = std::mem::take(&mut self.lengths);
        self.diagnostics.retain_mut(|diagnostic| {
            if diagnostic.code != codes::MESSAGE_TOO_LONG {
                return true;
            }
            let place = (diagnostic.span(), std::mem::take(&mut diagnostic.message));
            let sent = sends.get(&place);
            diagnostic.message = place.1;
            let Some(sent) = sent else { return true };
            if sent.fields <= longest {
                return sent.known;
            }
            diagnostic.severity = Severity::Error;
            diagnostic.hint = Some(match longest {
                0 => String::from("leave out the rest: no channel is declared"),
                1 => String::from("leave out the rest: no channel has more than one field"),
                _ => format!("leave out the rest: no channel has more than {longest} fields"),
            });
            true
        });
    }
}
