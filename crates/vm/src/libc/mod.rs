//! The C library: allocation, strings, output, process, environment, time.
//!
//! Native models of what small real programs call; ctype, sorting, number parsing and other
//! functions that are not hot are C code in the model library instead, and what is in neither is
//! unsupported by its name. One file a family.
//!
//! - No model has hidden state that two threads share without a visible action: clocks advance for
//!   each thread separately, `rand` is an action on a hidden object once there are several threads.
//! - Output is an exception, and a harmless one: what the program prints is kept in the order of
//!   execution, for display only. No program can read it back, so two prints are independent and no
//!   scheduling points. The streams lock themselves, so printing is never a data race; the
//!   *arguments* that are read from memory are ordinary accesses.
//! - A range of memory is recorded as one access, and what is copied keeps its undefined bits. A
//!   comparison, a search or an output that depends on them is the fault.
//! - The environment is empty, locale and time zone are "C" and UTC.

mod alloc;
mod bytes;
mod cxx;
mod entropy;
mod error_text;
pub(crate) mod files;
mod format;
mod format_float;
pub(crate) mod holes;
mod map;
mod math;
mod model;
mod open_text;
mod print;
mod process;
mod random;
mod scan;
pub(crate) mod signal;
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

/// The native model of a library function.
pub fn find(name: &str) -> Option<Native> {
    alloc::find(name)
        .or_else(|| map::find(name))
        .or_else(|| string::find(name))
        .or_else(|| print::find(name))
        .or_else(|| files::find(name))
        .or_else(|| scan::find(name))
        .or_else(|| process::find(name))
        .or_else(|| signal::find(name))
        .or_else(|| verifier::find(name))
        .or_else(|| random::find(name))
        .or_else(|| entropy::find(name))
        .or_else(|| time::find(name))
        .or_else(|| math::find(name))
        .or_else(|| cxx::find(name))
        .or_else(|| unwind::find(name))
}
