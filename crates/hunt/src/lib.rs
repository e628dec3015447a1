//! Differential testing: random C programs with threads are decided by an independent enumerator
//! and by selvedge ([docs/hunt.md]).
//!
//! The generator makes trees. The enumerator interprets the trees: all states, all orders, all
//! inputs, with whole states as keys. The printer writes the trees as C; clang compiles them, and
//! the product checks them in several ways. If the two disagree, one of them is wrong.
//!
//! *Invariant*: no part of the product determines the expected results: not its machine, nor its
//! dependence relation, nor its detectors.
//!
//! [docs/hunt.md]: https://github.com/selvedge/selvedge/blob/main/docs/hunt.md

#![allow(missing_docs)]

pub mod code;
pub mod compare;
pub mod generate;
pub mod print;
pub mod product;
pub mod program;
pub mod random;
pub mod shrink;
pub mod spins;
pub mod state;
pub mod step;
pub mod truth;
pub mod work;
