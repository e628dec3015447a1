//! The detector against a slow, obvious oracle on random traces, and with each of its rules broken.

mod digest;
mod held;
mod oracle;
mod traces;

use super::RaceDetector;
use selvedge_model::{Action, Detector, Fault, MemoryOrder, Op, Outcome};
use traces::{Mock, Trace};

/// Rules that tests can break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub(crate) enum Rule {
    Spawn, Join, Lock, Unlock, RdLock, WrLockAfterReaders, WaitReleases, WaitAcquires, Signal, Barrier, Post, SemWait, Once,
    Release, Acquire, ReleaseSequence, SameThreadStore, Fence, Pipe,
}

#[rustfmt::skip]
const RULES: [Rule; 19] = [
    Rule::Spawn, Rule::Join, Rule::Lock, Rule::Unlock, Rule::RdLock, Rule::WrLockAfterReaders, Rule::WaitReleases,
    Rule::WaitAcquires, Rule::Signal, Rule::Barrier, Rule::Post, Rule::SemWait, Rule::Once, Rule::Release, Rule::Acquire,
    Rule::ReleaseSequence, Rule::SameThreadStore, Rule::Fence, Rule::Pipe,
];

/// What the detector says about a trace; it goes back and forth on the way if `rng` is given.
fn detect(detector: &mut RaceDetector, trace: &Trace, rng: Option<&mut fastrand::Rng>) -> Vec<Fault> {
    let mut machine = Mock::new(trace);
    let mut faults = Vec::new();
    let start = Detector::<Mock>::mark(detector);
    let mut rng = rng;
    for at in 0..trace.events.len() {
        if let Some(rng) = rng.as_deref_mut()
            && rng.u8(..4) == 0
        {
            let mark = Detector::<Mock>::mark(detector);
            let mut forgotten = Vec::new();
            for ahead in at..(at + rng.usize(1..9)).min(trace.events.len()) {
                machine.at = ahead;
                detector.event(&machine, &trace.events[ahead].event, &mut forgotten);
            }
            Detector::<Mock>::undo(detector, mark);
        }
        machine.at = at;
        detector.event(&machine, &trace.events[at].event, &mut faults);
    }
    Detector::<Mock>::undo(detector, start);
    faults
}

/// Whether the faults are what the oracle says: no false alarm, and a report for each byte with a
/// race.
fn agrees(trace: &Trace, faults: &[Fault]) -> Result<(), String> {
    let races = oracle::races(trace);
    let mut bytes: Vec<u64> = races.iter().flat_map(|r| r.bytes.clone()).collect();
    for fault in faults {
        let pair = (fault.stmt, fault.related[0].1);
        let mut confirmed = races.iter().filter(|r| (r.second, r.first) == pair).peekable();
        if confirmed.peek().is_none() {
            return Err(format!("false alarm: {fault:?}"));
        }
        confirmed.for_each(|race| bytes.retain(|byte| !race.bytes.contains(byte)));
    }
    if bytes.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "missed: races on bytes {bytes:?}; {} were reported",
            faults.len()
        ))
    }
}

#[test]
fn agrees_with_the_oracle() {
    // One detector for all: what an execution leaves behind must not matter to the next.
    let mut detector = RaceDetector::new();
    let (mut racy, mut clean, mut told) = (0, 0, 0);
    for seed in 0..12_000 {
        let mut trace = Trace::random(seed);
        let [long, short] = [false, true].map(|short| {
            trace.short = short;
            let faults = detect(&mut detector, &trace, None);
            if let Err(why) = agrees(&trace, &faults) {
                panic!("seed {seed}, short release sequences {short}: {why}\n{trace}");
            }
            faults.len()
        });
        *(if long == 0 { &mut clean } else { &mut racy }) += 1;
        told += usize::from(long != short);
    }
    assert!(
        racy > 500 && clean > 500 && told > 5,
        "{racy} racy, {clean} clean, {told} where the length of release sequences counts: the traces say little"
    );
}

/// A fence, and what comes after it, may come within the step before.
#[test]
fn fences_count_where_they_are() {
    let mut detector = RaceDetector::new();
    let (mut racy, mut within) = (0, 0);
    for seed in 0..9_000 {
        let apart = Trace::random(seed);
        let expected = detect(&mut detector, &apart, None);
        let mut joined = Trace::random(seed);
        let mut fences = 0;
        for at in (1..joined.events.len()).rev() {
            let of = |at: usize| joined.events[at].event.action;
            // Nothing comes with the first action of a wait, and a failed one has no step.
            let goes_on = matches!(
                of(at - 1).op,
                Op::Read | Op::Write | Op::Rmw | Op::Add | Op::Yield | Op::Unlock
            );
            let is_fence = of(at).op == Op::Yield && joined.events[at].fence().is_some();
            if is_fence && goes_on && of(at - 1).thread == of(at).thread {
                let step = joined.events.remove(at);
                joined.events[at - 1].accesses.extend(step.accesses);
                fences += 1;
            }
        }
        let found = detect(&mut detector, &joined, None);
        assert_eq!(found, expected, "seed {seed}\n{apart}");
        within += fences;
        racy += u32::from(fences > 0 && !found.is_empty());
    }
    assert!(
        within > 1_000 && racy > 300,
        "{within} fences, {racy} racy traces"
    );
}

/// Searches take additions that nobody looks at in any order: what the detector says, and what it
/// remembers, must not depend on it.
#[test]
fn additions_commute() {
    let mut detector = RaceDetector::new();
    let (mut swapped, mut racy) = (0, 0);
    for seed in 0..12_000 {
        let mut trace = Trace::random(seed);
        let mut other = Trace::random(seed);
        let (mut swaps, mut last) = (0, 0);
        for at in 1..other.events.len() {
            let [a, b] = [at - 1, at].map(|at| other.events[at].event.action);
            let apart = at - 1 > last;
            let is_atomic = |action: &Action| action.is_memory() && action.order != MemoryOrder::NotAtomic;
            if apart && is_atomic(&a) && is_atomic(&b) && a.thread != b.thread {
                for trace in [&mut trace, &mut other] {
                    for step in &mut trace.events[at - 1..=at] {
                        (step.event.action.op, step.event.outcome) = (Op::Add, Outcome::Done);
                    }
                    // What comes after the earlier addition stays after it.
                    trace.events[at - 1].accesses.clear();
                }
                other.events.swap(at - 1, at);
                last = at;
                swaps += 1;
            }
        }
        if swaps == 0 {
            continue;
        }
        for trace in [&other, &trace] {
            let faults = detect(&mut detector, trace, None);
            assert_eq!(agrees(trace, &faults), Ok(()), "seed {seed}\n{trace}");
            racy += u32::from(!faults.is_empty());
        }
        assert_eq!(
            digest::digest(&other),
            digest::digest(&trace),
            "seed {seed}\n{trace}"
        );
        swapped += swaps;
    }
    assert!(swapped > 500 && racy > 100, "{swapped} swapped, {racy} racy");
}

#[test]
fn going_back_changes_nothing() {
    let mut detector = RaceDetector::new();
    for seed in 0..1500 {
        let trace = Trace::random(seed);
        let straight = detect(&mut RaceDetector::new(), &trace, None);
        let zigzag = detect(&mut detector, &trace, Some(&mut fastrand::Rng::with_seed(seed)));
        assert_eq!(straight, zigzag, "seed {seed}");
    }
}

#[test]
fn every_broken_rule_is_noticed() {
    let traces: Vec<Trace> = (0..12_000).map(Trace::random).collect();
    let mut unnoticed = Vec::new();
    for rule in RULES {
        let mut detector = RaceDetector::new();
        detector.broken = Some(rule);
        if traces
            .iter()
            .all(|trace| agrees(trace, &detect(&mut detector, trace, None)).is_ok())
        {
            unnoticed.push(rule);
        }
    }
    assert_eq!(unnoticed, []);
}
