//! Causes that lie in waits: a condition that is not tested again, a signal that reached a thread
//! that it does not help, a lock or a semaphore that nobody gives back.

use super::{VmTrace, last_of, place};
use crate::trace::Made;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Access, Describe, Fault, Machine, ObjectId, Op, Status};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

/// A thread that was woken, and acted without testing its condition again: what it tested before
/// the wait is known by the statements that read. `at`: the step of a fault, which is the thread's.
pub(super) fn not_tested_again(trace: &VmTrace, at: usize, fault: &Fault) -> Option<String> {
    let thread = trace.made[at].action.thread;
    let woken = last_woken(trace, at, thread)?;
    // The thread still has the mutex that it was woken with.
    let mutex = trace.machine.object_name(trace.made[woken].action.object2);
    let own = (woken..at).filter(|&step| trace.made[step].action.thread == thread);
    let mut held = own.map(|step| trace.made[step].held.contains(&mutex));
    held.all(|held| held)
        .then(|| untested(trace, thread, (woken, at), Some(fault.stmt)))
        .flatten()
}

/// The same of another thread than that which shows the fault: what it did with the mutex that it
/// was woken with is looked at.
pub(super) fn not_tested_by_another(trace: &VmTrace, at: usize) -> Option<String> {
    let faulty = trace.made[at].action.thread;
    let threads = (0..trace.machine.pending().len()).map(ThreadId::from_index);
    let others = threads.filter(|thread| *thread != faulty);
    let mut causes = others.filter_map(|thread| {
        let woken = last_woken(trace, at, thread)?;
        let mutex = trace.machine.object_name(trace.made[woken].action.object2);
        let own = (woken..=at).filter(|&step| trace.made[step].action.thread == thread);
        let section = own.take_while(|&step| trace.made[step].held.contains(&mutex));
        untested(trace, thread, (woken, section.last()?), None)
    });
    causes.next()
}

/// The same of a thread that has done something at a step, perhaps without the mutex, after a wait
/// that ended without a signal.
pub(super) fn not_tested_before(trace: &VmTrace, at: usize) -> Option<String> {
    let thread = trace.made[at].action.thread;
    let woken = last_woken(trace, at, thread)?;
    let wait = wait_before(trace, thread, woken)?;
    (trace.made[wait].step.alternative != 0)
        .then(|| untested(trace, thread, (woken, at), None))
        .flatten()
}

/// The step with which a wait begins that has ended at another one.
fn wait_before(trace: &VmTrace, thread: ThreadId, woken: usize) -> Option<usize> {
    let begins = |made: &Made| made.action.thread == thread && made.action.op == Op::WaitRelease;
    trace.made[..woken].iter().rposition(begins)
}

/// The last step up to another one in which a thread came back from a wait.
fn last_woken(trace: &VmTrace, at: usize, thread: ThreadId) -> Option<usize> {
    let woken = |made: &Made| made.action.thread == thread && made.action.op == Op::WaitAcquire;
    trace.made[..=at].iter().rposition(woken)
}

/// What to say of a thread that came back from a wait at a step and did not read again, up to
/// another one, what it had read before the wait. `faulty`: the statement of its fault.
fn untested(
    trace: &VmTrace,
    thread: ThreadId,
    (woken, at): (usize, usize),
    faulty: Option<StmtId>,
) -> Option<String> {
    let made = &trace.made[..=at];
    let own = |step: &usize| made[*step].action.thread == thread;
    let waits = wait_before(trace, thread, woken)?;
    let mutex = trace.machine.object_name(made[woken].action.object2);
    let since = (woken..=at).filter(own);
    // What it has read with this mutex, before it waited.
    let before = (0..waits).rev().filter(own);
    let before = before.take_while(|&step| made[step].held.contains(&mutex));
    // A wait reads what it is given, before and behind it.
    let wait = made[waits].action.stmt;
    let tested: Vec<&Access> = before
        .flat_map(|step| &made[step].accesses)
        .filter(|access| !access.write && access.stmt != wait)
        .collect();
    let later: Vec<&Access> = since.flat_map(|step| &made[step].accesses).collect();
    let is_test = |read: &Access| tested.iter().any(|test| test.stmt == read.stmt);
    if tested.is_empty() || later.iter().any(|access| !access.write && is_test(access)) {
        return None;
    }
    // Reading it at another place may be a test as well, unless it is changed or fails there.
    let line = |stmt, context| place(trace, stmt, context);
    let uses: BTreeSet<String> = later
        .iter()
        .filter(|access| access.write || Some(access.stmt) == faulty)
        .map(|access| line(access.stmt, access.context))
        .chain(faulty.map(|stmt| line(stmt, made[at].context)))
        .collect();
    let elsewhere = later.iter().any(|access| {
        let of_a_test = tested.iter().any(|test| test.address == access.address);
        !access.write && of_a_test && !uses.contains(&line(access.stmt, access.context))
    });
    let Made {
        action,
        context,
        step,
        ..
    } = &made[waits];
    if elsewhere {
        return (step.alternative != 0).then(|| {
            format!(
                "the wait of thread {} on {} at {} ends without a signal (--spurious-wakeups off leaves that out)",
                step.thread,
                trace.machine.object_name(action.object),
                place(trace, action.stmt, *context),
            )
        });
    }
    let how = match step.alternative {
        0 => "is woken",
        _ => "wakes without a signal",
    };
    Some(format!(
        "thread {} waits on {} at {}, {how}, and does not test its condition again: `while` is needed, not `if`",
        step.thread,
        trace.machine.object_name(action.object),
        place(trace, action.stmt, *context),
    ))
}

/// Why threads wait for ever that do not wait for each other.
pub(super) fn nobody_wakes(trace: &VmTrace) -> Option<String> {
    let threads = (0..trace.machine.pending().len()).map(ThreadId::from_index);
    let blocked = threads.filter(|thread| trace.machine.pending()[thread.index()].status == Status::Blocked);
    let causes = blocked.filter_map(|thread| {
        let action = &trace.machine.pending()[thread.index()].action;
        match action.op {
            Op::WaitAcquire => {
                wrong_thread(trace, thread, action.object).or_else(|| never_signalled(trace, action.object))
            }
            Op::SemWait => Some(semaphore(trace, action.object)),
            Op::Join => None,
            _ => ended_with(trace, thread),
        }
    });
    causes.into_iter().next()
}

/// The last signal woke another thread while this one waited, too.
pub(super) fn wrong_thread(trace: &VmTrace, waiter: ThreadId, condition: ObjectId) -> Option<String> {
    let vm = &trace.machine;
    let signal = trace.made.iter().rposition(|made| {
        matches!(made.action.op, Op::Signal | Op::Broadcast)
            && made.action.object == condition
            && !made.failed
    })?;
    let made = &trace.made[signal];
    let [woken] = made.woke[..] else {
        return None;
    };
    let waits = |made: &Made| made.action.op == Op::WaitRelease && made.action.object == condition;
    let waited_before = last_of(&trace.made[..signal], waiter).is_some_and(waits);
    if made.action.op != Op::Signal || woken == waiter || !waited_before {
        return None;
    }
    let again = trace.made[signal..]
        .iter()
        .any(|made| made.action.thread == woken && waits(made));
    let condition = vm.object_name(condition);
    let file = vm.own_location(made.action.stmt, made.context).file;
    let all = match Path::new(&file).extension().and_then(OsStr::to_str) {
        None | Some("c" | "h" | "i") => "pthread_cond_broadcast",
        Some(_) => "notify_all",
    };
    Some(format!(
        "the last signal of {condition} (thread {}, {}) wakes thread {}, {}and not thread {}: `{all}` is needed, {}",
        made.step.thread,
        place(trace, made.action.stmt, made.context),
        vm.thread_name(woken),
        if again { "which waits again, " } else { "" },
        vm.thread_name(waiter),
        match again {
            true => "or a condition variable for each condition",
            false => "or another signal",
        },
    ))
}

fn never_signalled(trace: &VmTrace, condition: ObjectId) -> Option<String> {
    let signals =
        |made: &Made| matches!(made.action.op, Op::Signal | Op::Broadcast) && made.action.object == condition;
    let condition = trace.machine.object_name(condition);
    (!trace.made.iter().any(signals)).then(|| format!("no thread of this execution signals {condition}"))
}

fn semaphore(trace: &VmTrace, semaphore: ObjectId) -> String {
    let count = |op: Op| {
        let of = trace.made.iter();
        of.filter(|made| made.action.op == op && made.action.object == semaphore)
            .count()
    };
    format!(
        "{} is posted {} times in this execution, and waited for {} times and once more",
        trace.machine.object_name(semaphore),
        count(Op::SemPost),
        count(Op::SemWait),
    )
}

/// The thread that has the lock has ended.
fn ended_with(trace: &VmTrace, waiter: ThreadId) -> Option<String> {
    let vm = &trace.machine;
    let holders = vm.waits_for(waiter);
    let [holder] = holders[..] else {
        return None;
    };
    let wanted = vm.pending()[waiter.index()].action.object;
    let held = vm.locks_held(holder);
    let &(_, stmt, context) = held.iter().find(|(lock, ..)| *lock == wanted)?;
    let ended = vm.pending()[holder.index()].status == Status::Finished;
    ended.then(|| {
        format!(
            "thread {} has ended and still holds {}, taken at {}",
            vm.thread_name(holder),
            vm.object_name(wanted),
            place(trace, stmt, context),
        )
    })
}
