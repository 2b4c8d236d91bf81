//! `freeboard lsp`: a language server, which speaks the Language Server Protocol on standard input
//! and output.
//!
//! One thread reads messages and answers them. Each version of a document is read and checked in a
//! thread of its own; when the text changes, the check is stopped and its result is dropped. A
//! request that needs more than there is yet waits until it is there, and is refused if the text
//! changes before. Code lenses do not wait for long if the client can be told to ask again.

mod address;
mod outline;
mod reading;
mod text;
mod verdicts;

use std::collections::BTreeMap;
use std::ops::Range as Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::Args;
use freeboard::Stop;
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    CodeLensRefresh, CodeLensRequest, GotoDefinition, HoverRequest, Request as _, Shutdown,
};
use lsp_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, GotoDefinitionParams, GotoDefinitionResponse,
    Hover, HoverContents, HoverParams, HoverProviderCapability, InitializeParams, MarkupContent, MarkupKind,
    OneOf, PublishDiagnosticsParams, ServerCapabilities, TextDocumentIdentifier, TextDocumentItem,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::reading::{Kind, Reading, Snapshot};
use self::text::Text;
use self::verdicts::Verdicts;
use super::Status;
use super::arguments::duration;
use super::error::Error;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Time that the check of a document may take, such as `10s` or `2m`
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10s")]
    time_limit: Duration,
}

pub fn run(arguments: &Arguments) -> Result<Status, Error> {
    let (connection, threads) = Connection::stdio();
    let status =
        serve(arguments, connection).map_err(|error| Error::Protocol { error: error.to_string() })?;
    // All that was answered is written.
    threads.join().map_err(|error| Error::Write { name: "standard output".into(), error })?;
    Ok(status)
}

/// Speaks with a client until it leaves.
fn serve(arguments: &Arguments, connection: Connection) -> Result<Status, ProtocolError> {
    let (id, client) = connection.initialize_start()?;
    let client = parameters::<InitializeParams>(client).unwrap_or_default();
    connection.initialize_finish(
        id,
        json!({
            "capabilities": capabilities(),
            "serverInfo": { "name": "freeboard", "version": env!("CARGO_PKG_VERSION") },
        }),
    )?;
    let (events, received) = mpsc::channel();
    let Connection { sender, receiver } = connection;
    let messages = events.clone();
    thread::spawn(move || {
        for message in receiver {
            if messages.send(Event::Message(message)).is_err() {
                return;
            }
        }
        let _ = messages.send(Event::End);
    });
    let mut server = Server {
        time_limit: arguments.time_limit,
        send: Box::new(move |message| drop(sender.send(message))),
        events,
        documents: BTreeMap::new(),
        versions: 0,
        refreshes: can_refresh(&client).then_some(0),
        is_shut_down: false,
    };
    for event in received {
        if let Some(status) = server.handle(event) {
            return Ok(status);
        }
    }
    Ok(Status::Success)
}

/// `true` if a client asks for code lenses again when it is told to.
fn can_refresh(client: &InitializeParams) -> bool {
    let workspace = client.capabilities.workspace.as_ref();
    let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
    lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        ..ServerCapabilities::default()
    }
}

/// Something that the server reacts to.
enum Event {
    Message(Message),
    /// The client is gone.
    End,
    /// A version of a document was read.
    Read(Uri, u64, Reading),
    /// A version of a document was checked; without a result if it has errors.
    Checked(Uri, u64, Option<Verdicts>),
    /// Code lenses of a version of a document have been waited for long enough.
    Overdue(Uri, u64),
}

/// An open document.
struct Document {
    snapshot: Arc<Snapshot>,
    /// The number that the editor gives to this version.
    editor_version: i32,
    /// The number that the server gives to this version; none comes twice.
    version: u64,
    /// Stops the check of this version.
    stop: Stop,
    /// Held by the thread that checks the document, so that it is one at a time.
    turn: Arc<Mutex<()>>,
    reading: Option<Reading>,
    /// The result of the check once it has ended.
    checked: Option<Option<Verdicts>>,
    /// Requests that need more than there is yet.
    waiting: Vec<Request>,
    /// `true` if code lenses were answered before the check has ended.
    is_overdue: bool,
}

struct Server {
    time_limit: Duration,
    send: Box<dyn Fn(Message)>,
    events: Sender<Event>,
    documents: BTreeMap<String, Document>,
    /// The versions of documents so far.
    versions: u64,
    /// The number of times that the client was told to ask for code lenses again; `None` if it
    /// cannot be told.
    refreshes: Option<i32>,
    is_shut_down: bool,
}

impl Server {
    /// Handles an event. Returns the exit status if it is the last one.
    fn handle(&mut self, event: Event) -> Option<Status> {
        match event {
            Event::Message(Message::Request(request)) => self.request(request),
            Event::Message(Message::Notification(notification)) => {
                if notification.method == Exit::METHOD {
                    return Some(if self.is_shut_down { Status::Success } else { Status::Refuted });
                }
                self.notification(notification);
            }
            Event::Message(Message::Response(_)) => {}
            Event::End => return Some(Status::Refuted),
            Event::Read(uri, version, reading) => {
                if let Some(document) = self.current(&uri, version) {
                    document.reading = Some(reading);
                    self.tell(&uri);
                }
            }
            Event::Checked(uri, version, verdicts) => {
                if let Some(document) = self.current(&uri, version) {
                    document.checked = Some(verdicts);
                    let is_overdue = document.is_overdue;
                    self.tell(&uri);
                    if is_overdue {
                        self.refresh();
                    }
                }
            }
            Event::Overdue(uri, version) => {
                if let Some(document) = self.current(&uri, version) {
                    document.is_overdue = document.checked.is_none();
                    self.answer(&uri);
                }
            }
        }
        None
    }

    /// A document, if this version is the one that the editor shows.
    fn current(&mut self, uri: &Uri, version: u64) -> Option<&mut Document> {
        self.documents.get_mut(uri.as_str()).filter(|document| document.version == version)
    }

    fn request(&mut self, request: Request) {
        if request.method == Shutdown::METHOD {
            self.is_shut_down = true;
            return self.respond(Response::new_ok(request.id, Value::Null));
        }
        if self.is_shut_down {
            let error = "the server was shut down".into();
            return self.respond(Response::new_err(request.id, ErrorCode::InvalidRequest as i32, error));
        }
        let Some(uri) = document_of(&request) else {
            let error = format!("`{}` is not supported, or has no document", request.method);
            return self.respond(Response::new_err(request.id, ErrorCode::MethodNotFound as i32, error));
        };
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            return self.respond(Response::new_ok(request.id, Value::Null));
        };
        if self.refreshes.is_some() && request.method == CodeLensRequest::METHOD {
            let (events, uri, version) = (self.events.clone(), uri.clone(), document.version);
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(100));
                let _ = events.send(Event::Overdue(uri, version));
            });
        }
        document.waiting.push(request);
        self.answer(&uri);
    }

    /// Tells the client to ask for code lenses again.
    fn refresh(&mut self) {
        if let Some(refreshes) = &mut self.refreshes {
            *refreshes += 1;
            let id = RequestId::from(*refreshes);
            (self.send)(Message::Request(Request::new(id, CodeLensRefresh::METHOD.into(), Value::Null)));
        }
    }

    fn respond(&self, response: Response) {
        (self.send)(Message::Response(response));
    }

    /// Answers the requests about a document that can be answered by now.
    fn answer(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return };
        let mut answers = Vec::new();
        for request in std::mem::take(&mut document.waiting) {
            match document.answer(&request) {
                Some(answer) => answers.push(Response::new_ok(request.id, answer)),
                None => document.waiting.push(request),
            }
        }
        answers.into_iter().for_each(|answer| self.respond(answer));
    }

    /// Sends all that is known about a document by now.
    fn tell(&mut self, uri: &Uri) {
        if let Some(document) = self.documents.get(uri.as_str()) {
            let found = document.reading.iter().flat_map(|reading| &reading.diagnostics);
            let verdicts = document.checked.iter().flatten().flat_map(|verdicts| &verdicts.diagnostics);
            self.publish(PublishDiagnosticsParams {
                uri: uri.clone(),
                diagnostics: found.chain(verdicts).cloned().collect(),
                version: Some(document.editor_version),
            });
        }
        self.answer(uri);
    }

    fn publish(&self, diagnostics: PublishDiagnosticsParams) {
        let notification = Notification::new(PublishDiagnostics::METHOD.into(), diagnostics);
        (self.send)(Message::Notification(notification));
    }

    fn notification(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(opened) = parameters::<DidOpenTextDocumentParams>(notification.params) {
                    self.open(opened.text_document);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(changed) = parameters::<DidChangeTextDocumentParams>(notification.params) {
                    self.change(changed);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(closed) = parameters::<DidCloseTextDocumentParams>(notification.params) {
                    self.close(closed.text_document);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, opened: TextDocumentItem) {
        let TextDocumentItem { uri, language_id, version, text } = opened;
        let path = address::path(&uri);
        let kind = Kind::new(&path, &language_id, &text);
        let snapshot = Snapshot { uri, path, kind, text: Text::new(text) };
        self.begin(snapshot, version, Arc::default());
    }

    fn change(&mut self, changed: DidChangeTextDocumentParams) {
        let Some(document) = self.forget(changed.text_document.uri.as_str()) else { return };
        let Snapshot { uri, path, kind, text } = &*document.snapshot;
        let changes = changed.content_changes.into_iter();
        let text = changes.fold(text.clone(), |text, change| text.changed(change));
        let snapshot = Snapshot { uri: uri.clone(), path: path.clone(), kind: *kind, text };
        self.begin(snapshot, changed.text_document.version, document.turn);
    }

    fn close(&mut self, closed: TextDocumentIdentifier) {
        self.forget(closed.uri.as_str());
        self.publish(PublishDiagnosticsParams { uri: closed.uri, diagnostics: Vec::new(), version: None });
    }

    /// Removes a document. Its check is stopped, and requests that wait for it are refused.
    fn forget(&mut self, uri: &str) -> Option<Document> {
        let mut document = self.documents.remove(uri)?;
        document.stop.stop();
        for request in document.waiting.drain(..) {
            let error = "the text has changed".into();
            self.respond(Response::new_err(request.id, ErrorCode::ContentModified as i32, error));
        }
        Some(document)
    }

    /// Begins to read and check a version of a document.
    fn begin(&mut self, snapshot: Snapshot, editor_version: i32, turn: Arc<Mutex<()>>) {
        self.forget(snapshot.uri.as_str());
        self.versions += 1;
        let (version, stop, snapshot) = (self.versions, Stop::new(), Arc::new(snapshot));
        let task = Task {
            snapshot: Arc::clone(&snapshot),
            version,
            stop: stop.clone(),
            turn: Arc::clone(&turn),
            time_limit: self.time_limit,
        };
        let events = self.events.clone();
        thread::spawn(move || task.run(&events));
        let key = snapshot.uri.as_str().to_owned();
        let document = Document {
            snapshot,
            editor_version,
            version,
            stop,
            turn,
            reading: None,
            checked: None,
            waiting: Vec::new(),
            is_overdue: false,
        };
        self.documents.insert(key, document);
    }
}

/// A version of a document that is to be read and checked.
struct Task {
    snapshot: Arc<Snapshot>,
    version: u64,
    stop: Stop,
    turn: Arc<Mutex<()>>,
    time_limit: Duration,
}

impl Task {
    /// Reads and checks the document, and tells what came of it. If nobody listens, nobody waits.
    fn run(self, events: &Sender<Event>) {
        let Self { snapshot, version, stop, turn, time_limit } = self;
        let uri = || snapshot.uri.clone();
        let Ok(reading) = catch_unwind(AssertUnwindSafe(|| snapshot.read())) else { return };
        let is_valid = reading.is_valid;
        let _ = events.send(Event::Read(uri(), version, reading));
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        if stop.is_stopped() {
            return;
        }
        let check = || Verdicts::new(&snapshot, time_limit, stop);
        let verdicts = is_valid.then(|| catch_unwind(AssertUnwindSafe(check)).ok()).flatten();
        let _ = events.send(Event::Checked(uri(), version, verdicts));
    }
}

impl Document {
    /// The answer to a request; `None` if it has to wait.
    fn answer(&self, request: &Request) -> Option<Value> {
        let params = request.params.clone();
        let reading = self.reading.as_ref()?;
        let answer = match request.method.as_str() {
            HoverRequest::METHOD => {
                let at = parameters::<HoverParams>(params)?.text_document_position_params;
                json!(self.hover(reading, &at))
            }
            GotoDefinition::METHOD => {
                let at = parameters::<GotoDefinitionParams>(params)?.text_document_position_params;
                let offset = self.snapshot.text.offset(at.position);
                let location = self.snapshot.definition(reading, offset);
                json!(location.map(GotoDefinitionResponse::Scalar))
            }
            _ => match &self.checked {
                Some(verdicts) => json!(self.lenses(verdicts.as_ref())),
                None => json!(self.is_overdue.then(|| [self.lens(0..0, "bounds: being checked".into())])?),
            },
        };
        Some(answer)
    }

    fn hover(&self, reading: &Reading, at: &TextDocumentPositionParams) -> Option<Hover> {
        let offset = self.snapshot.text.offset(at.position);
        let word = self.snapshot.text.word(offset)?;
        let value = match &self.checked {
            Some(Some(verdicts)) => verdicts.told(&self.snapshot, reading, offset)?,
            Some(None) => "not checked: the text has errors".into(),
            None => "being checked".into(),
        };
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Some(Hover { contents, range: Some(self.snapshot.text.range(word)) })
    }

    fn lenses(&self, verdicts: Option<&Verdicts>) -> Vec<CodeLens> {
        let lenses = verdicts.iter().flat_map(|verdicts| verdicts.lenses());
        lenses.map(|(bytes, title)| self.lens(bytes, title)).collect()
    }

    fn lens(&self, bytes: Bytes<usize>, title: String) -> CodeLens {
        CodeLens {
            range: self.snapshot.text.range(bytes),
            command: Some(Command { title, command: String::new(), arguments: None }),
            data: None,
        }
    }
}

/// The document that a request is about, if it is a request that is answered.
fn document_of(request: &Request) -> Option<Uri> {
    let params = request.params.clone();
    match request.method.as_str() {
        HoverRequest::METHOD => {
            parameters::<HoverParams>(params).map(|p| p.text_document_position_params.text_document.uri)
        }
        GotoDefinition::METHOD => parameters::<GotoDefinitionParams>(params)
            .map(|p| p.text_document_position_params.text_document.uri),
        CodeLensRequest::METHOD => parameters::<CodeLensParams>(params).map(|p| p.text_document.uri),
        _ => None,
    }
}

fn parameters<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}
