//! An executed configuration: a machine in its state, its events in the order taken, and for each
//! object the events that used it.
//!
//! Stepping the machine gives events their names. The causes of a thread's next action are the
//! thread's last event, the event that woke it, and the earlier uses of its objects that are
//! dependent on its own uses. These uses are found from the end of each object's list. The search
//! stops at a use that has all earlier ones below it.

mod causes;

use super::event::{Clock, EventId, Last, Level, Store, last};
use super::footprint::{Trace, history};
use super::label::{Ending, Label, Use};
use super::past::Knowledge;
use super::weaken::Weaken;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{Action, Choice, Detector, Fault, Fingerprint, Op, Outcome, Synchronises, Undo};
use smallvec::SmallVec;
use std::rc::Rc;

/// The cost of a data choice, where another step costs 1: the solver is queried.
const CHOICE: u64 = 20;

/// A use of an object by an event of the path.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// The event.
    pub event: EventId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its position in its thread.
    pub depth: u32,
    /// The use.
    pub what: Use,
}

/// The data for undoing one event.
struct Step<M, D> {
    event: EventId,
    /// Its label on this path. In programs with data races it need not follow from the causes, and
    /// it may differ from the event's first label.
    what: Rc<Label>,
    machine: M,
    detector: D,
    before: Last,
    woken: SmallVec<[(ThreadId, EventId); 1]>,
    threads: usize,
}

/// See the module's documentation.
pub struct Path<M: Undo, D: Detector<M>> {
    /// The machine, at the state of the configuration.
    pub machine: M,
    /// The detector.
    pub detector: D,
    /// The faults that the detector found; the caller collects them.
    pub faults: Vec<Fault>,
    steps: Vec<Step<M::Mark, D::Mark>>,
    choices: Vec<Choice>,
    clock: Clock,
    /// For each thread, by name, the positions of its events.
    positions: Vec<Vec<u32>>,
    /// The name of each thread by the machine's number, and the reverse.
    names: Vec<ThreadId>,
    numbers: Vec<Option<ThreadId>>,
    /// For each thread, by name, the last event that named it.
    woken: Vec<EventId>,
    /// For each object, by number, the events that used it, in the order taken.
    history: Vec<Vec<Used>>,
    several: bool,
    work: u64,
    prints: bool,
    /// The minimum number of events since [`forget_changes`](Self::forget_changes).
    low: usize,
}

impl<M: Undo + Fingerprint, D: Detector<M>> Path<M, D> {
    /// The empty configuration. The machine is in its initial state.
    pub fn new(machine: M, detector: D, store: &mut Store) -> Self {
        let initial = machine.pending().len();
        let mut path = Path {
            machine,
            detector,
            faults: Vec::new(),
            steps: Vec::new(),
            choices: Vec::new(),
            clock: Clock::new(),
            positions: Vec::new(),
            names: Vec::new(),
            numbers: Vec::new(),
            woken: Vec::new(),
            history: Vec::new(),
            several: false,
            work: 0,
            prints: true,
            low: 0,
        };
        for thread in 0..initial {
            let name = store.thread(None, thread as u32);
            path.add_name(name);
        }
        path
    }

    /// Tells the path that the changes to the fingerprint are not needed.
    pub fn stop_fingerprints(&mut self) {
        self.machine.stop_fingerprints();
        self.prints = false;
    }

    fn add_name(&mut self, name: ThreadId) {
        let number = ThreadId::from_index(self.names.len());
        self.names.push(name);
        if self.numbers.len() <= name.index() {
            self.numbers.resize(name.index() + 1, None);
            self.woken.resize(name.index() + 1, EventId::NONE);
        }
        self.numbers[name.index()] = Some(number);
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The event at a position, in the order taken.
    pub fn event(&self, position: usize) -> EventId {
        self.steps[position].event
    }

    /// The number of first events, in the order taken, that another configuration has, too.
    pub fn shared_with(&self, store: &Store, configuration: &[Last]) -> usize {
        let mut shared = self.steps.len();
        for (thread, &mine) in self.clock.iter().enumerate() {
            let theirs = last(configuration, ThreadId::from_index(thread));
            let common = store.common(mine, theirs);
            if common < mine.depth() {
                shared = shared.min(self.positions[thread][common as usize] as usize);
            }
        }
        shared
    }

    /// The choices that lead here.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The configuration.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The machine's number of a thread.
    pub fn number(&self, name: ThreadId) -> Option<ThreadId> {
        self.numbers.get(name.index()).copied().flatten()
    }

    /// The name of a thread, by the machine's number.
    pub fn name(&self, number: ThreadId) -> ThreadId {
        self.names[number.index()]
    }

    /// The uses of an object, by its [number](super::label::Labels::known_slot), in the order
    /// taken.
    #[inline]
    pub fn history(&self, slot: u32) -> &[Used] {
        self.history.get(slot as usize).map_or(&[], Vec::as_slice)
    }

    /// The uses of an object, by its name.
    pub fn history_of(&self, store: &Store, object: u64) -> &[Used] {
        store
            .labels
            .known_slot(object)
            .map_or(&[], |slot| self.history(slot))
    }

    /// The number of first events that did not change since
    /// [`forget_changes`](Self::forget_changes).
    pub fn unchanged(&self) -> usize {
        self.low
    }

    /// Begins to watch for changes.
    pub fn forget_changes(&mut self) {
        self.low = self.steps.len();
    }

    /// True if an event of the path is in a configuration that lies in the path's.
    #[inline]
    pub fn below(used: &Used, clock: &[Last]) -> bool {
        last(clock, used.thread).depth() >= used.depth
    }

    /// The pending action of a thread, with names of threads.
    pub fn pending(&self, number: ThreadId) -> Action {
        let action = self.machine.pending()[number.index()].action;
        action.renamed(|t| self.names.get(t.index()).copied().unwrap_or(t))
    }

    /// The event that woke a thread after its last event, if any.
    pub fn waker(&self, name: ThreadId) -> Option<EventId> {
        let waker = self.woken.get(name.index()).copied().filter(|w| w.is_some())?;
        Some(waker)
    }

    /// Takes a step. Returns the event, and true if its name is new.
    pub fn take(&mut self, store: &mut Store, choice: Choice) -> (EventId, bool) {
        let number = choice.thread.index();
        let thread = self.names[number];
        let pending = &self.machine.pending()[number];
        let pending_action = pending.action;
        let chooses = pending_action.op == Op::Choose;
        let decides = chooses || pending.alternatives > 1;
        let decision = if decides { self.machine.decision(choice) } else { 0 };
        let mark = (self.machine.mark(), self.detector.mark());
        let threads = self.names.len();
        self.work += if chooses { CHOICE } else { 1 };
        let taken = self.machine.step(choice);
        // A data choice keeps its own action, whatever it completes: its parent has that action.
        let size = match pending_action.op {
            // Which message it is, is known with the event only.
            Op::Channel => taken.action.size,
            _ => pending_action.size,
        };
        let chosen = Action {
            ends: taken.action.ends,
            size,
            ..pending_action
        };
        let action = chosen.renamed(|t| self.names.get(t.index()).copied().unwrap_or(t));
        self.several = taken.alternatives > 1;
        let mut ending = Ending {
            // An access that was a fault has the name with which it was searched for.
            failed: taken.outcome == Outcome::Failed && !matches!(action.op, Op::Read | Op::Write),
            decision,
            named: SmallVec::new(),
        };
        let before = last(&self.clock, thread);
        let parent = match before.event() {
            event if event.is_some() => event,
            _ => self.woken[thread.index()],
        };
        match taken.outcome {
            Outcome::Thread(named) if named.index() >= threads => {
                let ordinal = if before.event().is_some() {
                    store[before.event()].spawned
                } else {
                    0
                };
                let name = store.thread(Some(thread), ordinal);
                self.add_name(name);
                ending.named.push(name);
            }
            Outcome::Thread(named) => ending.named.push(self.names[named.index()]),
            Outcome::Threads(set) => {
                let named = self.machine.waiters(set).iter();
                ending.named.extend(named.map(|t| self.names[t.index()]));
                ending.named.retain(|t| *t != thread);
                ending.named.sort_unstable();
            }
            _ => {}
        }
        let incomplete_before =
            before.event().is_some() && store[before.event()].incomplete && action.op == Op::Choose;
        let what = if incomplete_before {
            let other = Rc::clone(&store[before.event()].what);
            store.labels.continuing(&action, &ending, &other)
        } else {
            store.labels.of(&action, &ending)
        };
        let (clock, owner) = self.causes(store, thread, &what);
        let incomplete = self.machine.is_incomplete(choice.thread);
        let (event, new) = store.intern(parent, &what, &clock);
        if new {
            let mutex = level(store, owner, &action);
            let known = &mut store[event];
            known.mutex = mutex;
            known.before = owner;
            known.waker = self.woken[thread.index()];
        }
        if store.keeps_notices {
            store.notices.extend_from_slice(self.machine.notices());
            let (known, now) = (store[event].action, action);
            let same = (known.op, known.object, known.object2, known.size)
                == (now.op, now.object, now.object2, now.size);
            store.strayed |= store[event].executed && !same;
        }
        if self.prints && !store[event].printed {
            let above = match before.event() {
                before if before.is_some() => store[before].print,
                _ => Digest::EMPTY,
            };
            let known = &mut store[event];
            known.printed = true;
            known.print = above.with(self.machine.delta());
        }
        if !store[event].executed {
            let sole = self.is_sole(store, &taken, &clock);
            // An alternative of a data choice was known before its thread came here.
            store[event].spawned = spawned(store, before.event(), &action, &ending);
            let known = &mut store[event];
            known.executed = true;
            known.sole = sole;
            known.incomplete = incomplete;
            store.some_incomplete |= incomplete;
            let known = &mut store[event];
            known.timed = matches!(action.op, Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait)
                && self.machine.pending()[number].action.op == Op::WaitTimeout;
            known.waits = self.machine.may_wait(choice.thread);
            known.alternative = choice.alternative;
            // Only now it is known whether the thread ended with it.
            known.what = Rc::clone(&what);
            if store.keeps_footprints {
                // Accesses before and after a part would have to be distinguished.
                assert!(self.machine.parts().is_empty(), "a machine with parts");
                let accesses = self.machine.accesses();
                let before = before.event();
                // A data choice that completes an action has the footprint of the action as well.
                // No event came between.
                let mut footprint = store.footprints.of(&action, accesses);
                let mut touched = store.footprints.hash(footprint, accesses);
                let mut completed = action;
                if incomplete_before {
                    touched = touched.with(store[before].touched);
                    footprint = store.footprints.union(store[before].footprint, footprint);
                    completed = store[store.begun_by(before)].action;
                }
                store[event].footprint = footprint;
                store[event].touched = touched;
                let counts = store.footprints.count(footprint) || store.weaken.is(Weaken::HistoryFootprint);
                if store.past.knowledge == Knowledge::LastActions && counts {
                    store[event].history = history(&Trace {
                        action: &completed,
                        footprint: touched,
                        name: &|thread| store.name(thread),
                        weaken: store.weaken,
                    });
                }
                store[event].knows = self.knows(store, thread, &what, incomplete);
            }
        }
        let depth = before.depth() + 1;
        for what in &what.uses {
            let slot = what.slot as usize;
            if self.history.len() <= slot {
                self.history.resize_with(slot + 1, Vec::new);
            }
            self.history[slot].push(Used {
                event,
                thread,
                depth,
                what: *what,
            });
        }
        if self.clock.len() <= thread.index() {
            self.clock.resize(thread.index() + 1, Last::default());
        }
        self.clock[thread.index()] = Last::new(event, depth);
        if self.positions.len() <= thread.index() {
            self.positions.resize_with(thread.index() + 1, Vec::new);
        }
        self.positions[thread.index()].push(self.steps.len() as u32);
        let mut woken = SmallVec::new();
        if self.woken[thread.index()].is_some() {
            woken.push((thread, self.woken[thread.index()]));
            self.woken[thread.index()] = EventId::NONE;
        }
        for &named in &ending.named {
            woken.push((named, self.woken[named.index()]));
            self.woken[named.index()] = event;
        }
        self.detector.event(&self.machine, &taken, &mut self.faults);
        self.choices.push(choice);
        self.steps.push(Step {
            event,
            what,
            machine: mark.0,
            detector: mark.1,
            before,
            woken,
            threads,
        });
        (event, new)
    }

    /// Returns to the first `len` events.
    pub fn undo(&mut self, store: &Store, len: usize) {
        if self.steps.len() <= len {
            return;
        }
        self.low = self.low.min(len);
        let (mut machine, mut detector) = (None, None);
        while self.steps.len() > len {
            let Some(step) = self.steps.pop() else { break };
            let event = &store[step.event];
            let thread = event.thread;
            for what in &step.what.uses {
                self.history[what.slot as usize].pop();
            }
            self.clock[thread.index()] = step.before;
            self.positions[thread.index()].pop();
            for &(thread, waker) in step.woken.iter().rev() {
                self.woken[thread.index()] = waker;
            }
            while self.names.len() > step.threads {
                if let Some(name) = self.names.pop() {
                    self.numbers[name.index()] = None;
                }
            }
            (machine, detector) = (Some(step.machine), Some(step.detector));
        }
        if let (Some(machine), Some(detector)) = (machine, detector) {
            self.machine.undo(machine);
            self.detector.undo(detector);
        }
        self.choices.truncate(len);
    }

    /// Executes a known event next, if that is possible here. Otherwise nothing happens.
    pub fn follow(&mut self, store: &mut Store, event: EventId) -> bool {
        let (thread, alternative) = (store[event].action.thread, store[event].alternative);
        let Some(number) = self.number(thread) else {
            return false;
        };
        let pending = self.machine.pending()[number.index()];
        if !pending.is_enabled() {
            return false;
        }
        let choose = |alternative| Choice {
            thread: number,
            alternative,
        };
        let first = alternative.min(pending.alternatives - 1);
        let others = (0..pending.alternatives).filter(|&a| a != first);
        for alternative in std::iter::once(first).chain(others) {
            let decides = pending.action.op == Op::Choose;
            if decides && self.machine.decision(choose(alternative)) != store[event].ending.decision {
                continue;
            }
            let len = self.len();
            if self.take(store, choose(alternative)).0 == event {
                return true;
            }
            self.undo(store, len);
            self.faults.clear();
        }
        false
    }

    /// The cost of its steps so far, including undone ones: 1 for each, and [`CHOICE`] for a data
    /// choice.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// True if the last event was one of several alternatives.
    pub fn was_chosen(&self) -> bool {
        self.several
    }
}

fn spawned(store: &Store, before: EventId, action: &Action, ending: &Ending) -> u32 {
    let so_far = if before.is_some() {
        store[before].spawned
    } else {
        0
    };
    let is_new = |&named| store.is_child(named, action.thread, so_far);
    so_far + u32::from(action.op == Op::Spawn && ending.named.iter().any(is_new))
}

/// The state of the mutex that an action uses exclusively, after the action. `owner`: the previous
/// event that used it exclusively.
pub fn level(store: &Store, owner: EventId, action: &Action) -> Level {
    let before = if owner.is_some() {
        store[owner].mutex
    } else {
        Level::Free
    };
    match action.op.info().synchronises {
        Synchronises::Taken | Synchronises::WaitEnds if before == Level::Free => Level::Taken,
        // A thread that ends while it holds a robust mutex leaves it neither free nor taken.
        Synchronises::GivenBack | Synchronises::WaitBegins
            if before == Level::Taken && action.op != Op::OwnerDied =>
        {
            Level::Free
        }
        // Unless it belongs to another object, in the same word.
        Synchronises::SetUp if action.op == Op::Init && action.object.0 & 7 == 0 => Level::Free,
        _ => Level::Unknown,
    }
}
