//! Decides whether constraints over symbolic inputs can hold together.
//!
//! There is one trait, [`Solver`]. A solver is a chain of layers. Each is a decorator around the
//! next, is sound on its own, and has a file of its own. A query that no layer answers reaches a
//! backend. [`chain`] builds the chain:
//!
//! | layer | what it does |
//! | --- | --- |
//! | `limits` | rejects queries that are too large or come too late |
//! | `split` | splits conjunctions into their conjuncts |
//! | `trivial` | constants, constraints that the path has already, or their negation |
//! | `domain` | inputs that are constrained alone: sets of values, no search |
//! | `independence` | drops the constraints that share no input with the goal |
//! | `cache` | equal queries, recent models, refuted subsets |
//! | `validate` | evaluates models; compares two backends on request |
//! | `log` | writes queries as SMT-LIB texts |
//! | `fallback` | `bits` shortly, then `z3`, then `bits` again |
//!
//! The division of labour is KLEE's (Cadar, Dunbar, Engler: "KLEE", OSDI 2008, section 4.2, and its
//! solver chain), with two differences. Layers follow the path as it grows and shrinks instead of
//! examining it at every query. And single bytes are decided by their sets of values.
//!
//! The answers of a chain depend on earlier queries (models are reused), but on nothing else,
//! unless a time limit is reached. The same queries in the same order get the same answers.
//!
//! A query that cannot be decided gives [`Answer::Unknown`] with its reason, and makes the verdict
//! unknown.

mod answer;
mod ask;
mod bits;
mod cache;
mod chain;
mod domain;
mod fallback;
mod independence;
mod intervals;
mod limits;
mod log;
mod path;
mod query;
mod split;
mod statistics;
mod text;
mod trivial;
mod validate;
mod z3;

pub use answer::{Answer, Reason};
pub use ask::{At, Values, max, may_be_true, min, must_be_true, unique_value, values};
pub use chain::{Backend, Options, UnknownLayer, chain};
pub use log::Sink;
pub use query::{Query, Solver};
pub use statistics::{LayerStatistics, Statistics};
pub use text::{Error, solve_text};
