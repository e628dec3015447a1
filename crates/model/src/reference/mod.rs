//! Brute force over every interleaving: the slow obvious oracle of everything clever.
//!
//! - [`ends`]: every reachable end (final state, deadlock) and failed assertion, by visiting every reachable state.
//! - [`traces`]: the Mazurkiewicz traces of all maximal executions under a relation, as Foata normal forms.
//! - [`check_dependence`]: whether a relation keeps what Definition 1 of Käse's paper asks of independent actions.

mod definition;
mod ends;
mod traces;

pub use definition::{Violation, check_dependence};
pub use ends::{Ends, ends};
pub use traces::{Form, Label, Trace, traces};

use crate::Undo;
use selvedge_base::ThreadId;
use std::hash::Hash;

/// A machine whose states can be told apart.
pub trait Inspect: Undo {
    /// Everything that its future depends on.
    type State: Clone + Eq + Hash;
    /// What is to be compared of a state where nothing is enabled.
    type End: Clone + Ord + Hash;
    /// The present state.
    fn state(&self) -> Self::State;
    /// The present state as an end.
    fn ending(&self) -> Self::End;
    /// A number of the thread that does not depend on the order in which threads were created.
    fn name(&self, thread: ThreadId) -> u32;
}

/// Too much for brute force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;
