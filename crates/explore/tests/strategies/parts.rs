//! A search in parts, which workers without common memory explore in any order, for any time, some
//! of them twice, reports what one worker reports. What would be lost or counted twice is noticed.

use crate::common::never;
use selvedge_base::{ContextId, usual_or_long};
use selvedge_detect::DeadlockDetector;
use selvedge_explore::kept::{Common, Misfit, Next, Part, Parts, Progress, ROOT, Tree, UnitState};
use selvedge_explore::{Config, Control, Findings, Report, Stop, dpor};
use selvedge_model::toy::{Toy, ToyMachine, mixed_toy, random_toy};
use selvedge_model::{Limit, LimitKind, StopReason, Verdict};
use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A worker that explores one part, until it was asked so many times whether it is due.
struct One {
    part: Mutex<Option<Part>>,
    made: Mutex<Option<(Result<Progress, Misfit>, Common)>>,
    wanted: AtomicUsize,
    left: AtomicU64,
}

impl Parts for One {
    fn next(&self) -> Option<Part> {
        self.part.lock().expect("no panic").take()
    }
    fn made(&self, progress: Result<Progress, Misfit>, common: &Common) {
        *self.made.lock().expect("no panic") = Some((progress, common.clone()));
    }
    fn wanted(&self) -> usize {
        self.wanted.load(Relaxed)
    }
    fn gave(&self, units: usize) {
        let wanted = self.wanted.fetch_sub(units, Relaxed);
        assert!(
            wanted >= units,
            "{units} units were given away, and {wanted} wanted"
        );
    }
    fn is_due(&self) -> bool {
        self.left.fetch_sub(1, Relaxed) == 1
    }
}

/// A part as another process would read it, and what it makes of it.
fn explore_part(
    toy: &Toy,
    config: &Config,
    (part, common): (&Part, &Common),
    (wanted, executions): (usize, u64),
) -> (Result<Progress, Misfit>, Common) {
    let text = serde_json::to_string(&(part, common)).expect("a part can be written");
    let (part, common): (Part, Common) = serde_json::from_str(&text).expect("it can be read");
    let one = One {
        part: Mutex::new(Some(part)),
        made: Mutex::default(),
        wanted: AtomicUsize::new(wanted),
        left: AtomicU64::new(executions),
    };
    let machine = (ToyMachine::new(toy).expect("compiles"), DeadlockDetector::new());
    let config = Config {
        findings: Findings::new(),
        ..config.clone()
    };
    dpor::explore_parts(machine, &config, &Control::new(), &common, &one);
    one.made.into_inner().expect("no panic").expect("it was made")
}

/// How parts are chosen and changed on their way.
struct Way<'a> {
    random: RefCell<fastrand::Rng>,
    change: &'a dyn Fn(&mut Part, &mut Progress),
    /// Each part is explored twice, for another time; either result is used.
    twice: bool,
}

/// Explores a toy in parts. Returns the report, and how many parts and units there were.
fn in_parts(toy: &Toy, config: &Config, way: &Way<'_>) -> Result<(Report, u64, usize), Misfit> {
    let mut tree = Tree::new(Common::first(config.peek));
    let (mut parts, mut units) = (0, 0);
    loop {
        let mut random = way.random.borrow_mut();
        // Some units are out at the same time.
        let mut out = Vec::new();
        for _ in 0..random.usize(1..=3) {
            let ready: Vec<u64> = tree.ready().collect();
            if let Some(&id) = random.choice(&ready) {
                out.push((id, tree.hand_out(id).expect("it is ready")));
            }
        }
        assert!(!out.is_empty(), "nothing can be explored, and nothing is");
        random.shuffle(&mut out);
        for (id, mut part) in out {
            let common = tree.common().clone();
            let mut time = || (random.usize(0..4), random.u64(1..12));
            let (first, second) = (time(), time());
            let mut made = explore_part(toy, config, (&part, &common), first);
            if way.twice {
                made = explore_part(toy, config, (&part, &common), second);
            }
            parts += 1;
            let (mut progress, common) = (made.0?, made.1);
            if let Progress::Begun(begun) = &progress {
                units = units.max(begun.given.len());
            }
            (way.change)(&mut part, &mut progress);
            match tree.put(id, progress, &common) {
                Ok(Next::GoOn(_)) => {}
                // Its worker was told to give it up.
                Err(_) if tree.part(id).is_none() => {}
                Err(misfit) => return Err(misfit),
                Ok(Next::Ended) => {
                    let stop = StopReason::Limit(Limit::stopped(selvedge_base::StmtId(0)));
                    return Ok((without_contexts(tree.report(stop)), parts, units));
                }
                Ok(Next::Again(common)) => tree = Tree::new(common),
            }
        }
        let text = serde_json::to_string(&tree).expect("a tree can be written");
        assert_eq!(serde_json::from_str::<Tree>(&text).expect("it can be read"), tree);
    }
}

fn without_contexts(mut report: Report) -> Report {
    for found in &mut report.faults {
        found.fault.context = ContextId(0);
        found.fault.related.iter_mut().for_each(|r| r.2 = ContextId(0));
    }
    report
}

fn whole(toy: &Toy, config: &Config) -> Report {
    let make = || (ToyMachine::new(toy).expect("compiles"), DeadlockDetector::new());
    without_contexts(dpor::explore(&make, config, &Control::new()))
}

fn small(toy: &Toy) -> bool {
    let config = Config {
        max_executions: Some(300),
        ..never()
    };
    whole(toy, &config).stop == StopReason::Complete
}

fn way(seed: u64, change: &dyn Fn(&mut Part, &mut Progress)) -> Way<'_> {
    Way {
        random: RefCell::new(fastrand::Rng::with_seed(seed)),
        change,
        twice: seed.is_multiple_of(2),
    }
}

#[test]
fn a_search_in_parts_reports_what_one_worker_reports() {
    let (mut all, mut given) = (0, 0);
    for seed in 0..usual_or_long(80, 150) {
        for toy in [random_toy(seed), mixed_toy(seed)] {
            if !small(&toy) {
                continue;
            }
            for (stop, sleep_sets, peek) in [
                (Stop::Never, true, false),
                (Stop::Never, false, false),
                (Stop::First, true, false),
                (Stop::Never, true, true),
                (Stop::First, true, true),
            ] {
                let config = Config {
                    stop,
                    sleep_sets,
                    peek,
                    ..Config::default()
                };
                let (report, parts, units) =
                    in_parts(&toy, &config, &way(seed, &|_, _| {})).expect("it fits");
                assert_eq!(report, whole(&toy, &config), "seed {seed}, {stop:?}: {toy:?}");
                all += parts;
                given += units;
            }
        }
    }
    assert!(all > 2_500 && given > 250, "{all} parts, {given} units");
}

/// The number of toys whose report changes, or that are refused, if something is changed on its
/// way.
fn noticed(change: &dyn Fn(&mut Part, &mut Progress)) -> usize {
    let mut noticed = 0;
    for seed in 0..60 {
        let toy = random_toy(seed);
        if !small(&toy) {
            continue;
        }
        let config = Config {
            stop: Stop::Never,
            ..Config::default()
        };
        let explored = in_parts(&toy, &config, &way(seed, change));
        noticed += usize::from(!explored.is_ok_and(|(report, ..)| report == whole(&toy, &config)));
    }
    noticed
}

#[test]
fn what_is_lost_on_the_way_is_noticed() {
    let no_change = noticed(&|_, _| {});
    assert_eq!(no_change, 0);
    let lost_requests = noticed(&|_, progress| match progress {
        Progress::Done(done) => done.product.requests.clear(),
        Progress::Begun(begun) => begun.product.requests.clear(),
        _ => {}
    });
    let lost_sleep = noticed(&|_, progress| {
        if let Progress::Begun(begun) = progress {
            for given in &mut begun.given {
                given.unit.entry.sleep.clear();
            }
        }
    });
    let counted_twice = noticed(&|part, progress| {
        if let (Part::Unit(unit), Progress::Done(done)) = (part, progress)
            && let UnitState::Begun(begun) = &unit.state
        {
            done.product.record.merge(&begun.product.record);
        }
    });
    for (what, count) in [
        ("requests", lost_requests),
        ("sleep sets", lost_sleep),
        ("twice", counted_twice),
    ] {
        assert!(count > 2, "{what}: {count}");
    }
}

#[test]
fn results_of_nothing_that_was_handed_out_are_refused() {
    let toy = random_toy(1);
    let (config, mut tree) = (never(), Tree::new(Common::default()));
    let part = tree.hand_out(ROOT).expect("it is ready");
    assert_eq!(tree.hand_out(ROOT), None);
    let (progress, common) = explore_part(&toy, &config, (&part, &Common::default()), (0, u64::MAX));
    let progress = progress.expect("it fits");
    assert!(tree.put(7, progress.clone(), &common).is_err());
    assert_eq!(tree.put(ROOT, progress.clone(), &common), Ok(Next::Ended));
    let before = tree.clone();
    assert!(tree.put(ROOT, progress, &common).is_err());
    assert_eq!(tree, before);
}

/// A unit that could not be explored leaves the verdict unknown, and the others are explored.
#[test]
fn a_unit_that_is_left_out_leaves_the_verdict_unknown() {
    let (mut left_out, mut found) = (0, 0);
    for seed in 0..80 {
        let toy = random_toy(seed);
        if !small(&toy) {
            continue;
        }
        let expected = whole(&toy, &never());
        let mut random = fastrand::Rng::with_seed(seed);
        let mut tree = Tree::new(Common::default());
        let report = loop {
            let ready: Vec<u64> = tree.ready().collect();
            let id = *random.choice(&ready).expect("something can be explored");
            let part = tree.hand_out(id).expect("it is ready");
            let next = if id != ROOT && random.usize(0..4) == 0 {
                let why = Limit {
                    kind: LimitKind::Memory,
                    detail: "a unit".to_owned(),
                    stmt: selvedge_base::StmtId(0),
                };
                left_out += 1;
                tree.leave_out(id, why)
            } else {
                let common = tree.common().clone();
                let (progress, common) = explore_part(&toy, &never(), (&part, &common), (2, 3));
                tree.put(id, progress.expect("it fits"), &common)
            };
            if next.expect("it fits") == Next::Ended {
                break tree.report(StopReason::Complete);
            }
        };
        assert_eq!(report.stop, StopReason::Complete);
        if report.limits.is_empty() {
            assert_eq!(without_contexts(report), expected);
            continue;
        }
        assert_ne!(report.verdict(), Verdict::Verified);
        found += usize::from(!report.faults.is_empty());
        let known = |fault| expected.faults.iter().any(|known| known.fault == fault);
        let faults = without_contexts(report).faults;
        assert!(faults.into_iter().all(|found| known(found.fault)));
    }
    assert!(left_out > 20 && found > 2, "{left_out} {found}");
}
