//! Threads that wait for ever, decided on the graph of all states.

use super::ends::choices;
use super::{Inspect, TooLarge};
use crate::Status;
use selvedge_base::{Id, ThreadId};
use std::collections::{BTreeSet, HashMap};

/// A state, as far as it matters for waiting.
struct Node {
    /// The threads that wait for no certain thread, for a thread that has ended, or in a cycle. Of
    /// a cycle only the first thread by number is included.
    waiting: BTreeSet<u32>,
    /// Nothing is enabled.
    over: bool,
    /// A thread has stopped: the states that follow do not count.
    parked: bool,
    enabled: BTreeSet<u32>,
    from: Vec<usize>,
    /// For each step the thread that moves, and the next state.
    steps: Vec<(u32, usize)>,
}

/// The names of threads that are stuck. Such a thread waits in some reachable state, and in every
/// state that is reachable from there, and some fair execution goes on for ever from there. An
/// execution is fair if each thread that is always enabled moves again and again. States from which
/// an end is reachable are excluded, and states in which a thread has stopped do not count.
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
        let counts = |at: &usize| !nodes[*at].parked;
        let mut open: Vec<usize> = (0..nodes.len()).filter(|&at| free[at]).filter(counts).collect();
        while let Some(at) = open.pop() {
            for &before in nodes[at].from.iter().filter(|at| counts(at)) {
                if !std::mem::replace(&mut free[before], true) {
                    open.push(before);
                }
            }
        }
        let left: Vec<bool> = (0..nodes.len()).map(|at| !free[at] && counts(&at)).collect();
        if goes_on(&nodes, &left) {
            found.insert(name);
        }
    }
    Ok(found)
}

/// True if a fair execution goes on for ever among these states.
fn goes_on(nodes: &[Node], left: &[bool]) -> bool {
    let stops = |node: &Node| node.steps.iter().any(|&(_, to)| nodes[to].parked);
    let mut states = (0..nodes.len()).filter(|&at| left[at]);
    if !states.clone().any(|at| stops(&nodes[at])) {
        return states.next().is_some();
    }
    let ahead: Vec<BTreeSet<usize>> = (0..nodes.len())
        .map(|at| {
            let (mut found, mut open) = (BTreeSet::new(), vec![at]);
            while let Some(at) = open.pop().filter(|&at| left[at]) {
                for &(_, to) in nodes[at].steps.iter().filter(|(_, to)| left[*to]) {
                    if found.insert(to) {
                        open.push(to);
                    }
                }
            }
            found
        })
        .collect();
    states.any(|at| {
        let circle: Vec<usize> = ahead[at]
            .iter()
            .copied()
            .filter(|&to| ahead[to].contains(&at))
            .collect();
        let steps = circle.iter().flat_map(|&from| &nodes[from].steps);
        let movers: BTreeSet<u32> = steps.filter(|(_, to)| circle.contains(to)).map(|s| s.0).collect();
        let mut enabled = nodes[at].enabled.iter();
        !circle.is_empty()
            && enabled.all(|name| {
                let always = circle.iter().all(|&state| nodes[state].enabled.contains(name));
                !always || movers.contains(name)
            })
    })
}

/// The number of the machine's state. All states after it are visited.
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
    let name = |thread: ThreadId| machine.name(thread);
    nodes.push(Node {
        waiting: waiting(machine),
        over: choices.is_empty(),
        parked: machine.pending().iter().any(|p| p.status == Status::Parked),
        enabled: choices.iter().map(|choice| name(choice.thread)).collect(),
        from: Vec::new(),
        steps: Vec::new(),
    });
    let mark = machine.mark();
    for choice in choices {
        let name = machine.name(choice.thread);
        machine.step(choice);
        let next = visit(machine, limit, nodes, index)?;
        nodes[next].from.push(at);
        nodes[at].steps.push((name, next));
        machine.undo(mark);
    }
    Ok(at)
}

fn waiting<M: Inspect>(machine: &M) -> BTreeSet<u32> {
    let pending = machine.pending();
    let count = pending.len();
    // The transitive closure of the wait-for relation (Warshall).
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
