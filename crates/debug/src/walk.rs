//! Moves the machine from stop to stop.

use crate::tape::{Error, Stop, Tape};
use selvedge_model::{Machine, Undo};
use selvedge_vm::{Mark, Program, Vm};
use std::sync::Arc;

/// A machine at a stop.
pub(crate) struct Walk {
    pub(crate) vm: Vm,
    /// The marks before each complete step, and before the step in progress.
    marks: Vec<Mark>,
    /// The number of complete steps.
    made: usize,
    /// A step is in progress, interrupted at a line.
    within: bool,
}

impl Walk {
    /// A machine at the beginning.
    pub(crate) fn new(program: &Arc<Program>) -> Result<Walk, Error> {
        Ok(Walk {
            vm: Vm::new(Arc::clone(program))?,
            marks: Vec::new(),
            made: 0,
            within: false,
        })
    }

    /// Moves to a stop of the tape.
    pub(crate) fn go(&mut self, tape: &Tape, stop: &Stop) {
        if self.within || stop.step < self.made {
            let step = stop.step.min(self.made);
            self.vm.undo(self.marks[step]);
            self.marks.truncate(step);
            (self.made, self.within) = (step, false);
        }
        while self.made < stop.step {
            let choice = tape.choices[self.made];
            self.marks.push(self.vm.mark());
            self.vm.step(choice);
            self.made += 1;
        }
        if stop.line > 0 {
            self.marks.push(self.vm.mark());
            self.vm.step_to_line(tape.choices[self.made], stop.line);
            self.within = true;
        }
    }
}
