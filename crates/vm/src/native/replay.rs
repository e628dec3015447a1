//! How far to run a model whose accesses are scheduling points (`libc/stepped.rs`).

use crate::value::Value;
use selvedge_model::{ObjectId, Op};

/// The progress of a run of a model.
#[derive(Default)]
pub(crate) struct Replay {
    /// Whether shared accesses are scheduling points.
    pub on: bool,
    /// The number of accesses performed by earlier runs.
    pub done: u64,
    /// The number of accesses made by this run.
    pub at: u64,
    /// The next access to perform, at which the run ended.
    pub wanted: Option<Wanted>,
}

impl Replay {
    /// For models that run in one action.
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
    /// The value to be written.
    pub value: Value,
    /// The heap object of the access.
    pub object: ObjectId,
}
