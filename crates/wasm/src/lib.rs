//! freeboard as a WebAssembly module: the text of a model in, the answer as JSON out.
//!
//! [`check`] is the whole of it, and runs on every target. The exports of the module hand it a text
//! and hand out its answer, without a code generator between: a host writes a request in UTF-8 to
//! the memory that `freeboard_alloc` returns, calls `freeboard_check`, and reads the answer. The
//! module imports one function, `freeboard.now`, the host's clock in milliseconds.

use std::time::Duration;

use freeboard::cfsm_core::formats::Format;
use freeboard::cfsm_core::source::Sources;
use freeboard::promela_front::Diagnostic;
use freeboard::report::{diagnostics, json};
use freeboard::{Failure, Options, RunLimits, check_machines, check_promela};
use serde::{Deserialize, Serialize};

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod exports;

/// A question: a model, and how far to go for an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// The name of the model in the answer.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The text of the model.
    pub text: String,
    /// The language of the text.
    #[serde(default)]
    pub input: Input,
    /// Milliseconds that the check may take, of the host's clock; left out: no limit.
    pub time_limit: Option<u64>,
    /// States that may be looked at, for runs that refute and to see all states; left out: as the
    /// library has it.
    pub max_states: Option<usize>,
}

/// The language of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// Promela.
    #[default]
    Promela,
    /// Systems as JSON, `freeboard.system/1`.
    Json,
    /// Lists of transitions, of chorgram and KMC.
    Fsa,
    /// Local types, of KMC.
    Kmc,
    /// Machines with numbered channels, of McScM.
    Scm,
}

/// The answer to a request that cannot be read, or to a model that is wrong.
#[derive(Serialize)]
struct Refusal {
    schema: &'static str,
    /// The diagnostics, as the command prints them.
    error: String,
}

fn unnamed() -> String {
    "model".into()
}

/// Checks the model of a request (the JSON of a [`Request`]) for boundedness. The answer is what
/// `freeboard check --format json` prints, or `{"schema": "freeboard.error/1", "error": ...}`.
#[must_use]
pub fn check(request: &str) -> String {
    let request: Request = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(error) => return refuse(format!("the request cannot be read: {error}")),
    };
    let mut options =
        Options { time_limit: request.time_limit.map(Duration::from_millis), ..Options::default() };
    if let Some(states) = request.max_states {
        options.runs = RunLimits { search_states: states, exploration_states: states };
    }
    let Request { name, text, .. } = &request;
    let format = match request.input {
        Input::Promela => {
            return match check_promela(name, text, &options) {
                Ok(analysis) => json::render(&analysis.view(name)),
                Err(failure) => refuse(told(&failure)),
            };
        }
        Input::Json => Format::Json,
        Input::Fsa => Format::Fsa,
        Input::Kmc => Format::LocalTypes,
        Input::Scm => Format::Scm,
    };
    match check_machines(name, text, format, &options) {
        Ok(analysis) => json::render(&analysis.view(name)),
        Err(failure) => refuse(told(&failure)),
    }
}

/// A failure in words: diagnostics with their places where the text is wrong.
fn told(failure: &Failure) -> String {
    match failure {
        Failure::Input { diagnostics, sources } => rendered(diagnostics, sources),
        other => other.to_string(),
    }
}

fn rendered(found: &[Diagnostic], sources: &Sources) -> String {
    diagnostics::render(found, sources, false)
}

fn refuse(error: String) -> String {
    json::render(&Refusal { schema: "freeboard.error/1", error })
}

#[cfg(test)]
mod tests {
    use super::check;

    const PAIR: &str = "C: rec x . S!ask; S?answer; x\nS: rec y . C?ask; C!answer; y\n";

    fn answer(request: &serde_json::Value) -> serde_json::Value {
        serde_json::from_str(&check(&request.to_string())).expect("it is JSON")
    }

    #[test]
    fn a_model_is_checked() {
        let model = "chan c = [3] of { byte }; active proctype P() { c!1; c!2 }";
        let found = answer(&serde_json::json!({ "text": model }));
        assert_eq!(found["property-results"][0]["verdict"], "proved", "{found}");
        let flood = "chan c = [3] of { byte }; active proctype P() { do :: c!1 od }";
        let found = answer(&serde_json::json!({ "text": flood }));
        assert_eq!(found["property-results"][0]["verdict"], "refuted", "{found}");
    }

    #[test]
    fn machines_are_checked() {
        let found = answer(&serde_json::json!({ "text": PAIR, "input": "kmc", "name": "pair" }));
        assert_eq!(found["property-results"][0]["verdict"], "proved", "{found}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let found = answer(&serde_json::json!({ "text": "active proctype P() { x = 1 }" }));
        assert_eq!(found["schema"], "freeboard.error/1");
        assert!(found["error"].as_str().is_some_and(|error| error.contains('x')), "{found}");
        assert!(check("{}").contains("freeboard.error/1"));
    }
}
