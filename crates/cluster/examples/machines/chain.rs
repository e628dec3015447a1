//! The longest chain of a search in parts: its time with any number of workers, if messages take no
//! time and each entry is begun as soon as it is known. The time of one worker over that is the
//! parallelism P of the search. With p workers, its efficiency is at most P / p, and at least
//! 1 / (1 + p / P) if no worker is ever without an entry that is known (Brent 1974).

use crate::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// Smaller trees, in nanoseconds, are not divided.
const LEAST: u64 = 100_000_000;

/// Times are in executions.
pub struct Chain<'a> {
    shape: &'a Shape,
    least: u64,
    /// True if an entry is known as soon as the execution that asks for it was explored; else, when
    /// all executions up to that one were.
    early: bool,
}

impl Chain<'_> {
    /// The parallelism of a search.
    pub fn parallelism(shape: &Shape, early: bool) -> f64 {
        let least = (LEAST / shape.cost).max(64);
        let chain = Chain { shape, least, early };
        shape.size as f64 / chain.times((0, shape.size), &BTreeSet::new()).0 as f64
    }

    /// From the begin of a node on: the time until all of it is explored, and for each of some
    /// executions the time until those before it are, or the one before it is.
    fn times(&self, (begin, end): (u64, u64), asked: &BTreeSet<u64>) -> (u64, BTreeMap<u64, u64>) {
        let size = end - begin;
        let children = self.shape.children(begin, end);
        let is_divided = children.len() > 1 && size > self.least;
        if !is_divided {
            return (size, asked.iter().map(|&at| (at, at - begin)).collect());
        }
        let mut all = asked.clone();
        all.extend(children.iter().map(|child| child.known));
        let mut times = BTreeMap::from([(begin, 0)]);
        let mut done = 0;
        for child in children {
            let starts = times.get(&child.known).copied().unwrap_or_default();
            let within: BTreeSet<u64> = all.range(child.begin + 1..=child.end).copied().collect();
            let (took, inside) = self.times((child.begin, child.end), &within);
            for (at, time) in inside {
                let time = starts + time;
                times.insert(at, if self.early { time } else { time.max(done) });
            }
            done = done.max(starts + took);
        }
        (done, asked.iter().map(|at| (*at, times[at])).collect())
    }
}
