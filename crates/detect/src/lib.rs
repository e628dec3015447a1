//! Detectors: folds over the events of an execution that find what is wrong with it, and that can
//! go back.
//!
//! - [`RaceDetector`]: data races by happens-before, with clocks of its own (never the dependence
//!   order).
//! - [`RecallingRaces`]: the same for a machine that recalls its steps.
//! - [`DeadlockDetector`]: global and partial deadlocks, with the wait-for cycle, and lost wakeups.
//! - [`LeakDetector`]: memory that is lost or not freed.
//!
//! All are generic over machines that can [`Describe`](selvedge_model::Describe) themselves. Places
//! that belong to a thread are written `thread 0.1: …` in `Fault::related`; [`split_thread`] takes
//! them apart for reports.

mod deadlock;
mod leak;
mod race;
mod spin;
mod text;

pub use deadlock::{DeadlockDetector, DeadlockMark};
pub use leak::LeakDetector;
pub use race::{About, RaceDetector, RaceMark, RecallingRaces};
pub use text::split_thread;

/// Everything that is watched for beside what machines find by themselves; races and leaks only
/// where they are asked for.
pub type Detectors = (Option<RaceDetector>, (DeadlockDetector, Option<LeakDetector>));
