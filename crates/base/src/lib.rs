//! The basis of all other rooms: typed ids, dense maps, interning, places in source text, vector
//! clocks, sets of threads, digests of states, the request to stop. It has no I/O, no globals, and
//! no dependency on any other crate of Selvedge.

mod clock;
mod digest;
mod for_tests;
mod id;
mod intern;
mod span;
mod stop;
mod thread_set;

// For the code that `id_type!` makes in other crates.
#[doc(hidden)]
pub use serde;

pub use clock::VectorClock;
pub use digest::{Digest, Domain};
pub use for_tests::{ForTests, IS_LABORATORY};
#[cfg(feature = "laboratory")]
pub use for_tests::{turn, usual_or_long};
pub use id::{Id, IdVec};
pub use intern::Interner;
pub use span::{FileId, Location, Span};
pub use stop::StopFlag;
pub use thread_set::ThreadSet;

id_type! {
    /// A thread, numbered from 0 (main) in the order of creation within one execution. Replaying
    /// the same choices gives the same numbers; its interleaving-independent name is hierarchical
    /// (`0.2.1`).
    pub struct ThreadId(u16), "t";
    /// A statement of the program under test: (function, ordinal) in the module as it was read.
    pub struct StmtId(u32), "s";
    /// An interned calling context: the list of call statements that lead to a place.
    pub struct ContextId(u32), "ctx";
}
