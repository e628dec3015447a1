//! What the visible operations of toys do.

use super::compile::{Code, DESTROYED, DONE};
use super::machine::{
    ARRIVED, CANCELLED, INCOMPLETE, NOTIFIED, PARKED, RELEASED, STARTING, TIMED_OUT, ToyMachine, WAITING,
};
use crate::{Op, Outcome, Waiters};
use selvedge_base::{Id, ThreadId};

impl ToyMachine {
    /// Performs the visible operation. Returns its outcome, and the phase in which the thread stays
    /// if the operation is only half done.
    pub(super) fn act(&mut self, t: usize, op: Op, alternative: u16) -> (Outcome, Option<i32>) {
        let me = t as i32;
        let phase = self.phase(t);
        let (mut outcome, mut stay) = (Outcome::Done, None);
        if alternative == 0 && self.needs(t, self.code(t, self.pc(t))).is_some() {
            return (Outcome::Incomplete, Some(INCOMPLETE));
        }
        match self.code(t, self.pc(t)) {
            Code::Lock(m) => self.set(m, me),
            Code::SpinLock(p) => self.set(p, me),
            Code::Unlock(m) | Code::SpinUnlock(m) => self.set(m, -1),
            Code::TryLock(m, r, _) | Code::SpinTryLock(m, r) => {
                let free = self.get(m) == -1;
                if free {
                    self.set(m, me);
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(free));
            }
            Code::Wait(_, m, result) => match op {
                Op::WaitRelease => {
                    self.set(m, -1);
                    stay = Some(WAITING);
                    if alternative > 0 {
                        stay = Some(NOTIFIED);
                        outcome = Outcome::Value(alternative);
                    }
                }
                Op::WaitTimeout => {
                    let times_out = result.is_some() && alternative == 0;
                    stay = Some(if times_out { TIMED_OUT } else { CANCELLED });
                    outcome = Outcome::Failed;
                }
                _ => {
                    self.set(m, me);
                    if let Some(r) = result {
                        self.set(r, i32::from(phase == NOTIFIED));
                    }
                }
            },
            Code::FutexWait(x, n, r, _) => match op {
                Op::FutexWait if self.get(x) != n => {
                    self.set(r, 0);
                    outcome = Outcome::Failed;
                }
                Op::FutexWait => {
                    stay = Some(WAITING);
                    if alternative > 0 {
                        stay = Some(NOTIFIED);
                        outcome = Outcome::Value(alternative);
                    }
                }
                Op::WaitTimeout => {
                    stay = Some(TIMED_OUT);
                    outcome = Outcome::Failed;
                }
                _ => self.set(r, if phase == TIMED_OUT { 2 } else { 1 }),
            },
            Code::WaitWord(_, y, n, result) => match op {
                Op::WaitReleaseWord => {
                    self.set(y, n);
                    stay = Some(WAITING);
                    if alternative > 0 {
                        stay = Some(NOTIFIED);
                        outcome = Outcome::Value(alternative);
                    }
                }
                Op::WaitTimeout => {
                    stay = Some(TIMED_OUT);
                    outcome = Outcome::Failed;
                }
                _ => {
                    if let Some(r) = result {
                        self.set(r, i32::from(phase == NOTIFIED));
                    }
                }
            },
            Code::Signal(c) | Code::FutexWake(c, false) => {
                let target = self.standing(c, [WAITING; 2]).nth(usize::from(alternative));
                outcome = Outcome::Failed;
                if let Some(u) = target {
                    self.set(self.toy.base[u] + 1, NOTIFIED);
                    outcome = Outcome::Thread(self.machine_thread(u));
                }
            }
            Code::Broadcast(c) | Code::FutexWake(c, true) => {
                let woken: Vec<usize> = self.standing(c, [WAITING; 2]).collect();
                for &u in &woken {
                    self.set(self.toy.base[u] + 1, NOTIFIED);
                }
                let set = woken.iter().map(|&u| self.machine_thread(u)).collect();
                outcome = Outcome::Threads(self.intern(set));
            }
            Code::Claim(x, _, m) => self.set(x, m),
            Code::Send(h, message, result) => {
                let sent = self.send(t, h, message);
                if let Some(r) = result {
                    self.set(r, i32::from(sent));
                }
            }
            Code::Receive(h, r, _) => {
                let message = self.receive(h);
                self.set(r, message.unwrap_or(-1));
            }
            Code::HangUp(h) => self.set(h + 2, 1),
            Code::SemPost(s) => self.set(s, self.get(s) + 1),
            Code::SemWait(s) => self.set(s, self.get(s) - 1),
            Code::SemTryWait(s, r, _) => {
                let works = self.get(s) > 0;
                if works {
                    self.set(s, self.get(s) - 1);
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(works));
            }
            Code::SemValue(s, r) => self.set(r, self.get(s)),
            Code::RdLock(w) => self.set(w + 1 + t as u32, self.get(w + 1 + t as u32) + 1),
            Code::WrLock(w) => self.set(w, me),
            Code::TryRdLock(w, r, _) | Code::TryWrLock(w, r, _) => {
                let shared = matches!(op, Op::TryRdLock | Op::TimedRdLock);
                let works = if shared {
                    self.get(w) == -1
                } else {
                    self.is_unused(w)
                };
                match (works, shared) {
                    (true, true) => self.set(w + 1 + t as u32, self.get(w + 1 + t as u32) + 1),
                    (true, false) => self.set(w, me),
                    (false, _) => outcome = Outcome::Failed,
                }
                self.set(r, i32::from(works));
            }
            Code::RwUnlock(w) if op == Op::WrUnlock => self.set(w, -1),
            Code::RwUnlock(w) => self.set(w + 1 + t as u32, self.get(w + 1 + t as u32) - 1),
            Code::Barrier(..) if op == Op::BarrierLeave => {}
            Code::Barrier(b, size, r) => {
                let round = self.get(b);
                stay = Some(ARRIVED + round);
                let mut here: Vec<usize> = self.standing(b, [ARRIVED, ARRIVED + 1]).collect();
                if here.len() as i32 + 1 == size {
                    self.set(b, 1 - round);
                    for &u in &here {
                        self.set(self.toy.base[u] + 1, RELEASED + round);
                    }
                    stay = Some(RELEASED + round);
                    here.push(t);
                    let set = here.iter().map(|&u| self.machine_thread(u)).collect();
                    outcome = Outcome::Threads(self.intern(set));
                    if let Some(r) = r {
                        self.set(r, 1);
                    }
                }
            }
            Code::Once(o, r) => {
                self.set(r, 1 - self.get(o));
                self.set(o, 1);
            }
            Code::Read(x, r) => self.set(r, self.get(x)),
            Code::Write(x, v) => self.set(x, self.operand(t, v)),
            Code::Add(x, v, r) => {
                let old = self.known(t, x);
                self.set(x, old.wrapping_add(self.operand(t, v)));
                if let Some(r) = r {
                    self.set(r, old);
                }
            }
            Code::Cas(x, expected, new, r) => {
                let works = alternative == 0 && self.are_equal(t, x, expected) == Some(true);
                if works {
                    self.set(x, self.operand(t, new));
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(works));
            }
            Code::Choose(_, r) => {
                self.set(r, i32::from(alternative));
                outcome = Outcome::Value(alternative);
            }
            Code::Cancel(u, r) => {
                let lives = self.pc(u as usize) != DONE;
                match self.toy.requested[u as usize].filter(|_| lives) {
                    Some(slot) => self.set(slot, 1),
                    None => outcome = Outcome::Failed,
                }
                self.set(r, i32::from(lives));
            }
            Code::Refuse(slot, value) => self.set(slot, value),
            // The state contains which threads were joined.
            Code::Join(_, slot) => self.set(slot, 1),
            Code::Detach(claimed, r) | Code::JoinOnce(_, claimed, r) => {
                let first = self.get(claimed) == 0;
                self.set(claimed, 1);
                self.set(r, i32::from(first));
                if !first {
                    outcome = Outcome::Failed;
                    stay = (op == Op::Join).then_some(PARKED);
                }
            }
            Code::Init(o, value) => self.set(o, value),
            Code::Destroy(m, r) => {
                let free = self.get(m) == -1;
                if free {
                    self.set(m, DESTROYED);
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(free));
            }
            Code::Spawn(u) => {
                let base = self.toy.base[u as usize];
                self.set(base, 0);
                self.set(base + 1, STARTING);
                self.order.push(u);
                outcome = Outcome::Thread(ThreadId::from_index(self.order.len() - 1));
            }
            // They have no effect here, or their effect does not lie in memory.
            Code::Exit | Code::Yield | Code::TestCancel | Code::Atomic => {}
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
            | Code::Input(..) => {}
        }
        (outcome, stay)
    }

    fn intern(&mut self, mut set: Vec<ThreadId>) -> Waiters {
        set.sort_unstable();
        let at = self.waiters.iter().position(|w| *w == set).unwrap_or_else(|| {
            self.waiters.push(set);
            self.waiters.len() - 1
        });
        Waiters(at as u32)
    }
}
