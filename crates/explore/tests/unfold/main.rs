//! The strategy `unfold` against slow oracles, on random toys.

#[path = "../common/mod.rs"]
mod common;

mod endless;
mod ends;
mod events;
mod mutants;
mod races;
mod stuck;
