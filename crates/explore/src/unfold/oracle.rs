//! Information that tests need beyond the report: every event with its conflicts, and what was
//! known where an execution ended.

pub use super::past::Knowledge;
pub use super::weaken::Weaken;

use super::event::{EventId, Last, Store, causes};
use super::path::Path;
use selvedge_base::Id;
use selvedge_model::reference::EventLabel;
use selvedge_model::{Action, Choice, Detector, Fingerprint, Op, Undo};

/// Settings for tests of the keys of cutoffs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keys {
    /// The minimum part of the past that counts.
    pub from: Knowledge,
    /// If true, every cutoff is paired with known events, to find races that are on no path. This
    /// is the oracle of the keys: it must find nothing more.
    pub paired: bool,
    /// A deliberate mistake.
    pub weaken: Weaken,
}

/// The results of an exploration with these settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keyed {
    /// The part of the past that counted at the end.
    pub knowledge: Knowledge,
    /// True if some events were considered to be possible races.
    pub contested: bool,
    /// The number of cutoffs.
    pub cutoffs: u64,
}

/// The events that an exploration knew.
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
    /// The event's label, with the exploration's numbers of threads; for data choices the chosen
    /// alternative.
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
    /// True if no event can be added to it.
    pub maximal: bool,
    /// The events known at that time that are not in it, but whose causes are; each with the events
    /// of the configuration that are known to be in conflict with it.
    pub extensions: Vec<(usize, Vec<usize>)>,
}

impl Visited {
    /// The knowledge at the configuration of a path.
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

/// A known event; for `choices` see [`Known::choices`].
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
