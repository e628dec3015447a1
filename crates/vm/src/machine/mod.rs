//! The machine itself: the state with its undo log, threads, the interpreter, and [`vm::Vm`], which
//! takes steps.
//!
//! *Invariant*: the fields of `state` are private. Models (`sync`, `libc`, `native`) change the
//! state through its methods, which write the undo log. Some methods write no log entry, because
//! the step has saved what they change when it began. These are visible in this room only.

mod additions;
mod advance;
mod block_check;
mod confined_check;
mod initial;
mod inputs;
pub(crate) mod interp;
pub(crate) mod lines;
pub(crate) mod long_step;
mod pointer_check;
mod reach_check;
mod rust_start;
#[cfg(feature = "laboratory")]
pub(crate) mod snapshot;
pub mod state;
mod step;
pub mod thread;
pub(crate) mod vm;
mod watch;
