//! What an exploration has seen, as data.

use crate::{Found, Statistics};
use selvedge_model::{Limit, Unsupported};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What an exploration, or a part of one, has seen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordState {
    /// Counts.
    pub statistics: Statistics,
    /// What was found, in the order found.
    pub faults: Vec<Found>,
    /// What machines could not do.
    pub unsupported: BTreeSet<Unsupported>,
    /// Bounds that cut off single executions.
    pub limits: BTreeSet<Limit>,
}
