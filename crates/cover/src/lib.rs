//! Input-covering schedules (BCG13 in docs/papers.md): a small set of schedules that has one for
//! each input of a program.
//!
//! An exploration in which the order of threads is decided by the [`selvedge_explore`]-strategy
//! `ordered`, and only data choices are free, gives one execution for each class of inputs. A
//! [`Recorder`] turns each into an [`Order`](selvedge_schedule::cover::Order): the operations that
//! synchronise, and which of them have to wait for which. A [`Trie`] holds them all, and
//! [`Plan::of`] says what each thread of the native program has to do.
//!
//! Where this deviates from the paper: there are no epochs yet, so the program must end by itself;
//! and which schedule an input belongs to is not computed from the input. It shows: a thread that
//! comes to its next operation publishes which one that is, and only threads to which that makes a
//! difference wait for it. So no condition on inputs is evaluated, no slice is needed for
//! precision, and inputs whose branches lead to the same operations share a schedule.
//!
//! # Invariants
//!
//! What a thread does next depends on the order of operations so far and on inputs. Who is chosen
//! next depends on the order of operations so far, and on those that threads have arrived at.
//! [`Trie::insert`] fails where that does not hold.
//!
//! [`selvedge_explore`]: https://docs.rs/selvedge-explore

mod order;
mod plan;
mod record;
mod trie;

pub use plan::{Plan, State};
pub use record::{Collector, Global, Names, Recorder, is_ordered};
pub use trie::{Inserted, Trie};
