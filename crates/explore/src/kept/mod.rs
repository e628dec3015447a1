//! Explorations as plain data, from which another process can continue.
//!
//! A [`State`] contains everything that decides what a strategy does from here on, except for the
//! machines, which are made anew and brought to their states by choices. It is serialisable and
//! contains nothing that belongs to one process. Threads are numbers that follow from the choices;
//! statements are their numbers in the program; objects are their addresses in the machine.
//! Contexts are left out of faults, because each machine numbers them as it finds them. A replay of
//! a fault's choices finds them again.
//!
//! Some data is *not* in it because it decides nothing: marks of machines and detectors;
//! happens-before clocks and the accesses that detectors hold, which are recomputed when the path
//! is followed; and the caches of machines and detectors.

mod bounds;
mod keeper;
mod part;
mod record;
mod sample;
mod sections;
mod tree;
mod unit;

pub use keeper::{Keeper, Kept, Misfit};
pub use part::{Common, Part, Parts, Progress};
pub use record::RecordState;
pub use sample::SampleState;
pub use sections::Sections;
pub use tree::{Counts, Next, ROOT, Tree};
pub use unit::{
    Begun, Done, Entry, GivenUnit, NodeState, Product, SearchState, Unit, UnitHalt, UnitRequest, UnitState,
};

use serde::{Deserialize, Serialize};

/// The remaining work of a strategy, and its results so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum State {
    /// The state of `dpor`.
    Search(SearchState),
    /// The state of `random` and `pct`.
    Sample(SampleState),
}
