//! A session that has begun: its current stop, and how it moves.

use crate::Debuggee;
use crate::breakpoints::Breakpoints;
use crate::handles::Handles;
use crate::protocol::{Launch, Stepping};
use crate::stack::thread_name;
use crate::tape::{Error, Stop, Tape};
use crate::walk::Walk;
use selvedge_base::{Id, ThreadId};
use selvedge_model::Machine;
use selvedge_vm::Vm;
use serde_json::{Value, json};

/// An event for the client: its name and body.
pub(crate) type Event = (&'static str, Value);

/// Requests of the client that move the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Next,
    StepIn,
    StepOut,
    StepBack,
    Continue,
    ReverseContinue,
    Restart,
}

/// The distance that a step moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// To the next stop of any kind.
    Stop,
    /// To the next step of the schedule.
    Step,
    /// To the next line of the thread.
    Line,
}

/// A session.
pub(crate) struct Session {
    pub(crate) debuggee: Debuggee,
    pub(crate) breakpoints: Breakpoints,
    pub(crate) handles: Handles,
    tape: Tape,
    walk: Walk,
    /// The index of the current stop.
    at: usize,
    launch: Launch,
    /// The number of steps whose output was sent.
    told: usize,
}

impl Session {
    /// A session at the beginning.
    pub(crate) fn new(debuggee: Debuggee, launch: Launch) -> Result<Session, Error> {
        let tape = Tape::new(&debuggee)?;
        let mut walk = Walk::new(&debuggee.program)?;
        walk.go(&tape, &tape.stops[0]);
        Ok(Session {
            breakpoints: Breakpoints::new(&debuggee),
            handles: Handles::new(),
            debuggee,
            tape,
            walk,
            at: 0,
            launch,
            told: 0,
        })
    }

    /// The machine at the current stop.
    pub(crate) fn vm(&self) -> &Vm {
        &self.walk.vm
    }

    /// The current stop.
    pub(crate) fn stop(&self) -> &Stop {
        &self.tape.stops[self.at]
    }

    /// Whether the session is at the end of the schedule.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.tape.end()
    }

    /// The thread with the client's number, if it exists at the current stop.
    pub(crate) fn thread(&self, number: u64) -> Option<ThreadId> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        (index < self.vm().pending().len()).then(|| ThreadId::from_index(index))
    }

    /// The first events, sent when the client is ready.
    pub(crate) fn begin(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if self.tape.is_cut {
            let text = "note: some steps have more lines than are kept: they can be stopped at their first ones only\n";
            events.push(("output", json!({"category": "console", "output": text})));
        }
        if self.launch.stop_on_entry {
            events.push(self.stopped("entry"));
        } else {
            events.extend(self.go(Command::Continue, ThreadId(0), None));
        }
        events
    }

    /// Moves the session and returns the events for the client.
    pub(crate) fn go(&mut self, command: Command, thread: ThreadId, granularity: Option<&str>) -> Vec<Event> {
        let to = self.find(command, thread, granularity);
        let forwards = to >= self.at;
        self.at = to;
        self.handles.forget();
        let stop = self.tape.stops[to];
        self.walk.go(&self.tape, &stop);
        let mut events = self.output(stop.step);
        let hit = self.hit(&stop);
        let reason = match command {
            _ if forwards && stop.is_wrong => "exception",
            _ if to == 0 => "entry",
            Command::Restart => "entry",
            _ if hit.is_some() => "breakpoint",
            _ => "step",
        };
        let (name, mut body) = self.stopped(reason);
        if let Some(id) = hit {
            body["hitBreakpointIds"] = json!([id]);
        }
        events.push((name, body));
        events
    }

    fn hit(&self, stop: &Stop) -> Option<u64> {
        self.breakpoints.at(&self.debuggee.program.module, stop)
    }

    /// The stop that a command moves to.
    fn find(&self, command: Command, thread: ThreadId, granularity: Option<&str>) -> usize {
        let tape = &self.tape;
        // The session also stops at faults.
        let hit = |stop: &Stop| stop.is_wrong || self.hit(stop).is_some();
        let depth = self.depth(thread);
        let reach = match (granularity, self.launch.stepping) {
            (Some("instruction"), _) => Reach::Stop,
            (Some("line"), _) | (_, Stepping::Lines) => Reach::Line,
            _ => Reach::Step,
        };
        let reached = |stop: &Stop| match reach {
            Reach::Stop => true,
            Reach::Step => stop.line == 0,
            Reach::Line => stop.thread == thread && stop.line > 0 && stop.depth <= depth,
        };
        match command {
            Command::Restart => 0,
            Command::Continue => tape.ahead(self.at, hit),
            Command::ReverseContinue => tape.back(self.at, hit),
            Command::StepIn => tape.ahead(self.at, |_| true),
            Command::StepOut => tape.ahead(self.at, |stop| {
                hit(stop) || stop.thread == thread && stop.depth < depth
            }),
            Command::Next => tape.ahead(self.at, |stop| hit(stop) || reached(stop)),
            Command::StepBack => tape.back(self.at, |stop| hit(stop) || reached(stop)),
        }
    }

    /// The number of active calls of a thread.
    fn depth(&self, thread: ThreadId) -> u32 {
        match thread.index() < self.vm().pending().len() {
            true => self.vm().frames(thread).len() as u32,
            false => 0,
        }
    }

    /// The output of the program up to a step, as far as it was not sent before.
    fn output(&mut self, step: usize) -> Vec<Event> {
        let mut bytes = Vec::new();
        for made in self.debuggee.steps.iter().take(step).skip(self.told) {
            bytes.extend_from_slice(&made.output);
        }
        self.told = self.told.max(step);
        if bytes.is_empty() {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        vec![("output", json!({"category": "stdout", "output": text}))]
    }

    /// The event that reports the current stop.
    fn stopped(&self, reason: &str) -> Event {
        let mut body = json!({
            "reason": reason,
            "description": self.description(),
            "threadId": self.stop().thread.index() + 1,
            "allThreadsStopped": true,
        });
        if reason == "exception" {
            body["text"] = json!(self.message());
        }
        ("stopped", body)
    }

    /// The fault at the end, as a text.
    pub(crate) fn message(&self) -> String {
        match &self.debuggee.ending {
            Some(ending) => ending.message.clone(),
            None => "the schedule ran to its end, and the finding was not seen".to_owned(),
        }
    }

    /// The current stop, as a text.
    fn description(&self) -> String {
        let stop = self.stop();
        let thread = thread_name(self.vm(), stop.thread);
        let (steps, number) = (self.tape.choices.len(), stop.step + 1);
        let text = self.debuggee.steps.get(stop.step).map_or("", |step| &step.text);
        if self.is_at_end() {
            format!("the end of the schedule, after {steps} steps")
        } else if stop.line == 0 {
            format!("step {number} of {steps}: {thread}: {text}")
        } else {
            format!("within step {number} of {steps}: {thread}, after: {text}")
        }
    }
}
