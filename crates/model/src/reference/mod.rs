//! Brute force over every interleaving: the slow and simple oracle of every clever algorithm.
//!
//! While an action is [incomplete](crate::Machine::is_incomplete), no other thread moves. Where
//! events are compared by a relation on labels, only events that do not depend on that action are
//! taken.
//!
//! - [`ends()`]: every reachable end (final state, deadlock) and failed assertion, by visiting
//!   every reachable state.
//! - [`stuck()`]: every thread that waits for ever beside others that run for ever.
//! - [`traces()`]: the Mazurkiewicz traces of all maximal executions under a relation, as Foata
//!   normal forms.
//! - [`Unfolding`]: all events and configurations of a small system, under a relation on events
//!   with their outcomes.
//! - [`count_traces`]: the number of traces under such a relation, counted in another way.
//! - [`check_dependence`]: whether a relation satisfies the conditions of Definition 1 of Käse's
//!   paper for independent actions.
//! - [`check_labels`]: the same for such a relation on events.

mod definition;
mod ends;
mod label;
mod label_definition;
mod label_traces;
mod stuck;
mod traces;
mod unfolding;

pub use definition::{Violation, check_dependence};
pub use ends::{Ends, ends};
pub use label::{EventLabel, EventName};
pub use label_definition::{LabelViolation, check_labels};
pub use label_traces::count_traces;
pub use stuck::stuck;
pub use traces::{Form, Label, Trace, traces};
pub use unfolding::{Configuration, EventSet, Refused, Unfolding, UnfoldingEvent};

use crate::{Action, Undo};
use selvedge_base::ThreadId;
use std::hash::Hash;

/// A machine whose states can be compared.
pub trait Inspect: Undo {
    /// Everything that its future depends on.
    type State: Clone + Eq + Hash;
    /// The part of a state without enabled threads that is compared.
    type End: Clone + Ord + Hash;
    /// The present state.
    fn state(&self) -> Self::State;
    /// The present state as an end.
    fn ending(&self) -> Self::End;
    /// A number of the thread that does not depend on the order in which threads were created.
    fn name(&self, thread: ThreadId) -> u32;
    /// The action of a thread that is [incomplete](crate::Machine::is_incomplete).
    fn begun(&self, thread: ThreadId) -> Option<Action>;
}

/// Too much for brute force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;
