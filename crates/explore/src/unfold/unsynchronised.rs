//! Whether a program's dependences are synchronisation.
//!
//! An event after a cutoff is explored elsewhere, after another past: there its causes may be
//! others. So it does not do to look at the events that were explored, whether each knows of its
//! causes. What is the same everywhere is what threads do to which objects. Here an object is
//! *unsynchronised* if two threads use it in ways that are dependent, and the later one need not
//! know by happens-before of what the earlier one did: memory, failing tries, semaphores, signals
//! without the mutex of the waiters, output. If there is none, then whatever comes after an event
//! by dependence knows of all its causes.

use super::event::{Event, EventId, Store};
use super::weaken::Weaken;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Effect, Op, OpClass, Synchronises};

/// How an object is used.
#[derive(Default)]
struct Object {
    threads: FxHashSet<ThreadId>,
    /// In a way that may come after another use, or before one, without synchronisation; if two
    /// threads use it.
    unsynchronised: bool,
    /// Of a condition variable: the mutexes of its waits.
    mutexes: FxHashSet<u64>,
    /// What those who signalled it held, each time.
    signals: FxHashSet<Vec<u64>>,
    /// Of a barrier: how many it waits for, if a round was seen to end; whether threads arrive
    /// there.
    count: Option<usize>,
    arrive: bool,
}

impl Object {
    fn is_unsynchronised(&self, whole: bool) -> bool {
        let unguarded = || {
            let without = |held: &Vec<u64>| self.mutexes.iter().any(|m| !held.contains(m));
            self.signals.iter().any(without)
        };
        let rounds = || self.arrive && self.count.map_or(whole, |count| count < self.threads.len());
        // Who waits with one mutex need not know of who waits with another.
        let mixed = self.mutexes.len() > 1;
        self.threads.len() > 1 && (self.unsynchronised || mixed || unguarded() || rounds())
    }
}

/// Whether some object is unsynchronised. `held`: the mutexes that its thread holds at an event.
/// `whole`: the exploration is finished.
pub fn any_unsynchronised(store: &Store, whole: bool, held: impl Fn(EventId) -> Vec<u64>) -> bool {
    let mut objects: FxHashMap<u64, Object> = FxHashMap::default();
    let creators = store.creators();
    for id in store.ids().filter(|&id| store[id].executed) {
        let event = &store[id];
        if releases_unsynchronised(event) {
            return true;
        }
        if is_set_up(event, &creators) {
            continue;
        }
        for used in &event.uses {
            let object = objects.entry(used.object).or_default();
            object.threads.insert(event.action.thread);
            note(object, event, used.effect, || held(id));
        }
    }
    objects.values().any(|object| object.is_unsynchronised(whole))
}

fn note(object: &mut Object, event: &Event, effect: Effect, held: impl Fn() -> Vec<u64>) {
    let failed = event.ending.failed;
    match effect {
        Effect::Write | Effect::Take | Effect::Total => object.unsynchronised = true,
        // With which mutex it waits: it holds that one.
        Effect::Test if event.action.op.class() == OpClass::Wait => {}
        Effect::Test => object.unsynchronised = true,
        Effect::Own | Effect::Share | Effect::Join | Effect::Arrive if failed => object.unsynchronised = true,
        Effect::Own | Effect::Share | Effect::Join | Effect::Exit => {}
        Effect::Read | Effect::Post | Effect::Leave | Effect::WokenOf => {}
        Effect::Wait | Effect::WaitOf => {
            object.mutexes.insert(event.action.object2.0);
        }
        Effect::Wake | Effect::WakeAll | Effect::WakeOf | Effect::Lost => {
            object.signals.insert(held());
        }
        Effect::Arrive => {
            object.arrive = true;
            let named = event.ending.named.len();
            if named > 0 {
                let count = object.count.unwrap_or(named + 1);
                object.count = Some(count.min(named + 1));
            }
        }
    }
}

/// Whether the event orders a thread after it that need not learn from it.
fn releases_unsynchronised(event: &Event) -> bool {
    // A thread's end lets go who joins it.
    !event.action.op.teaches_named()
        && !event.action.ends
        && event.action.op != Op::Exit
        && !event.ending.named.is_empty()
}

/// The objects that are set up, or destroyed, while other threads may use them: what was done
/// before is not known to who uses them afterwards.
pub fn unsettled(store: &Store) -> FxHashSet<u64> {
    if store.weaken.is(Weaken::SetUp) {
        return FxHashSet::default();
    }
    let creators = store.creators();
    let executed = store.ids().map(|id| &store[id]).filter(|e| e.executed);
    let sets_up = |e: &&Event| e.action.op.info().synchronises == Synchronises::SetUp;
    let events = executed.filter(sets_up).filter(|e| !is_set_up(e, &creators));
    events
        .flat_map(|e| e.uses.iter().map(|used| used.object))
        .collect()
}

/// By thread who created it, if anybody, and how many that one had created before.
type Creators = [(Option<ThreadId>, u32)];

/// Whether everybody knows of the event: it comes before all creations, or after all ends.
fn is_set_up(event: &Event, creators: &Creators) -> bool {
    if !matches!(event.action.op, Op::Init | Op::Destroy) {
        return false;
    }
    let own = event.action.thread.index();
    let knows = |thread: usize| event.knows.get(thread).copied().unwrap_or(0);
    match event.action.op {
        Op::Init => {
            let alone = creators.iter().filter(|(creator, _)| creator.is_none()).count() == 1;
            event.spawned == 0 && alone && creators[own].0.is_none()
        }
        _ => {
            let mut others = event.clock.iter().enumerate();
            creators.len() == event.clock.len()
                && others.all(|(thread, last)| thread == own || last.depth() <= knows(thread))
        }
    }
}
