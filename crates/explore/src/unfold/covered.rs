//! What a run covered that did not come to its end.

use super::event::{EventId, Store};
use super::tree::{Child, Tree};
use selvedge_base::{Id, StmtId};
use selvedge_model::Op;
use std::collections::BTreeMap;

/// What an unfinished run of `unfold` is sure of: everything finished was explored wholly, and this
/// much is known to be left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Covered {
    /// Maximal configurations explored: traces, times paths.
    pub finished: u64,
    /// Configurations that ended where only cutoffs were left.
    pub cut: u64,
    /// Nodes of the tree that nobody was at: an alternative is known, and was not explored.
    pub open: u64,
    /// Nodes with an event of which it is not known whether all can be done without it.
    pub undecided: u64,
    /// The threads by hierarchical name, each with the length of its longest known past.
    pub threads: Vec<(String, u32)>,
    /// Alternatives of data choices that are known and were never taken, by statement.
    pub not_taken: BTreeMap<StmtId, u64>,
}

impl Covered {
    /// What is left of a tree, and what is known of the events.
    pub fn new(finished: u64, cut: u64, store: &Store, tree: &Tree) -> Covered {
        let mut covered = Covered {
            finished,
            cut,
            ..Covered::default()
        };
        for node in tree.unfinished() {
            if node.open {
                covered.open += 1;
            } else if node.event.is_some() && node.right == Child::None {
                covered.undecided += 1;
            }
        }
        let mut depths: BTreeMap<usize, u32> = BTreeMap::new();
        for id in (0..store.len()).map(EventId::from_index) {
            let event = &store[id];
            if event.executed {
                let depth = depths.entry(event.action.thread.index()).or_default();
                *depth = event.depth.max(*depth);
            } else if event.action.op == Op::Choose {
                *covered.not_taken.entry(event.action.stmt).or_default() += 1;
            }
        }
        let names = store.thread_names();
        let named = depths.into_iter().filter_map(|(thread, depth)| {
            let name = names.get(thread)?;
            Some((name.clone(), depth))
        });
        covered.threads = named.collect();
        covered.threads.sort_by_cached_key(|(name, _)| {
            name.split('.')
                .map(|k| k.parse().unwrap_or(0))
                .collect::<Vec<u32>>()
        });
        covered
    }
}
