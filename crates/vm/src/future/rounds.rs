//! What all threads but one may do: each is followed, in rounds, until what each has loaded agrees
//! with what the others store.

use super::options::Elements;
use super::others::Others;
use super::prediction::{Future, Known};
use super::remembered::{self, Asking, Remembered, stands};
use super::run::{Followed, Run};
use super::touch::Goal;
use super::weaken::Weaken;
use crate::program::Program;
use crate::vm::Vm;
use selvedge_base::{Digest, ForTests, Id, ThreadId};
use std::sync::Arc;

/// What it costs to find what a thread may do, and to follow it without any instruction, as a
/// number of instructions followed.
const FIND: u32 = 25;
const MAKE: u32 = 100;

/// The maximum number of rounds.
const MOST_ROUNDS: u32 = 12;
/// From this round on, what a thread stores is joined with what it stored before, so that values
/// do not grow without end.
const JOINS: u32 = 3;

/// A followed thread.
struct Thread {
    thread: ThreadId,
    /// The digest of its state, once it is needed.
    stands: Option<Digest>,
    known: Option<remembered::Known>,
    /// The number of changes of what is known of others that it takes into account.
    seen: u32,
}

/// The prediction for an observed thread. With a goal, nothing is known of other accesses if
/// another thread may conflict with this one.
pub(super) fn predict(
    remembered: &mut Remembered,
    vm: &Vm,
    still: ThreadId,
    (elements, goal): (Elements, Option<Goal>),
    weaken: ForTests<Weaken>,
) -> Future {
    let threads = vm.state.threads().len();
    let mut rounds = Rounds {
        vm,
        still,
        elements,
        goal,
        weaken,
        others: Others::new(threads),
        changes: 0,
        cost: 0,
    };
    let ended = rounds.run(remembered);
    let effects = || rounds.others.effects.iter().flatten().map(Arc::clone).collect();
    Future {
        goal: goal.filter(|_| ended == Ended::Met),
        known: match ended {
            Ended::Agreed => Known::Accesses(effects()),
            Ended::Met | Ended::Unknown => Known::Nothing,
        },
        followed: rounds.cost,
        creations: vm.state.creations(),
    }
}

/// How rounds have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    /// What threads load agrees with what others store.
    Agreed,
    /// The access of the question meets another one.
    Met,
    /// Anything may happen.
    Unknown,
}

struct Rounds<'a> {
    vm: &'a Vm,
    still: ThreadId,
    elements: Elements,
    goal: Option<Goal>,
    weaken: ForTests<Weaken>,
    others: Others,
    /// The number of changes of what is known of them.
    changes: u32,
    /// What it has cost, as a number of instructions followed.
    cost: u32,
}

impl Rounds<'_> {
    fn asking(&self, thread: ThreadId) -> Asking<'_> {
        Asking {
            state: &self.vm.state,
            thread,
            still: self.still,
            others: &self.others,
            weaken: self.weaken,
        }
    }

    fn run(&mut self, remembered: &mut Remembered) -> Ended {
        // Later threads come first: the first one mostly waits for them.
        let all = (0..self.vm.state.threads().len()).rev();
        let others = all
            .map(ThreadId::from_index)
            .filter(|&thread| thread != self.still);
        let mut threads: Vec<Thread> = others
            .map(|thread| Thread {
                thread,
                stands: None,
                known: None,
                seen: 0,
            })
            .collect();
        for round in 1..=MOST_ROUNDS {
            let mut changed = false;
            for thread in &mut threads {
                let asking = self.asking(thread.thread);
                let holds = |known: &remembered::Known| thread.seen == self.changes || known.holds(asking);
                if thread.known.as_ref().is_some_and(holds) {
                    thread.seen = self.changes;
                    continue;
                }
                changed = true;
                if let Some(ended) = self.follow(remembered, thread, round) {
                    return ended;
                }
            }
            if !changed || self.weaken.is(Weaken::Round) {
                return match self.changes_locks() && !self.weaken.is(Weaken::Relied) {
                    true => Ended::Unknown,
                    false => Ended::Agreed,
                };
            }
        }
        Ended::Unknown
    }

    /// Finds out what a thread may do, as long as others do what is known of them.
    fn follow(&mut self, remembered: &mut Remembered, thread: &mut Thread, round: u32) -> Option<Ended> {
        let (vm, asking) = (self.vm, self.asking(thread.thread));
        let program: &Program = &vm.program;
        let stands = *thread
            .stands
            .get_or_insert_with(|| stands((program, &vm.state), thread.thread, self.elements, self.weaken));
        let (known, cost) = match remembered.find((stands, self.goal), asking) {
            Some(known) => (known, FIND),
            None => {
                let Followed {
                    effects,
                    looks,
                    instructions,
                } = Run::of(vm, (self.elements, self.goal), asking);
                let cost = MAKE + instructions;
                (
                    remembered.add((stands, self.goal), asking, (looks, effects)),
                    cost,
                )
            }
        };
        self.cost += cost;
        let effects = &known.effects;
        if effects.met || !effects.anything && self.goal.is_some_and(|goal| effects.conflict(goal)) {
            return Some(Ended::Met);
        }
        if effects.anything {
            return Some(Ended::Unknown);
        }
        let slot = &mut self.others.effects[thread.thread.index()];
        let mut now = Arc::clone(effects);
        if let Some(earlier) = slot.as_ref().filter(|_| round >= JOINS) {
            let end = |at| {
                let (base, object) = vm.state.memory.object_at(at)?;
                Some(base + object.size)
            };
            if !Arc::make_mut(&mut now).stores.add_earlier(&earlier.stores, end) {
                return Some(Ended::Unknown);
            }
        }
        if !slot.as_ref().is_some_and(|before| Arc::ptr_eq(before, &now)) {
            *slot = Some(now);
            self.changes += 1;
        }
        thread.seen = self.changes;
        // The thread itself may ask whether a barrier has opened.
        for arrival in effects
            .arrivals
            .iter()
            .filter(|_| !self.weaken.is(Weaken::Barrier))
        {
            self.changes += u32::from(self.others.arrives(arrival));
        }
        thread.known = Some(known);
        None
    }

    /// True if an object that is relied on may become another one.
    fn changes_locks(&self) -> bool {
        let all = || self.others.effects.iter().flatten();
        let mut writes = all()
            .flat_map(|effects| &effects.touches)
            .filter(|t| t.write && !t.sync);
        writes.any(|touch| {
            all()
                .flat_map(|effects| &effects.relied)
                .any(|&at| touch.meets(at, 1))
        })
    }
}
