//! Decides whether constraints over symbolic inputs can hold together.
//!
//! One trait, [`Solver`]. A solver is a chain of layers, each a decorator around the next, each
//! sound on its own and each in its own file; what no layer answers reaches a backend. [`chain`]
//! builds it:
//!
//! | layer | what it does |
//! | --- | --- |
//! | `limits` | turns away what is too large or comes too late |
//! | `split` | conjunctions become their conjuncts |
//! | `trivial` | constants, constraints that the path has already, or their negation |
//! | `domain` | inputs that are constrained alone: sets of values, no search |
//! | `independence` | drops the constraints that share no input with the goal |
//! | `cache` | equal queries, recent models, refuted subsets |
//! | `validate` | evaluates models; compares two backends on request |
//! | `log` | queries as SMT-LIB texts |
//! | `fallback` | `bits` shortly, then `z3`, then `bits` again |
//!
//! The division of labour is KLEE's (Cadar, Dunbar, Engler: "KLEE", OSDI 2008, section 4.2, and its
//! solver chain), with two differences: layers follow the path as it grows and shrinks instead of
//! looking through it at every query, and single bytes are decided by their sets of values.
//!
//! Answers of a chain depend on the queries before (models are reused), but on nothing else unless
//! a time limit strikes: the same queries in the same order get the same answers.
//!
//! What cannot be decided is [`Answer::Unknown`] with its reason, and makes the verdict unknown.

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

pub use ask::{At, Values, max, may_be_true, min, must_be_true, unique_value, values};
pub use chain::{Backend, Options, UnknownLayer, chain};
pub use log::Sink;
pub use query::{Answer, Query, Reason, Solver};
pub use statistics::{LayerStatistics, Statistics};
pub use text::{Error, solve_text};
