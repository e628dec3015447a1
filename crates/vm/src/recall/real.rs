//! The machine that executes, with a mark before each of its steps.

use crate::fingerprint::{Fingerprints, Keys};
use crate::vm::{Mark, Vm};
use selvedge_model::{Choice, Event, Machine, Undo};

/// A machine somewhere on a path.
pub(super) struct Real {
    pub vm: Vm,
    /// Where it was before each step.
    marks: Vec<Mark>,
    /// Nothing may be remembered: a value was symbolic, states have fingerprints of another kind,
    /// or it did not pay.
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

    /// How many steps it has taken.
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

    /// Goes back to where it had taken so many steps, if it has taken more.
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

    /// Whether its states may be told by their fingerprints.
    pub fn may_remember(&self) -> bool {
        !self.barred
    }

    /// From the initial state on, keeps fingerprints by which states are told.
    pub fn keep_fingerprints(&mut self) {
        let prints = Fingerprints::new(&self.vm.program, &self.vm.state, Keys::NAMED);
        self.vm.fingerprints = Some(Box::new(prints));
    }

    /// States need not be told any more.
    pub fn drop_fingerprints(&mut self) {
        self.vm.fingerprints = None;
    }

    /// Nothing is to be remembered from now on.
    pub fn go_alone(&mut self) {
        self.drop_fingerprints();
        self.barred = true;
    }
}
