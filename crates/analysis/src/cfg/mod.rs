//! The control flow of one function: a graph of its blocks with a virtual exit.
//!
//! The edges are those of the terminators, and others that no terminator shows:
//!
//! - A block has an edge to the exit if it returns, traps, or contains a call that may not return
//!   (`exit`, `longjmp`, `pthread_exit`, a cancellation point). The caller of [`Cfg::of`] says
//!   which calls may not return.
//! - `setjmp` returns again from any call of its function. So each block with a call has an edge to
//!   each block with a call of `setjmp`. This edge leads to the beginning of the block, not behind
//!   the call; that adds executions, and removes none.

mod control;
mod dominance;
mod loops;

pub use control::{ControlDependence, Endless};
pub use dominance::Dominators;
pub use loops::{Loop, LoopForest, LoopId};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, Function, InstKind, Module, Terminator, returns_twice};
use smallvec::SmallVec;

/// The control-flow graph of one function. Nodes are its blocks and the exit, by number.
#[derive(Clone, Debug)]
pub struct Cfg {
    graph: DiGraph<(), ()>,
    order: Vec<BlockId>,
}

impl Cfg {
    /// The graph of a defined function. `may_not_return`: whether a call may end without returning
    /// to its block.
    ///
    /// # Panics
    /// If the function has no blocks.
    pub fn of(module: &Module, function: &Function, may_not_return: impl Fn(Callee) -> bool) -> Cfg {
        let blocks = function.blocks.len();
        assert!(blocks > 0, "{} is only declared", function.name);
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let (mut landings, mut calls) = (Vec::new(), Vec::new());
        for (id, block) in function.blocks.iter_ids() {
            let from = id.index();
            successors(&block.term, |to| edges.push((from, to.index())));
            let mut ends = matches!(
                block.term,
                Terminator::Return(_) | Terminator::Unreachable | Terminator::Trap
            );
            for inst in &block.insts {
                match &inst.kind {
                    InstKind::Call { callee, .. } => {
                        calls.push(from);
                        ends |= may_not_return(*callee);
                        if lands(module, &inst.kind) {
                            landings.push(from);
                        }
                    }
                    // It has no successor in any execution.
                    InstKind::Unsupported { .. } => ends = true,
                    _ => {}
                }
            }
            if ends {
                edges.push((from, blocks));
            }
        }
        for &landing in &landings {
            edges.extend(calls.iter().map(|&call| (call, landing)));
        }
        Cfg::from_edges(blocks, &edges)
    }

    /// A graph with `blocks` blocks, of which number 0 is the entry. An edge to `blocks` leads to
    /// the exit. Parallel edges count once.
    ///
    /// # Panics
    /// If `blocks` is 0, or an edge names a number above the exit.
    pub fn from_edges(blocks: usize, edges: &[(usize, usize)]) -> Cfg {
        assert!(blocks > 0);
        let mut sorted = edges.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut graph = DiGraph::with_capacity(blocks + 1, sorted.len());
        (0..=blocks).for_each(|_| {
            graph.add_node(());
        });
        for (from, to) in sorted {
            assert!(from < blocks && to <= blocks);
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
        }
        let mut order = Vec::with_capacity(blocks);
        let mut walk = DfsPostOrder::new(&graph, NodeIndex::new(0));
        while let Some(node) = walk.next(&graph) {
            if node.index() < blocks {
                order.push(BlockId::from_index(node.index()));
            }
        }
        order.reverse();
        Cfg { graph, order }
    }

    /// How many blocks there are, reachable or not.
    pub fn blocks(&self) -> usize {
        self.graph.node_count() - 1
    }

    /// The blocks that can be reached from the entry, in reverse post-order: the entry first, and
    /// without cycles each block before its successors.
    pub fn reverse_post_order(&self) -> &[BlockId] {
        &self.order
    }

    /// Whether a path from the entry leads to the block.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.blocks()];
        self.order.iter().for_each(|b| reached[b.index()] = true);
        reached
    }

    /// The blocks to which control may go from a block, in increasing order, without the exit.
    pub fn successors(&self, block: BlockId) -> SmallVec<[BlockId; 2]> {
        self.neighbours(block, petgraph::Outgoing)
    }

    /// The blocks from which control may come, in increasing order.
    pub fn predecessors(&self, block: BlockId) -> SmallVec<[BlockId; 2]> {
        self.neighbours(block, petgraph::Incoming)
    }

    /// Whether control may leave the function from the block.
    pub fn may_leave(&self, block: BlockId) -> bool {
        self.graph.contains_edge(node(block), self.exit())
    }

    fn neighbours(&self, block: BlockId, direction: petgraph::Direction) -> SmallVec<[BlockId; 2]> {
        let mut found: SmallVec<[BlockId; 2]> = self
            .graph
            .neighbors_directed(node(block), direction)
            .filter(|&n| n != self.exit())
            .map(|n| BlockId::from_index(n.index()))
            .collect();
        found.sort_unstable_by_key(|b| b.index());
        found
    }

    fn exit(&self) -> NodeIndex {
        NodeIndex::new(self.blocks())
    }
}

fn node(block: BlockId) -> NodeIndex {
    NodeIndex::new(block.index())
}

/// Calls `f` with each block that a terminator names, some of them perhaps twice.
pub fn successors(term: &Terminator, mut f: impl FnMut(BlockId)) {
    match term {
        Terminator::Jump(to) => f(*to),
        Terminator::Branch { then, otherwise, .. } => {
            f(*then);
            f(*otherwise);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter().for_each(|&(_, to)| f(to));
            f(*default);
        }
        Terminator::Indirect { targets, .. } => targets.iter().for_each(|&to| f(to)),
        Terminator::Invoke { normal, unwind, .. } => {
            f(*normal);
            f(*unwind);
        }
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Trap => {}
    }
}

/// True if `longjmp` may lead to an instruction: a direct call of `setjmp` or its kin.
pub(crate) fn lands(module: &Module, kind: &InstKind) -> bool {
    match kind {
        InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } => returns_twice(&module.functions[*callee].name),
        _ => false,
    }
}
