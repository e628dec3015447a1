//! Units of work of `dpor`: a prefix of choices, an entry of a backtrack list, its sleep set, and
//! the progress of its exploration.

use super::RecordState;
use selvedge_model::{Choice, Limit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A whole search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchState {
    /// True if its sets are for many threads.
    pub wide: bool,
    /// The contended objects that the first execution found, sorted, and the classes of actions
    /// that may race for them. They decide which thread goes first.
    pub contended: Vec<u64>,
    /// See `contended`.
    pub classes: u32,
    /// The unit of the whole search.
    pub root: Begun,
}

/// A part of a search that can be explored separately: one entry of a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The choices from the initial state to the node.
    pub path: Vec<Choice>,
    /// The entry.
    pub entry: Entry,
    /// The progress.
    pub state: UnitState,
}

/// An entry of a backtrack list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The thread that moves.
    pub thread: u16,
    /// The sleep set when this thread moves.
    pub sleep: Vec<u16>,
}

/// The progress of a unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum UnitState {
    /// No worker has begun it.
    Waiting,
    /// It was begun. This is its state between two executions.
    Begun(Begun),
    /// It is explored, and its results were not yet added to the unit above.
    Done(Done),
}

/// A unit between two executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// The states on the present path, beginning with the unit's own. The selected child of the
    /// last one is taken next.
    pub nodes: Vec<NodeState>,
    /// True if the child of the last state is a unit that was given away, and its result has to be
    /// waited for.
    pub joins: bool,
    /// The results so far.
    pub product: Product,
    /// Entries of these nodes that were given away, in the order in which this happened.
    pub given: Vec<GivenUnit>,
}

/// A state on the path, before its selected child is taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeState {
    /// The sleep set when the child is taken.
    pub sleep: Vec<u16>,
    /// All threads that were ever added to the backtrack list.
    pub added: Vec<u16>,
    /// The position of the child in the list.
    pub cursor: u16,
    /// The child's thread.
    pub thread: u16,
    /// The child's alternative.
    pub alternative: u16,
    /// The entries after the child.
    pub later: Vec<u16>,
    /// The only child is a local action.
    pub local: bool,
    /// True if some entry was given away.
    pub given: bool,
}

/// The results of exploring a unit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// What was found and counted.
    pub record: RecordState,
    /// Threads to be explored from nodes above the unit, in the order of the requests.
    pub requests: Vec<UnitRequest>,
}

/// A request to explore another thread from a node above.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitRequest {
    /// The number of events before the node.
    pub depth: u32,
    /// The thread whose action has to come earlier.
    pub thread: u32,
    /// The threads of which one must be explored; empty means all.
    pub candidates: Vec<u16>,
}

/// An explored unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The results.
    pub product: Product,
    /// The reason why it ended early, if it did.
    pub halt: Option<UnitHalt>,
}

/// The reason why a unit ended early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum UnitHalt {
    /// A finding, where the first finding ends the search.
    Finding,
    /// A limit.
    Limit(Limit),
    /// The sections of these mutexes must not be one event each, by
    /// [`ObjectId`](selvedge_model::ObjectId).
    Refused(BTreeSet<u64>),
}

/// An entry that was given away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenUnit {
    /// The number of events before its node.
    pub node: u32,
    /// Its position in the node's backtrack list.
    pub place: u16,
    /// The unit to be explored, and its progress.
    pub unit: Unit,
}
