//! Sections of a mutex as one event (`Config::peek`): the same ends as by brute force, in no more
//! executions than without; and each condition on such sections is needed.

use crate::common::{asserts, never, run, truth};
use ToyOp::{Add, Assert, Assume, Cas, If, Lock, Read, Set, Unlock, Write};
use fastrand::Rng;
use selvedge_explore::dpor::Weaken;
use selvedge_explore::{Config, Report};
use selvedge_model::toy::{Operand, Toy, ToyMachine, ToyOp, mixed_toy, random_toy, shrink};
use selvedge_model::{Conflict, Machine, StopReason};

fn config(peek: bool) -> Config {
    Config {
        peek,
        max_executions: Some(600),
        ..never()
    }
}

fn name(name: &str) -> String {
    name.to_owned()
}

fn number(n: i32) -> Operand {
    Operand::Number(n)
}

fn write(x: &str, n: i32) -> ToyOp {
    Write(name(x), number(n))
}

fn read(x: &str, r: &str) -> ToyOp {
    Read(name(x), name(r))
}

fn section(m: &str, inside: Vec<ToyOp>) -> Vec<ToyOp> {
    let mut ops = vec![Lock(name(m))];
    ops.extend(inside);
    ops.push(Unlock(name(m)));
    ops
}

fn toy(threads: Vec<Vec<ToyOp>>) -> Toy {
    let mut toy = Toy {
        threads,
        ..Toy::default()
    };
    for x in ["x", "y", "z"] {
        toy.vars.insert(name(x), 0);
    }
    toy
}

/// The kinds of what a random toy may have beside sections.
const KINDS: u64 = 8;

/// A toy of two or three threads whose sections hold accesses. By its seed it has also one kind of
/// what sections must not meet, or none.
fn random(seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x7eed);
    let kind = seed % KINDS;
    let count = [2, 2, 3][rng.usize(0..3)];
    let mut threads = Vec::new();
    for t in 0..count {
        let mut ops = Vec::new();
        for _ in 0..rng.usize(1..=4 - count / 2) {
            let m = ["m", "m", "m", "n"][rng.usize(0..4)];
            let inside = (0..rng.usize(0..=2)).flat_map(|_| access(&mut rng, t)).collect();
            let strange = kind > 0 && rng.usize(0..3) == 0;
            ops.extend(match strange {
                true => other(&mut rng, kind, m, inside, t),
                false => section(m, inside),
            });
        }
        threads.push(ops);
    }
    let mut toy = toy(threads);
    toy.ends = rng.bool();
    if kind == 7 {
        toy.threads[0].insert(0, ToyOp::Spawn(count - 1));
        toy.threads[0].push(ToyOp::Join(count - 1));
        toy.threads[0].extend([read("x", "q"), Assert(name("q"), 1)]);
    }
    toy
}

/// One access; mostly to a variable of the thread's own.
fn access(rng: &mut Rng, thread: usize) -> Vec<ToyOp> {
    let own = ["x", "y", "z"][thread];
    let x = if rng.usize(0..3) < 2 {
        own
    } else {
        ["x", "y"][rng.usize(0..2)]
    };
    let n = rng.i32(1..=2);
    let r = "r";
    match rng.usize(0..8) {
        0 | 1 => vec![write(x, n)],
        2 => vec![read(x, r)],
        3 => vec![Add(name(x), number(1), None)],
        4 => vec![read(x, r), Write(name(x), Operand::Register(name(r)))],
        5 => vec![
            read(x, r),
            If(name(r), 0, 1),
            write(["x", "y"][rng.usize(0..2)], 2),
        ],
        6 => vec![read(x, r), Assert(name(r), 0)],
        _ => vec![Cas(name(x), number(0), number(n), name(r)), ToyOp::Yield],
    }
}

/// Something of a kind that sections must not meet.
fn other(rng: &mut Rng, kind: u64, m: &str, mut inside: Vec<ToyOp>, thread: usize) -> Vec<ToyOp> {
    let r = || name("r");
    match kind {
        // Accesses outside.
        1 => access(rng, thread),
        // Other locks, or a wait, inside; a section without an end.
        2 => match rng.usize(0..4) {
            0 => {
                inside.push(ToyOp::Exit);
                section(m, inside)
            }
            _ => {
                inside.extend(section(if m == "m" { "n" } else { "m" }, Vec::new()));
                section(m, inside)
            }
        },
        // Tries.
        3 => vec![
            ToyOp::TryLock(name(m), r()),
            If(r(), 0, 2),
            write("y", 3),
            Unlock(name(m)),
        ],
        // Threads that stop inside.
        4 => {
            inside.extend([read(["x", "y"][rng.usize(0..2)], "r"), Assume(r(), 0)]);
            inside.extend(access(rng, thread));
            section(m, inside)
        }
        // Condition variables.
        5 => match rng.bool() {
            true => {
                inside.push(ToyOp::Wait(name("c"), name(m)));
                section(m, inside)
            }
            false => {
                inside.insert(0, Lock(name(m)));
                inside.extend([ToyOp::Signal(name("c")), Unlock(name(m))]);
                inside
            }
        },
        // Beginnings and ends of a mutex, and mistaken unlocks.
        6 => match rng.usize(0..3) {
            0 => vec![ToyOp::Init(name(m))],
            1 => vec![ToyOp::Destroy(name(m), r())],
            _ => vec![Unlock(name(m))],
        },
        _ => vec![Set(r(), 1), write("x", 1)],
    }
}

/// What is wrong with an exploration. No answer: there are too many states or executions.
fn check(toy: &Toy, config: &Config, weaken: Weaken) -> Option<Result<Report, String>> {
    let (ends, failed) = truth(toy)?;
    let (seen, report) = run(toy, false, &Conflict, config, weaken);
    if report.stop != StopReason::Complete || !report.limits.is_empty() {
        return None;
    }
    Some(if seen.ends != ends {
        Err(format!("ends {:?}, expected {ends:?}", seen.ends))
    } else if asserts(&report) != failed {
        Err(format!("assertions {:?}, expected {failed:?}", asserts(&report)))
    } else {
        Ok(report)
    })
}

fn must_hold(what: &str, toy: &Toy, config: &Config) -> Option<Report> {
    check(toy, config, Weaken::Nothing)?.map_or_else(
        |error| {
            let wrong = |toy: &Toy| {
                ToyMachine::new(toy).is_ok() && matches!(check(toy, config, Weaken::Nothing), Some(Err(_)))
            };
            panic!("{what}: {error}\nsmallest: {}", shrink(toy, wrong).to_json())
        },
        Some,
    )
}

const SEEDS: u64 = 4_000;

/// The seeds to try: `SELVEDGE_SECTIONS=FROM..TO` are others.
fn seeds() -> std::ops::Range<u64> {
    let chosen = std::env::var("SELVEDGE_SECTIONS").unwrap_or_default();
    let ends = chosen
        .split_once("..")
        .map(|(from, to)| (from.parse(), to.parse()));
    match ends {
        Some((Ok(from), Ok(to))) => from..to,
        _ => 0..SEEDS,
    }
}

#[test]
fn nothing_is_lost_and_less_is_explored() {
    let (mut fewer, mut more, mut compared) = ([0; KINDS as usize], 0, 0);
    for seed in seeds() {
        let toy = random(seed);
        let with = must_hold(&format!("seed {seed}"), &toy, &config(true));
        let (_, without) = run(&toy, false, &Conflict, &config(false), Weaken::Nothing);
        if let Some(with) = with.filter(|_| without.stop == StopReason::Complete) {
            let (with, without) = (with.statistics.executions, without.statistics.executions);
            // Beside sections, what changes nothing (a compare-and-swap or a try that fails, a
            // silent store) counts as a write.
            more += u32::from(with > without);
            fewer[(seed % KINDS) as usize] += u32::from(with < without);
            compared += 1;
        }
    }
    println!("{fewer:?} fewer, {more} more, of {compared}");
    assert!(more * 5 < fewer.iter().sum(), "{more} more");
    assert!(compared > 2_000 && fewer.iter().all(|&n| n > 20), "{fewer:?}");
}

/// The toys of other tests, where sections hold anything.
#[test]
fn other_toys_lose_nothing() {
    let mut compared = 0;
    for seed in seeds().skip(1).step_by(3) {
        let toy = match seed % 2 {
            0 => random_toy(seed),
            _ => mixed_toy(seed),
        };
        compared += u32::from(must_hold(&format!("other seed {seed}"), &toy, &config(true)).is_some());
    }
    assert!(compared > 700, "{compared}");
}

/// Several workers follow the paths of others, with sections in them.
#[test]
fn workers_agree() {
    for seed in 0..300 {
        let toy = random(seed);
        let config = Config {
            max_executions: None,
            ..config(true)
        };
        let (one, report) = run(&toy, false, &Conflict, &config, Weaken::Nothing);
        let several = Config { jobs: 3, ..config };
        let (all, reports) = run(&toy, false, &Conflict, &several, Weaken::Nothing);
        assert_eq!(one.ends, all.ends, "seed {seed}");
        assert_eq!(
            report.statistics.executions, reports.statistics.executions,
            "seed {seed}"
        );
    }
}

/// The choices of a finding are those of a machine that knows no sections.
#[test]
fn findings_have_schedules_of_single_actions() {
    let mut replayed = 0;
    for seed in 0..600 {
        let toy = random(seed);
        let (_, report) = run(&toy, false, &Conflict, &config(true), Weaken::Nothing);
        for found in &report.faults {
            let mut machine = ToyMachine::new(&toy).expect("compiles");
            for &choice in &found.choices {
                machine.step(choice);
            }
            assert!(!machine.notices().is_empty(), "seed {seed}");
            replayed += 1;
        }
    }
    assert!(replayed > 50, "{replayed}");
}

fn executions(threads: Vec<Vec<ToyOp>>, peek: bool) -> u64 {
    let config = Config {
        max_executions: None,
        ..config(peek)
    };
    let (_, report) = run(&toy(threads), false, &Conflict, &config, Weaken::Nothing);
    report.statistics.executions
}

/// Fig. 8 of Kusano and Wang, with three rounds for each thread.
#[test]
fn sections_of_different_elements_have_one_order() {
    let rounds =
        |x: &'static str| (0..3).flat_map(move |_| section("m", vec![Add(name(x), number(1), None)]));
    let threads = || vec![rounds("x").collect::<Vec<_>>(), rounds("y").collect()];
    assert_eq!(executions(threads(), false), 20);
    assert_eq!(executions(threads(), true), 1);
    let same = || vec![rounds("x").collect::<Vec<_>>(), rounds("x").collect()];
    assert_eq!(executions(same(), true), 20);
}

/// What the published rule loses, and one toy for each condition.
fn cases() -> Vec<(Weaken, Toy)> {
    let lock = |m: &str| Lock(name(m));
    let unlock = |m: &str| Unlock(name(m));
    let joined = |parts: &[Vec<ToyOp>]| parts.concat();
    vec![
        (
            Weaken::SectionAccesses,
            toy(vec![
                section("m", vec![write("x", 1), write("x", 2)]),
                joined(&[section("m", vec![write("z", 1)]), vec![read("x", "r")]]),
            ]),
        ),
        (
            Weaken::SectionContents,
            toy(vec![vec![lock("m")], section("m", Vec::new())]),
        ),
        (
            Weaken::Nothing,
            toy(vec![
                section("m", section("n", Vec::new())),
                section("n", section("m", Vec::new())),
            ]),
        ),
        (
            Weaken::SectionMutex,
            toy(vec![
                section("m", vec![write("x", 1), write("y", 1)]),
                vec![
                    ToyOp::TryLock(name("m"), name("r")),
                    If(name("r"), 0, 1),
                    unlock("m"),
                ],
            ]),
        ),
        (
            Weaken::SectionStops,
            toy(vec![
                section("m", vec![read("x", "r"), Assume(name("r"), 1)]),
                section("m", vec![write("y", 1)]),
            ]),
        ),
        (
            Weaken::SectionClocks,
            toy(vec![
                joined(&[vec![read("y", "r")], section("m", Vec::new())]),
                joined(&[section("m", Vec::new()), vec![write("y", 1)]]),
            ]),
        ),
        (
            Weaken::SectionSleep,
            toy(vec![
                section("m", vec![write("x", 1)]),
                section(
                    "m",
                    vec![read("x", "r"), Write(name("y"), Operand::Register(name("r")))],
                ),
                section("m", vec![read("y", "q")]),
            ]),
        ),
    ]
}

#[test]
fn each_case_is_explored() {
    for (weaken, toy) in cases() {
        assert!(must_hold(&format!("{weaken:?}"), &toy, &config(true)).is_some());
    }
}

/// An oracle counts only once it was seen to fail.
#[test]
fn each_condition_is_needed() {
    for (weaken, toy) in cases()
        .into_iter()
        .filter(|(weaken, _)| *weaken != Weaken::Nothing)
    {
        let by_case = matches!(check(&toy, &config(true), weaken), Some(Err(_)));
        let wrong = |seed: &u64| matches!(check(&random(*seed), &config(true), weaken), Some(Err(_)));
        let seed = (0..SEEDS).find(wrong);
        println!("{weaken:?}: by its case {by_case}, first seed {seed:?}");
        assert!(seed.is_some(), "{weaken:?} is not noticed");
        assert!(by_case, "{weaken:?} is not noticed by its case");
    }
}
