//! `dpor` against brute force, and exact counts.

use crate::common::{complaint, never, run, truth};
use selvedge_base::usual_or_long;
use selvedge_explore::Config;
use selvedge_explore::dpor::Weaken;
use selvedge_model::Conflict;
use selvedge_model::reference::{Trace, traces};
use selvedge_model::toy::{
    Toy, ToyMachine, ToyOp, input_toy, mixed_toy, random_toy, sharing_toy, shrink, waking_toy,
};
use selvedge_model::{Dependence, Verdict};
use std::path::Path;

fn hold(name: &str, toy: &Toy) {
    for sleep_sets in [true, false] {
        let fails = |toy: &Toy| complaint(toy, &Conflict, sleep_sets, Weaken::Nothing);
        if let Some(what) = fails(toy) {
            let small = shrink(toy, |toy| ToyMachine::new(toy).is_ok() && fails(toy).is_some());
            panic!(
                "{name} (sleep sets {sleep_sets}): {what}\n{}\nsmallest: {}\n{:?}",
                toy.to_json(),
                small.to_json(),
                fails(&small)
            );
        }
    }
}

/// Each class of the relation is finished exactly once, of both relations on outcomes.
fn hold_classes(name: &str, toy: &Toy) {
    hold_classes_of(name, toy, (Trace::new(), &never()));
    let values = Config {
        values_only: true,
        ..never()
    };
    hold_classes_of(name, toy, (Trace::of_values(), &values));
}

fn hold_classes_of(name: &str, toy: &Toy, (begun, config): (Trace, &Config)) {
    let mut machine = ToyMachine::new(toy).expect("compiles");
    let Ok(expected) = traces(&mut machine, 1_000, begun, |a, b| Conflict.dependent(a, b)) else {
        return;
    };
    let (seen, report) = run(toy, true, &Conflict, config, Weaken::Nothing);
    let found: std::collections::BTreeSet<_> = seen.traces.into_keys().collect();
    assert!(
        found == expected,
        "{name}: {} of {} classes of {}",
        found.len(),
        expected.len(),
        toy.to_json()
    );
    assert_eq!(
        report.statistics.executions,
        expected.len() as u64,
        "{name}: executions"
    );
}

fn recorded() -> Vec<(String, Toy)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/tests");
    let mut toys = Vec::new();
    for entry in std::fs::read_dir(folder.join("toys")).expect("the toys") {
        let path = entry.expect("an entry").path();
        let toy = Toy::parse(&std::fs::read_to_string(&path).expect("a toy")).expect("a toy");
        toys.push((path.display().to_string(), toy));
    }
    let lines = std::fs::read_to_string(folder.join("random-toys.jsonl")).expect("the random toys");
    toys.extend(
        lines
            .lines()
            .enumerate()
            .map(|(i, line)| (format!("recorded {i}"), Toy::parse(line).expect("a toy"))),
    );
    toys
}

#[test]
fn recorded_toys() {
    for (name, toy) in recorded() {
        hold(&name, &toy);
        hold_classes(&name, &toy);
    }
}

#[test]
fn random_toys() {
    for seed in 0..usual_or_long(600, 50_000) {
        hold(&format!("seed {seed}"), &random_toy(seed));
    }
}

#[test]
fn mixed_toys() {
    for seed in 0..usual_or_long(400, 20_000) {
        hold(&format!("mixed seed {seed}"), &mixed_toy(seed));
        hold(&format!("waking seed {seed}"), &waking_toy(seed));
    }
}

#[test]
fn toys_with_inputs() {
    for seed in 0..usual_or_long(400, 20_000) {
        hold(&format!("input seed {seed}"), &input_toy(seed));
        hold(&format!("sharing seed {seed}"), &sharing_toy(seed));
    }
}

#[test]
fn every_class_of_random_toys_once() {
    for seed in 0..usual_or_long(120, 700) {
        hold_classes(&format!("seed {seed}"), &random_toy(seed));
        // Whether a join fails before the thread's end or after it makes no difference, and is not
        // tried.
        let fails = |op: &ToyOp| matches!(op, ToyOp::JoinOnce(..));
        let kinds = [
            ("mixed", mixed_toy(seed)),
            ("waking", waking_toy(seed)),
            ("input", input_toy(seed)),
        ];
        for (kind, toy) in kinds {
            if !toy.threads.iter().flatten().any(fails) {
                hold_classes(&format!("{kind} seed {seed}"), &toy);
            }
        }
    }
}

fn count(json: &str, config: &Config) -> (u64, u64) {
    let toy = Toy::parse(json).expect("a toy");
    let (_, report) = run(&toy, false, &Conflict, config, Weaken::Nothing);
    assert_ne!(report.verdict(), Verdict::Unknown);
    (
        report.statistics.executions,
        report.statistics.redundant_executions,
    )
}

fn threads(count: usize, code: &str) -> String {
    format!(
        r#"{{"vars": {{"x": 0}}, "threads": [{}]}}"#,
        vec![code; count].join(",")
    )
}

#[test]
fn exact_counts() {
    let unprotected = r#"[["read", "x", "r"], ["write", "x", "r"]]"#;
    assert_eq!(count(&threads(4, unprotected), &never()).0, 576);
    assert_eq!(count(&threads(3, unprotected), &never()).0, 36);
    let locked = r#"[["lock", "m"], ["add", "x", 1], ["unlock", "m"]]"#;
    for (n, factorial) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        assert_eq!(count(&threads(n, locked), &never()).0, factorial, "{n} threads");
    }
    let sections = format!("[{}]", [r#"["lock", "m"], ["unlock", "m"]"#; 8].join(","));
    assert_eq!(count(&threads(2, &sections), &never()).0, 12_870);
    let readers = r#"[["rdlock", "w"], ["read", "x", "r"], ["rwunlock", "w"]]"#;
    assert_eq!(count(&threads(4, readers), &never()).0, 1);
}

/// Compare-and-swaps that fail only read.
#[test]
fn failed_compare_and_swaps_commute() {
    // Each thread wins in one execution; what the others do afterwards has no order.
    let once = r#"[["cas", "x", 0, 1, "r"]]"#;
    for n in [2, 3, 4] {
        assert_eq!(count(&threads(n as usize, once), &never()), (n, 0), "{n} threads");
    }
    let never_there = r#"[["cas", "x", 7, 1, "r"], ["cas", "x", 8, 1, "r"]]"#;
    assert_eq!(count(&threads(3, never_there), &never()), (1, 0));
}

/// Attempts that fail only look at the lock or semaphore.
#[test]
fn failed_tries_commute() {
    let tries = |objects: &str, n: usize, code: &str| {
        let threads = vec![code; n].join(",");
        count(&format!(r#"{{{objects} "threads": [{threads}]}}"#), &never())
    };
    for n in [2, 3, 4] {
        // Each thread takes it in one execution; what the others do afterwards has no order.
        for code in [
            r#"[["trylock", "m", "r"]]"#,
            r#"[["spintrylock", "m", "r"]]"#,
            r#"[["trywrlock", "m", "r"]]"#,
            r#"[["timedlock", "m", "r"]]"#,
        ] {
            assert_eq!(tries("", n, code), (n as u64, 0), "{n} threads, {code}");
        }
        let semaphore = r#"[["sem_trywait", "s", "r"]]"#;
        assert_eq!(tries(r#""sems": {"s": 1},"#, n, semaphore), (n as u64, 0));
        assert_eq!(tries(r#""sems": {"s": 0},"#, n, semaphore), (1, 0));
    }
}

/// Stores of the value that is there only read, if nobody asks what happens before what.
#[test]
fn silent_stores_commute() {
    let values = Config {
        values_only: true,
        ..never()
    };
    let stores = r#"[["write", "x", 0], ["cas", "x", 0, 0, "r"], ["add", "x", 0]]"#;
    assert_eq!(count(&threads(3, stores), &values), (1, 0));
    // The first one to set the flag changes it.
    let flag = r#"[["write", "x", 1]]"#;
    for n in [2, 3, 4] {
        assert_eq!(count(&threads(n as usize, flag), &values), (n, 0), "{n} threads");
    }
    assert_eq!(count(&threads(4, flag), &never()), (24, 0));
}

#[test]
fn two_adds_have_one_end() {
    let toy = Toy::parse(&threads(2, r#"[["add", "x", 1], ["add", "x", 1]]"#)).expect("a toy");
    assert_eq!(truth(&toy).expect("small").0.len(), 1);
}

/// Who is cancelled while it waits could have been first.
#[test]
fn what_a_cancelled_thread_waited_for_is_looked_for() {
    let toy =
        r#"{"sems": {"s": 1}, "threads": [[["sem_wait", "s"]], [["cancel", 2, "k"]], [["sem_wait", "s"]]]}"#;
    hold("cancel", &Toy::parse(toy).expect("a toy"));
}

/// What lets a waiting thread go on may come after the cancellation, independent of it.
#[test]
fn what_could_still_end_the_wait_of_a_cancelled_thread_is_looked_for() {
    let after_a_post = r#"{"sems": {"s": 1}, "threads": [
        [["sem_wait", "s"], ["input", 3, "i"], ["join", 2]],
        [["sem_wait", "s"], ["sem_post", "s"]],
        [["testcancel"], ["cancel", 0, "k"]]]}"#;
    let timed = r#"{"sems": {"s": 1}, "vars": {"x": 0, "y": 0}, "spurious": true, "threads": [
        [["add", "y", 1], ["spawn", 2], ["sem_timedwait", "s", "q"]],
        [["waitword", "x", "y", 0], ["cancel", 0, "k"]],
        [["claim", "y", 0, 1], ["waitword", "x", "y", 0], ["sem_trywait", "s", "q"]]]}"#;
    for toy in [after_a_post, timed] {
        hold("cancel", &Toy::parse(toy).expect("a toy"));
    }
}
