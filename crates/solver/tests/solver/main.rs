//! Solvers against truth tables, against evaluation and against each other.

mod bits;
mod layers;
mod random;
mod text;
mod z3;
