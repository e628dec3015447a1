//! What an exploration says: plain data, without a machine.

use crate::record::key;
use crate::unfold::{Covered, Unfolding};
use selvedge_model::{Choice, Fault, Limit, StopReason, Unsupported, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Counts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Executions that came to their end.
    pub executions: u64,
    /// Executions cut off because all they could do was asleep.
    pub redundant_executions: u64,
    /// Executions cut off at [`max_events`](crate::Config::max_events).
    pub bounded_executions: u64,
    /// Events stepped; going back to a prefix by replaying it is not counted.
    pub events: u64,
    /// Events in the longest execution.
    pub max_depth: u64,
    /// The most threads that one execution had.
    pub threads: u64,
    /// Executions that ended where only known states follow: of `unfold`, where only cutoff events
    /// were left; of `stateful`, where a state was met again.
    pub cut_executions: u64,
    /// Events of the unfolding that are known.
    pub unfolding_events: u64,
    /// Events after which nothing was explored, because their state is known from fewer events.
    pub cutoffs: u64,
    /// States that are known: those after events, with cutoffs; those that were entered, of
    /// `stateful`.
    pub states: u64,
    /// States that were forgotten since there were too many of them (`stateful`).
    #[serde(default)]
    pub forgotten_states: u64,
    /// Events that were one of several alternatives of their thread.
    pub choices: u64,
}

/// A fault with a way to it. Faults of the same kind at the same places are one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// What is wrong. Its contexts belong to the machine that found it, which is gone: replay the
    /// choices for them.
    pub fault: Fault,
    /// The choices from the initial state up to and including the event at fault.
    pub choices: Vec<Choice>,
    /// How often it was seen.
    pub count: u64,
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Counts.
    pub statistics: Statistics,
    /// What was found, in the order found.
    pub faults: Vec<Found>,
    /// What the machine could not do.
    pub unsupported: BTreeSet<Unsupported>,
    /// Bounds that cut off single executions.
    pub limits: BTreeSet<Limit>,
    /// Why it ended.
    pub stop: StopReason,
    /// What `unfold` covered, if bounds left something out.
    pub covered: Option<Covered>,
    /// The unfolding, if [`dump`](crate::Config::dump) asked for it and it is small enough.
    pub unfolding: Option<Unfolding>,
}

impl Report {
    /// Adds those of some faults that it does not have yet.
    pub(crate) fn add_faults(&mut self, faults: Vec<Found>) {
        for found in faults {
            let same = |mine: &Found| key(&mine.fault) == key(&found.fault);
            if !self.faults.iter().any(same) {
                self.faults.push(found);
            }
        }
    }

    /// What follows from it: `Verified` only if everything was explored and nothing stood in the
    /// way.
    pub fn verdict(&self) -> Verdict {
        if !self.faults.is_empty() {
            Verdict::Violated
        } else if self.stop == StopReason::Complete && self.unsupported.is_empty() && self.limits.is_empty() {
            Verdict::Verified
        } else {
            Verdict::Unknown
        }
    }
}
