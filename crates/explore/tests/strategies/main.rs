//! The strategies, and what changes how they explore, against slow oracles, on random toys.
//!
//! One program: each of these modules makes the same explorations of the same toys from generic
//! code, which is compiled once here.

#[path = "../common/mod.rs"]
mod common;

mod dpor;
mod kept;
mod mutants;
mod observers;
mod parallel;
mod parts;
mod recalled_races;
mod refined;
mod sections;
mod stateful;
mod turns;
