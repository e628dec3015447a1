//! The machine: runs a program in the IR under the control of an explorer.
//!
//! [`Program`] is compiled once and shared; a [`Vm`] is one state of it that can be stepped and
//! taken back.

mod addresses;
mod allocated;
mod arithmetic;
mod arrived;
mod awaits;
mod blocks;
mod carried;
mod causeless;
mod clocks;
mod code;
mod compile;
mod confined;
mod counters;
mod coverage;
pub mod describe;
mod elements;
mod ends;
mod explained;
pub mod fingerprint;
mod future;
mod generalise;
mod hidden;
pub mod inspect;
mod libc;
mod machine;
pub mod memory;
pub mod models;
mod names;
mod naming;
pub mod native;
mod options;
mod phase;
mod program;
mod reach;
mod recall;
mod rust_threads;
mod sample;
mod statistics;
mod symbolic;
pub mod sync;
mod turns;
pub mod value;
mod visibility;
mod visible;
mod word;

pub use blocks::Blocks;
pub use carried::Carried;
pub use coverage::Reached;
pub use explained::Explained;
pub use future::{Elements, Futures, can_follow as can_predict};
#[cfg(feature = "laboratory")]
pub use future::{Foresight, Weaken};
pub use generalise::Generalised;
pub use machine::lines::LineSeen;
#[cfg(feature = "laboratory")]
pub use machine::snapshot::VmState;
pub use machine::vm::{Mark, Vm};
pub use machine::{state, thread};
pub use options::{GivenEntry, Options, Requests, SolverOptions};
pub use phase::Phase;
pub use program::{Error, Program, STREAMS};
pub use recall::Recalling;
pub use statistics::{LayerStatistics, SolverStatistics};
pub use turns::Identical;
pub use visibility::{Points, Visibility};

use machine::{interp, vm};
