//! Depth-first search that does not go down one branch for ever.
//!
//! A program with infinitely many states has infinite branches, and depth-first search never comes
//! back from one. So once a search has done [`DEPTH_FIRST_WORK`] steps' work, a part of its work
//! goes to the node nearest to the root that nobody was at. Every node is some number of nodes from
//! the root, and those nearer are finitely many: each is visited some time. A search that ends
//! before that is pure depth-first search.

use super::Explorer;
use crate::Order;
use crate::unfold::tree::NodeId;
use selvedge_model::{Detector, Fingerprint, Undo};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Work after which the search also goes elsewhere.
const DEPTH_FIRST_WORK: u64 = 20_000;
/// One part of so many.
const SHARE: u64 = 4;

/// The nodes that nobody was at, for depth-first search.
#[derive(Default)]
pub(super) struct Wide {
    /// By depth, and by serial number, since a node's number is used again.
    open: BinaryHeap<Reverse<(usize, u64, NodeId)>>,
    /// The work done for these.
    spent: u64,
    begun: bool,
}

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Notes a node that is to be visited.
    pub(super) fn found(&mut self, node: NodeId) {
        if self.config.order != Order::DepthFirst {
            self.open.push_back(node);
        } else if self.wide.begun {
            let key = (self.tree[node].depth, self.tree[node].serial, node);
            self.wide.open.push(Reverse(key));
        }
    }

    /// Visits the node nearest to the root that nobody was at, if it is time for that.
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
            // Even if nothing was found.
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
