//! Stepping by lines: which lines a step executes, and how the state is in the midst of it.
//!
//! The compiler's notes of lines (`Options::coverage`) are the places where a step can be looked
//! at. A debugger first notes the lines of a step, and can then take the step again up to one of
//! them. A machine in the midst of a step can be looked at and taken back, and nothing else.

use crate::coverage::Point;
use crate::vm::Vm;
use selvedge_base::{StmtId, ThreadId};
use selvedge_model::{Choice, Event, Machine};

/// A line that a step has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineSeen {
    /// The first statement of the line.
    pub stmt: StmtId,
    /// How many calls were active.
    pub depth: u32,
}

/// What is watched in the present step.
#[derive(Default)]
pub(crate) struct Watch {
    /// The lines so far, up to `most`.
    lines: Vec<LineSeen>,
    /// How many lines are kept, and how many there may be before the step is left.
    most: usize,
    /// The step is left when there are `most` lines.
    leaves: bool,
    /// It was left.
    pub(super) left: bool,
}

impl Vm {
    /// Takes a step, and gives the lines that it has come to: not more than `most`.
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

    /// Begins a step, and leaves it at the line with this number, counted from 1. The machine then
    /// has to be taken back to a mark before anything else is done with it.
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

    /// Whether the present step was left at a line.
    pub(super) fn was_left(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.left)
    }

    /// Notes that a thread is at a place; whether the step is left here.
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
