//! Depth-first search that does not follow one branch for ever.
//!
//! A program with infinitely many states has infinite branches, and depth-first search never
//! returns from one. So after [`DEPTH_FIRST_WORK`] steps of work, a part of the work goes to the
//! unvisited node nearest to the root. Every node has a finite distance from the root, and there
//! are finitely many nearer nodes. So each node is visited at some time. A search that ends earlier
//! is pure depth-first search.

use super::Explorer;
use crate::Order;
use crate::unfold::tree::NodeId;
use selvedge_model::{Detector, Fingerprint, Undo};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The work after which the search also visits other nodes.
const DEPTH_FIRST_WORK: u64 = 20_000;
/// One part in this many goes to other nodes.
const SHARE: u64 = 4;

/// The unvisited nodes, for depth-first search.
#[derive(Default)]
pub(super) struct Wide {
    /// Ordered by depth, and by serial number, because a node's number may be reused.
    open: BinaryHeap<Reverse<(usize, u64, NodeId)>>,
    /// The work done for these nodes.
    spent: u64,
    begun: bool,
}

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Adds a node that is to be visited.
    pub(super) fn found(&mut self, node: NodeId) {
        if self.config.order != Order::DepthFirst {
            self.open.push_back(node);
        } else if self.wide.begun {
            let key = (self.tree[node].depth, self.tree[node].serial, node);
            self.wide.open.push(Reverse(key));
        }
    }

    /// Visits the unvisited node nearest to the root, if it is time for this.
    pub(super) fn visit_wide(&mut self) -> bool {
        let before = self.path.work();
        if self.config.order != Order::DepthFirst
            || before < DEPTH_FIRST_WORK
            || self.wide.spent * SHARE > before
        {
            return false;
        }
        self.wide.begun = true;
        let mut next = self.nearest();
        if next.is_none()
            && let Some(at) = self.tree.cursor()
        {
            self.decide_branch(at);
            // Counted even if nothing was found.
            self.wide.spent += self.tree[at].depth as u64 + DEPTH_FIRST_WORK / SHARE;
            next = self.nearest();
        }
        if let Some(node) = next
            && self.halt.is_none()
        {
            self.visit(node, true);
        }
        self.wide.spent += self.path.work() - before;
        next.is_some()
    }

    fn nearest(&mut self) -> Option<NodeId> {
        while let Some(Reverse((_, serial, node))) = self.wide.open.pop() {
            let at = &self.tree[node];
            if at.serial == serial && at.open {
                return Some(node);
            }
        }
        None
    }
}
