//! Commuting steps: predicting the state to which a step leads, because it commutes with an earlier
//! step.
//!
//! Let a state have two independent steps, x and y. Both orders lead to one state. A key is a sum
//! of the changes of single events ([`Fingerprint::delta`], and the floating accesses of single
//! threads). So that state's key is known after x and y were each taken alone, because what x adds
//! to a key does not depend on y. If it is the key of a state whose exploration is finished, the
//! second order need not be taken.
//!
//! This leaves out steps, not states: the step leads to a known state, like other steps at which
//! the search goes back. Therefore it is sound together with persistent sets and the cycle proviso.
//! Sleep sets with state matching are not sound without additions (Godefroid, *Partial-Order
//! Methods for the Verification of Concurrent Systems*, 1996, 5.3 and 6). Here every state is
//! expanded completely.
//!
//! - *Races of a step that is left out.* Each access floats after the step that makes it. So two
//!   accesses that race are both part of the key of the state to which the later one leads. The
//!   first path that reached this state has made both accesses, and neither happened before the
//!   other. If the plain accesses of x and y race with each other, x and y are not independent and
//!   the predicted key may be wrong. But then it is the key of a state whose path showed the race.
//! - *When it is not used.* Nothing is predicted if keys are more than sums: with digests of
//!   detectors, names of inputs, or incomplete actions.
//! - *Cycles.* A step that leads to a state of the path is left out, too, unless it is the first
//!   step of its state. So from each state there is a path to an end or to a cycle, made of steps
//!   that were taken or that lead to finished states. A thread that waits for ever at the state
//!   waits there, too, and is found there. The proviso does not need such cycles, because steps are
//!   left out only where all threads get their turn.
//!
//! [`Fingerprint::delta`]: selvedge_model::Fingerprint::delta

use super::Weaken;
use selvedge_base::{Digest, ForTests, ThreadId};
use selvedge_model::{Choice, Conflict, Dependence, Effect, Event, Machine, Outcome, for_each_effect};
use smallvec::SmallVec;

/// A use of an object: the object, the used bytes, and the effect.
type Used = (u64, u8, Effect);

/// A step that was taken from a state of the path, and its contribution to the key.
#[derive(Debug)]
struct Step {
    choice: Choice,
    uses: SmallVec<[Used; 2]>,
    /// The threads that its outcome names.
    named: SmallVec<[ThreadId; 2]>,
    adds: Digest,
}

/// The numbers of the steps whose contribution to the key is known at a state.
pub(super) type Steps = SmallVec<[u32; 8]>;

/// The steps taken from states of the path, in the order of the states.
#[derive(Debug, Default)]
pub(super) struct Commuting {
    taken: Vec<Step>,
}

impl Step {
    fn is_independent(&self, other: &Step, weaken: ForTests<Weaken>) -> bool {
        let dependent = |a: &Used, b: &Used| {
            a.0 == b.0 && a.1 & b.1 != 0 && Conflict.dependent_effects(a.2) & b.2.bit() != 0
        };
        let (one, two) = (self.choice.thread, other.choice.thread);
        let names = self.named.contains(&two) || other.named.contains(&one);
        let uses = self
            .uses
            .iter()
            .any(|a| other.uses.iter().any(|b| dependent(a, b)));
        one != two && !names && (!uses || weaken.is(Weaken::Commuting))
    }
}

impl Commuting {
    /// The number of stored steps.
    pub(super) const fn len(&self) -> usize {
        self.taken.len()
    }

    /// Keeps only the first `len` steps.
    pub(super) fn truncate(&mut self, len: usize) {
        self.taken.truncate(len);
    }

    /// Records the step that the machine has just taken, from one key to another, among the steps
    /// of the state at which it was taken. Returns the steps of the state to which it led.
    pub(super) fn note<M: Machine>(
        &mut self,
        machine: &M,
        (choice, event): (Choice, &Event),
        (from, to): (Digest, Digest),
        steps: &mut Steps,
        weaken: ForTests<Weaken>,
    ) -> Steps {
        let named: SmallVec<[ThreadId; 2]> = match event.outcome {
            Outcome::Thread(thread) => SmallVec::from_slice(&[thread]),
            Outcome::Threads(waiters) => SmallVec::from_slice(machine.waiters(waiters)),
            Outcome::Done | Outcome::Failed | Outcome::Value(_) | Outcome::Incomplete => SmallVec::new(),
        };
        let mut uses = SmallVec::new();
        let failed = event.outcome == Outcome::Failed;
        for_each_effect(&event.action, failed, &named, |object, bytes, effect| {
            uses.push((object, bytes, effect));
        });
        let step = Step {
            choice,
            uses,
            named,
            adds: to.without(from),
        };
        let same = |other: &u32| self.taken[*other as usize].is_independent(&step, weaken);
        let after = steps.iter().copied().filter(same).collect();
        steps.push(self.taken.len() as u32);
        self.taken.push(step);
        after
    }

    /// The key of the state to which a choice leads from the state with key `from`, if it is known.
    pub(super) fn leads_to(&self, steps: &Steps, choice: Choice, from: Digest) -> Option<Digest> {
        let steps = steps.iter().map(|&number| &self.taken[number as usize]);
        let step = steps.into_iter().find(|step| step.choice == choice)?;
        Some(from.with(step.adds))
    }
}
