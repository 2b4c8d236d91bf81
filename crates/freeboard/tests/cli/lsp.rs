//! The language server, driven by a client that does what an editor does.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::harness::{freeboard, models, start};

/// An editor.
struct Editor {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    requests: i64,
    /// Notifications that nobody has asked for so far.
    notifications: Vec<Value>,
    /// Responses that nobody has asked for so far.
    responses: Vec<Value>,
}

impl Editor {
    /// An editor whose server is ready.
    fn new() -> Self {
        Self::with_options(&[], &json!({}))
    }

    /// An editor with capabilities, whose server has options.
    fn with_options(options: &[&str], capabilities: &Value) -> Self {
        let mut server = start(&[&["lsp"][..], options].concat());
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let (notifications, responses) = (Vec::new(), Vec::new());
        let mut editor = Self { server, to, from, requests: 0, notifications, responses };
        let capabilities =
            editor.ask("initialize", json!({ "capabilities": capabilities }))["capabilities"].take();
        for provider in ["hoverProvider", "definitionProvider", "codeLensProvider"] {
            assert!(!capabilities[provider].is_null(), "{capabilities}");
        }
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let to = self.to.as_mut().unwrap();
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        to.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, and returns its number.
    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        self.requests
    }

    fn receive(&mut self) {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server is gone");
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().unwrap();
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).unwrap();
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        let list = if message["method"].is_null() { &mut self.responses } else { &mut self.notifications };
        list.push(message);
    }

    fn response(&mut self, id: i64) -> Value {
        loop {
            if let Some(at) = self.responses.iter().position(|response| response["id"] == id) {
                return self.responses.remove(at);
            }
            self.receive();
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut response = self.response(id);
        assert!(response["error"].is_null(), "{response}");
        response["result"].take()
    }

    /// Opens a document in version 1.
    fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces what lies between two positions.
    fn change(&mut self, uri: &str, version: i64, range: &Value, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.tell("textDocument/didChange", params);
    }

    /// The first diagnostics of a version.
    fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            let is_wanted = |message: &Value| {
                message["method"] == "textDocument/publishDiagnostics"
                    && message["params"]["uri"] == uri
                    && message["params"]["version"] == version
            };
            if let Some(at) = self.notifications.iter().position(is_wanted) {
                let mut message = self.notifications.remove(at);
                return serde_json::from_value(message["params"]["diagnostics"].take()).unwrap();
            }
            self.receive();
        }
    }

    /// The lenses of a document: lines, counted from 0, with their titles.
    fn lenses(&mut self, uri: &str) -> Vec<(u64, String)> {
        let lenses = self.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        let lens = |lens: &Value| {
            let title = lens["command"]["title"].as_str().unwrap();
            (lens["range"]["start"]["line"].as_u64().unwrap(), title.to_owned())
        };
        lenses.as_array().unwrap().iter().map(lens).collect()
    }

    fn hover(&mut self, uri: &str, at: &Value) -> Option<String> {
        let params = json!({ "textDocument": { "uri": uri }, "position": at });
        let hover = self.ask("textDocument/hover", params);
        hover["contents"]["value"].as_str().map(str::to_owned)
    }

    fn definition(&mut self, uri: &str, at: &Value) -> Value {
        self.ask("textDocument/definition", json!({ "textDocument": { "uri": uri }, "position": at }))
    }

    /// Shuts the server down, and returns its exit status.
    fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().unwrap().code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It has ended, if all went well.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The position of the first occurrence of a word behind some other text, in UTF-16 units.
fn position(text: &str, behind: &str, word: &str) -> Value {
    let from = text.find(behind).unwrap();
    let at = from + text[from..].find(word).unwrap();
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let units = text[line..at].encode_utf16().count();
    json!({ "line": text[..at].matches('\n').count(), "character": units })
}

/// A range on one line that begins at a position.
fn range(start: &Value, length: u64) -> Value {
    let end = json!({ "line": start["line"], "character": start["character"].as_u64().unwrap() + length });
    json!({ "start": start, "end": end })
}

const MODEL: &str = "mtype = { ask, answer };
chan request = [4] of { mtype };
chan reply = [3] of { mtype };
chan log = [2] of { mtype };
active proctype Client() {
  do :: /* 𝄞 */ request!ask; reply?answer od
}
active proctype Server() {
  do :: request?ask; reply!answer; log!answer od
}
";
const URI: &str = "file:///models/shop.pml";

#[test]
fn a_model_is_edited() {
    let mut editor = Editor::new();
    editor.open(URI, "promela", MODEL);
    assert_eq!(editor.diagnostics(URI, 1), [Value::Null; 0]);
    let lenses = |editor: &mut Editor| editor.lenses(URI);
    let right = [
        (1, String::from("≤ 1, declared 4")),
        (2, "≤ 1, declared 3".into()),
        (3, "unbounded, declared 2".into()),
    ];
    assert_eq!(lenses(&mut editor), right);

    // An error, behind a character of two units.
    let place = position(MODEL, "𝄞", "request");
    editor.change(URI, 2, &range(&place, 7), "requst");
    let found = editor.diagnostics(URI, 2);
    let error = found.iter().find(|found| found["code"] == "P0201").expect("`requst` is not declared");
    assert_eq!((&error["range"], &error["severity"]), (&range(&place, 6), &json!(1)));
    assert_eq!(lenses(&mut editor), [], "what has errors has no verdicts");
    assert!(editor.hover(URI, &position(MODEL, "chan reply", "reply")).unwrap().contains("errors"));

    // It is repaired.
    editor.change(URI, 3, &range(&place, 6), "request");
    assert_eq!(editor.diagnostics(URI, 3), [Value::Null; 0]);
    assert_eq!(lenses(&mut editor), right);
    let hover = editor.hover(URI, &place).unwrap();
    assert!(hover.contains("request") && hover.contains("≤ 1") && hover.contains("never block"), "{hover}");
    let hover = editor.hover(URI, &position(MODEL, "reply!answer", "log")).unwrap();
    assert!(hover.contains("unbounded") && hover.contains("declared 2"), "{hover}");
    assert_eq!(editor.hover(URI, &position(MODEL, "active", "Client")), None);

    let defined = editor.definition(URI, &place);
    assert_eq!(defined["uri"], URI);
    assert_eq!(defined["range"], range(&position(MODEL, "chan request", "request"), 7));
    let defined = editor.definition(URI, &position(MODEL, "request!", "ask"));
    assert_eq!(defined["range"], range(&position(MODEL, "mtype", "ask"), 3));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_buffer_that_is_unbounded_is_a_warning() {
    let mut editor = Editor::new();
    editor.open(URI, "promela", MODEL);
    assert_eq!(editor.diagnostics(URI, 1), [Value::Null; 0]);
    // Those that come with the verdicts.
    let found = editor.diagnostics(URI, 1);
    let codes: Vec<&Value> = found.iter().map(|found| &found["code"]).collect();
    assert_eq!(codes, ["unbounded-buffer"]);
    assert_eq!(found[0]["range"]["start"], position(MODEL, "chan log", "log"));
    assert_eq!(found[0]["severity"], 2);
}

#[test]
fn processes_and_locals_are_found() {
    let text = "chan c = [1] of { byte };\nproctype P(chan d) { chan c = [2] of { byte }; c!1; d!1; c?_ }\n\
                init { run P(c); do :: c?_ od }\n";
    let mut editor = Editor::new();
    editor.open(URI, "promela", text);
    for (behind, word, declaration) in [
        ("c!1", "c", "chan c = [2]"),
        ("d!1", "d", "chan d"),
        ("run", "P", "proctype P"),
        ("run P(", "c", "chan c = [1]"),
    ] {
        let defined = editor.definition(URI, &position(text, behind, word));
        let place = position(
            text,
            declaration,
            &format!("{word}{}", &declaration[declaration.rfind(word).unwrap() + 1..]),
        );
        assert_eq!(defined["range"]["start"], place, "{behind}");
    }
}

const MACHINES: &str = ".outputs A
.state graph
q0 B ! m q1
q1 1 ? n q0
.marking q0
.end
.outputs B
.state graph
q0 A ? m q1
q1 A ! n q0
.marking q0
.end
";

#[test]
fn machines_are_edited() {
    let uri = "file:///models/pair.fsa";
    let mut editor = Editor::new();
    editor.open(uri, "fsa", &MACHINES.replace("q0 B ! m q1", "q0 B m q1"));
    let found = editor.diagnostics(uri, 1);
    assert!(
        found.iter().any(|found| found["code"] == "M0101" && found["range"]["start"]["line"] == 2),
        "{found:#?}"
    );
    let end = json!({ "start": { "line": 2, "character": 4 }, "end": { "line": 2, "character": 4 } });
    editor.change(uri, 2, &end, " !");
    assert_eq!(editor.diagnostics(uri, 2), [Value::Null; 0]);
    assert_eq!(editor.lenses(uri), [(2, String::from("A->B: ≤ 1")), (9, "B->A: ≤ 1".into())]);
    let hover = editor.hover(uri, &position(MACHINES, "q0 A ? m", "A")).unwrap();
    assert!(hover.contains("A->B") && hover.contains("≤ 1"), "{hover}");
    for (word, statement) in [("B", "B ! m"), ("1", "1 ? n")] {
        let place = position(MACHINES, statement, word);
        let defined = editor.definition(uri, &place);
        assert_eq!(defined["range"]["start"], position(MACHINES, ".outputs B", "B"), "{word}");
    }
}

/// The lenses of a model of capsules have the bounds that `check` prints.
#[test]
fn capsules_have_verdicts_at_their_ports() {
    let path = models().join("../umlrt/alarm.room").canonicalize().unwrap();
    let uri = format!("file://{}", path.display());
    let text = std::fs::read_to_string(&path).unwrap();
    let mut editor = Editor::new();
    editor.open(&uri, "room", &text);
    let found = editor.diagnostics(&uri, 1);
    assert!(found.iter().all(|found| found["severity"] != 1), "{found:#?}");
    let lenses = editor.lenses(&uri);
    let checked = freeboard(&["check", "--format", "json", path.to_str().unwrap()]).json();
    let bounds: Vec<String> = checked["property-results"][0]["buffers"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|buffer| Some(format!("≤ {}", buffer["bound"].as_u64()?)))
        .collect();
    assert!(!lenses.is_empty() && !bounds.is_empty());
    for bound in bounds {
        assert!(lenses.iter().any(|(_, title)| title.contains(&bound)), "{bound}: {lenses:?}");
    }
    // Errors are shown while typing.
    let start = json!({ "line": 0, "character": 0 });
    editor.change(&uri, 2, &range(&start, 0), "}");
    assert!(editor.diagnostics(&uri, 2).iter().any(|found| found["severity"] == 1));
}

#[test]
fn what_takes_too_long_is_unknown() {
    let mut editor = Editor::with_options(&["--time-limit", "0"], &json!({}));
    editor.open(URI, "promela", MODEL);
    let unknown = |declared| format!("unknown, declared {declared}");
    assert_eq!(editor.lenses(URI), [(1, unknown(4)), (2, unknown(3)), (3, unknown(2))]);
}

/// A model that neither analysis nor search decides within seconds: no square is 3 modulo 4, nor is
/// a sum of two.
const LONG: &str = "chan c = [9] of { byte };
byte x, y, z, w;
active proctype P() {
  do
  :: x = x * 5 + z + 3
  :: y = y * 3 + w + 1
  :: z = z + x
  :: w = w * 7 + y
  :: (x * x + y * y + 4 * z * w) % 4 == 3 -> c!x
  od
}
";

#[test]
fn a_check_ends_when_the_text_changes() {
    let mut editor = Editor::with_options(&["--time-limit", "1h"], &json!({}));
    editor.open(URI, "promela", LONG);
    assert_eq!(editor.diagnostics(URI, 1), [Value::Null; 0]);
    let waiting = editor.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let hover = editor.hover(URI, &position(LONG, "-> c", "c")).unwrap();
    assert!(hover.contains("being checked"), "{hover}");
    // Nothing is sent any more.
    editor.change(URI, 2, &range(&position(LONG, "-> c", "c!x"), 3), "skip");
    assert_eq!(editor.response(waiting)["error"]["code"], -32801);
    assert_eq!(editor.diagnostics(URI, 2).len(), 1, "`c` is never used");
    assert_eq!(editor.lenses(URI), [(0, String::from("≤ 0, declared 9"))]);
}

#[test]
fn what_is_closed_has_no_diagnostics() {
    let mut editor = Editor::new();
    editor.open(URI, "promela", "init { x = 1 }");
    assert_eq!(editor.diagnostics(URI, 1).len(), 1);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    loop {
        let last = editor.notifications.pop();
        match last {
            Some(message) if message["params"]["version"].is_null() => {
                assert_eq!(message["params"]["diagnostics"], json!([]));
                break;
            }
            Some(_) => {}
            None => editor.receive(),
        }
    }
    assert_eq!(editor.hover(URI, &json!({ "line": 0, "character": 8 })), None);
}

#[test]
fn a_client_that_leaves_without_a_word_is_an_error() {
    let mut editor = Editor::new();
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(1));
}

#[test]
fn what_the_server_cannot_do_is_refused() {
    let mut editor = Editor::new();
    let id = editor.request("textDocument/rename", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(editor.response(id)["error"]["code"], -32601);
    editor.ask("shutdown", Value::Null);
    let id = editor.request("textDocument/hover", json!({}));
    assert_eq!(editor.response(id)["error"]["code"], -32600);
}

/// A lens does not wait for a long check, and comes when the check has ended.
#[test]
fn lenses_are_asked_for_again() {
    let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
    let mut editor = Editor::with_options(&["--time-limit", "2s"], &capabilities);
    let model = "chan c = [1] of { bit };\nint x, y, z;\n\
                 active proctype P() { do :: x++ :: y++ :: z++ :: (x * x) % 4 == 3 -> c!1 od }\n";
    editor.open(URI, "promela", model);
    assert_eq!(editor.lenses(URI), [(0, "bounds: being checked".into())]);
    let is_refresh = |message: &Value| message["method"] == "workspace/codeLens/refresh";
    while !editor.notifications.iter().any(is_refresh) {
        editor.receive();
    }
    assert_eq!(editor.lenses(URI), [(0, "unknown, declared 1".into())]);
    assert_eq!(editor.leave(), Some(0));
}
