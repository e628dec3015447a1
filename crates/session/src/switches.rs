//! The fewest context switches that the order of dependent steps permits.
//!
//! A thread that can continue may as well continue: to move its next step to the front never adds a
//! switch, because the block that the step comes from becomes shorter or vanishes. So it is enough
//! to decide which thread is next whenever the present one cannot continue: a breadth-first search
//! over what is done at these points, where each level is one more block of steps.

use crate::trace::Made;
use selvedge_base::{Id, ThreadId};
use std::collections::HashSet;

/// The most states that are looked at.
const MOST_STATES: usize = 50_000;

/// An order of the kept steps with the fewest context switches; `None` if the search would take too
/// long. `before`: for each step the earlier steps that must stay before it. `last`: a step that
/// must be the last one.
pub(crate) fn fewest(
    made: &[Made],
    before: &[Vec<usize>],
    kept: &[bool],
    last: Option<usize>,
) -> Option<Vec<usize>> {
    let total = kept.iter().filter(|&&kept| kept).count();
    let mut threads: Vec<(ThreadId, Vec<usize>)> = Vec::new();
    // The number of each step within its thread.
    let mut number = vec![(0, 0); made.len()];
    for step in (0..made.len()).filter(|&step| kept[step]) {
        let thread = made[step].action.thread;
        let at = match threads.iter().position(|(known, _)| *known == thread) {
            Some(at) => at,
            None => {
                threads.push((thread, Vec::new()));
                threads.len() - 1
            }
        };
        number[step] = (at, threads[at].1.len());
        threads[at].1.push(step);
    }
    let ready = |done: &[u32], step: usize| {
        let is_done = |&before: &usize| {
            let (thread, number) = number[before];
            !kept[before] || number < done[thread] as usize
        };
        let alone = || done.iter().sum::<u32>() as usize + 1 == total;
        before[step].iter().all(is_done) && (last != Some(step) || alone())
    };
    // Each state with the one that it was reached from, and the thread that moved.
    let mut states: Vec<(Vec<u32>, usize, usize)> = vec![(vec![0; threads.len()], 0, 0)];
    let mut known: HashSet<Vec<u32>> = HashSet::from([states[0].0.clone()]);
    let mut at = 0;
    while at < states.len() && states.len() <= MOST_STATES {
        if states[at].0.iter().sum::<u32>() as usize == total {
            return Some(order(&states, at, &threads));
        }
        for thread in 0..threads.len() {
            let mut done = states[at].0.clone();
            while let Some(&step) = threads[thread].1.get(done[thread] as usize)
                && ready(&done, step)
            {
                done[thread] += 1;
            }
            if done != states[at].0 && known.insert(done.clone()) {
                states.push((done, at, thread));
            }
        }
        at += 1;
    }
    None
}

/// The steps that lead to a state.
fn order(
    states: &[(Vec<u32>, usize, usize)],
    mut at: usize,
    threads: &[(ThreadId, Vec<usize>)],
) -> Vec<usize> {
    let mut order = Vec::new();
    while at != 0 {
        let (done, from, thread) = &states[at];
        let begin = states[*from].0[*thread] as usize;
        let end = done[*thread] as usize;
        order.extend(threads[*thread].1[begin..end].iter().rev());
        at = *from;
    }
    order.reverse();
    order
}

/// How often the thread changes from one step to the next.
pub(crate) fn switches<'a>(steps: impl Iterator<Item = &'a Made>) -> usize {
    let threads: Vec<usize> = steps.map(|made| made.action.thread.index()).collect();
    threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shorten::predecessors;
    use selvedge_model::Op;

    /// The fewest switches of all orders, by trying each.
    fn oracle(made: &[Made], before: &[Vec<usize>], last: Option<usize>, done: &mut Vec<usize>) -> usize {
        if done.len() == made.len() {
            return switches(done.iter().map(|&step| &made[step]));
        }
        let mut best = usize::MAX;
        for step in 0..made.len() {
            let ready = !done.contains(&step) && before[step].iter().all(|step| done.contains(step));
            if ready && (last != Some(step) || done.len() + 1 == made.len()) {
                done.push(step);
                best = best.min(oracle(made, before, last, done));
                done.pop();
            }
        }
        best
    }

    #[test]
    fn no_order_has_fewer() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut better = 0;
        for _ in 0..300 {
            let steps: Vec<Made> = (0..random.usize(2..9))
                .map(|_| {
                    let op = if random.bool() { Op::Write } else { Op::Read };
                    Made::example(random.u16(0..3), op, 0x100 * random.u64(1..4))
                })
                .collect();
            let before = predecessors(&steps);
            let last = random.bool().then_some(steps.len() - 1);
            let kept = vec![true; steps.len()];
            let order = fewest(&steps, &before, &kept, last).unwrap();
            let mut at = vec![0; steps.len()];
            order.iter().enumerate().for_each(|(i, &step)| at[step] = i);
            assert_eq!(order.len(), steps.len());
            for (step, before) in before.iter().enumerate() {
                assert!(before.iter().all(|&before| at[before] < at[step]));
            }
            let found = switches(order.iter().map(|&step| &steps[step]));
            assert_eq!(found, oracle(&steps, &before, last, &mut Vec::new()));
            better += usize::from(found < switches(steps.iter()));
        }
        assert!(better > 100, "{better}");
    }
}
