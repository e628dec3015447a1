//! Control dependence (Ferrante, Ottenstein and Warren 1987): the branches that decide whether a
//! block is executed.
//!
//! Post-dominance requires an exit that every block reaches. Blocks that cannot leave the function
//! (an endless loop) get an edge to the exit, from each of their last strongly connected
//! components. With [`Endless::Possible`] the header of each loop gets one, too: then what comes
//! after a loop depends on whether the loop ends (in effect Ranganath et al. 2007).

use super::{Cfg, Dominators, LoopForest};
use petgraph::algo::tarjan_scc;
use petgraph::graph::NodeIndex;
use selvedge_base::Id;
use selvedge_ir::BlockId;

/// Whether a loop that can be left may run for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endless {
    /// Every loop that can be left is left.
    Excluded,
    /// A loop may also run for ever.
    Possible,
}

/// The blocks that decide whether a block is executed.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    /// For each block, the blocks whose terminators, or calls that may not return, decide; in
    /// increasing order.
    controllers: Vec<Vec<BlockId>>,
    post: Dominators,
}

impl ControlDependence {
    /// Computes control dependence for all blocks that the entry reaches; the others have no
    /// controllers.
    pub fn of(cfg: &Cfg, endless: Endless) -> ControlDependence {
        let mut graph = cfg.graph.clone();
        let (exit, reached) = (cfg.exit(), cfg.reachable());
        if endless == Endless::Possible {
            for each in LoopForest::of(cfg).iter() {
                for &header in &each.headers {
                    graph.update_edge(NodeIndex::new(header.index()), exit, ());
                }
            }
        }
        // Tarjan's order: a component comes after all components that it leads to.
        let components = tarjan_scc(&graph);
        let mut leads_out = vec![false; graph.node_count()];
        leads_out[exit.index()] = true;
        for component in &components {
            let out = component
                .iter()
                .any(|&n| leads_out[n.index()] || graph.neighbors(n).any(|to| leads_out[to.index()]));
            if !out {
                component.iter().for_each(|&n| {
                    graph.update_edge(n, exit, ());
                });
            }
            component.iter().for_each(|&n| leads_out[n.index()] = true);
        }
        let controls = graph.clone();
        graph.reverse();
        let post = Dominators::from_root(&graph, exit.index());
        let mut controllers = vec![Vec::new(); cfg.blocks()];
        for from in (0..cfg.blocks()).filter(|&from| reached[from]) {
            let end = post.immediate(from);
            for to in controls.neighbors(NodeIndex::new(from)) {
                let mut at = Some(to.index());
                while let Some(block) = at.filter(|_| at != end) {
                    if block < cfg.blocks() {
                        controllers[block].push(BlockId::from_index(from));
                    }
                    at = post.immediate(block);
                }
            }
        }
        for list in &mut controllers {
            list.sort_unstable_by_key(|b: &BlockId| b.index());
            list.dedup();
        }
        ControlDependence { controllers, post }
    }

    /// The blocks whose ends decide whether this one is executed, in increasing order.
    pub fn controllers(&self, block: BlockId) -> &[BlockId] {
        &self.controllers[block.index()]
    }

    /// True if each execution that reaches `b` reaches `a` later, or is there. Executions that
    /// never end are excluded.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.post.dominates(a.index(), b.index())
    }
}
