//! Steps of which it is known where they lead, as they commute with those before them.
//!
//! Let a state have two independent steps, x and y. Both orders lead to one state. A key is a sum
//! of what single events change ([`Fingerprint::delta`], and what floats of single threads), so
//! that state's key is known after x and y were each taken alone: what x adds to a key does not
//! depend on y. If it is the key of a state that was left, the second order need not be taken.
//!
//! That leaves out steps, not states: where such a step leads to is among the known states, like
//! where other steps lead to that end there. So it is sound with persistent sets and the cycle
//! proviso as they are, which sleep sets with state matching are not without more (Godefroid,
//! *Partial-Order Methods for the Verification of Concurrent Systems*, 1996, 5.3 and 6): here a
//! state's expansion is whole.
//!
//! - *Races of a step that is left out.* Each access floats after the step that makes it. So two
//!   accesses that race are both part of the key of the state to which the later one leads; who
//!   came to that state first has made both, and neither knew of the other. If x and y race in what
//!   they access plainly, they are not independent, and the key may be wrong; but then it is that
//!   of a state whose path showed the race.
//! - *Where it does not hold.* If keys have more than sums, nothing is foreseen: digests of
//!   detectors, names of inputs, incomplete actions.
//! - *Circles.* A step that leads to a state of the path is left out, too, but not if it is the
//!   first one of its state. So from each state some path of steps that were taken, or that lead to
//!   states that were left, goes on to an end or closes a circle. Whoever waits for ever at the
//!   state waits there, too, and is found there. The proviso needs no circle: steps are left out
//!   only where all threads have their turn.
//!
//! [`Fingerprint::delta`]: selvedge_model::Fingerprint::delta

use super::Weaken;
use selvedge_base::{Digest, ForTests, ThreadId};
use selvedge_model::{Choice, Conflict, Dependence, Effect, Event, Machine, Outcome, for_each_effect};
use smallvec::SmallVec;

/// A use of an object, which of its bytes, and how.
type Used = (u64, u8, Effect);

/// A step that was taken from a state of the path, and what it added to the key.
#[derive(Debug)]
struct Step {
    choice: Choice,
    uses: SmallVec<[Used; 2]>,
    /// The threads that its outcome names.
    named: SmallVec<[ThreadId; 2]>,
    adds: Digest,
}

/// The steps of which it is known, at a state, what they add to its key: by their numbers.
pub(super) type Steps = SmallVec<[u32; 8]>;

/// The steps taken from states of the path, each state's after those of the states before it.
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
    /// How many steps are kept.
    pub(super) const fn len(&self) -> usize {
        self.taken.len()
    }

    /// Keeps only so many, the first ones.
    pub(super) fn truncate(&mut self, len: usize) {
        self.taken.truncate(len);
    }

    /// Notes the step that the machine has just taken, from one key to another, among the steps of
    /// the state where it was taken; those of the state that it led to.
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

    /// The key of the state to which a choice leads from the state with this one, if that is known.
    pub(super) fn leads_to(&self, steps: &Steps, choice: Choice, from: Digest) -> Option<Digest> {
        let steps = steps.iter().map(|&number| &self.taken[number as usize]);
        let step = steps.into_iter().find(|step| step.choice == choice)?;
        Some(from.with(step.adds))
    }
}
