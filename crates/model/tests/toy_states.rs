//! Fingerprints and kept states of toys.

use selvedge_base::usual_or_long;
use selvedge_model::reference::{Inspect, TooLarge};
use selvedge_model::toy::{Toy, ToyMachine, endless, endless_input_toy, input_toy, mixed_toy, random_toy};
use selvedge_model::{Choice, Fingerprint, Machine, Snapshot, Undo};
use std::collections::HashMap;

/// All choices of the present state.
fn choices(machine: &ToyMachine) -> Vec<Choice> {
    let threads = machine.pending().iter().zip(0..).filter(|(p, _)| p.is_enabled());
    threads
        .flat_map(|(p, t)| (0..p.alternatives).map(move |alternative| (t, alternative)))
        .map(|(t, alternative)| Choice {
            thread: selvedge_base::ThreadId(t),
            alternative,
        })
        .collect()
}

/// Calls `visit` in every reachable state, told apart by their memory alone.
fn everywhere(
    machine: &mut ToyMachine,
    limit: usize,
    mut visit: impl FnMut(&mut ToyMachine),
) -> Result<usize, TooLarge> {
    let start = machine.save();
    let mut seen = std::collections::HashSet::from([machine.state().0]);
    let mut todo = vec![start];
    while let Some(state) = todo.pop() {
        machine.restore(&state);
        visit(machine);
        machine.restore(&state);
        for choice in choices(machine) {
            let mark = machine.mark();
            machine.step(choice);
            if seen.insert(machine.state().0) {
                todo.push(machine.save());
            }
            machine.undo(mark);
        }
        if seen.len() > limit {
            return Err(TooLarge);
        }
    }
    Ok(seen.len())
}

/// Every state's fingerprint is the one from scratch, by steps forth and back; no two states share
/// one.
fn hold(name: &str, toy: &Toy) -> Option<usize> {
    let mut machine = ToyMachine::new(toy).expect("a toy that compiles");
    let mut states = HashMap::new();
    everywhere(&mut machine, 3_000, |machine| {
        let here = machine.fingerprint();
        assert_eq!(here, machine.fingerprint_from_scratch(), "{name}");
        let other = states.insert(here, machine.state().0);
        assert_eq!(other, None, "{name}: another state's fingerprint");
        for choice in choices(machine) {
            let mark = machine.mark();
            machine.step(choice);
            let there = machine.fingerprint();
            assert_eq!(there, machine.fingerprint_from_scratch(), "{name}: {choice:?}");
            assert_eq!(there, here.with(machine.delta()), "{name}: {choice:?}");
            machine.undo(mark);
            assert_eq!(machine.fingerprint(), here, "{name}: back from {choice:?}");
        }
    })
    .ok()
}

#[test]
fn states_and_fingerprints_are_one_to_one() {
    let mut whole = 0;
    for seed in 0..usual_or_long(600, 1_500) {
        whole += usize::from(hold(&format!("seed {seed}"), &random_toy(seed)).is_some());
        whole += usize::from(hold(&format!("mixed seed {seed}"), &mixed_toy(seed)).is_some());
    }
    for seed in 0..usual_or_long(600, 1_500) {
        whole += usize::from(hold(&format!("input seed {seed}"), &input_toy(seed)).is_some());
    }
    assert!(whole > 1_600, "only {whole} were small enough");
}

#[test]
fn endless_toys_have_finitely_many_states() {
    let mut whole = 0;
    for seed in 2_000..2_300 {
        whole += usize::from(hold(&format!("seed {seed}"), &endless(random_toy(seed), seed)).is_some());
        whole += usize::from(hold(&format!("input seed {seed}"), &endless_input_toy(seed)).is_some());
    }
    assert!(whole > 450, "only {whole} were small enough");
    let ring = r#"{"sems": {"s": 1, "t": 0}, "threads": [[["sem_wait", "s"], ["sem_post", "t"], ["goto", 0]],
        [["sem_wait", "t"], ["sem_post", "s"], ["goto", 0]]]}"#;
    let ring = Toy::parse(ring).expect("a toy");
    assert_eq!(hold("ring", &ring), Some(4), "a ring of semaphores");
}

#[test]
fn weak_fingerprints_collide() {
    let adds = r#"[["add", "x", 1], ["add", "x", 1], ["read", "x", "r"]]"#;
    let toy = format!(r#"{{"vars": {{"x": 0}}, "threads": [{adds}, {adds}]}}"#);
    let machine = ToyMachine::new(&Toy::parse(&toy).expect("a toy")).expect("a toy that compiles");
    for bits in [3, 128] {
        let mut machine = machine.clone().with_weak_fingerprints(bits);
        let mut seen = std::collections::HashSet::new();
        let states = everywhere(&mut machine, 3_000, |machine| {
            assert_eq!(machine.fingerprint(), machine.fingerprint_from_scratch());
            seen.insert(machine.fingerprint());
        });
        let states = states.expect("few states");
        assert!(states > 20, "{states} states");
        if bits == 3 {
            assert!(seen.len() <= 8, "{} fingerprints of 3 bits", seen.len());
        } else {
            assert_eq!(seen.len(), states);
        }
    }
}
