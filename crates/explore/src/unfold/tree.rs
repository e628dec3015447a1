//! The tree of the exploration, and its in-order traversal.
//!
//! A node ⟨C, D, A⟩ represents all maximal configurations that contain C and no event of D. A leads
//! to one of them. Its left subtree has those that contain a further event e, its right subtree
//! those that do not (Schemmel et al., CAV 2020, Section 3.7 and Appendix G). It may be decided
//! that a node has *no* right subtree only when everything before it in the in-order traversal is
//! explored: only then are all events known that could show one. The [sweep](Tree::sweep) is this
//! traversal. The nodes behind it are dropped. With the sweep, every order of visiting nodes is
//! complete: depth-first search is the sweep alone, and other orders visit right children as soon
//! as they are found.

use super::event::EventId;
use rustc_hash::FxHashSet;

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

/// A subtree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// Not known yet, or there is none.
    None,
    /// A node.
    Node(NodeId),
    /// Explored and dropped.
    Done,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Node {
    /// The node above; `None` for the root.
    pub parent: Option<NodeId>,
    /// True if it is the right child of its parent.
    pub is_right: bool,
    /// Its number among all nodes that ever existed; given by [`Tree::add`].
    pub serial: u64,
    /// The number of events in C.
    pub depth: usize,
    /// The event e, which the left subtree contains.
    pub event: EventId,
    /// D, without events that are not enabled any more; oldest first.
    pub disabled: Vec<EventId>,
    /// Enabled events that are not added because they are cutoffs.
    pub cut: Vec<EventId>,
    /// A; the next event comes last.
    pub lead: Vec<EventId>,
    /// The number of candidates for an alternative that were refused.
    pub refused: usize,
    /// True if alternatives are searched for with k = 1 here, whatever the configuration says.
    pub singly: bool,
    /// The subtree with e.
    pub left: Child,
    /// The subtree without e.
    pub right: Child,
    /// True if the node was not visited yet.
    pub open: bool,
}

/// All nodes that are not done.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    made: u64,
    cursor: Option<NodeId>,
}

/// The position of the sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sweep {
    /// Before a node that was not visited yet.
    Open(NodeId),
    /// At a node whose left subtree is done: now decide whether it has a right one.
    Decide(NodeId),
    /// Everything is explored.
    Finished,
}

impl std::ops::Index<NodeId> for Tree {
    type Output = Node;
    #[inline]
    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }
}

impl std::ops::IndexMut<NodeId> for Tree {
    #[inline]
    fn index_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }
}

impl Tree {
    /// Adds a node, as the right or the left child of its parent.
    pub fn add(&mut self, mut node: Node) -> NodeId {
        self.made += 1;
        node.serial = self.made;
        let (parent, is_right) = (node.parent, node.is_right);
        let id = match self.free.pop() {
            Some(id) => {
                self[id] = node;
                id
            }
            None => {
                self.nodes.push(node);
                NodeId(self.nodes.len() as u32 - 1)
            }
        };
        match parent {
            Some(parent) if is_right => self[parent].right = Child::Node(id),
            Some(parent) => self[parent].left = Child::Node(id),
            None => self.cursor = Some(id),
        }
        id
    }

    /// Removes a right child that turned out to be infeasible.
    pub fn remove(&mut self, node: NodeId) {
        if let Some(parent) = self[node].parent {
            self[parent].right = Child::None;
            if self.cursor == Some(node) {
                self.cursor = Some(parent);
            }
        }
        self.free.push(node);
    }

    /// The node at which the traversal is.
    pub fn cursor(&self) -> Option<NodeId> {
        self.cursor
    }

    /// Continues the traversal.
    pub fn sweep(&mut self) -> Sweep {
        while let Some(at) = self.cursor {
            let node = &self[at];
            if node.open {
                return Sweep::Open(at);
            }
            self.cursor = match (node.left, node.right) {
                (Child::Node(left), _) => Some(left),
                (_, Child::Node(right)) => Some(right),
                (_, Child::None) if node.event.is_some() => return Sweep::Decide(at),
                _ => self.leave(at),
            };
        }
        Sweep::Finished
    }

    /// Records that the node has no right subtree: it is done.
    pub fn close(&mut self, node: NodeId) {
        self.cursor = self.leave(node);
    }

    /// Drops a node that is done. Returns its parent.
    fn leave(&mut self, node: NodeId) -> Option<NodeId> {
        let Node { parent, is_right, .. } = self[node];
        self.free.push(node);
        if let Some(parent) = parent {
            if is_right {
                self[parent].right = Child::Done;
            } else {
                self[parent].left = Child::Done;
            }
        }
        parent
    }

    /// The nodes that are not done.
    pub fn unfinished(&self) -> impl Iterator<Item = &Node> {
        let freed: FxHashSet<NodeId> = self.free.iter().copied().collect();
        let numbered = self.nodes.iter().zip(0..);
        numbered
            .filter(move |(_, number)| !freed.contains(&NodeId(*number)))
            .map(|(node, _)| node)
    }

    /// The events of a node's configuration in the order in which they were added, each with the
    /// serial number of the node whose event it is.
    pub fn events(&self, node: NodeId) -> Vec<(u64, EventId)> {
        let mut events = Vec::with_capacity(self[node].depth);
        let mut at = node;
        while let Some(parent) = self.adding(at) {
            events.push((self[parent].serial, self[parent].event));
            at = parent;
        }
        events.reverse();
        events
    }

    /// The node whose event was added last to a node's configuration.
    pub fn adding(&self, node: NodeId) -> Option<NodeId> {
        let mut at = node;
        while self[at].is_right {
            at = self[at].parent?;
        }
        self[at].parent
    }

    /// The nodes without a right child on the way from the root to a node, the lowest first.
    pub fn branch(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut at = Some(node);
        while let Some(id) = at {
            if self[id].right == Child::None && self[id].event.is_some() {
                found.push(id);
            }
            at = self[id].parent;
        }
        found
    }
}
