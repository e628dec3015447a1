//! Symbolic execution: inputs that may have any value, the conditions under which a path is taken,
//! and the decisions of the interpreter on symbolic values (docs/symbolic.md).
//!
//! A decision with more than one possible outcome is a data choice. The thread stops before the
//! instruction with the pending action `Choose`, which has one alternative for each outcome. After
//! an alternative was chosen, the instruction is executed again, now with a path condition that
//! leaves one outcome. A data choice never splits a transition: strategies take it at once, before
//! any other thread moves (`explore`), as if the outcome had been known.
//!
//! A canonical machine is for explorers that name events by their causes. There, which decisions
//! are data choices follows from the deciding thread's past alone, and other threads may move
//! before a pending data choice is taken.

mod access;
mod clock;
mod decide;
mod freeze;
mod input;
mod ops;
mod path;
mod solving;
mod source;
mod unwritten;
mod values;
mod wide;

pub(crate) use access::Reached;
pub(crate) use clock::{is_time, relative};
pub(crate) use decide::Possible;
pub(crate) use ops::{Operand, binary, extend, shift_in_range, truncate};
pub(crate) use path::{Arm, Asked, Begun, EVERYBODY, Path, known_to};
pub(crate) use solving::LazySolver;
pub(crate) use source::Source;
pub(crate) use unwritten::MEMORY;
