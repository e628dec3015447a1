//! An oracle counts only once it was seen to fail: each pair of dependent effects is dropped in
//! turn, and some toy has to notice. `--nocapture` prints by what.

mod common;

use common::{complaint, is_binding, machine, recorded, unfold};
use selvedge_model::Effect;
use selvedge_model::reference::{EventLabel, check_labels};
use selvedge_model::toy::{Toy, mixed_toy, random_toy};

/// A changed relation: the labels, and whether the names of mutexes that a condition variable is
/// used with count.
type Changed<'a> = &'a dyn Fn(&EventLabel, &EventLabel, bool) -> bool;

/// The relation without one pair of effects.
fn without(a: Effect, b: Effect) -> impl Fn(&EventLabel, &EventLabel, bool) -> bool {
    move |x, y, bindings| {
        let kept = |object, one: Effect, other: Effect| {
            let dropped = (one, other) == (a, b) || (other, one) == (a, b);
            one.dependent(other) && !dropped && (bindings || !is_binding(object))
        };
        x.same_thread(y) || x.names(y) || x.share(y, kept)
    }
}

/// Toys with channels.
fn with_channels() -> impl Iterator<Item = Toy> {
    (0..400).map(|n| mixed_toy(24_006 + 8 * n))
}

struct Toys {
    /// Any.
    random: Vec<Toy>,
    /// With the number of traces that the independent oracle has.
    counted: Vec<(Toy, u64)>,
}

impl Toys {
    fn new() -> Toys {
        let counted = |(_, program): (String, serde_json::Value)| {
            let barrier = program["threads"].to_string().contains("\"barrier\"");
            let toy = Toy::from_json(&program).expect("a toy");
            (!barrier).then_some((toy, program["expect"]["traces"].as_u64()?))
        };
        Toys {
            random: (20_000..22_000).map(random_toy).chain(with_channels()).collect(),
            counted: recorded().into_iter().filter_map(counted).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Toy> {
        self.counted.iter().map(|(toy, _)| toy).chain(&self.random)
    }

    /// Whether Definition 1 is seen not to hold.
    fn contradict(&self, changed: Changed) -> bool {
        let related = |x: &EventLabel, y: &EventLabel| changed(x, y, true);
        self.all()
            .any(|toy| check_labels(&mut machine(toy), 1_000, related).is_ok_and(|bad| !bad.is_empty()))
    }

    /// Whether some toy has no unfolding, or one with other ends.
    fn refuse(&self, changed: Changed) -> bool {
        let related = |x: &EventLabel, y: &EventLabel| changed(x, y, true);
        self.all().any(|toy| complaint(toy, 300, &related).is_some())
    }

    /// Whether there are not as many maximal configurations as the independent oracle has traces.
    fn count_others(&self, changed: Changed) -> bool {
        let related = |x: &EventLabel, y: &EventLabel| changed(x, y, false);
        self.counted.iter().any(|(toy, traces)| {
            unfold(toy, 1_000, &related).is_ok_and(|u| u.maximal().count() as u64 != *traces)
        })
    }

    fn notice(&self, what: &str, changed: Changed) -> bool {
        let by = [Toys::refuse, Toys::contradict, Toys::count_others];
        let first = by.iter().position(|by| by(self, changed));
        let how = ["the unfolding", "Definition 1", "the count"];
        println!("{what}: noticed by {:?}", first.map(|first| how[first]));
        first.is_some()
    }
}

/// Pairs that toys cannot tell.
#[rustfmt::skip]
const UNSEEN: &[(Effect, Effect)] = {
    use Effect::*;
    &[
        // Who wakes a thread names it.
        (WaitOf, WakeOf), (WakeOf, WokenOf),
        // Whom the second one wakes began to wait behind the first one.
        (WakeAll, WakeAll),
        // A thread ends once.
        (Exit, Exit),
        // Who receives also uses the receivers' word, as all do that count as `Total`.
        (Received, Total),
    ]
};

#[test]
fn every_dropped_pair_is_noticed() {
    let toys = Toys::new();
    let mut unnoticed = Vec::new();
    for (i, &a) in Effect::ALL.iter().enumerate() {
        for &b in &Effect::ALL[i..] {
            let pair = a.dependent(b) && same_family(a, b) && !UNSEEN.contains(&(a, b));
            if pair && !toys.notice(&format!("without {a:?}-{b:?}"), &without(a, b)) {
                unnoticed.push((a, b));
            }
        }
    }
    assert_eq!(unnoticed, []);
}

#[test]
fn other_omissions_are_noticed() {
    let toys = Toys::new();
    let all = |_, a: Effect, b: Effect| a.dependent(b);
    assert!(toys.notice("nobody is named", &|x, y, _| x.same_thread(y) || x.share(y, all)));
    let blind = |label: &EventLabel| EventLabel {
        failed: false,
        ..label.clone()
    };
    // Coarser: only the counts tell.
    assert!(
        toys.count_others(&|x, y, bindings| without(Effect::Exit, Effect::Exit)(
            &blind(x),
            &blind(y),
            bindings
        ))
    );
    // The place of a channel is all that makes who sends and who receives dependent.
    let toys = Toys {
        random: with_channels().collect(),
        counted: Vec::new(),
    };
    let placeless = |object: u64, a: Effect, b: Effect| a.dependent(b) && object >> 48 == 0;
    assert!(toys.notice("without places", &|x, y, _| x.same_thread(y)
        || x.names(y)
        || x.share(y, placeless)));
}

/// Whether one kind of object is used in both ways.
fn same_family(a: Effect, b: Effect) -> bool {
    use Effect::*;
    let families: [&[Effect]; 8] = [
        &[Read, Write],
        &[Own, Share, Test],
        &[Wait, Wake, WakeAll, Lost],
        &[WaitOf, WakeOf, WokenOf],
        &[Arrive, Leave],
        &[Post, Take, Test],
        &[Join, Exit],
        &[Sent, Received, Total],
    ];
    families
        .iter()
        .any(|family| family.contains(&a) && family.contains(&b))
}
