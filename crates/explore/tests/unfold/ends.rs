//! `unfold` against brute force: ends, failed assertions, and each maximal configuration once.

use crate::common::ends::{complaint, configurations};
use selvedge_base::usual_or_long;
use selvedge_explore::unfold;
use selvedge_explore::unfold::oracle::Weaken;
use selvedge_explore::{Config, Control, Order};
use selvedge_model::NoDetector;
use selvedge_model::reference::Unfolding;
use selvedge_model::toy::{
    Toy, ToyMachine, input_toy, mixed_toy, random_toy, sharing_toy, shrink, waking_toy,
};
use std::path::Path;

fn hold(name: &str, toy: &Toy, config: &Config, expected: Option<u64>) {
    let fails = |toy: &Toy| complaint(toy, config, Weaken::Nothing, None);
    if let Some(what) = complaint(toy, config, Weaken::Nothing, expected) {
        if fails(toy).is_none() {
            panic!("{name}: {what}\n{}", toy.to_json());
        }
        let small = shrink(toy, |toy| ToyMachine::new(toy).is_ok() && fails(toy).is_some());
        panic!(
            "{name} ({config:?}): {what}\n{}\nsmallest: {}\n{:?}",
            toy.to_json(),
            small.to_json(),
            fails(&small)
        );
    }
}

#[test]
fn recorded_toys() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/tests/toys");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the toys")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a toy");
        let toy = Toy::parse(&text).expect("a toy");
        let value: serde_json::Value = serde_json::from_str(&text).expect("json");
        let ordered = toy.barriers.is_empty();
        let traces = value["expect"]["traces"].as_u64().filter(|_| ordered);
        for config in configurations() {
            hold(&path.display().to_string(), &toy, &config, traces);
        }
    }
}

#[test]
fn random_toys() {
    for seed in 0..usual_or_long(75, 800) {
        let toy = random_toy(seed);
        let mut machine = ToyMachine::new(&toy).expect("a toy that compiles");
        let whole = Unfolding::of(&mut machine, 300).ok();
        let traces = whole.map(|u| u.maximal().count() as u64);
        for config in configurations() {
            hold(&format!("seed {seed}"), &toy, &config, traces);
        }
    }
}

/// Each under one of the configurations.
fn many_random_toys(seeds: std::ops::Range<u64>) {
    let configurations = configurations();
    for seed in seeds {
        let config = &configurations[seed as usize % configurations.len()];
        hold(&format!("seed {seed}"), &random_toy(seed), config, None);
    }
}

/// Fifty thousand at length, with the other half.
#[test]
fn many_random_toys_of_one_half() {
    many_random_toys(1_000..1_000 + usual_or_long(220, 25_000));
}

#[test]
fn many_random_toys_of_the_other_half() {
    many_random_toys(26_000..26_000 + usual_or_long(220, 25_000));
}

#[test]
fn search_orders() {
    for seed in 0..usual_or_long(45, 500) {
        for order in [Order::BreadthFirst, Order::Random] {
            for mut config in configurations() {
                config.order = order;
                hold(&format!("seed {seed}"), &random_toy(seed), &config, None);
            }
        }
    }
}

/// Under a memory budget answers of the machine are asked for again: the same comes out.
#[test]
fn saving_memory_changes_nothing() {
    for seed in 0..usual_or_long(45, 400) {
        let toy = random_toy(seed);
        let explore = |saving: bool| {
            let control = Control::new();
            if saving {
                control.request_saving();
            }
            let make = || (ToyMachine::new(&toy).expect("a toy that compiles"), NoDetector);
            unfold::explore(&make, &configurations()[1], &control)
        };
        assert_eq!(explore(true), explore(false), "seed {seed}: {}", toy.to_json());
    }
}

/// Each under one of the configurations and search orders.
fn under_one_each(kind: &str, toy: impl Fn(u64) -> Toy, seeds: std::ops::Range<u64>) {
    let orders = [
        Order::DepthFirst,
        Order::BreadthFirst,
        Order::Random,
        Order::Coverage,
    ];
    for seed in seeds {
        let configurations = configurations();
        let mut config = configurations[seed as usize % configurations.len()].clone();
        config.order = orders[seed as usize / configurations.len() % orders.len()];
        hold(&format!("{kind} seed {seed}"), &toy(seed), &config, None);
    }
}

#[test]
fn mixed_toys() {
    under_one_each("mixed", mixed_toy, 0..usual_or_long(350, 4_000));
    under_one_each("waking", waking_toy, 0..usual_or_long(350, 4_000));
}

#[test]
fn toys_with_inputs() {
    under_one_each("input", input_toy, 0..usual_or_long(450, 5_000));
}

/// Decisions of one thread are at odds with those of another.
#[test]
fn toys_that_share_inputs() {
    under_one_each("sharing", sharing_toy, 0..usual_or_long(450, 5_000));
}

/// Where all alternatives of a choice that completes an exchange are cutoffs, the other thread must
/// not come between; what it would have done before the exchange is in conflict with it all the
/// same.
#[test]
fn what_must_not_come_between_could_have_come_before() {
    let toy = r#"{"vars": {"y": 0}, "weak": true, "threads": [[["input", 2, "i"], ["cas", "y", "i", 2, "r"]],
        [["cas", "y", 1, 2, "q"], ["write", "y", "r"]]]}"#;
    let toy = Toy::parse(toy).expect("a toy");
    for config in configurations() {
        hold("between", &toy, &config, None);
    }
}
