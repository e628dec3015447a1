//! The interface between explorers and machines.
//!
//! An explorer never sees the program, the ir or a solver. It sees a [`Machine`], which reports the
//! next action of each thread and can take steps and undo them. All data that crosses this
//! interface is plain: the input is a [`Choice`], the output is an [`Event`].

mod action;
mod allocated;
mod coverage;
mod dependence;
mod detector;
mod effect;
mod event;
mod finding;
mod held;
mod input;
mod machine;
mod op;
mod places;
mod published;
pub mod recall;
#[cfg(feature = "laboratory")]
pub mod reference;
#[cfg(feature = "laboratory")]
pub mod toy;

pub use action::{Action, BlockClass, MemoryOrder, ObjectId, Passed};
pub use allocated::{Allocated, Allocates, Blocks};
pub use coverage::{BranchCoverage, Coverage, FileCoverage, Reached};
pub use dependence::{Conflict, Dependence, Ended, Unobserved, Use};
pub use detector::{Detector, Look, NoDetector, Spin};
pub use effect::{Effect, for_each_effect};
pub use event::{Access, Choice, Event, Outcome, Part, Silent, Waiters};
pub use finding::{
    Fault, FaultKind, Finding, FindingKind, Limit, LimitKind, Notice, Property, Related, StopReason,
    Unsupported, Verdict,
};
pub use held::{CoveringClock, Held, RaceCandidate};
pub use input::{Input, InputKind};
#[cfg(feature = "laboratory")]
pub use machine::Snapshot;
pub use machine::{Describe, Fingerprint, Machine, Pending, Standing, Status, Undo, WaitsFor};
pub use op::{Needs, Op, OpClass, OpInfo, Synchronises, Varies};
pub use places::Places;
pub use published::Published;
pub use recall::{Recall, Seen};
