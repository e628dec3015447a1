//! Races under `unfold` with cutoffs: where there is one without cutoffs, one is found.

mod common;

use common::never;
use selvedge_detect::RaceDetector;
use selvedge_explore::unfold::oracle::Weaken;
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Order};
use selvedge_model::toy::{Toy, ToyMachine, input_toy, mixed_toy, shrink, with_touches};
use selvedge_model::{FaultKind, StopReason};
use std::collections::BTreeSet;

/// The races found, each as the two statements; none if there is too much.
fn races(toy: &Toy, config: &Config, weaken: Weaken) -> Option<BTreeSet<Vec<u32>>> {
    let make = || {
        (
            ToyMachine::new(toy).expect("a toy that compiles"),
            RaceDetector::new(),
        )
    };
    let report = match weaken {
        Weaken::Nothing => unfold::explore(&make, config, &Control::new()),
        mistake => unfold::explore_watched(&make, config, &Control::new(), mistake).0,
    };
    if report.stop != StopReason::Complete || !report.limits.is_empty() {
        return None;
    }
    let races = report
        .faults
        .iter()
        .filter(|f| f.fault.kind == FaultKind::DataRace);
    let places = races.map(|f| {
        let mut places = vec![f.fault.stmt.0];
        places.extend(f.fault.related.iter().map(|(_, stmt, _)| stmt.0));
        places.sort_unstable();
        places
    });
    Some(places.collect())
}

fn config(seed: u64, cutoffs: bool) -> Config {
    let orders = [
        Order::DepthFirst,
        Order::BreadthFirst,
        Order::Random,
        Order::Coverage,
    ];
    Config {
        partial: if seed.is_multiple_of(3) {
            Partial::All
        } else {
            Partial::Last(1)
        },
        order: orders[seed as usize / 2 % orders.len()],
        cutoffs,
        max_executions: Some(400),
        ..never()
    }
}

fn toy(seed: u64) -> Toy {
    with_touches(mixed_toy(seed), seed)
}

/// Whether there is a race without cutoffs, and with them. (Of several at one place the detector
/// names those that it meets first.)
fn both(toy: &Toy, seed: u64) -> Option<(bool, bool)> {
    both_with(toy, seed, Weaken::Nothing)
}

/// The same with a mistake where there are cutoffs.
fn both_with(toy: &Toy, seed: u64, weaken: Weaken) -> Option<(bool, bool)> {
    let there = races(toy, &config(seed, false), Weaken::Nothing)?;
    let found = races(toy, &config(seed, true), weaken)?;
    Some((!there.is_empty(), !found.is_empty()))
}

/// How many toys have a race, and how many have none.
fn hold(toy: impl Fn(u64) -> Toy, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut with, mut without) = (0, 0);
    for seed in seeds {
        let toy = toy(seed);
        match both(&toy, seed) {
            Some((true, true)) => with += 1,
            Some((false, false)) => without += 1,
            None => {}
            Some(differ) => {
                let fails = |toy: &Toy| ToyMachine::new(toy).is_ok() && both(toy, seed) == Some(differ);
                panic!(
                    "seed {seed}: {differ:?}\nsmallest: {}",
                    shrink(&toy, fails).to_json()
                );
            }
        }
    }
    (with, without)
}

#[test]
fn no_race_is_lost_by_cutoffs() {
    let (with, without) = hold(toy, 0..3_000);
    assert!(
        with > 500 && without > 100,
        "{with} with a race, {without} without"
    );
}

#[test]
fn no_race_is_lost_by_cutoffs_where_there_are_inputs() {
    // Made of mixed toys: detectors need the numbers of threads.
    let (with, without) = hold(|seed| with_touches(input_toy(seed | 2), seed), 0..3_000);
    assert!(
        with > 500 && without > 100,
        "{with} with a race, {without} without"
    );
}

/// An oracle counts only once it was seen to fail. The first thread's access is known to the second
/// one if that has read after the first one's write; both orders of these two lead to one state,
/// and after it nothing tells the two threads any more of each other.
#[test]
fn knowledge_that_is_no_part_of_the_state_is_noticed() {
    let toy = r#"{"vars": {"x": 0}, "threads": [[["yield"], ["touch", "u", 1], ["write", "x", 1], ["lock", "m"]],
        [["read", "x", "r"], ["set", "r", 0], ["trylock", "m", "r"], ["if", "r", 1, 1], ["touch", "u", 1]]]}"#;
    let toy = Toy::parse(toy).expect("a toy");
    for seed in 0..24 {
        assert_eq!(both(&toy, seed), Some((true, true)), "seed {seed}");
        for weaken in [Weaken::Memory, Weaken::NeverAnew] {
            assert_eq!(
                both_with(&toy, seed, weaken),
                Some((true, false)),
                "seed {seed}, {weaken:?}"
            );
        }
    }
}

/// Two threads hand three locks round for ever. The first one reads another variable in its first
/// round than later, and after that nothing else tells the rounds apart: the other one's write in
/// the second round is on no path if that round is cut off.
#[test]
fn histories_left_out_are_noticed() {
    let toy = r#"{"barriers": {"s": 2}, "threads": [
        [["lock", "a"], ["barrier", "s"], ["lock", "b"], ["unlock", "a"], ["if", "r", 1, 2], ["touch", "v", 0], ["if", "q", 0, 1],
         ["touch", "u", 0], ["set", "r", 1], ["lock", "c"], ["unlock", "b"], ["lock", "a"], ["unlock", "c"], ["goto", 2]],
        [["lock", "c"], ["barrier", "s"], ["lock", "a"], ["lock", "g"], ["touch", "u", 1], ["unlock", "g"], ["unlock", "c"], ["lock", "b"],
         ["unlock", "a"], ["lock", "c"], ["unlock", "b"], ["goto", 2]]]}"#;
    let toy = Toy::parse(toy).expect("a toy");
    for seed in 0..24 {
        let found = |weaken| races(&toy, &config(seed, true), weaken).map(|races| !races.is_empty());
        assert_eq!(found(Weaken::Nothing), Some(true), "seed {seed}");
        for weaken in [Weaken::History, Weaken::HistoryFootprint] {
            assert_eq!(found(weaken), Some(false), "seed {seed}, {weaken:?}");
        }
    }
}

/// Two cutoffs are on no path together. That only shows where several pairs of accesses race: no
/// toy is known whose only race is one of these, since what each thread did last is a part of the
/// state, and so is there again where the state is explored.
#[test]
fn races_beside_cutoffs_left_out_are_noticed() {
    let toys = [
        r#"{"vars": {"x": 0, "y": 0}, "ends": true, "threads": [[["set", "q", 1], ["write", "x", "q"], ["touch", "u", 1]],
            [["spinlock", "p"], ["touch", "u", 1], ["add", "x", 1], ["touch", "u", 1]],
            [["read", "y", "q"], ["touch", "u", 1]], [["write", "x", 1]]]}"#,
        r#"{"ends": true, "threads": [[["spawn", 2], ["broadcast", "c"], ["touch", "u", 1]],
            [["signal", "c"], ["touch", "u", 1], ["touch", "u", 0]],
            [["choose", 2, "r"], ["touch", "u", 1], ["choose", 2, "q"]], [["lock", "m"], ["wait", "c", "m"]]]}"#,
    ];
    let mut noticed = [0; 2];
    for (noticed, toy) in noticed.iter_mut().zip(toys) {
        let toy = Toy::parse(toy).expect("a toy");
        for seed in 0..24 {
            let config = config(seed, true);
            let found = races(&toy, &config, Weaken::Nothing).expect("small");
            let without = races(&toy, &config, Weaken::BesideCutoffs).expect("small");
            assert!(found.is_superset(&without), "seed {seed}");
            *noticed += usize::from(found != without);
        }
    }
    assert!(noticed.iter().all(|&seeds| seeds > 0), "{noticed:?}");
}
