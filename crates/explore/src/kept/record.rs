//! The results of an exploration, as data.

use crate::{Found, Statistics};
use selvedge_model::{Limit, Unsupported};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The results of an exploration, or of a part of one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordState {
    /// Counts.
    pub statistics: Statistics,
    /// The faults, in the order in which they were found.
    pub faults: Vec<Found>,
    /// Features that machines do not support.
    pub unsupported: BTreeSet<Unsupported>,
    /// Limits that cut off single executions.
    pub limits: BTreeSet<Limit>,
}
