//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010).
//!
//! Each thread has a random priority, and the enabled thread with the highest priority moves. At d
//! − 1 random points of the execution, the priority of the thread that is about to move falls below
//! all others. A bug of depth d is found with probability at least 1/(n k^(d−1)) in each execution,
//! for n threads and k events. Deviations from the paper: the length k is not given; it is the
//! length of the longest execution so far. And a thread's priority is drawn when the thread is
//! first seen, at a random place among the others.

use crate::kept::{Kept, Misfit};
use crate::sample::{self, Scheduler};
use crate::{Config, Control, Report};
use fastrand::Rng;
use selvedge_model::{Detector, Pending, Undo};

struct Pct {
    rng: Rng,
    /// The priority of each thread; all are different. Change points give priorities below those
    /// drawn at first.
    priorities: Vec<u64>,
    /// The change points, as numbers of events from the start.
    changes: Vec<u64>,
    depth: u32,
    event: u64,
    longest: u64,
}

/// Drawn priorities are above this number, changed ones below.
const DRAWN: u64 = 1 << 32;

impl Scheduler for Pct {
    fn begin(&mut self) {
        self.longest = self.longest.max(self.event);
        self.event = 0;
        self.priorities.clear();
        self.changes.clear();
        for _ in 1..self.depth {
            let change = self.rng.u64(0..self.longest.max(1));
            self.changes.push(change);
        }
    }

    fn thread(&mut self, pending: &[Pending]) -> usize {
        while self.priorities.len() < pending.len() {
            let priority = self.rng.u64(DRAWN..u64::MAX);
            self.priorities.push(priority);
        }
        let mut thread = self.highest(pending);
        for change in 0..self.changes.len() {
            if self.changes[change] == self.event {
                self.priorities[thread] = change as u64;
                thread = self.highest(pending);
            }
        }
        self.event += 1;
        thread
    }

    fn alternative(&mut self, alternatives: u16) -> u16 {
        self.rng.u16(0..alternatives.max(1))
    }

    fn state(&self) -> Vec<u64> {
        // Between two executions nothing else matters.
        vec![self.rng.get_seed(), self.longest.max(self.event)]
    }

    fn restore(&mut self, state: &[u64]) -> bool {
        let &[seed, longest] = state else { return false };
        self.rng.seed(seed);
        self.longest = longest;
        true
    }
}

impl Pct {
    fn highest(&self, pending: &[Pending]) -> usize {
        let enabled = (0..pending.len()).filter(|&thread| pending[thread].is_enabled());
        enabled.max_by_key(|&thread| self.priorities[thread]).unwrap_or(0)
    }
}

/// Runs executions under random priorities. The verdict is never `Verified`.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explore_kept(make, config, control, Kept::default()).unwrap_or_else(|misfit| misfit.never())
}

/// [`explore`], starting from a saved state or saving states.
///
/// # Errors
/// If the state does not belong to this exploration.
pub fn explore_kept<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    kept: Kept<'_>,
) -> Result<Report, Misfit>
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let rng = Rng::with_seed(config.seed);
    let depth = config.pct_depth.max(1);
    let mut pct = Pct {
        rng,
        priorities: Vec::new(),
        changes: Vec::new(),
        depth,
        event: 0,
        longest: 0,
    };
    sample::explore(make(), &mut pct, config, control, kept)
}
