//! Symbolic execution: inputs that may have any value, the conditions under which a path is taken,
//! and what the interpreter does where a value decides something (design: machine.md, "Symbolic
//! execution").
//!
//! A decision with more than one possible outcome is a data choice: the thread stops before the
//! instruction with the pending action `Choose`, one alternative an outcome, and the instruction is
//! executed again after one was chosen, now with a path condition that leaves one outcome. A data
//! choice never separates a transition: strategies take it at once, before any other thread moves
//! (`explore`), so it is as if the outcome had been known.
//!
//! A canonical machine is for explorers that name events by their causes: there, which decisions
//! are data choices follows from the deciding thread's past alone, and other threads may move
//! before a pending one is taken.

mod access;
mod decide;
mod freeze;
mod input;
mod ops;
mod path;
mod solving;
mod wide;

pub(crate) use access::Reached;
pub(crate) use decide::Possible;
pub(crate) use input::Source;
pub(crate) use ops::{Operand, binary, extend, shift_in_range, truncate};
pub(crate) use path::{Arm, Asked, Begun, EVERYBODY, Path, known_to};
pub(crate) use solving::{LazySolver, solver_options};
