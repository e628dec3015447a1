//! Work that an exploration may do before it has to wait for more.
//!
//! Several explorations of one program take turns by it. Work is counted in units that follow from
//! what is explored, never in time: so what each one has done when another one ends is the same on
//! every machine and in every run.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The work that one exploration may still do. One thread spends it, another one grants it.
#[derive(Debug, Default)]
pub struct Budget {
    /// Units left; the last spending may overdraw them.
    left: AtomicI64,
    /// The exploration has to stop, and waits no more.
    closed: AtomicBool,
    turn: Mutex<Turn>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Turn {
    /// The exploration waits for units.
    #[default]
    Waits,
    /// It has some.
    Works,
    /// It is over.
    Ended,
}

impl Budget {
    /// Without units: the first spending waits.
    pub fn new() -> Self {
        Budget::default()
    }

    /// Lets the exploration go on for so many units more. What it overdrew before is taken off.
    pub fn grant(&self, units: u64) {
        let mut turn = self.lock();
        self.left
            .fetch_add(i64::try_from(units).unwrap_or(i64::MAX / 2), Relaxed);
        if *turn == Turn::Waits && self.left.load(Relaxed) > 0 {
            *turn = Turn::Works;
            self.changed.notify_all();
        }
    }

    /// Asks the exploration to stop; it waits no more.
    pub fn close(&self) {
        let mut turn = self.lock();
        self.closed.store(true, Relaxed);
        if *turn == Turn::Waits {
            *turn = Turn::Works;
        }
        self.changed.notify_all();
    }

    /// Whether the exploration was asked to stop.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// Notes that the exploration is over.
    pub fn end(&self) {
        *self.lock() = Turn::Ended;
        self.changed.notify_all();
    }

    /// Units that were granted and not spent.
    pub fn left(&self) -> u64 {
        u64::try_from(self.left.load(Relaxed)).unwrap_or(0)
    }

    /// Whether the exploration has used up what it was granted, or is over.
    pub fn is_done(&self) -> bool {
        *self.lock() != Turn::Works
    }

    /// Whether the exploration is over.
    pub fn has_ended(&self) -> bool {
        *self.lock() == Turn::Ended
    }

    /// Waits until [`is_done`](Budget::is_done), at most for this time; whether it is.
    pub fn wait(&self, most: std::time::Duration) -> bool {
        let working = |turn: &mut Turn| *turn == Turn::Works;
        let waited = self.changed.wait_timeout_while(self.lock(), most, working);
        let (turn, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *turn != Turn::Works
    }

    /// Spends units; waits for more if none are left.
    #[inline]
    pub fn spend(&self, units: u32) {
        let left = self.left.load(Relaxed) - i64::from(units);
        // Others only add, and only while this thread waits.
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
