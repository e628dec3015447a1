//! Toy programs: tiny concurrent systems written as data, on which explorers are tested before C
//! programs.
//!
//! The format and the meaning of each operation are those of the independent oracle in Python, so
//! that both can be compared. [`ToyOp`] lists the additions here.

mod act;
mod channel;
mod compile;
mod decide;
mod describe;
mod forgetting;
mod generate;
mod inputs;
mod machine;
mod mixed;
mod next;
mod ordered;
mod program;
mod shrink;

pub use forgetting::{forgetting_toy, set_up_toy};
pub use generate::{Families, endless, random_toy};
pub use inputs::{endless_input_toy, input_toy, sharing_toy};
pub use machine::{ToyEnd, ToyMachine, ToyState};
pub use mixed::{mixed_toy, waking_toy, with_touches};
pub use ordered::ordered_toy;
pub use program::{Operand, Toy, ToyOp};
pub use shrink::shrink;
