//! The fewest context switches that the order of dependent steps permits.
//!
//! A thread that can continue may as well continue: to move its next step to the front never adds a
//! switch, because the block that the step comes from becomes shorter or vanishes. So it is enough
//! to decide which thread is next whenever the present one cannot continue: a breadth-first search
//! over what is done at these points, where each level is one more block of steps.

use crate::trace::Made;
use selvedge_base::Id;
use std::collections::HashSet;

/// The most states that are looked at.
const MOST_STATES: usize = 50_000;

/// The most steps that a search of an order tries to take, over and over: about a second.
const MOST_TRIED: usize = 50_000_000;

/// The steps of an execution that stay, thread by thread.
pub(crate) struct Steps<'a> {
    before: &'a [Vec<usize>],
    kept: &'a [bool],
    last: Option<usize>,
    threads: Vec<Vec<usize>>,
    /// The thread of each step, and its number there.
    number: Vec<(usize, usize)>,
    total: usize,
}

impl<'a> Steps<'a> {
    /// `before`: for each step the earlier steps that it comes immediately after, at least. `last`:
    /// a step that must be the last one.
    pub(crate) fn new(
        made: &[Made],
        before: &'a [Vec<usize>],
        kept: &'a [bool],
        last: Option<usize>,
    ) -> Steps<'a> {
        let count = made.iter().map(|made| made.action.thread.index() + 1).max();
        let mut threads = vec![Vec::new(); count.unwrap_or(0)];
        let mut number = vec![(0, 0); made.len()];
        let mut total = 0;
        for step in (0..made.len()).filter(|&step| kept[step]) {
            let thread = made[step].action.thread.index();
            number[step] = (thread, threads[thread].len());
            threads[thread].push(step);
            total += 1;
        }
        Steps {
            before,
            kept,
            last,
            threads,
            number,
            total,
        }
    }

    /// Whether a step can be the next one, given how many of each thread are done.
    fn is_ready(&self, done: &[u32], step: usize) -> bool {
        let is_done = |&before: &usize| {
            let (thread, number) = self.number[before];
            !self.kept[before] || number < done[thread] as usize
        };
        let alone = || done.iter().sum::<u32>() as usize + 1 == self.total;
        self.before[step].iter().all(is_done) && (self.last != Some(step) || alone())
    }

    /// Lets a thread continue as long as it can; how many steps that is.
    fn advance(&self, done: &mut [u32], thread: usize) -> usize {
        let from = done[thread];
        while let Some(&step) = self.threads[thread].get(done[thread] as usize)
            && self.is_ready(done, step)
        {
            done[thread] += 1;
        }
        (done[thread] - from) as usize
    }

    /// An order of the steps with the fewest context switches; `None` if the search would take too
    /// long.
    pub(crate) fn fewest(&self) -> Option<Vec<usize>> {
        // Each state with the one that it was reached from, and the thread that moved.
        let mut states: Vec<(Vec<u32>, usize, usize)> = vec![(vec![0; self.threads.len()], 0, 0)];
        let mut known: HashSet<Vec<u32>> = HashSet::from([states[0].0.clone()]);
        let (mut at, mut tried) = (0, 0);
        while at < states.len() && states.len() <= MOST_STATES && tried <= MOST_TRIED {
            if states[at].0.iter().sum::<u32>() as usize == self.total {
                return Some(self.path(&states, at));
            }
            for thread in 0..self.threads.len() {
                let mut done = states[at].0.clone();
                tried += self.advance(&mut done, thread);
                if done != states[at].0 && known.insert(done.clone()) {
                    states.push((done, at, thread));
                }
            }
            at += 1;
        }
        None
    }

    /// The steps that lead to a state.
    fn path(&self, states: &[(Vec<u32>, usize, usize)], mut at: usize) -> Vec<usize> {
        let mut order = Vec::new();
        while at != 0 {
            let (done, from, thread) = &states[at];
            let begin = states[*from].0[*thread] as usize;
            let end = done[*thread] as usize;
            order.extend(self.threads[*thread][begin..end].iter().rev());
            at = *from;
        }
        order.reverse();
        order
    }

    /// The order in which the thread that can continue longest is always the next; `None` if
    /// finding it would take too long.
    pub(crate) fn longest_first(&self) -> Option<Vec<usize>> {
        let mut done = vec![0; self.threads.len()];
        let (mut order, mut tried) = (Vec::new(), 0);
        while order.len() < self.total {
            let runs = (0..self.threads.len()).map(|thread| {
                let mut then = done.clone();
                (self.advance(&mut then, thread), thread)
            });
            // Of equals, the one with the lowest number.
            let runs: Vec<(usize, usize)> = runs.collect();
            tried += self.threads.len() + runs.iter().map(|(length, _)| length).sum::<usize>();
            let (length, thread) = runs.into_iter().rev().max_by_key(|&(length, _)| length)?;
            if length == 0 || tried > MOST_TRIED {
                return None;
            }
            let begin = done[thread] as usize;
            order.extend(&self.threads[thread][begin..begin + length]);
            done[thread] += length as u32;
        }
        Some(order)
    }
}

/// How often the thread changes from one step to the next.
pub(crate) fn switches<'a>(steps: impl Iterator<Item = &'a Made>) -> usize {
    let threads: Vec<usize> = steps.map(|made| made.action.thread.index()).collect();
    threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::immediate::predecessors;
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
            let before = predecessors(&steps).unwrap();
            let last = random.bool().then_some(steps.len() - 1);
            let kept = vec![true; steps.len()];
            let order = Steps::new(&steps, &before, &kept, last).fewest().unwrap();
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
