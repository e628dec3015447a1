//! The thread of a long step, watched for whether it goes round for ever (`interp/endless.rs`).

use selvedge_base::Digest;

/// The number of instructions after which a long step polls the stop flag, and may be watched.
pub(crate) const LOOK: u64 = 1 << 16;

/// The number of backward jumps for which a thread is watched after so many instructions; after
/// twice as many, twice as long.
const JUMPS: u64 = 16;

/// Where a thread may come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    /// Depth, function, target of the jump.
    pub(super) place: (u32, u32, u32),
    /// The registers, frames and locks of the thread.
    pub(super) own: Digest,
    /// Positions in the undo logs, and the number of recorded accesses.
    pub(super) state: usize,
    pub(super) memory: usize,
    pub(super) accesses: usize,
}

/// Watches one step.
#[derive(Clone, Default, Debug)]
pub(crate) struct LongStep {
    /// The backward jumps for which the thread is still watched.
    pub(super) jumps: u64,
    pub(super) stand: Option<Stand>,
    /// The jumps since the stand, and the number after which there is a new one.
    pub(super) since: u64,
    pub(super) renew: u64,
    /// The number of instructions at which the thread was watched last.
    last: u64,
}

impl LongStep {
    pub(crate) fn begins_step(&mut self) {
        (self.jumps, self.last) = (0, 0);
        self.stand = None;
    }

    /// Whether the thread is watched now.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.jumps > 0
    }

    /// Whether the step has taken [`LOOK`] instructions or more.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.last > 0
    }

    /// After `count` instructions of the step, a multiple of [`LOOK`]: the thread may be watched.
    pub(crate) fn begins(&mut self, count: u64) {
        let looks = count / LOOK;
        if count > self.last && looks.is_power_of_two() {
            self.last = count;
            (self.jumps, self.since, self.renew) = (JUMPS * looks, 0, 1);
        }
    }

    /// What the thread may come back to is no stand any more.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.stand = None;
    }
}
