//! Conflicting extensions: the events whose causes lie in a configuration and that cannot be added
//! to it.
//!
//! A position of a thread is one of its events e, or the point after its last event where it is
//! blocked. Let P be the local configuration of its predecessor there. Every other event at that
//! position is ⟨a, P ∪ \[M\]⟩, for a set M of pairwise concurrent events of the configuration on
//! which a depends (Schemmel et al., CAV 2020, Section 3.6 and Appendix F; here for every
//! primitive).
//!
//! - Events of M above e would depend on e's thread. Events beside e would be dependent on e if
//!   they are on a, *provided that e and a have the same effects*: then M ⊆ ⌈e⌉. This holds for all
//!   operations except signals of condition variables, where M is taken from all of C without e and
//!   the events above it. It also does not hold for a wait that ends without being woken, at a
//!   position where e was woken: there M excludes the events above the signal. (For tries,
//!   compare-and-swap and semaphores it holds because an operation that is beside e leaves the
//!   object as it was.)
//! - Mutexes: the earlier operations on one form a chain. Other events of the position come after
//!   an unlock of the chain outside P, or after P if P leaves the mutex free. The machine need not
//!   be queried, except for recursion and robust recovery.
//! - Reads, writes and unlocks are possible whenever their thread is there: the sets M are
//!   enumerated.
//! - For everything else the machine is queried. A second machine is brought to P ∪ \[M\] and
//!   reports which alternatives the thread has and how they end. The answer is cached, because it
//!   never changes.
//!
//! If an extension has the same effects as e in every case, it is found once, when e is new,
//! together with its conflicts with the configuration. Other positions are examined again for each
//! maximal configuration.

mod conflicts;
mod mutexes;
mod position;
mod since;

use super::between::{Between, between};
use super::event::{Clock, EventId, Last, Store, causes as causes_of, join};
use super::label::Ending;
use super::path::{Path, Used, level};
use super::reach::go_to;
use super::weaken::Weaken;
use crate::Control;
use conflicts::link;
use mutexes::owner_below;
use position::{Position, Scheme, before_timeout, candidates, scheme};
use rustc_hash::FxHashMap;
use selvedge_base::ThreadId;
use selvedge_model::{Choice, Detector, Fingerprint, NoDetector, Op, Status, Undo};
use since::Since;
use smallvec::SmallVec;
use std::rc::Rc;

/// The data that finding extensions keeps between configurations.
pub struct Extensions<'a, M: Undo> {
    control: &'a Control,
    probe: Path<M, NoDetector>,
    answers: FxHashMap<(EventId, ThreadId, Clock), SmallVec<[EventId; 2]>>,
    /// True if answers are not cached.
    forgets: bool,
    /// On the path examined last, the positions whose events do not have the same effect in every
    /// case.
    again: Vec<u32>,
    since: Since,
}

/// An enumeration of sets of concurrent events.
struct Antichains<'a> {
    at: &'a Position,
    scheme: Scheme,
    candidates: &'a [Used],
}

impl<'a, M: Undo + Fingerprint> Extensions<'a, M> {
    /// With a second machine, at the initial state. Once the exploration has to stop, extensions
    /// are no longer searched for.
    pub fn new(machine: M, store: &mut Store, control: &'a Control) -> Self {
        let mut probe = Path::new(machine, NoDetector, store);
        probe.stop_fingerprints();
        Extensions {
            control,
            probe,
            answers: FxHashMap::default(),
            forgets: false,
            again: Vec::new(),
            since: Since::default(),
        }
    }

    /// Stops caching the machine's answers. Repeating a query takes time instead of memory.
    pub fn forget(&mut self) {
        if !self.forgets {
            self.forgets = true;
            self.answers = FxHashMap::default();
        }
    }

    /// The second machine, in the state of this configuration. `None` if the configuration cannot
    /// be executed.
    pub fn stand_at(&mut self, store: &mut Store, configuration: &[Last]) -> Option<&M> {
        go_to(store, &mut self.probe, configuration).then_some(&self.probe.machine)
    }

    /// Finds the conflicting extensions of the path's configuration, and their immediate conflicts
    /// with its events. `cut`: enabled events that were not added because they are cutoffs.
    ///
    /// A beginning of the path was examined by an earlier call. Its events are examined again only
    /// under two conditions: their other effects may concern an event that is new since then, and
    /// that event does not come after them.
    pub fn extend<D: Detector<M>>(&mut self, store: &mut Store, path: &mut Path<M, D>, cut: &[EventId]) {
        let from = path.unchanged();
        self.since.turn_to(store, path, from);
        let common = self.again.partition_point(|&at| (at as usize) < from);
        self.again.truncate(common);
        for at in 0..common {
            if self.control.is_stop_requested() {
                break;
            }
            let id = path.event(self.again[at] as usize);
            if store.weaken.is(Weaken::Since) {
                continue;
            }
            if !self.since.comes_after(store, id) {
                self.extend_at(store, path, id);
            } else if store.compares {
                let before = (store.len(), store.links);
                self.extend_at(store, path, id);
                assert_eq!((store.len(), store.links), before, "{id} was looked at");
            }
        }
        for position in from..path.len() {
            if self.control.is_stop_requested() {
                break;
            }
            let id = path.event(position);
            self.extend_at(store, path, id);
            if !store[id].extended {
                self.again.push(position as u32);
            }
        }
        let mut ends = SmallVec::new();
        let weaken = store.weaken;
        for &event in cut.iter().filter(|_| !weaken.is(Weaken::Cut)) {
            self.extend_at(store, path, event);
            ends.push(store[event].action.thread);
        }
        for (number, pending) in path.machine.pending().iter().enumerate() {
            let number = ThreadId(number as u16);
            let looked_at = match pending.status {
                Status::Blocked => !store.weaken.is(Weaken::Blocked),
                // A compare-exchange that would succeed now could have failed before.
                Status::Held => !store.weaken.is(Weaken::HeldThreads),
                Status::Enabled => {
                    !store.weaken.is(Weaken::Between) && between(store, path, number) != Between::No
                }
                _ => false,
            };
            if looked_at {
                let position = Position::blocked(path, number);
                self.extend_position(store, path, &position);
                ends.push(position.thread);
            }
        }
        self.since.looked(path, ends);
        path.forget_changes();
    }

    fn extend_at<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, id: EventId) {
        if store[id].extended {
            return;
        }
        let position = Position::of(store, id);
        self.extend_position(store, path, &position);
        store[id].extended = !position.action.effect_varies() || store.weaken.is(Weaken::Again);
    }

    fn extend_position<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, at: &Position) {
        if store.weaken.is(Weaken::Class(at.action.op.class())) {
            return;
        }
        let mut below = Clock::new();
        if at.parent.is_some() {
            join(&mut below, &store[at.parent].clock);
        }
        // A thread that is begun again: its predecessor is the end of the old one.
        if at.action.op == Op::Start && at.waker.is_some() {
            join(&mut below, &store[at.waker].clock);
        }
        if matches!(at.action.op, Op::WaitAcquire | Op::FutexWoken)
            && at.parent.is_some()
            && (store[at.parent].timed || at.action.cancelable)
            && !store.weaken.is(Weaken::Timeouts)
        {
            // The wait could have ended without being woken.
            let candidates = before_timeout(store, path, at, &below);
            self.after_each(store, path, at, Scheme::Ask, &candidates, &below);
        }
        if at.action.op == Op::CancelPoint && !store.weaken.is(Weaken::Cancelled) {
            self.before_cancellation(store, path, at, &below);
        }
        match self.scheme(store, at) {
            Scheme::None => {}
            // An unlock never blocks temporarily. If it is blocked, its thread does not hold the
            // lock any more.
            // The same where the thread may be held in a loop: it depends on what it would read.
            Scheme::Certain if !at.event.is_some() || waits(store, at) => {
                let candidates = candidates(store, path, at, &below, Scheme::Certain);
                self.after_each(store, path, at, Scheme::Ask, &candidates, &below);
            }
            Scheme::Mutex => {
                if at.action.op == Op::WaitAcquire {
                    let before = &store[at.parent];
                    let waits = before.action.op == Op::WaitRelease && before.ending.decision == 0;
                    if !at.waker.is_some() && waits {
                        return; // the thread waits for a signal
                    }
                    if at.waker.is_some() {
                        join(&mut below, &store[at.waker].clock);
                    }
                }
                self.mutex(store, path, at, &below);
            }
            scheme @ (Scheme::Certain | Scheme::Ask) => {
                let candidates = candidates(store, path, at, &below, scheme);
                self.after_each(store, path, at, scheme, &candidates, &below);
            }
        }
    }

    /// How the other events at a position are found. Where threads take turns, the machine is
    /// asked whose turn it is.
    fn scheme(&self, store: &Store, at: &Position) -> Scheme {
        match scheme(store, at) {
            Scheme::Mutex | Scheme::Certain
                if self.probe.machine.takes_turns(&at.action) && !store.weaken.is(Weaken::Turns) =>
            {
                Scheme::Ask
            }
            scheme => scheme,
        }
    }

    /// The actions that a cancelled thread would have taken without the cancellation. They may
    /// depend on events beside its end.
    fn before_cancellation<D: Detector<M>>(
        &mut self,
        store: &mut Store,
        path: &Path<M, D>,
        at: &Position,
        below: &Clock,
    ) {
        if !go_to(store, &mut self.probe, below) {
            return;
        }
        let Some(number) = self.probe.number(at.thread) else {
            return;
        };
        let instead = Position {
            action: self.probe.pending(number),
            beside: true,
            ..*at
        };
        if instead.action.op != Op::CancelPoint {
            let candidates = candidates(store, path, &instead, below, Scheme::Ask);
            self.after_each(store, path, &instead, Scheme::Ask, &candidates, below);
        }
    }

    /// The events of a position after each set of concurrent candidates.
    fn after_each<D: Detector<M>>(
        &mut self,
        store: &mut Store,
        path: &Path<M, D>,
        at: &Position,
        scheme: Scheme,
        candidates: &[Used],
        below: &Clock,
    ) {
        let choice = Antichains {
            at,
            scheme,
            candidates: if store.weaken.is(Weaken::OnlyEmpty) {
                &[]
            } else {
                candidates
            },
        };
        self.antichains(store, path, &choice, 0, below, &mut Vec::new());
    }

    /// Enumerates every set of pairwise concurrent candidates.
    fn antichains<D: Detector<M>>(
        &mut self,
        store: &mut Store,
        path: &Path<M, D>,
        choice: &Antichains<'_>,
        from: usize,
        causes: &Clock,
        chosen: &mut Vec<Used>,
    ) {
        match choice.scheme {
            Scheme::Ask => self.ask(store, path, choice.at, causes),
            _ => self.certain(store, path, choice.at, causes),
        }
        for (i, candidate) in choice.candidates.iter().enumerate().skip(from) {
            let comparable = chosen.iter().any(|c| {
                Path::<M, D>::below(c, &store[candidate.event].clock)
                    || Path::<M, D>::below(candidate, &store[c.event].clock)
            });
            if comparable {
                continue;
            }
            if self.control.is_stopped() {
                return;
            }
            let mut more = causes.clone();
            join(&mut more, &store[candidate.event].clock);
            chosen.push(*candidate);
            self.antichains(store, path, choice, i + 1, &more, chosen);
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
        // That the thread ended with its action is an assumption here; nothing else is.
        let action = at.action;
        let decision = match action.op {
            Op::Choose if at.event.is_some() => store[at.event].ending.decision,
            _ => 0,
        };
        let ending = Ending {
            decision,
            ..Ending::default()
        };
        let continues = action.op == Op::Choose && at.parent.is_some() && store[at.parent].incomplete;
        let what = if continues {
            let other = Rc::clone(&store[at.parent].what);
            store.labels.continuing(&action, &ending, &other)
        } else {
            store.labels.of(&action, &ending)
        };
        let (event, new) = store.intern(at.parent, &what, causes);
        if new {
            let owner = owner_below(path, &what.uses, causes);
            let level = level(store, owner, &action);
            let known = &mut store[event];
            known.before = owner;
            known.mutex = level;
            known.waker = at.waker;
        }
        link(store, path, event);
    }

    /// Queries the machine for what the thread can do after these causes.
    fn ask<D: Detector<M>>(&mut self, store: &mut Store, path: &Path<M, D>, at: &Position, causes: &Clock) {
        let trimmed = trimmed(causes);
        if at.event.is_some() && store[at.event].sole && causes_of(store, at.event) == trimmed {
            // The event itself is the answer.
            if store.compares {
                assert_eq!(self.possible(store, at.thread, causes).as_slice(), [at.event]);
            }
            link(store, path, at.event);
            return;
        }
        let key = (at.parent, at.thread, trimmed);
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
            link(store, path, event);
        }
    }

    /// The events of a thread with exactly these causes.
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
            let all = causes_of(store, event);
            if all == causes {
                found.push(event);
            }
            self.probe.undo(store, len);
        }
        found
    }
}

/// Whether the action at a position may be held in a loop.
fn waits(store: &Store, at: &Position) -> bool {
    at.parent.is_some() && store[at.parent].waits
}

fn trimmed(clock: &[Last]) -> Clock {
    let mut clock: Clock = SmallVec::from_slice(clock);
    while clock.last().is_some_and(|l| l.depth() == 0) {
        clock.pop();
    }
    clock
}
