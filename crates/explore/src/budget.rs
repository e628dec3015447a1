//! Work that an exploration may do before it has to wait for more.
//!
//! With budgets, several explorations of one program take turns. Work is counted in units that
//! follow from what is explored, never in time. So the work that each exploration has done when
//! another one ends is the same on every machine and in every run.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The work that one exploration may still do. One thread spends it, another one grants it.
#[derive(Debug, Default)]
pub struct Budget {
    /// The units that are left. The last spending may overdraw them.
    left: AtomicI64,
    /// True if the exploration has to stop, and must not wait any more.
    closed: AtomicBool,
    turn: Mutex<Turn>,
    changed: Condvar,
    /// Pairs of conflicting events that were found, and those of them that are two writes.
    conflicts: AtomicU64,
    unread: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Turn {
    /// The exploration waits for units.
    #[default]
    Waits,
    /// It has units.
    Works,
    /// It has ended.
    Ended,
}

impl Budget {
    /// A budget without units: the first spending waits.
    pub fn new() -> Self {
        Budget::default()
    }

    /// Grants further units. An overdraft is subtracted.
    pub fn grant(&self, units: u64) {
        let mut turn = self.lock();
        self.left
            .fetch_add(i64::try_from(units).unwrap_or(i64::MAX / 2), Relaxed);
        if *turn == Turn::Waits && self.left.load(Relaxed) > 0 {
            *turn = Turn::Works;
            self.changed.notify_all();
        }
    }

    /// Tells how many pairs of events are in immediate conflict as far as the exploration has come,
    /// and how many of these are of two writes that read nothing.
    pub fn tell_conflicts(&self, all: u64, unread: u64) {
        self.conflicts.store(all, Relaxed);
        self.unread.store(unread, Relaxed);
    }

    /// What the exploration has told by [`tell_conflicts`](Budget::tell_conflicts).
    pub fn conflicts(&self) -> (u64, u64) {
        (self.conflicts.load(Relaxed), self.unread.load(Relaxed))
    }

    /// Asks the exploration to stop; it does not wait any more.
    pub fn close(&self) {
        let mut turn = self.lock();
        self.closed.store(true, Relaxed);
        if *turn == Turn::Waits {
            *turn = Turn::Works;
        }
        self.changed.notify_all();
    }

    /// True if the exploration was asked to stop.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// Records that the exploration has ended.
    pub fn end(&self) {
        *self.lock() = Turn::Ended;
        self.changed.notify_all();
    }

    /// The units that were granted and not spent.
    pub fn left(&self) -> u64 {
        u64::try_from(self.left.load(Relaxed)).unwrap_or(0)
    }

    /// True if the exploration has used up its units, or has ended.
    pub fn is_done(&self) -> bool {
        *self.lock() != Turn::Works
    }

    /// True if the exploration has ended.
    pub fn has_ended(&self) -> bool {
        *self.lock() == Turn::Ended
    }

    /// Waits until [`is_done`](Budget::is_done), at most for this time. Returns the value of
    /// `is_done`.
    pub fn wait(&self, most: std::time::Duration) -> bool {
        let working = |turn: &mut Turn| *turn == Turn::Works;
        let waited = self.changed.wait_timeout_while(self.lock(), most, working);
        let (turn, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *turn != Turn::Works
    }

    /// Spends units. Waits for more if none are left.
    #[inline]
    pub fn spend(&self, units: u32) {
        let left = self.left.load(Relaxed) - i64::from(units);
        // Other threads only add units, and only while this thread waits.
        self.left.store(left, Relaxed);
        if left <= 0 {
            self.wait_for_units();
        }
    }

    #[cold]
    fn wait_for_units(&self) {
        let mut turn = self.lock();
        while self.left.load(Relaxed) <= 0 && !self.is_closed() {
            if *turn == Turn::Works {
                *turn = Turn::Waits;
                self.changed.notify_all();
            }
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn work_stops_where_the_units_end_and_goes_on_with_more() {
        let (budget, done) = (Budget::new(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..10 {
                    budget.spend(3);
                    done.fetch_add(1, SeqCst);
                }
                budget.end();
            });
            budget.grant(9);
            assert!(budget.wait(LONG) && !budget.has_ended());
            // Three spendings are covered; the third one ends at zero and waits.
            assert_eq!(done.load(SeqCst), 2);
            budget.grant(7);
            assert!(budget.wait(LONG) && !budget.has_ended());
            assert_eq!(done.load(SeqCst), 5);
            budget.close();
            while !budget.has_ended() {
                std::thread::yield_now();
            }
            assert_eq!(done.load(SeqCst), 10);
        });
    }
}
