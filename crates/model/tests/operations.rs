//! The table of operations: its columns fit each other, each operation has a toy, and each row
//! matters.

mod common;

use common::machine;
use selvedge_base::usual_or_long;
use selvedge_model::reference::{EventLabel, check_labels};
use selvedge_model::toy::{Toy, input_toy, mixed_toy, random_toy};
use selvedge_model::{Choice, Effect, Needs, ObjectId, Op, OpClass, Pending, Synchronises, Undo};
use std::collections::BTreeSet;
use std::path::Path;

/// An operation, why it is in a list, and the program or test that shows what it does instead.
type Exception = (Op, &'static str, &'static str);

/// Operations that no toy has.
#[rustfmt::skip]
const WITHOUT_TOY: &[Exception] = &[
    (Op::ProcessExit, "toys end with their threads", "corpus/c/safe/exit_while_another_waits.c"),
    (Op::BadUnlock, "who gives a lock back has it", "corpus/c/pthread/unlock_by_stranger.c"),
    (Op::OnceDone, "a toy's routine is empty", "corpus/c/safe/once.c"),
    (Op::OwnerDied, "no robust mutexes", "corpus/c/safe/mutex_robust_owner_exits.c"),
    (Op::Consistent, "no robust mutexes", "corpus/c/safe/mutex_robust_not_recoverable.c"),
    (Op::HiddenWait, "no files", "corpus/c/deadlock/pipe_never_written.c"),
    (Op::Look, "no files", "corpus/c/safe/pipe_producer_consumer.c"),
];

/// Operations whose dependences toys do not show.
const UNNOTICED: &[Exception] = &[
    (
        Op::BarrierLeave,
        "it depends on the beginning and the end of a barrier, which no toy has while it is in use",
        "corpus/c/safe/barrier_rounds.c",
    ),
    (
        Op::FutexWoken,
        "who wakes it names it, and no toy ends a queue",
        "corpus/c/deadlock/futex_woken_too_early.c",
    ),
    (
        Op::Hidden,
        "in toys it only changes whether its own thread can be cancelled",
        "corpus/c/safe/pipe_both_directions.c",
    ),
];

fn toys() -> impl Iterator<Item = Toy> {
    (0..usual_or_long(1_000, 2_000))
        .flat_map(|n| [random_toy(20_000 + n), mixed_toy(24_000 + n), input_toy(n)])
}

/// Adds the pending operations along some executions of a toy.
fn met(machine: &mut impl Undo, ops: &mut BTreeSet<Op>, depth: usize) {
    ops.extend(machine.pending().iter().map(|p| p.action.op));
    let enabled: Vec<Pending> = machine
        .pending()
        .iter()
        .copied()
        .filter(Pending::is_enabled)
        .collect();
    for (number, pending) in enabled.iter().enumerate() {
        // All at the begin, then one after the other.
        if depth > 3 && number != depth % enabled.len() {
            continue;
        }
        for alternative in 0..pending.alternatives {
            let mark = machine.mark();
            let event = machine.step(Choice {
                thread: pending.action.thread,
                alternative,
            });
            ops.insert(event.action.op);
            if depth < 14 {
                met(machine, ops, depth + 1);
            }
            machine.undo(mark);
        }
    }
}

#[test]
fn each_operation_has_a_toy() {
    let mut ops = BTreeSet::new();
    let missing = |ops: &BTreeSet<Op>| {
        let named = |op: &&Op| WITHOUT_TOY.iter().any(|(other, ..)| other == *op);
        Op::ALL
            .iter()
            .filter(|op| !named(op) && !ops.contains(op))
            .copied()
            .collect::<Vec<_>>()
    };
    for toy in toys() {
        met(&mut machine(&toy), &mut ops, 0);
        if missing(&ops).is_empty() {
            break;
        }
    }
    assert_eq!(missing(&ops), []);
    let toyless = WITHOUT_TOY.iter().filter(|(op, ..)| ops.contains(op));
    assert_eq!(toyless.count(), 0, "they have a toy now");
    for (op, _, shown) in WITHOUT_TOY.iter().chain(UNNOTICED) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(root.join(shown).exists(), "{op:?}: there is no {shown}");
    }
}

/// What a row's columns say of each other.
#[test]
fn the_columns_fit_each_other() {
    for &op in Op::ALL {
        let info = op.info();
        let uses = |class| info.class == class || info.class2 == class;
        // Who adds to happens-before through an object depends on its other users.
        let through_object = !matches!(info.synchronises, Synchronises::Nothing | Synchronises::Creation);
        assert!(!through_object || info.class != OpClass::Local, "{op:?}");
        // Who waits for others depends on them.
        let waits = matches!(info.needs, Needs::Object);
        assert!(!waits || info.class != OpClass::Local, "{op:?}");
        // Locks: the class follows from what is taken and given back.
        let lock = |class| match class {
            OpClass::Acquire => matches!(
                info.synchronises,
                Synchronises::Taken | Synchronises::TakenFromAll | Synchronises::WaitEnds
            ),
            OpClass::Release => {
                matches!(
                    info.synchronises,
                    Synchronises::GivenBack | Synchronises::WaitBegins
                )
            }
            OpClass::AcquireShared => info.synchronises == Synchronises::TakenShared,
            OpClass::ReleaseShared => info.synchronises == Synchronises::SharedGivenBack,
            OpClass::Take => info.synchronises == Synchronises::Take,
            OpClass::Post => info.synchronises == Synchronises::Post,
            OpClass::Notify => info.synchronises == Synchronises::Notification,
            OpClass::Arrive => info.synchronises == Synchronises::Arrival,
            OpClass::Leave => info.synchronises == Synchronises::Departure,
            _ => true,
        };
        assert!(lock(info.class) && lock(info.class2), "{op:?}");
        assert!(!uses(OpClass::Notify) || info.changes_pending, "{op:?}");
        assert!(!info.text.is_empty());
    }
}

/// True if an event uses an object, but not by its row: its thread ends or may be cancelled with
/// it, or atomic blocks may touch its memory.
fn is_beside(event: &EventLabel, object: u64) -> bool {
    let named = ObjectId(object);
    (named.as_thread().is_some() || named.as_blocks().is_some()) && event.action.object != named
}

/// Without the dependences of one operation, some toy contradicts the definition of dependence.
#[test]
fn each_row_matters() {
    let mut unnoticed: Vec<Op> = Op::ALL.to_vec();
    // They depend on nobody.
    unnoticed.retain(|op| {
        let info = op.info();
        let named = WITHOUT_TOY.iter().chain(UNNOTICED).any(|(other, ..)| other == op);
        info.class != OpClass::Local && !named
    });
    for toy in toys() {
        unnoticed.retain(|&op| {
            let lost = |x: &EventLabel, object| x.action.op == op && !is_beside(x, object);
            let without = |x: &EventLabel, y: &EventLabel| {
                let kept =
                    |object, a: Effect, b: Effect| a.dependent(b) && !lost(x, object) && !lost(y, object);
                x.same_thread(y) || x.names(y) || x.share(y, kept)
            };
            check_labels(&mut machine(&toy), 300, without).map_or(true, |bad| bad.is_empty())
        });
        if unnoticed.is_empty() {
            break;
        }
    }
    assert_eq!(unnoticed, []);
}
