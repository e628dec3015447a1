//! Which mutexes have sections that are one event each, and what is assumed of them.
//!
//! *Critical section peeking* (Kusano and Wang, ASE 2014, Section 5.1) orders two sections of one
//! mutex only if what they do is dependent. As published it loses executions (docs/algorithms.md,
//! "Critical section peeking"). Here a whole section is one event, with the accesses inside as its
//! uses. That is right for a mutex if all of this holds:
//!
//! - (a) what its sections access is accessed by other threads only in sections of the same mutex,
//!   unless the two accesses are ordered otherwise or only read;
//! - (b) its sections hold nothing but accesses to memory that are never blocked, and end with the
//!   owner's unlock;
//! - (c) nothing else is done with the mutex, unless that is ordered otherwise.
//!
//! All of this is assumed of each mutex, and checked at each event. If it does not hold, the mutex
//! is refused, and the exploration begins again.

use crate::kept::Sections;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The mutexes that are assumed to have sections which can be one event, and those that have turned
/// out not to. Mutexes are named by [`ObjectId`](selvedge_model::ObjectId).
#[derive(Debug)]
pub(super) struct Peeking {
    sections: Sections,
    /// Mutexes for which the present exploration has shown that it does not hold.
    found: Mutex<BTreeSet<u64>>,
}

impl Peeking {
    /// All mutexes are assumed to have such sections.
    pub fn all() -> Self {
        Peeking::of(Sections::all())
    }

    /// The assumption as data.
    pub fn of(sections: Sections) -> Self {
        Peeking {
            sections,
            found: Mutex::default(),
        }
    }

    /// The same as data.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The mutexes for which the present exploration has shown that it does not hold.
    pub fn failed(&self) -> BTreeSet<u64> {
        self.found().clone()
    }

    /// Whether sections of a mutex are one event each. It stays the same during an exploration.
    #[inline]
    pub fn suits(&self, mutex: u64) -> bool {
        !self.sections.refused.contains(&mutex)
    }

    /// Notes that it does not hold for a mutex.
    pub fn refuse(&self, mutex: u64) {
        self.found().insert(mutex);
    }

    /// True if it has turned out not to hold for some mutex.
    pub fn has_failed(&self) -> bool {
        !self.found().is_empty()
    }

    /// What is assumed next; `None` if nothing.
    pub fn next(self) -> Option<Peeking> {
        self.sections.without(&self.failed()).map(Peeking::of)
    }

    /// How many weaker assumptions may follow.
    pub fn weaker(&self) -> u32 {
        self.sections.rounds + 1
    }

    fn found(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
