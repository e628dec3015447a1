//! Positions in the sequences of events of threads, and the events on which other events there may
//! depend.

use crate::unfold::event::{Event, EventId, Last, Store, last};
use crate::unfold::label::{Ending, Use};
use crate::unfold::path::{Path, Used};
use crate::unfold::weaken::Weaken;
use selvedge_base::ThreadId;
use selvedge_model::{Action, Detector, Effect, Fingerprint, Op, Undo};

/// True if the event could have ended with another effect in the same state. A weak
/// compare-exchange that failed spuriously only read. It may write after an event on which its
/// failure does not depend.
fn chooses_its_effect(event: &Event) -> bool {
    event.action.op == Op::Rmw && event.action.may_fail && !event.sole
}

/// The action that an event has performed: its own, or for a data choice the action that it
/// completes.
fn completed<'a>(store: &'a Store, event: &'a Event) -> &'a Action {
    let continues = event.action.op == Op::Choose && event.depth > 1 && store[event.parent].incomplete;
    match continues {
        true => &store[store.begun_by(event.parent)].action,
        false => &event.action,
    }
}

/// How the other events at a position are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scheme {
    /// There are none.
    None,
    /// After another unlock of the mutex.
    Mutex,
    /// After each set of concurrent events on which the action depends.
    Certain,
    /// After each set of concurrent events on which the action depends, and the machine reports the
    /// result.
    Ask,
}

/// A position of a thread in a configuration.
pub(super) struct Position {
    pub thread: ThreadId,
    /// The action that the thread took there, or waits to take.
    pub action: Action,
    /// The event there; none if the thread is blocked there.
    pub event: EventId,
    /// The previous event: of the thread, or the one that created the thread.
    pub parent: EventId,
    /// The event that woke the thread for it.
    pub waker: EventId,
    /// True if other events there may depend on events beside `event`.
    pub beside: bool,
}

impl Position {
    /// The position of a known event.
    pub fn of(store: &Store, id: EventId) -> Position {
        let event = &store[id];
        Position {
            thread: event.action.thread,
            action: event.action,
            event: id,
            parent: event.parent,
            waker: match event.depth {
                1 => EventId::NONE,
                _ => event.waker,
            },
            beside: event.action.op == Op::Signal || chooses_its_effect(event),
        }
    }

    /// The position of a thread (by the machine's number) that is blocked at the end of a path.
    pub fn blocked<M: Undo + Fingerprint, D: Detector<M>>(path: &Path<M, D>, number: ThreadId) -> Position {
        let thread = path.name(number);
        let before = last(path.clock(), thread).event();
        let waker = path.waker(thread).unwrap_or(EventId::NONE);
        Position {
            thread,
            action: path.pending(number),
            event: EventId::NONE,
            parent: if before.is_some() { before } else { waker },
            waker: if before.is_some() { waker } else { EventId::NONE },
            beside: true,
        }
    }
}

/// How the other events at a position are found.
pub(super) fn scheme(store: &Store, at: &Position) -> Scheme {
    let action = &at.action;
    let parent_incomplete = at.parent.is_some() && store[at.parent].incomplete;
    match scheme_of(action, parent_incomplete) {
        // The chain of owners, and the conclusions from effects alone, are valid for the tables
        // only.
        Scheme::Mutex | Scheme::Certain if store.relation.refines() => Scheme::Ask,
        scheme => scheme,
    }
}

fn scheme_of(action: &Action, parent_incomplete: bool) -> Scheme {
    match action.op {
        // The thread's end comes with this event. A join that fails may come before or after it.
        Op::Start | Op::Assume | Op::Yield | Op::Choose if action.ends && !action.cancelable => {
            Scheme::Certain
        }
        _ if action.ends && action.op != Op::Exit && !parent_incomplete => Scheme::Ask,
        // Other threads may read where the new thread's handle is written.
        Op::Spawn if action.object2.0 != 0 && !parent_incomplete => Scheme::Ask,
        Op::Start | Op::Spawn | Op::Assume | Op::Choose | Op::Yield | Op::ProcessExit
            if !action.cancelable =>
        {
            Scheme::None
        }
        _ if parent_incomplete => Scheme::None,
        _ if action.cancelable || action.blocks.is_some() => Scheme::Ask,
        Op::Lock | Op::SpinLock | Op::WaitAcquire => Scheme::Mutex,
        Op::Exit if action.object2.0 == 0 => Scheme::Certain,
        Op::Join if action.object2.0 == 0 => Scheme::None,
        Op::Unlock | Op::SpinUnlock | Op::Read | Op::Write | Op::Add => Scheme::Certain,
        Op::Rmw if !action.may_fail => Scheme::Certain,
        _ => Scheme::Ask,
    }
}

/// The events of the configuration that are not below the position and on which its action may
/// depend, however it ends.
pub(super) fn candidates<M: Undo + Fingerprint, D: Detector<M>>(
    store: &mut Store,
    path: &Path<M, D>,
    at: &Position,
    below: &[Last],
    scheme: Scheme,
) -> Vec<Used> {
    let certain = (scheme == Scheme::Certain).then(|| store.labels.of(&at.action, &Ending::default()));
    let store = &*store;
    let mut found: Vec<Used> = Vec::new();
    let beside = at.beside && !store.weaken.is(Weaken::Beside);
    let mut consider = |used: &Used, depends: &dyn Fn(&Event) -> bool| {
        if used.thread == at.thread || Path::<M, D>::below(used, below) {
            return;
        }
        let event = &store[used.event];
        if at.event.is_some() {
            let causes = &store[at.event].clock;
            let above = last(&event.clock, at.thread).depth() >= store[at.event].depth;
            if above || !(beside || Path::<M, D>::below(used, causes)) {
                return;
            }
        }
        if !event.incomplete && !found.iter().any(|f| f.event == used.event) && depends(event) {
            found.push(*used);
        }
    };
    if let Some(certain) = certain {
        for mine in &certain.uses {
            for used in path.history(mine.slot) {
                let labels = || (&*certain, &*store[used.event].what);
                if store.relation.uses_depend(mine, &used.what, labels) {
                    consider(used, &|_| true);
                }
            }
        }
    } else {
        at.action.for_each_use(|object, _, _| {
            for used in path.history_of(store, object) {
                consider(used, &|event| {
                    store.relation.actions_depend(&at.action, &event.action)
                        || !store.weaken.is(Weaken::Completed)
                            && store.relation.actions_depend(&at.action, completed(store, event))
                });
            }
        });
        if at.waker.is_some() {
            let waker = &store[at.waker];
            let waker = Used {
                event: at.waker,
                thread: waker.action.thread,
                depth: waker.depth,
                what: Use {
                    object: 0,
                    slot: u32::MAX,
                    bytes: 0,
                    effect: Effect::Total,
                },
            };
            consider(&waker, &|_| true);
        }
    }
    found.sort_unstable_by_key(|u| u.event);
    found
}

/// The events of the configuration on which the end of a wait without a signal depends, at a
/// position where the thread was woken. They are neither below the wait nor above the event that
/// woke the thread. There are only two kinds: events that use the condition variable with another
/// mutex or as another kind of object, and cancellations. The reason is that no signal is lost
/// beside a wait.
pub(super) fn before_timeout<M: Undo + Fingerprint, D: Detector<M>>(
    store: &mut Store,
    path: &Path<M, D>,
    at: &Position,
    below: &[Last],
) -> Vec<Used> {
    let timeout = Action {
        op: Op::WaitTimeout,
        ..at.action
    };
    let failed = Ending {
        failed: true,
        ..Ending::default()
    };
    let mut found: Vec<Used> = Vec::new();
    let timeout = store.labels.of(&timeout, &failed);
    for mine in &timeout.uses {
        for used in path.history(mine.slot) {
            let clock = &store[used.event].clock;
            let labels = || (&*timeout, &*store[used.event].what);
            let fits = used.thread != at.thread
                && store.relation.uses_depend(mine, &used.what, labels)
                && !Path::<M, D>::below(used, below)
                && !(at.waker.is_some() && store.contains(clock, at.waker))
                && !(at.event.is_some() && store.contains(clock, at.event))
                && !found.iter().any(|f| f.event == used.event);
            if fits {
                found.push(*used);
            }
        }
    }
    found.sort_unstable_by_key(|u| u.event);
    found
}
