//! Actions that would come between an incomplete action and the data choice that completes it.
//!
//! The two are one step, so an action that depends on them comes before both or after both. Usually
//! the choice is taken at once. If all its alternatives are cutoffs, the execution continues with
//! events that are independent of them, and ends when only dependent ones are left. Then the
//! positions of those threads are examined for extensions: what they would have done without the
//! incomplete action is in conflict with it.

use super::event::{EventId, Store};
use super::path::Path;
use selvedge_base::ThreadId;
use selvedge_model::{Detector, Fingerprint, Undo};

/// Whether an action comes between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// No: it is independent of all incomplete actions, however it ends.
    No,
    /// This depends on how the action ends.
    Perhaps,
    /// Yes: it depends on an incomplete action, however it ends.
    Yes,
}

/// Whether the next action of a thread (by the machine's number) would come between another
/// thread's incomplete action and the choice that completes it.
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

/// True if an event of the path came between.
pub fn came_between<M, D>(store: &Store, path: &Path<M, D>, event: EventId) -> bool
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    store.some_incomplete
        && incomplete(store, path, store[event].thread).any(|other| store.dependent(other, event))
}

/// The last events of all other threads that are incomplete.
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
