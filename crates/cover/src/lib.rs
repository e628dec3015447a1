//! Input-covering schedules (BCG13 in docs/papers.md): a small set of schedules that contains one
//! for each input of a program.
//!
//! In the exploration, the strategy `ordered` of [`selvedge_explore`] decides the order of threads,
//! and only data choices are free. So there is one execution for each class of inputs. A
//! [`Recorder`] turns each execution into an [`Order`](selvedge_schedule::cover::Order): the
//! operations that synchronise, and which of them have to wait for which. A [`Trie`] holds them
//! all, and [`Plan::of`] computes what each thread of the native program has to do.
//!
//! Deviations from the paper:
//!
//! - The only epochs are *parts*: what a program does from one request of its standard input to the
//!   next. They begin with states that are equal, not with generalised ones, so the state must
//!   return.
//! - The schedule of an input is not computed from the input but observed. A thread that arrives at
//!   its next operation publishes which one that is, and only threads for which this makes a
//!   difference wait for it. So no condition on inputs is evaluated, precision needs no slice, and
//!   inputs whose branches lead to the same operations share a schedule.
//!
//! # Invariants
//!
//! The next operation of a thread depends on the order of operations so far and on inputs. The next
//! thread depends on the order of operations so far, and on the operations that threads have
//! arrived at. [`Trie::insert`] fails if a schedule violates this.
//!
//! [`selvedge_explore`]: https://docs.rs/selvedge-explore

mod collector;
mod combined;
mod endless;
mod known;
mod order;
mod parts;
mod plan;
mod record;
mod trie;
mod without;

pub use collector::{Collected, Collector, Gap};
pub use endless::waits_for_ever;
pub use plan::{Plan, State};
pub use record::{Global, Names, Recorder, is_ordered};
pub use trie::{Inserted, Trie};
pub use without::{Optimisation, Without};
