//! Small random toys that mix the families of the others with operations that only these have:
//! locks with deadlines, spin locks, cancellation, claims of threads, objects that are initialised
//! again, and threads that are created after a choice.

use super::generate::{Families, Generator, random_toy};
use super::program::{Operand, Toy, ToyOp};
use fastrand::Rng;

/// The additional operations, besides [`Families`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum More {
    Timed,
    Spin,
    Cancel,
    Claim,
    SetUp,
    Waits,
}

/// How threads are created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Creation {
    /// All run from the start.
    None,
    /// The first one creates the others.
    Plain,
    /// The first one chooses which of the others it creates.
    Chosen,
    /// The first one creates the second, which chooses.
    ByChild,
}

/// A small random toy: two to four threads. The same seed gives the same toy.
pub fn mixed_toy(seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491);
    let count = [2, 2, 3, 3, 3, 4][rng.usize(0..6)];
    let creation = match rng.usize(0..6) {
        0..2 => Creation::None,
        2..=3 => Creation::Plain,
        5 if count > 2 => Creation::ByChild,
        _ => Creation::Chosen,
    };
    let mut more = {
        use More::*;
        vec![Timed, Spin, Cancel, Cancel, Claim, SetUp, Waits]
    };
    rng.shuffle(&mut more);
    more.truncate(rng.usize(1..=2));
    let mut toy = Toy {
        weak: seed % 2 == 1,
        adds: seed / 2 % 2 == 1,
        ends: rng.bool() && !more.contains(&More::Cancel) && !more.contains(&More::Claim),
        ..Toy::default()
    };
    for x in ["x", "y"] {
        toy.vars.insert(x.to_owned(), 0);
    }
    toy.sems.insert("s".to_owned(), rng.i32(0..=1));
    toy.barriers.insert("b".to_owned(), rng.i32(2..=count as i32));
    let mut families = {
        use Families::*;
        vec![Mutex, Condition, Semaphore, RwLock, Memory, Data, Misc]
    };
    rng.shuffle(&mut families);
    families.truncate(rng.usize(1..=2));
    let most = if creation == Creation::None { 9 } else { 8 };
    let mut mixer = Mixer {
        generator: Generator { rng, families },
        creation,
        count,
    };
    for t in 0..count {
        let size = mixer.generator.rng.usize(1..=most - count);
        let mut ops = Vec::new();
        while ops.len() < size {
            let kind = more[mixer.generator.rng.usize(0..more.len())];
            ops.extend(if mixer.generator.rng.bool() {
                mixer.block(kind, t)
            } else {
                let family = mixer.generator.family();
                mixer.generator.block(family, 1)
            });
        }
        toy.threads.push(ops);
    }
    mixer.create(&mut toy);
    if seed % 4 == 3 {
        add_futex(&mut toy, &mut mixer.generator.rng);
    }
    if seed % 8 == 5 {
        add_claims(&mut toy, &mut mixer.generator.rng);
    }
    if seed % 8 == 1 {
        add_waits_with_words(&mut toy, &mut mixer.generator.rng);
    }
    if seed % 8 == 6 {
        add_channel(&mut toy, &mut mixer.generator.rng);
    }
    toy
}

/// Adds operations of a channel at the beginnings and ends of threads. The last thread receives.
fn add_channel(toy: &mut Toy, rng: &mut Rng) {
    use ToyOp::{HangUp, Receive, Send, TryReceive, TrySend};
    let (h, r) = (|| "h".to_owned(), || "r".to_owned());
    let last = toy.threads.len() - 1;
    for (t, ops) in toy.threads.iter_mut().enumerate() {
        let receives = t == last || rng.usize(0..6) == 0;
        let mut message = 0;
        let added: Vec<ToyOp> = (0..rng.usize(1..=3))
            .map(|_| {
                message += 1;
                let value = Operand::Number(10 * t as i32 + message);
                match (receives, rng.usize(0..8)) {
                    (_, 0) => HangUp(h()),
                    (true, 1..6) => Receive(h(), format!("h{message}")),
                    (true, _) => TryReceive(h(), format!("h{message}")),
                    (false, 1..6) => Send(h(), value),
                    (false, _) => TrySend(h(), value, r()),
                }
            })
            .collect();
        // A block keeps its operations, and a skip its target.
        let moves = |op: &ToyOp| matches!(op, ToyOp::Goto(_));
        match rng.bool() && !ops.iter().any(moves) {
            true => drop(ops.splice(0..0, added)),
            false => ops.extend(added),
        }
    }
}

/// Adds futex operations at the beginnings and ends of threads. At least one thread waits.
fn add_futex(toy: &mut Toy, rng: &mut Rng) {
    use ToyOp::{FutexTimedWait, FutexWait, FutexWake, FutexWakeAll};
    let waiter = rng.usize(0..toy.threads.len());
    for (t, ops) in toy.threads.iter_mut().enumerate() {
        let x = ["x", "x", "y"][rng.usize(0..3)].to_owned();
        let (n, r) = (rng.i32(0..=1), "f".to_owned());
        let op = match rng.usize(0..8) {
            kind if t == waiter || kind == 0 => match rng.bool() {
                true => FutexWait(x, n, r),
                false => FutexTimedWait(x, n, r),
            },
            1..4 => FutexWake(x),
            4 => FutexWakeAll(x),
            _ => continue,
        };
        let at = if rng.bool() { 0 } else { ops.len() };
        // A block keeps its operations, and a skip its target.
        let moves = |op: &ToyOp| matches!(op, ToyOp::Goto(_));
        match ops.iter().any(moves) {
            true => ops.push(op),
            false => ops.insert(at, op),
        }
    }
}

/// Adds claims of a variable at the beginnings of threads: of a lock that most of them give back at
/// the end, or of a value that another thread writes.
fn add_claims(toy: &mut Toy, rng: &mut Rng) {
    let x = ["x", "y"][rng.usize(0..2)].to_owned();
    for ops in &mut toy.threads {
        let (n, m) = [(0, 1), (0, 1), (0, 2), (1, 0)][rng.usize(0..4)];
        let moves = |op: &ToyOp| matches!(op, ToyOp::Goto(_));
        if rng.usize(0..4) == 0 || ops.iter().any(moves) {
            continue;
        }
        ops.insert(0, ToyOp::Claim(x.clone(), n, m));
        if rng.usize(0..4) > 0 {
            ops.push(ToyOp::Write(x.clone(), Operand::Number(n)));
        }
    }
}

/// Adds waits on the queue of `x` with the lock `y`, which is a word, at the beginnings of threads,
/// and wakeups at their ends. At least one thread waits.
fn add_waits_with_words(toy: &mut Toy, rng: &mut Rng) {
    use ToyOp::{Claim, FutexWake, FutexWakeAll, TimedWaitWord, WaitWord, Write};
    let [x, y] = ["x", "y"].map(str::to_owned);
    let waiter = rng.usize(0..toy.threads.len());
    for (t, ops) in toy.threads.iter_mut().enumerate() {
        let waits = t == waiter || rng.usize(0..6) == 0;
        let (wake, claims) = (rng.usize(0..3), rng.usize(0..3) == 0);
        let wait = match rng.usize(0..3) {
            0 => TimedWaitWord(x.clone(), y.clone(), 0, "f".to_owned()),
            _ => WaitWord(x.clone(), y.clone(), 0),
        };
        let mut added = match (waits, wake) {
            (true, _) => vec![wait],
            (false, 0) => continue,
            (false, 1) => vec![FutexWake(x.clone())],
            (false, _) => vec![FutexWakeAll(x.clone())],
        };
        if claims {
            added.insert(0, Claim(y.clone(), 0, 1));
            // Who waits has given the lock back.
            if !waits {
                added.push(Write(y.clone(), Operand::Number(0)));
            } else if rng.bool() {
                added.push(Claim(y.clone(), 0, 1));
            }
        }
        // A block keeps its operations, and a skip its target.
        let moves = |op: &ToyOp| matches!(op, ToyOp::Goto(_));
        match waits && !ops.iter().any(moves) {
            true => drop(ops.splice(0..0, added)),
            false => ops.extend(added),
        }
    }
}

/// A small random toy with a wait, in which waits may end without a signal. The same seed gives the
/// same toy.
pub fn waking_toy(seed: u64) -> Toy {
    let made = (0..).map(|attempt| {
        let seed = seed << 16 | attempt;
        if attempt % 2 == 0 {
            random_toy(seed)
        } else {
            mixed_toy(seed)
        }
    });
    let waits = |op: &ToyOp| {
        matches!(
            op,
            ToyOp::Wait(..)
                | ToyOp::TimedWait(..)
                | ToyOp::FutexWait(..)
                | ToyOp::FutexTimedWait(..)
                | ToyOp::WaitWord(..)
                | ToyOp::TimedWaitWord(..)
        )
    };
    let found = made
        .into_iter()
        .find(|toy| toy.threads.iter().flatten().any(waits));
    Toy {
        spurious: true,
        ..found.unwrap_or_default()
    }
}

/// The toy, in which two threads access a plain cell, and at least one of them writes. The same
/// seed gives the same toy.
#[must_use]
pub fn with_touches(mut toy: Toy, seed: u64) -> Toy {
    let mut rng = Rng::with_seed(seed ^ 0x0bad_cafe);
    let mut threads: Vec<usize> = (0..toy.threads.len()).collect();
    rng.shuffle(&mut threads);
    for (t, writes) in threads.into_iter().zip([true, rng.bool()]) {
        let ops = &mut toy.threads[t];
        // Not before the first visible operation, because no other thread could observe it.
        if let Some(first) = ops.iter().position(|op| !op.is_invisible()) {
            let at = rng.usize(first + 1..=ops.len());
            ops.insert(at, ToyOp::Touch("u".to_owned(), writes));
        }
    }
    toy
}

struct Mixer {
    generator: Generator,
    creation: Creation,
    count: usize,
}

impl Mixer {
    /// A thread whose number this thread has.
    fn other(&mut self, t: usize) -> usize {
        let all: Vec<usize> = match self.creation {
            Creation::None => (0..self.count).collect(),
            Creation::Plain | Creation::Chosen if t == 0 => (1..self.count).collect(),
            Creation::ByChild if t == 0 => vec![1],
            Creation::ByChild if t == 1 => (2..self.count).chain([0]).collect(),
            _ => vec![0],
        };
        all[self.generator.rng.usize(0..all.len())]
    }

    /// Inserts the creation of threads before the other operations of their creators.
    fn create(&mut self, toy: &mut Toy) {
        use ToyOp::{Join, Spawn, Write};
        let (by, mut first) = match self.creation {
            Creation::None => return,
            Creation::Plain => (0, (1..self.count).map(Spawn).collect()),
            Creation::Chosen => (0, self.chosen(1..self.count)),
            Creation::ByChild => {
                toy.threads[0].insert(0, Spawn(1));
                (1, self.chosen(2..self.count))
            }
        };
        if self.generator.rng.bool() {
            toy.threads[by].push(Join(self.count - 1));
        }
        if self.generator.rng.usize(0..4) == 0 {
            first.insert(0, Write("x".to_owned(), Operand::Number(1)));
        }
        first.append(&mut toy.threads[by]);
        toy.threads[by] = first;
    }

    /// Creates threads after choices.
    fn chosen(&mut self, threads: std::ops::Range<usize>) -> Vec<ToyOp> {
        use ToyOp::{Add, Choose, If, Spawn, Write};
        let (y, z) = (|| "y".to_owned(), || "z".to_owned());
        match self.generator.rng.usize(0..3) {
            // Whether the first thread is created: the others' numbers depend on it.
            0 => [Choose(2, z()), If(z(), 0, 1)]
                .into_iter()
                .chain(threads.map(Spawn))
                .collect(),
            // The operations between creations.
            1 => threads
                .flat_map(|u| {
                    [
                        Choose(2, z()),
                        If(z(), 1, 1),
                        Add(y(), Operand::Number(1), None),
                        Spawn(u),
                    ]
                })
                .take(8)
                .collect(),
            // A choice that has an effect only later.
            _ => [Choose(2, z())]
                .into_iter()
                .chain(threads.map(Spawn))
                .chain([Write(y(), Operand::Register(z()))])
                .collect(),
        }
    }

    fn block(&mut self, kind: More, t: usize) -> Vec<ToyOp> {
        use ToyOp::*;
        let m = self.generator.pick(&["m", "m", "n"]);
        let r = self.generator.pick(&["r", "q"]);
        let x = self.generator.pick(&["x", "x", "y"]);
        let p = self.generator.pick(&["p", "p", "o"]);
        let (c, s, w) = ("c".to_owned(), "s".to_owned(), "w".to_owned());
        let add = |x: String| Add(x, Operand::Number(1), None);
        let u = self.other(t);
        match (kind, self.generator.rng.usize(0..6)) {
            (More::Timed, 0..2) => vec![TimedLock(m.clone(), r.clone()), If(r, 0, 1), Unlock(m)],
            (More::Timed, 2) => vec![TimedRdLock(w.clone(), r.clone()), If(r, 0, 1), RwUnlock(w)],
            (More::Timed, 3) => vec![TimedWrLock(w.clone(), r.clone()), If(r, 0, 1), RwUnlock(w)],
            (More::Timed, 4) => vec![SemTimedWait(s, r)],
            (More::Timed, _) => vec![SemPost(s)],
            (More::Spin, 0..3) => vec![SpinLock(p.clone()), SpinUnlock(p)],
            (More::Spin, 3..5) => vec![SpinTryLock(p.clone(), r.clone()), If(r, 0, 1), SpinUnlock(p)],
            (More::Spin, _) => vec![SpinLock(p.clone()), add(x), SpinUnlock(p)],
            (More::Cancel, 0..2) => vec![Cancel(u, "k".to_owned())],
            (More::Cancel, 2) => vec![TestCancel],
            (More::Cancel, 3) => vec![SemTimedWait(s, r)],
            (More::Cancel, 4) => vec![CancelState(0), SemWait(s), CancelState(1)],
            (More::Cancel, _) => vec![Lock(m.clone()), Wait(c, m.clone()), Unlock(m)],
            (More::Claim, 0..2) => vec![Detach(u, r)],
            (More::Claim, 2..4) => vec![JoinOnce(u, r)],
            (More::Claim, _) => vec![Join(u), add(x)],
            (More::SetUp, 0) => vec![Init(m)],
            (More::SetUp, 1) => vec![Destroy(m, r)],
            (More::SetUp, 2) => vec![SemInit(s, 1)],
            (More::SetUp, 3) => vec![CondInit(c)],
            (More::SetUp, _) => vec![Lock(m.clone()), Unlock(m)],
            (More::Waits, 0..2) => vec![Lock(m.clone()), Wait(c, m.clone()), Unlock(m)],
            (More::Waits, 2..4) => vec![Lock(m.clone()), TimedWait(c, m.clone(), r), Unlock(m)],
            (More::Waits, 4) => vec![Signal(c)],
            (More::Waits, _) => vec![Broadcast(c)],
        }
    }
}
