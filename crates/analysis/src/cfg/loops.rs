//! The loops of a function and their nesting (Steensgaard's forest). A loop is a strongly connected
//! component. Its headers are the blocks at which it is entered. The inner loops are those that
//! remain without the edges to its headers. A loop with several headers is irreducible.

use super::Cfg;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use selvedge_base::{Id, IdVec, id_type};
use selvedge_ir::BlockId;

id_type! {
    /// A loop of a function.
    pub struct LoopId(u32), "loop";
}

/// One loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Where it is entered, in increasing order; more than one if it is irreducible.
    pub headers: Vec<BlockId>,
    /// All its blocks, those of inner loops too, in increasing order.
    pub blocks: Vec<BlockId>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    /// True if it has one header, as all loops from structured statements have.
    pub fn is_reducible(&self) -> bool {
        self.headers.len() == 1
    }
}

/// The loops of a function, outer ones before inner ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoopForest {
    loops: IdVec<LoopId, Loop>,
    innermost: Vec<Option<LoopId>>,
}

impl LoopForest {
    /// The loops among the blocks that the entry reaches.
    pub fn of(cfg: &Cfg) -> LoopForest {
        let mut forest = LoopForest {
            loops: IdVec::new(),
            innermost: vec![None; cfg.blocks()],
        };
        // The regions to be examined, with the enclosing loop and the remaining edges.
        let blocks: Vec<usize> = cfg.order.iter().map(|b| b.index()).collect();
        let reached = cfg.reachable();
        let mut cut: Vec<bool> = vec![false; cfg.blocks()];
        let mut work: Vec<(Vec<usize>, Option<LoopId>)> = vec![(blocks, None)];
        while let Some((region, parent)) = work.pop() {
            for component in components(cfg, &region, &cut) {
                forest.add((cfg, &reached), component, parent, &mut cut, &mut work);
            }
        }
        forest
    }

    fn add(
        &mut self,
        (cfg, reached): (&Cfg, &[bool]),
        mut component: Vec<usize>,
        parent: Option<LoopId>,
        cut: &mut [bool],
        work: &mut Vec<(Vec<usize>, Option<LoopId>)>,
    ) {
        component.sort_unstable();
        let inside = |block: usize| component.binary_search(&block).is_ok();
        let entered = |block: usize| {
            let from = cfg
                .graph
                .neighbors_directed(NodeIndex::new(block), petgraph::Incoming);
            let mut from = from.map(NodeIndex::index).filter(|&p| reached[p]);
            block == 0 || from.any(|p| !inside(p))
        };
        let headers: Vec<usize> = component.iter().copied().filter(|&b| entered(b)).collect();
        let id = self.loops.push(Loop {
            headers: headers.iter().map(|&b| BlockId::from_index(b)).collect(),
            blocks: component.iter().map(|&b| BlockId::from_index(b)).collect(),
            parent,
            depth: parent.map_or(1, |p| self.loops[p].depth + 1),
        });
        component.iter().for_each(|&b| self.innermost[b] = Some(id));
        // Edges to headers are removed, here and in inner loops.
        headers.iter().for_each(|&b| cut[b] = true);
        work.push((component, Some(id)));
    }

    /// The loops, outer ones before inner ones.
    pub fn iter(&self) -> impl Iterator<Item = &Loop> {
        self.loops.iter()
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    /// The innermost loop that a block lies in.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }
}

/// The strongly connected components of a region that have a cycle, without the edges to cut
/// blocks.
fn components(cfg: &Cfg, region: &[usize], cut: &[bool]) -> Vec<Vec<usize>> {
    let mut sorted = region.to_vec();
    sorted.sort_unstable();
    let mut graph: DiGraph<usize, ()> = DiGraph::new();
    for &block in &sorted {
        graph.add_node(block);
    }
    for (number, &block) in sorted.iter().enumerate() {
        for to in cfg.graph.neighbors(NodeIndex::new(block)) {
            if let Ok(other) = sorted.binary_search(&to.index())
                && !cut[to.index()]
            {
                graph.update_edge(NodeIndex::new(number), NodeIndex::new(other), ());
            }
        }
    }
    let mut found: Vec<Vec<usize>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|c| c.len() > 1 || graph.contains_edge(c[0], c[0]))
        .map(|c| c.into_iter().map(|n| graph[n]).collect())
        .collect();
    found.sort_unstable_by_key(|c: &Vec<usize>| c.iter().copied().min());
    found
}
