//! What is known of the followed threads so far.

use super::effects::{Arrival, Effects};
use super::value::{Abstract, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, ThreadId};
use std::sync::Arc;

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// By thread; `None` as long as it has not been followed.
    pub(super) effects: Vec<Option<Arc<Effects>>>,
    /// The threads that arrive at each barrier; `None` for those that do not exist yet.
    arrived: FxHashMap<u64, FxHashSet<Option<ThreadId>>>,
    /// The barriers at which enough threads arrive.
    opened: FxHashSet<u64>,
}

impl Others {
    /// Nothing is known yet of so many threads.
    pub(super) fn new(threads: usize) -> Others {
        Others {
            effects: vec![None; threads],
            ..Others::default()
        }
    }

    /// True if enough threads arrive at a barrier.
    pub(super) fn has_opened(&self, barrier: u64) -> bool {
        self.opened.contains(&barrier)
    }

    /// Records an arrival at a barrier. Returns true if the barrier opens by it. Threads that do
    /// not exist yet are not told apart.
    pub(super) fn arrives(&mut self, arrival: &Arrival) -> bool {
        let arrived = self.arrived.entry(arrival.barrier).or_default();
        arrived.insert(arrival.who);
        let enough = arrival.who.is_none() || arrived.len() as u64 >= arrival.count;
        enough && self.opened.insert(arrival.barrier)
    }

    /// What threads other than this one may have stored in `size` bytes at one of the addresses.
    pub(super) fn load(&self, thread: ThreadId, place: (Span, u64)) -> Option<Abstract> {
        let mut value: Option<Abstract> = None;
        for (index, effects) in self.effects.iter().enumerate() {
            let Some(effects) = effects.as_ref().filter(|_| index != thread.index()) else {
                continue;
            };
            if let Some(stored) = effects.stores.load(place, |_| false) {
                value = Some(value.map_or(stored, |value| value.join(stored)));
            }
        }
        value
    }
}
