//! How far a model runs whose accesses are scheduling points of their own (`libc/stepped.rs`).

use crate::value::Value;
use selvedge_model::{ObjectId, Op};

/// How far a run of a model may go.
#[derive(Default)]
pub(crate) struct Replay {
    /// Shared accesses are scheduling points.
    pub on: bool,
    /// How many were performed before.
    pub done: u64,
    /// How many this run has made.
    pub at: u64,
    /// The next one to perform: the run ended there.
    pub wanted: Option<Wanted>,
}

impl Replay {
    /// For models that do everything at once.
    pub const OFF: Replay = Replay {
        on: false,
        done: 0,
        at: 0,
        wanted: None,
    };
}

/// An access to be performed.
pub(crate) struct Wanted {
    pub op: Op,
    pub address: u64,
    pub size: u64,
    /// What is written.
    pub value: Value,
    /// The heap object that it is in.
    pub object: ObjectId,
}
