//! Receives requests and sends responses and events: sequentially, in one thread.

use crate::protocol::{Initialize, Launch, Request, capabilities};
use crate::requests::Answer;
use crate::session::{Command, Event, Session};
use crate::wire::{self, WireError};
use crate::{Debuggee, Error};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{self, BufRead, Write};

/// How a session has ended.
#[derive(Debug)]
pub enum Served<E> {
    /// The client disconnected, or closed the connection.
    Ended,
    /// The finding could not be loaded; the client was told why.
    NotLoaded(E),
    /// The finding could not be debugged; the client was told why.
    NotBegun(Error),
}

/// Serves one client until it disconnects. Calls `load` when the client launches the session.
///
/// # Errors
/// If a message cannot be read or written.
pub fn serve<E: Display>(
    mut input: impl BufRead,
    output: impl Write,
    load: impl FnOnce() -> Result<Debuggee, E>,
) -> Result<Served<E>, WireError> {
    let mut server = Server {
        output,
        seq: 0,
        client: Initialize::default(),
        session: None,
        load: Some(load),
        failed: None,
        leaves: false,
    };
    while !server.leaves {
        match wire::read(&mut input) {
            Ok(Some(message)) => server.message(message)?,
            Ok(None) => break,
            Err(WireError::Json(why)) => server.refuse(0, "", &format!("a message is no JSON: {why}"))?,
            Err(error) => {
                // Tell the client, in case it still listens. Its message cannot be read in any
                // case.
                let _ = server.refuse(0, "", &error.to_string());
                return Err(error);
            }
        }
    }
    Ok(server.failed.unwrap_or(Served::Ended))
}

struct Server<W, L, E> {
    output: W,
    /// The number of the last message that was sent.
    seq: u64,
    client: Initialize,
    session: Option<Session>,
    load: Option<L>,
    failed: Option<Served<E>>,
    /// The client has asked to disconnect.
    leaves: bool,
}

/// The arguments of a request. Omitted arguments have their default values.
fn arguments<T: DeserializeOwned>(given: &Value) -> Result<T, String> {
    let given = if given.is_null() { &json!({}) } else { given };
    T::deserialize(given).map_err(|error| format!("its arguments: {error}"))
}

impl<W: Write, L: FnOnce() -> Result<Debuggee, E>, E: Display> Server<W, L, E> {
    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.seq += 1;
        message["seq"] = json!(self.seq);
        wire::write(&mut self.output, &message)
    }

    /// Answers that a request failed.
    fn refuse(&mut self, seq: u64, command: &str, why: &str) -> io::Result<()> {
        let error = json!({"id": 1, "format": why.replace(['{', '}'], "'"), "showUser": true});
        self.send(json!({
            "type": "response",
            "request_seq": seq,
            "success": false,
            "command": command,
            "message": why,
            "body": {"error": error},
        }))
    }

    fn message(&mut self, message: Value) -> io::Result<()> {
        let request: Request = match serde_json::from_value(message) {
            Ok(request) => request,
            Err(error) => return self.refuse(0, "", &format!("a message is no request: {error}")),
        };
        if request.kind != "request" {
            return self.refuse(request.seq, &request.command, "only requests are expected here");
        }
        let (answer, events) = match self.answer(&request) {
            Ok((body, events)) => (Ok(body), events),
            Err(why) => (Err(why), Vec::new()),
        };
        match answer {
            Ok(body) => self.send(json!({
                "type": "response",
                "request_seq": request.seq,
                "success": true,
                "command": request.command,
                "body": body,
            }))?,
            Err(why) => self.refuse(request.seq, &request.command, &why)?,
        }
        for (name, body) in events {
            self.send(json!({"type": "event", "event": name, "body": body}))?;
        }
        Ok(())
    }

    /// The response to a request, and the events that follow it.
    fn answer(&mut self, request: &Request) -> Result<(Value, Vec<Event>), String> {
        let given = &request.arguments;
        let alone = |body: Value| Ok((body, Vec::new()));
        match request.command.as_str() {
            "initialize" => {
                self.client = arguments(given)?;
                return alone(capabilities());
            }
            "launch" | "attach" => return self.launch(given),
            "disconnect" => {
                self.leaves = true;
                return alone(json!({}));
            }
            "terminate" => return Ok((json!({}), vec![("terminated", json!({}))])),
            // There is nothing to cancel: requests are handled sequentially.
            "cancel" => return alone(json!({})),
            _ => {}
        }
        let Some(session) = &mut self.session else {
            return Err(match is_known(&request.command) {
                true => "nothing was launched yet".to_owned(),
                false => "this server does not know the command".to_owned(),
            });
        };
        if let Some((command, body)) = moves(&request.command) {
            let (thread, granularity) = match command {
                Command::Restart => (session.stop().thread, None),
                _ => {
                    let of: crate::protocol::OfThread = arguments(given)?;
                    let thread = session.thread(of.thread_id);
                    let thread = thread.ok_or_else(|| format!("there is no thread {}", of.thread_id))?;
                    (thread, of.granularity)
                }
            };
            return Ok((body, session.go(command, thread, granularity.as_deref())));
        }
        if request.command == "configurationDone" {
            return Ok((json!({}), session.begin()));
        }
        look(session, self.client, &request.command, given).and_then(alone)
    }

    fn launch(&mut self, given: &Value) -> Result<(Value, Vec<Event>), String> {
        let launch: Launch = arguments(given)?;
        let Some(load) = self.load.take() else {
            return Err("it was launched before".to_owned());
        };
        let debuggee = match load() {
            Ok(debuggee) => debuggee,
            Err(error) => {
                let text = error.to_string();
                self.failed = Some(Served::NotLoaded(error));
                return Err(text);
            }
        };
        match Session::new(debuggee, launch) {
            Ok(session) => self.session = Some(session),
            Err(error) => {
                let text = error.to_string();
                self.failed = Some(Served::NotBegun(error));
                return Err(text);
            }
        }
        Ok((json!({}), vec![("initialized", json!({}))]))
    }
}

/// The command by which a request moves the session, and the body of the response.
fn moves(command: &str) -> Option<(Command, Value)> {
    Some(match command {
        "next" => (Command::Next, json!({})),
        "stepIn" => (Command::StepIn, json!({})),
        "stepOut" => (Command::StepOut, json!({})),
        "stepBack" => (Command::StepBack, json!({})),
        "continue" => (Command::Continue, json!({"allThreadsContinued": true})),
        "reverseContinue" => (Command::ReverseContinue, json!({})),
        "restart" => (Command::Restart, json!({})),
        _ => return None,
    })
}

/// Requests that read the session.
const LOOKS: [&str; 13] = [
    "configurationDone",
    "threads",
    "stackTrace",
    "scopes",
    "variables",
    "evaluate",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setExceptionBreakpoints",
    "exceptionInfo",
    "source",
    "loadedSources",
    "pause",
];

fn is_known(command: &str) -> bool {
    moves(command).is_some() || LOOKS.contains(&command)
}

/// Answers a request that reads the session.
fn look(session: &mut Session, client: Initialize, command: &str, given: &Value) -> Answer {
    match command {
        "threads" => Ok(session.threads()),
        "stackTrace" => session.stack_trace(&arguments(given)?, client),
        "scopes" => {
            let of: crate::protocol::OfFrame = arguments(given)?;
            session.scopes(of.frame_id)
        }
        "variables" => session.variables(&arguments(given)?),
        "evaluate" => session.evaluate(&arguments(given)?),
        "setBreakpoints" => Ok(session.set_breakpoints(&arguments(given)?, client)),
        "exceptionInfo" => session.exception_info(),
        "source" => session.source_text(&arguments(given)?),
        "loadedSources" => Ok(session.sources()),
        // There are no exception filters: a fault always stops the session. Nothing runs that could
        // be paused.
        "setExceptionBreakpoints" | "pause" => Ok(json!({})),
        "setFunctionBreakpoints" => Err("breakpoints are at lines only".to_owned()),
        _ => Err("this server does not know the command".to_owned()),
    }
}
