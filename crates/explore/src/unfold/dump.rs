//! The unfolding as plain data, for display.

use super::event::{Clock, EventId, Last, Store, causes};
use selvedge_base::Id;
use selvedge_model::Choice;
use smallvec::SmallVec;

/// The executed events and the relations between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unfolding {
    /// The events in the order in which they became known: causes before effects. An event's number
    /// is its position, from 0.
    pub events: Vec<Shown>,
}

/// An event of the unfolding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The hierarchical name of its thread.
    pub thread: String,
    /// Its position within its thread, from 1.
    pub depth: u32,
    /// Choices that lead to it: those of its causes in some order, then its own.
    pub choices: Vec<Choice>,
    /// Its immediate causes.
    pub causes: Vec<usize>,
    /// The events in immediate conflict with it.
    pub conflicts: Vec<usize>,
    /// For a cutoff: what has the same state.
    pub cutoff: Option<Twin>,
}

/// What leads to the same state as a cutoff, with fewer events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Twin {
    /// The initial state.
    Initial,
    /// This event.
    Event(usize),
}

/// The numbers of the executed events; `None` if there are more than `most`.
pub fn numbers(store: &Store, most: usize) -> Option<Vec<Option<usize>>> {
    let mut next = 0;
    let all = (0..store.len()).map(EventId::from_index);
    let numbers = all.map(|id| {
        store[id].executed.then(|| {
            next += 1;
            next - 1
        })
    });
    let numbers = numbers.collect();
    (next <= most).then_some(numbers)
}

/// An event as plain data. `twin`: the event with the same state, for a cutoff; `None` means the
/// initial state.
pub fn shown(
    store: &Store,
    names: &[String],
    numbers: &[Option<usize>],
    id: EventId,
    choices: Vec<Choice>,
    twin: Option<EventId>,
) -> Shown {
    let known = |list: &[EventId]| -> Vec<usize> {
        let mut known: Vec<usize> = list.iter().filter_map(|e| numbers[e.index()]).collect();
        known.sort_unstable();
        known
    };
    let event = &store[id];
    let twin = twin
        .and_then(|e| numbers[e.index()])
        .map_or(Twin::Initial, Twin::Event);
    Shown {
        thread: names
            .get(event.action.thread.index())
            .cloned()
            .unwrap_or_default(),
        depth: event.depth,
        choices,
        causes: known(&immediate_causes(store, id)),
        conflicts: known(&event.conflicts),
        cutoff: event.cutoff.then_some(twin),
    }
}

/// The causes of an event that are not causes of another cause.
pub fn immediate_causes(store: &Store, event: EventId) -> Vec<EventId> {
    let all: Clock = causes(store, event);
    let last: SmallVec<[EventId; 8]> = all
        .iter()
        .map(|l: &Last| l.event())
        .filter(|e| e.is_some())
        .collect();
    let under = |e: EventId| {
        last.iter()
            .any(|&other| other != e && store.contains(&store[other].clock, e))
    };
    let mut found: Vec<EventId> = last.iter().copied().filter(|&e| !under(e)).collect();
    found.sort_unstable();
    found
}
