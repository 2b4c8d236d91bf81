//! ITF renderer: the Informal Trace Format of Apalache, which several viewers read.

use serde_json::{Value, json};

use crate::json;
use crate::view::{Trace, TraceState};

/// Renders a trace. Variables are `processes` (a map from names to the next statement and its
/// line), `buffers` (a map from names to messages, each a list of fields, the oldest first) and
/// `step` (the statement that led to the state). Time linear in the trace.
#[must_use]
pub fn itf(trace: &Trace) -> String {
    let states: Vec<Value> =
        trace.states.iter().enumerate().map(|(index, found)| state(index, found)).collect();
    let mut text = json!({
        "#meta": { "format": "ITF", "source": trace.file, "description": trace.description },
        "vars": ["processes", "buffers", "step"],
        "states": states,
    });
    if let Some(start) = trace.loop_start {
        text["loop"] = json!(start);
    }
    json::render(&text)
}

fn state(index: usize, state: &TraceState) -> Value {
    let processes = state.processes.iter().map(|process| {
        let name = format!("{}[{}]", process.process, process.pid);
        json!([name, { "line": process.line, "next": process.text }])
    });
    let processes: Vec<Value> = processes.collect();
    let buffers = state.buffers.iter().map(|buffer| json!([buffer.name, buffer.messages]));
    let buffers: Vec<Value> = buffers.collect();
    json!({
        "#meta": { "index": index },
        "processes": { "#map": processes },
        "buffers": { "#map": buffers },
        "step": state.step,
    })
}
