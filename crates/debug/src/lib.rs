//! A debug adapter: a server of the Debug Adapter Protocol (DAP) that goes through the schedule of
//! a saved finding, forwards and backwards.
//!
//! Nothing runs freely here. When a session begins, the schedule is made once and all *stops* on
//! its way are noted (`tape`): before each visible action, and at each source line that a step
//! executes. Every command of the client (next, continue, step back, …) is then a search in that
//! list, forwards or backwards, and the machine is brought to the stop that was found (`walk`):
//! by its undo log backwards, by steps forwards. So a stop shows the same state from whichever side
//! it is reached.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `wire` | messages with their lengths |
//! | `protocol` | arguments of requests, and what is answered |
//! | `server` | requests in, responses and events out |
//! | `session` | a session that has begun: where it stands, and what was asked of it |
//! | `requests` | one function for each request that looks at the state |
//! | `tape` | the stops, and the searches in them |
//! | `walk` | the machine, brought to a stop |
//! | `breakpoints` | lines to stop at |
//! | `stack` | calls, with those of libraries folded as reports do |
//! | `value` | values as the source would write them |
//! | `expand` | the parts of values |
//! | `expression` | `accounts[1].next->count`: names of values, read |
//! | `handles` | numbers that clients use for frames and values |
//!
//! The types of messages are ours. The crates that have them (`dap` 0.4.1-alpha1 and its fork
//! `emmy_dap_types` 0.2.0) read a whole message into the type of its command at once: what they do
//! not know cannot be answered, and a length is allocated as it is given.
//!
//! *Invariant*: nothing that a client sends makes the server panic or wait; the program under test
//! is never run natively.

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

/// A finding to go through.
pub struct Debuggee {
    /// The program, compiled with `coverage` and `variables`.
    pub program: Arc<Program>,
    /// Its schedule.
    pub schedule: Vec<Step>,
    /// What a replay said of each step.
    pub steps: Vec<ReplayStep>,
    /// What the schedule leads to; `None` if a replay has not seen it again.
    pub ending: Option<Ending>,
    /// Where the source files are, by their names in the program.
    pub paths: BTreeMap<String, PathBuf>,
    /// The texts of source files, by their names in the program.
    pub texts: BTreeMap<String, String>,
}

/// What is wrong, as a report says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The kind of the finding, by its dotted name.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Why it happened, if that is known.
    pub cause: Option<String>,
    /// The thread that showed it; empty if the end of the execution did.
    pub thread: String,
    /// Where the program showed it: its own place first, then its callers.
    pub stack: Vec<Location>,
    /// Places that belong to it: text and place.
    pub related: Vec<String>,
}
