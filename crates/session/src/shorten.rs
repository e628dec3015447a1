//! The shortest schedule of a finding: without unrelated steps, and with few context switches.
//!
//! Steps outside the causal past (in the dependence order) of the faulty step are dropped. The rest
//! is put in another order of the same class: one with the fewest context switches (`switches.rs`).
//! If finding that takes too long, a greedy rule is used: a thread continues as long as it can, and
//! the thread that can continue longest is next. The caller replays the result to see whether it
//! still shows the fault.

use crate::immediate::predecessors;
use crate::switches::{Steps, switches};
use crate::trace::{Made, Move};

/// Another order of the steps. `None` if it would be the same, or if the execution is too long.
/// `last`: the faulty step; `None` for a fault at the execution's end. `needed`: further steps that
/// must stay.
pub(crate) fn shorten(made: &[Made], last: Option<usize>, needed: &[usize]) -> Option<Vec<Move>> {
    let before = predecessors(made)?;
    let mut kept = vec![last.is_none(); made.len()];
    if let Some(last) = last {
        keep(&before, last, &mut kept);
        needed.iter().for_each(|&step| keep(&before, step, &mut kept));
    }
    let steps = Steps::new(made, &before, &kept, last);
    let order = steps.fewest().or_else(|| steps.longest_first())?;
    let steps: Vec<Move> = order.into_iter().map(|i| made[i].step.clone()).collect();
    let unchanged = steps.len() == made.len() && steps.iter().zip(made).all(|(new, old)| *new == old.step);
    (!unchanged).then_some(steps)
}

/// Whether no other order of the steps of an execution has fewer context switches; false if that is
/// not known.
pub(crate) fn has_fewest_switches(made: &[Made], last: Option<usize>) -> bool {
    let Some(before) = predecessors(made) else {
        return false;
    };
    let last = last.filter(|&last| last + 1 == made.len());
    let order = Steps::new(made, &before, &vec![true; made.len()], last).fewest();
    order.is_some_and(|order| switches(order.iter().map(|&step| &made[step])) == switches(made.iter()))
}

fn keep(before: &[Vec<usize>], step: usize, kept: &mut [bool]) {
    let mut stack = vec![step];
    while let Some(step) = stack.pop() {
        if !kept[step] {
            kept[step] = true;
            stack.extend(&before[step]);
        }
    }
}
