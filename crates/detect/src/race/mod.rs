//! Data races by happens-before (docs/semantics.md, "Data races").
//!
//! Each thread has a vector clock. Synchronisation carries clocks from thread to thread, and shadow
//! memory keeps the accesses with which a later one may race. Clocks are the detector's own. The
//! dependence order of the explorer orders more (every two uses of one mutex, in whichever order)
//! and would hide races.
//!
//! Decisions where the rules leave a choice:
//! - *Semaphores*: a wait acquires from every earlier post, not only from "its" one.
//!   Implementations are counters with read-modify-writes, so they guarantee this; pairing posts
//!   with waits would raise false alarms. Nothing is lost over all schedules. If a wait did not
//!   need some post, it also comes before that post in another schedule, because post and wait are
//!   dependent.
//! - *Release sequences* are those of C11: they continue through stores of the same thread and
//!   read-modify-writes of any thread. Or, if the machine says so, those of C++20: they continue
//!   through read-modify-writes alone.
//! - A compare-and-swap that failed is a read with the failure order. The machine reports it as an
//!   atomic read access of the same address; without this report, the order of the action counts.
//! - Atomic variables are named by their first byte and size. If they overlap, a read acquires from
//!   all of them, and a store ends the release sequences of those that it covers. (C11 leaves such
//!   accesses undefined; compilers and processors do not.)
//! - Synchronisation operations count as atomic writes of their object's bytes. Reading a
//!   semaphore's value counts as an atomic read. `Init` and `Destroy` count only if the action
//!   gives the number of bytes.

mod access;
mod atomics;
mod digest;
mod held;
mod lockset;
mod objects;
mod recall;
mod report;
mod shadow;
mod store;
mod sums;
#[cfg(test)]
mod tests;

pub use digest::About;
use digest::Names;
use lockset::Locksets;
use objects::Objects;
pub use recall::RecallingRaces;
use report::Race;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{
    Access, Action, Describe, Detector, Event, Fault, Held, Machine, MemoryOrder, ObjectId, Op, Outcome,
    Pending, Places, Seen, Synchronises,
};
use shadow::{Entry, Kind, Shadow};
use std::cell::RefCell;
use store::{Space, Store};
use sums::Sums;

/// Finds data races.
#[derive(Clone, Debug)]
pub struct RaceDetector {
    store: Store,
    shadow: Shadow,
    /// What the digest needs of shadow memory.
    sums: RefCell<Sums>,
    objects: Objects,
    locksets: Locksets,
    /// Permanent records, by thread number.
    threads: Vec<Thread>,
    /// True if some atomic variables overlap.
    overlap: bool,
    /// True if stores of the same thread end release sequences.
    short_sequences: bool,
    /// The races of the present event. The vector is kept to reuse its allocation.
    races: Vec<Race>,
    #[cfg(test)]
    broken: Option<Rule>,
}

/// A position to which the detector can return.
#[derive(Clone, Copy, Debug)]
pub struct RaceMark {
    store: store::StoreMark,
    ranges: u32,
}

/// The position of a thread's words.
#[derive(Clone, Copy, Debug)]
struct Thread {
    /// Four clocks: the thread's clock, the clock that it will acquire at an acquire fence, its
    /// clock at its last release fence, and the clock of the thread that woke it.
    clocks: u32,
    /// Three words: whether a wakeup is pending, the locks held, whether the thread was joined.
    words: usize,
}

impl Thread {
    const fn clock(self) -> u32 {
        self.clocks
    }
    const fn at_acquire_fence(self) -> u32 {
        self.clocks + 1
    }
    const fn at_release_fence(self) -> u32 {
        self.clocks + 2
    }
    const fn notification(self) -> u32 {
        self.clocks + 3
    }
    const fn notified(self) -> usize {
        self.words
    }
    const fn locks(self) -> usize {
        self.words + 1
    }
    const fn joined(self) -> usize {
        self.words + 2
    }
}

impl Default for RaceDetector {
    fn default() -> Self {
        Self::new()
    }
}

/// The size of a barrier on x86-64 Linux, and of a semaphore, which nobody leaves.
const BARRIER: u64 = 32;

impl RaceDetector {
    /// A detector at the beginning of an execution.
    pub fn new() -> Self {
        let mut store = Store::new();
        RaceDetector {
            shadow: Shadow::new(&mut store),
            sums: RefCell::default(),
            store,
            objects: Objects::new(),
            locksets: Locksets::new(),
            threads: Vec::new(),
            overlap: false,
            short_sequences: false,
            races: Vec::new(),
            #[cfg(test)]
            broken: None,
        }
    }

    /// Makes records for threads up to this one. Its own counter begins to tick if it has not yet.
    #[inline]
    fn thread(&mut self, thread: usize) -> Thread {
        if thread >= self.threads.len() {
            self.new_threads(thread);
        }
        let record = self.threads[thread];
        if self.store.tick(record.clock(), thread) == 0 {
            self.store.set_tick(record.clock(), thread, 1);
        }
        record
    }

    fn new_threads(&mut self, thread: usize) {
        self.store.widen(thread);
        while self.threads.len() <= thread {
            let clocks = self.store.new_clocks(4);
            let words = self.store.grow(Space::Records, 3);
            self.threads.push(Thread { clocks, words });
        }
    }

    /// The number of counters in use.
    #[inline]
    fn width(&self) -> usize {
        self.threads.len()
    }

    /// Applies the happens-before rules of an operation, in this order: acquire, access the object,
    /// release.
    fn synchronise<M: Machine + ?Sized>(&mut self, machine: &M, accesses: &[Access], event: &Event) {
        let action = &event.action;
        let me = action.thread.index();
        if event.outcome == Outcome::Incomplete {
            return; // the effect comes with the data choice that follows
        }
        let failed = event.outcome == Outcome::Failed;
        match action.op.info().synchronises {
            Synchronises::Creation => {
                if let Outcome::Thread(new) = event.outcome {
                    self.spawn(me, new.index());
                }
            }
            Synchronises::ThreadEnd => {
                if let (Some(ended), false) = (action.object.as_thread(), failed) {
                    let ended = self.thread(ended.index());
                    self.store.set(Space::Records, ended.joined(), 1);
                    self.learn(me, ended.clock(), Rule::Join);
                }
            }
            Synchronises::Taken => {
                if !failed {
                    let object = self.objects.get(&mut self.store, action.object);
                    self.learn(me, object.released(), Rule::Lock);
                }
                self.touch(event, action.object, me, false);
                if !failed {
                    self.hold(event, action.object);
                }
            }
            Synchronises::GivenBack => {
                self.touch(event, action.object, me, false);
                if !failed {
                    self.let_go(me, action.object);
                    let object = self.objects.get(&mut self.store, action.object);
                    self.teach(me, object.released(), Rule::Unlock);
                }
            }
            Synchronises::TakenShared => {
                if !failed {
                    let object = self.objects.get(&mut self.store, action.object);
                    self.learn(me, object.released(), Rule::RdLock);
                }
                self.touch(event, action.object, me, false);
                if !failed {
                    self.hold(event, action.object);
                }
            }
            Synchronises::TakenFromAll => {
                if !failed {
                    let object = self.objects.get(&mut self.store, action.object);
                    self.learn(me, object.released(), Rule::Lock);
                    self.learn(me, object.read_released(), Rule::WrLockAfterReaders);
                }
                self.touch(event, action.object, me, false);
                if !failed {
                    self.hold(event, action.object);
                }
            }
            Synchronises::SharedGivenBack => {
                self.touch(event, action.object, me, false);
                if !failed {
                    self.let_go(me, action.object);
                    let object = self.objects.get(&mut self.store, action.object);
                    self.teach(me, object.read_released(), Rule::Unlock);
                }
            }
            Synchronises::WaitBegins => {
                self.touch(event, action.object, me, false);
                self.touch_mutex(event, me);
                if !failed {
                    let record = self.threads[me];
                    self.store.set(Space::Records, record.notified(), 0);
                    self.let_go(me, action.object2);
                    let mutex = self.objects.get(&mut self.store, action.object2);
                    self.teach(me, mutex.released(), Rule::WaitReleases);
                }
            }
            Synchronises::WaitEnds => {
                let mutex = self.objects.get(&mut self.store, action.object2);
                self.learn(me, mutex.released(), Rule::WaitAcquires);
                self.learn_notification(me, Rule::Signal);
                self.touch_mutex(event, me);
                self.hold(event, action.object2);
            }
            Synchronises::Notification => {
                self.touch(event, action.object, me, false);
                self.notify(machine, me, event.outcome);
            }
            Synchronises::Arrival => {
                self.touch(event, action.object, me, false);
                if !failed {
                    self.arrive(machine, me, action.object, event.outcome);
                }
            }
            Synchronises::Sleeps => {
                let read = Action {
                    op: Op::Read,
                    object: action.object2,
                    ..*action
                };
                self.atomic(&read, event.context.0, false);
                if !failed {
                    self.store.set(Space::Records, self.threads[me].notified(), 0);
                }
            }
            Synchronises::WordGivenBack => {
                let write = Action {
                    op: Op::Write,
                    object: action.object2,
                    ..*action
                };
                self.atomic(&write, event.context.0, failed);
                self.store.set(Space::Records, self.threads[me].notified(), 0);
            }
            Synchronises::Departure => {
                self.learn_notification(me, Rule::Barrier);
                // A thread that leaves a barrier still looks at it. Whoever destroys the barrier
                // waits for that.
                if action.op == Op::BarrierLeave && !failed {
                    self.touch(event, action.object, me, false);
                    let object = self.objects.get(&mut self.store, action.object);
                    self.teach(me, object.read_released(), Rule::Barrier);
                }
            }
            Synchronises::Post => {
                self.touch(event, action.object, me, false);
                if !failed {
                    let object = self.objects.get(&mut self.store, action.object);
                    self.teach(me, object.released(), Rule::Post);
                }
            }
            Synchronises::Take => {
                if !failed {
                    let object = self.objects.get(&mut self.store, action.object);
                    self.learn(me, object.released(), Rule::SemWait);
                }
                self.touch(event, action.object, me, false);
            }
            Synchronises::OnceEntered => {
                let object = self.objects.get(&mut self.store, action.object);
                self.learn(me, object.released(), Rule::Once);
                self.touch(event, action.object, me, false);
            }
            Synchronises::Block => {
                // Blocks exclude each other, like critical sections of one lock. The accesses of
                // this block come with its event.
                let object = self.objects.get(&mut self.store, action.object);
                self.learn(me, object.released(), Rule::Lock);
            }
            Synchronises::OnceDone => {
                self.touch(event, action.object, me, false);
                let object = self.objects.get(&mut self.store, action.object);
                self.teach(me, object.released(), Rule::Once);
            }
            Synchronises::SetUp => {
                if action.object.is_address() {
                    let object = self.objects.get(&mut self.store, action.object);
                    if action.op == Op::Destroy && action.object_size() == BARRIER {
                        self.learn(me, object.read_released(), Rule::Barrier);
                    }
                    self.touch(event, action.object, me, false);
                    self.forget_variables(action.object.0, action.object_size());
                    self.objects.forget(&mut self.store, object, self.threads.len());
                }
            }
            Synchronises::Memory => self.memory(accesses, event),
            // The object is read; most of these operations have no object in memory.
            Synchronises::Nothing => self.touch(event, action.object, me, true),
            Synchronises::HandedOn => self.hand_on(action, failed),
        }
    }

    /// A pipe passes on the clocks of its writers, as its lock does: each read acquires from all
    /// earlier writes.
    fn hand_on(&mut self, action: &Action, failed: bool) {
        if failed || action.order == MemoryOrder::NotAtomic {
            return;
        }
        let through = if action.object2 == ObjectId::NONE {
            action.object
        } else {
            action.object2
        };
        let (me, object) = (action.thread.index(), self.objects.get(&mut self.store, through));
        if action.order.acquires() {
            self.learn(me, object.released(), Rule::Pipe);
        }
        if action.order.releases() {
            self.teach(me, object.released(), Rule::Pipe);
        }
    }

    fn spawn(&mut self, me: usize, new: usize) {
        self.thread(new);
        if self.store.get(Space::Records, self.threads[new].joined()) != 0 {
            self.begin_again(new);
        }
        let (parent, child) = (self.threads[me], self.threads[new]);
        if self.obeys(Rule::Spawn) {
            self.store.join(child.clock(), parent.clock(), self.threads.len());
        }
        self.tick(me);
    }

    /// A thread takes the place of one that has ended, and that its creator has joined. All that
    /// the old one did happens before, so the clock goes on. What C11 says of one thread
    /// (fences, release sequences) does not reach from the old one to the new one.
    fn begin_again(&mut self, thread: usize) {
        let (record, width) = (self.threads[thread], self.width());
        self.store.set(Space::Records, record.joined(), 0);
        self.store.set(Space::Records, record.notified(), 0);
        self.store.clear(record.at_acquire_fence(), width);
        self.store.clear(record.at_release_fence(), width);
        self.tick(thread);
        self.end_heads(thread);
    }

    /// Joins another clock into a thread's clock.
    #[inline]
    fn learn(&mut self, me: usize, from: u32, rule: Rule) {
        if self.obeys(rule) {
            self.store
                .join(self.threads[me].clock(), from, self.threads.len());
        }
    }

    /// Joins a thread's clock into another clock, and begins a new tick of the thread.
    #[inline]
    fn teach(&mut self, me: usize, to: u32, rule: Rule) {
        if self.obeys(rule) {
            self.store.join(to, self.threads[me].clock(), self.threads.len());
        }
        self.tick(me);
    }

    #[inline]
    fn tick(&mut self, me: usize) {
        let clock = self.threads[me].clock();
        let tick = self.store.tick(clock, me);
        self.store.set_tick(clock, me, tick + 1);
    }

    fn learn_notification(&mut self, me: usize, rule: Rule) {
        let record = self.threads[me];
        if self.store.get(Space::Records, record.notified()) != 0 {
            self.store.set(Space::Records, record.notified(), 0);
            self.learn(me, record.notification(), rule);
        }
    }

    fn notify<M: Machine + ?Sized>(&mut self, machine: &M, me: usize, outcome: Outcome) {
        let one = match outcome {
            Outcome::Thread(woken) => [woken],
            _ => [ThreadId(0)],
        };
        let woken = match outcome {
            Outcome::Thread(_) => &one[..],
            Outcome::Threads(set) => machine.waiters(set),
            _ => return, // lost
        };
        for woken in woken {
            self.thread(woken.index());
            self.wake(self.threads[me].clock(), woken.index());
        }
        self.tick(me);
    }

    /// Stores a clock that a thread acquires when it goes on.
    fn wake(&mut self, clock: u32, woken: usize) {
        let record = self.threads[woken];
        self.store.copy(record.notification(), clock, self.threads.len());
        self.store.set(Space::Records, record.notified(), 1);
    }

    fn arrive<M: Machine + ?Sized>(&mut self, machine: &M, me: usize, barrier: ObjectId, outcome: Outcome) {
        let round = self.objects.get(&mut self.store, barrier).released();
        self.store.set(Space::Records, self.threads[me].notified(), 0);
        self.teach(me, round, Rule::Barrier);
        // The round ends with the arrival that releases threads. Arrivals of the next round must
        // not be mixed with it.
        let mut ended = false;
        if let Outcome::Threads(set) = outcome {
            for &released in machine.waiters(set) {
                self.thread(released.index());
                self.wake(round, released.index());
                ended = true;
            }
        }
        if ended {
            self.learn(me, round, Rule::Barrier);
            self.store.clear(round, self.threads.len());
        }
    }

    fn hold(&mut self, event: &Event, lock: ObjectId) {
        let word = self.threads[event.action.thread.index()].locks();
        let held = self.store.get(Space::Records, word);
        let held = self.locksets.push(held, (lock, event.action.stmt, event.context));
        self.store.set(Space::Records, word, held);
    }

    fn let_go(&mut self, me: usize, lock: ObjectId) {
        let word = self.threads[me].locks();
        let held = self.store.get(Space::Records, word);
        let held = self.locksets.pop(held, lock);
        self.store.set(Space::Records, word, held);
    }

    /// The present position.
    #[inline]
    fn here(&self) -> RaceMark {
        RaceMark {
            store: self.store.mark(),
            ranges: self.shadow.mark(),
        }
    }

    #[inline]
    fn back_to(&mut self, mark: RaceMark) {
        self.store.undo(mark.store);
        self.shadow.undo(mark.ranges);
    }

    /// Processes a step. Its races are kept until they are reported. The machine is only asked for
    /// sets of threads.
    #[inline]
    fn see<M: Machine + ?Sized>(&mut self, machine: &M, seen: &Seen<'_>) {
        let event = seen.event;
        let me = event.action.thread.index();
        self.short_sequences = machine.has_short_release_sequences();
        self.thread(me);
        self.synchronise(machine, seen.accesses, event);
        self.rest(machine, seen);
        // A data choice within a block does not end the block: the choice is then pending in the
        // thread, and no other thread runs in between. If a machine knows the outcome, there is no
        // choice. Both cases must give the same accesses the same ticks.
        let chooses = |p: &Pending| p.action.op == Op::Choose && p.is_enabled();
        if event.action.op == Op::AtomicBlock && !seen.pending.get(me).is_some_and(chooses) {
            let object = self.objects.get(&mut self.store, event.action.object);
            self.teach(me, object.released(), Rule::Unlock);
        }
    }

    /// An access by a thread, now.
    #[inline]
    fn entry(&self, me: usize, kind: Kind, stmt: u32, context: u32) -> Entry {
        let record = self.threads[me];
        Entry {
            thread: me,
            tick: self.store.tick(record.clock(), me),
            kind,
            stmt,
            context,
            locks: self.store.get(Space::Records, record.locks()),
        }
    }
}

impl<M: Describe + ?Sized> Detector<M> for RaceDetector {
    type Mark = RaceMark;

    #[inline]
    fn mark(&mut self) -> RaceMark {
        self.here()
    }

    #[inline]
    fn undo(&mut self, mark: RaceMark) {
        self.back_to(mark);
    }

    #[inline]
    fn event(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        self.see(machine, &Seen::last(machine, event));
        if !self.races.is_empty() {
            self.report(machine, faults);
        }
    }

    fn end(&mut self, _: &M, _: &mut Vec<Fault>) {}

    fn held(&self, machine: &M, places: &Places) -> Option<Held> {
        Some(self.candidates(machine.pending(), Names::of(machine), places))
    }

    fn digest(&self, machine: &M) -> Option<Digest> {
        Some(self.remembered(machine.pending(), Names::of(machine)))
    }

    fn looked_at(&self) -> u64 {
        self.sums.borrow().looked_at
    }
}

#[cfg(not(test))]
#[derive(Clone, Copy)]
#[rustfmt::skip]
enum Rule {
    Spawn, Join, Lock, Unlock, RdLock, WrLockAfterReaders, WaitReleases, WaitAcquires, Signal, Barrier, Post, SemWait, Once,
    Release, Acquire, ReleaseSequence, SameThreadStore, Fence, Pipe,
}

#[cfg(test)]
use tests::Rule;

impl RaceDetector {
    /// True if a rule is applied. It always is, except in tests that break it on purpose.
    #[cfg(not(test))]
    #[inline(always)]
    fn obeys(&self, _: Rule) -> bool {
        true
    }

    #[cfg(test)]
    fn obeys(&self, rule: Rule) -> bool {
        self.broken != Some(rule)
    }
}
