//! What an unfinished run has covered.

use super::event::{EventId, Store};
use super::tree::{Child, Tree};
use selvedge_base::{Id, StmtId};
use selvedge_model::Op;
use std::collections::BTreeMap;

/// The results of an unfinished run of `unfold` that are certain, and the known work that remains.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Covered {
    /// The number of maximal configurations explored: traces, times data paths.
    pub finished: u64,
    /// The number of configurations after which only cutoffs were left.
    pub cut: u64,
    /// The number of tree nodes that were not visited: an alternative is known and was not
    /// explored.
    pub open: u64,
    /// The number of nodes with an event for which it is not yet decided whether a configuration
    /// without it exists.
    pub undecided: u64,
    /// The threads by hierarchical name, each with the number of events in its longest known
    /// execution.
    pub threads: Vec<(String, u32)>,
    /// Known alternatives of data choices that were never taken, by statement.
    pub not_taken: BTreeMap<StmtId, u64>,
}

impl Covered {
    /// Computes the remaining work from a tree and from the known events.
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
