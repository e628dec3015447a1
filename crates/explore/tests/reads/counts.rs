//! Exact counts of classes.

use crate::random::{Outcome, outcome, run};
use selvedge_explore::reads::Weaken;
use selvedge_model::toy::Toy;

fn toy(json: &str) -> Toy {
    Toy::parse(json).expect("a toy")
}

/// The number of classes, and of executions that did not come to an end.
fn count(json: &str) -> (u64, u64) {
    let toy = toy(json);
    match run(&toy, Weaken::Nothing) {
        Ok(explored) => {
            let statistics = explored.report.statistics;
            (statistics.executions, statistics.redundant_executions)
        }
        Err(given_up) => panic!("{json}: {given_up:?}"),
    }
}

fn threads(codes: &[String]) -> String {
    format!(
        r#"{{"vars": {{"x": 0, "y": 0}}, "threads": [{}]}}"#,
        codes.join(",")
    )
}

fn copies(count: usize, code: &str) -> Vec<String> {
    vec![code.to_owned(); count]
}

/// N threads write a variable, and one reads it when all have ended.
#[test]
fn the_last_writer() {
    for n in 1..=7 {
        let spawns = (1..=n).map(|t| format!(r#"["spawn", {t}]"#));
        let joins = (1..=n).map(|t| format!(r#"["join", {t}]"#));
        let main: Vec<String> = spawns
            .chain(joins)
            .chain([r#"["read", "x", "r"]"#.to_owned()])
            .collect();
        let mut all = vec![format!("[{}]", main.join(","))];
        all.extend((1..=n).map(|t| format!(r#"[["write", "x", {t}]]"#)));
        assert_eq!(count(&threads(&all)), (n, 0), "{n} writers");
    }
}

#[test]
fn writes_that_nobody_reads() {
    assert_eq!(
        count(&threads(&copies(5, r#"[["write", "x", 1], ["write", "x", 2]]"#))),
        (1, 0)
    );
}

/// Store buffering: each of two threads reads what the other writes, or not; not neither.
#[test]
fn store_buffering() {
    let codes = [
        r#"[["write", "x", 1], ["read", "y", "r"]]"#.to_owned(),
        r#"[["write", "y", 1], ["read", "x", "r"]]"#.to_owned(),
    ];
    assert_eq!(count(&threads(&codes)), (3, 0));
}

#[test]
fn sections_of_a_mutex() {
    let section = r#"[["lock", "m"], ["write", "x", 1], ["unlock", "m"]]"#;
    for (n, factorial) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        // Who waits for the mutex first is explored without its section.
        assert_eq!(count(&threads(&copies(n, section))).0, factorial, "{n} threads");
    }
}

#[test]
fn updates_are_a_chain() {
    for (n, factorial) in [(2, 2), (3, 6), (4, 24)] {
        assert_eq!(
            count(&threads(&copies(n, r#"[["add", "x", 1]]"#))),
            (factorial, 0)
        );
    }
}

/// Two threads take two mutexes in different orders.
#[test]
fn a_deadlock_is_an_end() {
    let codes = [
        r#"[["lock", "m"], ["lock", "n"], ["unlock", "n"], ["unlock", "m"]]"#.to_owned(),
        r#"[["lock", "n"], ["lock", "m"], ["unlock", "m"], ["unlock", "n"]]"#.to_owned(),
    ];
    let toy = toy(&threads(&codes));
    assert!(matches!(outcome(&toy, Weaken::Nothing), Outcome::Same(3)));
}

/// Whoever waits for a value waits for ever if another one comes last.
#[test]
fn a_wait_for_a_value_that_is_overwritten() {
    let codes = [
        r#"[["claim", "x", 1, 2]]"#.to_owned(),
        r#"[["write", "x", 1]]"#.to_owned(),
        r#"[["write", "x", 3]]"#.to_owned(),
    ];
    let toy = toy(&threads(&codes));
    assert!(matches!(outcome(&toy, Weaken::Nothing), Outcome::Same(2)));
}
