//! Random traces that some program could have made, and a machine that plays them.

use selvedge_base::{ContextId, Id, Location, StmtId, ThreadId};
use selvedge_model::{
    Access, Action, Choice, Describe, Event, Machine, MemoryOrder, Notice, ObjectId, Op, Outcome, Pending,
    Silent, Status, Waiters, WaitsFor,
};
use std::fmt;

#[derive(Clone)]
pub(super) struct Step {
    pub(super) event: Event,
    pub(super) accesses: Vec<Access>,
}

impl Step {
    /// The order of the fence that the step begins with.
    pub(super) fn fence(&self) -> Option<MemoryOrder> {
        let first = self.accesses.first().filter(|first| first.is_fence());
        first.map(|fence| fence.order)
    }
}

pub(super) struct Trace {
    pub(super) events: Vec<Step>,
    pub(super) sets: Vec<Vec<ThreadId>>,
    /// Whether only read-modify-writes continue release sequences.
    pub(super) short: bool,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.events.iter().enumerate() {
            let a = &step.event.action;
            writeln!(
                f,
                "{i}: {:?} {:?} {:#x} {:?} {:?} s{}",
                a.thread, a.op, a.object.0, a.order, step.event.outcome, a.stmt.0
            )?;
            for x in &step.accesses {
                writeln!(
                    f,
                    "      {:#x}+{} {} s{}",
                    x.address,
                    x.size,
                    if x.write { "w" } else { "r" },
                    x.stmt.0
                )?;
            }
        }
        Ok(())
    }
}

/// Plays a trace: stands after event `at`.
pub(super) struct Mock<'a> {
    trace: &'a Trace,
    pub(super) at: usize,
    /// What threads are called.
    pub(super) name: fn(usize) -> usize,
    /// By thread, at the end of the trace.
    pending: Vec<Pending>,
}

impl<'a> Mock<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Mock {
            trace,
            at: 0,
            name: |thread| thread,
            pending: Vec::new(),
        }
    }

    /// Says from now on which threads there are at the end of the trace.
    pub(super) fn look(&mut self) {
        let pending = |thread: usize, status| Pending {
            action: Action::new(ThreadId::from_index(thread), Op::Yield),
            status,
            alternatives: 1,
        };
        let mut all = vec![pending(0, Status::Enabled)];
        for step in &self.trace.events {
            let event = &step.event;
            match (event.action.op, event.outcome, event.action.object.as_thread()) {
                (Op::Spawn, Outcome::Thread(new), _) => {
                    while all.len() <= new.index() {
                        // Numbers that nobody has yet.
                        all.push(pending(all.len(), Status::Parked));
                    }
                    all[new.index()].status = Status::Enabled;
                }
                (Op::Join, _, Some(ended)) => all[ended.index()].status = Status::Finished,
                _ => {}
            }
        }
        self.pending = all;
    }
}

impl Machine for Mock<'_> {
    fn has_short_release_sequences(&self) -> bool {
        self.trace.short
    }
    fn pending(&self) -> &[Pending] {
        &self.pending
    }
    fn step(&mut self, _: Choice) -> Event {
        self.trace.events[self.at].event
    }
    fn accesses(&self) -> &[Access] {
        &self.trace.events[self.at].accesses
    }
    fn notices(&self) -> &[Notice] {
        &[]
    }
    fn waiters(&self, set: Waiters) -> &[ThreadId] {
        &self.trace.sets[set.0 as usize]
    }
    fn waits_for(&self, _: ThreadId) -> WaitsFor {
        WaitsFor::new()
    }
}

impl Describe for Mock<'_> {
    fn location(&self, _: StmtId) -> Location {
        Location::default()
    }
    fn stack(&self, _: ContextId) -> Vec<Location> {
        Vec::new()
    }
    fn thread_name(&self, thread: ThreadId) -> String {
        (self.name)(thread.index()).to_string()
    }
    fn object_name(&self, object: ObjectId) -> String {
        format!("{:#x}", object.0)
    }
    fn action_text(&self, action: &Action) -> String {
        format!("{:?}", action.op)
    }
    fn locks_held(&self, _: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)> {
        Vec::new()
    }
    fn blocked_on(&self, _: ThreadId) -> String {
        String::new()
    }
    fn pending_context(&self, _: ThreadId) -> ContextId {
        ContextId(0)
    }
    fn output(&self) -> Vec<u8> {
        Vec::new()
    }
}

const MUTEX: ObjectId = ObjectId(0x1000);
const RWLOCK: ObjectId = ObjectId(0x1100);
const CONDITION: ObjectId = ObjectId(0x1200);
const SEMAPHORE: ObjectId = ObjectId(0x1300);
const BARRIER: ObjectId = ObjectId(0x1400);
const ONCE: ObjectId = ObjectId(0x1500);
const SPIN: ObjectId = ObjectId(0x1504);
const ATOMICS: [u64; 3] = [0x1600, 0x1604, 0x1608];
const DATA: u64 = 0x1700;
const BARRIER_COUNT: usize = 2;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unborn,
    Running,
    Waiting,
    Woken,
    AtBarrier,
    Released,
    Ended,
}

struct World {
    rng: fastrand::Rng,
    threads: Vec<State>,
    mutex: Option<usize>,
    spin: Option<usize>,
    writer: Option<usize>,
    readers: Vec<usize>,
    posts: usize,
    arrived: Vec<usize>,
    once: Option<usize>,
    once_done: bool,
    stmt: u32,
    /// Which families of operations this trace uses: few, so that they matter.
    families: [bool; 9],
    trace: Trace,
}

impl Trace {
    pub(super) fn random(seed: u64) -> Trace {
        let mut rng = fastrand::Rng::with_seed(seed);
        let count = if seed.is_multiple_of(40) {
            11
        } else {
            rng.usize(2..5)
        }; // 11: wider clocks
        let mut families = [false; 9];
        for _ in 0..rng.usize(1..3) {
            families[rng.usize(..9)] = true;
        }
        let mut threads = vec![State::Unborn; count];
        threads[0] = State::Running;
        let trace = Trace {
            events: Vec::new(),
            sets: Vec::new(),
            short: false,
        };
        let mut world = World {
            rng,
            threads,
            mutex: None,
            spin: None,
            writer: None,
            readers: Vec::new(),
            posts: 0,
            arrived: Vec::new(),
            once: None,
            once_done: false,
            stmt: 0,
            families,
            trace,
        };
        for _ in 0..world.rng.usize(6..70) {
            let thread = world.rng.usize(..count);
            world.step(thread);
        }
        world.trace
    }
}

impl World {
    fn step(&mut self, t: usize) {
        match self.threads[t] {
            State::Unborn | State::Ended | State::Waiting | State::AtBarrier => {}
            State::Woken if self.mutex.is_none() => {
                self.mutex = Some(t);
                self.threads[t] = State::Running;
                self.emit_wait(t, Op::WaitAcquire);
            }
            State::Woken => {}
            State::Released => {
                self.threads[t] = State::Running;
                self.emit(t, Op::BarrierLeave, BARRIER, Outcome::Done);
            }
            State::Running => self.run(t),
        }
    }

    fn run(&mut self, t: usize) {
        let mut kind = self.rng.usize(..12);
        if self.rng.bool() {
            kind = (kind..kind + 9)
                .map(|k| k % 9)
                .find(|&k| self.families[k])
                .unwrap_or(kind);
        }
        match kind {
            0..9 if !self.families[kind] => self.access(t),
            0 => self.mutex(t),
            1 => self.rwlock(t),
            2 => self.condition(t),
            3 => self.semaphore(t),
            4 => self.barrier(t),
            5 => self.once_or_spin(t),
            6 => self.atomic(t),
            7 => self.atomic_or_fence(t),
            8 => self.access(t),
            9 => self.spawn_or_join(t),
            10 => self.emit(t, Op::Yield, ObjectId::NONE, Outcome::Done),
            _ => self.access(t),
        }
    }

    fn mutex(&mut self, t: usize) {
        match self.mutex {
            None => {
                self.mutex = Some(t);
                let op = if self.rng.bool() { Op::Lock } else { Op::TryLock };
                self.emit(t, op, MUTEX, Outcome::Done);
            }
            Some(owner) if owner == t => {
                self.mutex = None;
                self.emit(t, Op::Unlock, MUTEX, Outcome::Done);
            }
            Some(_) => self.emit(t, Op::TryLock, MUTEX, Outcome::Failed),
        }
    }

    fn rwlock(&mut self, t: usize) {
        if self.writer == Some(t) {
            self.writer = None;
            self.emit(t, Op::WrUnlock, RWLOCK, Outcome::Done);
        } else if let Some(at) = self.readers.iter().position(|&r| r == t) {
            self.readers.remove(at);
            self.emit(t, Op::RdUnlock, RWLOCK, Outcome::Done);
        } else if self.writer.is_none() && (self.rng.bool() || !self.readers.is_empty()) {
            self.readers.push(t);
            self.emit(t, Op::RdLock, RWLOCK, Outcome::Done);
        } else if self.writer.is_none() && self.readers.is_empty() {
            self.writer = Some(t);
            self.emit(t, Op::WrLock, RWLOCK, Outcome::Done);
        } else {
            self.emit(t, Op::TryWrLock, RWLOCK, Outcome::Failed);
        }
    }

    fn condition(&mut self, t: usize) {
        match self.rng.u8(..4) {
            0 | 1 => {
                if self.mutex == Some(t) {
                    self.mutex = None;
                    self.threads[t] = State::Waiting;
                    self.emit_wait(t, Op::WaitRelease);
                } else {
                    self.mutex(t);
                }
            }
            2 => {
                let waiting: Vec<usize> = (0..self.threads.len())
                    .filter(|&i| self.threads[i] == State::Waiting)
                    .collect();
                let outcome = match waiting.first() {
                    None => Outcome::Failed,
                    Some(&woken) => {
                        // Now and then the waiter times out instead: woken without a signal.
                        self.threads[woken] = State::Woken;
                        if self.rng.u8(..5) == 0 {
                            return self.emit_wait(woken, Op::WaitTimeout);
                        }
                        Outcome::Thread(ThreadId::from_index(woken))
                    }
                };
                self.emit(t, Op::Signal, CONDITION, outcome);
            }
            _ => {
                let waiting: Vec<usize> = (0..self.threads.len())
                    .filter(|&i| self.threads[i] == State::Waiting)
                    .collect();
                waiting.iter().for_each(|&i| self.threads[i] = State::Woken);
                let set = self.set(&waiting);
                self.emit(t, Op::Broadcast, CONDITION, set);
            }
        }
    }

    fn set(&mut self, members: &[usize]) -> Outcome {
        self.trace
            .sets
            .push(members.iter().map(|&i| ThreadId::from_index(i)).collect());
        Outcome::Threads(Waiters(self.trace.sets.len() as u32 - 1))
    }

    fn semaphore(&mut self, t: usize) {
        match self.rng.u8(..9) {
            5 | 6 => self.pipe(t, Op::Hidden, MemoryOrder::Release, Outcome::Done),
            7 => self.pipe(t, Op::HiddenWait, MemoryOrder::Acquire, Outcome::Done),
            8 => self.pipe(t, Op::HiddenWait, MemoryOrder::Acquire, Outcome::Failed),
            0 | 1 => {
                self.posts += 1;
                self.emit(t, Op::SemPost, SEMAPHORE, Outcome::Done);
            }
            2 => self.emit(t, Op::SemGetValue, SEMAPHORE, Outcome::Done),
            _ if self.posts > 0 => {
                self.posts -= 1;
                self.emit(t, Op::SemWait, SEMAPHORE, Outcome::Done);
            }
            _ => self.emit(t, Op::SemTryWait, SEMAPHORE, Outcome::Failed),
        }
    }

    /// A write to one of two pipes, or a read that gets something or fails.
    fn pipe(&mut self, t: usize, op: Op, order: MemoryOrder, outcome: Outcome) {
        let mut action = Action::on(ThreadId::from_index(t), op, ObjectId::hidden(1));
        (action.object2, action.order) = (ObjectId::hidden(2 + self.rng.u32(..2)), order);
        self.push(action, outcome);
    }

    fn barrier(&mut self, t: usize) {
        self.arrived.push(t);
        if self.arrived.len() < BARRIER_COUNT {
            self.threads[t] = State::AtBarrier;
            return self.emit(t, Op::BarrierArrive, BARRIER, Outcome::Done);
        }
        let all = std::mem::take(&mut self.arrived);
        all.iter().for_each(|&i| self.threads[i] = State::Released);
        let set = self.set(&all);
        self.emit(t, Op::BarrierArrive, BARRIER, set);
    }

    fn once_or_spin(&mut self, t: usize) {
        if self.rng.bool() {
            match self.spin {
                None => {
                    self.spin = Some(t);
                    self.emit(t, Op::SpinLock, SPIN, Outcome::Done);
                }
                Some(owner) if owner == t => {
                    self.spin = None;
                    self.emit(t, Op::SpinUnlock, SPIN, Outcome::Done);
                }
                Some(_) => {}
            }
        } else if self.once == Some(t) && !self.once_done {
            self.once_done = true;
            self.emit(t, Op::OnceDone, ONCE, Outcome::Done);
        } else if self.once.is_none() || self.once_done {
            self.once.get_or_insert(t);
            self.emit(t, Op::OnceEnter, ONCE, Outcome::Done);
        }
    }

    fn atomic(&mut self, t: usize) {
        use MemoryOrder::*;
        // The last variable is only stored and read: release sequences there go on by stores of one
        // thread alone.
        let object = ObjectId(ATOMICS[self.rng.usize(..ATOMICS.len())]);
        let kinds = if object.0 == ATOMICS[2] { 6 } else { 12 };
        let (op, order, outcome) = match self.rng.u8(..kinds) {
            0 => (Op::Read, Relaxed, Outcome::Done),
            1 | 2 => (Op::Read, Acquire, Outcome::Done),
            3 => (Op::Write, Relaxed, Outcome::Done),
            4 | 5 => (Op::Write, Release, Outcome::Done),
            6 => (Op::Rmw, Relaxed, Outcome::Done),
            7 => (Op::Rmw, AcqRel, Outcome::Done),
            8 => (Op::Rmw, Release, Outcome::Done),
            9 => (Op::Add, Relaxed, Outcome::Done),
            10 => (Op::Add, AcqRel, Outcome::Done),
            _ => (Op::Rmw, SeqCst, Outcome::Failed),
        };
        let mut action = Action::on(ThreadId::from_index(t), op, object);
        (action.size, action.order) = (4, order);
        self.push(action, outcome);
    }

    fn atomic_or_fence(&mut self, t: usize) {
        if self.rng.bool() {
            return self.atomic(t);
        }
        let orders = [MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::AcqRel];
        let order = orders[self.rng.usize(..3)];
        self.push(Action::new(ThreadId::from_index(t), Op::Yield), Outcome::Done);
        if let Some(step) = self.trace.events.last_mut() {
            let fence = Access::fence(order, step.event.action.stmt, step.event.context);
            step.accesses.insert(0, fence);
        }
    }

    /// A plain access as a visible action; some are at fault.
    fn access(&mut self, t: usize) {
        let op = if self.rng.bool() { Op::Read } else { Op::Write };
        let mut action = Action::on(ThreadId::from_index(t), op, ObjectId(DATA + self.rng.u64(..20)));
        action.size = self.rng.u32(1..9);
        let outcome = match (action.object.0 + u64::from(action.size)) % 16 {
            0 => Outcome::Failed,
            _ => Outcome::Done,
        };
        self.push(action, outcome);
    }

    fn spawn_or_join(&mut self, t: usize) {
        let unborn = self.threads.iter().position(|&s| s == State::Unborn);
        if let Some(new) = unborn {
            self.threads[new] = State::Running;
            return self.emit(
                t,
                Op::Spawn,
                ObjectId::NONE,
                Outcome::Thread(ThreadId::from_index(new)),
            );
        }
        let other = self.rng.usize(..self.threads.len());
        let free = self.mutex != Some(other)
            && self.spin != Some(other)
            && self.writer != Some(other)
            && !self.readers.contains(&other);
        if other != t && other != 0 && free && matches!(self.threads[other], State::Running | State::Ended) {
            self.threads[other] = State::Ended;
            self.emit(
                t,
                Op::Join,
                ObjectId::thread(ThreadId::from_index(other)),
                Outcome::Done,
            );
        }
    }

    fn emit(&mut self, t: usize, op: Op, object: ObjectId, outcome: Outcome) {
        self.push(Action::on(ThreadId::from_index(t), op, object), outcome);
    }

    fn emit_wait(&mut self, t: usize, op: Op) {
        let mut action = Action::on(ThreadId::from_index(t), op, CONDITION);
        action.object2 = MUTEX;
        self.push(action, Outcome::Done);
    }

    fn push(&mut self, mut action: Action, outcome: Outcome) {
        action.stmt = self.next_stmt();
        let context = ContextId(0);
        let event = Event {
            action,
            context,
            alternative: 0,
            alternatives: 1,
            outcome,
            completes: false,
            silent: Silent::No,
        };
        let quiet = matches!(action.op, Op::WaitRelease | Op::BarrierArrive | Op::WaitTimeout);
        let mut accesses = Vec::new();
        for _ in 0..if quiet { 0 } else { self.rng.usize(..3) } {
            let address = match self.rng.u8(..40) {
                0 => MUTEX.0 + self.rng.u64(..48),
                1 => ATOMICS[0] + self.rng.u64(..8),
                2 => ONCE.0 + self.rng.u64(..8),
                3 => SEMAPHORE.0 + self.rng.u64(..40),
                _ => DATA + self.rng.u64(..20),
            };
            let (size, write) = (self.rng.u32(1..10), self.rng.u8(..3) == 0);
            let stmt = self.next_stmt();
            accesses.push(Access {
                address,
                context,
                stmt,
                size,
                write,
                order: MemoryOrder::NotAtomic,
            });
        }
        self.trace.events.push(Step { event, accesses });
    }

    fn next_stmt(&mut self) -> StmtId {
        self.stmt += 1;
        StmtId(self.stmt)
    }
}
