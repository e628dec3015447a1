//! Decides whether all dependences of a program are synchronisation.
//!
//! An event after a cutoff is explored elsewhere, after another past, where its causes may be
//! different. So it is not enough to check for explored events whether each knows its causes. What
//! is the same everywhere is which threads perform which operations on which objects. Here an
//! object is *unsynchronised* if two threads perform dependent operations on it, and the later one
//! need not know by happens-before what the earlier one did: memory, failing tries, semaphores,
//! signals without the mutex of the waiters, output. If there is no such object, then every event
//! knows all its causes by happens-before.

use super::event::{Event, EventId, Store};
use super::set_ups::SetUps;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::ThreadId;
use selvedge_model::{Effect, Op, OpClass};

/// The uses of an object.
#[derive(Default)]
struct Object {
    threads: FxHashSet<ThreadId>,
    /// True if a use may be ordered before or after another thread's use without synchronisation.
    unsynchronised: bool,
    /// For a condition variable: the mutexes of its waits.
    mutexes: FxHashSet<u64>,
    /// For each signal, the mutexes that its thread held.
    signals: FxHashSet<Vec<u64>>,
    /// For a barrier: the number of threads for which it waits, if the end of a round was seen; and
    /// whether threads arrive there.
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
        // A thread that waits with one mutex need not know of a thread that waits with another.
        let mixed = self.mutexes.len() > 1;
        self.threads.len() > 1 && (self.unsynchronised || mixed || unguarded() || rounds())
    }
}

/// True if some object is unsynchronised. `held`: the mutexes that its thread holds at an event.
/// `whole`: the exploration is finished.
pub fn any_unsynchronised(
    store: &Store,
    whole: bool,
    set_ups: &SetUps,
    held: impl Fn(EventId) -> Vec<u64>,
) -> bool {
    let mut objects: FxHashMap<u64, Object> = FxHashMap::default();
    for id in store.ids().filter(|&id| store[id].executed) {
        let event = &store[id];
        if releases_unsynchronised(event) {
            return true;
        }
        if set_ups.is_apart(store, id) {
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
        Effect::Write | Effect::Add | Effect::Take | Effect::Total => object.unsynchronised = true,
        Effect::Sent | Effect::Received => object.unsynchronised = true,
        // The use tells the mutex of the wait; the thread holds it.
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

/// True if the event orders another thread after it, and that thread need not acquire from it.
fn releases_unsynchronised(event: &Event) -> bool {
    // A thread's end enables the thread that joins it.
    !event.action.op.teaches_named()
        && !event.action.ends
        && event.action.op != Op::Exit
        && !event.ending.named.is_empty()
}
