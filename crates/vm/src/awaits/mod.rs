//! Awaits: a thread that waits in a loop is held until what it reads changes.
//!
//! A thread *stands* before its next action. A *round* leads from a stand back to the same
//! stand: to the same place, with the same values in everything that the thread may still read,
//! and without an effect in between. A round only reads atomic variables, fails to exchange
//! them, or stores the value that is there. If a round is removed from an execution, the rest
//! is an execution that leads to the same states, as other threads see nothing of the round. So
//! it is enough to explore executions without complete rounds. An action whose step would
//! complete a round is *held* ([`Status::Held`]). Whether it would is found out by taking the
//! step and undoing it.
//!
//! `Core::rounds` has the stands to which a thread may still return: those at which a loop may
//! begin ([`Awaits::begins_round`]), since the thread's last effect. They follow from the thread's
//! own past. They decide its future, so they are part of its state and of its fingerprint. Which
//! of the stands are kept is a question of cost only.
//!
//! Whether an action is held follows from its thread's state and from the bytes that it reads. No
//! other byte counts: a step that accesses more than its own action does has an effect here.
//!
//! *Data races.* The executions that are left are executions of the program, so each of their races
//! is one. A race can only be lost if one of its two accesses is within a removed round, so that
//! the other is a plain access to the same bytes. If there are such bytes, awaits are
//! [refused](Program::refuses_awaits): the exploration has to be made again without them. Plain
//! accesses before the first thread is created do not count, since everything comes after them.
//!
//! *Loops that are never left.* An execution whose last threads are held has not come to its end.
//! If it has none, because they all wait for each other, the explorer finds that out
//! ([`Machine::complete_rounds`]) and refuses awaits.
//!
//! *Explorers that need an order.* `dpor` finds the other places of a held action by going back
//! along the changes of what it reads, so these must be in one order. Two things could leave them
//! without one: additions that commute (the variable is then no counter, [`Seen::Awaited`]), and
//! accesses to different parts of the bytes (awaits are refused). [`Vm::with_ordered_awaits`] looks
//! for both.
//!
//! GenMC's treatment of loops (Kokologiannakis, Ren and Vafeiadis, *Dynamic Partial Order
//! Reductions for Spinloops*, FMCAD 2021) finds loops in the program's text, and blocks a thread
//! after its round. Here the states decide, and the last read of the round is no event either.

mod loops;
mod stand;

pub(crate) use loops::{Awaiting, Awaits};
pub(crate) use stand::{Stand, Stands};

use crate::counters::Seen;
use crate::fingerprint::{Keys, own_hash};
use crate::program::Program;
use crate::state::Undo as Entry;
use crate::thread::Stage;
use crate::vm::{Mark, Vm};
use loops::Use;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{Action, Choice, Machine, MemoryOrder, Op, Pending, Status, Undo};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// The most yields that a round may end with.
const MOST_LOCAL: usize = 4;

/// The maximum number of steps that a held thread takes alone.
const MOST_ALONE: usize = 1_000;

impl Program {
    /// Whether awaits would hide something: what was explored with them is then incomplete, and has
    /// to be explored again without.
    pub fn refuses_awaits(&self) -> bool {
        let awaits = self.awaits.get();
        awaits.is_some_and(|awaits| awaits.refused.load(Ordering::Relaxed))
    }

    /// Whether there is a loop that may be an await.
    pub(crate) fn may_await(&self) -> bool {
        let awaits = self.awaits.get();
        awaits.is_some_and(|awaits| awaits.begins.iter().any(|begins| !begins.is_empty()))
    }

    #[cold]
    pub(crate) fn refuse_awaits(&self) {
        if let Some(awaits) = self.awaits.get() {
            awaits.refused.store(true, Ordering::Relaxed);
        }
    }
}

impl Vm {
    /// The same, where threads that wait in loops are held. An exploration may rely on that unless
    /// the program [refuses](Program::refuses_awaits) it.
    pub fn with_awaits(mut self) -> Vm {
        self.program.awaits.get_or_init(|| Awaits::of(&self.program.code));
        // What a step accesses is asked.
        let holds = self.program.may_await() && self.program.options.record_accesses;
        self.set_awaits(holds);
        self.awaiting = holds.then(Box::default);
        self
    }

    /// The same for an explorer that needs all changes of what a thread waits for in one order.
    #[must_use]
    pub fn with_ordered_awaits(self) -> Vm {
        let mut vm = self.with_awaits();
        if let Some(awaiting) = &mut vm.awaiting {
            awaiting.ordered = true;
        }
        vm
    }

    /// After a step: the stands to which its thread may return now.
    pub(crate) fn note_round(&mut self, action: &Action, mark: Mark) {
        let Some(awaiting) = &self.awaiting else { return };
        if awaiting.suspended {
            return;
        }
        let thread = action.thread;
        let before = self.state.thread(thread).core.rounds;
        let kept = match before {
            0 => 0,
            _ if self.has_no_effect(action, mark) => before,
            _ => 0,
        };
        let arrived = self.stand(thread);
        let now = match arrived {
            None if self.may_read_on(thread) => kept,
            None => 0,
            Some(stand) => {
                let list = self.state.stands().list(kept);
                if list.contains(&stand) {
                    if let Some(awaiting) = &mut self.awaiting {
                        awaiting.completes = true;
                    }
                    kept
                } else {
                    // Where the thread comes to a place again in another state, it is on its way
                    // through a loop that has an effect.
                    let again = list.iter().position(|s| s.place == stand.place);
                    let mut list = list[..again.unwrap_or(list.len())].to_vec();
                    list.push(stand);
                    self.state.number_stands(list)
                }
            }
        };
        if now != before {
            self.state.own_core(thread).rounds = now;
        }
        if let Some(awaiting) = &self.awaiting
            && !awaiting.tries
        {
            let ordered = awaiting.ordered;
            self.tell_uses(thread);
            if ordered {
                self.tell_changes(action);
            }
        }
    }

    /// The stand of a thread, if a round may begin there.
    fn stand(&self, thread: ThreadId) -> Option<Stand> {
        let awaits = self.program.awaits.get()?;
        if !self.may_read_on(thread) {
            return None;
        }
        let core = &self.state.thread(thread).core;
        let (function, ip) = (core.frame.func.index() as u32, core.frame.ip);
        awaits.begins_round(function, ip).then(|| Stand {
            place: (core.depth, function, ip),
            hash: own_hash(&self.program, &self.state, thread),
        })
    }

    /// Whether the next action of a thread may complete a round.
    pub(crate) fn may_complete_round(&self, thread: ThreadId) -> bool {
        let core = &self.state.thread(thread).core;
        let (function, ip) = (core.frame.func.index() as u32, core.frame.ip);
        let awaits = self.program.awaits.get();
        core.rounds != 0
            && awaits.is_some_and(|awaits| awaits.ends_round(function, ip))
            && self.may_read_on(thread)
    }

    /// Whether the next action of a thread may be part of a round.
    fn may_read_on(&self, thread: ThreadId) -> bool {
        let pending = &self.state.pending()[thread.index()];
        let core = &self.state.thread(thread).core;
        let goes_on = matches!(pending.status, Status::Enabled | Status::Held)
            && core.stage == Stage::Running
            && core.depth > 0
            && !core.before
            && core.atomic == 0;
        goes_on && may_be_in_round(&pending.action)
    }

    /// Whether a step has no effect that others may see, and depends on nothing but its thread's
    /// state and the bytes that its action reads.
    fn has_no_effect(&self, action: &Action, mark: Mark) -> bool {
        let own = |entry: &Entry| match *entry {
            Entry::Core(thread)
            | Entry::Regs { thread, .. }
            | Entry::Frame { thread, .. }
            | Entry::Pending(thread)
            // Its frames determine its locals, and memory their contents.
            | Entry::LocalPushed(thread)
            | Entry::LocalPopped(thread, _) => thread == action.thread,
            _ => false,
        };
        // What a failed compare-exchange reads.
        let read = |access: &selvedge_model::Access| {
            !access.write && access.order != MemoryOrder::NotAtomic && access.address == action.object.0
                || access.is_fence()
        };
        may_be_in_round(action)
            && self.state.parts().is_empty()
            && self.state.notices().is_empty()
            && self.state.changes(mark.state).iter().all(own)
            && self.state.memory.accesses().iter().all(read)
            && self.state.memory.changed_fragments(mark.memory, &Keys::SOUND) == Digest::EMPTY
    }

    /// Tells the program's machines which bytes the last step used, and which a thread may await.
    fn tell_uses(&mut self, thread: ThreadId) {
        let mut uses: Vec<(u64, u32, Use)> = Vec::new();
        if self.state.threads().len() > 1 {
            let plain = self.state.memory.accesses().iter();
            let plain = plain.filter(|access| access.order == MemoryOrder::NotAtomic);
            uses.extend(plain.map(|access| {
                let how = if access.write { Use::Written } else { Use::Read };
                (access.address, access.size, how)
            }));
        }
        let pending = &self.state.pending()[thread.index()];
        if self.state.thread(thread).core.rounds != 0 {
            let how = if pending.action.op == Op::Rmw {
                Use::Exchanged
            } else {
                Use::Awaited
            };
            if pending.action.is_memory() {
                uses.push((pending.action.object.0, pending.action.size, how));
            }
        }
        uses.into_iter()
            .for_each(|(a, size, how)| self.tell_use(a, size, how));
    }

    fn tell_use(&mut self, address: u64, size: u32, how: Use) {
        let (Some(awaiting), Some(awaits)) = (&mut self.awaiting, self.program.awaits.get()) else {
            return;
        };
        if awaiting.told.insert((address, size, how)) {
            let bytes = address..address.saturating_add(u64::from(size.max(1)));
            let mut used = awaits.used.lock().unwrap_or_else(PoisonError::into_inner);
            if used.add(bytes, how) {
                awaits.refused.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Tells which bytes the last step may have changed atomically, and looks whether additions to
    /// what its thread may await commute.
    fn tell_changes(&mut self, action: &Action) {
        if self.state.threads().len() < 2 {
            return;
        }
        let accesses = self.state.memory.accesses().iter();
        let changed = accesses.filter(|access| access.write && access.order != MemoryOrder::NotAtomic);
        let mut uses: Vec<(u64, u32)> = changed.map(|access| (access.address, access.size)).collect();
        if action.writes_memory() {
            uses.push((action.object.0, action.size));
        }
        uses.into_iter()
            .for_each(|(a, size)| self.tell_use(a, size, Use::Changed));
        let pending = &self.state.pending()[action.thread.index()];
        let awaited = pending.action;
        if self.state.thread(action.thread).core.rounds == 0 || !awaited.is_memory() {
            return;
        }
        let Some(counters) = self.state.memory.counters.clone() else {
            return;
        };
        let bytes = awaited.object.0..awaited.object.0.saturating_add(u64::from(awaited.size));
        let mut found: Vec<u64> = bytes.filter_map(|byte| counters.start(byte)).collect();
        found.dedup();
        for address in found {
            if self.noted_counters.insert((address, Seen::Awaited)) {
                self.program.note_counter(address, Seen::Awaited);
            }
        }
    }

    /// After a step: holds the threads whose next action would complete a round, and lets those go
    /// on for which that has changed.
    pub(crate) fn hold_rounds(&mut self, acting: ThreadId, mark: Mark) {
        match &self.awaiting {
            Some(awaiting) if !awaiting.suspended && !awaiting.tries => {}
            _ => return,
        }
        for number in 0..self.state.pending().len() {
            let thread = ThreadId::from_index(number);
            let pending = self.state.pending()[number];
            if !self.may_complete_round(thread) {
                continue;
            }
            let action = pending.action;
            let other = |entry: &Entry| matches!(*entry, Entry::Pending(t) if t == thread);
            let concerned = thread == acting
                || self
                    .state
                    .memory
                    .has_changed(mark.memory, action.object.0, u64::from(action.size))
                || self
                    .state
                    .memory
                    .check(action.object.0, u64::from(action.size), false)
                    .is_err()
                || self.state.changes(mark.state).iter().any(other);
            if !concerned {
                continue;
            }
            let (status, alternatives) = self.status(&action);
            let mut now = Pending {
                action,
                status,
                alternatives,
            };
            if status == Status::Enabled && alternatives == 1 && action.is_memory() {
                self.state.set_pending(thread, now);
                if self.completes_round(thread) {
                    now.status = Status::Held;
                }
            }
            self.state.set_pending(thread, now);
        }
    }

    /// Whether the next step of a thread completes a round. Leaves everything as it is.
    fn completes_round(&mut self, thread: ThreadId) -> bool {
        let Some(awaiting) = &mut self.awaiting else {
            return false;
        };
        (awaiting.tries, awaiting.completes) = (true, false);
        let (outcome, alternative, began) = (self.outcome, self.alternative, self.began);
        let report = self.state.take_report();
        let attempt = self.state.memory.begin_attempt();
        let prints = self.fingerprints.take();
        let mark = self.mark();
        for _ in 0..=MOST_LOCAL {
            self.step(Choice {
                thread,
                alternative: 0,
            });
            // What no other thread has a part in is taken at once.
            let pending = &self.state.pending()[thread.index()];
            let goes_on = pending.is_enabled() && pending.action.op == Op::Yield;
            let has_effect = self.state.thread(thread).core.rounds == 0;
            if !goes_on || has_effect || self.awaiting.as_ref().is_none_or(|a| a.completes) {
                break;
            }
        }
        self.undo(mark);
        self.fingerprints = prints;
        self.state.memory.end_attempt(attempt);
        self.state.put_report(report);
        (self.outcome, self.alternative, self.began) = (outcome, alternative, began);
        let Some(awaiting) = &mut self.awaiting else {
            return false;
        };
        awaiting.tries = false;
        awaiting.completes
    }

    /// Whether a thread is held because it would complete a round.
    fn is_held_in_round(&self, pending: &Pending) -> bool {
        self.awaiting.is_some()
            && pending.status == Status::Held
            && self.status(&pending.action).0 == Status::Enabled
    }

    /// The threads that are held because they would complete a round.
    fn held_in_rounds(&self) -> Vec<ThreadId> {
        let pending = self.state.pending().iter();
        let held = pending.filter(|pending| self.is_held_in_round(pending));
        held.map(|pending| pending.action.thread).collect()
    }

    /// See [`Machine::complete_rounds`].
    pub(crate) fn complete_held_rounds(&mut self) -> bool {
        let held = self.held_in_rounds();
        if held.is_empty() {
            return false;
        }
        if let Some(awaiting) = &mut self.awaiting {
            awaiting.suspended = true;
        }
        for &thread in &held {
            let pending = self.state.pending()[thread.index()];
            let status = Status::Enabled;
            self.state.set_pending(thread, Pending { status, ..pending });
        }
        for thread in held {
            self.step(Choice {
                thread,
                alternative: 0,
            });
        }
        true
    }

    /// See [`Machine::goes_round_for_ever`].
    pub(crate) fn held_for_ever(&mut self) -> bool {
        let held = self.held_in_rounds();
        let start = self.mark();
        if !self.complete_held_rounds() {
            return false;
        }
        let mut ever = true;
        for thread in held {
            // Nothing that one does here concerns another one.
            let completed = self.mark();
            ever &= !self.goes_on_alone(thread);
            self.undo(completed);
            if let Some(awaiting) = &mut self.awaiting {
                awaiting.suspended = true;
            }
        }
        self.undo(start);
        ever
    }

    /// Whether a thread that nothing holds has an effect, or leaves its loop, if it runs alone.
    fn goes_on_alone(&mut self, thread: ThreadId) -> bool {
        let mut passed: Vec<Stand> = Vec::new();
        for _ in 0..MOST_ALONE {
            let pending = self.state.pending()[thread.index()];
            if let Some(stand) = self.stand(thread) {
                if passed.contains(&stand) {
                    return false;
                }
                passed.push(stand);
            }
            if pending.status != Status::Enabled {
                return true;
            }
            if pending.alternatives != 1 {
                return false;
            }
            let mark = self.mark();
            self.step(Choice {
                thread,
                alternative: 0,
            });
            if !self.has_no_effect(&pending.action, mark) {
                return true;
            }
        }
        false
    }
}

/// Whether an action may be part of a round, as far as that is known before it is taken.
fn may_be_in_round(action: &Action) -> bool {
    let quiet = match action.op {
        Op::Read | Op::Rmw => action.order != MemoryOrder::NotAtomic,
        Op::Yield => true,
        _ => false,
    };
    quiet && !action.blocks.is_some() && !action.cancelable
}
