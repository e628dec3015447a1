//! What `unfold` knows, event by event, against the reference unfolding: all events and no other,
//! all immediate conflicts and no other, and where an execution ends, every conflicting extension.

use crate::common::events::{complaint, configurations};
use selvedge_base::usual_or_long;
use selvedge_explore::Config;
use selvedge_explore::unfold::oracle::Weaken;
use selvedge_model::toy::{Toy, ToyMachine, input_toy, mixed_toy, random_toy, shrink, waking_toy};
use std::path::Path;

/// How many were small enough.
fn hold(name: &str, toy: &Toy, config: &Config) -> usize {
    let found = |toy: &Toy| complaint(toy, config, Weaken::Nothing);
    match found(toy) {
        Ok(held) => held,
        Err(what) => {
            let small = shrink(toy, |toy| ToyMachine::new(toy).is_ok() && found(toy).is_err());
            panic!(
                "{name} ({:?}, {:?}): {what}\nsmallest: {}\n{:?}",
                config.partial,
                config.order,
                small.to_json(),
                found(&small)
            );
        }
    }
}

fn recorded() -> Vec<(String, Toy)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/tests");
    let mut paths: Vec<_> = std::fs::read_dir(folder.join("toys"))
        .expect("the toys")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: &Path| std::fs::read_to_string(path).expect("toys");
    let mut toys: Vec<(String, Toy)> = paths
        .iter()
        .map(|path| {
            (
                path.display().to_string(),
                Toy::parse(&read(path)).expect("a toy"),
            )
        })
        .collect();
    for file in ["random-toys.jsonl", "ordered-barriers.jsonl"] {
        let text = read(&folder.join(file));
        toys.extend(
            text.lines()
                .zip(1..)
                .map(|(line, n)| (format!("{file}:{n}"), Toy::parse(line).expect("a toy"))),
        );
    }
    toys
}

#[test]
fn recorded_toys() {
    let (mut held, configurations) = (0, configurations());
    for (at, (name, toy)) in recorded().iter().enumerate() {
        held += hold(name, toy, &configurations[at % configurations.len()]);
    }
    assert!(held > 100, "only {held} were small enough");
}

#[test]
fn random_toys() {
    let (mut held, configurations) = (0, configurations());
    for seed in 0..usual_or_long(750, 10_000) {
        let config = &configurations[seed as usize % configurations.len()];
        held += hold(&format!("seed {seed}"), &random_toy(seed), config);
    }
    assert!(held > 340, "only {held} were small enough");
}

#[test]
fn mixed_toys() {
    let (mut held, configurations) = (0, configurations());
    for seed in 0..usual_or_long(550, 6_000) {
        let config = &configurations[seed as usize % configurations.len()];
        held += hold(&format!("mixed seed {seed}"), &mixed_toy(seed), config);
    }
    assert!(held > 290, "only {held} were small enough");
}

#[test]
fn waking_toys() {
    let (mut held, configurations) = (0, configurations());
    for seed in 0..usual_or_long(350, 4_000) {
        let config = &configurations[seed as usize % configurations.len()];
        held += hold(&format!("waking seed {seed}"), &waking_toy(seed), config);
    }
    assert!(held > 115, "only {held} were small enough");
}

#[test]
fn toys_with_inputs() {
    let (mut held, configurations) = (0, configurations());
    for seed in 0..usual_or_long(550, 6_000) {
        let config = &configurations[seed as usize % configurations.len()];
        held += hold(&format!("input seed {seed}"), &input_toy(seed), config);
    }
    assert!(held > 240, "only {held} were small enough");
}

/// Every configuration of the exploration.
fn hold_under_all(name: &str, json: &str) {
    let toy = Toy::parse(json).expect("a toy");
    for config in configurations() {
        assert_eq!(hold(name, &toy, &config), 1);
    }
}

/// Where a thread was woken, its wait could also have ended by itself, after another one's that
/// uses the condition variable with another mutex.
#[test]
fn a_wait_that_was_woken_could_have_ended_by_itself() {
    let toy = r#"{"threads": [[["lock", "m"], ["timedwait", "c", "m", "r"]],
        [["lock", "n"], ["timedwait", "c", "n", "r"], ["broadcast", "c"]]]}"#;
    hold_under_all("two mutexes", toy);
}

/// A thread that was cancelled could have gone on, after what was not yet there when its end was
/// requested.
#[test]
fn a_cancelled_thread_could_have_gone_on() {
    let toys = [
        r#"{"threads": [[["join", 2]], [["cancel", 0, "k"]], []]}"#,
        r#"{"sems": {"s": 0}, "threads": [[["sem_wait", "s"]], [["sem_post", "s"], ["cancel", 0, "k"]]]}"#,
        r#"{"threads": [[["cond_init", "c"], ["cancel", 1, "k"]], [["lock", "m"], ["wait", "c", "m"]]]}"#,
    ];
    for toy in toys {
        hold_under_all("cancel", toy);
    }
}

/// What is done to another object in the same word is no owner of a mutex; nor does the chain of
/// owners end where it is set up anew.
#[test]
fn owners_before_a_mutex_is_set_up_anew() {
    let toys = [
        r#"{"threads": [[["lock", "m"], ["unlock", "m"], ["init", "m"]], [["lock", "m"], ["unlock", "m"]]]}"#,
        r#"{"sems": {"s": 0}, "threads": [[["destroy", "m", "q"], ["sem_init", "s", 1]], [["lock", "m"]]]}"#,
        r#"{"threads": [[["lock", "m"], ["init", "n"]], [["lock", "m"], ["destroy", "m", "q"]]]}"#,
        r#"{"threads": [[["init", "m"]], [["lock", "m"], ["unlock", "m"]]]}"#,
    ];
    for toy in toys {
        hold_under_all("set up anew", toy);
    }
}
