//! The machine that executes steps, with a mark before each of them.

use crate::fingerprint::{Fingerprints, Keys};
use crate::vm::{Mark, Vm};
use selvedge_model::{Choice, Event, Machine, Undo};

/// A machine somewhere on a path.
pub(super) struct Real {
    pub vm: Vm,
    /// The marks before each step.
    marks: Vec<Mark>,
    /// True if nothing may be cached: a value was symbolic, states have fingerprints of another
    /// kind, or caching did not pay.
    barred: bool,
}

impl Real {
    /// A machine at its initial state.
    pub fn new(vm: Vm) -> Real {
        let mut real = Real {
            barred: vm.fingerprints.is_some(),
            vm,
            marks: Vec::new(),
        };
        real.look();
        real
    }

    /// The number of steps that it has taken.
    #[inline]
    pub fn steps(&self) -> usize {
        self.marks.len()
    }

    pub fn step(&mut self, choice: Choice) -> Event {
        self.marks.push(self.vm.mark());
        let event = self.vm.step(choice);
        self.look();
        event
    }

    /// Returns to the state after this number of steps, if it has taken more.
    pub fn undo(&mut self, steps: usize) {
        if let Some(&mark) = self.marks.get(steps) {
            self.vm.undo(mark);
            self.marks.truncate(steps);
        }
    }

    #[inline]
    fn look(&mut self) {
        self.barred |= self.vm.state.path().is_used();
    }

    /// True if its states may be identified by their fingerprints.
    pub fn may_remember(&self) -> bool {
        !self.barred
    }

    /// From the initial state on, maintains fingerprints that identify states.
    pub fn keep_fingerprints(&mut self) {
        let prints = Fingerprints::new(&self.vm.program, &self.vm.state, Keys::NAMED);
        self.vm.fingerprints = Some(Box::new(prints));
    }

    /// States need not be identified any more.
    pub fn drop_fingerprints(&mut self) {
        self.vm.fingerprints = None;
    }

    /// Nothing is to be cached from now on.
    pub fn go_alone(&mut self) {
        self.drop_fingerprints();
        self.barred = true;
    }
}
