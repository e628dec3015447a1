//! Bringing a path to another configuration.

use super::event::{EventId, Last, Store};
use super::path::Path;
use rustc_hash::FxHashSet;
use selvedge_model::{Detector, Fingerprint, Op, Undo};

/// Brings a path to another configuration. Returns false if that configuration cannot be executed.
pub fn go_to<M: Undo + Fingerprint, D: Detector<M>>(
    store: &mut Store,
    path: &mut Path<M, D>,
    configuration: &[Last],
) -> bool {
    let keep = path.shared_with(store, configuration);
    path.undo(store, keep);
    let missing = in_order(store, store.difference(configuration, path.clock()));
    missing.into_iter().all(|event| path.follow(store, event))
}

/// Orders events so that they can be executed: data choices come right after the actions to which
/// they belong.
pub fn in_order(store: &Store, sorted: Vec<EventId>) -> Vec<EventId> {
    if !sorted.iter().any(|&e| store[e].action.op == Op::Choose) {
        return sorted;
    }
    let mut order = Vec::with_capacity(sorted.len());
    let mut done = FxHashSet::default();
    for &event in &sorted {
        let mut next = Some(event).filter(|e| !done.contains(e));
        while let Some(event) = next {
            order.push(event);
            done.insert(event);
            next = sorted
                .iter()
                .copied()
                .find(|&e| store[e].parent == event && store[e].action.op == Op::Choose);
        }
    }
    order
}
