//! The messages of the protocol.

use crate::child::{Check, Done, Running};
use crate::diagnostics;
use crate::uri;
use crossbeam_channel::{Receiver, Sender, select};
use lsp_server::{Connection, ErrorCode, Message, Notification, Response};
use lsp_types::notification::Notification as _;
use lsp_types::{
    InitializeParams, LogMessageParams, MessageType, PublishDiagnosticsParams, SaveOptions,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
    notification,
};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is checked, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The command whose `check` is run.
    pub command: PathBuf,
    /// The inputs of the program; none: the file that was saved.
    pub inputs: Vec<PathBuf>,
    /// Further arguments of `check`.
    pub arguments: Vec<String>,
    /// The limit of time of a check.
    pub max_time: Duration,
}

/// What a client may say when it begins (`initializationOptions`).
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Wishes {
    inputs: Option<Vec<PathBuf>>,
    arguments: Option<Vec<String>>,
    max_seconds: Option<u64>,
}

/// Why a session ends early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The client says what the protocol does not have.
    #[error("the client does not keep to the protocol: {0}")]
    Protocol(#[from] lsp_server::ProtocolError),
    /// Its first message is of another shape.
    #[error("the client's first message cannot be read: {0}")]
    Shape(#[from] serde_json::Error),
    /// The client has gone.
    #[error("the client has gone")]
    Gone,
    /// The streams.
    #[error("{0}")]
    Streams(#[from] std::io::Error),
}

/// Serves one client on standard input and output, until it says that it is enough.
///
/// # Errors
/// If the client does not keep to the protocol, or goes without a word.
pub fn serve(settings: Settings) -> Result<(), Error> {
    let (connection, threads) = Connection::stdio();
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::NONE),
            save: Some(
                SaveOptions {
                    include_text: Some(false),
                }
                .into(),
            ),
            ..TextDocumentSyncOptions::default()
        })),
        ..ServerCapabilities::default()
    };
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let (done, results) = crossbeam_channel::unbounded();
    let mut server = Server {
        directory: directory(&params),
        settings: wished(settings, params.initialization_options)?,
        out: connection.sender.clone(),
        running: None,
        number: 0,
        published: Vec::new(),
        done,
    };
    let about = json!({
        "capabilities": capabilities,
        "serverInfo": {"name": "selvedge", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, about)?;
    server.go(&connection, &results)?;
    drop(server);
    drop(connection);
    threads.join()?;
    Ok(())
}

/// The directory that relative names are from.
fn directory(params: &InitializeParams) -> PathBuf {
    let folder = params.workspace_folders.iter().flatten().next();
    let folder = folder.and_then(|folder| uri::to_path(&folder.uri));
    #[allow(deprecated)] // older clients say it so
    let root = || params.root_uri.as_ref().and_then(uri::to_path);
    let here = || std::env::current_dir().unwrap_or_default();
    folder.or_else(root).unwrap_or_else(here)
}

fn wished(mut settings: Settings, options: Option<serde_json::Value>) -> Result<Settings, Error> {
    let wishes = match options {
        None | Some(serde_json::Value::Null) => Wishes::default(),
        Some(options) => serde_json::from_value(options)?,
    };
    settings.inputs = wishes.inputs.unwrap_or(settings.inputs);
    settings.arguments = wishes.arguments.unwrap_or(settings.arguments);
    settings.max_time = wishes.max_seconds.map_or(settings.max_time, Duration::from_secs);
    Ok(settings)
}

struct Server {
    directory: PathBuf,
    settings: Settings,
    out: Sender<Message>,
    running: Option<Running>,
    /// The number of the last check.
    number: u64,
    /// Files that have diagnostics.
    published: Vec<Uri>,
    done: Sender<Done>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.end();
        }
    }
}

impl Server {
    fn go(&mut self, connection: &Connection, results: &Receiver<Done>) -> Result<(), Error> {
        loop {
            select! {
                recv(connection.receiver) -> message => match message.map_err(|_| Error::Gone)? {
                    Message::Request(request) => {
                        if connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        let text = format!("{} is not known", request.method);
                        let code = ErrorCode::MethodNotFound as i32;
                        self.send(Response::new_err(request.id, code, text).into())?;
                    }
                    Message::Notification(told) => self.hear(told)?,
                    Message::Response(_) => {}
                },
                recv(results) -> done => {
                    if let Ok(done) = done {
                        self.publish(&done)?;
                    }
                }
            }
        }
    }

    fn hear(&mut self, told: Notification) -> Result<(), Error> {
        let uri = match told.method.as_str() {
            notification::DidSaveTextDocument::METHOD | notification::DidOpenTextDocument::METHOD => {
                told.params["textDocument"]["uri"].as_str().map(str::to_owned)
            }
            _ => return Ok(()),
        };
        let path = uri
            .and_then(|uri| uri.parse().ok())
            .and_then(|uri: Uri| uri::to_path(&uri));
        // A header is no program.
        let whole = !self.settings.inputs.is_empty();
        match path {
            Some(path) if is_source(&path) || whole && is_header(&path) => self.check(path),
            _ => Ok(()),
        }
    }

    fn check(&mut self, path: PathBuf) -> Result<(), Error> {
        if let Some(running) = self.running.take() {
            running.end();
        }
        self.number += 1;
        let inputs = match self.settings.inputs.as_slice() {
            [] => vec![
                path.strip_prefix(&self.directory)
                    .map_or(path.clone(), Path::to_owned),
            ],
            given => given.to_vec(),
        };
        let check = Check {
            number: self.number,
            command: &self.settings.command,
            directory: &self.directory,
            inputs: &inputs,
            arguments: &self.settings.arguments,
            max_time: self.settings.max_time,
        };
        let done = self.done.clone();
        let begun = check.begin(move |result| {
            // Nobody waits for it when the session has ended.
            let _ = done.send(result);
        });
        match begun {
            Ok(running) => self.running = Some(running),
            Err(error) => {
                let command = self.settings.command.display();
                self.log(MessageType::ERROR, format!("{command} cannot be run: {error}"))?;
            }
        }
        Ok(())
    }

    fn publish(&mut self, done: &Done) -> Result<(), Error> {
        // An older one was ended, or has ended by itself just now.
        if done.number != self.number {
            return Ok(());
        }
        self.running = None;
        let said = match (done.code, diagnostics::read(&done.report, &self.directory)) {
            (Some(0 | 5 | 10), Ok(said)) => said,
            (Some(0 | 5 | 10), Err(error)) => {
                let text = format!("the report cannot be read: {error}");
                return self.log(MessageType::ERROR, text);
            }
            (code, _) => {
                // What was found before need not be there any more.
                self.show(BTreeMap::new())?;
                let why = match code {
                    Some(code) => format!("nothing was checked (exit code {code})"),
                    None => "the check was ended: it took too long".to_owned(),
                };
                let said = done.said.trim_end();
                return self.log(MessageType::WARNING, format!("{why}\n{said}"));
            }
        };
        let mut text = format!("verdict: {}", said.verdict);
        for reason in &said.reasons {
            text.push('\n');
            text.push_str(reason);
        }
        self.show(said.files)?;
        self.log(MessageType::INFO, text)
    }

    /// Publishes diagnostics, and takes back those of files that have none any more.
    fn show(&mut self, files: BTreeMap<String, (Uri, Vec<lsp_types::Diagnostic>)>) -> Result<(), Error> {
        let old = std::mem::take(&mut self.published);
        for uri in old.into_iter().filter(|uri| !files.contains_key(uri.as_str())) {
            self.tell::<notification::PublishDiagnostics>(PublishDiagnosticsParams::new(
                uri,
                Vec::new(),
                None,
            ))?;
        }
        for (uri, all) in files.into_values() {
            self.published.push(uri.clone());
            self.tell::<notification::PublishDiagnostics>(PublishDiagnosticsParams::new(uri, all, None))?;
        }
        Ok(())
    }

    fn log(&self, typ: MessageType, message: String) -> Result<(), Error> {
        self.tell::<notification::LogMessage>(LogMessageParams { typ, message })
    }

    fn tell<N: notification::Notification>(&self, params: N::Params) -> Result<(), Error> {
        self.send(Notification::new(N::METHOD.to_owned(), params).into())
    }

    fn send(&self, message: Message) -> Result<(), Error> {
        self.out.send(message).map_err(|_| Error::Gone)
    }
}

/// Whether a file is one that a program is compiled from.
fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let sources = ["c", "cc", "cpp", "cxx", "i", "ii", "rs"];
    extension.is_some_and(|extension| sources.contains(&extension))
}

fn is_header(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["h", "hh", "hpp", "hxx"].contains(&extension))
}
