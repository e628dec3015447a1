//! Conflicting extensions: the events whose causes lie in a configuration and that cannot be added to it.
//!
//! For each position of a thread (each of its events e, and where it is blocked after its last one): let P be the local configuration of
//! its predecessor there. Every other event at that position is ⟨a, P ∪ \[M\]⟩ for a set M of pairwise concurrent events of the
//! configuration on which a depends (Schemmel et al., CAV 2020, Section 3.6 and Appendix F; here for every primitive).
//!
//! - Events of M that lie above e depend on e's thread; those beside e would be dependent on e if they are on a, *where e's
//!   and a's effects are the same*: then M ⊆ ⌈e⌉. That holds for all operations but the signals of condition variables: there M is
//!   taken from all of C but e and what is above it; so it is for the end of a wait by itself where e was woken, but for what is above the
//!   signal. (For tries, compare-and-swap and semaphores it holds because an operation that is beside e leaves the
//!   object as it was.)
//! - Mutexes: what was done to one before is a chain. The position's other events come after one giving back of the chain
//!   outside P, or after P if it leaves the mutex free. No need to ask the machine, unless recursion or robust recovery is at play.
//! - Reads, writes and giving back are possible wherever their thread is there: M is enumerated.
//! - Everything else asks the machine: a second one is brought to P ∪ \[M\], and says which alternatives the thread has and how they
//!   end. An answer is kept: it never changes.
//!
//! An extension whose effects are those of e in any case is found once, when e is new, and so are its conflicts with the configuration. Others are
//! looked at in each maximal configuration again.

use super::event::{Clock, Ending, Event, EventId, Last, Level, Store, Use, join, last, use_depends};
use super::path::{Path, Used, level, uses_of};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::ThreadId;
use selvedge_model::{
    Action, Choice, Conflict, Dependence, Detector, Effect, Fingerprint, NoDetector, Op, OpClass, Status,
    Undo,
};
use smallvec::SmallVec;

/// How the other events at a position are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scheme {
    /// There are none.
    None,
    /// After another giving back of the mutex.
    Mutex,
    /// After each set of concurrent events on which the action depends.
    Certain,
    /// The same, but the machine says what happens.
    Ask,
}

/// A place in a thread's life in a configuration.
struct Position {
    thread: ThreadId,
    /// What the thread did, or waits to do, there.
    action: Action,
    /// The event there; none where the thread is blocked.
    event: EventId,
    /// The event before, in the thread or creating it.
    parent: EventId,
    /// The event that woke the thread for it.
    waker: EventId,
}

/// What finding extensions keeps between configurations.
pub struct Extensions<M: Undo> {
    probe: Path<M, NoDetector>,
    answers: FxHashMap<(EventId, ThreadId, Clock), SmallVec<[EventId; 2]>>,
    /// Whether answers are forgotten at once.
    forgets: bool,
}

impl<M: Undo + Fingerprint> Extensions<M> {
    /// With a machine of its own, at the initial state.
    pub fn new(machine: M, store: &mut Store) -> Self {
        Extensions {
            probe: Path::new(machine, NoDetector, store),
            answers: FxHashMap::default(),
            forgets: false,
        }
    }

    /// Keeps no answers of the machine any more: it is asked again, which takes time instead of memory.
    pub fn forget(&mut self) {
        if !self.forgets {
            self.forgets = true;
            self.answers = FxHashMap::default();
        }
    }

    /// Finds the conflicting extensions of the path's configuration, and their immediate conflicts with its events. `cut`: enabled
    /// events that were not added because what comes after them is not explored.
    pub fn extend<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, cut: &[EventId]) {
        for position in 0..path.len() {
            self.extend_at(store, path, path.event(position));
        }
        for &event in cut {
            self.extend_at(store, path, event);
        }
        for (number, pending) in path.machine.pending().iter().enumerate() {
            if pending.status != Status::Blocked {
                continue;
            }
            let number = ThreadId(number as u16);
            let thread = path.name(number);
            let before = last(path.clock(), thread).event();
            let waker = path.waker(thread).unwrap_or(EventId::NONE);
            let position = Position {
                thread,
                action: path.pending(number),
                event: EventId::NONE,
                parent: if before.is_some() { before } else { waker },
                waker: if before.is_some() { waker } else { EventId::NONE },
            };
            self.extend_position(store, path, &position);
        }
    }

    fn extend_at<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, id: EventId) {
        let event = &store[id];
        if event.extended {
            return;
        }
        let position = Position {
            thread: event.action.thread,
            action: event.action,
            event: id,
            parent: event.parent,
            waker: if event.depth > 1 {
                event.waker
            } else {
                EventId::NONE
            },
        };
        let again = effect_varies(&event.action);
        self.extend_position(store, path, &position);
        store[id].extended = !again;
    }

    fn extend_position<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, at: &Position) {
        let mut below = Clock::new();
        if at.parent.is_some() {
            join(&mut below, &store[at.parent].clock);
        }
        if at.action.op == Op::WaitAcquire
            && at.parent.is_some()
            && (store[at.parent].timed || at.action.cancelable)
        {
            // The wait could have ended by itself.
            let candidates = before_timeout(store, path, at, &below);
            let mut chosen = Vec::new();
            self.antichains(store, path, at, Scheme::Ask, &candidates, 0, &below, &mut chosen);
        }
        match scheme(store, at) {
            Scheme::None => {}
            // What never waits and is blocked all the same (giving back what one does not have) is blocked for ever.
            Scheme::Certain if !at.event.is_some() => {}
            Scheme::Mutex => {
                if at.action.op == Op::WaitAcquire {
                    if !at.waker.is_some() && store[at.parent].action.op == Op::WaitRelease {
                        return; // it waits for a signal
                    }
                    if at.waker.is_some() {
                        join(&mut below, &store[at.waker].clock);
                    }
                }
                self.mutex(store, path, at, &below);
            }
            scheme @ (Scheme::Certain | Scheme::Ask) => {
                let candidates = candidates(store, path, at, &below, scheme);
                let mut chosen = Vec::new();
                self.antichains(store, path, at, scheme, &candidates, 0, &below, &mut chosen);
            }
        }
    }

    /// After each giving back of the mutex that is not below the position, and after what is below if the mutex is free there.
    fn mutex<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, at: &Position, below: &[Last]) {
        let mutex = if at.action.op == Op::WaitAcquire {
            at.action.object2
        } else {
            at.action.object
        };
        let mut owner = if at.event.is_some() {
            store[at.event].before
        } else {
            let owned = |u: &&Used| matches!(u.what.effect, Effect::Own | Effect::Total);
            let history = path.history(mutex.0);
            history
                .iter()
                .rev()
                .find(owned)
                .map_or(EventId::NONE, |u| u.event)
        };
        let mut sure = true;
        loop {
            let covered = !owner.is_some() || contains(store, below, owner);
            let level = if owner.is_some() {
                store[owner].mutex
            } else {
                Level::Free
            };
            let mut causes: Clock = SmallVec::from_slice(below);
            if !covered {
                join(&mut causes, &store[owner].clock);
            }
            match level {
                Level::Free if sure => self.certain(store, path, at, &causes),
                Level::Free => self.ask(store, path, at, &causes),
                Level::Taken => {}
                Level::Unknown => self.ask(store, path, at, &causes),
            }
            if covered {
                return;
            }
            // Before it was initialised, or after it was destroyed, taking it is a fault.
            sure &= store[owner].action.op.class() != OpClass::Total;
            owner = previous_owner(store, path, owner, mutex.0);
        }
    }

    /// Chooses every set of pairwise concurrent candidates.
    #[allow(clippy::too_many_arguments)]
    fn antichains<D: Detector<M>>(
        &mut self,
        store: &mut Store,
        path: &Path<M, D>,
        at: &Position,
        scheme: Scheme,
        candidates: &[Used],
        from: usize,
        causes: &Clock,
        chosen: &mut Vec<Used>,
    ) {
        match scheme {
            Scheme::Ask => self.ask(store, path, at, causes),
            _ => self.certain(store, path, at, causes),
        }
        for (i, candidate) in candidates.iter().enumerate().skip(from) {
            let comparable = chosen.iter().any(|c| {
                Path::<M, D>::below(c, &store[candidate.event].clock)
                    || Path::<M, D>::below(candidate, &store[c.event].clock)
            });
            if comparable {
                continue;
            }
            let mut more = causes.clone();
            join(&mut more, &store[candidate.event].clock);
            chosen.push(*candidate);
            self.antichains(store, path, at, scheme, candidates, i + 1, &more, chosen);
            chosen.pop();
        }
    }

    /// The event of the position's action after these causes.
    fn certain<D: Detector<M>>(
        &mut self,
        store: &mut Store,
        path: &Path<M, D>,
        at: &Position,
        causes: &Clock,
    ) {
        // That the thread ends with it, if it did, is a guess; so is nothing else.
        let action = at.action;
        let decision = match action.op {
            Op::Choose if at.event.is_some() => store[at.event].ending.decision,
            _ => 0,
        };
        let ending = Ending {
            decision,
            ..Ending::default()
        };
        let (event, new) = store.intern(at.parent, at.thread, &ending, causes, |_| Event::blank(action));
        if new {
            let uses = uses_of(&action, &ending);
            let owner = owner_below(store, path, &uses, causes);
            let level = level(store, owner, &action);
            let known = &mut store[event];
            known.uses = uses;
            known.before = owner;
            known.mutex = level;
            known.waker = at.waker;
        }
        link(store, path, event, at);
    }

    /// What the machine says that the thread can do after these causes.
    fn ask<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, at: &Position, causes: &Clock) {
        let key = (at.parent, at.thread, trimmed(causes));
        let found = match self.answers.get(&key) {
            Some(found) => found.clone(),
            None => {
                let found = self.possible(store, at.thread, causes);
                if !self.forgets {
                    self.answers.insert(key, found.clone());
                }
                found
            }
        };
        for event in found {
            link(store, path, event, at);
        }
    }

    /// The events of a thread whose causes are just these.
    fn possible(&mut self, store: &mut Store, thread: ThreadId, causes: &Clock) -> SmallVec<[EventId; 2]> {
        let mut found = SmallVec::new();
        if !go_to(store, &mut self.probe, causes) {
            return found;
        }
        let Some(number) = self.probe.number(thread) else {
            return found;
        };
        let pending = self.probe.machine.pending()[number.0 as usize];
        if !pending.is_enabled() || pending.action.op == Op::Choose {
            return found;
        }
        let len = self.probe.len();
        let causes = trimmed(causes);
        for alternative in 0..pending.alternatives {
            let choice = Choice {
                thread: number,
                alternative,
            };
            let (event, _) = self.probe.take(store, choice);
            let all = super::event::causes(store, event);
            if all == causes {
                found.push(event);
            }
            self.probe.undo(store, len);
        }
        found
    }
}

/// Brings a path to another configuration; false if that cannot be executed.
pub fn go_to<M: Undo + Fingerprint, D: Detector<M>>(
    store: &mut Store,
    path: &mut Path<M, D>,
    configuration: &[Last],
) -> bool {
    let mut keep = 0;
    while keep < path.len() && contains_event(store, configuration, path.event(keep)) {
        keep += 1;
    }
    path.undo(store, keep);
    let missing = in_order(store, store.difference(configuration, path.clock()));
    missing.into_iter().all(|event| path.follow(store, event))
}

/// Events in an order in which they can be executed: data choices right after what they belong to.
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

fn contains_event(store: &Store, clock: &[Last], event: EventId) -> bool {
    store.contains(clock, event)
}

/// Whether an event of a common configuration is below `clock`.
fn contains(store: &Store, clock: &[Last], event: EventId) -> bool {
    let event = &store[event];
    last(clock, event.action.thread).depth() >= event.depth
}

fn trimmed(clock: &[Last]) -> Clock {
    let mut clock: Clock = SmallVec::from_slice(clock);
    while clock.last().is_some_and(|l| l.depth() == 0) {
        clock.pop();
    }
    clock
}

/// The event that used a mutex exclusively before another one did.
fn previous_owner<M: Undo + Fingerprint, D: Detector<M>>(
    store: &Store,
    path: &Path<M, D>,
    owner: EventId,
    mutex: u64,
) -> EventId {
    if store[owner].mutex != Level::Unknown {
        return store[owner].before;
    }
    // Several objects may be used in one event: look for the right one.
    let history = path.history(mutex);
    let at = history.iter().rposition(|u| u.event == owner);
    let before = at.map_or(&[][..], |at| &history[..at]);
    let owned = |u: &&Used| matches!(u.what.effect, Effect::Own | Effect::Total) && u.event != owner;
    before.iter().rev().find(owned).map_or(EventId::NONE, |u| u.event)
}

/// The last event below `causes` that used exclusively what these uses do.
fn owner_below<M: Undo + Fingerprint, D: Detector<M>>(
    _store: &Store,
    path: &Path<M, D>,
    uses: &[Use],
    causes: &[Last],
) -> EventId {
    let Some(mine) = uses.iter().find(|u| u.effect == Effect::Own) else {
        return EventId::NONE;
    };
    let below =
        |u: &&Used| matches!(u.what.effect, Effect::Own | Effect::Total) && Path::<M, D>::below(u, causes);
    let history = path.history(mine.object);
    history
        .iter()
        .rev()
        .find(below)
        .map_or(EventId::NONE, |u| u.event)
}

fn scheme(store: &Store, at: &Position) -> Scheme {
    let action = &at.action;
    let parent_open = at.parent.is_some() && store[at.parent].open;
    match action.op {
        // The thread's end comes with it: a join that fails may come before or after.
        Op::Start | Op::Assume | Op::Yield | Op::Fence | Op::Choose if action.ends && !action.cancelable => {
            Scheme::Certain
        }
        _ if action.ends && action.op != Op::Exit && !parent_open => Scheme::Ask,
        Op::Start | Op::Spawn | Op::Assume | Op::Choose | Op::Yield | Op::Fence | Op::ProcessExit
            if !action.cancelable =>
        {
            Scheme::None
        }
        _ if parent_open => Scheme::None,
        _ if action.cancelable || action.atomic => Scheme::Ask,
        Op::Lock | Op::SpinLock | Op::WaitAcquire => Scheme::Mutex,
        Op::Exit if action.object2.0 == 0 => Scheme::Certain,
        Op::Join if action.object2.0 == 0 => Scheme::None,
        Op::Unlock | Op::SpinUnlock | Op::Read | Op::Write => Scheme::Certain,
        Op::Rmw if !action.may_fail => Scheme::Certain,
        _ => Scheme::Ask,
    }
}

/// Whether what the operation does to its objects depends on how it ends.
fn effect_varies(action: &Action) -> bool {
    match action.op {
        Op::TryLock | Op::TimedLock | Op::SpinTryLock | Op::BadUnlock => true,
        Op::TryRdLock | Op::TimedRdLock | Op::TryWrLock | Op::TimedWrLock => true,
        Op::WaitTimeout | Op::WaitAcquire | Op::Signal | Op::Broadcast => true,
        Op::SemTryWait | Op::SemTimedWait | Op::SemPost => true,
        Op::Rmw => action.may_fail,
        _ => action.cancelable || action.atomic,
    }
}

/// The events of the configuration that the position's action, however it ends, may depend on, and that are not below it already.
fn candidates<M: Undo + Fingerprint, D: Detector<M>>(
    store: &Store,
    path: &Path<M, D>,
    at: &Position,
    below: &[Last],
    scheme: Scheme,
) -> Vec<Used> {
    let mut found: Vec<Used> = Vec::new();
    let beside = matches!(at.action.op, Op::Signal) || !at.event.is_some();
    let mine = if scheme == Scheme::Certain {
        uses_of(&at.action, &Ending::default())
    } else {
        SmallVec::new()
    };
    let mut consider = |used: &Used| {
        let event = &store[used.event];
        let fits = used.thread != at.thread
            && !event.open
            && !Path::<M, D>::below(used, below)
            && !found.iter().any(|f| f.event == used.event);
        if !fits {
            return;
        }
        if at.event.is_some() {
            let causes = &store[at.event].clock;
            let above = last(&event.clock, at.thread).depth() >= store[at.event].depth;
            if above || !(beside || Path::<M, D>::below(used, causes)) {
                return;
            }
        }
        found.push(*used);
    };
    if scheme == Scheme::Certain {
        for mine in &mine {
            for used in path.history(mine.object) {
                if use_depends(mine, &used.what) {
                    consider(used);
                }
            }
        }
    } else {
        at.action.for_each_use(|object, _, _| {
            for used in path.history(object) {
                if Conflict.dependent(&at.action, &store[used.event].action) {
                    consider(used);
                }
            }
        });
        if at.waker.is_some() {
            let waker = &store[at.waker];
            consider(&Used {
                event: at.waker,
                thread: waker.action.thread,
                depth: waker.depth,
                what: Use {
                    object: 0,
                    bytes: 0,
                    effect: Effect::Total,
                },
            });
        }
    }
    found.sort_unstable_by_key(|u| u.event);
    found
}

/// The events of the configuration on which the end of a wait by itself depends, where the thread was woken: neither below the wait nor above what
/// woke the thread. None but those that use the condition variable with another mutex, or as something else, and cancellations: beside a wait
/// no signal is lost.
fn before_timeout<M: Undo + Fingerprint, D: Detector<M>>(
    store: &Store,
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
    for mine in &uses_of(&timeout, &failed) {
        for used in path.history(mine.object) {
            let clock = &store[used.event].clock;
            let fits = used.thread != at.thread
                && use_depends(mine, &used.what)
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

/// Notes the immediate conflicts of an event, whose causes lie in the configuration, with the events of the configuration: the
/// lowest of those that it cannot be together with.
fn link<M: Undo + Fingerprint, D: Detector<M>>(
    store: &mut Store,
    path: &Path<M, D>,
    event: EventId,
    at: &Position,
) {
    let name = &store[event];
    if contains_event(store, path.clock(), event) {
        return;
    }
    let (thread, causes) = (name.action.thread, super::event::causes(store, event));
    let mut against: SmallVec<[EventId; 4]> = SmallVec::new();
    let mine = last(path.clock(), thread);
    if mine.depth() >= name.depth {
        against.push(store.ancestor(mine.event(), name.depth));
    }
    for mine in &name.uses {
        let start = against.len();
        for used in path.history(mine.object).iter().rev() {
            let within = Path::<M, D>::below(used, &causes);
            let total = used.what.effect.is_total() && mine.bytes & !used.what.bytes == 0;
            if within && total {
                break;
            }
            if !within && used.thread != thread && use_depends(mine, &used.what) {
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
    let _ = at;
    let lowest: SmallVec<[EventId; 4]> = against
        .iter()
        .copied()
        .filter(|&y| {
            !against
                .iter()
                .any(|&x| x != y && contains(store, &store[y].clock, x))
        })
        .collect();
    for y in lowest {
        store.link(event, y);
    }
}
