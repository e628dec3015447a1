//! A debug adapter: a server of the Debug Adapter Protocol (DAP) that steps through the schedule of
//! a saved finding, forwards and backwards.
//!
//! Nothing runs freely here. At the start of a session, the schedule is executed once, and all
//! *stops* along it are recorded (`tape`): one before each visible action, and one at each source
//! line that a step executes. Every command of the client (next, continue, step back, …) is then a
//! search in that list, forwards or backwards. Then the machine moves to the stop that was found
//! (`walk`): backwards by its undo log, forwards by steps. So a stop shows the same state from
//! whichever direction it is reached.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `wire` | encoding of messages |
//! | `protocol` | arguments of requests, capabilities |
//! | `server` | receives requests, sends responses and events |
//! | `session` | a session that has begun: its current stop, and its commands |
//! | `requests` | one function for each request that reads the state |
//! | `tape` | the stops, and the searches in them |
//! | `walk` | moves the machine to a stop |
//! | `breakpoints` | breakpoints at lines |
//! | `stack` | calls of a thread, those of libraries folded like in reports |
//! | `value` | values in the notation of the source |
//! | `expand` | the parts of values |
//! | `expression` | parses names of values: `accounts[1].next->count` |
//! | `handles` | references that clients use for frames and values |
//!
//! The types of messages are our own. The crates that define them (`dap` 0.4.1-alpha1 and its fork
//! `emmy_dap_types` 0.2.0) parse a whole message into the type of its command at once. So a server
//! that uses them cannot answer a command that they do not know, and it allocates whatever length a
//! message claims.
//!
//! *Invariant*: no message of a client makes the server panic or wait. The program under test is
//! never run natively.

mod breakpoints;
mod expression;
mod handles;
mod protocol;
mod requests;
mod server;
mod session;
mod stack;
mod tape;
mod value;
mod walk;
mod wire;

pub use server::{Served, serve};
pub use tape::Error;
pub use wire::WireError;

use selvedge_base::Location;
use selvedge_schedule::Step;
use selvedge_session::ReplayStep;
use selvedge_vm::Program;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A finding to debug.
pub struct Debuggee {
    /// The program, compiled with `coverage` and `variables`.
    pub program: Arc<Program>,
    /// Its schedule.
    pub schedule: Vec<Step>,
    /// What a replay recorded for each step.
    pub steps: Vec<ReplayStep>,
    /// The fault at the end of the schedule; `None` if a replay has not reproduced it.
    pub ending: Option<Ending>,
    /// The paths of the source files, by their names in the program.
    pub paths: BTreeMap<String, PathBuf>,
    /// The texts of source files, by their names in the program.
    pub texts: BTreeMap<String, String>,
}

/// The fault, as a report describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The kind of the finding, by its dotted name.
    pub kind: String,
    /// Its message.
    pub message: String,
    /// Why it happened, if that is known.
    pub cause: Option<String>,
    /// The thread that exhibits the fault; empty if the end of the execution exhibits it.
    pub thread: String,
    /// The stack at the fault: the program's own innermost call first, then its callers.
    pub stack: Vec<Location>,
    /// Related places, as texts with locations.
    pub related: Vec<String>,
}
