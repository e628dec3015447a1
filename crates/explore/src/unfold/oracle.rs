//! What tests ask of an exploration beyond its report: every event with its conflicts, what was
//! known where an execution ended.

pub use super::cutoff::Knowledge;
pub use super::weaken::Weaken;

use super::event::{EventId, Last, Store, causes};
use super::path::Path;
use selvedge_base::Id;
use selvedge_model::reference::EventLabel;
use selvedge_model::{Action, Choice, Detector, Fingerprint, Op, Undo};

/// How keys of cutoffs are tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keys {
    /// At least so much of the past counts.
    pub from: Knowledge,
    /// Of every cutoff it is looked for pairs with known events that race on no path: the oracle of
    /// the keys, which finds nothing more.
    pub paired: bool,
    /// What is done wrong.
    pub weaken: Weaken,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keyed {
    /// So much of the past counted in the end.
    pub knowledge: Knowledge,
    /// Whether some events were taken for such that may race.
    pub contested: bool,
    /// How many cutoffs there were.
    pub cutoffs: u64,
}

/// What an exploration knew.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watched {
    /// All known events; the causes of one have smaller numbers.
    pub events: Vec<Known>,
    /// The configurations where an execution ended, in their order.
    pub visited: Vec<Visited>,
}

/// A known event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// What it does and how it ends, under the exploration's numbers of threads; for data choices
    /// what was chosen.
    pub label: EventLabel,
    /// If it was executed: choices that lead to it, those of its causes in some order, then its
    /// own.
    pub choices: Option<Vec<Choice>>,
    /// Its immediate causes.
    pub causes: Vec<usize>,
    /// Events known to be in immediate conflict with it.
    pub conflicts: Vec<usize>,
}

/// A configuration where an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visited {
    /// Its events.
    pub events: Vec<usize>,
    /// Nothing can be added to it.
    pub maximal: bool,
    /// Events known by then whose causes it has, and not them; each with those of its events that
    /// are known to be in conflict with it.
    pub extensions: Vec<(usize, Vec<usize>)>,
}

impl Visited {
    /// What is known at the configuration of a path.
    pub(super) fn new<M, D>(store: &Store, path: &Path<M, D>, maximal: bool) -> Visited
    where
        M: Undo + Fingerprint,
        D: Detector<M>,
    {
        let clock = path.clock();
        let within = |list: &[Last]| {
            let mut last = list.iter().map(|l| l.event()).filter(|e| e.is_some());
            last.all(|e| store.contains(clock, e))
        };
        let mut visited = Visited {
            events: Vec::new(),
            maximal,
            extensions: Vec::new(),
        };
        for id in store.ids() {
            if store.contains(clock, id) {
                visited.events.push(id.index());
            } else if within(&causes(store, id)) {
                let against = store[id].conflicts.iter();
                let against = against.filter(|&&e| store.contains(clock, e)).map(|e| e.index());
                visited.extensions.push((id.index(), against.collect()));
            }
        }
        visited
    }
}

/// A known event; `choices` as there.
pub(super) fn known(
    store: &Store,
    id: EventId,
    immediate: &[EventId],
    choices: Option<Vec<Choice>>,
) -> Known {
    let numbers = |list: &[EventId]| list.iter().map(|e| e.index()).collect();
    let event = &store[id];
    let completes = event.action.op == Op::Choose && event.depth > 1 && store[event.parent].incomplete;
    let completed = || Action {
        ends: false,
        ..store[store.begun_by(event.parent)].action
    };
    let label = EventLabel {
        action: event.action,
        failed: event.ending.failed,
        decision: event.ending.decision,
        named: event.ending.named.to_vec(),
        completed: completes.then(completed),
    };
    Known {
        label,
        choices,
        causes: numbers(immediate),
        conflicts: numbers(&event.conflicts),
    }
}
