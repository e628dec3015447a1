//! Why it came to a finding, in one sentence: what a person would change.

use crate::trace::{MOST_WITH_LOCKS, Made, Trace};
use selvedge_base::{Id, ThreadId};
use selvedge_detect::{Detectors, split_thread};
use selvedge_model::{Describe, Fault, FaultKind, Machine, ObjectId, Op, Status};
use selvedge_vm::Vm;

type VmTrace = Trace<Vm, Detectors>;

/// The cause of a fault that a trace shows at a step; `None` if there is nothing to say beside what
/// the finding says.
pub(crate) fn cause(trace: &VmTrace, at: Option<usize>, fault: &Fault) -> Option<String> {
    if trace.made.len() > MOST_WITH_LOCKS {
        return None;
    }
    match fault.kind {
        FaultKind::DataRace => race(trace, at?, fault),
        FaultKind::Deadlock | FaultKind::PartialDeadlock => deadlock(&trace.machine),
        FaultKind::LostWakeup => lost_wakeup(trace),
        FaultKind::UseAfterFree | FaultKind::DoubleFree => freed(trace, at?, fault),
        _ => None,
    }
}

/// Which locks the accesses of a race have in common.
fn race(trace: &VmTrace, at: usize, fault: &Fault) -> Option<String> {
    let (text, stmt, _) = fault.related.first()?;
    let other = step_of(trace, at, split_thread(text).0, *stmt)?;
    let (new, old) = (&trace.made[at], other);
    let (a, b) = (&new.step.thread, &old.step.thread);
    if new.held.iter().any(|lock| old.held.contains(lock)) {
        return Some(format!(
            "threads {b} and {a} hold the same lock, but only for reading"
        ));
    }
    Some(match (&old.held[..], &new.held[..]) {
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

/// The last step up to another one in which a thread was at a statement.
fn step_of<'t>(trace: &'t VmTrace, at: usize, thread: &str, stmt: selvedge_base::StmtId) -> Option<&'t Made> {
    let mut earlier = trace.made[..=at].iter().rev();
    earlier.find(|made| made.step.thread == thread && made.touched.contains(&stmt))
}

/// What one thread of a circle waits for, and whose it is.
struct Waits {
    thread: ThreadId,
    what: ObjectId,
    op: Op,
}

/// In which order the threads of a circle took their locks.
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
            // Who is joined holds nothing of the one before it.
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

/// The circle of threads in which a thread waits, each for the next one.
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

/// Whether the lost signal was sent under the mutex of those who wait.
fn lost_wakeup(trace: &VmTrace) -> Option<String> {
    let vm = &trace.machine;
    let waiting = vm
        .pending()
        .iter()
        .find(|pending| pending.status == Status::Blocked && pending.action.op == Op::WaitAcquire)?;
    let (condition, mutex) = (waiting.action.object, vm.object_name(waiting.action.object2));
    let signal = trace.made.iter().rev().find(|made| {
        matches!(made.action.op, Op::Signal | Op::Broadcast) && made.action.object == condition
    })?;
    let thread = &signal.step.thread;
    Some(match signal.held.contains(&mutex) {
        true => format!(
            "thread {thread} signals before the other one waits, and what that one looks at before its wait does not keep it from it"
        ),
        false => format!(
            "thread {thread} signals without {mutex}, so that the signal may come between what the other one looks at and its wait"
        ),
    })
}

/// Whose object was freed by whom.
fn freed(trace: &VmTrace, at: usize, fault: &Fault) -> Option<String> {
    let user = &trace.made[at].step.thread;
    let (_, stmt, _) = fault.related.iter().find(|related| related.0.contains("freed"))?;
    let mut steps = trace.made[..=at].iter().rev();
    let by = &steps.find(|made| made.touched.contains(stmt))?.step.thread;
    (by != user).then(|| format!("thread {by} frees the object while thread {user} still uses it"))
}
