//! Which variables of a program are counters, as far as that is known.

use super::Program;
use crate::counters::{Seen, Word, is_refuted};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// How often variables may turn out to be no counters, before none is taken for one.
const MOST_WRONG: u32 = 3;

impl Program {
    /// How often variables were no counters although they were taken for some.
    #[inline]
    pub fn wrongly_counted(&self) -> u32 {
        self.counted.wrong.load(Ordering::Relaxed)
    }

    /// How many further times variables may be taken for counters.
    pub fn may_count(&self) -> u32 {
        MOST_WRONG.saturating_sub(self.wrongly_counted())
    }

    /// Records something about the counter at an address.
    #[cold]
    pub(crate) fn note_counter(&self, address: u64, what: Seen) {
        let mut seen = self.counted.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let bits = seen.entry(address).or_insert(0);
        let before = std::mem::replace(bits, *bits | what as u32);
        if !is_refuted(before) && is_refuted(*bits) {
            self.counted.wrong.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The variables that are counters, as far as that is known.
    pub(crate) fn counters(self: &Arc<Program>) -> Vec<Word> {
        if self.may_count() == 0 {
            return Vec::new();
        }
        let words = self.sampled().counters.clone();
        let seen = self.counted.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_one = |word: &Word| seen.get(&word.address).is_none_or(|&bits| !is_refuted(bits));
        words.into_iter().filter(is_one).collect()
    }
}
