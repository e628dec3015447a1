//! Merging variables that have the same set (Nuutila's observation). Cycles are searched for from
//! time to time.
//!
//! On a cycle of copies all variables have the same set. So they have, too, if some of the copies
//! take single bytes of a value: each variable then contains any byte of each object into which one
//! of them points, and with that it needs no other place in that object.

use super::{Constraint, Solver, VarId};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use selvedge_base::Id;

impl Solver {
    /// Merges variables on cycles into one set.
    pub(super) fn merge_cycles(&mut self) {
        let mut graph = DiGraph::<(), ()>::new();
        for _ in 0..self.nodes.len() {
            graph.add_node(());
        }
        let node = NodeIndex::new;
        for (from, what) in self.nodes.iter_ids() {
            let bytes = what.asked.iter().filter_map(|&number| self.byte_copy(number));
            for to in what.copies.iter().copied().chain(bytes) {
                let to = self.find(to);
                if to != from {
                    graph.add_edge(node(from.index()), node(to.index()), ());
                }
            }
        }
        for cycle in tarjan_scc(&graph) {
            let variables = cycle.iter().map(|n| VarId::from_index(n.index()));
            let wide = variables.clone().find(|&variable| self.is_wide(variable));
            let Some(first) = wide.or(variables.clone().next()) else {
                continue;
            };
            for other in variables.filter(|&other| other != first) {
                self.merge(first, other);
            }
        }
    }

    /// Where a constraint copies any bytes of a value to, if it does.
    fn byte_copy(&self, number: u32) -> Option<VarId> {
        match self.constraints[number as usize] {
            Constraint::Shift { to, stride: 1, .. } => Some(to),
            _ => None,
        }
    }

    pub(super) fn merge(&mut self, into: VarId, other: VarId) {
        let node = std::mem::take(&mut self.nodes[other]);
        self.merged[other] = into;
        let all = node.set | node.fresh;
        let (known, asked) = (self.nodes[into].set.clone(), node.asked);
        for to in node.copies {
            self.copy(into, to);
        }
        self.grow(into, &all);
        for number in asked {
            self.ask(number, into, &known);
        }
    }
}
