//! Random execution graphs, for tests.

use super::graph::{At, Decision, Event, Graph, Part};
use fastrand::Rng;
use selvedge_base::ThreadId;
use selvedge_model::{Action, Op};
use std::rc::Rc;

/// A small random graph: each read reads any write that is there.
pub fn random(seed: u64) -> Graph {
    let mut rng = Rng::with_seed(seed);
    let mut graph = Graph::default();
    let threads = rng.u32(2..=4);
    for _ in 0..rng.usize(4..=9) {
        let thread = rng.u32(0..threads);
        let at = At {
            thread,
            index: graph.count(thread),
        };
        let mut parts = smallvec::SmallVec::new();
        let first = rng.u32(0..2);
        for location in first..=first + u32::from(rng.u32(0..6) == 0) {
            let mut sources = vec![None];
            sources.extend(graph.writers(location).map(|event| Some(event.at)));
            let source = sources[rng.usize(0..sources.len())];
            let (reads, writes) = [(true, false), (false, true), (true, true)][rng.usize(0..3)];
            parts.push(Part {
                location,
                reads: reads.then_some(source),
                writes,
            });
        }
        let action = Action::new(ThreadId(thread as u16), Op::Rmw);
        let decision = Decision {
            decision: 0,
            outcome: 0,
        };
        let event = Event::new(&graph, (at, None), action, parts, decision);
        graph.push(Rc::new(event));
    }
    graph
}
