//! Vector clocks: for each thread, how many of its events happen before some point.

/// One counter for each thread, indexed by thread number. Threads beyond the stored length have the
/// counter 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VectorClock {
    ticks: Vec<u32>,
}

impl VectorClock {
    /// The clock with all counters 0.
    pub const fn new() -> Self {
        VectorClock { ticks: Vec::new() }
    }

    /// The counter of a thread.
    #[inline]
    pub fn get(&self, thread: usize) -> u32 {
        self.ticks.get(thread).copied().unwrap_or(0)
    }

    /// Sets the counter of a thread.
    #[inline]
    pub fn set(&mut self, thread: usize, tick: u32) {
        if thread >= self.ticks.len() {
            self.ticks.resize(thread + 1, 0);
        }
        self.ticks[thread] = tick;
    }

    /// Raises each counter to at least the other's: the result covers the events that either
    /// covered.
    #[inline]
    pub fn join(&mut self, other: &VectorClock) {
        if self.ticks.len() < other.ticks.len() {
            self.ticks.resize(other.ticks.len(), 0);
        }
        for (mine, theirs) in self.ticks.iter_mut().zip(&other.ticks) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// True if every event that this clock covers is covered by the other: this ≤ other in each
    /// counter.
    pub fn le(&self, other: &VectorClock) -> bool {
        self.ticks
            .iter()
            .enumerate()
            .all(|(t, &tick)| tick <= other.get(t))
    }

    /// Sets all counters to 0; keeps the allocation.
    pub fn clear(&mut self) {
        self.ticks.clear();
    }

    /// The counters, by thread number.
    pub fn as_slice(&self) -> &[u32] {
        &self.ticks
    }
}
