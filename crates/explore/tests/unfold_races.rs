//! Races under `unfold` with cutoffs: where there is one without cutoffs, one is found.

mod common;

use common::never;
use selvedge_detect::RaceDetector;
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Order};
use selvedge_model::toy::{Toy, ToyMachine, mixed_toy, shrink, with_touches};
use selvedge_model::{FaultKind, StopReason};
use std::collections::BTreeSet;

/// The races found, each as the two statements; none if there is too much.
fn races(toy: &Toy, config: &Config) -> Option<BTreeSet<Vec<u32>>> {
    let make = || {
        (
            ToyMachine::new(toy).expect("a toy that compiles"),
            RaceDetector::new(),
        )
    };
    let report = unfold::explore(&make, config, &Control::new());
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

/// Whether there is a race without cutoffs, and with them. (Of several at one place the detector names those that it meets first.)
fn both(toy: &Toy, seed: u64) -> Option<(bool, bool)> {
    let there = races(toy, &config(seed, false))?;
    let found = races(toy, &config(seed, true))?;
    Some((!there.is_empty(), !found.is_empty()))
}

#[test]
fn no_race_is_lost_by_cutoffs() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..3_000 {
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
    assert!(
        with > 500 && without > 100,
        "{with} with a race, {without} without"
    );
}
