//! Static facts: what is known of a program without running it.
//!
//! Pure functions from the ir to facts. They do not use schedules, the machine or a strategy, so
//! each fact can be tested alone, printed (`selvedge facts`) and used by any strategy.
//!
//! The facts are: the control flow of one function ([`mod@cfg`]) with dominators, post-dominators,
//! control dependence and loops; definitions and uses of registers ([`DefUse`]); the call graph
//! ([`CallGraph`]); points-to sets ([`PointsTo`]), which rest on one table of the effects of
//! library functions ([`library`]), and the pointers that may leave them ([`Pointers`]); backward
//! slices ([`mod@slice`]), and the slice that predicate dependence keeps exact ([`essential`],
//! [`leaf`]); the memory that atomic blocks may touch ([`blocks`]); the stack objects whose
//! addresses stay in their function ([`Escape`]); what the entry refers to ([`reachable`]); which
//! threads there may be, and which statements may run in parallel ([`Threads`]); and the locks that
//! are surely held ([`Locks`]).
//!
//! A fact that says "may" includes everything that some execution does. A fact that says "must"
//! (dominance, locks) holds in all executions.

mod address;
pub mod blocks;
mod calls;
pub mod cfg;
pub mod cxx_snapshots;
pub mod cxx_waits;
mod defuse;
mod escape;
pub mod essential;
mod flow;
pub mod identical;
pub mod leaf;
pub mod library;
mod locks;
pub mod places;
mod pointers;
pub mod pointsto;
pub mod polling;
pub mod published;
mod reach;
mod rounds;
pub mod rust_backoff;
pub mod rust_channels;
pub mod rust_condvars;
pub mod rust_counts;
pub mod rust_crates;
pub mod rust_locks;
pub mod rust_once;
pub mod rust_owners;
pub mod rust_panics;
mod rust_parking;
pub mod rust_rwlocks;
pub mod rust_scopes;
pub mod rust_start;
pub mod rust_streams;
pub mod scheduling;
pub mod scratch;
pub mod signal_points;
pub mod slice;
pub mod static_guards;
pub mod threads;
pub mod unreached;
mod unread;

pub use calls::{CallGraph, SELF_CONTAINED};
pub use cfg::{Cfg, LoopForest};
pub use defuse::{DefUse, Definition, Place};
pub use escape::{Escape, PrivateLocals};
pub use locks::{Held, Lock, Locks};
pub use pointers::Pointers;
pub use pointsto::PointsTo;
pub use reach::{Reachable, reachable, reachable_without};
pub use slice::Slicer;
pub use threads::Threads;
pub use unread::{Fate, fates};
