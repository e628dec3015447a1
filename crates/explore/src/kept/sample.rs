//! The state of a sampling strategy between two executions.

use super::RecordState;
use serde::{Deserialize, Serialize};

/// A sample between two executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleState {
    /// The number of executions taken.
    pub done: u64,
    /// The present limit on the length of executions.
    pub length: u64,
    /// The number of events in executions with this limit.
    pub of_length: u64,
    /// The data that determines the scheduler's choices. It begins with the state of the random
    /// number generator.
    pub scheduler: Vec<u64>,
    /// The results so far.
    pub record: RecordState,
}
