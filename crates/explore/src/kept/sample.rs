//! What a sampling strategy is at between two executions.

use super::RecordState;
use serde::{Deserialize, Serialize};

/// A sample between two executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleState {
    /// Executions taken.
    pub done: u64,
    /// How long executions may be now.
    pub length: u64,
    /// Events of executions of this length.
    pub of_length: u64,
    /// What decides who moves: the state of the generator of random numbers first.
    pub scheduler: Vec<u64>,
    /// What was seen.
    pub record: RecordState,
}
