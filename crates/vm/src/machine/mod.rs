//! The machine itself: the state with its undo log, threads, the interpreter, and [`vm::Vm`], which
//! steps.
//!
//! The walls of this room: `state` keeps its fields to itself. Models (`sync`, `libc`, `native`)
//! change the state through its methods, which write the undo log; methods that write nothing down,
//! since the step has saved what they change when it began, are for this room only.

mod initial;
pub(crate) mod interp;
#[cfg(feature = "laboratory")]
pub(crate) mod snapshot;
pub mod state;
pub mod thread;
pub(crate) mod vm;
pub(crate) mod watch;
