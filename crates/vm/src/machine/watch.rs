//! Stepping by lines: the lines that a step executes, and the state within the step.
//!
//! The compiler's marks of lines (`Options::coverage`) are the places at which a step can be
//! stopped. A debugger first records the lines of a step, and can then take the step again up to
//! one of them. A machine within a step can only be read and undone.

use super::lines::{LineSeen, Watch};
use crate::coverage::Point;
use crate::vm::Vm;
use selvedge_base::ThreadId;
use selvedge_model::{Choice, Event, Machine};

impl Vm {
    /// Takes a step, and returns the lines that it reached, at most `most`.
    ///
    /// # Panics
    /// As [`Machine::step`].
    pub fn step_with_lines(&mut self, choice: Choice, most: usize) -> (Event, Vec<LineSeen>) {
        self.watch = Some(Box::new(Watch {
            most,
            ..Watch::default()
        }));
        let event = self.step(choice);
        let watch = self.watch.take().unwrap_or_default();
        (event, watch.lines)
    }

    /// Begins a step, and stops it at the line with this number, counted from 1. The machine must
    /// then return to a mark before anything else is done with it.
    ///
    /// # Panics
    /// As [`Machine::step`].
    pub fn step_to_line(&mut self, choice: Choice, line: usize) {
        self.watch = Some(Box::new(Watch {
            most: line,
            leaves: true,
            ..Watch::default()
        }));
        self.step(choice);
        self.watch = None;
    }

    /// True if the present step was stopped at a line.
    pub(super) fn was_left(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.left)
    }

    /// Records that a thread is at a place. Returns true if the step is stopped here.
    #[cold]
    pub(super) fn watch(&mut self, thread: ThreadId, point: u32) -> bool {
        let Some(Point::Line(stmt)) = self.program.points.get(point as usize).copied() else {
            return false;
        };
        let depth = self.state.thread(thread).core.depth;
        let Some(watch) = &mut self.watch else {
            return false;
        };
        if watch.lines.len() < watch.most {
            watch.lines.push(LineSeen { stmt, depth });
        }
        watch.left = watch.leaves && watch.lines.len() >= watch.most;
        watch.left
    }
}
