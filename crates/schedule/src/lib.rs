//! The text format of a schedule: which thread moves when, as plain data that people can read and
//! edit.
//!
//! A schedule contains everything that is needed to repeat one execution: the inputs, the options
//! that change what a step is, and the choices in order. Threads are named hierarchically (the k-th
//! thread that T creates is `T.k`; main is `0`), so a schedule does not depend on how creations
//! were interleaved. A replay resolves the names as threads are created.
//!
//! ```text
//! selvedge-schedule 1
//! input bank.c
//! option visibility sync
//! step 0 0 pthread_create(&a, …)
//! step 0.1 0 pthread_mutex_lock(&from)
//! ```
//!
//! Each line holds one item. `#` begins a comment line; `\n`, `\r` and `\\` are escaped. Parsing
//! never panics, and `schedule.to_string().parse()` returns the same schedule.

pub mod cover;
mod parse;
mod print;
mod schedule;
mod site;

pub use parse::{ParseError, Problem};
pub use schedule::{Schedule, Step, is_thread_name};
pub use site::site;

/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// The first word of the first line.
pub(crate) const MAGIC: &str = "selvedge-schedule";
