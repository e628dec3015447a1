//! SMT-LIB 2 text of assertions, to log queries and to run them again: [`write()`], and [`parse`]
//! for what it writes.
//!
//! The logic is QF_BV, with floats QF_FPBV. Inputs are constants named `i_T_N_B` (thread, ordinal,
//! piece); nodes that are used more than once, or nested deeply, are `define-fun`s. What the
//! theories have no function for is a function named `selvedge_…`, defined at the top; [`parse`]
//! knows these by name and skips their definitions.
//!
//! Floats are bit-vectors everywhere, and each operation converts (`to_fp`) and converts back with
//! `fp.to_ieee_bv`, which Z3 has and the standard has not; a NaN becomes the canonical one. C's
//! `fmod` is not `fp.rem` and has no definition: it is declared only, so other solvers may answer
//! *sat* where it matters.

mod helpers;
mod parse;
mod write;

pub use parse::{ParseError, parse};
pub use write::write;
