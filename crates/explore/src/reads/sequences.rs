//! Release sequences that the order of writes decides.
//!
//! A release sequence goes on through the stores of its thread until another thread stores (C11,
//! 5.1.2.4p10). So if a thread stores with release and then without, what a read of the second
//! store acquires depends on whether another thread's store comes in between. No read tells that:
//! the executions of one graph differ in their data races. (Read-modify-writes only continue
//! sequences, and their places follow from what they read.)

use super::graph::{Event, Graph, Location};
use super::reason::Uncovered;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{MemoryOrder, Op};

/// The stores that were seen in any graph.
#[derive(Default)]
pub(super) struct Sequences {
    /// The threads that store to a location atomically, without reading it.
    stores: FxHashMap<Location, FxHashSet<u32>>,
    /// Where a thread has stored with release and then without.
    longer: FxHashSet<Location>,
}

impl Sequences {
    /// Notes an event that is added to a graph.
    ///
    /// # Errors
    /// If the order of two stores may decide what a read acquires.
    pub(super) fn note(&mut self, graph: &Graph, event: &Event) -> Result<(), Uncovered> {
        let action = &event.action;
        let stores = matches!(action.op, Op::Write | Op::WaitReleaseWord);
        if !stores || action.order == MemoryOrder::NotAtomic {
            return Ok(());
        }
        for part in event.parts.iter().filter(|part| part.writes) {
            let location = part.location;
            let threads = self.stores.entry(location).or_default();
            threads.insert(event.at.thread);
            let several = threads.len() > 1;
            let heads = || {
                let own = graph.writers(location).filter(|w| w.at.thread == event.at.thread);
                own.into_iter().any(|w| w.action.order.releases())
            };
            if !action.order.releases() && !self.longer.contains(&location) && heads() {
                self.longer.insert(location);
            }
            if several && self.longer.contains(&location) {
                return Err(Uncovered::Sequences);
            }
        }
        Ok(())
    }
}
