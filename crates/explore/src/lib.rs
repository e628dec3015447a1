//! Strategies: in what order, and how much, a [`Machine`](selvedge_model::Machine) is explored.
//!
//! - [`dpor`]: every class of executions, by dynamic partial-order reduction with sleep sets.
//! - [`unfold`]: every maximal configuration of the unfolding, by k-partial alternatives, with
//!   cutoff events.
//! - [`stateful`]: every state, depth first: what follows a known state is not explored again.
//! - [`ordered`]: one execution for each class of inputs, the order of threads being fixed.
//! - [`random`], [`pct`]: samples, where exhaustive search is out of reach.
//!
//! [`kept`]: explorations as plain data, from which another process goes on.
//!
//! Each strategy is written once, generic over the machine, and is held against the brute-force
//! reference on toys. What goes in is a [`Config`] and a way to make machines; what comes out is a
//! [`Report`], plain data.

mod budget;
mod config;
mod control;
mod decisions;
pub mod dpor;
mod findings;
pub mod kept;
pub mod ordered;
pub mod pct;
pub mod random;
mod record;
mod report;
mod sample;
pub mod spin;
pub mod stateful;
pub mod stuck;
pub mod unfold;

pub use budget::Budget;
pub use config::{Config, Order, Stop};
pub use control::{Control, Progress};
pub use findings::Findings;
pub use report::{Found, Report, Statistics};
