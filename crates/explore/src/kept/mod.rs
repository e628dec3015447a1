//! Explorations as plain data: what another process needs to go on with one.
//!
//! A [`State`] is all that decides what a strategy does from here on, together with the machines,
//! which are made anew and brought to where they were by choices. It is serialisable, and names
//! nothing that belongs to one process: threads by their numbers, which follow from the choices;
//! statements by their numbers in the program; objects by their addresses in the machine. Contexts
//! are left out of faults: they are numbered by each machine as it meets them, and a replay of a
//! fault's choices finds them again.
//!
//! What is *not* in it, because it decides nothing: marks of machines and detectors, happens-before
//! and what detectors hold (a fold over the path, made again when the path is followed), and what
//! machines and detectors remember of steps.

mod keeper;
mod record;
mod sample;
mod unit;

pub use keeper::{Keeper, Kept, Misfit};
pub use record::RecordState;
pub use sample::SampleState;
pub use unit::{
    Begun, Done, Entry, GivenUnit, NodeState, Product, SearchState, Unit, UnitHalt, UnitRequest, UnitState,
};

use serde::{Deserialize, Serialize};

/// What is to be done by a strategy, and what it has done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum State {
    /// Of `dpor`.
    Search(SearchState),
    /// Of `random` and `pct`.
    Sample(SampleState),
}
