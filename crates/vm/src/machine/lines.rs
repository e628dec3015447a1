//! The lines that a step has reached.

use selvedge_base::StmtId;

/// A line that a step has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineSeen {
    /// The first statement of the line.
    pub stmt: StmtId,
    /// The number of active calls.
    pub depth: u32,
}

/// The data collected in the present step.
#[derive(Default)]
pub(crate) struct Watch {
    /// The lines so far, up to `most`.
    pub(super) lines: Vec<LineSeen>,
    /// The maximum number of recorded lines, and the number at which the step may be stopped.
    pub(super) most: usize,
    /// True if the step is stopped after `most` lines.
    pub(super) leaves: bool,
    /// True if it was stopped.
    pub(super) left: bool,
}
