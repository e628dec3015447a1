//! How far an exploration is, as an estimate, and how good the estimate was.
//!
//! The explored part of a search tree is estimated from the present path: at each node above, the
//! children that are done count as their share of the node, and the present child's share is looked
//! at further down (weighted backtracking: Kilby, Slaney, Thiébaux, Walsh, *Estimating Search Tree
//! Size*, AAAI 2006, after Knuth 1975). Only children that are known count. The tree grows while it
//! is explored, so the estimate may be too high. How wrong it was is known at the end, when each
//! estimate can be compared with the work that was really done by then.

/// The most estimates that are kept.
const MOST: usize = 64;
/// With fewer estimates nothing is said of their error.
const FEWEST: usize = 4;

/// The estimates of one exploration, evenly spread over its time.
#[derive(Clone, Default, Debug)]
pub(crate) struct History {
    /// Events by then, and the part that was estimated.
    samples: Vec<(u64, f64)>,
    /// One in this many estimates is kept.
    every: u64,
    noted: u64,
}

impl History {
    /// Keeps an estimate.
    pub(crate) fn note(&mut self, events: u64, part: f64) {
        self.every = self.every.max(1);
        self.noted += 1;
        if !self.noted.is_multiple_of(self.every) {
            return;
        }
        self.samples.push((events, part));
        if self.samples.len() == MOST {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every *= 2;
        }
    }

    /// The mean distance between what was estimated and what was true, if the exploration is
    /// complete after so many events; and the number of estimates.
    pub(crate) fn error(&self, events: u64) -> Option<(f64, usize)> {
        // The last estimate may be of the end itself.
        let before = self.samples.iter().filter(|(then, _)| *then < events);
        let distances: Vec<f64> = before
            .map(|&(then, part)| (part - then as f64 / events as f64).abs())
            .collect();
        let count = distances.len();
        (count >= FEWEST).then(|| (distances.iter().sum::<f64>() / count as f64, count))
    }
}

/// The explored part of a search tree, from the nodes above the present one, the root first: how
/// many of the children of each are done, and how many it has in all (with the present one).
pub(crate) fn explored_part(nodes: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut part, mut weight) = (0.0, 1.0);
    for (done, children) in nodes {
        part += weight * done / children;
        weight /= children;
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random tree by the children of each node, explored depth first: the estimate at each leaf,
    /// by Knuth's rule over the path, and the leaves until then.
    fn walk(random: &mut fastrand::Rng, path: &mut Vec<(f64, f64)>, depth: usize, seen: &mut Vec<f64>) {
        if depth == 0 {
            seen.push(explored_part(path.iter().copied()));
            return;
        }
        let children = random.usize(1..4);
        for child in 0..children {
            path.push((child as f64, children as f64));
            walk(random, path, depth - 1, seen);
            path.pop();
        }
    }

    #[test]
    fn estimates_grow_from_nothing_and_are_right_in_even_trees() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..20 {
            let mut seen = Vec::new();
            walk(&mut random, &mut Vec::new(), 8, &mut seen);
            assert_eq!(seen[0], 0.0);
            assert!(seen.is_sorted() && seen.iter().all(|part| *part < 1.0));
        }
        // Each leaf of an even tree has the same share.
        let even =
            |leaf: usize| explored_part([2, 1, 0].map(|bit| ((leaf >> bit & 1) as f64, 2.0)).into_iter());
        assert!((0..8).all(|leaf| even(leaf) == leaf as f64 / 8.0));
    }

    #[test]
    fn the_error_is_the_distance_from_the_truth() {
        let mut history = History::default();
        for events in 0..1000 {
            history.note(events, events as f64 / 1000.0);
        }
        let (exact, count) = history.error(1000).unwrap();
        assert!(
            exact < 1e-9 && (FEWEST..=MOST).contains(&count),
            "{exact} {count}"
        );
        // The same estimates of a tree of twice the size are too high by a quarter on average.
        let (high, _) = history.error(2000).unwrap();
        assert!((high - 0.25).abs() < 0.02, "{high}");
        assert_eq!(History::default().error(10), None);
    }
}
