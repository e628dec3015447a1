//! All states of a program and the results that follow from them. The product is compared with
//! these results.

use crate::program::{Program, Stmt};
use crate::spins::{Spins, spins};
use crate::state::{State, Status};
use crate::step::{Allowed, Machine, Wrong};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Whether a thread is blocked for ever while others run for ever, without a cycle of threads that
/// wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranded {
    /// No thread is.
    No,
    /// A thread is, but only in executions in which no false assumption or fault stops another
    /// thread: every verdict is accepted.
    Perhaps,
    /// A thread is. The verdict must not be `true`; it may be `false` or `unknown`.
    Certainly,
}

/// The expected results for a program.
#[derive(Clone, Debug)]
pub struct Truth {
    /// All faults, races and deadlocks.
    pub wrong: BTreeSet<Wrong>,
    /// Whether threads are blocked for ever while others run for ever. `No` if there is a deadlock.
    pub stranded: Stranded,
    /// Whether threads wait in loops for ever.
    pub spins: Spins,
    /// Some execution does not end.
    pub endless: bool,
    /// The number of states.
    pub states: usize,
}

impl Truth {
    /// Whether there is a data race.
    pub fn races(&self) -> bool {
        self.wrong.iter().any(|w| matches!(w, Wrong::Race(_)))
    }

    /// Whether the program has undefined behaviour in C. Then only unoptimised code behaves like
    /// the enumerator.
    pub fn undefined(&self) -> bool {
        let defined = |w: &Wrong| match w {
            Wrong::Race(_) => false,
            Wrong::Fault(kind, _) => kind.starts_with("assertion"),
            Wrong::Deadlock => true,
        };
        !self.wrong.iter().all(defined)
    }
}

#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    thread: u8,
    spurious: bool,
}

/// Explores all states. `None` if there are more than `limit`, or if the program does something
/// that the enumerator does not model.
pub fn truth(program: &Program, allowed: Allowed, limit: usize) -> Option<Truth> {
    let machine = Machine::new(program, allowed);
    if machine.odd.get() {
        return None;
    }
    let hash = |state: &State| {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        hasher.finish()
    };
    let first = machine.first();
    let mut table: HashTable<u32> = HashTable::new();
    let mut states = vec![first];
    table.insert_unique(hash(&states[0]), 0, |&i| hash(&states[i as usize]));
    let mut edges: Vec<Edge> = Vec::new();
    let mut verdict = Deadlocks::new(program);
    let mut next = 0;
    while next < states.len() {
        let from = next;
        next += 1;
        let moves = machine.moves(&states[from]);
        verdict.state(&machine, &states[from], from, &moves);
        for choice in moves {
            let after = machine.step(&states[from], choice);
            if machine.odd.get() {
                return None;
            }
            let key = hash(&after);
            let known = table.find(key, |&i| states[i as usize] == after).copied();
            let to = known.unwrap_or_else(|| {
                let to = states.len() as u32;
                states.push(after);
                table.insert_unique(key, to, |&i| hash(&states[i as usize]));
                to
            });
            edges.push(Edge {
                from: from as u32,
                to,
                thread: choice.thread as u8,
                spurious: choice.spurious,
            });
            if states.len() > limit {
                return None;
            }
        }
    }
    let mut wrong = machine.wrong.borrow().clone();
    let (deadlock, stranded) = verdict.decide(&machine, &states, &edges);
    if deadlock {
        wrong.insert(Wrong::Deadlock);
    }
    // A spurious wakeup may happen but is not guaranteed.
    let promised = edges.iter().filter(|e| !e.spurious);
    let steps: Vec<_> = promised
        .map(|e| (e.from as usize, e.to as usize, usize::from(e.thread)))
        .collect();
    Some(Truth {
        spins: spins(program, machine.code(), &states, &steps),
        wrong,
        stranded,
        endless: endless(states.len(), &edges),
        states: states.len(),
    })
}

/// The data about deadlocks, from all states.
struct Deadlocks {
    cancels: bool,
    /// In some state, a thread is blocked, no thread can move, and no thread was stopped.
    stuck: bool,
    /// States with a cycle of waiting threads, and one thread of the cycle.
    cycles: Vec<(u32, usize)>,
    /// States that end the search for stranded threads: the process has ended, a thread was
    /// stopped, or no thread can move. A thread in a state from which one of these is reachable
    /// does not count as stranded.
    open: Vec<u32>,
}

fn is_blocked(status: Status) -> bool {
    matches!(
        status,
        Status::Running | Status::Waiting | Status::Woken | Status::Arrived(_)
    )
}

impl Deadlocks {
    fn new(program: &Program) -> Self {
        Deadlocks {
            cancels: program.any(&|s| matches!(s, Stmt::Cancel(_))),
            stuck: false,
            cycles: Vec::new(),
            open: Vec::new(),
        }
    }

    fn state(&mut self, machine: &Machine<'_>, state: &State, at: usize, moves: &[crate::step::Move]) {
        if state.ended {
            return self.open.push(at as u32);
        }
        let moving = |t: usize| moves.iter().any(|m| m.thread == t && !m.spurious);
        let blocked = |t: usize| is_blocked(state.threads[t].status) && !moving(t);
        let threads = 0..state.threads.len();
        let parked = state.threads.iter().any(|t| t.status == Status::Parked);
        let some = threads.clone().any(blocked);
        let stuck = moves.iter().all(|m| m.spurious);
        if parked || stuck {
            self.open.push(at as u32);
        }
        if stuck && some && !parked {
            self.stuck = true;
        }
        if state.holder != crate::state::NOBODY {
            return; // the others only wait for the block to end
        }
        for t in threads.filter(|&t| blocked(t)) {
            if self.cycles.last().is_none_or(|c| c.0 != at as u32) && closes(machine, state, t, &blocked) {
                self.cycles.push((at as u32, t));
            }
        }
    }

    /// Returns whether there is a deadlock and, if there is none, whether threads are stranded.
    fn decide(&self, machine: &Machine<'_>, states: &[State], edges: &[Edge]) -> (bool, Stranded) {
        let firm: Vec<Edge> = edges.iter().filter(|e| !e.spurious).copied().collect();
        let all = |_: u32| true;
        let parked = |at: u32| {
            let threads = &states[at as usize].threads;
            threads.iter().any(|t| t.status == Status::Parked)
        };
        // For each thread and state: true if the thread is blocked there and moves in no
        // continuation within the states that satisfy `within`.
        let waits_for_ever = |within: &dyn Fn(u32) -> bool| -> Vec<Vec<bool>> {
            let threads = 0..states.first().map_or(0, |s| s.threads.len());
            let of = |t: usize| {
                let own = firm
                    .iter()
                    .filter(|e| usize::from(e.thread) == t && within(e.from) && within(e.to));
                let moves = leads(states.len(), &firm, own.map(|e| e.from), within);
                let dead = |at: usize| !moves[at] && is_blocked(states[at].threads[t].status);
                (0..states.len())
                    .map(|at| !states[at].ended && dead(at))
                    .collect()
            };
            threads.map(of).collect()
        };
        let dead = waits_for_ever(&all);
        let cycle = |&(at, t): &(u32, usize)| dead[t][at as usize];
        if self.stuck || !self.cancels && !self.cycles.is_empty() || self.cycles.iter().any(cycle) {
            return (true, Stranded::No);
        }
        // A thread that waits, directly or through other threads, for an endless thread starves.
        // That is no deadlock: servers join such threads.
        let stranded = |dead: &[Vec<bool>], open: &[bool], within: &dyn Fn(u32) -> bool| {
            let is = |t: usize, at: usize| {
                let goes_on = |u: usize| !dead[u][at] && states[at].threads[u].status != Status::Finished;
                within(at as u32)
                    && dead[t][at]
                    && !open[at]
                    && !awaited(machine, &states[at], t).into_iter().any(goes_on)
            };
            (0..dead.len()).any(|t| (0..states.len()).any(|at| is(t, at)))
        };
        let open = leads(states.len(), &firm, self.open.iter().copied(), &all);
        if stranded(&dead, &open, &all) {
            return (false, Stranded::Certainly);
        }
        let whole = |at: u32| !parked(at);
        let ends = self.open.iter().copied().filter(|&at| whole(at));
        let open = leads(states.len(), &firm, ends, &whole);
        if stranded(&waits_for_ever(&whole), &open, &whole) {
            return (false, Stranded::Perhaps);
        }
        (false, Stranded::No)
    }
}

/// The threads that a thread waits for, directly or through other waiting threads.
fn awaited(machine: &Machine<'_>, state: &State, thread: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut work = vec![thread];
    while let Some(at) = work.pop() {
        for other in machine.waits_for(state, at) {
            if !found.contains(&other) {
                found.push(other);
                work.push(other);
            }
        }
    }
    found
}

/// The states from which a path leads to a goal. All states of the path must satisfy `within`.
fn leads(
    states: usize,
    edges: &[Edge],
    goal: impl Iterator<Item = u32>,
    within: &dyn Fn(u32) -> bool,
) -> Vec<bool> {
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); states];
    for edge in edges.iter().filter(|e| within(e.from) && within(e.to)) {
        back[edge.to as usize].push(edge.from);
    }
    let mut seen = vec![false; states];
    let mut todo: Vec<u32> = goal.collect();
    todo.iter().for_each(|&s| seen[s as usize] = true);
    while let Some(at) = todo.pop() {
        for &from in &back[at as usize] {
            if !std::mem::replace(&mut seen[from as usize], true) {
                todo.push(from);
            }
        }
    }
    seen
}

/// Whether a blocked thread waits for itself through other blocked threads.
fn closes(machine: &Machine<'_>, state: &State, thread: usize, blocked: &dyn Fn(usize) -> bool) -> bool {
    let mut todo = vec![thread];
    let mut seen = 0u8;
    while let Some(at) = todo.pop() {
        for next in machine.waits_for(state, at) {
            if next == thread {
                return true;
            }
            if blocked(next) && seen & 1 << next == 0 {
                seen |= 1 << next;
                todo.push(next);
            }
        }
    }
    false
}

/// Whether the graph has a cycle.
fn endless(states: usize, edges: &[Edge]) -> bool {
    let mut into = vec![0u32; states];
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); states];
    for edge in edges {
        into[edge.to as usize] += 1;
        out[edge.from as usize].push(edge.to);
    }
    let mut todo: Vec<u32> = (0..states as u32).filter(|&s| into[s as usize] == 0).collect();
    let mut done = 0;
    while let Some(at) = todo.pop() {
        done += 1;
        for &to in &out[at as usize] {
            into[to as usize] -= 1;
            if into[to as usize] == 0 {
                todo.push(to);
            }
        }
    }
    done < states
}
