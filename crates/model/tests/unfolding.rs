//! The reference unfolding, and with it the relation on events, against the independent oracle and
//! against itself.

mod common;

use common::{LARGE, Related, complaint, fresh, is_binding, machine, ordered_barriers, recorded, unfold};
use selvedge_base::usual_or_long;
use selvedge_model::reference::{EventLabel, Refused, Unfolding, check_labels, count_traces};
use selvedge_model::toy::{Toy, ToyEnd, input_toy, mixed_toy, random_toy, waking_toy};

/// The relation without what only tells whether a condition variable is used with two mutexes: the
/// independent oracle has nothing against that.
fn oracles(a: &EventLabel, b: &EventLabel) -> bool {
    let shared = |object, x: selvedge_model::Effect, y| !is_binding(object) && x.dependent(y);
    a.same_thread(b) || a.names(b) || a.share(b, shared)
}

/// How many maximal configurations a toy has; none if it is too large.
fn traces(name: &str, toy: &Toy, related: Related) -> Option<u64> {
    match unfold(toy, LARGE, related) {
        Ok(unfolding) => Some(unfolding.maximal().count() as u64),
        Err(Refused::TooLarge) => None,
        Err(Refused::Broken(what)) => panic!("{name}: {what}"),
    }
}

/// How many toys have as many maximal configurations as the oracle has traces, and how many have
/// more. Toys that are too large count as neither.
fn compare(toys: impl IntoIterator<Item = (String, serde_json::Value)>) -> (usize, usize) {
    let (mut equal, mut more) = (0, 0);
    for (name, program) in toys {
        let toy = Toy::from_json(&program).expect("a toy");
        let Some(ours) = traces(&name, &toy, &oracles) else {
            continue;
        };
        let theirs = program["expect"]["traces"].as_u64().expect("a count");
        // The oracle looks whether the order of arrivals at a barrier matters; we always keep it.
        let barrier = program["threads"].to_string().contains("\"barrier\"");
        assert!(
            ours == theirs || barrier && ours > theirs,
            "{name}: {ours} for {program}"
        );
        equal += usize::from(ours == theirs);
        more += usize::from(ours > theirs);
    }
    (equal, more)
}

#[test]
fn there_are_as_many_maximal_configurations_as_the_oracle_has_traces() {
    assert_eq!(compare(recorded()), (416, 33));
    let fresh = fresh(50);
    let count = fresh.len();
    let (equal, more) = compare(fresh);
    assert!(equal + more >= count * 9 / 10, "{equal} + {more} of {count}");
}

/// The toys that the test above cannot count, with results that make the order of arrivals matter.
#[test]
fn where_the_order_of_arrivals_matters_the_oracle_has_as_many_traces() {
    for (name, program) in ordered_barriers() {
        let toy = Toy::from_json(&program).expect("a toy");
        let theirs = program["expect"]["traces"].as_u64();
        assert_eq!(traces(&name, &toy, &oracles), theirs, "{name}: {program}");
    }
}

#[test]
fn random_toys_have_the_traces_and_ends_found_without_events() {
    for seed in 0..usual_or_long(150, 6_000) {
        let toy = match seed % 4 {
            0 => random_toy(seed / 4),
            1 => mixed_toy(seed / 4),
            2 => input_toy(seed / 4),
            _ => waking_toy(seed / 4),
        };
        let what = complaint(&toy, 1_000, &EventLabel::dependent);
        assert_eq!(what, None, "seed {seed}: {}", toy.to_json());
        let Ok(unfolding) = unfold(&toy, 1_000, &EventLabel::dependent) else {
            continue;
        };
        let traces = count_traces(&mut machine(&toy), LARGE, EventLabel::dependent);
        assert_eq!(
            Ok(unfolding.maximal().count()),
            traces,
            "seed {seed}: {}",
            toy.to_json()
        );
    }
}

#[test]
fn the_relation_keeps_definition_1() {
    for seed in 0..usual_or_long(400, 40_000) {
        let toy = match seed % 4 {
            0 => random_toy(seed / 4),
            1 => mixed_toy(seed),
            2 => input_toy(seed),
            _ => waking_toy(seed),
        };
        if let Ok(bad) = check_labels(&mut machine(&toy), 3_000, EventLabel::dependent) {
            assert!(bad.is_empty(), "seed {seed}: {:#?}\n{}", bad[0], toy.to_json());
        }
    }
}

/// Conflicts come from immediate ones, and extensions are what their definition says.
fn hold(name: &str, unfolding: &Unfolding<ToyEnd>) {
    let events = unfolding.events();
    for (e, event) in events.iter().enumerate() {
        for other in event.conflicts.iter() {
            let below = unfolding.local(other);
            let mut pairs = unfolding
                .local(e)
                .iter()
                .flat_map(|x| below.iter().map(move |y| (x, y)))
                .collect::<Vec<_>>();
            pairs.retain(|&(x, y)| unfolding.immediate_conflict(x, y));
            assert!(
                !pairs.is_empty(),
                "{name}: {} and {}",
                event.label,
                events[other].label
            );
        }
    }
    for configuration in unfolding.configurations() {
        let c = &configuration.events;
        let by_definition = |&e: &usize| !c.contains(e) && events[e].causes.is_subset(c);
        let extensions = (0..events.len()).filter(by_definition).collect();
        assert_eq!(
            unfolding.extensions(c),
            extensions,
            "{name}: extensions of {}",
            unfolding.show(c)
        );
        let conflicting = unfolding.conflicting_extensions(c);
        for e in extensions.iter() {
            let excluded = events[e].conflicts.meets(c);
            assert_eq!(conflicting.contains(e), excluded, "{name}: {}", events[e].label);
        }
    }
}

#[test]
fn the_definitions_agree() {
    let mut whole = 0;
    for seed in 3_000..3_000 + usual_or_long(400, 1_000) {
        if let Ok(unfolding) = unfold(&random_toy(seed), 120, &EventLabel::dependent) {
            hold(&format!("seed {seed}"), &unfolding);
            whole += 1;
        }
    }
    assert!(whole > 110, "{whole}");
}
