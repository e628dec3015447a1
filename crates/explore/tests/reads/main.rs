//! The strategy `reads` against brute force, on random toys: ends without the values of variables,
//! failed assertions, and each execution graph once.

#[path = "../common/mod.rs"]
mod common;

mod counts;
mod mutants;
mod races;
mod random;
