//! Threads that wait for ever, decided on the graph of all states.

use super::ends::choices;
use super::{Inspect, TooLarge};
use crate::Status;
use selvedge_base::{Id, ThreadId};
use std::collections::{BTreeSet, HashMap};

/// A state, as far as waiting is concerned.
struct Node {
    /// The threads that wait for nobody in particular, for a thread that has ended, or in a cycle, of which only the first thread by number.
    waiting: BTreeSet<u32>,
    /// Nothing is enabled, or a thread has stopped.
    over: bool,
    from: Vec<usize>,
}

/// The names of the threads that wait in some reachable state, and in every state that is reachable from there. States from which an end is reachable,
/// or one where a thread has stopped, do not count.
///
/// # Errors
/// If there are more than `limit` states.
pub fn stuck<M: Inspect>(machine: &mut M, limit: usize) -> Result<BTreeSet<u32>, TooLarge> {
    let (mut nodes, mut index) = (Vec::new(), HashMap::new());
    visit(machine, limit, &mut nodes, &mut index)?;
    let names: BTreeSet<u32> = nodes
        .iter()
        .flat_map(|node| node.waiting.iter().copied())
        .collect();
    let mut found = BTreeSet::new();
    for name in names {
        let over = |node: &Node| node.over || !node.waiting.contains(&name);
        let mut free: Vec<bool> = nodes.iter().map(over).collect();
        let mut open: Vec<usize> = (0..nodes.len()).filter(|&at| free[at]).collect();
        while let Some(at) = open.pop() {
            for &before in &nodes[at].from {
                if !std::mem::replace(&mut free[before], true) {
                    open.push(before);
                }
            }
        }
        if free.contains(&false) {
            found.insert(name);
        }
    }
    Ok(found)
}

/// The number of the machine's state; all states after it are visited.
fn visit<M: Inspect>(
    machine: &mut M,
    limit: usize,
    nodes: &mut Vec<Node>,
    index: &mut HashMap<M::State, usize>,
) -> Result<usize, TooLarge> {
    let state = machine.state();
    if let Some(&known) = index.get(&state) {
        return Ok(known);
    }
    if nodes.len() == limit {
        return Err(TooLarge);
    }
    let at = nodes.len();
    index.insert(state, at);
    let choices = choices(machine);
    let parked = machine.pending().iter().any(|p| p.status == Status::Parked);
    nodes.push(Node {
        waiting: waiting(machine),
        over: parked || choices.is_empty(),
        from: Vec::new(),
    });
    let mark = machine.mark();
    for choice in choices {
        machine.step(choice);
        let next = visit(machine, limit, nodes, index)?;
        nodes[next].from.push(at);
        machine.undo(mark);
    }
    Ok(at)
}

fn waiting<M: Inspect>(machine: &M) -> BTreeSet<u32> {
    let pending = machine.pending();
    let count = pending.len();
    // Who waits for whom, directly or not (Warshall).
    let mut waits = vec![vec![false; count]; count];
    for (t, row) in waits.iter_mut().enumerate() {
        for other in machine.waits_for(ThreadId::from_index(t)) {
            row[other.index()] = true;
        }
    }
    let direct = waits.clone();
    for k in 0..count {
        for i in 0..count {
            for j in 0..count {
                waits[i][j] |= waits[i][k] && waits[k][j];
            }
        }
    }
    let is_waiting = |t: usize| {
        let mut others = (0..count).filter(|&u| direct[t][u]);
        let alone = others.clone().next().is_none();
        let cycle = |u: usize| waits[t][u] && waits[u][t];
        alone || others.any(|u| pending[u].status == Status::Finished) || (cycle(t) && !(0..t).any(cycle))
    };
    let blocked = (0..count).filter(|&t| pending[t].status == Status::Blocked);
    let found = blocked.filter(|&t| is_waiting(t));
    found.map(|t| machine.name(ThreadId::from_index(t))).collect()
}
