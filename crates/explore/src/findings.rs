//! The findings so far. Other threads can read them, so a run that cannot be ended regularly still
//! reports them.

use crate::Found;
use std::sync::{Arc, Mutex, TryLockError};

/// The list of findings so far, each once. Clones share one list. Two lists always compare equal,
/// because they are no part of the options of an exploration.
#[derive(Clone, Default, Debug)]
pub struct Findings(Arc<Mutex<Vec<Found>>>);

impl Findings {
    /// An empty list.
    pub fn new() -> Self {
        Findings::default()
    }

    /// The findings so far; none if another thread is adding one and has not finished.
    pub fn so_far(&self) -> Vec<Found> {
        match self.0.try_lock() {
            Ok(found) => found.clone(),
            Err(TryLockError::Poisoned(found)) => found.into_inner().clone(),
            Err(TryLockError::WouldBlock) => Vec::new(),
        }
    }

    /// How many there are so far; none if another thread is adding one and has not finished.
    pub fn count(&self) -> usize {
        self.0.try_lock().map_or(0, |found| found.len())
    }

    /// Adds a finding.
    #[cold]
    pub fn add(&self, found: Found) {
        if let Ok(mut all) = self.0.lock() {
            all.push(found);
        }
    }
}

impl PartialEq for Findings {
    fn eq(&self, _: &Findings) -> bool {
        true
    }
}

impl Eq for Findings {}
