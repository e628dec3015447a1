//! Whether remembering is worth what it costs.
//!
//! A step that is executed and learned costs about twice a step that is only executed; one that is
//! recalled costs next to nothing. So it pays if at least half as many steps are recalled as are
//! learned. That is looked at after every [`WINDOW`] learned steps, and is final: states come back
//! near the ends of executions, where depth-first search is from its beginning on.

/// How many steps are learned between two looks.
const WINDOW: u32 = 1024;

/// Bytes that the graph may have. Once it is full nothing more is learned, but what is known is
/// recalled.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// What has come of remembering since the last look.
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

    /// A step was learned; whether it is time to stop.
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
