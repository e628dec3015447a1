//! Cached steps: a machine that recognises its states and steps, and the visible results of a step.

mod graph;

pub use graph::{Edge, NONE, StepGraph};

use crate::{Access, Event, Machine, Part, Pending};

/// The results of a step, and the pending actions after it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The event.
    pub event: &'a Event,
    /// The value of [`Machine::pending`] after the step.
    pub pending: &'a [Pending],
    /// The value of [`Machine::accesses`] after the step.
    pub accesses: &'a [Access],
    /// The value of [`Machine::parts`] after the step.
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

/// A machine that may recognise states and steps that it has seen before.
pub trait Recall: Machine {
    /// The number of the present state, if the machine has one for it; 0 is the initial state.
    /// States with one number are equal in everything that later steps read and report.
    fn state_number(&self) -> Option<u32>;
    /// The number of the last step, if the machine has one for it. The number identifies the state
    /// before the step and the choice.
    fn step_number(&self) -> Option<u32>;
    /// The results of the step with this number.
    fn seen(&self, step: u32) -> Seen<'_>;
}
