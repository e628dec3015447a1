//! Native programs that keep to a set of schedules: rewrites a module so that its calls that
//! synchronise go to the runtime, and writes the runtime with the set as its tables.
//!
//! A module is rewritten as text, which the compiler has written and will read again. Functions are
//! renamed, stores of line numbers and a table of addresses are added, and nothing else is touched.
//!
//! [`sited`] does less: it tells a runtime of each access to memory that a schedule may name.
//!
//! # Invariants
//!
//! LLVM is not linked. What the runtime has no form of is refused by name, never left as it is.

mod foreign;
mod module;
mod objects;
mod ordered;
mod places;
mod refused;
mod sites;
mod symbol;
mod tables;

pub use foreign::{FOREIGN, FOREIGN_NAMES, Lacking, is_cxx, lacking};
pub use module::rewritten;
pub use refused::Refused;
pub use sites::{Sited, sited};
pub use tables::{Native, OnDeviation, Source, runtime};
