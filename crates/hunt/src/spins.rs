//! Threads that wait in loops for ever, by definition: a set of states that no step leaves.

use crate::code::{Code, Op};
use crate::program::{Program, Stmt};
use crate::state::{NOBODY, State, Status};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Whether all threads that can move run for ever, although one of them could end if it read
/// another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spins {
    /// There is no such set of states.
    No,
    /// There is such a set, but its steps do more than read: every verdict is accepted.
    Perhaps,
    /// A verdict must not be `true`.
    Certainly,
}

/// A step: its source state, its target state, and its thread.
pub(crate) type Step = (usize, usize, usize);

/// Decides it by the graph of all states.
pub(crate) fn spins(program: &Program, code: &[Code], states: &[State], steps: &[Step]) -> Spins {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(states.len(), steps.len());
    for _ in states {
        graph.add_node(());
    }
    for &(from, to, _) in steps {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    let sets = tarjan_scc(&graph);
    let mut set_of = vec![0; states.len()];
    for (number, set) in sets.iter().enumerate() {
        for node in set {
            set_of[node.index()] = number;
        }
    }
    let mut moves: Vec<Vec<Step>> = vec![Vec::new(); sets.len()];
    let mut is_left = vec![false; sets.len()];
    for &step in steps {
        let set = set_of[step.0];
        is_left[set] |= set_of[step.1] != set;
        moves[set].push(step);
    }
    let closed = moves.iter().zip(is_left);
    let closed = closed.filter(|(moves, is_left)| !is_left && !moves.is_empty());
    let sets = closed.map(|(moves, _)| of_set(program, code, states, moves));
    sets.max().unwrap_or(Spins::No)
}

/// Decides it for a set of states that no step leaves, by its steps.
fn of_set(program: &Program, code: &[Code], states: &[State], moves: &[Step]) -> Spins {
    let first = &states[moves[0].0];
    let parked = |t: &crate::state::Thread| t.status == Status::Parked;
    if first.ended || first.threads.iter().any(parked) {
        return Spins::No;
    }
    // A thread whose next step ends the process only waits for the others.
    let op = |state: &State, t: usize| {
        let code = &code[program.threads[t].0];
        &code.insts[usize::from(state.threads[t].pc)].op
    };
    let running = |t: usize| first.threads[t].status == Status::Running;
    if (0..first.threads.len()).any(|t| running(t) && matches!(op(first, t), Op::Exit)) {
        return Spins::No;
    }
    let ends = |&(from, _, t): &Step| {
        let state = &states[from];
        may_end(&code[program.threads[t].0], state.threads[t].pc.into())
    };
    if !moves.iter().any(ends) {
        return Spins::No;
    }
    // Unoptimised code also reads pointers, to find the target of a write.
    let waits = |step: &Step| ends(step) && looks(op(&states[step.0], step.2));
    if !moves.iter().any(waits) {
        return Spins::Perhaps;
    }
    let same = |state: &State| {
        state.values == first.values
            && state.pointers == first.pointers
            && state.cells == first.cells
            && state.mutexes == first.mutexes
            && state.rwlocks == first.rwlocks
            && state.semaphores == first.semaphores
            && state.spins == first.spins
            && state.onces == first.onces
            && state.holder == NOBODY
    };
    let only_looks = moves
        .iter()
        .all(|&(from, _, t)| same(&states[from]) && has_no_effect(op(&states[from], t)));
    // The product does not treat a longjmp out of the loop as an exit of the loop.
    let jumps = program.any(&|s| matches!(s, Stmt::Throw(_)));
    match only_looks && !jumps {
        true => Spins::Certainly,
        false => Spins::Perhaps,
    }
}

fn looks(op: &Op) -> bool {
    let Op::Do(stmt) = op else { return false };
    matches!(
        stmt,
        Stmt::Load(..)
            | Stmt::GetPointer(_)
            | Stmt::LoadThrough(_)
            | Stmt::AtomicLoad(..)
            | Stmt::AtomicRmw(..)
            | Stmt::Cas(..)
            | Stmt::TryLock(..)
            | Stmt::TryRw(..)
            | Stmt::SemTry(..)
            | Stmt::SpinTry(..)
    )
}

/// Whether the operation has no effect, if it does not change a value.
fn has_no_effect(op: &Op) -> bool {
    match op {
        Op::Let(..) | Op::Next(_) | Op::Jump(_) | Op::Unless(..) | Op::UnlessPointer(_) => true,
        Op::Do(stmt) => matches!(
            stmt,
            Stmt::Set(..)
                | Stmt::AtomicLoad(..)
                | Stmt::AtomicRmw(..)
                | Stmt::Cas(false, ..)
                | Stmt::Fence(_)
                | Stmt::Yield
                | Stmt::Load(..)
        ),
        _ => false,
    }
}

/// Whether the end of the thread or of the process is reachable.
fn may_end(code: &Code, from: usize) -> bool {
    let mut seen = vec![false; code.insts.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at >= seen.len() || std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match &code.insts[at].op {
            Op::End | Op::Exit => return true,
            Op::Jump(to) => open.push(*to),
            Op::Unless(_, to) | Op::UnlessPointer(to) | Op::OnceEnter(_, to) | Op::TakeKey(to) => {
                open.extend([at + 1, *to]);
            }
            Op::Do(_) | Op::Let(..) | Op::Next(_) | Op::AtomicBegin | Op::AtomicEnd | Op::OnceDone(_) => {
                open.push(at + 1);
            }
        }
    }
    false
}
