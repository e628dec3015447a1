//! What each thread has to do to keep to a set of schedules: the [`Trie`] as one thread sees it.
//!
//! About the operations of other threads, a thread needs to know only how many are done, and what a
//! thread has arrived at where its own future depends on that ([`State::Ask`]). Branches of the
//! trie that mean the same for a thread are one state of the thread. So it does not wait for
//! decisions that do not concern it.
//!
//! Where schedules lead to other parts, a thread *passes* ([`State::Pass`]). It then knows how many
//! operations each thread has done in the part that it leaves: leaves with other numbers are other
//! states, so it asks for each decision that leads to them.
//!
//! *Invariant*: no thread waits for ever. A thread waits only for arrivals and operations that come
//! earlier in the trie than its own next entry. A thread that has done its earlier operations
//! arrives at its next one without waiting.

use crate::trie::{Node, Trie};
use rustc_hash::FxHashMap;
use selvedge_schedule::cover::{Cover, Label, Outcome};

/// A state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// The thread has ended.
    End,
    /// The thread arrives at its next operation: the possible labels, and the next state for each.
    Own(Vec<(usize, usize)>),
    /// The label of another thread's operation decides the next state: thread, number of the
    /// operation, and the next state for each label.
    Ask(usize, u32, Vec<(usize, usize)>),
    /// The thread does its operation as soon as these operations are done: thread and number.
    Do {
        /// The outcome of the operation.
        outcome: Outcome,
        /// The operations that it waits for.
        after: Vec<(usize, u32)>,
        /// The next state.
        next: usize,
    },
    /// The thread goes on in another part, in its first state there. `counts`: how many operations
    /// each thread has done in the part that it leaves. All of them are done first.
    Pass {
        /// The number of the part.
        part: usize,
        /// For each thread, how many operations it has done.
        counts: Vec<u32>,
    },
}

/// What all threads have to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The names of the threads; the main thread is first.
    pub threads: Vec<String>,
    /// The labels.
    pub labels: Vec<Label>,
    /// The states of all threads. A state leads only to states with smaller numbers.
    pub states: Vec<State>,
    /// For each part, the first state of each thread.
    pub start: Vec<Vec<usize>>,
    /// For each part, whether each thread takes part: it has not ended.
    pub lives: Vec<Vec<bool>>,
    /// For each thread, the greatest number of its operations in a schedule.
    pub longest: Vec<u32>,
}

impl Plan {
    /// Makes the plan for a set.
    ///
    /// # Errors
    /// A text, if the set is inconsistent.
    pub fn of(cover: &Cover) -> Result<Plan, String> {
        let trie = Trie::of(cover)?;
        let threads = cover.threads();
        let numbers: FxHashMap<&str, usize> = threads
            .iter()
            .enumerate()
            .map(|(number, name)| (name.as_str(), number))
            .collect();
        let number = |name: &str| numbers.get(name).copied().ok_or(format!("no thread {name}"));
        let counts = counts(&trie, &threads, &numbers);
        let mut made = Made::default();
        // For each node and thread, the state of the thread there. Children have greater numbers
        // than parents, so iterate backwards.
        let width = threads.len();
        let mut seen = vec![0; trie.nodes.len() * width];
        let end = made.state(State::End);
        let lives = |part: usize, thread: usize| match cover.part(part) {
            Some(part) => part.threads().any(|name| name == threads[thread]),
            None => true,
        };
        for (at, node) in trie.nodes.iter().enumerate().rev() {
            for thread in 0..width {
                let of = |node: usize| seen[node * width + thread];
                seen[at * width + thread] = match node {
                    Node::Open | Node::End => end,
                    Node::Junction(parts, counts) => match parts.first() {
                        Some(&part) if lives(part, thread) => {
                            let count = |name: &String| counts.get(name).copied().unwrap_or(0);
                            made.state(State::Pass {
                                part,
                                counts: threads.iter().map(count).collect(),
                            })
                        }
                        _ => end,
                    },
                    Node::Arrive(who, cases) => {
                        let who = number(who)?;
                        let mut cases: Vec<(usize, usize)> =
                            cases.iter().map(|&(label, next)| (label, of(next))).collect();
                        cases.sort_unstable();
                        let alike = cases.iter().all(|case| case.1 == cases[0].1);
                        match (who == thread, alike) {
                            (true, _) => made.state(State::Own(cases)),
                            (false, true) => cases[0].1,
                            (false, false) => made.state(State::Ask(who, counts[at] + 1, cases)),
                        }
                    }
                    Node::Take {
                        thread: who,
                        outcome,
                        after,
                        next,
                    } => match number(who)? == thread {
                        false => of(*next),
                        true => {
                            let after: Result<Vec<(usize, u32)>, String> = after
                                .iter()
                                .map(|(name, count)| Ok((number(name)?, *count)))
                                .collect();
                            made.state(State::Do {
                                outcome: *outcome,
                                after: after?,
                                next: of(*next),
                            })
                        }
                    },
                };
            }
        }
        let mut longest = vec![0; width];
        for order in &cover.schedules {
            let mut own = vec![0; width];
            for step in &order.steps {
                own[number(&step.thread)?] += 1;
            }
            longest
                .iter_mut()
                .zip(own)
                .for_each(|(most, own)| *most = own.max(*most));
        }
        Ok(Plan {
            labels: trie.labels.clone(),
            states: made.states,
            start: trie
                .roots
                .values()
                .map(|&root| seen[root * width..(root + 1) * width].to_vec())
                .collect(),
            lives: (0..=cover.parts.len())
                .map(|part| (0..width).map(|thread| lives(part, thread)).collect())
                .collect(),
            longest,
            threads,
        })
    }
}

/// For each arrival, the number of operations that its thread has done before.
fn counts(trie: &Trie, threads: &[String], numbers: &FxHashMap<&str, usize>) -> Vec<u32> {
    let mut counts = vec![0; trie.nodes.len()];
    let roots = trie.roots.values();
    let mut open: Vec<(usize, Vec<u32>)> = roots.map(|&root| (root, vec![0; threads.len()])).collect();
    while let Some((at, mut done)) = open.pop() {
        match &trie.nodes[at] {
            Node::Open | Node::End | Node::Junction(..) => {}
            Node::Arrive(who, cases) => {
                counts[at] = done[numbers[who.as_str()]];
                open.extend(cases.iter().map(|&(_, next)| (next, done.clone())));
            }
            Node::Take { thread, next, .. } => {
                done[numbers[thread.as_str()]] += 1;
                open.push((*next, done));
            }
        }
    }
    counts
}

/// The states, without duplicates.
#[derive(Default)]
struct Made {
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
}

impl Made {
    fn state(&mut self, state: State) -> usize {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.states.len();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        number
    }
}
