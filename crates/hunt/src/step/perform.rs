//! The effect of each operation on the state and on happens-before.

use super::{Machine, Wrong, arrived};
use crate::program::{Expr, MutexKind, Order, Place, Rmw, Stmt};
use crate::state::{CELLS, Cell, Clock, NOBODY, Record, State, Status, Way};

impl Machine<'_> {
    /// Performs an access. It is a race if a record of another thread conflicts and the thread's
    /// clock does not include it. Then adds a record.
    fn access(&self, state: &mut State, t: usize, location: u8, way: Way) {
        let me = self.bit(Clock::Thread(t));
        let races = state.records.iter().any(|r| {
            r.location == location
                && usize::from(r.thread) != t
                && (r.way.write || way.write)
                && !(r.way.atomic && way.atomic)
                && r.known & me == 0
        });
        if races {
            self.wrong.borrow_mut().insert(Wrong::Race(self.name(location)));
        }
        let fresh = Record {
            location,
            thread: t as u8,
            way,
            known: me,
        };
        let same = |r: &Record| (r.location, r.thread, r.way).cmp(&(location, t as u8, way));
        match state.records.binary_search_by(same) {
            Ok(at) => state.records[at] = fresh,
            Err(at) => state.records.insert(at, fresh),
        }
    }

    fn name(&self, location: u8) -> String {
        if location >= self.layout.cells {
            return "heap".to_owned();
        }
        if location >= self.layout.pointers {
            return format!("p{}", location - self.layout.pointers);
        }
        let global = self.layout.globals.iter().rposition(|&first| first <= location);
        format!("g{}", global.unwrap_or(0))
    }

    /// Accesses a place. Returns `None` after a fault if the index is out of bounds.
    fn at(&self, state: &mut State, t: usize, place: &Place, id: u32, way: Way) -> Option<u8> {
        let Some(location) = self.location(state, t, place) else {
            self.fault(state, t, "memory.out-of-bounds", id);
            return None;
        };
        self.access(state, t, location, way);
        Some(location)
    }

    /// Joins the clocks that an atomic read of a place acquires, and returns its location. Returns
    /// `None` after a fault if the index is out of bounds.
    fn atomic_at(&self, state: &mut State, t: usize, place: &Place, id: u32, order: Order) -> Option<u8> {
        let Some(location) = self.location(state, t, place) else {
            self.fault(state, t, "memory.out-of-bounds", id);
            return None;
        };
        self.read_atomic(state, t, location, order);
        Some(location)
    }

    /// The cell that the thread's pointer points to. Returns `None` after a fault if there is no
    /// such cell.
    fn cell(&self, state: &mut State, t: usize, id: u32, free: bool) -> Option<usize> {
        let kind = match state.threads[t].pointer {
            0 => "memory.null-dereference",
            n if matches!(state.cells[usize::from(n) - 1], Cell::Live(_)) => return Some(usize::from(n) - 1),
            _ if free => "memory.double-free",
            _ => "memory.use-after-free",
        };
        self.fault(state, t, kind, id);
        None
    }

    fn lock(&self, state: &mut State, t: usize, m: usize) {
        let (_, count) = state.mutexes[m];
        state.mutexes[m] = (t as u8, count + 1);
        state.learn(self.bit(Clock::Thread(t)), self.bit(Clock::Mutex(m)));
    }

    fn release(&self, state: &mut State, t: usize, m: usize) {
        let (owner, count) = state.mutexes[m];
        state.mutexes[m] = if count == 1 {
            (NOBODY, 0)
        } else {
            (owner, count - 1)
        };
        state.learn(self.bit(Clock::Mutex(m)), self.bit(Clock::Thread(t)));
    }

    fn take_rw(&self, state: &mut State, t: usize, w: usize, write: bool) {
        let me = self.bit(Clock::Thread(t));
        state.learn(me, self.bit(Clock::Writers(w)));
        if write {
            state.learn(me, self.bit(Clock::Readers(w)));
            state.rwlocks[w].writer = t as u8;
        } else {
            state.rwlocks[w].readers[t] += 1;
        }
    }

    fn value(state: &State, t: usize, e: &Expr) -> i16 {
        e.value(&state.threads[t].locals)
    }

    pub(super) fn statement(&self, state: &mut State, t: usize, stmt: &Stmt, id: u32, alternative: u8) {
        let me = self.bit(Clock::Thread(t));
        let set = |state: &mut State, r: &u8, n: i16| state.threads[t].locals[usize::from(*r)] = n;
        let (plain_read, plain_write) = (way(false, false), way(true, false));
        match stmt {
            Stmt::Input(r, most) => {
                if alternative > *most {
                    state.threads[t].status = Status::Parked;
                } else {
                    set(state, r, i16::from(alternative));
                }
            }
            Stmt::Load(r, place) => {
                if let Some(at) = self.at(state, t, place, id, plain_read) {
                    let n = state.values[usize::from(at)] & 3;
                    set(state, r, n);
                }
            }
            Stmt::Store(place, e) => {
                let n = Self::value(state, t, e) & 3;
                if let Some(at) = self.at(state, t, place, id, plain_write) {
                    state.values[usize::from(at)] = n;
                    // A plain write belongs to no release sequence.
                    state.forget(self.layout.released(at).0);
                }
            }
            Stmt::Lock(m) => {
                let mine = usize::from(state.mutexes[*m].0) == t;
                // A second lock of an errorcheck mutex by its owner fails with EDEADLK.
                if !(mine && self.program.mutexes[*m] == MutexKind::ErrorCheck) {
                    self.lock(state, t, *m);
                }
            }
            Stmt::TryLock(m, r, _) => {
                let (owner, _) = state.mutexes[*m];
                let again = usize::from(owner) == t && self.program.mutexes[*m] == MutexKind::Recursive;
                let taken = owner == NOBODY || again;
                if taken {
                    self.lock(state, t, *m);
                }
                set(state, r, i16::from(taken));
            }
            Stmt::Unlock(m) => {
                let (owner, _) = state.mutexes[*m];
                if usize::from(owner) == t {
                    self.release(state, t, *m);
                } else if self.program.mutexes[*m] == MutexKind::Normal {
                    let kind = if owner == NOBODY {
                        "pthread.unlock-unlocked"
                    } else {
                        "pthread.unlock-not-owner"
                    };
                    self.fault(state, t, kind, id);
                }
            }
            Stmt::Wait(_, m) | Stmt::TimedWait(_, m, _) => self.begin_wait(state, t, *m, stmt, id),
            Stmt::Signal(c) => {
                if let Some(&u) = self.waiting(state, *c).get(usize::from(alternative)) {
                    self.wake(state, t, u);
                }
            }
            Stmt::Broadcast(c) => {
                for u in self.waiting(state, *c) {
                    self.wake(state, t, u);
                }
            }
            Stmt::ReadLock(w) | Stmt::WriteLock(w) => {
                // The call fails for a thread that already holds the lock for writing.
                if usize::from(state.rwlocks[*w].writer) != t {
                    self.take_rw(state, t, *w, matches!(stmt, Stmt::WriteLock(_)));
                }
            }
            Stmt::TryRw(w, write, r, _) => {
                let lock = &state.rwlocks[*w];
                let taken = lock.writer == NOBODY && !(*write && lock.readers.iter().any(|&n| n > 0));
                if taken {
                    self.take_rw(state, t, *w, *write);
                }
                set(state, r, i16::from(taken));
            }
            Stmt::RwUnlock(w) => {
                if usize::from(state.rwlocks[*w].writer) == t {
                    state.rwlocks[*w].writer = NOBODY;
                    state.learn(self.bit(Clock::Writers(*w)), me);
                } else if state.rwlocks[*w].readers[t] > 0 {
                    state.rwlocks[*w].readers[t] -= 1;
                    state.learn(self.bit(Clock::Readers(*w)), me);
                } else {
                    self.fault(state, t, "pthread.rwlock-unlock-unheld", id);
                }
            }
            Stmt::SemWait(s) => {
                state.semaphores[*s] -= 1;
                state.learn(me, self.bit(Clock::Semaphore(*s)));
            }
            Stmt::SemTry(s, r, _) => {
                let taken = state.semaphores[*s] > 0;
                if taken {
                    state.semaphores[*s] -= 1;
                    state.learn(me, self.bit(Clock::Semaphore(*s)));
                }
                set(state, r, i16::from(taken));
            }
            Stmt::SemPost(s) => {
                if state.semaphores[*s] >= 3 {
                    self.odd.set(true); // its value may grow without bound
                    state.threads[t].status = Status::Parked;
                    return;
                }
                state.semaphores[*s] += 1;
                state.learn(self.bit(Clock::Semaphore(*s)), me);
            }
            Stmt::SemGet(s, r) => {
                let n = i16::from(state.semaphores[*s]);
                set(state, r, n & 3);
            }
            Stmt::Barrier(b, r) => self.arrive(state, t, *b, r.as_ref(), alternative),
            Stmt::SpinLock(l) => {
                state.spins[*l] = t as u8;
                state.learn(me, self.bit(Clock::Spin(*l)));
            }
            Stmt::SpinTry(l, r) => {
                let taken = state.spins[*l] == NOBODY;
                if taken {
                    state.spins[*l] = t as u8;
                    state.learn(me, self.bit(Clock::Spin(*l)));
                }
                set(state, r, i16::from(taken));
            }
            Stmt::SpinUnlock(l) => {
                if usize::from(state.spins[*l]) == t {
                    state.spins[*l] = NOBODY;
                    state.learn(self.bit(Clock::Spin(*l)), me);
                } else {
                    self.fault(state, t, "pthread.spin-unlock-unheld", id);
                }
            }
            Stmt::AtomicLoad(r, place, order) => {
                // The writes that it synchronises with happen before it (C11 5.1.2.4). So join
                // their clocks first.
                if let Some(at) = self.atomic_at(state, t, place, id, *order) {
                    self.access(state, t, at, way(false, true));
                    let n = state.values[usize::from(at)] & 3;
                    set(state, r, n);
                }
            }
            Stmt::AtomicStore(place, e, order) => {
                let n = Self::value(state, t, e) & 3;
                if let Some(at) = self.at(state, t, place, id, way(true, true)) {
                    state.values[usize::from(at)] = n;
                    self.write_atomic(state, t, at, *order, false);
                }
            }
            Stmt::AtomicRmw(op, r, place, e, order) => {
                let n = Self::value(state, t, e) & 3;
                if let Some(at) = self.atomic_at(state, t, place, id, *order) {
                    self.access(state, t, at, way(true, true));
                    let old = state.values[usize::from(at)];
                    state.values[usize::from(at)] = match op {
                        Rmw::Add => old + n,
                        Rmw::Xor => old ^ n,
                        Rmw::Exchange => n,
                    };
                    if state.values[usize::from(at)] > 120 {
                        self.odd.set(true);
                    }
                    set(state, r, old & 3);
                    self.write_atomic(state, t, at, *order, true);
                }
            }
            Stmt::Cas(_, place, expected, new, ok, old, success, failure) => {
                let (expected, new) = (
                    Self::value(state, t, expected) & 3,
                    Self::value(state, t, new) & 3,
                );
                let Some(at) = self.location(state, t, place) else {
                    return self.fault(state, t, "memory.out-of-bounds", id);
                };
                let now = state.values[usize::from(at)];
                let succeeds = now == expected && alternative == 0;
                self.read_atomic(state, t, at, if succeeds { *success } else { *failure });
                self.access(state, t, at, way(succeeds, true));
                if succeeds {
                    state.values[usize::from(at)] = new;
                    self.write_atomic(state, t, at, *success, true);
                }
                set(state, ok, i16::from(succeeds));
                set(state, old, now & 3);
            }
            Stmt::Fence(order) => {
                if order.acquires() {
                    state.learn(me, self.bit(Clock::AcquireFence(t)));
                }
                if order.releases() {
                    state.learn(self.bit(Clock::ReleaseFence(t)), me);
                }
            }
            Stmt::Create(_) | Stmt::CreateAt(_) | Stmt::Join(_) | Stmt::JoinAt(_) => {
                let Some(u) = self.target(state, t) else {
                    self.odd.set(true); // no such thread, or created twice
                    state.threads[t].status = Status::Parked;
                    return;
                };
                let other = self.bit(Clock::Thread(u));
                if matches!(stmt, Stmt::Join(_) | Stmt::JoinAt(_)) {
                    state.learn(me, other);
                } else {
                    state.threads[u].status = Status::Running;
                    state.learn(other, me);
                    self.run_on(state, u);
                }
            }
            Stmt::Cancel(u) => {
                if state.threads[*u].status != Status::Finished {
                    state.threads[*u].cancel = true;
                }
            }
            Stmt::Detach(_) | Stmt::TestCancel | Stmt::Yield => {}
            Stmt::New(e) => {
                let n = Self::value(state, t, e) & 3;
                let taken = usize::from(state.threads[t].cells);
                if taken == CELLS {
                    self.odd.set(true);
                    state.threads[t].status = Status::Parked;
                    return;
                }
                let cell = t * CELLS + taken;
                state.threads[t].cells += 1;
                state.threads[t].pointer = cell as u8 + 1;
                state.cells[cell] = Cell::Live(n);
                self.access(state, t, self.layout.cells + cell as u8, plain_write);
            }
            Stmt::PutPointer(p) => {
                self.access(state, t, self.layout.pointers + *p as u8, plain_write);
                state.pointers[*p] = state.threads[t].pointer;
            }
            Stmt::GetPointer(p) => {
                self.access(state, t, self.layout.pointers + *p as u8, plain_read);
                state.threads[t].pointer = state.pointers[*p];
            }
            Stmt::LoadThrough(r) => {
                if let Some(cell) = self.cell(state, t, id, false) {
                    self.access(state, t, self.layout.cells + cell as u8, plain_read);
                    if let Cell::Live(n) = state.cells[cell] {
                        set(state, r, n & 3);
                    }
                }
            }
            Stmt::StoreThrough(e) => {
                let n = Self::value(state, t, e) & 3;
                if let Some(cell) = self.cell(state, t, id, false) {
                    self.access(state, t, self.layout.cells + cell as u8, plain_write);
                    state.cells[cell] = Cell::Live(n);
                }
            }
            Stmt::Free => {
                if state.threads[t].pointer == 0 {
                    return;
                }
                if let Some(cell) = self.cell(state, t, id, true) {
                    self.access(state, t, self.layout.cells + cell as u8, plain_write);
                    state.cells[cell] = Cell::Freed;
                }
            }
            other => unreachable!("{other:?} is no step"),
        }
    }

    fn begin_wait(&self, state: &mut State, t: usize, m: usize, stmt: &Stmt, id: u32) {
        let (owner, count) = state.mutexes[m];
        if usize::from(owner) != t {
            if self.program.mutexes[m] == MutexKind::ErrorCheck {
                // The wait fails with EPERM.
                if let Stmt::TimedWait(_, _, r) = stmt {
                    state.threads[t].locals[usize::from(*r)] = 1;
                }
                return;
            }
            return self.fault(state, t, "pthread.cond-wait-unlocked", id);
        }
        if count != 1 {
            self.odd.set(true); // undefined in POSIX: a wait with a mutex that is locked twice
        }
        state.mutexes[m] = (NOBODY, 0);
        state.learn(self.bit(Clock::Mutex(m)), self.bit(Clock::Thread(t)));
        state.forget(self.bit(Clock::Wakeup(t)));
        state.threads[t].status = Status::Waiting;
    }

    fn wake(&self, state: &mut State, t: usize, u: usize) {
        state.learn(self.bit(Clock::Wakeup(u)), self.bit(Clock::Thread(t)));
        state.threads[u].status = Status::Woken;
    }

    fn arrive(&self, state: &mut State, t: usize, b: usize, result: Option<&u8>, alternative: u8) {
        let (me, round) = (self.bit(Clock::Thread(t)), self.bit(Clock::Barrier(b)));
        state.learn(round, me);
        let arrived = arrived(state, b);
        if arrived.len() + 1 < usize::from(self.program.barriers[b]) {
            state.threads[t].status = Status::Arrived(b as u8);
            return;
        }
        for (i, &u) in arrived.iter().enumerate() {
            state.threads[u].status = Status::Released(usize::from(alternative) == i + 1);
            state.learn(self.bit(Clock::Wakeup(u)), round);
        }
        state.learn(me, round);
        state.forget(round);
        if let Some(r) = result {
            state.threads[t].locals[usize::from(*r)] = i16::from(alternative == 0);
        }
    }

    /// The effect of an atomic read on happens-before.
    fn read_atomic(&self, state: &mut State, t: usize, location: u8, order: Order) {
        let (all, _) = self.layout.released(location);
        if order.acquires() {
            state.learn(self.bit(Clock::Thread(t)), all);
        } else if self.acquire_fences {
            state.learn(self.bit(Clock::AcquireFence(t)), all);
        }
    }

    /// The effect of an atomic write on happens-before: release sequences as in C11. They continue
    /// through stores of the same thread and through read-modify-writes of every thread.
    fn write_atomic(&self, state: &mut State, t: usize, location: u8, order: Order, rmw: bool) {
        let (all, first) = self.layout.released(location);
        let mine = 1u64 << (first + t as u32);
        if !rmw {
            state.forget(all & !mine);
        }
        if order.releases() {
            state.learn(mine, self.bit(Clock::Thread(t)));
        } else if self.release_fences {
            state.learn(mine, self.bit(Clock::ReleaseFence(t)));
        }
    }
}

fn way(write: bool, atomic: bool) -> Way {
    Way { write, atomic }
}
