//! The reference unfolding, and with it the relation on events, against the independent oracle and against itself.

mod common;

use common::{LARGE, Related, complaint, is_binding, machine, ordered_barriers, recorded, unfold};
use selvedge_model::reference::{EventLabel, Unfolding, check_labels, count_traces};
use selvedge_model::toy::{Toy, ToyEnd, random_toy};

/// The relation without what only tells whether a condition variable is used with two mutexes: the independent oracle has
/// nothing against that.
fn oracles(a: &EventLabel, b: &EventLabel) -> bool {
    let shared = |object, x: selvedge_model::Effect, y| !is_binding(object) && x.dependent(y);
    a.same_thread(b) || a.names(b) || a.share(b, shared)
}

fn traces(name: &str, toy: &Toy, related: Related) -> u64 {
    let unfolding = unfold(toy, LARGE, related).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    unfolding.maximal().count() as u64
}

#[test]
fn there_are_as_many_maximal_configurations_as_the_oracle_has_traces() {
    let (mut equal, mut coarser) = (0, 0);
    for (name, program) in recorded() {
        let toy = Toy::from_json(&program).expect("a toy");
        let (ours, theirs) = (
            traces(&name, &toy, &oracles),
            program["expect"]["traces"].as_u64(),
        );
        let theirs = theirs.expect("a count");
        if program["threads"].to_string().contains("\"barrier\"") {
            // The oracle looks whether the order of arrivals matters; we always keep it.
            assert!(ours >= theirs, "{name}: {ours} for {theirs}");
            coarser += usize::from(ours > theirs);
        } else {
            assert_eq!(ours, theirs, "{name}: {program}");
        }
        equal += usize::from(ours == theirs);
    }
    assert_eq!((equal, coarser), (416, 33));
}

/// The toys that the test above cannot count, with results that make the order of arrivals matter.
#[test]
fn where_the_order_of_arrivals_matters_the_oracle_has_as_many_traces() {
    for (name, program) in ordered_barriers() {
        let toy = Toy::from_json(&program).expect("a toy");
        let theirs = program["expect"]["traces"].as_u64();
        assert_eq!(Some(traces(&name, &toy, &oracles)), theirs, "{name}: {program}");
    }
}

#[test]
fn random_toys_have_the_traces_and_ends_found_without_events() {
    for seed in 0..1_500 {
        let toy = random_toy(seed);
        let what = complaint(&toy, 1_500, &EventLabel::dependent);
        assert_eq!(what, None, "seed {seed}: {}", toy.to_json());
        let Ok(unfolding) = unfold(&toy, 1_500, &EventLabel::dependent) else {
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
    for seed in 0..3_000 {
        let toy = random_toy(seed);
        if let Ok(bad) = check_labels(&mut machine(&toy), 3_000, EventLabel::dependent) {
            assert!(bad.is_empty(), "seed {seed}: {:#?}\n{}", bad[0], toy.to_json());
        }
    }
}

/// What follows from the definitions.
fn hold(name: &str, unfolding: &Unfolding<ToyEnd>) {
    let events = unfolding.events();
    for (e, event) in events.iter().enumerate() {
        assert!(
            !event.conflicts.contains(e),
            "{name}: {} excludes itself",
            event.label
        );
        assert!(
            !event.conflicts.meets(&event.causes),
            "{name}: {} excludes a cause",
            event.label
        );
        assert!(
            unfolding.configuration(&unfolding.local(e)).is_some(),
            "{name}: {}",
            event.label
        );
        assert_eq!(
            unfolding.by_name(event.name),
            Some(e),
            "{name}: two events have one name"
        );
        for other in event.conflicts.iter() {
            assert!(
                events[other].conflicts.contains(e),
                "{name}: conflict is symmetric"
            );
            let immediate = unfolding.local(e).iter().any(|x| {
                let below = unfolding.local(other);
                below.iter().any(|y| unfolding.immediate_conflict(x, y))
            });
            assert!(immediate, "{name}: conflict comes from an immediate one");
        }
    }
    for configuration in unfolding.configurations() {
        let c = &configuration.events;
        assert!(unfolding.is_configuration(c), "{name}: {}", unfolding.show(c));
        let extensions = unfolding.extensions(c);
        assert!(configuration.enabled.is_subset(&extensions), "{name}");
        for e in extensions.iter() {
            assert!(events[e].causes.is_subset(c), "{name}");
            let compatible = configuration.enabled.contains(e);
            assert_eq!(
                compatible,
                !events[e].conflicts.meets(c),
                "{name}: {}",
                events[e].label
            );
            assert_eq!(compatible, unfolding.is_configuration(&c.with(e)), "{name}");
        }
        // Every event whose causes are there is an extension.
        let missing = (0..events.len())
            .find(|&e| !c.contains(e) && !extensions.contains(e) && events[e].causes.is_subset(c));
        assert_eq!(missing, None, "{name}: extensions of {}", unfolding.show(c));
    }
}

#[test]
fn the_definitions_agree() {
    let mut whole = 0;
    for seed in 3_000..4_000 {
        if let Ok(unfolding) = unfold(&random_toy(seed), 150, &EventLabel::dependent) {
            hold(&format!("seed {seed}"), &unfolding);
            whole += 1;
        }
    }
    assert!(whole > 400, "{whole}");
}
