//! Random toys in which threads forget what they read. So different pasts lead to one state, and
//! what a thread finds out later, it finds out by something that orders nothing: a try, a time-out,
//! who comes last. They test which part of the past an exploration of states has to remember.

use super::program::{Operand, Toy, ToyOp};
use fastrand::Rng;

/// A small random toy: two or three threads that exist from the start. The first one makes an
/// access and lets others know of it; the second one may learn of that, and makes an access if it
/// finds something out. The same seed gives the same toy.
pub fn forgetting_toy(seed: u64) -> Toy {
    made(seed, false)
}

/// As [`forgetting_toy`], but a mutex and a semaphore are also set up while threads use them.
pub fn set_up_toy(seed: u64) -> Toy {
    made(seed, true)
}

fn made(seed: u64, set_ups: bool) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0f09_6e77);
    let mut toy = Toy {
        ends: rng.bool(),
        ..Toy::default()
    };
    toy.vars.insert("x".to_owned(), 0);
    toy.sems.insert("s".to_owned(), rng.i32(0..=1));
    toy.barriers.insert("b".to_owned(), 2);
    let third = rng.bool();
    let mut maker = Maker { rng, set_ups };
    let mut first = vec![ToyOp::Yield, ToyOp::Touch("u".to_owned(), true)];
    let mut second = Vec::new();
    for _ in 0..maker.rng.usize(1..=3) {
        first.extend(maker.publish());
        if maker.rng.usize(0..4) == 0 {
            first.extend(maker.learn());
        }
    }
    for _ in 0..maker.rng.usize(1..=2) {
        second.extend(maker.learn());
        if maker.rng.usize(0..4) == 0 {
            second.extend(maker.publish());
        }
    }
    second.extend(maker.find_out());
    toy.threads = vec![first, second];
    if third {
        let parts = [maker.learn(), maker.publish(), maker.learn()];
        let count = maker.rng.usize(1..=2);
        toy.threads.push(
            parts
                .into_iter()
                .skip(1 - count % 2)
                .take(count)
                .flatten()
                .collect(),
        );
    }
    toy
}

struct Maker {
    rng: Rng,
    set_ups: bool,
}

impl Maker {
    /// An access that nothing protects.
    fn touch(&mut self) -> ToyOp {
        ToyOp::Touch("u".to_owned(), self.rng.usize(0..3) != 0)
    }

    fn section(inner: Vec<ToyOp>) -> Vec<ToyOp> {
        let m = || "m".to_owned();
        [vec![ToyOp::Lock(m())], inner, vec![ToyOp::Unlock(m())]].concat()
    }

    /// Other threads can acquire from this.
    fn publish(&mut self) -> Vec<ToyOp> {
        if self.set_ups && self.rng.bool() {
            return vec![self.set_up()];
        }
        match self.rng.usize(0..6) {
            0 => vec![ToyOp::Write("x".to_owned(), Operand::Number(self.rng.i32(0..=1)))],
            1 => vec![ToyOp::SemPost("s".to_owned())],
            2 => vec![ToyOp::Signal("c".to_owned())],
            3 => vec![ToyOp::Broadcast("c".to_owned())],
            4 => vec![ToyOp::Lock("m".to_owned())],
            _ => Self::section(Vec::new()),
        }
    }

    /// Nobody can acquire from this.
    fn set_up(&mut self) -> ToyOp {
        match self.rng.usize(0..3) {
            0 => ToyOp::Init("m".to_owned()),
            1 => ToyOp::SemInit("s".to_owned(), 1),
            _ => ToyOp::Destroy("m".to_owned(), "q".to_owned()),
        }
    }

    /// Acquires, and forgets what it found.
    fn learn(&mut self) -> Vec<ToyOp> {
        let r = || "r".to_owned();
        let forget = ToyOp::Set(r(), 0);
        match self.rng.usize(0..5) {
            0 | 1 => vec![ToyOp::Read("x".to_owned(), r()), forget],
            2 => vec![ToyOp::SemTryWait("s".to_owned(), r()), forget],
            3 => Self::section(vec![ToyOp::Wait("c".to_owned(), "m".to_owned())]),
            _ => Self::section(Vec::new()),
        }
    }

    /// Finds something out that orders nothing, and makes an access that depends on it.
    fn find_out(&mut self) -> Vec<ToyOp> {
        let (m, r) = (|| "m".to_owned(), || "r".to_owned());
        let if_equal = self.rng.i32(0..=1);
        let touch = self.touch();
        if self.set_ups && self.rng.usize(0..4) != 0 {
            let needs_set_up = match self.rng.bool() {
                true => ToyOp::SemWait("s".to_owned()),
                false => ToyOp::Lock(m()),
            };
            return vec![needs_set_up, touch];
        }
        let reaction = vec![ToyOp::If(r(), if_equal, 1), touch];
        let mut ops = match self.rng.usize(0..7) {
            0 => vec![ToyOp::TryLock(m(), r())],
            1 => vec![ToyOp::TimedLock(m(), r())],
            2 => vec![ToyOp::SemTryWait("s".to_owned(), r())],
            3 => vec![ToyOp::SemTimedWait("s".to_owned(), r())],
            4 => vec![ToyOp::SemValue("s".to_owned(), r())],
            5 => vec![ToyOp::Barrier("b".to_owned(), Some(r()))],
            _ => {
                let wait = ToyOp::TimedWait("c".to_owned(), m(), r());
                Self::section(vec![wait])
            }
        };
        ops.extend(reaction);
        ops
    }
}
