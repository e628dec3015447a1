//! The changes since extensions were last searched for.

use super::conflicts::below;
use super::position::Position;
use crate::unfold::event::{Clock, EventId, Last, Store, last};
use crate::unfold::path::Path;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Detector, Fingerprint, Undo};
use smallvec::SmallVec;

/// The difference between two paths with a common beginning. The first path was examined.
#[derive(Default)]
pub(super) struct Since {
    /// The first path's configuration.
    before: Clock,
    /// Threads whose last position in the first path, which has no event, was examined.
    ends: SmallVec<[ThreadId; 8]>,
    /// The common beginning.
    common: Clock,
    /// The causes that all events of the second path after the common beginning share. `None` if
    /// there are no such events.
    shared: Option<Clock>,
}

impl Since {
    /// Begins with a second path whose first `from` events are common.
    pub fn turn_to<M, D>(&mut self, store: &Store, path: &Path<M, D>, from: usize)
    where
        M: Undo + Fingerprint,
        D: Detector<M>,
    {
        self.common.clone_from(path.clock());
        self.shared = None;
        for position in (from..path.len()).rev() {
            let event = &store[path.event(position)];
            self.common[event.thread.index()] = match event.depth {
                1 => Last::default(),
                depth => Last::new(event.parent, depth - 1),
            };
            match &mut self.shared {
                None => self.shared = Some(SmallVec::from_slice(&event.clock)),
                Some(shared) => {
                    shared.truncate(event.clock.len());
                    for (mine, &theirs) in shared.iter_mut().zip(&*event.clock) {
                        *mine = (*mine).min(theirs);
                    }
                }
            }
        }
    }

    /// The second path was examined; it becomes the first one.
    pub fn looked<M, D>(&mut self, path: &Path<M, D>, ends: SmallVec<[ThreadId; 8]>)
    where
        M: Undo + Fingerprint,
        D: Detector<M>,
    {
        self.before.clone_from(path.clock());
        self.ends = ends;
    }

    /// True if an event of the second path belongs to the common beginning.
    pub fn is_common(&self, store: &Store, event: EventId) -> bool {
        below(store, &self.common, event)
    }

    /// True if all new events have this event of the common beginning as a cause.
    pub fn comes_after(&self, store: &Store, event: EventId) -> bool {
        self.shared
            .as_ref()
            .is_none_or(|shared| below(store, shared, event))
    }

    /// True if a position of the second path is also one of the first and was examined there.
    pub fn was_looked_at(&self, store: &Store, at: &Position) -> bool {
        let is_common = |e: EventId| !e.is_some() || self.is_common(store, e);
        if !is_common(at.parent) || !is_common(at.waker) {
            return false;
        }
        let depth = match at.parent {
            parent if parent.is_some() && store[parent].action.thread == at.thread => store[parent].depth,
            _ => 0,
        };
        last(&self.before, at.thread).depth() > depth || self.ends.contains(&at.thread)
    }
}
