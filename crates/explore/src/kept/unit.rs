//! Units of work of `dpor`: a prefix of choices, an entry of a backtrack list, what sleeps in it,
//! and how far its exploration is.

use super::RecordState;
use selvedge_model::{Choice, Limit};
use serde::{Deserialize, Serialize};

/// A whole search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchState {
    /// Whether it has sets for many threads.
    pub wide: bool,
    /// The objects that the first execution raced for, sorted, and the classes of actions that may
    /// race for them: they decide who goes first.
    pub contended: Vec<u64>,
    /// See `contended`.
    pub classes: u32,
    /// The unit that is everything, begun.
    pub root: Begun,
}

/// A part of a search that can be explored by itself: one entry of a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The choices from the initial state to the node.
    pub path: Vec<Choice>,
    /// The entry.
    pub entry: Entry,
    /// How far it is.
    pub state: UnitState,
}

/// An entry of a backtrack list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The thread that moves.
    pub thread: u16,
    /// The threads that sleep when it does.
    pub sleep: Vec<u16>,
}

/// How far a unit is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum UnitState {
    /// Nobody has begun it.
    Waiting,
    /// Somebody explores it, between two executions.
    Begun(Begun),
    /// It is explored, and what came of it was not yet added where it belongs.
    Done(Done),
}

/// A unit between two executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// The states on the present path, from the unit's own on. The child of the last one is to be
    /// taken next.
    pub nodes: Vec<NodeState>,
    /// The child of the last one is instead a unit given away, to be waited for.
    pub joins: bool,
    /// What came of it so far.
    pub product: Product,
    /// Entries of these nodes that were given away, in the order in which they were.
    pub given: Vec<GivenUnit>,
}

/// A state on the path, before one of its children.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeState {
    /// The threads that sleep when the child is taken.
    pub sleep: Vec<u16>,
    /// The threads in the backtrack list, ever.
    pub added: Vec<u16>,
    /// Where in the list the child is.
    pub cursor: u16,
    /// The child's thread.
    pub thread: u16,
    /// The child's alternative.
    pub alternative: u16,
    /// The entries after the child.
    pub later: Vec<u16>,
    /// The only child is a local action.
    pub local: bool,
    /// Some entry was given away.
    pub given: bool,
}

/// What comes of exploring a unit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// What was seen.
    pub record: RecordState,
    /// Threads to be tried at nodes above the unit, in the order in which that was asked.
    pub requests: Vec<UnitRequest>,
}

/// A request to try another thread at a node above.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitRequest {
    /// How many events lie before the node.
    pub depth: u32,
    /// The thread whose action is to come earlier.
    pub thread: u32,
    /// The threads one of which must be tried; none: all.
    pub candidates: Vec<u16>,
}

/// A unit that is explored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// What came of it.
    pub product: Product,
    /// Why it ended before its end.
    pub halt: Option<UnitHalt>,
}

/// Why a unit ended before its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum UnitHalt {
    /// By a finding, the first of which ends the search.
    Finding,
    /// By a bound.
    Limit(Limit),
}

/// An entry that was given away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenUnit {
    /// How many events lie before its node.
    pub node: u32,
    /// Its place in the node's backtrack list.
    pub place: u16,
    /// What is to be explored, and how far that is.
    pub unit: Unit,
}
