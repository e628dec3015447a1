//! A race detector that recalls what it knows, on random toys: it finds what one that sees
//! everything finds.

use crate::common::never;
use fastrand::Rng;
use selvedge_base::{ContextId, Location, StmtId, ThreadId, usual_or_long};
use selvedge_detect::{About, RaceDetector, RecallingRaces};
use selvedge_explore::{Config, Control, Report, dpor};
use selvedge_model::reference::Inspect;
use selvedge_model::toy::{Operand, Toy, ToyMachine, ToyOp, mixed_toy, shrink, with_touches};
use selvedge_model::{
    Access, Action, Choice, Describe, Event, Machine, MemoryOrder, Notice, ObjectId, Op, Part, Pending,
    Recall, Seen, Undo, Waiters, WaitsFor,
};
use std::collections::HashMap;
use std::panic::catch_unwind;

/// A step that has a number.
struct Step {
    event: Event,
    pending: Vec<Pending>,
    accesses: Vec<Access>,
}

/// The event, with an order for atomic accesses that depends on the statement.
fn with_order(mut event: Event, seed: u64) -> Event {
    let action = &mut event.action;
    if matches!(action.op, Op::Read | Op::Write | Op::Rmw) {
        action.order = order(action.stmt, seed);
    }
    event
}

/// The order of what a statement does.
fn order(stmt: StmtId, seed: u64) -> MemoryOrder {
    const ORDERS: [MemoryOrder; 5] = [
        MemoryOrder::Relaxed,
        MemoryOrder::Relaxed,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::SeqCst,
    ];
    let at = Rng::with_seed(seed ^ u64::from(stmt.0)).usize(0..ORDERS.len());
    ORDERS[at]
}

/// A toy that numbers its states and steps, and takes each step itself.
struct Numbered {
    toy: ToyMachine,
    seed: u64,
    states: HashMap<(<ToyMachine as Inspect>::State, Vec<ThreadId>), u32>,
    numbers: HashMap<(u32, Choice), u32>,
    steps: Vec<Step>,
    here: u32,
    last: Option<u32>,
    /// Of the last step; yielding becomes a fence.
    accesses: Vec<Access>,
}

impl Numbered {
    fn new(toy: &Toy, seed: u64) -> Numbered {
        let mut numbered = Numbered {
            toy: ToyMachine::new(toy).expect("a toy that compiles"),
            seed,
            states: HashMap::new(),
            numbers: HashMap::new(),
            steps: Vec::new(),
            here: 0,
            last: None,
            accesses: Vec::new(),
        };
        numbered.look();
        numbered
    }

    fn look(&mut self) {
        let threads = self.toy.pending().iter().map(|p| p.action.thread).collect();
        let number = self.states.len() as u32;
        self.here = *self.states.entry((self.toy.state(), threads)).or_insert(number);
    }
}

impl Machine for Numbered {
    fn pending(&self) -> &[Pending] {
        self.toy.pending()
    }

    fn step(&mut self, choice: Choice) -> Event {
        let from = self.here;
        let event = with_order(self.toy.step(choice), self.seed);
        self.look();
        self.accesses.clear();
        if event.action.op == Op::Yield {
            let stmt = event.action.stmt;
            let fence = Access::fence(order(stmt, self.seed), stmt, event.context);
            self.accesses.push(fence);
        }
        self.accesses.extend_from_slice(self.toy.accesses());
        let number = self.steps.len() as u32;
        let step = *self.numbers.entry((from, choice)).or_insert(number);
        if step == number {
            self.steps.push(Step {
                event,
                pending: self.toy.pending().to_vec(),
                accesses: self.accesses.clone(),
            });
        }
        self.last = Some(step);
        event
    }

    fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    fn parts(&self) -> &[Part] {
        self.toy.parts()
    }

    fn notices(&self) -> &[Notice] {
        self.toy.notices()
    }

    fn waiters(&self, set: Waiters) -> &[ThreadId] {
        self.toy.waiters(set)
    }

    fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        self.toy.waits_for(thread)
    }
}

impl Undo for Numbered {
    type Mark = <ToyMachine as Undo>::Mark;

    fn mark(&mut self) -> Self::Mark {
        self.toy.mark()
    }

    fn undo(&mut self, mark: Self::Mark) {
        self.toy.undo(mark);
        self.last = None;
        self.look();
    }
}

impl Recall for Numbered {
    fn state_number(&self) -> Option<u32> {
        Some(self.here)
    }

    fn step_number(&self) -> Option<u32> {
        self.last
    }

    fn seen(&self, step: u32) -> Seen<'_> {
        let step = &self.steps[step as usize];
        Seen {
            event: &step.event,
            pending: &step.pending,
            accesses: &step.accesses,
            parts: &[],
        }
    }
}

impl Describe for Numbered {
    fn location(&self, stmt: StmtId) -> Location {
        self.toy.location(stmt)
    }

    fn stack(&self, context: ContextId) -> Vec<Location> {
        self.toy.stack(context)
    }

    fn thread_name(&self, thread: ThreadId) -> String {
        self.toy.thread_name(thread)
    }

    fn object_name(&self, object: ObjectId) -> String {
        self.toy.object_name(object)
    }

    fn action_text(&self, action: &Action) -> String {
        self.toy.action_text(action)
    }

    fn locks_held(&self, thread: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)> {
        self.toy.locks_held(thread)
    }

    fn blocked_on(&self, thread: ThreadId) -> String {
        self.toy.blocked_on(thread)
    }

    fn pending_context(&self, thread: ThreadId) -> ContextId {
        self.toy.pending_context(thread)
    }

    fn output(&self) -> Vec<u8> {
        self.toy.output()
    }
}

fn config() -> Config {
    Config {
        jobs: 1,
        max_executions: Some(400),
        ..never()
    }
}

/// A toy whose threads do little but pass on what they know: by one variable that soon has its last
/// value, fences, and a read-write lock.
fn passing(rng: &mut Rng) -> Toy {
    let (x, w) = ("x".to_owned(), "w".to_owned());
    let mut toy = Toy::default();
    toy.vars.insert(x.clone(), 0);
    for _ in 0..rng.usize(2..=3) {
        let mut ops = vec![ToyOp::Yield];
        for _ in 0..rng.usize(2..=4) {
            match rng.usize(0..8) {
                0 | 1 => ops.push(ToyOp::Read(x.clone(), "r".to_owned())),
                2 | 3 => ops.push(ToyOp::Write(x.clone(), Operand::Number(1))),
                4 => ops.push(ToyOp::Add(x.clone(), Operand::Number(0), None)),
                5 => ops.push(ToyOp::Yield),
                6 => ops.extend([ToyOp::RdLock(w.clone()), ToyOp::RwUnlock(w.clone())]),
                _ => ops.extend([ToyOp::WrLock(w.clone()), ToyOp::RwUnlock(w.clone())]),
            }
        }
        toy.threads.push(ops);
    }
    toy
}

/// A toy with several accesses to one cell.
fn toy(seed: u64) -> Toy {
    let mut toy = if seed.is_multiple_of(2) {
        passing(&mut Rng::with_seed(seed))
    } else {
        mixed_toy(seed)
    };
    for more in 0..1 + seed % 3 {
        toy = with_touches(toy, seed.wrapping_mul(3) + more);
    }
    toy
}

/// What is reported with a detector that sees each step.
fn direct(toy: &Toy, seed: u64) -> Report {
    let make = || (Numbered::new(toy, seed), RaceDetector::new());
    dpor::explore(&make, &config(), &Control::new())
}

/// The same with one that recalls.
fn recalled(toy: &Toy, seed: u64, races: &(dyn Fn() -> RecallingRaces + Sync)) -> Report {
    let make = || (Numbered::new(toy, seed), races());
    dpor::explore(&make, &config(), &Control::new())
}

#[test]
fn reports_are_the_same() {
    let mut racy = 0;
    for seed in 0..usual_or_long(1_500, 4_000) {
        let toy = toy(seed);
        let expected = direct(&toy, seed);
        racy += u32::from(!expected.faults.is_empty());
        for races in [RecallingRaces::new, RecallingRaces::checked] {
            if recalled(&toy, seed, &races) != expected {
                let fails = |toy: &Toy| {
                    ToyMachine::new(toy).is_ok() && recalled(toy, seed, &races) != direct(toy, seed)
                };
                panic!("seed {seed}\nsmallest: {}", shrink(&toy, fails).to_json());
            }
        }
    }
    assert!(racy > 180, "{racy} with races or failed assertions");
}

/// What digests may leave out only if somebody notices, and a seed near which somebody does.
const PARTS: [(About, u64); 7] = [
    (About::Knows, 0),
    (About::AcquireFence, 9_300),
    (About::Notification, 1_000),
    (About::Released, 4_000),
    (About::Access, 0),
    (About::Bytes, 0),
    (About::Number, 3900),
];

#[test]
fn weaker_digests_are_noticed() {
    let noticed = |(part, from): (About, u64)| {
        let weakened = move || RecallingRaces::weakened(part);
        (from..from + 2_000).find(|&seed| {
            let toy = toy(seed);
            catch_unwind(|| recalled(&toy, seed, &weakened)).is_err()
        })
    };
    std::panic::set_hook(Box::new(|_| {}));
    let seeds = PARTS.map(noticed);
    let _ = std::panic::take_hook();
    let missed: Vec<_> = PARTS
        .iter()
        .zip(seeds)
        .filter(|(_, seed)| seed.is_none())
        .collect();
    assert!(missed.is_empty(), "nobody notices that {missed:?} is left out");
}
