//! Which beginnings and ends of synchronisation objects (`Init`, `Destroy`) are ordered with all
//! other uses of their object, whatever else happens.
//!
//! Two events of different threads are *apart* if one comes before the creation of the other's
//! thread, or after its own thread has joined the other's. This follows from their threads, the
//! number of threads that each has created, and the threads that each has joined; for each event of
//! any execution, an event with the same of these was executed (docs/algorithms.md, "Races where
//! cutoffs are"). So a set-up that is apart from all known uses of its object by other threads is
//! apart from all uses.

use super::event::{Event, EventId, Store};
use super::weaken::Weaken;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, ThreadId};
use selvedge_model::Synchronises;

/// For each thread its creator, if any, and the number of threads that the creator had created
/// before.
pub type Creators = [(Option<ThreadId>, u32)];

/// Where an event stands among creations and joins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Standing {
    pub thread: ThreadId,
    /// The number of threads that its thread has created.
    pub spawned: u32,
    /// The number of the set of threads that its thread has joined, and has not begun again.
    pub joined: u32,
}

impl Standing {
    /// True if it comes before the creation of a thread, or of a creator of that thread.
    pub fn is_before(&self, mut thread: ThreadId, creators: &Creators) -> bool {
        while let Some(&(Some(creator), ordinal)) = creators.get(thread.index()) {
            if creator == self.thread {
                return ordinal >= self.spawned;
            }
            thread = creator;
        }
        false
    }
}

/// The set-ups that are not apart from a use of their object.
#[derive(Default)]
pub struct SetUps {
    events: FxHashSet<EventId>,
    objects: FxHashSet<u64>,
}

impl SetUps {
    /// `standing`: of each event. `has_joined`: that a thread was joined, and no other thread ever
    /// joins it.
    pub fn new(
        store: &Store,
        creators: &Creators,
        standing: impl Fn(EventId) -> Standing,
        has_joined: impl Fn(&Standing, ThreadId) -> bool,
    ) -> Self {
        let mut all = SetUps::default();
        if store.weaken.is(Weaken::SetUp) {
            return all;
        }
        let executed = || store.ids().filter(|&id| store[id].executed);
        let set_ups: Vec<EventId> = executed().filter(|&id| sets_up(&store[id])).collect();
        if set_ups.is_empty() {
            return all;
        }
        let mut uses: FxHashMap<u64, FxHashSet<Standing>> = FxHashMap::default();
        for used in set_ups.iter().flat_map(|&id| &store[id].uses) {
            uses.entry(used.object).or_default();
        }
        for id in executed() {
            for used in &store[id].uses {
                if let Some(of) = uses.get_mut(&used.object) {
                    of.insert(standing(id));
                }
            }
        }
        for id in set_ups {
            if is_last(store, &store[id], creators) {
                continue;
            }
            let own = standing(id);
            let apart = |other: &Standing| {
                own.thread == other.thread
                    || own.is_before(other.thread, creators)
                    || other.is_before(own.thread, creators)
                    || has_joined(&own, other.thread)
                    || has_joined(other, own.thread)
            };
            for used in &store[id].uses {
                if !uses[&used.object].iter().all(apart) {
                    all.events.insert(id);
                    all.objects.insert(used.object);
                }
            }
        }
        all
    }

    /// True if an event is a set-up that is apart from all other uses of its objects.
    pub fn is_apart(&self, store: &Store, event: EventId) -> bool {
        sets_up(&store[event]) && !self.events.contains(&event)
    }

    /// True if some set-up of an object is not apart from another use. A thread that uses the
    /// object afterwards need not know of the earlier uses.
    pub fn is_unsettled(&self, object: u64) -> bool {
        self.objects.contains(&object)
    }
}

fn sets_up(event: &Event) -> bool {
    event.action.op.info().synchronises == Synchronises::SetUp
}

/// True if the event comes after the ends of all other threads.
fn is_last(store: &Store, event: &Event, creators: &Creators) -> bool {
    let own = event.action.thread.index();
    let knows = |thread: usize| event.knows.get(thread).copied().unwrap_or(0);
    let mut others = event.clock.iter().enumerate();
    creators.len() == event.clock.len()
        && others.all(|(thread, last)| {
            let ended = || store[last.event()].ends_thread();
            thread == own || last.depth() != 0 && last.depth() <= knows(thread) && ended()
        })
}
