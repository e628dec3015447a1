//! Static facts: what can be said of a program without running it.
//!
//! Pure functions from the ir to facts. Nothing here knows schedules, the machine or a strategy, so
//! each fact can be tested alone, printed (`selvedge facts`) and used by any strategy.
//!
//! What stands: the control flow of one function ([`mod@cfg`]) with dominators, post-dominators,
//! control dependence and loops; definitions and uses of registers ([`DefUse`]); the call graph
//! ([`CallGraph`]); points-to sets ([`PointsTo`]), which rest on one table of what library
//! functions do ([`library`]); backward slices ([`mod@slice`]), and the one of all that predicate
//! dependence keeps exact ([`essential`], [`leaf`]). Threads are not there yet.
//!
//! A fact that says "may" includes everything that some execution does. A fact that says "must"
//! (dominance) holds in all of them.

mod address;
mod calls;
pub mod cfg;
mod defuse;
pub mod essential;
pub mod identical;
pub mod leaf;
pub mod library;
pub mod pointsto;
pub mod scheduling;
pub mod slice;

pub use calls::{CallGraph, SELF_CONTAINED};
pub use cfg::{Cfg, LoopForest};
pub use defuse::{DefUse, Definition, Place};
pub use pointsto::PointsTo;
pub use slice::Slicer;
