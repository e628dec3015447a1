//! Actions that would come between an incomplete action and the data choice that completes it.
//!
//! The two are one step, so what depends on them comes before both or after both. Mostly the choice
//! is taken at once. Where all its alternatives are cutoffs, the execution goes on with what is
//! independent of them, and ends where only what depends on them is left. The positions of those
//! threads are looked at then: what they would have done without the incomplete action is in
//! conflict with it.

use super::event::{EventId, Store};
use super::path::Path;
use selvedge_base::ThreadId;
use selvedge_model::{Detector, Fingerprint, Undo};

/// Whether an action comes between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// However it ends, it is independent of all incomplete actions.
    No,
    /// That depends on how it ends.
    Perhaps,
    /// However it ends, it depends on one.
    Yes,
}

/// Whether what a thread, by the machine's number, does next would come between another thread's
/// incomplete action and the choice that completes it.
pub fn between<M, D>(store: &Store, path: &Path<M, D>, number: ThreadId) -> Between
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    if !store.some_incomplete {
        return Between::No;
    }
    let pending = path.pending(number);
    let mut found = Between::No;
    for incomplete in incomplete(store, path, pending.thread) {
        let mut surely = false;
        pending.for_each_use(|object, bytes, class| {
            let mut used = store[incomplete].uses.iter();
            surely |= used.any(|u| {
                let always = store.relation.always_depends(u.effect, class);
                u.object == object && u.bytes & bytes != 0 && always
            });
        });
        if surely {
            return Between::Yes;
        }
        let begun = &store[store.begun_by(incomplete)].action;
        if store.relation.actions_depend(begun, &pending) {
            found = Between::Perhaps;
        }
    }
    found
}

/// Whether an event of the path came between.
pub fn came_between<M, D>(store: &Store, path: &Path<M, D>, event: EventId) -> bool
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    store.some_incomplete
        && incomplete(store, path, store[event].thread).any(|other| store.dependent(other, event))
}

/// The last events of other threads than this one that are incomplete.
fn incomplete<'a, M, D>(
    store: &'a Store,
    path: &'a Path<M, D>,
    thread: ThreadId,
) -> impl Iterator<Item = EventId> + 'a
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    let newest = path.clock().iter().map(|last| last.event());
    newest.filter(move |&e| e.is_some() && store[e].incomplete && store[e].thread != thread)
}
