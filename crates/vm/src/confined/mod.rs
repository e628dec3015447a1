//! Atomic variables that threads do not share, though they could: global ones that only the main
//! thread uses, or that nobody writes while there are several threads. Accesses to them need not be
//! scheduling points (docs/algorithms.md, "Confined variables").
//!
//! Which variables these are is a guess, from a few executions ([`crate::sample`]). The machine
//! checks each step (`machine/confined_check.rs`). If the guess was wrong, the exploration begins
//! again without these variables. So the guess may be wrong, and must not be wrong without notice.
//!
//! *Why it is enough to check the steps that are explored.* Take an execution in which a variable
//! is used otherwise, and there the first such access. Each access to a confined variable before
//! it commutes with all actions of other threads. So the execution up to that access is equivalent
//! to one in which each thread makes these accesses together with its action before them, and such
//! executions are explored.

pub(crate) mod variables;

use crate::program::Program;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use variables::{Bytes, Confined};

/// How often the guess may be wrong, before there is none.
const MOST_WRONG: u32 = 3;

impl Program {
    /// How often variables were not confined although that was assumed.
    #[inline]
    pub fn wrongly_confined(&self) -> u32 {
        self.confinement.wrong.load(Ordering::Relaxed)
    }

    /// How many further times it may be assumed that variables are confined.
    pub fn may_confine(&self) -> u32 {
        MOST_WRONG.saturating_sub(self.wrongly_confined())
    }

    /// Records that a variable at an address is not confined.
    #[cold]
    pub(crate) fn refuse_confined(&self, address: u64, size: u64) {
        let refused = &self.confinement.refused;
        refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((address, address.saturating_add(size.max(1))));
        self.confinement.wrong.fetch_add(1, Ordering::Relaxed);
    }

    /// The variables that may be taken to be confined now. `None` if there are none.
    pub(crate) fn confined(self: &Arc<Program>) -> Option<Confined> {
        if self.may_confine() == 0 || !self.can_confine() {
            return None;
        }
        let found = &self.sampled().confined;
        let refused = self.confinement.refused.lock();
        let refused = refused.unwrap_or_else(PoisonError::into_inner);
        let meets = |b: &Bytes| refused.iter().any(|&(start, end)| b.start < end && start < b.end);
        let bytes: Vec<Bytes> = found.iter().filter(|b| !meets(b)).copied().collect();
        (!bytes.is_empty()).then_some(Confined { bytes })
    }

    /// Whether the machine sees all that could show a guess to be wrong, and steps may be longer.
    /// A handler of a signal comes between two actions of its thread, so there have to be as many
    /// as before; and `Options::unroll` bounds the jumps of one step.
    fn can_confine(&self) -> bool {
        let options = &self.options;
        let sees_all = options.record_accesses && options.points.is_none() && !self.atomic_blocks;
        sees_all && self.signals.is_none() && options.unroll.is_none()
    }
}
