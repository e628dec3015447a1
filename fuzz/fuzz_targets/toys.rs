//! Any small toy program: the dependence relation keeps what Definition 1 asks of it in every
//! reachable state, and `dpor` comes to the same ends and failed assertions as brute force.
//!
//! The bytes are read as a program of every operation the toys have, sensible or not (unlocks
//! without locks, waits without the mutex), so that what the random generator never writes is met
//! too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_explore::{Config, Control, Stop, dpor};
use selvedge_model::reference::{TooLarge, check_dependence, ends};
use selvedge_model::toy::{Operand, Toy, ToyEnd, ToyMachine, ToyOp};
use selvedge_model::{Conflict, Dependence, Detector, Event, Fault, StopReason};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Larger toys are left out: brute force must stay fast.
const STATES: usize = 5_000;

/// Explorations of more executions are left out, too.
const EXECUTIONS: u64 = 1_000;

fuzz_target!(|bytes: &[u8]| {
    let toy = Source { bytes, spawned: 0 }.toy();
    let mut machine = ToyMachine::new(&toy).expect("everything is declared");
    match check_dependence(&mut machine, STATES, |a, b| Conflict.dependent(a, b)) {
        Ok(violations) => assert!(violations.is_empty(), "{:?} in {}", violations[0], toy.to_json()),
        Err(TooLarge) => return,
    }
    for sleep_sets in [true, false] {
        compare(&toy, sleep_sets);
    }
});

/// `dpor` against brute force.
fn compare(toy: &Toy, sleep_sets: bool) {
    let machine = || ToyMachine::new(toy).expect("everything is declared");
    let Ok(truth) = ends(&mut machine(), STATES) else {
        return;
    };
    let seen = Mutex::new(BTreeSet::new());
    let config = Config {
        stop: Stop::Never,
        sleep_sets,
        max_executions: Some(EXECUTIONS),
        ..Config::default()
    };
    let make = || (machine(), Collector(&seen));
    let report = dpor::explore(&make, &config, &Control::new());
    if matches!(report.stop, StopReason::Limit(_)) {
        return;
    }
    let text = toy.to_json();
    let found = seen.into_inner().expect("no panic");
    assert_eq!(found, truth.ends, "ends, sleep sets {sleep_sets}: {text}");
    let place = |stmt: u32| (stmt >> 16, stmt & 0xffff);
    let failed: BTreeSet<_> = report.faults.iter().map(|f| place(f.fault.stmt.0)).collect();
    let expected: BTreeSet<_> = truth
        .asserts
        .iter()
        .map(|(t, at)| (u32::from(t.0), *at))
        .collect();
    assert_eq!(failed, expected, "assertions, sleep sets {sleep_sets}: {text}");
}

/// Collects the ends of finished executions.
struct Collector<'a>(&'a Mutex<BTreeSet<ToyEnd>>);

impl Detector<ToyMachine> for Collector<'_> {
    type Mark = ();

    fn mark(&mut self) {}

    fn undo(&mut self, (): ()) {}

    fn event(&mut self, _: &ToyMachine, _: &Event, _: &mut Vec<Fault>) {}

    fn end(&mut self, machine: &ToyMachine, _: &mut Vec<Fault>) {
        self.0.lock().expect("no panic").insert(machine.end());
    }
}

/// Choices from the fuzzer's bytes; 0 when they are used up.
struct Source<'b> {
    bytes: &'b [u8],
    /// The threads that some operation spawns, as bits: each is spawned at one place only, as real
    /// threads are.
    spawned: u32,
}

impl Source<'_> {
    fn below(&mut self, bound: u8) -> u8 {
        match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                byte % bound
            }
            None => 0,
        }
    }

    fn pick(&mut self, names: &[&str]) -> String {
        names[self.below(names.len() as u8) as usize].to_owned()
    }

    fn small(&mut self) -> i32 {
        i32::from(self.below(3))
    }

    fn value(&mut self) -> Operand {
        match self.below(4) {
            3 => Operand::Register(self.pick(&["r", "q"])),
            n => Operand::Number(i32::from(n)),
        }
    }

    fn toy(&mut self) -> Toy {
        let threads = 2 + self.below(3);
        let mut toy = Toy::default();
        for (name, value) in [("x", 0), ("y", 0)] {
            toy.vars.insert(name.to_owned(), value);
        }
        toy.sems.insert("s".to_owned(), self.small());
        toy.barriers
            .insert("b".to_owned(), 1 + i32::from(self.below(threads)));
        for _ in 0..threads {
            let size = self.below(8 - threads);
            toy.threads.push((0..=size).map(|_| self.op(threads)).collect());
        }
        toy
    }

    fn op(&mut self, threads: u8) -> ToyOp {
        let kind = self.below(29);
        let m = self.pick(&["m", "n"]);
        let c = self.pick(&["c", "d"]);
        let x = self.pick(&["x", "y"]);
        let r = self.pick(&["r", "q"]);
        let (s, w, b) = ("s".to_owned(), "w".to_owned(), "b".to_owned());
        let thread = usize::from(self.below(threads));
        match kind {
            0 => ToyOp::Lock(m),
            1 => ToyOp::Unlock(m),
            2 => ToyOp::TryLock(m, r),
            3 => ToyOp::Wait(c, m),
            4 => ToyOp::TimedWait(c, m, r),
            5 => ToyOp::Signal(c),
            6 => ToyOp::Broadcast(c),
            7 => ToyOp::SemPost(s),
            8 => ToyOp::SemWait(s),
            9 => ToyOp::SemTryWait(s, r),
            10 => ToyOp::SemValue(s, r),
            11 => ToyOp::RdLock(w),
            12 => ToyOp::WrLock(w),
            13 => ToyOp::RwUnlock(w),
            14 => ToyOp::Barrier(b, None),
            15 => ToyOp::Barrier(b, Some(r)),
            16 => ToyOp::Once("o".to_owned(), r),
            17 => ToyOp::Read(x, r),
            18 => ToyOp::Write(x, self.value()),
            19 => ToyOp::Add(x, self.value(), None),
            20 => ToyOp::Add(x, self.value(), Some(r)),
            21 => ToyOp::Cas(x, self.value(), self.value(), r),
            22 => ToyOp::Choose(2, r),
            23 if self.spawned >> thread & 1 == 0 => {
                self.spawned |= 1 << thread;
                ToyOp::Spawn(thread)
            }
            23 => ToyOp::Yield,
            24 => ToyOp::Join(thread),
            25 => ToyOp::If(r, self.small(), usize::from(self.below(3))),
            26 => ToyOp::Assert(r, self.small()),
            27 => ToyOp::Assume(r, self.small()),
            _ => ToyOp::Set(r, self.small()),
        }
    }
}
