//! Dominators and post-dominators (Cooper, Harvey and Kennedy 2001, as petgraph has it).

use super::Cfg;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// A tree of dominators, with constant-time questions.
#[derive(Clone, Debug)]
pub struct Dominators {
    root: usize,
    /// The immediate dominator of each node; none for the root and what the root does not reach.
    immediate: Vec<Option<usize>>,
    /// When a walk of the tree enters and leaves each node; (0, 0) for what the root does not
    /// reach.
    interval: Vec<(u32, u32)>,
}

impl Dominators {
    /// Node a dominates node b if each path from the entry to b visits a.
    pub fn of(cfg: &Cfg) -> Dominators {
        Dominators::from_root(&cfg.graph, 0)
    }

    /// From a root of a graph.
    pub(super) fn from_root(graph: &DiGraph<(), ()>, root: usize) -> Dominators {
        let tree = simple_fast(graph, NodeIndex::new(root));
        let immediate: Vec<Option<usize>> = graph
            .node_indices()
            .map(|n| tree.immediate_dominator(n).map(NodeIndex::index))
            .collect();
        let mut children = vec![Vec::new(); immediate.len()];
        for (node, parent) in immediate.iter().enumerate() {
            if let Some(parent) = *parent {
                children[parent].push(node);
            }
        }
        let mut interval = vec![(0, 0); immediate.len()];
        let (mut clock, mut stack) = (1, vec![(root, 0)]);
        interval[root].0 = clock;
        while let Some((node, next)) = stack.last_mut() {
            clock += 1;
            if let Some(&child) = children[*node].get(*next) {
                *next += 1;
                interval[child].0 = clock;
                stack.push((child, 0));
            } else {
                interval[*node].1 = clock;
                stack.pop();
            }
        }
        Dominators {
            root,
            immediate,
            interval,
        }
    }

    /// The closest other node that dominates this one.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        self.immediate[node]
    }

    /// The root of the tree.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Whether the root reaches the node.
    pub fn reaches(&self, node: usize) -> bool {
        self.interval[node].0 != 0
    }

    /// Whether a dominates b; each node that the root reaches dominates itself. False if the root
    /// does not reach one of them.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let ((from, to), (begin, end)) = (self.interval[a], self.interval[b]);
        from != 0 && begin != 0 && from <= begin && end <= to
    }
}
