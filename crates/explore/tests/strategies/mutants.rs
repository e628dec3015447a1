//! An oracle counts only once it was seen to fail: each pair of dependent classes is dropped in
//! turn, and each part of the algorithm left out, and some random toy has to notice. `--nocapture`
//! prints the list.

use crate::common::{asserts, never, run, truth};
use selvedge_explore::Config;
use selvedge_explore::dpor::Weaken;
use selvedge_model::toy::{Toy, ToyEnd, mixed_toy, random_toy};
use selvedge_model::{Conflict, Dependence, Effect, OpClass, StopReason};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// `Conflict` without one pair.
struct Without(OpClass, OpClass);

impl Without {
    fn keep(&self, class: OpClass, classes: u32) -> u32 {
        let dropped =
            if class == self.0 { self.1.bit() } else { 0 } | if class == self.1 { self.0.bit() } else { 0 };
        classes & !dropped
    }
}

impl Dependence for Without {
    fn dependent_classes(&self, class: OpClass) -> u32 {
        self.keep(class, Conflict.dependent_classes(class))
    }
    fn racing_classes(&self, class: OpClass) -> u32 {
        self.keep(class, Conflict.racing_classes(class))
    }
    fn dependent_effects(&self, effect: Effect) -> u32 {
        Conflict.dependent_effects(effect)
    }
}

/// A toy with its ends and failed assertions by brute force.
struct Known {
    seed: u64,
    toy: Toy,
    ends: BTreeSet<ToyEnd>,
    failed: BTreeSet<(u32, u32)>,
}

impl Known {
    /// `None` if the toy is too large, or nothing can change in it.
    fn of(seed: u64) -> Option<Known> {
        let toy = match seed {
            ..24_000 => random_toy(seed),
            _ => mixed_toy(seed),
        };
        let (ends, failed) = truth(&toy)?;
        (ends.len() + failed.len() > 1).then_some(Known {
            seed,
            toy,
            ends,
            failed,
        })
    }
}

/// Seeds of toys that noticed a mistake that few notice: they are tried first.
const NOTICING: [u64; 4] = [20_351, 20_472, 22_288, 24_028];

/// A toy that is made when it is needed first.
type Lazy = LazyLock<Option<Known>, Box<dyn FnOnce() -> Option<Known> + Send>>;

/// The tests share them.
static TOYS: LazyLock<Vec<Lazy>> = LazyLock::new(|| {
    let seeds = NOTICING.into_iter().chain(20_000..28_000);
    let lazy = |seed| Lazy::new(Box::new(move || Known::of(seed)));
    seeds.map(lazy).collect()
});

fn toys() -> impl Iterator<Item = &'static Known> {
    TOYS.iter().filter_map(|toy| toy.as_ref())
}

fn notices<P: Dependence + Sync>(
    Known {
        toy, ends, failed, ..
    }: &Known,
    relation: &P,
    sleep_sets: bool,
    weaken: Weaken,
) -> bool {
    let config = Config {
        sleep_sets,
        max_executions: Some(300),
        values_only: true,
        ..never()
    };
    let (seen, report) = run(toy, false, relation, &config, weaken);
    !matches!(report.stop, StopReason::Limit(_)) && (seen.ends != *ends || asserts(&report) != *failed)
}

/// Pairs that toys cannot tell: no toy has the operation, or the pair is implied by others on every
/// path.
#[rustfmt::skip]
const UNSEEN: &[(OpClass, OpClass)] = {
    use OpClass::*;
    &[
        // In toys two joins or cancellations of a thread make no difference to each other, nor a
        // join to what cancels; a thread ends once, and who uses it in another way than joins and
        // cancellations is the thread itself.
        (Join, Join), (Join, Cancel), (Cancel, Cancel), (Join, Total), (Exit, Total), (Exit, Exit),
        // What these order is ordered already by the takings between them, or is never enabled
        // together: without them only the counts change.
        (Release, Release), (Release, ReleaseShared), (Release, AcquireShared), (Acquire, ReleaseShared),
        (Acquire, Release),
        // A join that is not ordered behind the end only asks for orders that there are not.
        (Join, Exit),
    ]
};

#[test]
fn every_dropped_pair_is_noticed() {
    let mut unnoticed = Vec::new();
    for (i, &a) in OpClass::ALL.iter().enumerate() {
        for &b in &OpClass::ALL[i..] {
            if !a.dependent(b) || !same_family(a, b) || UNSEEN.contains(&(a, b)) {
                continue;
            }
            match toys().find(|toy| notices(toy, &Without(a, b), true, Weaken::Nothing)) {
                Some(by) => println!("without {a:?}-{b:?}: noticed by toy {}", by.seed),
                None => unnoticed.push((a, b)),
            }
        }
    }
    assert_eq!(unnoticed, []);
}

/// A pair without which nothing is lost but more is explored: what it orders can never be reversed.
#[test]
fn a_dropped_pair_of_which_never_both_are_enabled_is_noticed_in_the_counts() {
    use OpClass::*;
    let config = Config {
        max_executions: Some(2000),
        ..never()
    };
    let explored = |toy: &Toy, relation: &dyn Fn(&Toy) -> selvedge_explore::Report| {
        let statistics = relation(toy).statistics;
        (statistics.executions, statistics.redundant_executions)
    };
    let (a, b) = (Acquire, Release);
    let noticed = toys().any(|Known { toy, .. }| {
        let whole = explored(toy, &|toy| run(toy, false, &Conflict, &config, Weaken::Nothing).1);
        let without = explored(toy, &|toy| {
            run(toy, false, &Without(a, b), &config, Weaken::Nothing).1
        });
        whole != without
    });
    assert!(noticed, "dropping {a:?}-{b:?} changes no count");
}

/// Whether one kind of object is used in both classes.
fn same_family(a: OpClass, b: OpClass) -> bool {
    use OpClass::*;
    let families: [&[OpClass]; 6] = [
        &[Read, Write],
        &[Acquire, Release, Try, AcquireShared, ReleaseShared],
        &[Wait, Notified, Notify],
        &[Arrive, Leave],
        &[Post, Take, Value],
        &[Join, Exit, Cancel, Total],
    ];
    families
        .iter()
        .any(|family| family.contains(&a) && family.contains(&b))
}

/// Not in the list, for no toy notices them: `AddAll` (without sleep sets, where nothing leads to a
/// blocked action), and `OldPending` (a thread that begins a timed wait moves on at once, so its
/// time-out is always tried before a signal).
#[test]
fn every_omission_is_noticed() {
    let omissions = [
        (Weaken::Wakeups, true),
        (Weaken::BlockedSearch, true),
        (Weaken::Alternatives, true),
        (Weaken::OwnSearch, true),
        (Weaken::AnyOutcome, true),
        (Weaken::AsleepOutcome, true),
        (Weaken::AnyTry, true),
        (Weaken::SignalOutcome, true),
        (Weaken::AnySilent, true),
        (Weaken::AsleepSilent, true),
        (Weaken::BlockedSearch, false),
        (Weaken::Alternatives, false),
    ];
    let mut unnoticed = Vec::new();
    for (weaken, sleep_sets) in omissions {
        match toys().find(|toy| notices(toy, &Conflict, sleep_sets, weaken)) {
            Some(by) => println!("{weaken:?}, sleep sets {sleep_sets}: noticed by toy {}", by.seed),
            None => unnoticed.push((weaken, sleep_sets)),
        }
    }
    assert_eq!(unnoticed, []);
}
