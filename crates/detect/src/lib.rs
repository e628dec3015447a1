//! Detectors: folds over the events of an execution that find its faults, and that can be undone.
//!
//! - [`RaceDetector`]: data races by happens-before, with clocks of its own (never the dependence
//!   order).
//! - [`RecallingRaces`]: the same for a machine that recalls its steps.
//! - [`DeadlockDetector`]: global and partial deadlocks, with the wait-for cycle, and lost wakeups.
//! - [`LeakDetector`]: memory that is lost or not freed.
//!
//! All are generic over machines that implement [`Describe`](selvedge_model::Describe). Texts in
//! `Fault::related` that belong to a thread have the form `thread 0.1: …`; [`split_thread`] splits
//! them for reports.

mod deadlock;
mod leak;
mod race;
mod spin;
mod takers;
mod text;

pub use deadlock::{DeadlockDetector, DeadlockMark};
pub use leak::LeakDetector;
pub use race::{About, RaceDetector, RaceMark, RecallingRaces};
pub use text::split_thread;

/// All detectors. Faults that machines find themselves need no detector. Races and leaks are
/// detected only if requested.
pub type Detectors = (Option<RaceDetector>, (DeadlockDetector, Option<LeakDetector>));
