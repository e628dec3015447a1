//! The steps of an execution that each step comes immediately after, in the dependence order. All
//! others that must stay before it follow from these.
//!
//! The order is kept as vector clocks (Mattern, Virtual time and global states of distributed
//! systems, 1989): of each thread, the number of steps that a step comes after. Of the steps of
//! another thread only those count that the previous step of its own thread does not come after.

use crate::trace::Made;
use selvedge_base::Id;
use selvedge_model::{Conflict, Dependence, Op};

/// The most pairs of steps that are compared, in executions whose threads hardly ever wait for each
/// other: about a second.
const MOST_PAIRS: usize = 100_000_000;

/// For each step, the earlier steps that it comes immediately after, and the previous step of its
/// own thread; the latest come first. `None` for an execution that is too long.
pub(crate) fn predecessors(made: &[Made]) -> Option<Vec<Vec<usize>>> {
    let count = made.iter().map(|made| made.action.thread.index() + 1);
    let count = count.max().unwrap_or(0);
    // The steps of each thread, and of each step the clock.
    let mut of_thread: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut clocks: Vec<Vec<usize>> = Vec::with_capacity(made.len());
    let mut immediate = Vec::with_capacity(made.len());
    let mut compared = 0;
    for (step, what) in made.iter().enumerate() {
        let own = what.action.thread.index();
        let previous = of_thread[own].last().copied();
        let mut clock = previous.map_or_else(|| vec![0; count], |previous| clocks[previous].clone());
        let mut after: Vec<usize> = Vec::new();
        for (thread, steps) in of_thread.iter().enumerate().filter(|&(thread, _)| thread != own) {
            let open = &steps[clock[thread]..];
            let found = open.iter().rposition(|&earlier| ordered(&made[earlier], what));
            after.extend(found.map(|at| open[at]));
            compared += open.len() - found.unwrap_or(0);
        }
        if compared > MOST_PAIRS {
            return None;
        }
        after.sort_unstable_by(|a, b| b.cmp(a));
        after.retain(|&earlier| {
            let thread = made[earlier].action.thread.index();
            let is_new = clocks[earlier][thread] > clock[thread];
            if is_new {
                clock
                    .iter_mut()
                    .zip(&clocks[earlier])
                    .for_each(|(all, &one)| *all = (*all).max(one));
            }
            is_new
        });
        after.extend(previous);
        after.sort_unstable_by(|a, b| b.cmp(a));
        of_thread[own].push(step);
        clock[own] = of_thread[own].len();
        clocks.push(clock);
        immediate.push(after);
    }
    Some(immediate)
}

/// Whether the order of two steps matters.
fn ordered(earlier: &Made, later: &Made) -> bool {
    earlier.action.thread == later.action.thread
        || earlier.created == Some(later.action.thread)
        || later.action.op == Op::ProcessExit
        || Conflict.dependent(&earlier.action, &later.action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All that must stay before each step, from all pairs.
    fn oracle(made: &[Made]) -> Vec<BTreeSet<usize>> {
        let mut before: Vec<BTreeSet<usize>> = Vec::new();
        for step in 0..made.len() {
            let mut all = BTreeSet::new();
            for earlier in (0..step).filter(|&earlier| ordered(&made[earlier], &made[step])) {
                all.insert(earlier);
                all.extend(&before[earlier]);
            }
            before.push(all);
        }
        before
    }

    #[test]
    fn what_must_stay_before_a_step_is_what_all_pairs_say() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut between = 0;
        for _ in 0..500 {
            let steps: Vec<Made> = (0..random.usize(2..40))
                .map(|_| {
                    let op = [Op::Write, Op::Read, Op::Lock, Op::ProcessExit][random.usize(0..13) % 4];
                    let mut made = Made::example(random.u16(0..4), op, 0x100 * random.u64(1..6));
                    if random.u8(..) < 20 {
                        made.created = Some(selvedge_base::ThreadId(random.u16(0..4)));
                    }
                    made
                })
                .collect();
            let all = oracle(&steps);
            for (step, immediate) in predecessors(&steps).unwrap().iter().enumerate() {
                let mut reached: BTreeSet<usize> = immediate.iter().copied().collect();
                immediate
                    .iter()
                    .for_each(|&earlier| reached.extend(&all[earlier]));
                assert_eq!(reached, all[step], "{step}");
                // Only the previous step of the own thread may be reached in another way, too.
                let others = |&&earlier: &&usize| steps[earlier].action.thread != steps[step].action.thread;
                for earlier in immediate.iter().filter(others) {
                    assert!(immediate.iter().all(|other| !all[*other].contains(earlier)));
                }
                between += all[step].len() - immediate.len();
            }
        }
        assert!(between > 10_000, "{between}");
    }
}
