//! Steps that a machine knows again, and what a step shows of itself whenever it was taken.

use crate::{Access, Event, Machine, Part, Pending};

/// What a step looked like, and the pending actions after it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What happened.
    pub event: &'a Event,
    /// As [`Machine::pending`] after the step.
    pub pending: &'a [Pending],
    /// As [`Machine::accesses`] after the step.
    pub accesses: &'a [Access],
    /// As [`Machine::parts`] after the step.
    pub parts: &'a [Part],
}

impl<'a> Seen<'a> {
    /// The step that the machine just took, with this event.
    #[inline]
    pub fn last<M: Machine + ?Sized>(machine: &'a M, event: &'a Event) -> Self {
        Seen {
            event,
            pending: machine.pending(),
            accesses: machine.accesses(),
            parts: machine.parts(),
        }
    }
}

/// A machine that may know its states and its steps again.
pub trait Recall: Machine {
    /// The number of the present state, if the machine knows it: 0 is the initial one. States of
    /// one number are equal in all that later steps read and show.
    fn state_number(&self) -> Option<u32>;
    /// The number of the last step, if the machine knows it: it names the state before it and the
    /// choice.
    fn step_number(&self) -> Option<u32>;
    /// What a step with a number looks like.
    ///
    /// # Panics
    /// If the machine never gave a step this number.
    fn seen(&self, step: u32) -> Seen<'_>;
}
