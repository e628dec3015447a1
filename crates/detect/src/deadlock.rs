//! Deadlocks: cycles of threads that wait for each other, and threads that wait for something that
//! no thread will do.
//!
//! At the end of an execution (no thread can move), the detector reports:
//! - each wait-for cycle. It is a `deadlock` if every thread has finished or is blocked. It is a
//!   `deadlock.partial` if the process went on and ended, or if some thread was parked (by a false
//!   assumption, a fault of its own or a limit), because the further actions of that thread are not
//!   known;
//! - without a cycle, blocked threads as a deadlock, but only if no thread is parked and the
//!   process did not exit. It is a `deadlock.lost-wakeup` if all of them, except those that join,
//!   wait on condition variables, and a wakeup of one of these was lost before.
//!
//! A wait-for edge leads to each thread for which a thread waits: the owner of a mutex, a spin
//! lock, a stream or a once control, the writer or *all* readers of a read-write lock, the
//! thread to be joined. If a thread has an edge to a thread that never moves again, it never
//! moves again either. So a cycle is never left. Semaphores, condition variables, barriers and
//! pipes have no owner and make no edges, nor do futexes. A lock that is a word of memory has none
//! either, but where everything stands still, a report says who has taken it ([`Takers`]). A
//! thread that may be cancelled while it waits, or that waits with a time-out, is in no cycle that
//! counts before the end.
//!
//! That a cycle exists is a property of the state in which it closes. Its *kind* is a property of
//! the execution. It is the same for each member of a class of executions only if it is decided at
//! the point that they all reach: the end. If other threads run for ever, there is no end. Then:
//! - the explorer reports each thread that never moves again in any continuation as
//!   [stuck](Detector::stuck): in a cycle, or without one. It is a `deadlock.partial`, or a
//!   `deadlock.lost-wakeup` as above. If a continuation has an end, the threads are judged there,
//!   and nowhere else;
//! - a cycle is reported as partial after [`PATIENCE`] further events. This is for executions that
//!   never reach known states, and for strategies that know no states.

use crate::spin::spin_fault;
use crate::takers::Takers;
use crate::text::list;
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use selvedge_model::{
    Describe, Detector, Event, Fault, FaultKind, ObjectId, Op, Outcome, Pending, Spin, Status,
};
use std::collections::BTreeMap;

/// The number of events after which a closed cycle is reported while other threads go on.
pub const PATIENCE: u32 = 100;

/// Finds deadlocks.
#[derive(Clone, Debug, Default)]
pub struct DeadlockDetector {
    /// The lost wakeups so far: the condition variable, the statement, its context and the thread.
    lost: Vec<(ObjectId, StmtId, ContextId, ThreadId)>,
    /// What was signalled, each once.
    signalled: Vec<ObjectId>,
    /// The queues of words that are condition variables, each once. Other such queues are those of
    /// locks, or made by hand.
    conditions: Vec<ObjectId>,
    takers: Takers,
    now: Now,
}

/// The part of the state that is copied into marks.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    /// True if the process has exited.
    exited: bool,
    /// A member of a closed cycle, and the number of events since it closed.
    cycle: Option<(ThreadId, u32)>,
    /// True if that cycle was reported.
    reported: bool,
}

/// A position to which the detector can return.
#[derive(Clone, Copy, Debug)]
pub struct DeadlockMark {
    lost: usize,
    signalled: usize,
    conditions: usize,
    takers: usize,
    now: Now,
}

impl DeadlockDetector {
    /// A detector at the beginning of an execution.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<M: Describe + ?Sized> Detector<M> for DeadlockDetector {
    type Mark = DeadlockMark;

    #[inline]
    fn mark(&mut self) -> DeadlockMark {
        DeadlockMark {
            lost: self.lost.len(),
            signalled: self.signalled.len(),
            conditions: self.conditions.len(),
            takers: self.takers.mark(),
            now: self.now,
        }
    }

    #[inline]
    fn undo(&mut self, mark: DeadlockMark) {
        self.lost.truncate(mark.lost);
        self.signalled.truncate(mark.signalled);
        self.conditions.truncate(mark.conditions);
        self.takers.undo(mark.takers);
        self.now = mark.now;
    }

    #[inline]
    fn event(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        let action = &event.action;
        match action.op {
            _ if event.outcome == Outcome::Incomplete => {}
            Op::ProcessExit => self.now.exited = true,
            Op::WaitReleaseWord => once(&mut self.conditions, action.object),
            Op::Signal | Op::Broadcast => {
                once(&mut self.signalled, action.object);
                let lost = match event.outcome {
                    Outcome::Thread(_) => false,
                    Outcome::Threads(set) => machine.waiters(set).is_empty(),
                    _ => true,
                };
                if lost {
                    self.lost
                        .push((action.object, action.stmt, event.context, action.thread));
                }
            }
            _ => {}
        }
        self.takers.see(action, event.context, event.outcome);
        for part in machine.parts() {
            self.takers.see(&part.action, part.context, part.outcome);
        }
        if self.now.cycle.is_some() {
            self.watch(machine, faults);
            return;
        }
        // A cycle closes when its last thread blocks, and this happens in that thread's own step.
        let mover = machine
            .parts()
            .last()
            .map_or(action.thread, |part| part.action.thread);
        if let Some(pending) = machine.pending().get(mover.index())
            && pending.status == Status::Blocked
            && closed_cycle(machine, mover).is_some()
        {
            self.now.cycle = Some((mover, 0));
        }
    }

    fn end(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        let pending = machine.pending();
        let waits = |p: &Pending| p.status == Status::Blocked;
        // Where a thread is held, others come to the end, by its name.
        let moves = |p: &Pending| matches!(p.status, Status::Enabled | Status::Held);
        if !pending.iter().any(waits) || pending.iter().any(moves) {
            return;
        }
        let blocked: Vec<ThreadId> = (0..pending.len())
            .filter(|&i| pending[i].status == Status::Blocked)
            .map(ThreadId::from_index)
            .collect();
        let stuck = !self.now.exited && pending.iter().all(|p| p.status != Status::Parked);
        // If something else may go on, a lock without an owner may be given back by it.
        let takers = stuck.then_some(&self.takers);
        let cycles = cycles(machine, &blocked, takers);
        for cycle in &cycles {
            let known =
                self.now.reported && self.now.cycle.is_some_and(|(thread, _)| cycle.contains(&thread));
            if !known {
                let kind = if stuck {
                    FaultKind::Deadlock
                } else {
                    FaultKind::PartialDeadlock
                };
                faults.push(cycle_fault(machine, kind, cycle, &blocked, takers));
            }
        }
        if cycles.is_empty() && stuck && !blocked.is_empty() {
            faults.push(self.stuck_fault(machine, &blocked, FaultKind::Deadlock));
        }
    }

    fn spin(&mut self, machine: &M, spins: &[Spin], faults: &mut Vec<Fault>) {
        faults.extend(spin_fault(machine, spins));
    }

    fn stuck(&mut self, machine: &M, thread: ThreadId, faults: &mut Vec<Fault>) {
        let Some(cycle) = cycle_of(machine, thread, None) else {
            faults.push(self.stuck_fault(machine, &[thread], FaultKind::PartialDeadlock));
            return;
        };
        let known = self.now.reported && self.now.cycle.is_some_and(|(t, _)| cycle.contains(&t));
        if !known {
            faults.push(cycle_fault(
                machine,
                FaultKind::PartialDeadlock,
                &cycle,
                &[],
                None,
            ));
        }
    }
}

impl DeadlockDetector {
    /// Counts the events since a cycle has closed, while other threads go on.
    #[cold]
    fn watch<M: Describe + ?Sized>(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        let Some((thread, events)) = &mut self.now.cycle else {
            return;
        };
        *events = events.saturating_add(1);
        if *events < PATIENCE || self.now.reported {
            return;
        }
        if let Some(cycle) = closed_cycle(machine, *thread) {
            self.now.reported = true;
            faults.push(cycle_fault(
                machine,
                FaultKind::PartialDeadlock,
                &cycle,
                &[],
                None,
            ));
        }
    }

    /// The fault for threads that are blocked without a cycle, where no thread is left that can
    /// unblock them. `otherwise`: the kind of fault if no wakeup was lost.
    fn stuck_fault<M: Describe + ?Sized>(
        &self,
        machine: &M,
        blocked: &[ThreadId],
        otherwise: FaultKind,
    ) -> Fault {
        let action = |t: ThreadId| &machine.pending()[t.index()].action;
        let waiting: Vec<ThreadId> = blocked
            .iter()
            .copied()
            .filter(|&t| action(t).op != Op::Join)
            .collect();
        let on_condition =
            |t: ThreadId| matches!(action(t).op, Op::WaitAcquire | Op::WaitTimeout | Op::FutexWoken);
        // A lock made of a futex wakes nobody when it is given back and nobody waits. That is no
        // reason why a thread waits for it later.
        let may_lose = |object: ObjectId| object.as_queue().is_none() || self.conditions.contains(&object);
        let lost =
            (self.lost.iter()).filter(|l| may_lose(l.0) && waiting.iter().any(|&t| action(t).object == l.0));
        let lost: Vec<_> = lost.collect();
        // Where one waits for what nobody has ever signalled, that is the reason.
        let was_signalled = |&t: &ThreadId| on_condition(t) && self.signalled.contains(&action(t).object);
        let lost_wakeup = !lost.is_empty() && waiting.iter().all(was_signalled);
        let losers: Vec<ThreadId> = (waiting.iter().copied())
            .filter(|&t| lost.iter().any(|l| l.0 == action(t).object))
            .collect();
        let shown = match (lost_wakeup, waiting.is_empty()) {
            (true, _) => &losers,
            (false, true) => blocked,
            (false, false) => &waiting,
        };
        let names: Vec<String> = shown.iter().map(|&t| machine.thread_name(t)).collect();
        let wait = if shown.len() == 1 { "waits" } else { "wait" };
        let threads = if shown.len() == 1 { "thread" } else { "threads" };
        let first = shown[0];
        let (kind, message) = if lost_wakeup {
            let mut on: Vec<ObjectId> = shown.iter().map(|&t| action(t).object).collect();
            on.sort_unstable();
            on.dedup();
            let was = if on.len() == 1 { "which was" } else { "which were" };
            let on: Vec<String> = on.into_iter().map(|object| machine.object_name(object)).collect();
            (
                FaultKind::LostWakeup,
                format!(
                    "lost wakeup: {threads} {} {wait} for ever on {}, {was} signalled when nobody waited",
                    list(&names),
                    list(&on)
                ),
            )
        } else {
            let (what, others) = match otherwise {
                FaultKind::PartialDeadlock => ("partial deadlock", "whatever the others do"),
                _ => ("deadlock", "and no other thread can move"),
            };
            let message = format!("{what}: {threads} {} {wait} for ever, {others}", list(&names));
            (otherwise, message)
        };
        let mut related = Vec::new();
        for &thread in blocked {
            related.extend(waits(machine, thread));
        }
        if lost_wakeup {
            // A loop may lose a wakeup in each round.
            let mut times: BTreeMap<_, (usize, usize)> = BTreeMap::new();
            for (at, &lost) in lost.iter().enumerate() {
                times.entry(lost).or_insert((at, 0)).1 += 1;
            }
            let mut places: Vec<_> = times.into_iter().collect();
            places.sort_unstable_by_key(|&(_, (first, _))| first);
            for (&(object, stmt, context, thread), (_, times)) in places {
                let again = match times {
                    1 => String::new(),
                    _ => format!(" ({times} times)"),
                };
                let text = format!(
                    "thread {}: signalled {} here, and nobody waited{again}",
                    machine.thread_name(thread),
                    machine.object_name(object)
                );
                related.push((text, stmt, context));
            }
        }
        Fault {
            kind,
            message,
            stmt: action(first).stmt,
            context: machine.pending_context(first),
            related,
            object: action(first).object,
        }
    }
}

fn once(objects: &mut Vec<ObjectId>, object: ObjectId) {
    if !objects.contains(&object) {
        objects.push(object);
    }
}

/// The cycle that a thread closed, if no thread outside can break it. A thread that can be
/// cancelled need not wait for ever.
fn closed_cycle<M: Describe + ?Sized>(machine: &M, thread: ThreadId) -> Option<Vec<ThreadId>> {
    let pending = machine.pending();
    let blocked = |at: &ThreadId| pending[at.index()].status == Status::Blocked;
    // In most cases it waits for a thread that can move.
    if !machine.waits_for(thread).iter().any(blocked) {
        return None;
    }
    let cycle = cycle_of(machine, thread, None)?;
    let firm = cycle.iter().all(|at| !pending[at.index()].action.cancelable);
    firm.then_some(cycle)
}

/// A shortest cycle of threads with this one, from its lowest thread on. Each thread waits for the
/// next one. `takers`: a thread also waits for who has taken a lock without an owner.
fn cycle_of<M: Describe + ?Sized>(
    machine: &M,
    thread: ThreadId,
    takers: Option<&Takers>,
) -> Option<Vec<ThreadId>> {
    // The threads reached; each with the position of the thread that waits for it.
    let mut reached: Vec<(ThreadId, usize)> = vec![(thread, 0)];
    let mut next = 0;
    while let Some(&(at, _)) = reached.get(next) {
        let holder = takers.and_then(|takers| takers.holder(&machine.pending()[at.index()].action));
        let holder = holder.map(|taken| taken.thread);
        for other in machine.waits_for(at).into_iter().chain(holder) {
            if other == thread {
                let mut cycle = Vec::new();
                let mut place = next;
                while place != 0 {
                    cycle.push(reached[place].0);
                    place = reached[place].1;
                }
                cycle.push(thread);
                cycle.reverse();
                let lowest = (0..cycle.len()).min_by_key(|&at| cycle[at]);
                cycle.rotate_left(lowest.unwrap_or(0));
                return Some(cycle);
            }
            if !reached.iter().any(|&(known, _)| known == other) {
                reached.push((other, next));
            }
        }
        next += 1;
    }
    None
}

/// Wait-for cycles. Each thread in a cycle is in exactly one of those returned, or in an earlier
/// one.
fn cycles<M: Describe + ?Sized>(
    machine: &M,
    blocked: &[ThreadId],
    takers: Option<&Takers>,
) -> Vec<Vec<ThreadId>> {
    let mut found: Vec<Vec<ThreadId>> = Vec::new();
    for &thread in blocked {
        if !found.iter().any(|cycle| cycle.contains(&thread)) {
            found.extend(cycle_of(machine, thread, takers));
        }
    }
    found
}

type Related = (String, StmtId, ContextId);

/// What a blocked thread waits for, and the locks that it holds meanwhile.
fn waits<M: Describe + ?Sized>(machine: &M, thread: ThreadId) -> Vec<Related> {
    let name = machine.thread_name(thread);
    let stmt = machine.pending()[thread.index()].action.stmt;
    let mut related = vec![(
        format!("thread {name}: {}", machine.blocked_on(thread)),
        stmt,
        machine.pending_context(thread),
    )];
    let held = machine.locks_held(thread).into_iter();
    related.extend(held.map(|lock| took(machine, thread, lock)));
    related
}

/// A lock that a thread holds.
fn took<M: Describe + ?Sized>(
    machine: &M,
    thread: ThreadId,
    (lock, stmt, context): (ObjectId, StmtId, ContextId),
) -> Related {
    let (name, lock) = (machine.thread_name(thread), machine.object_name(lock));
    (format!("thread {name}: took {lock} here"), stmt, context)
}

fn cycle_fault<M: Describe + ?Sized>(
    machine: &M,
    kind: FaultKind,
    cycle: &[ThreadId],
    blocked: &[ThreadId],
    takers: Option<&Takers>,
) -> Fault {
    let names: Vec<String> = cycle.iter().map(|&t| machine.thread_name(t)).collect();
    let message = match (kind, &names[..]) {
        (_, [one]) => format!("deadlock: thread {one} waits for itself"),
        (FaultKind::PartialDeadlock, _) => format!(
            "partial deadlock: threads {} wait for each other, whatever the others do",
            list(&names)
        ),
        _ => format!("deadlock: threads {} wait for each other", list(&names)),
    };
    let mut related = Vec::new();
    for &thread in cycle.iter().chain(blocked.iter().filter(|t| !cycle.contains(t))) {
        related.extend(waits(machine, thread));
        let waiting = blocked.iter().map(|t| &machine.pending()[t.index()].action);
        let holders = waiting.filter_map(|action| Some((action.object, takers?.holder(action)?)));
        let held: BTreeMap<_, _> = holders.filter(|(_, taken)| taken.thread == thread).collect();
        for (lock, taken) in held {
            related.push(took(machine, thread, (lock, taken.stmt, taken.context)));
        }
    }
    let first = cycle[0];
    let pending = &machine.pending()[first.index()].action;
    Fault {
        kind,
        message,
        stmt: pending.stmt,
        context: machine.pending_context(first),
        related,
        object: pending.object,
    }
}
