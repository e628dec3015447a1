//! The store of cached steps: states are nodes, steps are edges.
//!
//! The machine and the race detector both cache their steps in it. They differ in what a state is
//! (`K`, its key), in what names a step at a state (`L`, its label), and in the data that they need
//! of both. Whether caching pays is decided by its users: that depends on what a key costs them.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A state.
#[derive(Debug)]
struct Node<N> {
    /// The newest step from here; the others follow it.
    edge: u32,
    /// Another state with the same key.
    same: u32,
    data: N,
}

/// A step.
#[derive(Debug)]
pub struct Edge<L, E> {
    /// What names it among the steps of its state.
    pub label: L,
    next: u32,
    /// The state that it leads to.
    pub to: u32,
    /// The data.
    pub data: E,
}

/// States and steps, with a limit on their memory. See the module's documentation.
#[derive(Debug)]
pub struct StepGraph<K, L, N, E> {
    nodes: Vec<Node<N>>,
    edges: Vec<Edge<L, E>>,
    /// The newest state with a key.
    by_key: FxHashMap<K, u32>,
    most_bytes: usize,
}

/// No state, or no step.
pub const NONE: u32 = u32::MAX;

impl<K: Eq + Hash, L: PartialEq, N, E> StepGraph<K, L, N, E> {
    /// An empty graph that should not become larger than this many bytes.
    pub fn new(most_bytes: usize) -> Self {
        StepGraph {
            nodes: Vec::new(),
            edges: Vec::new(),
            by_key: FxHashMap::default(),
            most_bytes,
        }
    }

    /// The step with a label from a state; [`NONE`] if it is not known.
    #[inline]
    pub fn find(&self, node: u32, label: L) -> u32 {
        let mut at = self.nodes[node as usize].edge;
        while at != NONE {
            let edge = &self.edges[at as usize];
            if edge.label == label {
                break;
            }
            at = edge.next;
        }
        at
    }

    /// A step.
    #[inline]
    pub fn edge(&self, edge: u32) -> &Edge<L, E> {
        &self.edges[edge as usize]
    }

    /// The data of a state.
    #[inline]
    pub fn node(&self, node: u32) -> &N {
        &self.nodes[node as usize].data
    }

    /// The state with a key that `is` the right one of those with this key. `make` makes the data
    /// of a new one.
    pub fn enter(&mut self, key: K, is: impl Fn(&N) -> bool, make: impl FnOnce() -> N) -> u32 {
        let newest = self.by_key.entry(key).or_insert(NONE);
        let mut at = *newest;
        while at != NONE {
            let node = &self.nodes[at as usize];
            if is(&node.data) {
                return at;
            }
            at = node.same;
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(Node {
            edge: NONE,
            same: *newest,
            data: make(),
        });
        *newest = node;
        node
    }

    /// Adds a step with a label from a state to another one.
    pub fn learn(&mut self, (from, label, to): (u32, L, u32), data: E) -> u32 {
        let edge = self.edges.len() as u32;
        let next = std::mem::replace(&mut self.nodes[from as usize].edge, edge);
        self.edges.push(Edge {
            label,
            next,
            to,
            data,
        });
        edge
    }

    /// True while the graph, with this many bytes of data beside it, has not reached its limit. The
    /// size is approximate.
    pub fn has_room(&self, beside: usize) -> bool {
        let node = size_of::<Node<N>>() + 2 * size_of::<(K, u32)>();
        self.nodes.len() * node + size_of_val(&self.edges[..]) + beside <= self.most_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Letters = StepGraph<u8, char, u8, u8>;

    #[test]
    fn steps_are_found_at_their_states() {
        let mut graph = Letters::new(1 << 10);
        let [one, two] = [1, 2].map(|key| graph.enter(key, |_| true, || key));
        assert_eq!(graph.enter(1, |_| true, || 9), one);
        assert_eq!((*graph.node(one), *graph.node(two)), (1, 2));
        let a = graph.learn((one, 'a', two), 10);
        let b = graph.learn((one, 'b', one), 11);
        assert_eq!([graph.find(one, 'a'), graph.find(one, 'b')], [a, b]);
        assert_eq!([graph.find(one, 'c'), graph.find(two, 'a')], [NONE, NONE]);
        assert_eq!((graph.edge(a).to, graph.edge(a).data), (two, 10));
    }

    #[test]
    fn states_with_one_key_may_differ() {
        let mut graph = Letters::new(1 << 10);
        let [one, two, again] = [5, 6, 5].map(|data| graph.enter(1, |known| *known == data, || data));
        assert_ne!(one, two);
        assert_eq!(one, again);
        assert_eq!(graph.enter(1, |known| *known == 6, || 6), two);
    }

    #[test]
    fn the_limit_counts_states_steps_and_what_is_beside() {
        let mut graph = Letters::new(1 << 10);
        assert!(graph.has_room(1 << 10) && !graph.has_room(1 + (1 << 10)));
        let node = graph.enter(1, |_| true, || 1);
        assert!(!graph.has_room(1 << 10));
        while graph.has_room(0) {
            graph.learn((node, 'a', node), 1);
        }
        assert!(graph.edges.len() * size_of::<Edge<char, u8>>() <= 1 << 10);
    }
}
