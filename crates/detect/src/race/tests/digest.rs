//! What the detector says it remembers: equal for interleavings of one trace, and whatever threads
//! are numbered; equal digests, equal races to come.

use super::traces::{Mock, Step, Trace};
use super::{RaceDetector, oracle};
use crate::race::digest::{About, Names};
use selvedge_base::{ContextId, Digest, Id, StmtId, ThreadId};
use selvedge_model::{Access, Action, Detector, Event, Machine, MemoryOrder, ObjectId, Op, Outcome, Silent};
use std::collections::{BTreeSet, HashMap};

/// The digest after a trace.
pub(super) fn digest(trace: &Trace) -> Digest {
    digest_with(&mut RaceDetector::new(), trace, |t| t)
}

/// The same with something left out.
fn digest_without(trace: &Trace, part: About) -> Digest {
    let (mut detector, mut machine) = (RaceDetector::new(), Mock::new(trace));
    for at in 0..trace.events.len() {
        machine.at = at;
        detector.event(&machine, &trace.events[at].event, &mut Vec::new());
    }
    machine.look();
    detector.remembered(machine.pending(), Names::of(&machine).without(part))
}

/// The same by a detector that may have seen other traces; `name`: what threads are called.
fn digest_with(detector: &mut RaceDetector, trace: &Trace, name: fn(usize) -> usize) -> Digest {
    let start = Detector::<Mock>::mark(detector);
    let mut machine = Mock::new(trace);
    machine.name = name;
    for at in 0..trace.events.len() {
        machine.at = at;
        detector.event(&machine, &trace.events[at].event, &mut Vec::new());
    }
    machine.look();
    let digest = detector.digest(&machine);
    Detector::<Mock>::undo(detector, start);
    digest.expect("a race detector has a digest")
}

/// Bytes with whether they are written.
fn bytes(step: &Step) -> Vec<(u64, u64, bool)> {
    let action = &step.event.action;
    let mut all: Vec<_> = step
        .accesses
        .iter()
        .map(|a| (a.address, a.address + u64::from(a.size), a.write))
        .collect();
    let size = match action.size {
        0 => action.object_size().max(1),
        size => u64::from(size),
    };
    for object in [action.object, action.object2] {
        if object != ObjectId::NONE {
            let size = if object == action.object2 { 40 } else { size };
            all.push((object.0, object.0 + size, action.op != Op::Read));
        }
    }
    all
}

/// Whether the order of two neighbouring steps may matter to anybody.
fn dependent(trace: &Trace, a: &Step, b: &Step) -> bool {
    let threads = |step: &Step| -> Vec<ThreadId> {
        let action = &step.event.action;
        let mut all = vec![action.thread];
        all.extend(action.object.as_thread());
        match step.event.outcome {
            Outcome::Thread(thread) => all.push(thread),
            Outcome::Threads(set) => all.extend(&trace.sets[set.0 as usize]),
            _ => {}
        }
        all
    };
    let (first, second) = (threads(a), threads(b));
    first.iter().any(|thread| second.contains(thread))
        || bytes(a)
            .iter()
            .any(|x| bytes(b).iter().any(|y| (x.2 || y.2) && x.0 < y.1 && y.0 < x.1))
}

/// A trace in which no thread is joined twice.
fn random(seed: u64) -> Trace {
    let mut trace = Trace::random(seed);
    let mut joined = BTreeSet::new();
    trace
        .events
        .retain(|step| match step.event.action.object.as_thread() {
            Some(thread) => joined.insert(thread.index()),
            None => true,
        });
    trace
}

#[test]
fn interleavings_of_a_trace_are_the_same() {
    let mut detector = RaceDetector::new();
    let (mut swaps, mut statements) = (0, 0);
    for seed in 0..12_000 {
        let mut trace = random(seed);
        let before = digest(&trace);
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..200 {
            if trace.events.len() < 2 {
                break;
            }
            let at = rng.usize(1..trace.events.len());
            if !dependent(&trace, &trace.events[at - 1], &trace.events[at]) {
                trace.events.swap(at - 1, at);
                swaps += 1;
            }
        }
        let after = digest_with(&mut detector, &trace, |t| t);
        if before != after {
            // Of two accesses that the same clocks cover the shadow may keep either.
            let (mut one, mut other) = (random(seed), trace);
            blank(&mut one);
            blank(&mut other);
            assert_eq!(digest(&one), digest(&other), "seed {seed}\n{one}\n{other}");
            statements += 1;
        }
    }
    assert!(swaps > 50_000 && statements < 5, "{swaps}, {statements}");
}

/// Sums of accesses are kept while they stay the same. Going back and forth must not leave old
/// ones.
#[test]
fn kept_sums_are_those_computed_anew() {
    let mut back = 0;
    for seed in 0..1_500 {
        let trace = random(seed);
        let prefixes: Vec<Trace> = (0..=trace.events.len()).map(|n| until(&trace, n)).collect();
        let anew: Vec<Digest> = prefixes.iter().map(digest).collect();
        let (mut detector, mut marks) = (RaceDetector::new(), Vec::new());
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..3 * trace.events.len() {
            if marks.len() == trace.events.len() || !marks.is_empty() && rng.u8(0..4) == 0 {
                marks.truncate(rng.usize(0..marks.len()) + 1);
                Detector::<Mock>::undo(&mut detector, marks.pop().expect("there are marks"));
                back += 1;
            } else {
                let mut machine = Mock::new(&trace);
                machine.at = marks.len();
                marks.push(Detector::<Mock>::mark(&mut detector));
                detector.event(&machine, &trace.events[machine.at].event, &mut Vec::new());
            }
            if rng.bool() {
                continue;
            }
            let mut machine = Mock::new(&prefixes[marks.len()]);
            machine.at = marks.len().saturating_sub(1);
            machine.look();
            let digest = detector.digest(&machine);
            assert_eq!(
                digest,
                Some(anew[marks.len()]),
                "seed {seed}, {} events",
                marks.len()
            );
        }
    }
    assert!(back > 10_000, "{back}");
}

/// All at one statement.
fn blank(trace: &mut Trace) {
    for step in &mut trace.events {
        step.event.action.stmt = StmtId(0);
        step.accesses
            .iter_mut()
            .for_each(|access| access.stmt = StmtId(0));
    }
}

#[test]
fn numbers_of_threads_do_not_count() {
    // The highest numbers are never used by the traces with few threads: turn the order of the
    // others round.
    fn other(thread: usize) -> usize {
        if (1..4).contains(&thread) {
            4 - thread
        } else {
            thread
        }
    }
    let rename = |t: ThreadId| ThreadId::from_index(other(t.index()));
    for seed in (0..3000).filter(|seed| seed % 40 != 0) {
        let trace = random(seed);
        let before = digest(&trace);
        let mut renamed = random(seed);
        for step in &mut renamed.events {
            step.event.action = step.event.action.renamed(rename);
            if let Outcome::Thread(thread) = &mut step.event.outcome {
                *thread = rename(*thread);
            }
        }
        for thread in renamed.sets.iter_mut().flatten() {
            *thread = rename(*thread);
        }
        let after = digest_with(&mut RaceDetector::new(), &renamed, other);
        assert_eq!(before, after, "seed {seed}\n{trace}");
    }
}

/// The bytes at which accesses after the first `from` events race with earlier ones: by the oracle,
/// which forgets nothing.
pub(super) fn later(trace: &Trace, from: usize) -> BTreeSet<(StmtId, u64)> {
    let later = &trace.events[from..];
    let mut statements: BTreeSet<StmtId> = later.iter().map(|s| s.event.action.stmt).collect();
    statements.extend(later.iter().flat_map(|s| &s.accesses).map(|a| a.stmt));
    let races = oracle::races(trace).into_iter();
    races
        .filter(|race| statements.contains(&race.second))
        .flat_map(|race| race.bytes.map(move |byte| (race.second, byte)))
        .collect()
}

/// Something in the past is otherwise; accesses to data stay.
fn change(trace: &mut Trace, past: usize, rng: &mut fastrand::Rng) {
    use MemoryOrder::*;
    let changeable = |step: &&mut Step| {
        let Action { op, order, .. } = step.event.action;
        step.fence().is_some()
            || matches!(op, Op::TryLock | Op::SemTryWait | Op::TryWrLock | Op::Signal)
            || (matches!(op, Op::Read | Op::Write | Op::Rmw | Op::Add) && order != NotAtomic)
    };
    let mut steps: Vec<&mut Step> = trace.events[..past].iter_mut().filter(changeable).collect();
    if steps.is_empty() {
        return;
    }
    let at = rng.usize(..steps.len());
    if steps[at].fence().is_some() {
        steps[at].accesses[0].order = [Acquire, Release, AcqRel][rng.usize(..3)];
        return;
    }
    let event = &mut steps[at].event;
    let action = &mut event.action;
    match action.op {
        Op::Read => action.order = if action.order.acquires() { Relaxed } else { Acquire },
        Op::Write => action.order = if action.order.releases() { Relaxed } else { Release },
        Op::Rmw | Op::Add => action.order = [Relaxed, Acquire, Release, AcqRel][rng.usize(..4)],
        Op::TryLock | Op::SemTryWait | Op::TryWrLock => {
            event.outcome = if event.outcome == Outcome::Failed {
                Outcome::Done
            } else {
                Outcome::Failed
            };
        }
        Op::Signal => event.outcome = Outcome::Failed,
        _ => {}
    }
}

/// Two traces that differ before an event in their middle, and that event's number.
pub(super) fn neighbours(seed: u64) -> Option<(Trace, Trace, usize)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let trace = random(seed);
    let past = trace.events.len() / 2;
    if past == 0 {
        return None;
    }
    let mut other = random(seed);
    for _ in 0..rng.usize(1..3) {
        change(&mut other, past, &mut rng);
    }
    Some((trace, other, past))
}

pub(super) fn until(trace: &Trace, past: usize) -> Trace {
    Trace {
        events: trace.events[..past].to_vec(),
        sets: trace.sets.clone(),
        short: trace.short,
    }
}

/// An oracle counts only once it was seen to fail.
#[test]
fn every_part_of_a_digest_left_out_is_noticed() {
    use About::*;
    // Others are noticed below, and by executions along remembered states (`recalled_races` of
    // `explore`).
    let mut left = vec![Knows, ReleaseFence, Notification, Access, Bytes, Object];
    for seed in 0..400_000 {
        let Some((trace, other, past)) = neighbours(seed) else {
            continue;
        };
        let (mine, theirs) = (later(&trace, past), later(&other, past));
        if mine == theirs {
            continue;
        }
        let (trace, other) = (until(&trace, past), until(&other, past));
        left.retain(|&part| digest_without(&trace, part) != digest_without(&other, part));
        if left.is_empty() {
            return;
        }
    }
    panic!("nobody notices that {left:?} is left out");
}

#[test]
fn equal_digests_mean_equal_races_to_come() {
    let (mut equal, mut different, mut told) = (0, 0, 0);
    let mut kept: HashMap<bool, u32> = HashMap::new();
    for seed in 0..20_000 {
        let Some((trace, other, past)) = neighbours(seed) else {
            continue;
        };
        let same = digest(&until(&trace, past)) == digest(&until(&other, past));
        let (mine, theirs) = (later(&trace, past), later(&other, past));
        if same {
            assert_eq!(mine, theirs, "seed {seed}\n{trace}\n{other}");
            equal += 1;
            *kept.entry(mine.is_empty()).or_default() += 1;
        } else {
            different += 1;
            told += u32::from(mine != theirs);
        }
    }
    assert!(
        equal > 2000 && kept[&false] > 500 && different > 300 && told > 50,
        "{equal} equal ({kept:?}), {different} different, {told} of them seen by the rest of the trace"
    );
}

const DATA: ObjectId = ObjectId(0x2000);
const FLAGS: [ObjectId; 2] = [ObjectId(0x2010), ObjectId(0x2020)];

fn step(thread: u16, op: Op, object: ObjectId, order: MemoryOrder) -> Step {
    let mut action = Action::on(ThreadId(thread), op, object);
    (action.size, action.order) = (4, order);
    // A statement is what is done by whom.
    action.stmt = StmtId(object.0 as u32 + u32::from(thread) + 2 * op as u32);
    let event = Event {
        action,
        context: ContextId(0),
        alternative: 0,
        alternatives: 1,
        outcome: Outcome::Done,
        completes: false,
        silent: Silent::No,
    };
    Step {
        event,
        accesses: Vec::<Access>::new(),
    }
}

fn spawn() -> Step {
    spawn_of(1)
}

fn spawn_of(new: u16) -> Step {
    let mut spawn = step(0, Op::Spawn, ObjectId::NONE, MemoryOrder::NotAtomic);
    spawn.event.action.size = 0;
    spawn.event.outcome = Outcome::Thread(ThreadId(new));
    spawn
}

fn digest_of(steps: &[Step]) -> Digest {
    digest(&Trace {
        events: steps.to_vec(),
        sets: Vec::new(),
        short: false,
    })
}

#[test]
fn unpublished_accesses_differ_from_published_ones() {
    use MemoryOrder::*;
    let after = |order| {
        [
            spawn(),
            step(1, Op::Write, DATA, NotAtomic),
            step(1, Op::Write, FLAGS[0], order),
        ]
    };
    assert_ne!(digest_of(&after(Relaxed)), digest_of(&after(Release)));
    assert_eq!(digest_of(&after(Release)), digest_of(&after(SeqCst)));
    // What nobody may race with is not kept: the flag tells of nothing.
    let without = |order| [spawn(), step(1, Op::Write, FLAGS[0], order)];
    let [spawned, stored] = without(Relaxed);
    let read = step(0, Op::Read, FLAGS[0], Acquire);
    let relaxed = digest_of(&[spawned, stored, read.clone()]);
    let [spawned, stored] = without(Release);
    assert_ne!(relaxed, digest_of(&[spawned, stored, read]));
}

#[test]
fn before_anybody_else_is_there_nothing_counts() {
    use MemoryOrder::*;
    let write = step(0, Op::Write, DATA, NotAtomic);
    assert_eq!(digest_of(&[]), digest_of(std::slice::from_ref(&write)));
    assert_eq!(digest_of(&[spawn()]), digest_of(&[write.clone(), spawn()]));
    assert_ne!(digest_of(&[spawn()]), digest_of(&[spawn(), write]));
}

#[test]
fn rounds_come_back_to_the_same() {
    use MemoryOrder::*;
    let mut steps = vec![spawn()];
    let mut digests = Vec::new();
    for _ in 0..5 {
        for thread in 0..2_u16 {
            let (mine, theirs) = (FLAGS[usize::from(thread)], FLAGS[usize::from(1 - thread)]);
            steps.push(step(thread, Op::Read, theirs, Acquire));
            steps.push(step(thread, Op::Write, DATA, NotAtomic));
            steps.push(step(thread, Op::Rmw, mine, AcqRel));
            digests.push(digest_of(&steps));
        }
    }
    for (at, digest) in digests.iter().enumerate().skip(4) {
        assert_eq!(*digest, digests[at - 2], "{at}: {digests:?}");
    }
    assert_ne!(digests[4], digests[5]);
}

#[test]
fn every_clock_counts() {
    use MemoryOrder::*;
    let data = || step(1, Op::Write, DATA, NotAtomic);
    let plain = |thread, op, object| {
        let mut step = step(thread, op, object, NotAtomic);
        step.event.action.size = 0;
        step
    };
    let fence = |order| {
        let mut step = plain(1, Op::Yield, ObjectId::NONE);
        let fence = Access::fence(order, step.event.action.stmt, step.event.context);
        step.accesses.push(fence);
        step
    };
    let after_fence = |order| digest_of(&[spawn(), data(), fence(order)]);
    assert_ne!(after_fence(Release), after_fence(Acquire), "release fence");

    let (stored, read) = (
        step(1, Op::Write, FLAGS[0], Release),
        step(0, Op::Read, FLAGS[0], Relaxed),
    );
    let early = digest_of(&[spawn(), data(), read.clone(), stored.clone()]);
    let late = digest_of(&[spawn(), data(), stored, read]);
    assert_ne!(early, late, "acquire fence");

    for (taking, giving) in [
        (Op::Lock, Op::Unlock),
        (Op::RdLock, Op::RdUnlock),
        (Op::WrLock, Op::WrUnlock),
    ] {
        let (take, give) = (plain(1, taking, FLAGS[1]), plain(1, giving, FLAGS[1]));
        let inside = digest_of(&[spawn(), take.clone(), data(), give.clone()]);
        let outside = digest_of(&[spawn(), take, give, data()]);
        assert_ne!(inside, outside, "{giving:?}");
    }

    let mut woken = plain(1, Op::Signal, FLAGS[1]);
    woken.event.outcome = Outcome::Thread(ThreadId(0));
    let mut lost = woken.clone();
    lost.event.outcome = Outcome::Failed;
    assert_ne!(
        digest_of(&[spawn(), data(), woken]),
        digest_of(&[spawn(), data(), lost]),
        "signal"
    );
}

/// Two pasts that only one part of the digest tells apart: after one of them `next` races.
fn only_told_by(part: About, one: &[Step], other: &[Step], next: &[Step]) {
    let [one, other] = [one, other].map(|past| Trace {
        events: past.to_vec(),
        sets: Vec::new(),
        short: false,
    });
    let come = |past: &Trace| {
        let mut whole = Trace {
            events: past.events.clone(),
            sets: Vec::new(),
            short: false,
        };
        whole.events.extend_from_slice(next);
        later(&whole, past.events.len())
    };
    assert_ne!(come(&one), come(&other), "{part:?}");
    assert_ne!(digest(&one), digest(&other), "{part:?}");
    assert_eq!(
        digest_without(&one, part),
        digest_without(&other, part),
        "{part:?}"
    );
}

#[test]
fn read_locks_left_out_are_noticed() {
    use MemoryOrder::NotAtomic;
    let lock = ObjectId(0x3000);
    let write = |thread| step(thread, Op::Write, DATA, NotAtomic);
    let on_lock = |thread, op| {
        let mut step = step(thread, op, lock, NotAtomic);
        step.event.action.size = 0;
        step
    };
    let (enter, leave) = (on_lock(1, Op::RdLock), on_lock(1, Op::RdUnlock));
    only_told_by(
        About::ReadReleased,
        &[spawn(), enter.clone(), write(1), leave.clone()],
        &[spawn(), enter, leave, write(1)],
        &[on_lock(0, Op::WrLock), write(0)],
    );
}

#[test]
fn names_left_out_are_noticed() {
    // One statement, executed by one thread or by the other.
    let write = |thread| {
        let mut step = step(thread, Op::Write, DATA, MemoryOrder::NotAtomic);
        step.event.action.stmt = StmtId(1);
        step
    };
    only_told_by(
        About::Name,
        &[spawn(), write(0)],
        &[spawn(), write(1)],
        &[step(0, Op::Write, DATA, MemoryOrder::NotAtomic)],
    );
}

#[test]
fn heads_of_release_sequences_left_out_are_noticed() {
    use MemoryOrder::*;
    let [flag, other] = FLAGS;
    // What the second thread learns of the first one, and passes on by the flag, is the same by
    // `other` alone.
    let past = |order| {
        [
            spawn_of(1),
            spawn_of(2),
            step(1, Op::Write, DATA, NotAtomic),
            step(1, Op::Write, flag, order),
            step(1, Op::Write, other, Release),
            step(2, Op::Read, other, Acquire),
            step(2, Op::Rmw, flag, Release),
        ]
    };
    // A store ends the release sequences of others, and goes on with one's own.
    let next = [
        step(1, Op::Write, flag, Relaxed),
        step(0, Op::Read, flag, Acquire),
        step(0, Op::Write, DATA, NotAtomic),
    ];
    only_told_by(About::Head, &past(Release), &past(Relaxed), &next);
}

#[test]
fn accesses_to_many_bytes_left_out_are_noticed() {
    const MANY: u32 = 1 << 20;
    let nothing = || {
        let mut step = step(1, Op::Yield, ObjectId::NONE, MemoryOrder::NotAtomic);
        step.event.action.size = 0;
        step
    };
    let mut fill = nothing();
    fill.accesses.push(Access {
        address: DATA.0,
        context: ContextId(0),
        stmt: StmtId(1),
        size: MANY,
        write: true,
        order: MemoryOrder::NotAtomic,
    });
    let last = ObjectId(DATA.0 + u64::from(MANY) - 4);
    only_told_by(
        About::Range,
        &[spawn(), fill],
        &[spawn(), nothing()],
        &[step(0, Op::Write, last, MemoryOrder::NotAtomic)],
    );
}
