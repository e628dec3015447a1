//! The shortest schedule of a finding: without unrelated steps, and with few context switches.
//!
//! Steps outside the causal past (in the dependence order) of the faulty step are dropped. The rest
//! is put in another order of the same class: one with the fewest context switches (`switches.rs`).
//! If finding that takes too long, a greedy rule is used: a thread continues as long as it can, and
//! the thread that can continue longest is next. The caller replays the result to see whether it
//! still shows the fault.

use crate::switches::{fewest, switches};
use crate::trace::{Made, Move};
use selvedge_model::{Conflict, Dependence, Op};

/// Longer executions are not shortened: finding their order takes quadratic time.
const LONGEST: usize = 3000;

/// Another order of the steps. `None` if it would be the same, or if the execution is too long.
/// `last`: the faulty step; `None` for a fault at the execution's end. `needed`: further steps that
/// must stay.
pub(crate) fn shorten(made: &[Made], last: Option<usize>, needed: &[usize]) -> Option<Vec<Move>> {
    if made.len() > LONGEST {
        return None;
    }
    let before = predecessors(made);
    let mut kept = vec![last.is_none(); made.len()];
    if let Some(last) = last {
        keep(&before, last, &mut kept);
        needed.iter().for_each(|&step| keep(&before, step, &mut kept));
    }
    let order = match fewest(made, &before, &kept, last) {
        Some(order) => order,
        None => linearise(made, &before, &kept, last),
    };
    let steps: Vec<Move> = order.into_iter().map(|i| made[i].step.clone()).collect();
    let unchanged = steps.len() == made.len() && steps.iter().zip(made).all(|(new, old)| *new == old.step);
    (!unchanged).then_some(steps)
}

/// Whether no other order of the steps of an execution has fewer context switches; false if that is
/// not known.
pub(crate) fn has_fewest_switches(made: &[Made], last: Option<usize>) -> bool {
    if made.len() > LONGEST {
        return false;
    }
    let last = last.filter(|&last| last + 1 == made.len());
    let order = fewest(made, &predecessors(made), &vec![true; made.len()], last);
    order.is_some_and(|order| switches(order.iter().map(|&step| &made[step])) == switches(made.iter()))
}

/// For each step, the earlier steps that must stay before it.
pub(crate) fn predecessors(made: &[Made]) -> Vec<Vec<usize>> {
    let ordered = |i: usize, j: usize| {
        let (a, b) = (&made[i], &made[j]);
        a.action.thread == b.action.thread
            || a.created == Some(b.action.thread)
            || b.action.op == Op::ProcessExit
            || Conflict.dependent(&a.action, &b.action)
    };
    (0..made.len())
        .map(|j| (0..j).filter(|&i| ordered(i, j)).collect())
        .collect()
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

fn linearise(made: &[Made], before: &[Vec<usize>], kept: &[bool], last: Option<usize>) -> Vec<usize> {
    let mut done = vec![false; made.len()];
    let mut order = Vec::new();
    let total = kept.iter().filter(|&&k| k).count();
    while order.len() < total {
        // For each thread, how far it could continue now.
        let mut best: Vec<usize> = Vec::new();
        let mut seen = Vec::new();
        for first in (0..made.len()).filter(|&i| kept[i] && !done[i]) {
            let thread = made[first].action.thread;
            if seen.contains(&thread) {
                continue;
            }
            seen.push(thread);
            let mut run = Vec::new();
            for step in (first..made.len()).filter(|&i| kept[i] && made[i].action.thread == thread) {
                let ready = before[step]
                    .iter()
                    .all(|&b| !kept[b] || done[b] || run.contains(&b));
                let must_wait = Some(step) == last && order.len() + run.len() + 1 < total;
                if !ready || must_wait {
                    break;
                }
                run.push(step);
            }
            if run.len() > best.len() {
                best = run;
            }
        }
        if best.is_empty() {
            break; // cannot happen: the original order is one
        }
        best.iter().for_each(|&step| done[step] = true);
        order.extend(best);
    }
    order
}
