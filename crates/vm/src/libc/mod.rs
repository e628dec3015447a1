//! The C library: allocation, strings, output, process, environment, time.
//!
//! These are native models of the functions that small real programs call. Functions that need not
//! be fast (ctype, sorting, number parsing and others) are C code in the model library. A function
//! that is in neither is unsupported, by its name. There is one file for each family of functions.
//!
//! - *Invariant*: no model has state that two threads share without a visible action. Clocks
//!   advance for each thread separately. `rand` is an action on a hidden object when there are
//!   several threads.
//! - Output is the only exception, and it is harmless. Printed text is kept in the order of
//!   execution, for display only. No program can read it back. So two prints are independent and
//!   are no scheduling points. The streams lock themselves, so printing is never a data race. The
//!   *arguments* that are read from memory are ordinary accesses.
//! - An access to a range of memory is recorded as one access, and copies keep undefined bits. A
//!   comparison, a search or an output that depends on undefined bits is a fault.
//! - The environment is empty at first. The locale is "C", and the time zone is UTC.

mod alloc;
mod bytes;
mod cxx;
pub(crate) mod deadline;
mod entropy;
mod error_text;
pub(crate) mod files;
mod format;
mod format_float;
pub(crate) mod holes;
mod limited;
mod map;
mod math;
mod model;
mod open_text;
mod panic;
mod peer;
mod print;
mod process;
mod random;
mod scan;
pub(crate) mod signal;
pub(crate) mod signal_order;
pub(crate) mod stepped;
mod string;
mod time;
mod type_info;
pub(crate) mod unwind;
mod varargs;
mod verifier;

pub(crate) use cxx::{throw_system_error, unwind_thread};

use crate::native::Native;
use model::{Answer, plain};
use stepped::by_element;
pub(crate) use time::reads_clock;

/// The native model of a library function.
pub fn find(name: &str) -> Option<Native> {
    alloc::find(name)
        .or_else(|| map::find(name))
        .or_else(|| string::find(name))
        .or_else(|| print::find(name))
        .or_else(|| files::find(name))
        .or_else(|| peer::find(name))
        .or_else(|| scan::find(name))
        .or_else(|| process::find(name))
        .or_else(|| panic::find(name))
        .or_else(|| signal::find(name))
        .or_else(|| verifier::find(name))
        .or_else(|| random::find(name))
        .or_else(|| entropy::find(name))
        .or_else(|| time::find(name))
        .or_else(|| deadline::find(name))
        .or_else(|| math::find(name))
        .or_else(|| cxx::find(name))
        .or_else(|| unwind::find(name))
}
