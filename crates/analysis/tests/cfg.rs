//! Facts about random graphs, compared with what their definitions say, path by path.

use selvedge_analysis::cfg::{Cfg, ControlDependence, Dominators, Endless, LoopForest};
use selvedge_base::Id;
use selvedge_ir::BlockId;
use std::collections::BTreeSet;

const GRAPHS: u64 = 4_000;

type Edges = Vec<(usize, usize)>;

/// A random graph: some blocks, of which some are unreachable, end nowhere or form tangles.
fn random(seed: u64) -> (usize, Edges) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let blocks = rng.usize(1..10);
    let count = rng.usize(0..blocks * 2 + 1);
    let edges = (0..count).map(|_| (rng.usize(0..blocks), rng.usize(0..=blocks)));
    (blocks, edges.collect())
}

/// What can be reached from a node without coming through another one.
fn reach(edges: &Edges, from: usize, without: Option<usize>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(at) = work.pop().filter(|&at| Some(at) != without) {
        if seen.insert(at) {
            work.extend(
                edges
                    .iter()
                    .filter(|e| e.0 == at && Some(e.1) != without)
                    .map(|e| e.1),
            );
        }
    }
    seen
}

fn block(number: usize) -> BlockId {
    BlockId::from_index(number)
}

fn graphs() -> impl Iterator<Item = (u64, usize, Edges, Cfg)> {
    (0..GRAPHS).map(|seed| {
        let (blocks, edges) = random(seed);
        let cfg = Cfg::from_edges(blocks, &edges);
        (seed, blocks, edges, cfg)
    })
}

#[test]
fn orders_and_neighbours() {
    for (seed, blocks, edges, cfg) in graphs() {
        let mut reached = reach(&edges, 0, None);
        reached.remove(&blocks);
        let order: Vec<usize> = cfg.reverse_post_order().iter().map(|b| b.index()).collect();
        assert_eq!(
            order.iter().copied().collect::<BTreeSet<_>>(),
            reached,
            "seed {seed}"
        );
        assert_eq!(order.len(), reached.len(), "seed {seed}");
        let position = |b: usize| order.iter().position(|&o| o == b);
        for &(from, to) in edges.iter().filter(|e| e.1 < blocks) {
            // Only an edge that closes a cycle goes back.
            let forward = position(from) < position(to) || !reached.contains(&from);
            assert!(forward || reach(&edges, to, None).contains(&from), "seed {seed}");
            assert!(cfg.successors(block(from)).contains(&block(to)));
            assert!(cfg.predecessors(block(to)).contains(&block(from)));
        }
    }
}

#[test]
fn a_dominator_is_on_each_path() {
    for (seed, blocks, edges, cfg) in graphs() {
        let tree = Dominators::of(&cfg);
        let reached = reach(&edges, 0, None);
        for a in 0..=blocks {
            for b in 0..=blocks {
                let both = reached.contains(&a) && reached.contains(&b);
                let on_each = a == b || a == 0 || !reach(&edges, 0, Some(a)).contains(&b);
                assert_eq!(tree.dominates(a, b), both && on_each, "seed {seed}: {a} {b}");
            }
        }
    }
}

/// The graph in which each node comes to the exit: blocks that do not, one way or the other, get an
/// edge.
fn with_exits(blocks: usize, edges: &Edges, cfg: &Cfg, endless: Endless) -> Edges {
    let mut edges = edges.clone();
    if endless == Endless::Possible {
        for each in LoopForest::of(cfg).iter() {
            edges.extend(each.headers.iter().map(|h| (h.index(), blocks)));
        }
    }
    let stuck = |b: usize| {
        let ahead = reach(&edges, b, None);
        // In a last component: all that is ahead leads back.
        !ahead.contains(&blocks) && ahead.iter().all(|&a| reach(&edges, a, None).contains(&b))
    };
    let new: Edges = (0..blocks).filter(|&b| stuck(b)).map(|b| (b, blocks)).collect();
    edges.extend(new);
    edges
}

#[test]
fn a_controller_has_a_way_to_the_block_and_one_past_it() {
    for endless in [Endless::Excluded, Endless::Possible] {
        for (seed, blocks, edges, cfg) in graphs() {
            let found = ControlDependence::of(&cfg, endless);
            let reached = reach(&edges, 0, None);
            let complete = with_exits(blocks, &edges, &cfg, endless);
            // b post-dominates a: no way from a to the exit without b.
            let post = |b: usize, a: usize| a == b || !reach(&complete, a, Some(b)).contains(&blocks);
            for b in 0..blocks {
                let controls = |&a: &usize| {
                    let next = complete.iter().filter(|e| e.0 == a).map(|e| e.1);
                    let some = next.clone().any(|n| n < blocks && post(b, n));
                    let strictly = a != b && post(b, a);
                    reached.contains(&a) && some && !strictly
                };
                let wanted: Vec<usize> = (0..blocks).filter(controls).collect();
                let got: Vec<usize> = found.controllers(block(b)).iter().map(|b| b.index()).collect();
                assert_eq!(got, wanted, "seed {seed}, {endless:?}: block {b} of {edges:?}");
            }
        }
    }
}

#[test]
fn a_loop_is_what_leads_back_to_itself() {
    let (mut irreducible, mut nested) = (0, 0);
    for (seed, blocks, edges, cfg) in graphs() {
        let forest = LoopForest::of(&cfg);
        let mut reached = reach(&edges, 0, None);
        reached.remove(&blocks);
        let back = |edges: &Edges, a: usize, b: usize| {
            edges
                .iter()
                .any(|e| e.0 == a && reach(edges, e.1, None).contains(&b))
        };
        for &a in &reached {
            // A block is in a loop just if it lies on a cycle, and in one outermost loop with
            // another block just if each leads to the other.
            let cyclic = back(&edges, a, a);
            assert_eq!(forest.innermost(block(a)).is_some(), cyclic, "seed {seed}: {a}");
            for &b in &reached {
                let together = forest
                    .iter()
                    .any(|l| l.depth == 1 && [a, b].iter().all(|&x| l.blocks.contains(&block(x))));
                let wanted = cyclic && (a == b || back(&edges, a, b) && back(&edges, b, a));
                assert_eq!(together, wanted, "seed {seed}: {a} {b}");
            }
        }
        for each in forest.iter() {
            irreducible += u64::from(!each.is_reducible());
            let inside = |b: usize| each.blocks.contains(&block(b));
            let entries: BTreeSet<usize> = edges
                .iter()
                .filter(|e| reached.contains(&e.0) && !inside(e.0) && e.1 < blocks && inside(e.1))
                .map(|e| e.1)
                .chain([0].into_iter().filter(|_| inside(0)))
                .collect();
            let headers: BTreeSet<usize> = each.headers.iter().map(|b| b.index()).collect();
            assert_eq!(headers, entries, "seed {seed}");
            if let Some(parent) = each.parent {
                nested += 1;
                let parent = forest.get(parent);
                assert!(
                    each.blocks.iter().all(|b| parent.blocks.contains(b)),
                    "seed {seed}"
                );
                assert!(
                    parent.headers.iter().all(|h| !each.blocks.contains(h)),
                    "seed {seed}"
                );
                // It is still a cycle without the edges to the headers around it.
                let inner: Edges = edges
                    .iter()
                    .copied()
                    .filter(|e| inside(e.0) && e.1 < blocks && inside(e.1))
                    .collect();
                assert!(
                    each.blocks.iter().all(|b| back(&inner, b.index(), b.index())),
                    "seed {seed}"
                );
            }
        }
    }
    assert!(irreducible > 50 && nested > 200, "{irreducible} {nested}");
}
