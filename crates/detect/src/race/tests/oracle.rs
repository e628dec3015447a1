//! The oracle: happens-before as the transitive closure of edges read off the rules, and every pair
//! of accesses compared.

use super::traces::Trace;
use selvedge_base::{StmtId, ThreadId};
use selvedge_model::{MemoryOrder, Op, Outcome};
use std::ops::Range;

/// Two unordered accesses, in the order of the trace, and the bytes they share.
pub(super) struct Race {
    pub(super) first: StmtId,
    pub(super) second: StmtId,
    pub(super) bytes: Range<u64>,
}

struct Access {
    node: usize,
    thread: ThreadId,
    bytes: Range<u64>,
    write: bool,
    atomic: bool,
    stmt: StmtId,
}

/// Event i is two nodes: 2i its action, 2i + 1 the plain accesses after it. A fence that an event
/// begins with is its action.
pub(super) fn races(trace: &Trace) -> Vec<Race> {
    let before = closure(trace);
    let accesses = accesses(trace);
    let mut races = Vec::new();
    for (i, second) in accesses.iter().enumerate() {
        for first in &accesses[..i] {
            let bytes = first.bytes.start.max(second.bytes.start)..first.bytes.end.min(second.bytes.end);
            let conflict = (first.write || second.write) && !(first.atomic && second.atomic);
            if first.thread != second.thread
                && !bytes.is_empty()
                && conflict
                && !before[second.node][first.node]
            {
                races.push(Race {
                    first: first.stmt,
                    second: second.stmt,
                    bytes,
                });
            }
        }
    }
    races
}

fn accesses(trace: &Trace) -> Vec<Access> {
    let mut all = Vec::new();
    for (i, step) in trace.events.iter().enumerate() {
        let (event, action) = (&step.event, &step.event.action);
        let failed = event.outcome == Outcome::Failed;
        let mut add = |start: u64, size: u64, write: bool, atomic: bool| {
            let access = Access {
                node: 2 * i,
                thread: action.thread,
                bytes: start..start + size,
                write,
                atomic,
                stmt: action.stmt,
            };
            all.push(access);
        };
        let object = action.object.0;
        match action.op {
            Op::Read | Op::Write | Op::Add if failed => {} // it was at fault
            Op::Read | Op::Write | Op::Rmw | Op::Add => {
                let write = action.op != Op::Read && !failed;
                add(
                    object,
                    u64::from(action.size),
                    write,
                    action.order != MemoryOrder::NotAtomic,
                );
            }
            Op::WaitRelease => {
                add(object, 48, true, true);
                add(action.object2.0, 40, true, true);
            }
            Op::WaitAcquire => add(action.object2.0, 40, true, true),
            Op::SemGetValue => add(object, 32, false, true),
            _ => {
                let size = action.object_size();
                if size > 0 && action.object.is_address() {
                    add(object, size, true, true);
                }
            }
        }
        for access in &step.accesses {
            all.push(Access {
                node: 2 * i + 1,
                thread: action.thread,
                bytes: access.address..access.address + u64::from(access.size),
                write: access.write,
                atomic: false,
                stmt: access.stmt,
            });
        }
    }
    all
}

/// For each node, which nodes happen before it.
fn closure(trace: &Trace) -> Vec<Vec<bool>> {
    let nodes = 2 * trace.events.len();
    let mut before: Vec<Vec<bool>> = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let mut known = vec![false; nodes];
        let mut edges = if node % 2 == 1 {
            vec![node - 1]
        } else {
            incoming(trace, node / 2)
        };
        edges.dedup();
        for from in edges {
            known[from] = true;
            for (k, b) in known.iter_mut().zip(&before[from]) {
                *k |= b;
            }
        }
        before.push(known);
    }
    before
}

fn incoming(trace: &Trace, at: usize) -> Vec<usize> {
    let event = |i: usize| &trace.events[i].event;
    let (me, action) = (event(at).action.thread, event(at).action);
    let failed = event(at).outcome == Outcome::Failed;
    let last_of = |thread: ThreadId| (0..at).rev().find(|&i| event(i).action.thread == thread);
    let spawn_of = |thread: ThreadId| {
        let spawns =
            |&i: &usize| event(i).action.op == Op::Spawn && event(i).outcome == Outcome::Thread(thread);
        (0..at).find(spawns).map(|i| 2 * i)
    };
    let mut edges = Vec::new();
    match last_of(me) {
        Some(i) => edges.push(2 * i + 1),
        None => edges.extend(spawn_of(me)),
    }
    let earlier = |ops: &[Op]| -> Vec<usize> {
        let on = |i: &usize| event(*i).action.object == action.object && ops.contains(&event(*i).action.op);
        (0..at).filter(on).map(|i| 2 * i).collect()
    };
    let unlocks = |mutex| -> Vec<usize> {
        let releases = |i: &usize| {
            let a = &event(*i).action;
            (matches!(a.op, Op::Unlock | Op::SpinUnlock) && a.object == mutex)
                || (a.op == Op::WaitRelease && a.object2 == mutex)
        };
        (0..at).filter(releases).map(|i| 2 * i).collect()
    };
    match action.op {
        Op::Join => {
            let ended = action.object.as_thread();
            edges.extend(ended.and_then(|t| last_of(t).map(|i| 2 * i + 1).or_else(|| spawn_of(t))));
        }
        Op::Lock | Op::TryLock | Op::SpinLock if !failed => edges.extend(unlocks(action.object)),
        Op::RdLock | Op::TryRdLock if !failed => edges.extend(earlier(&[Op::WrUnlock])),
        Op::WrLock | Op::TryWrLock if !failed => edges.extend(earlier(&[Op::WrUnlock, Op::RdUnlock])),
        Op::WaitAcquire => {
            edges.extend(unlocks(action.object2));
            let wait = (0..at)
                .rev()
                .find(|&i| event(i).action.thread == me && event(i).action.op == Op::WaitRelease);
            let wakes = |i: &usize| match event(*i).outcome {
                Outcome::Thread(t) => event(*i).action.op == Op::Signal && t == me,
                Outcome::Threads(set) => {
                    event(*i).action.op == Op::Broadcast && trace.sets[set.0 as usize].contains(&me)
                }
                _ => false,
            };
            edges.extend((wait.unwrap_or(0)..at).filter(wakes).map(|i| 2 * i));
        }
        Op::BarrierLeave => {
            // The arrivals of the round: up to its last one, since the last one of the round
            // before.
            let mine = (0..at)
                .rev()
                .find(|&i| event(i).action.thread == me && event(i).action.op == Op::BarrierArrive);
            let arrivals = |i: &usize| event(*i).action.op == Op::BarrierArrive;
            let ends = |i: &usize| arrivals(i) && matches!(event(*i).outcome, Outcome::Threads(_));
            let mine = mine.unwrap_or(0);
            let end = (mine..at).find(|i| ends(i)).unwrap_or(at);
            let begin = (0..mine).rev().find(|i| ends(i)).map_or(0, |i| i + 1);
            edges.extend((begin..=end).filter(arrivals).map(|i| 2 * i));
        }
        Op::SemWait | Op::SemTryWait if !failed => edges.extend(earlier(&[Op::SemPost])),
        Op::HiddenWait if !failed => {
            let writes = |i: &usize| {
                let a = &event(*i).action;
                a.op == Op::Hidden && a.object2 == action.object2
            };
            edges.extend((0..at).filter(writes).map(|i| 2 * i));
        }
        Op::OnceEnter => edges.extend(earlier(&[Op::OnceDone])),
        Op::Read | Op::Rmw if action.order.acquires() => edges.extend(heads(trace, at)),
        Op::Yield if trace.events[at].fence().is_some_and(MemoryOrder::acquires) => {
            let reads = |i: &usize| {
                let a = &event(*i).action;
                a.thread == me && matches!(a.op, Op::Read | Op::Rmw) && a.order != MemoryOrder::NotAtomic
            };
            for read in (0..at).filter(reads) {
                edges.extend(heads(trace, read));
            }
        }
        _ => {}
    }
    edges
}

/// The releases that a read synchronises with: heads of the release sequences that the write it
/// reads belongs to.
fn heads(trace: &Trace, read: usize) -> Vec<usize> {
    let address = trace.events[read].event.action.object;
    let plain_write = |i: usize| {
        let covers = |a: &selvedge_model::Access| {
            a.write && a.address <= address.0 && address.0 < a.address + u64::from(a.size)
        };
        trace.events[i].accesses.iter().any(covers)
    };
    let mut heads = Vec::new();
    let mut later: Vec<(ThreadId, bool)> = Vec::new();
    for i in (0..read).rev() {
        if plain_write(i) {
            break; // the plain accesses of an event come after its action
        }
        let event = &trace.events[i].event;
        let a = &event.action;
        let writes = matches!(a.op, Op::Write | Op::Rmw | Op::Add) && event.outcome != Outcome::Failed;
        if a.object != address || !writes {
            continue;
        }
        if later
            .iter()
            .all(|&(thread, rmw)| rmw || !trace.short && thread == a.thread)
        {
            if a.order.releases() {
                heads.push(2 * i);
            }
            let fence = |j: &usize| {
                let step = &trace.events[*j];
                step.event.action.thread == a.thread && step.fence().is_some_and(MemoryOrder::releases)
            };
            heads.extend((0..i).filter(fence).map(|j| 2 * j));
        }
        later.push((a.thread, matches!(a.op, Op::Rmw | Op::Add)));
    }
    heads
}
