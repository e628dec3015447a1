//! Exploration strategies: in which order, and how much of, a [`Machine`](selvedge_model::Machine)
//! is explored.
//!
//! - [`dpor`]: every class of executions, by dynamic partial-order reduction with sleep sets.
//! - [`unfold`]: every maximal configuration of the unfolding, by k-partial alternatives, with
//!   cutoff events.
//! - [`reads`]: every class of executions in which reads read from the same writes.
//! - [`stateful`]: every state, depth first; what follows a known state is not explored again.
//! - [`ordered`]: one execution for each class of inputs, with a fixed order of threads.
//! - [`random`], [`pct`]: sampling, for programs that are too large for exhaustive search.
//!
//! [`kept`] represents an exploration as plain data, from which another process can continue.
//!
//! Each strategy is written once, generic over the machine, and is tested against the brute-force
//! reference on toys. The input is a [`Config`] and a function that makes machines. The output is a
//! [`Report`], which is plain data.

mod again;
mod assumption;
mod budget;
mod config;
mod control;
mod decisions;
pub mod dpor;
mod estimate;
mod findings;
mod junctions;
pub mod kept;
pub mod ordered;
pub mod pct;
pub mod random;
pub mod reads;
mod record;
mod report;
mod sample;
pub mod spin;
pub mod stateful;
pub mod stuck;
mod turns;
pub mod unfold;

pub use again::{Attempt, until_it_holds};
pub use assumption::Assumption;
pub use budget::Budget;
pub use config::{Config, Order, Stop};
pub use control::{Control, Progress};
pub use findings::Findings;
pub use record::NOT_ASKED_FOR;
pub use report::{Found, Report, Statistics, ThreadChoices};
