//! PNML renderer: the interchange format of Petri nets, ISO/IEC 15909-2.

use xmlwriter::XmlWriter;

use super::Net;
use crate::xml::{attribute, document, text_element};

/// The namespace of the format.
const NAMESPACE: &str = "http://www.pnml.org/version-2009/grammar/pnml";

/// The type of place/transition nets.
const NET_TYPE: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// Renders a net as PNML, on one page, without positions. Time linear in the net.
#[must_use]
pub fn pnml(net: &Net) -> String {
    document(|writer| {
        writer.start_element("pnml");
        attribute(writer, "xmlns", NAMESPACE);
        writer.start_element("net");
        attribute(writer, "id", "net");
        attribute(writer, "type", NET_TYPE);
        label(writer, "name", &net.name);
        writer.start_element("page");
        attribute(writer, "id", "page");
        places(writer, net);
        transitions(writer, net);
        (0..3).for_each(|_| writer.end_element());
    })
}

fn places(writer: &mut XmlWriter, net: &Net) {
    for place in &net.places {
        writer.start_element("place");
        attribute(writer, "id", &place.id);
        label(writer, "name", &place.name);
        if place.tokens > 0 {
            label(writer, "initialMarking", &place.tokens.to_string());
        }
        writer.end_element();
    }
}

fn transitions(writer: &mut XmlWriter, net: &Net) {
    for transition in &net.transitions {
        writer.start_element("transition");
        attribute(writer, "id", &transition.id);
        label(writer, "name", &transition.name);
        writer.end_element();
        for (place, weight) in &transition.takes {
            arc(writer, &net.places[*place].id, &transition.id, *weight);
        }
        for (place, weight) in &transition.puts {
            arc(writer, &transition.id, &net.places[*place].id, *weight);
        }
    }
}

fn arc(writer: &mut XmlWriter, source: &str, target: &str, weight: u64) {
    writer.start_element("arc");
    attribute(writer, "id", &format!("{source}.{target}"));
    attribute(writer, "source", source);
    attribute(writer, "target", target);
    if weight > 1 {
        label(writer, "inscription", &weight.to_string());
    }
    writer.end_element();
}

/// `<TAG><text>CONTENT</text></TAG>`
fn label(writer: &mut XmlWriter, tag: &str, content: &str) {
    writer.start_element(tag);
    text_element(writer, "text", content);
    writer.end_element();
}
