//! The cause of a finding, in one sentence: the part that a programmer would change.

mod stale;
mod waits;

use crate::sites::usual_lock;
use crate::trace::{MOST_WITH_LOCKS, Made, Trace};
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use selvedge_detect::{Detectors, split_thread};
use selvedge_model::{Describe, Fault, FaultKind, Machine, ObjectId, Op, Property, Status};
use selvedge_report::AccessSite;
use selvedge_vm::Vm;

type VmTrace = Trace<Vm, Detectors>;

/// Why it came to a fault.
pub(crate) struct Cause {
    pub(crate) text: String,
    /// Accesses to memory that the text names, and that are no steps of their own.
    pub(crate) accesses: Vec<NamedAccess>,
}

/// An access that a cause names.
pub(crate) struct NamedAccess {
    /// The step that it is in.
    pub(crate) step: usize,
    /// In words, what it does.
    pub(crate) text: String,
    pub(crate) stmt: StmtId,
    pub(crate) context: ContextId,
}

/// The cause of a fault that a trace shows at a step; `None` if there is nothing to say beside what
/// the finding says.
pub(crate) fn cause(
    trace: &VmTrace,
    at: Option<usize>,
    fault: &Fault,
    sites: &[AccessSite],
) -> Option<Cause> {
    if trace.made.len() > MOST_WITH_LOCKS {
        return None;
    }
    if let Some(text) = text(trace, at, fault, sites) {
        let accesses = Vec::new();
        return Some(Cause { text, accesses });
    }
    match fault.kind.property() {
        Property::Deadlock | Property::DataRace | Property::Pthread => None,
        Property::Leak | Property::Cleanup => None,
        _ => stale::stale(trace, at?).or_else(|| {
            let text = waits::not_tested_by_another(trace, at?)?;
            let accesses = Vec::new();
            Some(Cause { text, accesses })
        }),
    }
}

fn text(trace: &VmTrace, at: Option<usize>, fault: &Fault, sites: &[AccessSite]) -> Option<String> {
    match fault.kind {
        FaultKind::DataRace => race(trace, at?, fault, sites),
        FaultKind::Deadlock | FaultKind::PartialDeadlock => {
            deadlock(&trace.machine).or_else(|| waits::nobody_wakes(trace))
        }
        FaultKind::LostWakeup => lost_wakeup(trace, fault),
        FaultKind::Spin => last_written(trace, fault),
        FaultKind::UseAfterFree | FaultKind::DoubleFree => freed(trace, at?, fault),
        kind if kind.property() == Property::Pthread => done_before(trace, at?, fault),
        FaultKind::Leak | FaultKind::NotFreed => None,
        _ => waits::not_tested_again(trace, at?, fault),
    }
}

/// A place in the program's own code, in a few characters.
fn place(trace: &VmTrace, stmt: StmtId, context: ContextId) -> String {
    let at = trace.machine.own_location(stmt, context);
    let file = at.file.rsplit('/').next().unwrap_or_default();
    format!("{file}:{}", at.line)
}

/// Who has last written what a thread waits for in a loop.
fn last_written(trace: &VmTrace, fault: &Fault) -> Option<String> {
    let is_write =
        |made: &&Made| made.action.writes_memory() && !made.failed && made.action.object == fault.object;
    let name = trace.machine.object_name(fault.object);
    match trace.made.iter().rfind(is_write) {
        Some(made) => Some(format!(
            "{name} was last written by thread {} at {}",
            made.step.thread,
            place(trace, made.action.stmt, made.context)
        )),
        None if fault.object.is_address() => Some(format!("no thread of this execution writes {name}")),
        None => None,
    }
}

/// What was done to an object of pthreads before it was misused.
fn done_before(trace: &VmTrace, at: usize, fault: &Fault) -> Option<String> {
    let step = before(&trace.made, at, fault.object)?;
    let made = &trace.made[step];
    Some(format!(
        "before that, thread {} did `{}` at {}",
        made.step.thread,
        made.text.replace('`', ""),
        place(trace, made.action.stmt, made.context)
    ))
}

/// The last step before another one that was an action on an object.
pub(crate) fn before(made: &[Made], at: usize, object: ObjectId) -> Option<usize> {
    let is_it = |made: &Made| made.action.object == object && made.action.op != Op::Start;
    made[..at].iter().rposition(is_it)
}

/// Which locks the accesses of a race have in common, and which lock the other places take.
fn race(trace: &VmTrace, at: usize, fault: &Fault, sites: &[AccessSite]) -> Option<String> {
    let accesses = accesses(trace, at, fault)?;
    Some(match usual_lock(sites) {
        Some((lock, count, places)) if count == places => {
            format!("{accesses}; all {places} places hold {lock}, one of them only for reading")
        }
        Some((lock, count, places)) => {
            format!("{accesses}; {count} of the {places} places that were seen to use it hold {lock}")
        }
        None => accesses,
    })
}

fn accesses(trace: &VmTrace, at: usize, fault: &Fault) -> Option<String> {
    let (text, stmt, _) = fault.related.first()?;
    let other = step_of(trace, at, split_thread(text).0, *stmt)?;
    let (new, old) = (&trace.made[at], &trace.made[other]);
    let (a, b) = (&new.step.thread, &old.step.thread);
    let (new, old) = (held(trace, at, fault.stmt), held(trace, other, *stmt));
    if new.iter().any(|lock| old.contains(lock)) {
        return Some(format!(
            "threads {b} and {a} hold the same lock, but only for reading"
        ));
    }
    Some(match (old, new) {
        ([], []) => format!("neither thread {b} nor thread {a} holds a lock"),
        ([], locks) => outside(b, a, locks),
        (locks, []) => outside(a, b, locks),
        (first, second) => format!(
            "the accesses are under different locks: thread {b} holds {}, thread {a} holds {}",
            first.join(", "),
            second.join(", ")
        ),
    })
}

fn outside(without: &str, with: &str, locks: &[String]) -> String {
    format!(
        "thread {without} holds no lock, thread {with} holds {}",
        locks.join(", ")
    )
}

/// The locks that a thread holds at an access of a step. During an unlock, the thread still holds
/// the lock.
fn held(trace: &VmTrace, at: usize, access: StmtId) -> &[String] {
    let Made { action, held, .. } = &trace.made[at];
    let gives_back = matches!(
        action.op,
        Op::Unlock | Op::SpinUnlock | Op::RdUnlock | Op::WrUnlock | Op::WaitRelease
    );
    match gives_back && action.stmt == access {
        true => last_of(&trace.made[..at], action.thread).map_or(&[], |before| &before.held),
        false => held,
    }
}

/// The last step of a thread.
fn last_of(made: &[Made], thread: ThreadId) -> Option<&Made> {
    made.iter().rev().find(|made| made.action.thread == thread)
}

/// The last step, before or at another one, in which a thread was at a statement.
fn step_of(trace: &VmTrace, at: usize, thread: &str, stmt: StmtId) -> Option<usize> {
    let is_there = |made: &Made| made.step.thread == thread && made.touched.contains(&stmt);
    trace.made[..=at].iter().rposition(is_there)
}

/// What a thread of a cycle waits for, and the thread that holds it.
struct Waits {
    thread: ThreadId,
    what: ObjectId,
    op: Op,
}

/// The order in which the threads of a cycle took their locks.
fn deadlock(vm: &Vm) -> Option<String> {
    let blocked = |thread: ThreadId| vm.pending()[thread.index()].status == Status::Blocked;
    let first = (0..vm.pending().len())
        .map(ThreadId::from_index)
        .find(|&thread| blocked(thread) && circle(vm, thread).is_some())?;
    let circle = circle(vm, first)?;
    let name = |thread: ThreadId| vm.thread_name(thread);
    if let [one] = &circle[..] {
        let object = vm.object_name(one.what);
        return Some(format!(
            "thread {} takes {object} while it holds it",
            name(one.thread)
        ));
    }
    let parts = (0..circle.len()).map(|i| {
        let (this, before) = (&circle[i], &circle[(i + circle.len() - 1) % circle.len()]);
        let wants = match this.op {
            Op::Join => format!("joins {}", vm.object_name(this.what)),
            _ => format!("takes {}", vm.object_name(this.what)),
        };
        match before.op {
            // A thread that is joined does not hold a lock that the joining thread needs.
            Op::Join => format!("thread {} {wants}", name(this.thread)),
            _ => format!(
                "thread {} {wants} while it holds {}",
                name(this.thread),
                vm.object_name(before.what)
            ),
        }
    });
    let order = match circle.iter().all(|waits| waits.op != Op::Join) {
        true => "locks are taken in different orders: ",
        false => "",
    };
    Some(format!("{order}{}", parts.collect::<Vec<_>>().join("; ")))
}

/// The cycle of threads that contains a waiting thread; each thread waits for the next one.
fn circle(vm: &Vm, first: ThreadId) -> Option<Vec<Waits>> {
    let mut circle = Vec::new();
    let mut thread = first;
    while circle.len() <= vm.pending().len() {
        let [next] = vm.waits_for(thread)[..] else {
            return None;
        };
        let action = &vm.pending()[thread.index()].action;
        let what = match action.op {
            Op::WaitAcquire => action.object2,
            _ => action.object,
        };
        circle.push(Waits {
            thread,
            what,
            op: action.op,
        });
        if next == first {
            return Some(circle);
        }
        thread = next;
    }
    None
}

/// Where the waiting thread was when the signal was lost: between its test of the condition and its
/// wait (the mutex would have kept the signal out), or elsewhere.
fn lost_wakeup(trace: &VmTrace, fault: &Fault) -> Option<String> {
    let vm = &trace.machine;
    let waiting = vm.pending().iter().find(|pending| {
        let waits = matches!(pending.action.op, Op::WaitAcquire | Op::FutexWoken);
        pending.status == Status::Blocked && waits && pending.action.object == fault.object
    })?;
    let (condition, mutex) = (waiting.action.object, vm.object_name(waiting.action.object2));
    if let Some(cause) = waits::wrong_thread(trace, waiting.action.thread, condition) {
        return Some(cause);
    }
    let at = trace.made.iter().rposition(|made| {
        matches!(made.action.op, Op::Signal | Op::Broadcast) && made.action.object == condition
    })?;
    let signal = &trace.made[at];
    let (sender, waiter) = (signal.action.thread, waiting.action.thread);
    // A signal after the wait began was not too early.
    let begun = trace.made.iter().rposition(|made| {
        made.action.thread == waiter && matches!(made.action.op, Op::WaitRelease | Op::WaitReleaseWord)
    });
    if begun.is_some_and(|begun| begun < at) {
        return None;
    }
    let (thread, other) = (&signal.step.thread, vm.thread_name(waiter));
    if sender == waiter {
        return Some(format!("thread {thread} signals before it waits itself"));
    }
    let about_to_wait = last_of(&trace.made[..at], waiter).is_some_and(|made| made.held.contains(&mutex));
    Some(match about_to_wait && !signal.held.contains(&mutex) {
        true => format!(
            "thread {thread} signals without {mutex}, while thread {other} holds it and is about to wait"
        ),
        false => format!(
            "thread {thread} signals before thread {other} waits, and thread {other} waits all the same"
        ),
    })
}

/// Which thread freed the object, and whether anything else orders the free and the use.
fn freed(trace: &VmTrace, at: usize, fault: &Fault) -> Option<String> {
    let user = &trace.made[at];
    let (_, stmt, _) = fault.related.iter().find(|related| related.0.contains("freed"))?;
    let freed = trace.made[..=at]
        .iter()
        .rposition(|made| made.touched.contains(stmt))?;
    let by = &trace.made[freed];
    if by.action.thread == user.action.thread {
        return None;
    }
    let (by_name, user_name) = (&by.step.thread, &user.step.thread);
    let ordered = comes_after(&trace.made[freed..=at], user.action.thread);
    let text = match (fault.kind, ordered) {
        (FaultKind::DoubleFree, true) => {
            format!("thread {by_name} frees the object, always before thread {user_name} frees it again")
        }
        (FaultKind::DoubleFree, false) => format!("threads {by_name} and {user_name} both free the object"),
        (_, true) => format!("thread {by_name} frees the object, always before thread {user_name} uses it"),
        (_, false) => format!("thread {by_name} frees the object while thread {user_name} still uses it"),
    };
    // It may have freed the object too early because of a wait.
    Some(match waits::not_tested_before(trace, freed) {
        Some(wait) if !ordered => format!("{text}; {wait}"),
        _ => text,
    })
}

/// True if a thread, at the last of some steps, comes after the end of the first step in every
/// schedule, because of creations and joins of threads.
fn comes_after(made: &[Made], thread: ThreadId) -> bool {
    let mut after: Vec<ThreadId> = made.first().map(|made| made.action.thread).into_iter().collect();
    for Made { action, created, .. } in made.iter().skip(1) {
        let knows = match action.op {
            Op::Join => action
                .object
                .as_thread()
                .is_some_and(|ended| after.contains(&ended)),
            _ => false,
        };
        if knows {
            after.push(action.thread);
        }
        if after.contains(&action.thread) {
            after.extend(*created);
        }
    }
    after.contains(&thread)
}
