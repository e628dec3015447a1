//! Immediate conflicts.

use crate::unfold::event::{EventId, Last, Store, causes, last};
use crate::unfold::path::Path;
use selvedge_base::ThreadId;
use selvedge_model::{Detector, Fingerprint, Undo};
use smallvec::SmallVec;

/// Records the immediate conflicts of an event, whose causes lie in the configuration, with the
/// events of the configuration: the lowest events that cannot be in a configuration with it.
pub(super) fn link<M: Undo + Fingerprint, D: Detector<M>>(
    store: &mut Store,
    path: &Path<M, D>,
    event: EventId,
) {
    let name = &store[event];
    if store.contains(path.clock(), event) {
        return;
    }
    let (thread, causes) = (name.thread, causes(store, event));
    let mut against: SmallVec<[EventId; 4]> = SmallVec::new();
    let mine = last(path.clock(), thread);
    if mine.depth() >= name.depth {
        against.push(store.ancestor(mine.event(), name.depth));
    }
    for mine in &name.uses {
        let start = against.len();
        for used in path.history(mine.slot).iter().rev() {
            let within = Path::<M, D>::below(used, &causes);
            let total = store.relation.is_total(used.what.effect) && mine.bytes & !used.what.bytes == 0;
            if within && total {
                break;
            }
            let labels = || (&*name.what, &*store[used.event].what);
            let depends = || store.relation.uses_depend(mine, &used.what, labels);
            if !within && used.thread != thread && depends() {
                if total {
                    against.truncate(start);
                }
                against.push(used.event);
            }
        }
    }
    for &named in &name.ending.named {
        let after = last(&causes, named).depth() + 1;
        let theirs = last(path.clock(), named);
        if theirs.depth() >= after {
            against.push(store.ancestor(theirs.event(), after));
        }
    }
    for y in lowest(store, &against) {
        store.link(event, y);
    }
}

/// The events of a set that have no other event of the set below them. Events of one thread are a
/// chain, so only its first event counts.
fn lowest(store: &Store, events: &[EventId]) -> SmallVec<[EventId; 4]> {
    /// The data of an event that are used several times.
    #[derive(Clone, Copy)]
    struct First {
        event: EventId,
        thread: ThreadId,
        depth: u32,
        level: u32,
    }
    let mut first: SmallVec<[First; 8]> = SmallVec::new();
    for &event in events {
        let known = &store[event];
        let y = First {
            event,
            thread: known.thread,
            depth: known.depth,
            level: known.level,
        };
        match first.iter_mut().find(|x| x.thread == y.thread) {
            Some(x) if x.depth <= y.depth => {}
            Some(x) => *x = y,
            None => first.push(y),
        }
    }
    let lowest = first.iter().filter(|y| {
        // An event below another one has a lower level.
        let is_below =
            |x: &First| x.level < y.level && last(&store[y.event].clock, x.thread).depth() >= x.depth;
        !first.iter().any(is_below)
    });
    lowest.map(|y| y.event).collect()
}

/// True if `clock` contains an event. Both lie in one configuration.
pub(super) fn below(store: &Store, clock: &[Last], event: EventId) -> bool {
    let event = &store[event];
    last(clock, event.thread).depth() >= event.depth
}
