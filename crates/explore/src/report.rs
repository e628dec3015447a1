//! The result of an exploration: plain data, without a machine.

use crate::unfold::{Covered, Unfolding};
use selvedge_base::StmtId;
use selvedge_model::{Choice, Fault, FaultKind, Limit, StopReason, Unsupported, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Faults of the same kind at the same places are the same finding.
pub(crate) type Key = (FaultKind, Vec<StmtId>);

/// What equal findings have in common.
pub(crate) fn key(fault: &Fault) -> Key {
    let mut places = vec![fault.stmt];
    places.extend(fault.related.iter().map(|(_, stmt, _)| *stmt));
    if fault.kind == FaultKind::DataRace {
        places.sort_unstable(); // either access may be the second
    }
    (fault.kind, places)
}

/// Counts of thread choices, by the action before which the choice was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ThreadChoices {
    /// Accesses to memory that are none to elements of arrays.
    pub fields: u64,
    /// Accesses to elements of arrays.
    pub elements: u64,
    /// Synchronisation, beginnings and ends of threads, and everything else.
    pub other: u64,
}

impl ThreadChoices {
    /// All kinds together.
    pub const fn all(self) -> u64 {
        self.fields + self.elements + self.other
    }

    /// Adds other counts.
    pub(crate) fn add(&mut self, other: ThreadChoices) {
        self.fields += other.fields;
        self.elements += other.elements;
        self.other += other.other;
    }

    /// The count of one kind.
    pub(crate) fn of(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Field => &mut self.fields,
            Kind::Element => &mut self.elements,
            Kind::Other => &mut self.other,
        }
    }
}

/// The kind of a thread choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Field,
    Element,
    Other,
}

/// Counts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Executions that reached their end.
    pub executions: u64,
    /// Executions cut off because all enabled threads were asleep.
    pub redundant_executions: u64,
    /// Executions cut off at [`max_events`](crate::Config::max_events).
    pub bounded_executions: u64,
    /// Steps taken. Replaying a prefix to return to a state is not counted.
    pub events: u64,
    /// The number of events in the longest execution.
    pub max_depth: u64,
    /// The maximum number of threads in one execution.
    pub threads: u64,
    /// Executions that ended where only known states follow. For `unfold`: only cutoffs were left.
    /// For `stateful`: a state was reached again.
    pub cut_executions: u64,
    /// Known events of the unfolding.
    pub unfolding_events: u64,
    /// Events after which nothing was explored, because their state is known from fewer events.
    pub cutoffs: u64,
    /// Known states. With cutoffs: the states after events. For `stateful`: the states that were
    /// entered.
    pub states: u64,
    /// States that were forgotten because there were too many of them (`stateful`).
    #[serde(default)]
    pub forgotten_states: u64,
    /// Events that were one of several alternatives of their thread.
    pub choices: u64,
    /// The thread choices that were made, if
    /// [`counts_choices`](crate::Config::counts_choices) asked for them (`stateful`).
    #[serde(default)]
    pub thread_choices: ThreadChoices,
    /// Those of them that are necessary, if
    /// [`necessary_choices`](crate::Config::necessary_choices) asked for them (`stateful`).
    #[serde(default)]
    pub necessary_choices: ThreadChoices,
}

/// A fault with a path to it. Faults of the same kind at the same places are one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The fault. Its contexts belong to the machine that found it, which no longer exists; a
    /// replay of the choices finds them again.
    pub fault: Fault,
    /// The choices from the initial state up to and including the event at fault.
    pub choices: Vec<Choice>,
    /// The number of times that it was seen.
    pub count: u64,
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Counts.
    pub statistics: Statistics,
    /// The faults, in the order in which they were found.
    pub faults: Vec<Found>,
    /// Features that the machine does not support.
    pub unsupported: BTreeSet<Unsupported>,
    /// Limits that cut off single executions.
    pub limits: BTreeSet<Limit>,
    /// The reason for the end.
    pub stop: StopReason,
    /// What `unfold` covered, if a limit left something out.
    pub covered: Option<Covered>,
    /// The unfolding, if [`dump`](crate::Config::dump) asked for it and it is small enough.
    pub unfolding: Option<Unfolding>,
}

impl Report {
    /// Adds those of the faults that the report does not contain yet.
    pub(crate) fn add_faults(&mut self, faults: Vec<Found>) {
        for found in faults {
            let same = |mine: &Found| key(&mine.fault) == key(&found.fault);
            if !self.faults.iter().any(same) {
                self.faults.push(found);
            }
        }
    }

    /// The verdict. `Verified` only if everything was explored, and nothing was unsupported or
    /// limited.
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
