//! Random statements for each theme.

use super::{Generator, Theme};
use crate::program::{Binary, Block, COUNTER, Expr, Local, Node, Order, Rmw, Stmt};

impl Generator {
    /// A critical section between `first` and `last`.
    fn section(&mut self, body: &mut Block, depth: u8, first: Stmt, last: Stmt) {
        body.push(first.into());
        for _ in 0..self.random.below(3) {
            if self.random.one_in(2) {
                self.plain(body);
            } else {
                self.statement(body, depth + 1);
            }
        }
        if !self.random.one_in(25) {
            body.push(last.into());
        }
    }

    /// A section that is entered only if the lock is free, or becomes free in time.
    fn attempt(&mut self, body: &mut Block, depth: u8, r: Local, first: Stmt, last: Stmt) {
        body.push(first.into());
        let mut yes = self.inner(depth);
        yes.push(last.into());
        // Statements in the section may change the variable.
        let no = if self.random.one_in(3) {
            self.inner(depth)
        } else {
            Vec::new()
        };
        body.push(Stmt::If(Expr::Local(r), yes, no).into());
    }

    pub(super) fn themed(&mut self, theme: Theme, body: &mut Block, depth: u8) {
        let r = self.reg();
        match theme {
            Theme::Plain => self.plain(body),
            Theme::Mutex if self.kinds.len() > 1 && self.random.one_in(5) => {
                // Locks one of two mutexes by a value. The unlock uses the same value, as long as
                // it does not change.
                let e = Expr::Local(r);
                let call = |f: fn(usize) -> Stmt| Stmt::Either(e.clone(), Box::new(f(0)), Box::new(f(1)));
                body.push(call(Stmt::Lock).into());
                let place = self.constant_place();
                body.push(Stmt::Add(place, Expr::Const(1)).into());
                body.push(call(Stmt::Unlock).into());
            }
            Theme::Mutex => {
                let m = self.random.below(self.kinds.len());
                match self.random.below(7) {
                    0 | 1 => {
                        let timed = self.random.one_in(2);
                        self.attempt(body, depth, r, Stmt::TryLock(m, r, timed), Stmt::Unlock(m));
                    }
                    2 if self.random.one_in(6) => body.push(Stmt::Unlock(m).into()),
                    _ => self.section(body, depth, Stmt::Lock(m), Stmt::Unlock(m)),
                }
            }
            Theme::Cond => self.condition_variable(body, r),
            Theme::RwLock => match self.random.below(8) {
                0 | 1 => {
                    let (write, timed) = (self.random.one_in(2), self.random.one_in(2));
                    self.attempt(body, depth, r, Stmt::TryRw(0, write, r, timed), Stmt::RwUnlock(0));
                }
                2..5 => self.section(body, depth, Stmt::ReadLock(0), Stmt::RwUnlock(0)),
                _ => self.section(body, depth, Stmt::WriteLock(0), Stmt::RwUnlock(0)),
            },
            Theme::Semaphore => {
                let s = self.random.below(2);
                if self.random.one_in(5) && !self.endless {
                    let f = self
                        .random
                        .pick(&[Stmt::SemWait as fn(usize) -> Stmt, Stmt::SemPost]);
                    let e = self.expr(1);
                    return body.push(Stmt::Either(e, Box::new(f(0)), Box::new(f(1))).into());
                }
                let stmt = match self.random.below(9) {
                    0..3 => Stmt::SemWait(s),
                    3..6 if self.endless => Stmt::SemWait(s),
                    3..6 => Stmt::SemPost(s),
                    6 | 7 => Stmt::SemTry(s, r, self.random.one_in(2)),
                    _ => Stmt::SemGet(s, r),
                };
                body.push(stmt.into());
            }
            Theme::Barrier => {
                let result = self.random.one_in(3).then_some(r);
                body.push(Stmt::Barrier(0, result).into());
            }
            Theme::Spin => {
                if self.random.one_in(3) {
                    self.attempt(body, depth, r, Stmt::SpinTry(0, r), Stmt::SpinUnlock(0));
                } else {
                    self.section(body, depth, Stmt::SpinLock(0), Stmt::SpinUnlock(0));
                }
            }
            Theme::Once => body.push(Stmt::Once(0).into()),
            Theme::Atomics => self.atomic(body, r),
            Theme::Blocks => {
                if self.in_block {
                    return self.plain(body);
                }
                self.in_block = true;
                let mut inner = Vec::new();
                for _ in 0..1 + self.random.below(3) {
                    self.plain(&mut inner);
                    if self.random.one_in(4) {
                        let condition = self.condition();
                        let mut yes = Vec::new();
                        self.plain(&mut yes);
                        inner.push(Stmt::If(condition, yes, Vec::new()).into());
                    }
                }
                self.in_block = false;
                body.push(Stmt::Atomic(inner).into());
            }
            Theme::Jumps => self.jump(body, depth),
            Theme::Inputs => {
                let most = self.random.pick(&[1, 2, 3]);
                body.push(Stmt::Input(r, most).into());
                if self.random.one_in(2) {
                    self.plain(body);
                }
            }
            Theme::Arrays => self.plain(body),
            Theme::Endless => {
                let place = self.place();
                let stmt = match self.random.below(3) {
                    0 => Stmt::AtomicStore(place, self.small(), Order::SeqCst),
                    1 => Stmt::AtomicLoad(r, place, Order::SeqCst),
                    _ => Stmt::Yield,
                };
                body.push(stmt.into());
            }
            Theme::Exits => {
                let condition = self.condition();
                let leave = self.random.pick(&[
                    Stmt::ThreadExit,
                    Stmt::Return,
                    Stmt::ProcessExit,
                    Stmt::ThreadExit,
                ]);
                let leave = if self.in_cleanup && leave == Stmt::Return {
                    Stmt::ThreadExit
                } else {
                    leave
                };
                if self.random.one_in(2) {
                    body.push(Stmt::If(condition, vec![leave.into()], Vec::new()).into());
                } else {
                    self.plain(body);
                }
            }
            Theme::Keys => {
                let stmt = match self.random.below(5) {
                    0 => Stmt::GetKey(r),
                    1 => Stmt::GetLocal(r),
                    2 => Stmt::SetLocal(self.expr(1)),
                    _ => Stmt::SetKey(self.expr(0)),
                };
                body.push(stmt.into());
            }
            Theme::Heap => self.heap(body, r, depth),
            Theme::Cancel => {
                let stmt = match self.random.below(5) {
                    0 | 1 => Stmt::TestCancel,
                    2 => Stmt::CancelState(false),
                    3 => Stmt::CancelState(true),
                    _ => return self.plain(body),
                };
                body.push(stmt.into());
            }
            Theme::Assume => {
                let condition = self.condition();
                body.push(Stmt::Assume(condition).into());
            }
        }
    }

    fn condition_variable(&mut self, body: &mut Block, r: Local) {
        let c = self.random.below(2);
        let m = 0;
        let place = self.constant_place();
        match self.random.below(10) {
            // The usual loop around a wait.
            0..3 => {
                let wanted = Expr::equal(Expr::Local(r), self.small());
                let wait = if self.random.one_in(4) {
                    Stmt::TimedWait(c, m, self.reg())
                } else {
                    Stmt::Wait(c, m)
                };
                body.push(Stmt::Lock(m).into());
                body.push(
                    Stmt::Forever(vec![
                        Stmt::Load(r, place).into(),
                        Stmt::If(wanted, vec![Stmt::Break.into()], Vec::new()).into(),
                        wait.into(),
                    ])
                    .into(),
                );
                body.push(Stmt::Unlock(m).into());
            }
            // A wait with `if`, or without a condition.
            3 | 4 => {
                let wait = if self.random.one_in(3) {
                    Stmt::TimedWait(c, m, r)
                } else {
                    Stmt::Wait(c, m)
                };
                body.push(Stmt::Lock(m).into());
                if self.random.one_in(2) {
                    body.push(Stmt::Load(r, place).into());
                    let condition = Expr::equal(Expr::Local(r), Expr::Const(0));
                    body.push(Stmt::If(condition, vec![wait.into()], Vec::new()).into());
                } else {
                    body.push(wait.into());
                }
                body.push(Stmt::Unlock(m).into());
            }
            5 if self.random.one_in(2) => {
                let f = self
                    .random
                    .pick(&[Stmt::Signal as fn(usize) -> Stmt, Stmt::Broadcast]);
                let e = self.expr(1);
                body.push(Stmt::Either(e, Box::new(f(0)), Box::new(f(1))).into());
            }
            5 => body.push(Stmt::Signal(c).into()),
            6 => body.push(Stmt::Broadcast(c).into()),
            7 => {
                body.push(Stmt::Lock(m).into());
                let value = self.small();
                body.push(Stmt::Store(place, value).into());
                body.push(Stmt::Signal(c).into());
                body.push(Stmt::Unlock(m).into());
            }
            8 => {
                body.push(Stmt::Lock(m).into());
                body.push(Stmt::Add(place, Expr::Const(1)).into());
                body.push(Stmt::Unlock(m).into());
                body.push(Stmt::Broadcast(c).into());
            }
            _ => {
                body.push(Stmt::Lock(m).into());
                body.push(Stmt::Add(place, Expr::Const(1)).into());
                body.push(Stmt::Broadcast(c).into());
                body.push(Stmt::Unlock(m).into());
            }
        }
    }

    fn atomic(&mut self, body: &mut Block, r: Local) {
        let place = self.place();
        let value = self.expr(0);
        let stmt = match self.random.below(12) {
            0..3 => Stmt::AtomicLoad(r, place, self.read_order()),
            3..6 => Stmt::AtomicStore(place, value, self.write_order()),
            6 | 7 => {
                let op = self.random.pick(&[Rmw::Add, Rmw::Xor, Rmw::Exchange]);
                let op = if self.endless && op == Rmw::Add {
                    Rmw::Xor
                } else {
                    op
                };
                Stmt::AtomicRmw(op, r, place, value, self.rmw_order())
            }
            8 | 9 => {
                let expected = self.small();
                let (ok, old) = (self.reg(), self.reg());
                let (success, failure) = (self.rmw_order(), self.read_order());
                Stmt::Cas(
                    self.random.one_in(2),
                    place,
                    expected,
                    value,
                    ok,
                    old,
                    success,
                    failure,
                )
            }
            10 => Stmt::Fence(self.rmw_order()),
            // A flag that announces data.
            _ => {
                let (order, data) = (self.read_order(), self.constant_place());
                body.push(Stmt::AtomicLoad(r, place, order).into());
                let load = Stmt::Load(self.reg(), data);
                body.push(Stmt::If(Expr::Local(r), vec![load.into()], Vec::new()).into());
                return;
            }
        };
        // `atomic_thread_fence(relaxed)` has no effect, and clang removes it.
        if !matches!(stmt, Stmt::Fence(Order::Relaxed)) {
            body.push(stmt.into());
        }
    }

    fn jump(&mut self, body: &mut Block, depth: u8) {
        if !self.jumps || self.in_cleanup {
            return self.plain(body);
        }
        if self.in_try && self.random.one_in(2) {
            let condition = self.condition();
            let throw = Stmt::Throw(self.random.one_in(2));
            return body.push(Stmt::If(condition, vec![throw.into()], Vec::new()).into());
        }
        if self.random.one_in(3) && self.counters < 2 && !self.endless {
            let counter = self.counters;
            self.counters += 1;
            let was = std::mem::replace(&mut self.in_loop, false);
            let inner = self.inner(depth);
            self.in_loop = was;
            self.counters -= 1;
            return body.push(Stmt::JumpRounds(counter, 2, inner).into());
        }
        let was = std::mem::replace(&mut self.in_try, true);
        let mut inner = self.inner(depth);
        if self.random.one_in(2) {
            let condition = self.condition();
            inner.push(Stmt::If(condition, vec![Stmt::Throw(true).into()], Vec::new()).into());
        }
        self.in_try = was;
        let other = self.inner(depth);
        body.push(Stmt::Try(inner, other).into());
    }

    fn heap(&mut self, body: &mut Block, r: Local, depth: u8) {
        let value = self.small();
        match self.random.below(8) {
            0 if !self.endless => {
                body.push(Stmt::New(value).into());
                if self.random.one_in(2) {
                    body.push(Stmt::PutPointer(0).into());
                }
            }
            1 => body.push(Stmt::PutPointer(0).into()),
            2 => body.push(Stmt::GetPointer(0).into()),
            _ => {
                if self.random.one_in(2) {
                    body.push(Stmt::GetPointer(0).into());
                }
                let use_it: Node = match self.random.below(5) {
                    0 | 1 => Stmt::LoadThrough(r).into(),
                    2 | 3 => Stmt::StoreThrough(value).into(),
                    _ => Stmt::Free.into(),
                };
                let mut yes = vec![use_it];
                if self.random.one_in(3) {
                    self.statement(&mut yes, depth + 1);
                }
                body.push(Stmt::IfPointer(yes).into());
            }
        }
    }

    /// A loop that reads an atomic variable a few times and ends early for some values.
    pub(super) fn bounded_poll(&mut self, body: &mut Block) {
        let counter = self.counters;
        let (r, place) = (self.reg(), self.place());
        let read = Stmt::AtomicLoad(r, place, self.read_order());
        let compare = [Binary::Eq, Binary::Ne, Binary::Lt][self.random.below(3)];
        let value = Expr::Const(self.random.below(4) as i16);
        let leave = Expr::Binary(compare, Box::new(Expr::Local(r)), Box::new(value));
        let round = vec![
            read.into(),
            Stmt::If(leave, vec![Stmt::Break.into()], vec![]).into(),
        ];
        let rounds = 2 + self.random.below(2) as u8;
        body.push(Stmt::Repeat(counter, rounds, round).into());
        if self.random.one_in(3) {
            let r = self.reg();
            body.push(Stmt::Set(r, Expr::Local(COUNTER + counter)).into());
        }
    }
}
