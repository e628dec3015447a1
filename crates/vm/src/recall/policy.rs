//! Decides whether caching is worth its cost.
//!
//! A step that is executed and cached costs about twice as much as one that is only executed. A
//! recalled step costs next to nothing. So caching pays if at least half as many steps are recalled
//! as are cached. This is checked after every [`WINDOW`] cached steps, and the decision is final.
//! States return near the ends of executions, and depth-first search is there from its beginning
//! on.

/// The number of cached steps between two checks.
const WINDOW: u32 = 1024;

/// The maximum size of the graph in bytes. When it is full, nothing more is cached, but the cached
/// steps are still recalled.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// The results of caching since the last check.
#[derive(Default)]
pub(super) struct Balance {
    recalled: u32,
    learned: u32,
}

impl Balance {
    #[inline]
    pub fn recall(&mut self) {
        self.recalled = self.recalled.saturating_add(1);
    }

    /// Counts a cached step. Returns true if it is time to stop.
    #[inline]
    pub fn learn(&mut self) -> bool {
        self.learned += 1;
        if self.learned < WINDOW {
            return false;
        }
        let last = std::mem::take(self);
        last.recalled < last.learned / 2
    }
}
