//! Identical threads that take turns: what is found is what brute force finds without turns, but
//! for which of the identical threads does what.

use crate::common::{asserts, never, truth};
use selvedge_base::{ThreadId, usual_or_long};
use selvedge_detect::RaceDetector;
use selvedge_explore::stateful::{self, Weaken as StatefulWeaken};
use selvedge_explore::unfold::{self, oracle::Weaken};
use selvedge_explore::{Config, Control, Report, dpor};
use selvedge_model::reference::{Inspect, stuck};
use selvedge_model::toy::{
    Operand, Toy, ToyEnd, ToyMachine, ToyOp, endless, input_toy, mixed_toy, random_toy, with_touches,
};
use selvedge_model::{Detector, Event, Fault, FaultKind, Machine, Pending, Status, StopReason};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Toys with more executions are left out.
const MOST: u64 = 600;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Dpor { sleep_sets: bool },
    Unfold { cutoffs: bool },
    Stateful,
}

const ALL: [How; 5] = [
    How::Dpor { sleep_sets: true },
    How::Dpor { sleep_sets: false },
    How::Unfold { cutoffs: true },
    How::Unfold { cutoffs: false },
    How::Stateful,
];

fn machine(toy: &Toy) -> ToyMachine {
    ToyMachine::new(toy).expect("a toy that compiles")
}

/// Keeps the ends that are ones, and who is stuck.
#[derive(Default)]
struct Seen {
    ends: BTreeSet<ToyEnd>,
    stuck: BTreeSet<u32>,
}

struct Collector<'a>(&'a Mutex<Seen>);

impl Detector<ToyMachine> for Collector<'_> {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    fn event(&mut self, _: &ToyMachine, _: &Event, _: &mut Vec<Fault>) {}
    fn end(&mut self, machine: &ToyMachine, _: &mut Vec<Fault>) {
        let held = |p: &Pending| p.status == Status::Held;
        if !machine.pending().iter().any(held) {
            self.0.lock().expect("no panic").ends.insert(machine.end());
        }
    }
    fn stuck(&mut self, machine: &ToyMachine, thread: ThreadId, _: &mut Vec<Fault>) {
        if machine.pending().iter().all(|p| p.status != Status::Parked) {
            let mut seen = self.0.lock().expect("no panic");
            seen.stuck.insert(machine.name(thread));
        }
    }
}

/// Explores; none if that is too much, or threads must not take turns.
fn run<D: Detector<ToyMachine> + Send>(
    toy: &Toy,
    how: How,
    weaken: Weaken,
    detector: impl Fn() -> D + Sync,
) -> Option<Report> {
    let touches = |op: &ToyOp| matches!(op, ToyOp::Touch(..));
    let config = Config {
        max_executions: Some(MOST),
        // Touches are looked at for races.
        values_only: !toy.threads.iter().flatten().any(touches),
        sleep_sets: how != How::Dpor { sleep_sets: false },
        cutoffs: how != How::Unfold { cutoffs: false },
        ..never()
    };
    let first = machine(toy);
    let refused = first.turns_refused();
    let control = Control::new();
    let report = match how {
        How::Dpor { .. } => {
            let make = || (first.clone().with_known_inputs(), detector());
            dpor::explore(&make, &config, &control)
        }
        How::Unfold { .. } => {
            let make = || (first.clone(), detector());
            unfold::explore_watched(&make, &config, &control, weaken).0
        }
        How::Stateful => {
            let make = || (first.clone(), detector());
            stateful::explore_weakened(&make, &config, &control, StatefulWeaken::Nothing, None)
        }
    };
    let whole = !matches!(report.stop, StopReason::Limit(_)) && report.limits.is_empty();
    (whole && !refused.load(Ordering::Relaxed)).then_some(report)
}

/// All orders of some threads.
fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = of.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for mut rest in permutations(rest) {
        for at in 0..=rest.len() {
            rest.insert(at, first);
            all.push(rest.clone());
            rest.remove(at);
        }
    }
    all
}

/// The least of an end's images under renaming of identical threads.
fn least(toy: &Toy, group: &[usize], end: &ToyEnd) -> ToyEnd {
    let registers = |ops: &Vec<ToyOp>| {
        let names: BTreeSet<&str> = ops.iter().flat_map(ToyOp::registers).collect();
        names.len()
    };
    let mut spans = Vec::new();
    let mut from = toy.vars.len();
    for ops in &toy.threads {
        let to = from + registers(ops);
        spans.push(from..to);
        from = to;
    }
    // Who waits for some of the identical threads waits for all of them, in whatever order.
    let joins = |op: &ToyOp| matches!(op, ToyOp::Join(t) if group.contains(t));
    let image = |order: Vec<usize>| {
        let mut image = end.clone();
        for (ops, at) in toy.threads.iter().zip(&mut image.at) {
            if usize::try_from(*at).is_ok_and(|at| ops.get(at).is_some_and(joins)) {
                *at = ops.iter().position(joins).unwrap_or_default() as i32;
            }
        }
        for (&to, from) in group.iter().zip(order) {
            image.values[spans[to].clone()].copy_from_slice(&end.values[spans[from].clone()]);
            if !end.at.is_empty() {
                image.at[to] = end.at[from];
            }
        }
        image
    };
    let images = permutations(group).into_iter().map(image);
    images.min().expect("an order")
}

fn renamed(group: &[usize], thread: u32) -> u32 {
    match group.contains(&(thread as usize)) {
        true => group[0] as u32,
        false => thread,
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Result {
    Same { some: bool },
    Left,
    Wrong(String),
}

fn group(toy: &Toy) -> &[usize] {
    toy.turns.first().map_or(&[], |(_, group)| group)
}

fn without(toy: &Toy) -> Toy {
    Toy {
        turns: Vec::new(),
        ..toy.clone()
    }
}

/// Ends and failed assertions.
fn of_ends(toy: &Toy, how: How, weaken: Weaken) -> Result {
    let group = group(toy);
    let Some((ends, failed)) = truth(&without(toy)) else {
        return Result::Left;
    };
    let seen = Mutex::new(Seen::default());
    let Some(report) = run(toy, how, weaken, || Collector(&seen)) else {
        return Result::Left;
    };
    let seen = seen.into_inner().expect("no panic");
    let ends_of = |ends: &BTreeSet<ToyEnd>| -> BTreeSet<ToyEnd> {
        ends.iter().map(|end| least(toy, group, end)).collect()
    };
    let failed_of = |failed: BTreeSet<(u32, u32)>| -> BTreeSet<(u32, u32)> {
        failed
            .into_iter()
            .map(|(t, at)| (renamed(group, t), at))
            .collect()
    };
    let (seen_ends, expected) = (ends_of(&seen.ends), ends_of(&ends));
    let (noted, failed) = (failed_of(asserts(&report)), failed_of(failed));
    if seen_ends != expected {
        Result::Wrong(format!("ends {seen_ends:?}, expected {expected:?}"))
    } else if noted != failed {
        Result::Wrong(format!("assertions {noted:?}, expected {failed:?}"))
    } else {
        Result::Same {
            some: seen.ends.len() < ends.len(),
        }
    }
}

fn of_stuck(toy: &Toy, how: How, weaken: Weaken) -> Result {
    let group = group(toy);
    let Ok(expected) = stuck(&mut machine(&without(toy)), 3_000) else {
        return Result::Left;
    };
    let seen = Mutex::new(Seen::default());
    if run(toy, how, weaken, || Collector(&seen)).is_none() {
        return Result::Left;
    }
    let seen = seen.into_inner().expect("no panic").stuck;
    let names =
        |all: BTreeSet<u32>| -> BTreeSet<u32> { all.into_iter().map(|t| renamed(group, t)).collect() };
    let (seen, expected) = (names(seen), names(expected));
    match seen == expected {
        true => Result::Same {
            some: !seen.is_empty(),
        },
        false => Result::Wrong(format!("stuck {seen:?}, expected {expected:?}")),
    }
}

fn of_races(toy: &Toy, how: How, weaken: Weaken) -> Result {
    let few = |toy: &Toy, how| run(toy, how, weaken, RaceDetector::new);
    let (Some(there), Some(seen)) = (few(&without(toy), How::Dpor { sleep_sets: true }), few(toy, how))
    else {
        return Result::Left;
    };
    let races = |report: &Report| {
        let mut faults = report.faults.iter();
        faults.any(|found| found.fault.kind == FaultKind::DataRace)
    };
    match (races(&there), races(&seen)) {
        (there, seen) if there == seen => Result::Same { some: there },
        differ => Result::Wrong(format!("race {differ:?}")),
    }
}

/// Whether identical threads may take turns at an operation: one that is dependent on itself.
fn may_take_turns(op: &ToyOp) -> bool {
    matches!(
        op,
        ToyOp::Lock(_)
            | ToyOp::SpinLock(_)
            | ToyOp::WrLock(_)
            | ToyOp::Write(..)
            | ToyOp::Add(_, _, Some(_))
            | ToyOp::Cas(..)
    )
}

fn names_threads(op: &ToyOp) -> bool {
    matches!(
        op,
        ToyOp::Spawn(_) | ToyOp::Join(_) | ToyOp::Cancel(..) | ToyOp::Detach(..) | ToyOp::JoinOnce(..)
    )
}

/// A toy in which some threads are identical and take turns somewhere: from the start, or created
/// by another one, and joined in one run.
fn identical(mut toy: Toy, seed: u64) -> Option<Toy> {
    if toy.weak
        || toy
            .threads
            .iter()
            .flatten()
            .any(|op| names_threads(op) || matches!(op, ToyOp::Atomic(_)))
    {
        return None;
    }
    let mut rng = fastrand::Rng::with_seed(seed ^ 0x7475_726e);
    let turns = |ops: &Vec<ToyOp>| ops.iter().any(may_take_turns);
    let of = toy.threads.iter().position(turns)?;
    let ops = toy.threads.swap_remove(of);
    let at: Vec<usize> = (0..ops.len()).filter(|&i| may_take_turns(&ops[i])).collect();
    let at = at[rng.usize(..at.len())];
    toy.threads.truncate(1);
    let count = if ops.len() < 4 { rng.usize(2..=3) } else { 2 };
    let first = toy.threads.len();
    let group: Vec<usize> = (first..first + count).collect();
    toy.threads.extend((0..count).map(|_| ops.clone()));
    toy.turns = vec![(at, group.clone())];
    if first == 1 && rng.bool() {
        let other = &mut toy.threads[0];
        let jumps = |op: &ToyOp| matches!(op, ToyOp::Goto(_) | ToyOp::Exit);
        if !other.iter().any(jumps) {
            other.splice(0..0, group.iter().map(|&t| ToyOp::Spawn(t)));
            if rng.bool() {
                other.extend(group.iter().map(|&t| ToyOp::Join(t)));
                other.push(ToyOp::Read("x".into(), "q".into()));
            }
        }
    }
    Some(toy)
}

fn toys(count: u64) -> impl Iterator<Item = (String, Toy)> {
    (0..count).flat_map(|seed| {
        let toys = [
            ("random", random_toy(seed)),
            ("mixed", mixed_toy(seed)),
            ("input", input_toy(seed)),
        ];
        let toys = toys.into_iter().filter_map(move |(name, toy)| {
            let toy = identical(toy, seed)?;
            let toy = if seed % 3 == 0 && group(&toy).len() + 1 == toy.threads.len() {
                // Only without `Spawn`, which must not come twice.
                let spawns = toy.threads.iter().flatten().any(names_threads);
                if spawns { toy } else { endless_identical(toy, seed) }
            } else {
                toy
            };
            Some((format!("{name} seed {seed}"), toy))
        });
        toys.collect::<Vec<_>>()
    })
}

/// The same where threads run for ever, the identical ones all or none.
fn endless_identical(toy: Toy, seed: u64) -> Toy {
    let mut toy = endless(toy, seed);
    if let Some((_, group)) = toy.turns.first() {
        let ops = toy.threads[group[0]].clone();
        for &t in group {
            toy.threads[t] = ops.clone();
        }
    }
    toy
}

fn touching(count: u64) -> impl Iterator<Item = (String, Toy)> {
    (0..count).filter_map(|seed| {
        let toy = identical(mixed_toy(seed), seed)?;
        let group = group(&toy).to_vec();
        // What each of the identical threads touches is the same, too.
        let mut toy = with_touches(toy, seed);
        let ops = toy.threads[group[0]].clone();
        let at = toy.turns[0].0;
        let mut visible = (0..ops.len()).filter(|&i| !matches!(ops[i], ToyOp::Touch(..)));
        toy.turns[0].0 = visible.nth(at)?;
        if !may_take_turns(&ops[toy.turns[0].0]) {
            return None;
        }
        for t in group {
            toy.threads[t] = ops.clone();
        }
        Some((format!("touching seed {seed}"), toy))
    })
}

fn hold(toys: impl Iterator<Item = (String, Toy)>, result: impl Fn(&Toy, How) -> Result) -> (usize, usize) {
    let (mut same, mut with) = (0, 0);
    for (name, toy) in toys {
        let endless = toy
            .threads
            .iter()
            .flatten()
            .any(|op| matches!(op, ToyOp::Goto(_)));
        for how in ALL {
            // Only states that come back end these.
            if endless && !matches!(how, How::Unfold { cutoffs: true } | How::Stateful) {
                continue;
            }
            match result(&toy, how) {
                Result::Same { some } => (same, with) = (same + 1, with + usize::from(some)),
                Result::Left => {}
                Result::Wrong(what) => panic!("{name} by {how:?}: {what}\n{}", toy.to_json()),
            }
        }
    }
    println!("{same} explorations, {with} with something to see");
    (same, with)
}

#[test]
fn ends_and_assertions_are_those_of_brute_force_without_turns() {
    let (same, fewer) = hold(toys(usual_or_long(500, 1_100)), |toy, how| {
        of_ends(toy, how, Weaken::Nothing)
    });
    assert!(same > 900 && fewer > 400, "{same}, {fewer}");
}

#[test]
fn stuck_threads_are_those_of_brute_force_without_turns() {
    let stateful = |toy: &Toy, how| match how {
        How::Stateful | How::Unfold { cutoffs: true } => of_stuck(toy, how, Weaken::Nothing),
        _ => Result::Left,
    };
    let (same, some) = hold(toys(usual_or_long(700, 1_500)), stateful);
    assert!(same > 450 && some > 6, "{same}, {some}");
}

#[test]
fn no_race_is_lost() {
    let (same, some) = hold(touching(usual_or_long(1_300, 2_000)), |toy, how| {
        of_races(toy, how, Weaken::Nothing)
    });
    assert!(some > 120 && same - some > 120, "{same}, {some}");
}

fn is_wrong(toy: &Toy) -> bool {
    ALL.iter()
        .any(|&how| matches!(of_ends(toy, how, Weaken::Nothing), Result::Wrong(_)))
}

/// An oracle counts only once it was seen to fail: threads that are not identical, or that others
/// can tell apart, must not take turns.
#[test]
fn mistakes_are_noticed() {
    let unfold = How::Unfold { cutoffs: false };
    let mut asks = toys(1_500).filter(|(_, toy)| {
        !toy.threads
            .iter()
            .flatten()
            .any(|op| matches!(op, ToyOp::Goto(_)))
    });
    // The exploration itself may notice that it contradicts itself.
    let wrong = |toy: &Toy| {
        let found = std::panic::catch_unwind(|| of_ends(toy, unfold, Weaken::Turns));
        !matches!(found, Ok(Result::Same { .. } | Result::Left))
    };
    assert!(asks.any(|(_, toy)| wrong(&toy)));
    let mut held = toys(1_500);
    let cutoffs = How::Unfold { cutoffs: true };
    assert!(held.any(|(_, toy)| matches!(of_ends(&toy, cutoffs, Weaken::HeldThreads), Result::Wrong(_))));

    let write = |n| vec![ToyOp::Write("x".into(), Operand::Number(n))];
    let mut toy = Toy {
        vars: [("x".to_owned(), 0)].into(),
        threads: vec![write(1), write(1)],
        turns: vec![(0, vec![0, 1])],
        ..Toy::default()
    };
    assert!(!is_wrong(&toy));
    // Different arguments.
    toy.threads[1] = write(2);
    assert!(is_wrong(&toy));

    // A visible action between two joins.
    let between = |ops: &[&str]| {
        let ops = ops.join(",");
        let text = format!(
            r#"{{"vars": {{"x": 0}}, "turns": [[0, 1, 2]], "threads": [[{ops}], [["add", "x", 1]], [["add", "x", 1]]]}}"#
        );
        Toy::parse(&text).expect("a toy")
    };
    let (one, two) = (r#"["spawn", 1]"#, r#"["spawn", 2]"#);
    let (first, second) = (r#"["join", 1]"#, r#"["join", 2]"#);
    let look = r#"["read", "x", "r"]"#;
    assert!(!is_wrong(&between(&[one, two, first, second, look])));
    assert!(!is_wrong(&between(&[one, two, second, first, look])));
    assert!(is_wrong(&between(&[one, two, second, look, first])));
    // Between two creations.
    assert!(is_wrong(&between(&[two, look, one])));
}
