//! Execution graphs: program order and reads-from.
//!
//! An event is known by its *cone*: itself, and all events before it by program order, reads-from
//! and the creation of threads. Its [`Digest`] is one of the cone. A graph has, for each thread, a
//! prefix of what the thread does, so a set of events that contains their cones is a list of
//! counts ([`Frontier`]).
//!
//! There is no order of the writes to a location: consistency asks whether one exists.

use selvedge_base::{Digest, Domain};
use selvedge_model::Action;
use smallvec::SmallVec;
use std::rc::Rc;

/// The number of a location ([`Locations`](super::parts::Locations)).
pub type Location = u32;

/// The place of an event in a graph: the name of its thread, and its position there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    pub thread: u32,
    pub index: u32,
}

/// The event from which a location is read; `None` for the initial value.
pub type Source = Option<At>;

/// A location whose last write, in the whole execution, is to be this one.
pub type Last = (Location, Source);

/// How an event uses a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub location: Location,
    /// The source, if the event reads the location.
    pub reads: Option<Source>,
    pub writes: bool,
}

/// For each thread, by name, how many of its events are in a set. Threads beyond the end have none.
pub type Frontier = Vec<u32>;

/// What was decided where an action had alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decision {
    pub decision: u128,
    pub outcome: u128,
}

/// An event.
#[derive(Debug)]
pub struct Event {
    pub at: At,
    /// The action, with names of threads.
    pub action: Action,
    pub parts: SmallVec<[Part; 2]>,
    pub decision: Decision,
    /// The event's cone, without the event itself.
    pub before: Frontier,
    /// A digest of the cone.
    pub digest: Digest,
}

/// The names of cones.
static CONE: Domain = Domain::new("cone of an execution graph");

impl Event {
    /// An event after the events of a graph. `parent`: the creation of its thread.
    pub fn new(
        graph: &Graph,
        (at, parent): (At, Option<At>),
        action: Action,
        parts: SmallVec<[Part; 2]>,
        decision: Decision,
    ) -> Event {
        let mut before = Frontier::new();
        let mut words = vec![
            u64::from(at.thread) << 32 | u64::from(at.index),
            action.op as u64,
            action.object.0,
            action.object2.0,
            u64::from(action.size) << 32 | u64::from(action.stmt.0),
        ];
        for half in [decision.decision, decision.outcome] {
            words.extend([half as u64, (half >> 64) as u64]);
        }
        let mut follows = |event: Source, words: &mut Vec<u64>| {
            let Some(event) = event.and_then(|at| graph.event(at)) else {
                return words.push(0);
            };
            words.extend(event.digest.words());
            join(&mut before, &event.before);
            include(&mut before, event.at);
        };
        let last = at.index.checked_sub(1).map(|index| At { index, ..at });
        follows(last.or(parent), &mut words);
        for part in &parts {
            words.push(
                u64::from(part.location) << 2 | u64::from(part.reads.is_some()) << 1 | u64::from(part.writes),
            );
            if let Some(source) = part.reads {
                follows(source, &mut words);
            }
        }
        Event {
            digest: Digest::of_words(&CONE, &words),
            at,
            action,
            parts,
            decision,
            before,
        }
    }

    /// True if the event at a place is in the cone, and is not this event.
    pub fn follows(&self, other: At) -> bool {
        count(&self.before, other.thread) > other.index
    }

    /// The locations that it writes.
    pub fn written(&self) -> impl Iterator<Item = Location> {
        self.parts
            .iter()
            .filter(|part| part.writes)
            .map(|part| part.location)
    }

    /// True if it writes a location.
    pub fn writes(&self, location: Location) -> bool {
        self.written().any(|written| written == location)
    }
}

/// The number of events of a thread in a set.
pub fn count(set: &[u32], thread: u32) -> u32 {
    set.get(thread as usize).copied().unwrap_or(0)
}

/// Adds a set to another.
pub fn join(set: &mut Frontier, other: &[u32]) {
    if set.len() < other.len() {
        set.resize(other.len(), 0);
    }
    for (mine, theirs) in set.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Adds an event, and those before it in its thread.
pub fn include(set: &mut Frontier, at: At) {
    let thread = at.thread as usize;
    if set.len() <= thread {
        set.resize(thread + 1, 0);
    }
    set[thread] = set[thread].max(at.index + 1);
}

/// An execution graph. *Invariant*: it contains the cone of each of its events.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    threads: Vec<Vec<Rc<Event>>>,
    len: usize,
}

impl Graph {
    /// The number of events.
    pub fn len(&self) -> usize {
        self.len
    }

    /// For each thread, by name, its events.
    pub fn threads(&self) -> &[Vec<Rc<Event>>] {
        &self.threads
    }

    /// The event at a place.
    pub fn event(&self, at: At) -> Option<&Rc<Event>> {
        self.threads.get(at.thread as usize)?.get(at.index as usize)
    }

    /// The number of events of a thread.
    pub fn count(&self, thread: u32) -> u32 {
        self.threads
            .get(thread as usize)
            .map_or(0, |events| events.len() as u32)
    }

    /// All events.
    pub fn events(&self) -> impl Iterator<Item = &Rc<Event>> {
        self.threads.iter().flatten()
    }

    /// All events, as a set.
    pub fn frontier(&self) -> Frontier {
        self.threads.iter().map(|events| events.len() as u32).collect()
    }

    /// Adds an event, which is the next one of its thread.
    pub fn push(&mut self, event: Rc<Event>) {
        let thread = event.at.thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, Vec::new);
        }
        assert_eq!(
            self.threads[thread].len(),
            event.at.index as usize,
            "the next of its thread"
        );
        self.threads[thread].push(event);
        self.len += 1;
    }

    /// The graph with one more event.
    #[must_use]
    pub fn with(&self, event: Rc<Event>) -> Graph {
        let mut graph = self.clone();
        graph.push(event);
        graph
    }

    /// The part of the graph that is in a set.
    #[must_use]
    pub fn restricted(&self, set: &[u32]) -> Graph {
        let kept = |(thread, events): (usize, &Vec<Rc<Event>>)| {
            events[..events.len().min(count(set, thread as u32) as usize)].to_vec()
        };
        let threads: Vec<Vec<Rc<Event>>> = self.threads.iter().enumerate().map(kept).collect();
        let len = threads.iter().map(Vec::len).sum();
        Graph { threads, len }
    }

    /// What tells graphs apart.
    pub fn digest(&self) -> Digest {
        let last = self.threads.iter().filter_map(|events| events.last());
        let words: Vec<u64> = last.flat_map(|event| event.digest.words()).collect();
        Digest::of_words(&CONE, &words)
    }

    /// The events that write a location.
    pub fn writers(&self, location: Location) -> impl Iterator<Item = &Rc<Event>> {
        self.events().filter(move |event| event.writes(location))
    }
}
