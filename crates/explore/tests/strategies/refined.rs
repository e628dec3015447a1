//! Relations that refine the tables by the uses themselves, under `dpor` and `unfold`: what is
//! called independent is explored in one order only, and nothing is lost.

use crate::common::{Collector, Seen, asserts, never, run, truth};
use selvedge_base::usual_or_long;
use selvedge_explore::dpor::Weaken;
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Order, Report};
use selvedge_model::reference::check_dependence;
use selvedge_model::toy::{Operand, Toy, ToyMachine, ToyOp, input_toy, random_toy, shrink, waking_toy};
use selvedge_model::{Action, Conflict, Dependence, Effect, Op, OpClass, StopReason, Use};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Mutex;

/// What the relations here say no to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum No {
    /// Nothing: each use is looked at, and the tables hold.
    Never,
    /// Two writes of one number to a variable: they commute.
    EqualWrites,
    /// A mistake: a write of a number and a read, too.
    Reads,
}

struct Refined {
    no: No,
    /// By statement the number that it writes.
    numbers: BTreeMap<u32, i32>,
}

impl Refined {
    fn of(toy: &Toy, no: No) -> Refined {
        let mut numbers = BTreeMap::new();
        for (t, ops) in toy.threads.iter().enumerate() {
            for (pc, op) in ops.iter().enumerate() {
                if let ToyOp::Write(_, Operand::Number(n)) = op {
                    numbers.insert((t as u32) << 16 | pc as u32, *n);
                }
            }
        }
        Refined { no, numbers }
    }

    fn number(&self, action: &Action) -> Option<i32> {
        let number = self.numbers.get(&action.stmt.0).copied();
        number.filter(|_| action.op == Op::Write)
    }
}

impl Dependence for Refined {
    fn dependent_classes(&self, class: OpClass) -> u32 {
        Conflict.dependent_classes(class)
    }
    fn racing_classes(&self, class: OpClass) -> u32 {
        Conflict.racing_classes(class)
    }
    fn dependent_effects(&self, effect: Effect) -> u32 {
        Conflict.dependent_effects(effect)
    }
    fn refines(&self) -> bool {
        true
    }
    fn refine(&self, a: &Use<'_>, b: &Use<'_>) -> bool {
        let (one, other) = (self.number(a.action), self.number(b.action));
        // Accesses use blocks, and the end of their thread, as well.
        let of_memory = a.object == a.action.object.0 & !7;
        let read = |used: &Use<'_>| used.action.op == Op::Read;
        let no = match self.no {
            No::Never => false,
            No::EqualWrites => one.is_some() && one == other,
            No::Reads => one.is_some() && read(b) || other.is_some() && read(a),
        };
        !(of_memory && no)
    }
}

/// Without cutoffs: what an event adds to a state's fingerprint must not depend on what it is
/// independent of, and the second write of a number changes nothing.
fn by_unfold(toy: &Toy, relation: Rc<dyn Dependence>, config: &Config) -> (Seen, Report) {
    let seen = Mutex::new(Seen::default());
    let make = || {
        let machine = ToyMachine::new(toy).expect("a toy that compiles");
        let collector = Collector {
            seen: &seen,
            trace: None,
            length: 0,
        };
        (machine, collector)
    };
    let config = Config {
        cutoffs: false,
        ..config.clone()
    };
    let report = unfold::explore_with(&make, relation, &config, &Control::new());
    (seen.into_inner().expect("no panic"), report)
}

fn by_dpor<P: Dependence + Sync>(toy: &Toy, relation: &P, config: &Config) -> (Seen, Report) {
    run(toy, false, relation, config, Weaken::Nothing)
}

/// How many executions there were, if all; what is wrong with what they came to.
fn executions(toy: &Toy, (seen, report): (Seen, Report)) -> Result<Option<u64>, String> {
    let Some((ends, failed)) = truth(toy) else {
        return Ok(None);
    };
    if report.stop != StopReason::Complete || !report.limits.is_empty() {
        return Ok(None);
    }
    if seen.ends != ends || asserts(&report) != failed {
        return Err(format!("{:?}, expected {ends:?}", seen.ends));
    }
    Ok(Some(report.statistics.executions))
}

fn hold(name: &str, toy: &Toy, explored: impl Fn(&Toy) -> (Seen, Report)) -> Option<u64> {
    executions(toy, explored(toy)).unwrap_or_else(|what| {
        let fails = |toy: &Toy| ToyMachine::new(toy).is_ok() && executions(toy, explored(toy)).is_err();
        panic!("{name}: {what}\nsmallest: {}", shrink(toy, fails).to_json());
    })
}

fn config(seed: u64) -> Config {
    Config {
        max_executions: Some(400),
        sleep_sets: seed % 3 < 2,
        partial: [Partial::Last(1), Partial::All][seed as usize % 2],
        order: [Order::DepthFirst, Order::Random][seed as usize / 2 % 2],
        ..never()
    }
}

/// Toys in which a number is written more than once.
fn toy(seed: u64) -> Toy {
    let mut toy = match seed % 5 {
        0 | 1 => input_toy(seed),
        2 | 3 => random_toy(seed),
        _ => waking_toy(seed),
    };
    for (t, ops) in toy.threads.iter_mut().enumerate() {
        if (seed as usize + t) % 3 < 2 {
            let at = ops.iter().rposition(|op| matches!(op, ToyOp::Spawn(_)));
            let write = ToyOp::Write("x".to_owned(), Operand::Number(1));
            ops.insert(at.map_or(0, |at| at + 1), write);
        }
    }
    toy
}

#[test]
fn writes_of_one_number_commute() {
    for seed in 0..usual_or_long(250, 500) {
        let toy = toy(seed);
        let relation = Refined::of(&toy, No::EqualWrites);
        let mut machine = ToyMachine::new(&toy).expect("compiles");
        if let Ok(bad) = check_dependence(&mut machine, 1_000, |a, b| relation.dependent(a, b)) {
            assert!(bad.is_empty(), "seed {seed}: {:?}\n{}", bad[0], toy.to_json());
        }
    }
}

#[test]
fn fewer_executions_come_to_the_same_ends() {
    let (mut fewer, mut compared) = ([0, 0], [0, 0]);
    for seed in 0..usual_or_long(300, 800) {
        let (toy, config) = (toy(seed), config(seed));
        let refined = |toy: &Toy| Refined::of(toy, No::EqualWrites);
        let name = |by| format!("{by}, seed {seed}");
        let dpor = (
            hold(&name("dpor"), &toy, |toy| by_dpor(toy, &refined(toy), &config)),
            hold(&name("dpor"), &toy, |toy| by_dpor(toy, &Conflict, &config)),
            config.sleep_sets,
        );
        let unfold = |relation: fn(&Toy) -> Rc<dyn Dependence>| {
            hold(&name("unfold"), &toy, |toy| {
                by_unfold(toy, relation(toy), &config)
            })
        };
        let unfold = (
            unfold(|toy| Rc::new(Refined::of(toy, No::EqualWrites))),
            unfold(|_| Rc::new(Conflict)),
            true,
        );
        for (by, (refined, whole, once)) in [dpor, unfold].into_iter().enumerate() {
            if let (Some(refined), Some(whole), true) = (refined, whole, once) {
                assert!(refined <= whole, "seed {seed}: {}", toy.to_json());
                compared[by] += 1;
                fewer[by] += usize::from(refined < whole);
            }
        }
    }
    assert!(fewer.iter().all(|&n| n > 25), "{fewer:?} fewer of {compared:?}");
}

/// Where each use is looked at and the tables hold, there are as many executions as without.
#[test]
fn looking_at_each_use_changes_nothing() {
    for seed in 0..usual_or_long(200, 500) {
        let (toy, config) = (toy(seed), config(seed));
        let count = |(seen, report)| executions(&toy, (seen, report)).expect("nothing is lost");
        let never = || Refined::of(&toy, No::Never);
        if config.sleep_sets {
            let (whole, same) = (
                by_dpor(&toy, &Conflict, &config),
                by_dpor(&toy, &never(), &config),
            );
            let (whole, same) = (count(whole), count(same));
            assert_eq!(whole, same, "dpor, seed {seed}: {}", toy.to_json());
        }
        let whole = count(by_unfold(&toy, Rc::new(Conflict), &config));
        let same = count(by_unfold(&toy, Rc::new(never()), &config));
        assert_eq!(whole, same, "unfold, seed {seed}: {}", toy.to_json());
    }
}

/// An oracle counts only once it was seen to fail.
#[test]
fn a_refinement_that_says_no_too_often_is_noticed() {
    let mut noticed = [false, false];
    for seed in 0..300 {
        let (toy, config) = (toy(seed), config(seed));
        let wrong = || Refined::of(&toy, No::Reads);
        noticed[0] |= executions(&toy, by_dpor(&toy, &wrong(), &config)).is_err();
        noticed[1] |= executions(&toy, by_unfold(&toy, Rc::new(wrong()), &config)).is_err();
    }
    assert_eq!(noticed, [true, true]);
}
