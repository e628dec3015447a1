//! The next action of each thread of a toy, and whether it is enabled.

use super::compile::{Code, DONE, NEW, Slot, Turn, object};
use super::machine::{
    ARRIVED, CANCELLED, NOTIFIED, PARKED, RELEASED, STARTING, TIMED_OUT, ToyMachine, WAITING, stmt,
};
use crate::{Action, BlockClass, MemoryOrder, ObjectId, Op, Pending, Status};
use selvedge_base::{Id, ThreadId};

impl ToyMachine {
    /// The pending action of a thread, whose number in the machine is `id`.
    pub(super) fn next(&self, t: usize, id: ThreadId) -> Pending {
        let (pc, phase) = (self.pc(t), self.phase(t));
        match self.decision_pending(t) {
            Some(alternatives) => Pending {
                action: Action {
                    stmt: stmt(t, pc),
                    ..Action::new(id, Op::Choose)
                },
                status: Status::Enabled,
                alternatives,
            },
            None => self.visible(t, id, pc, phase),
        }
    }

    /// The action of a thread at an operation in a phase, and whether it is enabled.
    pub(super) fn visible(&self, t: usize, id: ThreadId, pc: i32, phase: i32) -> Pending {
        let mut alternatives = 1;
        let (op, on, when) = if pc == DONE {
            (Op::Exit, None, None)
        } else if phase == STARTING {
            (Op::Start, None, Some(true))
        } else {
            let value = |slot| self.get(slot);
            match self.code(t, pc) {
                Code::Lock(m) => (Op::Lock, Some(m), Some(value(m) == -1)),
                Code::Unlock(m) => (Op::Unlock, Some(m), Some(value(m) == t as i32)),
                Code::TryLock(m, _, timed) => {
                    (either(timed, Op::TimedLock, Op::TryLock), Some(m), Some(true))
                }
                Code::SpinLock(p) => (Op::SpinLock, Some(p), Some(value(p) == -1)),
                Code::SpinTryLock(p, _) => (Op::SpinTryLock, Some(p), Some(true)),
                Code::SpinUnlock(p) => (Op::SpinUnlock, Some(p), Some(value(p) == t as i32)),
                Code::Wait(c, m, result) => match phase {
                    WAITING if result.is_some() => (Op::WaitTimeout, Some(c), Some(true)),
                    WAITING => (Op::WaitAcquire, Some(c), Some(false)),
                    NOTIFIED | TIMED_OUT | CANCELLED => (Op::WaitAcquire, Some(c), Some(value(m) == -1)),
                    _ => {
                        alternatives = 1 + u16::from(self.toy.spurious);
                        (Op::WaitRelease, Some(c), Some(value(m) == t as i32))
                    }
                },
                Code::Signal(c) => {
                    alternatives = self.standing(c, [WAITING; 2]).count().max(1) as u16;
                    (Op::Signal, Some(c), Some(true))
                }
                Code::Broadcast(c) => (Op::Broadcast, Some(c), Some(true)),
                Code::FutexWait(x, n, _, timed) => match phase {
                    WAITING if timed => (Op::WaitTimeout, Some(x), Some(true)),
                    WAITING => (Op::FutexWoken, Some(x), Some(false)),
                    NOTIFIED | TIMED_OUT => (Op::FutexWoken, Some(x), Some(true)),
                    _ => {
                        alternatives = 1 + u16::from(self.toy.spurious && value(x) == n);
                        (Op::FutexWait, Some(x), Some(true))
                    }
                },
                Code::WaitWord(x, _, _, result) => match phase {
                    WAITING if result.is_some() => (Op::WaitTimeout, Some(x), Some(true)),
                    WAITING => (Op::FutexWoken, Some(x), Some(false)),
                    NOTIFIED | TIMED_OUT => (Op::FutexWoken, Some(x), Some(true)),
                    _ => {
                        alternatives = 1 + u16::from(self.toy.spurious);
                        (Op::WaitReleaseWord, Some(x), Some(true))
                    }
                },
                Code::FutexWake(x, false) => {
                    alternatives = self.standing(x, [WAITING; 2]).count().max(1) as u16;
                    (Op::Signal, Some(x), Some(true))
                }
                Code::FutexWake(x, true) => (Op::Broadcast, Some(x), Some(true)),
                Code::SemPost(s) => (Op::SemPost, Some(s), Some(true)),
                Code::SemWait(s) => (Op::SemWait, Some(s), Some(value(s) > 0)),
                Code::SemTryWait(s, _, timed) => (
                    either(timed, Op::SemTimedWait, Op::SemTryWait),
                    Some(s),
                    Some(true),
                ),
                Code::SemValue(s, _) => (Op::SemGetValue, Some(s), Some(true)),
                Code::RdLock(w) => (Op::RdLock, Some(w), Some(value(w) == -1)),
                Code::WrLock(w) => (Op::WrLock, Some(w), Some(self.is_unused(w))),
                Code::TryRdLock(w, _, timed) => {
                    (either(timed, Op::TimedRdLock, Op::TryRdLock), Some(w), Some(true))
                }
                Code::TryWrLock(w, _, timed) => {
                    (either(timed, Op::TimedWrLock, Op::TryWrLock), Some(w), Some(true))
                }
                Code::RwUnlock(w) if value(w) == t as i32 => (Op::WrUnlock, Some(w), Some(true)),
                Code::RwUnlock(w) => (Op::RdUnlock, Some(w), Some(value(w + 1 + t as u32) > 0)),
                Code::Barrier(b, ..) if phase >= ARRIVED => {
                    (Op::BarrierLeave, Some(b), Some(phase >= RELEASED))
                }
                Code::Barrier(b, ..) => (Op::BarrierArrive, Some(b), Some(true)),
                Code::Once(o, _) => (Op::OnceEnter, Some(o), Some(true)),
                Code::Send(h, _, result) => {
                    let ready = result.is_some() || !self.is_full(h) || self.has_ended(h);
                    (Op::Channel, Some(h), Some(ready))
                }
                Code::Receive(h, _, tries) => {
                    let ready = tries || !self.is_empty(h) || self.has_ended(h);
                    (Op::Channel, Some(h), Some(ready))
                }
                Code::HangUp(h) => (Op::Channel, Some(h), Some(true)),
                Code::Claim(x, n, _) => (Op::Claim, Some(x), Some(value(x) == n)),
                Code::Read(x, _) => (Op::Read, Some(x), Some(true)),
                Code::Write(x, _) => (Op::Write, Some(x), Some(true)),
                Code::Add(x, _, None) if self.toy.adds => (Op::Add, Some(x), Some(true)),
                Code::Add(x, ..) => (Op::Rmw, Some(x), Some(true)),
                Code::Cas(x, expected, ..) => {
                    let works = self.are_equal(t, x, expected).unwrap_or(true);
                    alternatives = 1 + u16::from(self.toy.weak && works);
                    (Op::Rmw, Some(x), Some(true))
                }
                Code::Choose(k, _) => {
                    alternatives = k;
                    (Op::Choose, None, Some(true))
                }
                Code::Spawn(u) => (Op::Spawn, None, Some(self.pc(u as usize) == NEW)),
                Code::Join(u, _) => (Op::Join, None, Some(self.pc(u as usize) == DONE)),
                Code::JoinOnce(u, claimed, _) => {
                    let ends = self.pc(u as usize) == DONE || value(claimed) != 0;
                    (Op::Join, None, Some(ends))
                }
                Code::Detach(..) => (Op::Detach, None, Some(true)),
                Code::Cancel(u, _) => (Op::Cancel, None, Some(self.pc(u as usize) != NEW)),
                Code::TestCancel => (Op::CancelPoint, None, Some(true)),
                Code::Refuse(..) => (Op::Hidden, None, Some(true)),
                Code::Init(o, _) => (Op::Init, Some(o), Some(true)),
                Code::Destroy(m, _) => (Op::Destroy, Some(m), Some(true)),
                Code::Yield => (Op::Yield, None, Some(true)),
                Code::Exit => (Op::Exit, None, Some(true)),
                Code::Atomic => (Op::AtomicBlock, None, Some(true)),
                // A parked thread is at the operation that parked it.
                Code::If(..)
                | Code::Assert(..)
                | Code::Assume(..)
                | Code::Set(..)
                | Code::Goto(..)
                | Code::Touch(..)
                | Code::Get(..)
                | Code::Put(..)
                | Code::Smash(..)
                | Code::Crash
                | Code::Input(..) => (Op::Assume, None, None),
            }
        };
        let is_futex = pc != DONE
            && matches!(
                self.code(t, pc),
                Code::FutexWait(..) | Code::FutexWake(..) | Code::WaitWord(..)
            );
        let cancelable = pc != DONE && phase != PARKED && !is_futex && self.is_cancellation_point(op);
        let (op, on, when) = match op {
            _ if !cancelable || !self.is_cancelled(t) => (op, on, when),
            Op::WaitAcquire if phase == WAITING => (Op::WaitTimeout, on, Some(true)),
            Op::WaitTimeout => {
                alternatives = 2;
                (op, on, when)
            }
            Op::WaitAcquire => (op, on, when),
            _ => {
                alternatives = 1;
                (Op::CancelPoint, None, Some(true))
            }
        };
        let mut action = Action {
            stmt: stmt(t, pc),
            cancelable,
            ..Action::new(id, op)
        };
        match (op, self.code(t, pc)) {
            (Op::AtomicBlock, _) => action.object = ObjectId::blocks(BlockClass::FIRST),
            (Op::CancelPoint | Op::Hidden, _) => action.object = ObjectId::thread(id),
            (Op::Join, Code::Join(u, _)) => action.object = self.thread_object(u as usize),
            (Op::Join, Code::JoinOnce(u, claimed, _)) => {
                action.object = self.thread_object(u as usize);
                action.object2 = object(claimed);
            }
            (_, Code::Cancel(u, _)) => action.object = self.thread_object(u as usize),
            (_, Code::Detach(claimed, _)) => action.object2 = object(claimed),
            (Op::Exit, _) => action.object = self.thread_object(t),
            (Op::WaitRelease | Op::WaitAcquire | Op::WaitTimeout, Code::Wait(_, m, _)) => {
                action.object2 = object(m)
            }
            _ => {}
        }
        if let Some(slot) = on {
            action.object = object(slot);
            if op == Op::Channel {
                action.object2 = object(slot + 1);
            }
        }
        if is_futex {
            let word = action.object;
            action.object = ObjectId::queue(word.0);
            if let (Op::FutexWait, _) | (Op::WaitReleaseWord, Code::WaitWord(..)) = (op, self.code(t, pc)) {
                action.object2 = match self.code(t, pc) {
                    Code::WaitWord(_, y, ..) => object(y),
                    _ => word,
                };
                action.size = 4;
                action.order = MemoryOrder::SeqCst;
            }
        }
        if action.is_memory() {
            action.may_fail = matches!(self.code(t, pc), Code::Cas(..));
            action.size = 4;
            action.order = MemoryOrder::SeqCst;
        }
        if action.is_memory() || matches!(op, Op::FutexWait | Op::WaitReleaseWord) {
            action.blocks = match self.toy.has_blocks {
                true => BlockClass::FIRST,
                false => BlockClass::NONE,
            };
        }
        let status = match when {
            _ if pc == DONE => Status::Finished,
            _ if phase == PARKED => Status::Parked,
            Some(true) if self.is_held(t) => Status::Held,
            Some(true) => Status::Enabled,
            _ => Status::Blocked,
        };
        Pending {
            action,
            status,
            alternatives,
        }
    }

    /// Whether a thread that could move has to leave the turn to the one before it.
    fn is_held(&self, t: usize) -> bool {
        let Some(turn) = self.turn(t) else { return false };
        turn.before.is_some_and(|before| self.get(before) == 0) && self.would_have_turn(t)
    }

    /// Where a thread takes its turn next, if it is there and has not had it.
    pub(super) fn turn(&self, t: usize) -> Option<Turn> {
        let stands = |turn: &Turn| {
            self.pc(t) == turn.at && !matches!(self.phase(t), STARTING | PARKED) && self.get(turn.had) == 0
        };
        self.toy.turns[t].filter(stands)
    }

    /// Whether what it does there now is its turn: a compare-and-swap only if it succeeds.
    pub(super) fn would_have_turn(&self, t: usize) -> bool {
        match self.code(t, self.pc(t)) {
            Code::Cas(x, expected, ..) => self.are_equal(t, x, expected).unwrap_or(true),
            _ => true,
        }
    }

    /// The object of a thread's joins, cancellation and end.
    fn thread_object(&self, t: usize) -> ObjectId {
        let number = self.order.iter().position(|&o| o as usize == t);
        match number.filter(|_| self.toy.numbered) {
            Some(number) => ObjectId::thread(ThreadId::from_index(number)),
            None => ObjectId(1 << 63 | 0x8000 | t as u64),
        }
    }

    /// Whether an operation is a cancellation point, in a toy that cancels threads.
    fn is_cancellation_point(&self, op: Op) -> bool {
        use Op::*;
        let point = matches!(
            op,
            WaitRelease | WaitTimeout | WaitAcquire | Join | SemWait | SemTimedWait | CancelPoint
        );
        point && self.toy.requested.iter().any(Option::is_some)
    }

    /// True if a thread's end was requested and it does not refuse.
    pub(super) fn is_cancelled(&self, t: usize) -> bool {
        let holds = |slot: Option<Slot>| slot.is_some_and(|slot| self.get(slot) != 0);
        holds(self.toy.requested[t]) && !holds(self.toy.refused[t])
    }
}

/// One or the other.
const fn either(first: bool, one: Op, other: Op) -> Op {
    if first { one } else { other }
}
