//! Races under `unfold` with cutoffs: where there is one without cutoffs, one is found.

use crate::common::never;
use selvedge_base::usual_or_long;
use selvedge_detect::RaceDetector;
use selvedge_explore::unfold::oracle::{Keyed, Keys, Knowledge, Weaken};
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Order, Report, dpor};
use selvedge_model::toy::{Toy, ToyMachine, ToyOp, input_toy, mixed_toy, ordered_toy, shrink, with_touches};
use selvedge_model::{FaultKind, StopReason};
use std::collections::BTreeSet;

fn machine(toy: &Toy) -> (ToyMachine, RaceDetector) {
    let machine = ToyMachine::new(toy).expect("a toy that compiles");
    (machine, RaceDetector::new())
}

/// The races found, each as the two statements; none if there is too much.
fn races(toy: &Toy, config: &Config, weaken: Weaken) -> Option<BTreeSet<Vec<u32>>> {
    let make = || machine(toy);
    places(&match weaken {
        Weaken::Nothing => unfold::explore(&make, config, &Control::new()),
        mistake => unfold::explore_watched(&make, config, &Control::new(), mistake).0,
    })
}

fn places(report: &Report) -> Option<BTreeSet<Vec<u32>>> {
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
fn hold(toy: impl Fn(u64) -> Toy, seeds: std::ops::Range<u64>) -> (u64, u64) {
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
    let seeds = usual_or_long(1_000, 3_000);
    let (with, without) = hold(toy, 0..seeds);
    assert!(
        with > seeds / 6 && without > seeds / 30,
        "{with} with a race, {without} without"
    );
}

#[test]
fn no_race_is_lost_by_cutoffs_where_there_are_inputs() {
    // Made of mixed toys: detectors need the numbers of threads.
    let seeds = usual_or_long(1_000, 3_000);
    let (with, without) = hold(|seed| with_touches(input_toy(seed | 2), seed), 0..seeds);
    assert!(
        with > seeds / 6 && without > seeds / 30,
        "{with} with a race, {without} without"
    );
}

/// What is found with certain keys of cutoffs, and what came of these.
fn keyed(toy: &Toy, config: &Config, keys: Keys) -> Option<(BTreeSet<Vec<u32>>, Keyed)> {
    let (report, keyed) = unfold::explore_keyed(&|| machine(toy), config, &Control::new(), keys);
    Some((places(&report)?, keyed))
}

/// Whether `dpor`, which has no cutoffs, finds a race. A fault ends only its thread there: the
/// others could also have been quicker.
fn is_there(toy: &Toy) -> Option<bool> {
    let mut toy = toy.clone();
    let faults = toy.threads.iter_mut().flatten();
    faults
        .filter(|op| **op == ToyOp::Crash)
        .for_each(|op| *op = ToyOp::Exit);
    let config = Config {
        max_executions: Some(2_000),
        ..never()
    };
    let races = places(&dpor::explore(&|| machine(&toy), &config, &Control::new()))?;
    Some(!races.is_empty())
}

const ALL: [Knowledge; 3] = [Knowledge::State, Knowledge::LastActions, Knowledge::Detector];

/// Whatever counts of the past at least, no race is lost; and what races was taken for such that
/// may.
#[test]
fn no_race_is_lost_where_dependence_is_synchronisation() {
    let mut counts = [[0; 2]; 3];
    for seed in 0..usual_or_long(600, 2_500) {
        let toy = ordered_toy(seed);
        let Some(there) = is_there(&toy) else { continue };
        for from in ALL {
            let keys = Keys {
                from,
                ..Keys::default()
            };
            let Some((found, keyed)) = keyed(&toy, &config(seed, true), keys) else {
                continue;
            };
            let text = || format!("seed {seed}, {from:?}: {}", toy.to_json());
            assert_eq!(there, !found.is_empty(), "{}", text());
            assert!(found.is_empty() || keyed.contested, "{}", text());
            if from == Knowledge::State && keyed.cutoffs > 0 {
                counts[keyed.knowledge as usize][usize::from(there)] += 1;
            }
        }
    }
    let [state, trails, detector] = counts;
    let enough = state[0] > 120 && trails[0].min(trails[1]) > 18 && detector[1] > 12;
    assert!(enough, "{counts:?}");
}

/// Pairs of all cutoffs with all known events find no more than the keys do. Only one pair of
/// statements can race in each toy: of several the detector names those that it meets first, and in
/// pairs it meets them in another order.
#[test]
fn pairs_find_no_race_that_keys_lose() {
    let paired = Keys {
        paired: true,
        ..Keys::default()
    };
    let (mut with, mut cut) = (0, 0);
    for seed in 0..usual_or_long(300, 3_000) {
        for toy in [toy(seed), with_touches(input_toy(seed | 2), seed)] {
            let config = config(seed, true);
            let found = keyed(&toy, &config, Keys::default());
            let (Some((found, _)), Some((paired, _))) = (found, keyed(&toy, &config, paired)) else {
                continue;
            };
            assert_eq!(found, paired, "seed {seed}: {}", toy.to_json());
            with += usize::from(!found.is_empty());
            cut += 1;
        }
    }
    assert!(with > 85 && cut > with + 12, "{with} with a race of {cut}");
}

/// Toys with one race, which is lost if a part of the keys is missing.
///
/// - The second thread comes to write to a mutex, knowing of the first one's sections but for the
///   last unlock. If its own section comes after that, it knows of it; the state is the same.
/// - Whether the first thread touches `u`, and the third one has the same state, depends on whose
///   section came first.
/// - The same, where the second thread sets the mutex up again that both hold when they touch `u`.
/// - A fault that ends the process is on no path with what the others do later.
#[test]
fn parts_left_out_of_keys_are_noticed() {
    let toys = [
        (
            Weaken::CutoffLabel,
            r#"{"threads": [[["lock", "m"], ["lock", "n"], ["put", "g", 1], ["unlock", "n"], ["unlock", "m"]],
                [["lock", "m"], ["unlock", "m"], ["lock", "n"], ["get", "g", "r"], ["if", "r", 0, 1], ["smash", "m"]]]}"#,
        ),
        (
            Weaken::HistoryFootprint,
            r#"{"ends": true, "threads": [[["lock", "o"], ["get", "h", "r"], ["unlock", "o"], ["if", "r", 0, 1], ["touch", "u", 1],
                ["set", "r", 0]], [["lock", "o"], ["put", "h", 1], ["unlock", "o"], ["lock", "o"], ["get", "h", "r"], ["if", "r", 1, 1],
                ["touch", "u", 1]], [["lock", "o"], ["put", "h", 0], ["unlock", "o"]]]}"#,
        ),
        (
            Weaken::NeverAnew,
            r#"{"threads": [[["lock", "m"], ["get", "f", "r"], ["unlock", "m"], ["if", "r", 0, 1], ["touch", "u", 1], ["set", "r", 0]],
                [["lock", "m"], ["put", "f", 1], ["unlock", "m"]], [["lock", "m"], ["touch", "u", 0]]]}"#,
        ),
        (
            Weaken::SetUp,
            r#"{"vars": {"x": 0}, "threads": [[["lock", "n"], ["get", "g", "r"], ["unlock", "n"], ["lock", "m"], ["if", "r", 0, 1],
                ["touch", "u", 1], ["set", "r", 0]], [["if", "r", 1, 5], ["lock", "n"], ["init", "m"], ["lock", "m"], ["touch", "u", 1]],
                [["lock", "n"], ["put", "g", 1], ["unlock", "n"]]]}"#,
        ),
        (
            Weaken::BesideFaults,
            r#"{"threads": [[["yield"], ["touch", "u", 1], ["crash"]], [["yield"], ["touch", "u", 1]]]}"#,
        ),
    ];
    for (weaken, toy) in toys {
        let toy = Toy::parse(toy).expect("a toy");
        assert_eq!(is_there(&toy), Some(true), "{weaken:?}");
        let mut noticed = 0;
        for seed in 0..24 {
            let found = |keys| keyed(&toy, &config(seed, true), keys).map(|(races, _)| !races.is_empty());
            assert_eq!(found(Keys::default()), Some(true), "{weaken:?}, seed {seed}");
            let keys = Keys {
                weaken,
                ..Keys::default()
            };
            noticed += usize::from(found(keys) == Some(false));
        }
        assert!(noticed > 0, "{weaken:?}");
    }
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
        for weaken in [Weaken::Memory, Weaken::Held, Weaken::NeverAnew] {
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

/// More places may race than were known at first: here `w` and `g` or `u`. What is done at those
/// that come later counts as well.
#[test]
fn places_left_out_are_noticed() {
    let toys = [
        r#"{"threads": [[["wrlock", "w"], ["put", "v", 1], ["rwunlock", "w"], ["if", "r", 1, 1], ["touch", "w", 0], ["set", "r", 0]],
            [["wrlock", "w"], ["put", "v", 1], ["rwunlock", "w"], ["set", "r", 0], ["lock", "o"], ["get", "h", "r"], ["if", "r", 1, 1],
             ["touch", "u", 1], ["set", "r", 0], ["unlock", "o"], ["if", "r", 1, 1], ["touch", "w", 0], ["lock", "n"], ["put", "g", 1],
             ["touch", "u", 0], ["set", "r", 0], ["unlock", "n"]],
            [["rdlock", "w"], ["get", "v", "r"], ["rwunlock", "w"], ["if", "r", 1, 1], ["touch", "u", 1], ["set", "r", 0], ["lock", "n"],
             ["put", "g", 1], ["unlock", "n"]]]}"#,
        r#"{"threads": [[["lock", "m"], ["get", "f", "r"], ["put", "f", 1], ["unlock", "m"], ["lock", "m"], ["get", "f", "r"],
             ["put", "f", 1], ["unlock", "m"], ["wrlock", "w"], ["put", "v", 1], ["rwunlock", "w"]],
            [["wrlock", "w"], ["put", "v", 1], ["rwunlock", "w"], ["lock", "n"], ["put", "g", 1], ["if", "r", 1, 1], ["touch", "w", 0],
             ["set", "r", 0], ["unlock", "n"]],
            [["rdlock", "w"], ["get", "v", "r"], ["rwunlock", "w"], ["if", "r", 1, 1], ["touch", "w", 1], ["set", "r", 0]]]}"#,
    ];
    for toy in toys {
        let toy = Toy::parse(toy).expect("a toy");
        let mut noticed = 0;
        for seed in 0..24 {
            let found = |weaken| races(&toy, &config(seed, true), weaken).map(|races| !races.is_empty());
            assert_eq!(found(Weaken::Nothing), Some(true), "seed {seed}");
            noticed += usize::from(found(Weaken::Places) == Some(false));
        }
        assert!(noticed > 0);
    }
}

/// The oracle is seen to find something: pairs show races of cutoffs where keys hold the state
/// only.
#[test]
fn pairs_find_what_a_state_alone_loses_noticed() {
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
            let found = |paired| {
                let keys = Keys {
                    paired,
                    weaken: Weaken::NeverAnew,
                    ..Keys::default()
                };
                keyed(&toy, &config, keys).expect("small").0
            };
            let (found, paired) = (found(false), found(true));
            assert!(paired.is_superset(&found), "seed {seed}");
            *noticed += usize::from(found != paired);
        }
    }
    assert!(noticed.iter().all(|&seeds| seeds > 0), "{noticed:?}");
}
