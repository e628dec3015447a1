//! Toys with their answers: the brute-force reference, and the relation, against the independent
//! oracle.

mod common;

use selvedge_base::usual_or_long;
use selvedge_model::reference::{check_dependence, ends};
use selvedge_model::toy::{
    Toy, ToyEnd, ToyMachine, ToyOp, input_toy, mixed_toy, random_toy, sharing_toy, waking_toy,
};
use selvedge_model::{Conflict, Dependence};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn sorted(values: impl IntoIterator<Item = Value>) -> Vec<String> {
    let mut all: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    all.sort();
    all.dedup();
    all
}

fn check(name: &str, program: &Value) {
    let toy = Toy::from_json(program).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(
        Toy::from_json(&toy.to_json()).as_ref(),
        Ok(&toy),
        "{name}: JSON round trip"
    );
    let mut machine = ToyMachine::new(&toy).unwrap_or_else(|e| panic!("{name}: {e}"));
    let found = ends(&mut machine, 200_000).expect("small");
    let expect = &program["expect"];
    let shown = |finished: bool| {
        sorted(
            found
                .ends
                .iter()
                .filter(|e| e.finished == finished)
                .map(|e| machine.show(e)),
        )
    };
    let expected = |key: &str| sorted(expect[key].as_array().expect("a list").iter().cloned());
    assert_eq!(shown(true), expected("final_states"), "{name}: final states");
    assert_eq!(shown(false), expected("deadlocks"), "{name}: deadlocks");
    let asserts = sorted(found.asserts.iter().map(|(t, position)| json!([t.0, position])));
    assert_eq!(asserts, expected("failed_asserts"), "{name}: assertions");
    independence(name, &toy);
}

fn independence(name: &str, toy: &Toy) {
    let mut machine = ToyMachine::new(toy).unwrap_or_else(|e| panic!("{name}: {e}"));
    if let Ok(bad) = check_dependence(&mut machine, 20_000, |a, b| Conflict.dependent(a, b)) {
        assert!(
            bad.is_empty(),
            "{name}: called independent: {:#?}\n{}",
            bad[0],
            toy.to_json()
        );
    }
}

#[test]
fn small_toys_have_the_oracles_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toys");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the toys") {
        let path = entry.expect("an entry").path();
        let program = serde_json::from_str(&std::fs::read_to_string(&path).expect("a toy")).expect("JSON");
        check(&path.display().to_string(), &program);
        count += 1;
    }
    assert_eq!(count, 49);
}

#[test]
fn random_toys_have_the_oracles_answers() {
    let lines = include_str!("random-toys.jsonl").lines();
    assert!(lines.clone().count() >= 300);
    for (i, line) in lines.enumerate() {
        check(
            &format!("random toy {i}"),
            &serde_json::from_str(line).expect("JSON"),
        );
    }
}

/// Toys from the oracle itself, where it lies beside the checkout.
#[test]
fn fresh_random_toys_have_the_oracles_answers() {
    for (name, program) in common::fresh(50) {
        check(&name, &program);
    }
}

#[test]
fn the_relation_keeps_definition_1_on_random_toys() {
    for seed in 0..usual_or_long(100, 1_500) {
        independence(&format!("seed {seed}"), &random_toy(seed));
        independence(&format!("mixed seed {seed}"), &mixed_toy(seed));
        independence(&format!("waking seed {seed}"), &waking_toy(seed));
        if seed % 3 == 0 {
            independence(&format!("input seed {seed}"), &input_toy(seed));
        }
    }
}

#[test]
fn mixed_toys_are_the_same_after_a_round_trip() {
    for seed in 0..usual_or_long(200, 500) {
        let toy = mixed_toy(seed);
        assert_eq!(Toy::from_json(&toy.to_json()), Ok(toy), "seed {seed}");
        let toy = waking_toy(seed);
        assert_eq!(Toy::from_json(&toy.to_json()), Ok(toy), "waking seed {seed}");
        for toy in [input_toy(seed), sharing_toy(seed)] {
            assert_eq!(Toy::from_json(&toy.to_json()), Ok(toy), "input seed {seed}");
        }
    }
}

/// It makes no difference whether a thread knows what another one has decided, and needs no choice,
/// or decides for itself in accordance with it.
#[test]
fn who_decides_on_an_input_makes_no_difference() {
    for seed in 0..usual_or_long(1_000, 3_000) {
        let toy = sharing_toy(seed);
        let alone = ToyMachine::new(&toy).expect("compiles");
        let found = |mut machine| ends(&mut machine, 20_000).map(|found| (found.ends, found.asserts));
        let known = alone.clone().with_known_inputs();
        let (alone, known) = (found(alone), found(known));
        if alone.is_ok() && known.is_ok() {
            assert_eq!(alone, known, "seed {seed}: {}", toy.to_json());
        }
    }
}

/// A wait that may end spuriously as soon as it begins comes to the same ends as one that may end
/// at any time while it lasts, as those with a time-out do. But nothing promises that it ends.
#[test]
fn spurious_wakeups_at_once_are_as_good_as_later_ones() {
    let jumps = |op: &ToyOp| {
        matches!(
            op,
            ToyOp::If(..)
                | ToyOp::Goto(..)
                | ToyOp::TimedWait(..)
                | ToyOp::FutexTimedWait(..)
                | ToyOp::TimedWaitWord(..)
        )
    };
    let with = |toy: &Toy, wait: fn(String, String) -> ToyOp, spurious| {
        let after = |op: ToyOp| match op {
            ToyOp::Wait(c, m) => vec![wait(c, m), ToyOp::Set("ended".into(), 0)],
            // Its register says how it ended.
            ToyOp::FutexWait(x, n, r) => {
                let wait = match spurious {
                    true => ToyOp::FutexWait(x, n, r.clone()),
                    false => ToyOp::FutexTimedWait(x, n, r.clone()),
                };
                vec![wait, ToyOp::Set(r, 0)]
            }
            ToyOp::WaitWord(x, y, n) => {
                let wait = match spurious {
                    true => ToyOp::WaitWord(x, y, n),
                    false => ToyOp::TimedWaitWord(x, y, n, "ended".into()),
                };
                vec![wait, ToyOp::Set("ended".into(), 0)]
            }
            op => vec![op],
        };
        let threads = toy.threads.iter();
        let threads = threads.map(|ops| ops.iter().cloned().flat_map(after).collect());
        let toy = Toy {
            threads: threads.collect(),
            spurious,
            ..toy.clone()
        };
        ends(&mut ToyMachine::new(&toy).expect("compiles"), 20_000).ok()
    };
    let (mut compared, mut stuck) = (0, 0);
    for seed in 0..usual_or_long(600, 1_500) {
        let toy = waking_toy(seed);
        if toy.threads.iter().flatten().any(jumps) {
            continue;
        }
        let at_once = with(&toy, ToyOp::Wait, true);
        let later = with(&toy, |c, m| ToyOp::TimedWait(c, m, "ended".into()), false);
        let (Some(at_once), Some(later)) = (at_once, later) else {
            continue;
        };
        let finished = |ends: &BTreeSet<ToyEnd>| {
            ends.iter()
                .filter(|e| e.finished)
                .cloned()
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(
            finished(&at_once.ends),
            finished(&later.ends),
            "seed {seed}: {}",
            toy.to_json()
        );
        assert_eq!(at_once.asserts, later.asserts, "seed {seed}: {}", toy.to_json());
        compared += 1;
        stuck += usize::from(at_once.ends.len() > later.ends.len());
    }
    assert!(
        compared > 90 && stuck > 40,
        "{compared} compared, {stuck} with waits that never end"
    );
}
