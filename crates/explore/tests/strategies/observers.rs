//! Write-write pruning by observers (`dpor::explore_observed`): what threads read is as by brute
//! force, whatever is left in memory that nobody reads.

use crate::common::{Truth, asserts, never, run, truth};
use fastrand::Rng;
use selvedge_explore::dpor::Weaken;
use selvedge_explore::{Config, Report};
use selvedge_model::toy::{Operand, Toy, ToyEnd, ToyMachine, ToyOp, mixed_toy, random_toy, shrink};
use selvedge_model::{Conflict, Dependence, StopReason, Unobserved};
use std::collections::BTreeSet;

use ToyOp::{Add, Assert, Assume, Cas, Claim, If, Lock, Read, Unlock, Write};

fn config() -> Config {
    Config {
        sleep_sets: false,
        max_executions: Some(2_000),
        ..never()
    }
}

fn name(name: &str) -> String {
    name.to_owned()
}

fn write(x: &str, n: i32) -> ToyOp {
    Write(name(x), Operand::Number(n))
}

fn read(x: &str, r: &str) -> ToyOp {
    Read(name(x), name(r))
}

fn toy(threads: Vec<Vec<ToyOp>>) -> Toy {
    let mut toy = Toy {
        threads,
        ..Toy::default()
    };
    for x in ["x", "y"] {
        toy.vars.insert(name(x), 0);
    }
    toy
}

/// A toy in which variables are written often, and read now and then.
fn random(seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0b5e);
    let count = [2, 3, 3][rng.usize(0..3)];
    let mut threads = Vec::new();
    for t in 0..count {
        let mut ops = Vec::new();
        for _ in 0..rng.usize(1..=6 - count) {
            ops.extend(piece(&mut rng, t));
        }
        threads.push(ops);
    }
    let mut toy = toy(threads);
    toy.ends = rng.bool();
    if rng.bool() {
        // The first thread creates the others, and reads when they have ended.
        for other in 1..count {
            toy.threads[0].insert(0, ToyOp::Spawn(other));
        }
        for other in 1..count {
            toy.threads[0].push(ToyOp::Join(other));
        }
        toy.threads[0].push(read("x", "q"));
        if rng.bool() {
            toy.threads[0].push(read("y", "r"));
        }
    }
    toy
}

fn piece(rng: &mut Rng, thread: usize) -> Vec<ToyOp> {
    let x = ["x", "x", "y"][rng.usize(0..3)];
    // Each thread writes numbers of its own.
    let n = 10 * (thread as i32 + 1) + rng.i32(0..2);
    let r = ["r", "q"][rng.usize(0..2)];
    match rng.usize(0..16) {
        0..6 => vec![write(x, n)],
        6 | 7 => vec![read(x, r)],
        8 => vec![read(x, r), Write(name("y"), Operand::Register(name(r)))],
        9 => vec![Add(name(x), Operand::Number(1), Some(name(r)))],
        10 => vec![Cas(name(x), Operand::Number(10), Operand::Number(n), name(r))],
        11 => vec![Lock(name("m")), write(x, n), Unlock(name("m"))],
        12 => vec![Lock(name("m")), read(x, r), Unlock(name("m"))],
        13 => vec![read(x, r), If(name(r), 10, 1), write("y", n)],
        14 => vec![read(x, r), Assert(name(r), 10), Assume(name(r), 11)],
        _ => vec![Claim(name(x), 10, n)],
    }
}

/// Without the values of variables.
fn of_threads(toy: &Toy, (ends, failed): Truth) -> Truth {
    let strip = |end: ToyEnd| ToyEnd {
        values: end.values.into_iter().skip(toy.vars.len()).collect(),
        ..end
    };
    let ends: BTreeSet<ToyEnd> = ends.into_iter().map(strip).collect();
    (ends, failed)
}

fn check<P: Dependence + Sync>(toy: &Toy, relation: &P, weaken: Weaken) -> Option<Result<Report, String>> {
    let expected = of_threads(toy, truth(toy)?);
    let (seen, report) = run(toy, false, relation, &config(), weaken);
    if report.stop != StopReason::Complete || !report.limits.is_empty() {
        return None;
    }
    let found = of_threads(toy, (seen.ends, asserts(&report)));
    Some(match found == expected {
        true => Ok(report),
        false => Err(format!("{found:?}, expected {expected:?}")),
    })
}

fn is_wrong(toy: &Toy, weaken: Weaken) -> bool {
    ToyMachine::new(toy).is_ok() && matches!(check(toy, &Unobserved, weaken), Some(Err(_)))
}

fn must_hold(what: &str, toy: &Toy) -> Option<Report> {
    check(toy, &Unobserved, Weaken::Nothing)?.map_or_else(
        |error| {
            let smallest = shrink(toy, |toy: &Toy| is_wrong(toy, Weaken::Nothing));
            panic!("{what}: {error}\nsmallest: {}", smallest.to_json())
        },
        Some,
    )
}

const SEEDS: u64 = 2_000;

/// The seeds to try: `SELVEDGE_OBSERVERS=FROM..TO` are others.
fn seeds() -> std::ops::Range<u64> {
    let chosen = std::env::var("SELVEDGE_OBSERVERS").unwrap_or_default();
    let ends = chosen
        .split_once("..")
        .map(|(from, to)| (from.parse(), to.parse()));
    match ends {
        Some((Ok(from), Ok(to))) => from..to,
        _ => 0..SEEDS,
    }
}

#[test]
fn nothing_that_is_read_is_lost() {
    let (mut fewer, mut more, mut all, mut compared) = (0, 0, [0, 0], 0);
    for seed in seeds() {
        let toy = random(seed);
        let pruned = must_hold(&format!("seed {seed}"), &toy);
        let (_, whole) = run(&toy, false, &Conflict, &config(), Weaken::Nothing);
        if let Some(pruned) = pruned.filter(|_| whole.stop == StopReason::Complete) {
            let (pruned, whole) = (pruned.statistics.executions, whole.statistics.executions);
            fewer += u32::from(pruned < whole);
            more += u32::from(pruned > whole);
            all = [all[0] + pruned, all[1] + whole];
            compared += 1;
        }
    }
    println!("{fewer} fewer, {more} more, of {compared}; executions {all:?}");
    assert!(compared > 1_000 && fewer > compared / 4 && more * 100 < fewer);
}

#[test]
fn other_toys_lose_nothing() {
    let mut compared = 0;
    for seed in seeds().skip(1).step_by(2) {
        let toy = match seed % 4 {
            1 => random_toy(seed),
            _ => mixed_toy(seed),
        };
        compared += u32::from(must_hold(&format!("other seed {seed}"), &toy).is_some());
    }
    assert!(compared > 500, "{compared}");
}

/// What the published theorem loses, and Fig. 9.
fn cases() -> Vec<(u64, Toy)> {
    let join = |threads: Vec<Vec<ToyOp>>, last: Vec<ToyOp>| {
        let mut first: Vec<ToyOp> = (1..=threads.len()).map(ToyOp::Spawn).collect();
        first.extend((1..=threads.len()).map(ToyOp::Join));
        first.extend(last);
        let mut all = vec![first];
        all.extend(threads);
        toy(all)
    };
    let mut own = join(vec![vec![write("x", 2)]], vec![read("x", "r")]);
    own.threads[0].insert(1, write("x", 1));
    vec![
        // Fig. 9: only the last write of each thread can be read. The third execution repeats one:
        // there are no sleep sets. Under conflict dependence there are six.
        (
            3,
            join(
                vec![
                    vec![write("x", 7), write("x", 6)],
                    vec![write("x", 0), write("x", 1)],
                ],
                vec![read("x", "r")],
            ),
        ),
        // The thread that reads has written, too.
        (2, own),
        // Each thread reads what the other one has last changed.
        (
            0,
            toy(vec![
                vec![write("x", 6), write("y", 2), read("x", "r")],
                vec![write("x", 8), read("y", "s")],
            ]),
        ),
        // What nobody reads has one order.
        (1, toy(vec![vec![write("x", 1); 3], vec![write("x", 2); 3]])),
    ]
}

#[test]
fn cases_have_few_executions() {
    for (number, (executions, toy)) in cases().into_iter().enumerate() {
        let report = must_hold(&format!("case {number}"), &toy).expect("it is small");
        if executions != 0 {
            assert_eq!(report.statistics.executions, executions, "case {number}");
        }
    }
}

/// An oracle counts only once it was seen to fail.
#[test]
fn each_part_is_needed() {
    let parts = [
        Weaken::Observers,
        Weaken::ObserversRmw,
        Weaken::ObserversLatest,
        Weaken::ObserversClocks,
    ];
    for weaken in parts {
        let seed = (0..SEEDS).find(|&seed| is_wrong(&random(seed), weaken));
        println!("{weaken:?}: first seed {seed:?}");
        assert!(seed.is_some(), "{weaken:?} is not noticed");
    }
}
