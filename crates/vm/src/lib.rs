//! The machine: runs a program in the IR under the control of an explorer.
//!
//! [`Program`] is compiled once and shared; a [`Vm`] is one state of it that can be stepped and
//! taken back.

mod allocated;
mod carried;
mod causeless;
mod code;
mod compile;
mod coverage;
pub mod describe;
pub mod fingerprint;
mod hidden;
mod interp;
mod libc;
pub mod memory;
pub mod native;
mod options;
mod phase;
mod program;
mod quarantine;
mod recall;
mod snapshot;
pub mod state;
mod statistics;
mod symbolic;
pub mod sync;
pub mod thread;
pub mod value;
mod visibility;
mod vm;
mod word;

pub use carried::Carried;
pub use coverage::Reached;
pub use options::{Options, SolverOptions};
pub use phase::Phase;
pub use program::{Error, Program, STREAMS};
pub use recall::Recalling;
pub use snapshot::VmState;
pub use statistics::{LayerStatistics, SolverStatistics};
pub use visibility::Visibility;
pub use vm::{Mark, Vm};
