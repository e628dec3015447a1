//! Small random toys in which threads are mostly ordered by synchronisation. Their actions depend
//! on data under mutexes, and some of their accesses may race. They test that cutoffs lose no
//! races.

use super::program::{Toy, ToyOp};
use fastrand::Rng;

/// Mutexes, and the cells that they guard.
const GUARDED: [(&str, &str); 3] = [("m", "f"), ("n", "g"), ("o", "h")];

/// A small random toy: two to four threads. The same seed gives the same toy.
pub fn ordered_toy(seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0ade_12ed);
    let count = [2, 2, 2, 3, 3, 4][rng.usize(0..6)];
    let mut kinds: Vec<Kind> = {
        use Kind::*;
        vec![Section, Nested, Wait, Signal, Barrier, Shared, Choose, Spin]
    };
    rng.shuffle(&mut kinds);
    kinds.truncate(rng.usize(1..=3));
    kinds.push(Kind::Section);
    if rng.usize(0..6) == 0 {
        kinds.push([Kind::Try, Kind::SetUp, Kind::Post, Kind::Timed][rng.usize(0..4)]);
    }
    let mut toy = Toy {
        ends: rng.bool(),
        ..Toy::default()
    };
    toy.sems.insert("s".to_owned(), rng.i32(0..=1));
    toy.barriers.insert("b".to_owned(), rng.i32(2..=count as i32));
    let mut maker = Maker {
        locks: rng.usize(1..=GUARDED.len()),
        touches: rng.usize(1..=3),
        rng,
        kinds,
    };
    for _ in 0..count {
        let blocks = maker.rng.usize(1..=[4, 3, 2][count - 2]);
        let ops = (0..blocks).flat_map(|_| maker.block()).collect();
        toy.threads.push(ops);
    }
    if maker.rng.bool() {
        maker.create(&mut toy);
    }
    toy
}

#[derive(Clone, Copy)]
enum Kind {
    Section,
    Nested,
    Wait,
    Signal,
    Barrier,
    Shared,
    Choose,
    Spin,
    Try,
    SetUp,
    Post,
    Timed,
}

struct Maker {
    rng: Rng,
    kinds: Vec<Kind>,
    /// The number of mutexes.
    locks: usize,
    /// One access in this number of blocks.
    touches: usize,
}

impl Maker {
    fn lock(&mut self) -> (String, String) {
        let (mutex, cell) = GUARDED[self.rng.usize(0..self.locks)];
        (mutex.to_owned(), cell.to_owned())
    }

    fn block(&mut self) -> Vec<ToyOp> {
        use ToyOp::*;
        let (m, f) = self.lock();
        let r = || "r".to_owned();
        let (c, b, s) = ("c".to_owned(), "b".to_owned(), "s".to_owned());
        let kind = self.kinds[self.rng.usize(0..self.kinds.len())];
        let first = self.rng.bool();
        let mut ops = match kind {
            Kind::Section => {
                let inner = self.inner(&f);
                [vec![Lock(m.clone())], inner, vec![Unlock(m)]].concat()
            }
            Kind::Nested => {
                let (n, g) = self.lock();
                if n <= m {
                    vec![Lock(m.clone()), Get(f, r()), Unlock(m)]
                } else {
                    let (one, two) = (self.inner(&f), self.inner(&g));
                    let mut ends = vec![Unlock(m.clone()), Unlock(n.clone())];
                    self.rng.shuffle(&mut ends);
                    [vec![Lock(m)], one, vec![Lock(n)], two, ends].concat()
                }
            }
            Kind::Wait => {
                let mut ops = vec![Lock(m.clone()), Get(f.clone(), r()), If(r(), 1, 1)];
                ops.push(Wait(c, m.clone()));
                ops.extend(self.inner(&f));
                ops.push(Unlock(m));
                ops
            }
            Kind::Timed => vec![Lock(m.clone()), TimedWait(c, m.clone(), r()), Unlock(m)],
            Kind::Signal => {
                let note = if first { Signal(c) } else { Broadcast(c) };
                let mut ops = vec![Lock(m.clone())];
                ops.extend(self.inner(&f));
                match self.rng.bool() {
                    true => ops.extend([note, Unlock(m)]),
                    false => ops.extend([Unlock(m), note]),
                }
                ops
            }
            Kind::Barrier => vec![Barrier(b, first.then(r))],
            Kind::Shared if first => vec![
                RdLock("w".to_owned()),
                Get("v".to_owned(), r()),
                RwUnlock("w".to_owned()),
            ],
            Kind::Shared => vec![
                WrLock("w".to_owned()),
                Put("v".to_owned(), 1),
                RwUnlock("w".to_owned()),
            ],
            Kind::Choose => vec![Choose(2, r())],
            Kind::Spin => {
                let inner = self.inner("k");
                [
                    vec![SpinLock("p".to_owned())],
                    inner,
                    vec![SpinUnlock("p".to_owned())],
                ]
                .concat()
            }
            Kind::Try => vec![TryLock(m.clone(), r()), If(r(), 0, 1), Unlock(m)],
            Kind::SetUp => vec![Init(m)],
            Kind::Post if first => vec![SemPost(s)],
            Kind::Post => vec![SemWait(s)],
        };
        ops.extend(self.access());
        if self.rng.bool() {
            ops.push(Set(r(), 0));
        }
        ops
    }

    /// Operations on the data of a mutex.
    fn inner(&mut self, cell: &str) -> Vec<ToyOp> {
        use ToyOp::*;
        let (f, r) = (|| cell.to_owned(), || "r".to_owned());
        let mut ops = match self.rng.usize(0..6) {
            0 => vec![Put(f(), 1)],
            1 => vec![Put(f(), 0)],
            2 => vec![Get(f(), r())],
            3 => vec![Get(f(), r()), Put(f(), 1)],
            4 => vec![Get(f(), r()), If(r(), 1, 1), Put(f(), 1)],
            _ => vec![Get(f(), r()), If(r(), 0, 1), Put(f(), 0)],
        };
        ops.extend(self.access());
        if self.rng.bool() {
            ops.push(Set(r(), 0));
        }
        ops
    }

    /// In most cases nothing; otherwise an access that no mutex protects, or that depends on a
    /// value that was read.
    fn access(&mut self) -> Vec<ToyOp> {
        use ToyOp::*;
        if self.rng.usize(0..2 * self.touches) != 0 {
            return Vec::new();
        }
        let u = if self.rng.usize(0..4) == 0 { "w" } else { "u" };
        let touch = Touch(u.to_owned(), self.rng.usize(0..3) != 0);
        match self.rng.usize(0..4) {
            0 => vec![touch],
            1 => vec![If("r".to_owned(), 0, 1), touch],
            _ => vec![If("r".to_owned(), 1, 1), touch],
        }
    }

    /// Lets the first thread create the others, and join some.
    fn create(&mut self, toy: &mut Toy) {
        let count = toy.threads.len();
        let at = self.rng.usize(0..=1);
        for u in 1..count {
            toy.threads[0].insert(at * (u - 1), ToyOp::Spawn(u));
        }
        for u in 1..count {
            if self.rng.bool() {
                toy.threads[0].push(ToyOp::Join(u));
                let access = self.access();
                toy.threads[0].extend(access);
            }
        }
    }
}
