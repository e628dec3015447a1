//! Extensions by mutexes: the operations on a mutex form a chain.

use super::Extensions;
use super::conflicts::below;
use super::position::Position;
use crate::unfold::event::{Clock, EventId, Last, Level, Store, join};
use crate::unfold::label::Use;
use crate::unfold::path::{Path, Used};
use selvedge_model::{Detector, Effect, Fingerprint, Op, OpClass, Undo};
use smallvec::SmallVec;

impl<M: Undo + Fingerprint> Extensions<'_, M> {
    /// Finds the position's events after each unlock of the mutex that is not below the position,
    /// and after the events below it if these leave the mutex free. `known`: the configuration
    /// below the position.
    ///
    /// If the position was examined before, the chain before the last common use of the mutex need
    /// not be examined again. The conflict of those events, which is the next use, is recorded.
    pub(super) fn mutex<D: Detector<M>>(
        &mut self,
        store: &mut Store,
        path: &Path<M, D>,
        at: &Position,
        known: &[Last],
    ) {
        let mutex = if at.action.op == Op::WaitAcquire {
            at.action.object2
        } else {
            at.action.object
        };
        let mut owner = if at.event.is_some() {
            store[at.event].before
        } else {
            let owned = |u: &&Used| matches!(u.what.effect, Effect::Own | Effect::Total);
            let history = path.history_of(store, mutex.0);
            history
                .iter()
                .rev()
                .find(owned)
                .map_or(EventId::NONE, |u| u.event)
        };
        let looked_at = self.since.was_looked_at(store, at);
        let mut stopped = None;
        let mut sure = true;
        loop {
            let covered = !owner.is_some() || below(store, known, owner);
            let level = if owner.is_some() {
                store[owner].mutex
            } else {
                Level::Free
            };
            if level != Level::Taken {
                let mut causes: Clock = SmallVec::from_slice(known);
                if !covered {
                    join(&mut causes, &store[owner].clock);
                }
                match level {
                    Level::Free if sure => self.certain(store, path, at, &causes),
                    _ => self.ask(store, path, at, &causes),
                }
            }
            if covered {
                break;
            }
            if looked_at && self.since.is_common(store, owner) {
                if !store.compares {
                    return;
                }
                stopped = stopped.or(Some((store.len(), store.links)));
            }
            // Locking a mutex before it was initialised, or after it was destroyed, is a fault.
            sure &= store[owner].action.op.class() != OpClass::Total;
            owner = previous_owner(store, path, owner, mutex.0);
        }
        if let Some(before) = stopped {
            assert_eq!((store.len(), store.links), before, "this was looked at");
        }
    }
}

/// The previous event that used a mutex exclusively.
fn previous_owner<M: Undo + Fingerprint, D: Detector<M>>(
    store: &Store,
    path: &Path<M, D>,
    owner: EventId,
    mutex: u64,
) -> EventId {
    if store[owner].mutex != Level::Unknown && store[owner].action.op.class() != OpClass::Total {
        return store[owner].before;
    }
    // One event may use several objects, so look for the right one.
    let history = path.history_of(store, mutex);
    let at = history.iter().rposition(|u| u.event == owner);
    let before = at.map_or(&[][..], |at| &history[..at]);
    let owned = |u: &&Used| matches!(u.what.effect, Effect::Own | Effect::Total) && u.event != owner;
    before.iter().rev().find(owned).map_or(EventId::NONE, |u| u.event)
}

/// The last event below `causes` that used the objects of these uses exclusively.
pub(super) fn owner_below<M: Undo + Fingerprint, D: Detector<M>>(
    path: &Path<M, D>,
    uses: &[Use],
    causes: &[Last],
) -> EventId {
    let Some(mine) = uses.iter().find(|u| u.effect == Effect::Own) else {
        return EventId::NONE;
    };
    let below =
        |u: &&Used| matches!(u.what.effect, Effect::Own | Effect::Total) && Path::<M, D>::below(u, causes);
    let history = path.history(mine.slot);
    history
        .iter()
        .rev()
        .find(below)
        .map_or(EventId::NONE, |u| u.event)
}
