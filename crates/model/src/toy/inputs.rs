//! Small random toys with inputs: data choices that belong to actions, besides atomic blocks and
//! the other operations of toys.

use super::generate::{endless, random_toy};
use super::mixed::mixed_toy;
use super::program::{Operand, Toy, ToyOp};
use fastrand::Rng;

/// A small random toy with inputs, each of which only its thread decides. The same seed gives the
/// same toy. Those with seeds 2 and 3 modulo 4 are made of [mixed toys](mixed_toy).
pub fn input_toy(seed: u64) -> Toy {
    with_inputs(seed, false)
}

/// A small random toy in which inputs are written to memory before they are decided, so that
/// several threads decide on one. The same seed gives the same toy.
pub fn sharing_toy(seed: u64) -> Toy {
    with_inputs(seed, true)
}

/// A small random toy with inputs, and some of its threads run for ever, or until an exchange on an
/// input succeeds. The same seed gives the same toy.
pub fn endless_input_toy(seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed ^ 0x3c6e_f372);
    let mut toy = input_toy(seed);
    if rng.bool() {
        return endless(toy, seed);
    }
    let t = rng.usize(0..toy.threads.len());
    let ops = &mut toy.threads[t];
    let at = ops.iter().take_while(|op| matches!(op, ToyOp::Spawn(_))).count();
    ops.truncate(at + 2);
    let (x, i, q) = ("x".to_owned(), "i".to_owned(), "q".to_owned());
    let again = ops.len();
    ops.extend([
        ToyOp::Input(2, i.clone()),
        ToyOp::Cas(x, Operand::Register(i), Operand::Number(1), q.clone()),
        ToyOp::If(q, 1, 1),
        ToyOp::Goto(again),
    ]);
    toy
}

fn with_inputs(seed: u64, shares: bool) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6a09_e667);
    let mut toy = match seed % 4 {
        0 | 1 => random_toy(seed),
        _ => mixed_toy(seed),
    };
    (toy.shares, toy.adds) = (shares, false);
    if shares {
        // A toy's futex wait compares numbers only, and so does who claims a variable. A channel
        // of a toy holds numbers only.
        let needs_a_number = |op: &ToyOp| {
            matches!(
                op,
                ToyOp::FutexWait(..)
                    | ToyOp::FutexTimedWait(..)
                    | ToyOp::Claim(..)
                    | ToyOp::Send(..)
                    | ToyOp::TrySend(..)
            )
        };
        toy.threads
            .iter_mut()
            .for_each(|ops| ops.retain(|op| !needs_a_number(op)));
    }
    // Fewer threads, and fewer operations for each, because the additions make many executions.
    let most = if toy.threads.len() > 2 { 2 } else { 3 };
    for ops in &mut toy.threads {
        for _ in 0..4 * ops.len() {
            if ops.len() <= most {
                break;
            }
            let at = rng.usize(0..ops.len());
            let stays = match ops[at] {
                ToyOp::Spawn(_) => rng.usize(0..4) > 0,
                // Which thread joins which decides how threads are numbered.
                ToyOp::Join(_) => true,
                _ => false,
            };
            if !stays {
                ops.remove(at);
            }
        }
    }
    let count = toy.threads.len();
    for _ in 0..rng.usize(1..=2) {
        let t = rng.usize(0..count);
        insert(&mut toy.threads[t], input(&mut rng, shares), &mut rng);
    }
    for _ in 0..rng.usize(1..=2) {
        let t = rng.usize(0..count);
        insert(&mut toy.threads[t], access(&mut rng), &mut rng);
    }
    if rng.usize(0..3) == 0 {
        for _ in 0..rng.usize(1..=2) {
            let t = rng.usize(0..count);
            let block = vec![ToyOp::Atomic(rng.usize(0..=3))];
            insert(&mut toy.threads[t], block, &mut rng);
        }
    }
    toy
}

/// Inserts operations among those of a thread, after its creations of threads.
fn insert(ops: &mut Vec<ToyOp>, more: Vec<ToyOp>, rng: &mut Rng) {
    let first = ops.iter().rposition(|op| matches!(op, ToyOp::Spawn(_)));
    let at = rng.usize(first.map_or(0, |at| at + 1)..=ops.len());
    ops.splice(at..at, more);
}

/// Requests an input and uses it.
fn input(rng: &mut Rng, shares: bool) -> Vec<ToyOp> {
    use ToyOp::*;
    let i = rng.choice(["i", "j"]).unwrap_or("i").to_owned();
    let r = rng.choice(["r", "q"]).unwrap_or("r").to_owned();
    let x = rng.choice(["x", "x", "y"]).unwrap_or("x").to_owned();
    let n = rng.i32(0..=2);
    let k = rng.u16(2..=3);
    let mine = || Operand::Register(i.clone());
    let first = Input(k, i.clone());
    match rng.usize(0..10) {
        0..3 => vec![first, Cas(x, mine(), Operand::Number(n), r)],
        3 => vec![
            first,
            Cas(x.clone(), mine(), Operand::Number(n), r.clone()),
            If(r, 1, 1),
            Write(x, Operand::Number(2)),
        ],
        4 => vec![first, Cas(x, mine(), Operand::Number(n), r.clone()), Assert(r, 1)],
        5 => vec![first, Add(x, mine(), Some(r))],
        6 if !shares => vec![first, Cas(x, Operand::Number(0), mine(), r)],
        6 | 7 => vec![first, Write(x, mine())],
        8 => vec![first, If(i, n, 1), Write(x, Operand::Number(1))],
        // The same input again, at another place.
        _ => vec![
            first,
            Cas("x".to_owned(), mine(), Operand::Number(n), r.clone()),
            Cas("y".to_owned(), mine(), Operand::Number(1), r),
        ],
    }
}

/// An access to a variable about which other threads decide.
fn access(rng: &mut Rng) -> Vec<ToyOp> {
    use ToyOp::*;
    let r = rng.choice(["r", "q"]).unwrap_or("r").to_owned();
    let x = rng.choice(["x", "x", "y"]).unwrap_or("x").to_owned();
    let number = |n| Operand::Number(n);
    match rng.usize(0..8) {
        0 | 1 => vec![Read(x, r)],
        2 => vec![Write(x, number(rng.i32(0..=2)))],
        3 => vec![Add(x, number(1), None)],
        4 => vec![Cas(x, number(rng.i32(0..=1)), number(rng.i32(1..=2)), r)],
        5 => vec![Read(x, r.clone()), Assert(r, rng.i32(0..=1))],
        6 => vec![Read(x, r.clone()), If(r, 0, 1), Write("y".to_owned(), number(1))],
        _ => vec![Cas(x, number(0), number(1), r.clone()), Assert(r, 1)],
    }
}
