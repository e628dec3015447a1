//! Small random toys: with the families of the independent generator, and with those that only our
//! toys have.

use super::program::{Operand, Toy, ToyOp};
use fastrand::Rng;

/// The families of operations in a random toy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Families {
    Mutex,
    Condition,
    Semaphore,
    RwLock,
    Barrier,
    Memory,
    Data,
    Threads,
    Misc,
}

const ALL: [Families; 9] = {
    use Families::*;
    [
        Mutex, Condition, Semaphore, RwLock, Barrier, Memory, Data, Threads, Misc,
    ]
};

/// What blocks of operations are made from.
pub(super) struct Generator {
    pub rng: Rng,
    pub families: Vec<Families>,
}

/// A small random toy: two to four threads, up to nine visible operations in all per two threads.
/// Mostly well-formed: unlocks follow their locks, waits hold their mutex. The same seed gives the
/// same toy.
pub fn random_toy(seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x51ed_270b);
    let mut families = ALL.to_vec();
    rng.shuffle(&mut families);
    families.truncate(rng.usize(1..=3));
    let count = [2, 2, 3, 3, 3, 4][rng.usize(0..6)];
    let mut toy = Toy {
        weak: seed % 2 == 1,
        adds: seed / 2 % 2 == 1,
        ..Toy::default()
    };
    for x in ["x", "y"] {
        toy.vars.insert(x.to_owned(), 0);
    }
    toy.sems.insert("s".to_owned(), rng.i32(0..=1));
    toy.barriers.insert("b".to_owned(), rng.i32(2..=count as i32));
    let mut generator = Generator { rng, families };
    for _ in 0..count {
        let size = generator.rng.usize(1..=9 - count);
        let mut ops = Vec::new();
        while ops.len() < size {
            let family = generator.family();
            ops.extend(generator.block(family, 0));
        }
        toy.threads.push(ops);
    }
    if generator.families.contains(&Families::Threads) {
        generator.spawns(&mut toy);
    }
    toy
}

/// The toy, in which some threads run for ever: they go back at their end, or before. The same seed
/// gives the same toy. Toys that count upwards have too many states for brute force; others have
/// finitely many.
#[must_use]
pub fn endless(mut toy: Toy, seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed ^ 0x7f4a_7c15);
    let always = rng.usize(0..toy.threads.len().max(1));
    for (t, ops) in toy.threads.iter_mut().enumerate() {
        // A thread that is created again blocks, so such loops are of no use.
        let spawns = ops.iter().take_while(|op| matches!(op, ToyOp::Spawn(_))).count();
        if t == always || rng.bool() {
            let to = rng
                .usize(spawns.min(ops.len())..=ops.len() / 2 + spawns)
                .min(ops.len());
            ops.push(ToyOp::Goto(to));
        }
    }
    toy
}

impl Generator {
    pub fn family(&mut self) -> Families {
        self.families[self.rng.usize(0..self.families.len())]
    }

    pub fn pick(&mut self, names: &[&str]) -> String {
        names[self.rng.usize(0..names.len())].to_owned()
    }

    /// Some threads are created by others, and joined by any.
    fn spawns(&mut self, toy: &mut Toy) {
        let count = toy.threads.len();
        let last = count - 1;
        toy.threads[0].insert(0, ToyOp::Spawn(last));
        if count > 2 && self.rng.bool() {
            // By another thread than the first, so that thread numbers depend on the order.
            let by = self.rng.usize(0..last - 1);
            let at = self.rng.usize(0..=toy.threads[by].len().min(1));
            toy.threads[by].insert(at, ToyOp::Spawn(last - 1));
        }
        for _ in 0..self.rng.usize(1..=2) {
            let by = self.rng.usize(0..last);
            toy.threads[by].push(ToyOp::Join(last));
        }
    }

    pub fn block(&mut self, family: Families, depth: usize) -> Vec<ToyOp> {
        use ToyOp::*;
        let m = self.pick(&["m", "m", "n"]);
        let c = self.pick(&["c", "c", "d"]);
        let r = self.pick(&["r", "q"]);
        let x = self.pick(&["x", "x", "y"]);
        let n = self.rng.i32(1..=2);
        let inner = if depth < 2 && self.rng.bool() {
            let family = self.family();
            self.block(family, depth + 1)
        } else {
            Vec::new()
        };
        let around = |first: ToyOp, mut inner: Vec<ToyOp>, last: Vec<ToyOp>| {
            inner.insert(0, first);
            inner.extend(last);
            inner
        };
        let number = |n| Operand::Number(n);
        let note = if self.rng.bool() {
            Signal(c.clone())
        } else {
            Broadcast(c.clone())
        };
        let kind = self.rng.usize(0..8);
        match family {
            Families::Mutex => match kind {
                0..6 => around(Lock(m.clone()), inner, vec![Unlock(m)]),
                6 => vec![TryLock(m.clone(), r.clone()), If(r, 0, 1), Unlock(m)],
                _ => vec![
                    TryLock(m.clone(), r.clone()),
                    If(r, 0, 2),
                    Add(x, number(1), None),
                    Unlock(m),
                ],
            },
            Families::Condition => match kind {
                0..3 => around(Lock(m.clone()), inner, vec![Wait(c, m.clone()), Unlock(m)]),
                3..5 => vec![note],
                5 => around(Lock(m.clone()), inner, vec![note, Unlock(m)]),
                _ => vec![Lock(m.clone()), TimedWait(c, m.clone(), r), Unlock(m)],
            },
            Families::Semaphore => match kind {
                0..2 => vec![SemPost("s".into())],
                2..4 => vec![SemWait("s".into())],
                4..6 => around(SemWait("s".into()), inner, vec![SemPost("s".into())]),
                6 => vec![SemTryWait("s".into(), r)],
                _ => vec![SemValue("s".into(), r)],
            },
            Families::RwLock => match kind {
                0..5 => around(RdLock("w".into()), inner, vec![RwUnlock("w".into())]),
                5 => vec![
                    TryRdLock("w".into(), r.clone()),
                    If(r, 0, 1),
                    RwUnlock("w".into()),
                ],
                6 => vec![
                    TryWrLock("w".into(), r.clone()),
                    If(r, 0, 1),
                    RwUnlock("w".into()),
                ],
                _ => around(WrLock("w".into()), inner, vec![RwUnlock("w".into())]),
            },
            Families::Barrier => vec![Barrier("b".into(), (kind == 0).then_some(r))],
            Families::Memory => match kind {
                0 => vec![Read(x, r)],
                1 => vec![Write(x, number(n))],
                2 => vec![Write(x, Operand::Register(r))],
                3 => vec![Add(x, number(1), None)],
                4 => vec![Add(x, number(1), Some(r))],
                5 => vec![Cas(x, number(0), number(n), r)],
                6 => vec![Read(x, r.clone()), Assert(r, 0)],
                _ => vec![Read(x, r.clone()), If(r, 0, 1), Write("x".into(), number(2))],
            },
            Families::Data => match kind {
                0..3 => vec![Choose(2, r.clone()), If(r, 1, 1), Write("x".into(), number(1))],
                3..6 => vec![Choose(2, r.clone()), Write("y".into(), Operand::Register(r))],
                _ => vec![Choose(2, r.clone()), Assume(r, 1), Add(x, number(1), None)],
            },
            Families::Threads => vec![if kind < 4 {
                Choose(2, r)
            } else {
                Write(x, number(1))
            }],
            Families::Misc => match kind {
                0..3 => vec![Once("o".into(), r)],
                3..5 => vec![Read(x.clone(), r.clone()), Assume(r, 0), Write(x, number(n))],
                5 => vec![Yield, Read(x, r)],
                6 => vec![Read(x, r.clone()), If(r, 0, 1), Exit],
                _ => vec![Set(r.clone(), n), Write(x, Operand::Register(r))],
            },
        }
    }
}
