//! What each thread has to do to keep to a set of schedules: the [`Trie`] as one thread sees it.
//!
//! About the operations of other threads, a thread needs to know only how many are done, and what a
//! thread has arrived at where its own future depends on that ([`State::Ask`]). Branches of the
//! trie that mean the same for a thread are one state of the thread. So it does not wait for
//! decisions that do not concern it. It asks as late as it can ([`Made::ask`]): what it does in all
//! cases it does first.
//!
//! Where schedules lead to other parts, a thread *passes* ([`State::Pass`]). It then knows how many
//! operations each thread has done in the part that it leaves: leaves with other numbers are other
//! states, so it asks for each decision that leads to them.
//!
//! *Invariant*: no thread waits for ever. A thread waits only for arrivals and operations that come
//! earlier in the trie than its own next entry. A thread that has done its earlier operations
//! arrives at its next one without waiting.

use crate::trie::{Node, Trie};
use crate::without::{Optimisation, Without};
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
        Plan::without(cover, &Without::default())
    }

    /// The same without some of what keeps threads from waiting.
    ///
    /// # Errors
    /// As [`Plan::of`].
    pub fn without(cover: &Cover, without: &Without) -> Result<Plan, String> {
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
                        match who == thread {
                            true => made.state(State::Own(cases)),
                            false => made.decided((who, counts[at] + 1), cases, without),
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

/// The cases of a decision: labels, and the next state for each.
type Cases = Vec<(usize, usize)>;

/// A question: of which thread and operation, and the state for each answer.
type Asked = ((usize, u32), Cases);

/// The states, without duplicates.
#[derive(Default)]
struct Made {
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
    asked: FxHashMap<Asked, usize>,
}

/// What comes of moving a question.
enum Moved {
    /// The state with which it begins.
    Made(usize),
    /// It moves behind a state with several branches, and is asked in each.
    Behind(Behind),
}

/// A question that moves behind a state with several branches.
struct Behind {
    /// The states before it was moved.
    asked: Cases,
    /// What the thread does first in all cases.
    first: Vec<State>,
    /// The states with the branches.
    cases: Cases,
    /// The branches of one of them.
    branches: Cases,
    /// What is made of the branches so far.
    each: Cases,
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

    /// The state of a thread whose next state another thread's operation decides. `of`: that
    /// thread, and the number of its operation.
    fn decided(&mut self, of: (usize, u32), cases: Cases, without: &Without) -> usize {
        let one = cases[0].1;
        let differs = cases.iter().any(|case| case.1 != one);
        let (anyway, early) = (
            without.has(Optimisation::Asked) && cases.len() > 1,
            without.has(Optimisation::Late),
        );
        match differs {
            false if !anyway => one,
            true if !anyway && !early => self.ask(of, cases),
            _ => self.state(State::Ask(of.0, of.1, cases)),
        }
    }

    /// The same, as late as it can ask. What the thread does in all cases comes first, then the
    /// question. Else it would wait for the decision with all of that.
    ///
    /// A question moves behind others, one of which may lead to many more: no recursion, since
    /// there may be as many as operations.
    fn ask(&mut self, of: (usize, u32), cases: Cases) -> usize {
        let mut open: Vec<Behind> = Vec::new();
        let mut moved = self.moved(of, cases);
        loop {
            let behind = match moved {
                Moved::Behind(behind) => behind,
                Moved::Made(made) => {
                    let Some(behind) = open.pop() else {
                        return made;
                    };
                    behind.with(made)
                }
            };
            if behind.each.len() == behind.branches.len() {
                moved = Moved::Made(self.complete(of, behind));
                continue;
            }
            let mut cases = behind.cases.clone();
            self.go_on(&mut cases, behind.each.len());
            open.push(behind);
            moved = self.moved(of, cases);
        }
    }

    /// Moves a question behind what the thread does in all cases.
    fn moved(&mut self, of: (usize, u32), asked: Cases) -> Moved {
        let key = (of, asked);
        if let Some(&known) = self.asked.get(&key) {
            return Moved::Made(known);
        }
        let (mut first, mut cases) = (Vec::new(), key.1.clone());
        let last = loop {
            if cases.iter().all(|case| case.1 == cases[0].1) {
                break cases[0].1;
            }
            let head = self.states[cases[0].1].clone();
            let same = cases.iter().all(|case| begins_alike(&self.states[case.1], &head));
            match head {
                State::Do { outcome, after, .. } if same => {
                    self.go_on(&mut cases, 0);
                    let next = usize::MAX;
                    first.push(State::Do { outcome, after, next });
                }
                State::Own(own) if same && own.len() == 1 => {
                    self.go_on(&mut cases, 0);
                    first.push(State::Own(vec![(own[0].0, usize::MAX)]));
                }
                State::Own(branches) | State::Ask(_, _, branches) if same => {
                    return Moved::Behind(Behind {
                        asked: key.1,
                        first,
                        cases,
                        branches,
                        each: Vec::new(),
                    });
                }
                _ => break self.state(State::Ask(of.0, of.1, cases)),
            }
        };
        Moved::Made(self.after(first, last, key))
    }

    /// The state with which a question begins that was moved behind others.
    fn complete(&mut self, of: (usize, u32), behind: Behind) -> usize {
        let each = behind.each;
        let last = match self.states[behind.cases[0].1] {
            // What another question decides that cannot wait comes before this one.
            State::Ask(..) if each.iter().all(|case| case.1 == each[0].1) => each[0].1,
            State::Ask(who, number, _) => self.state(State::Ask(who, number, each)),
            _ => self.state(State::Own(each)),
        };
        self.after(behind.first, last, (of, behind.asked))
    }

    /// The states before one that belongs to a question.
    fn after(&mut self, first: Vec<State>, last: usize, asked: Asked) -> usize {
        let made = first.into_iter().rev().fold(last, |next, head| {
            self.state(match head {
                State::Do { outcome, after, .. } => State::Do { outcome, after, next },
                State::Own(own) => State::Own(vec![(own[0].0, next)]),
                other => other,
            })
        });
        self.asked.insert(asked, made);
        made
    }

    /// Replaces each state by that after it, for the label with this place.
    fn go_on(&self, cases: &mut Cases, place: usize) {
        for (_, at) in cases {
            *at = match &self.states[*at] {
                State::Do { next, .. } => *next,
                State::Own(own) | State::Ask(_, _, own) => own[place].1,
                State::End | State::Pass { .. } => *at,
            };
        }
    }
}

impl Behind {
    /// With the state of the next branch.
    fn with(mut self, made: usize) -> Behind {
        let label = self.branches[self.each.len()].0;
        self.each.push((label, made));
        self
    }
}

/// Whether a thread does the same in two states, whatever comes next.
fn begins_alike(one: &State, other: &State) -> bool {
    let labels_alike =
        |one: &Cases, other: &Cases| one.iter().map(|case| case.0).eq(other.iter().map(|case| case.0));
    match (one, other) {
        (State::Own(one), State::Own(other)) => labels_alike(one, other),
        (State::Ask(who, number, one), State::Ask(its, same, other)) => {
            (who, number) == (its, same) && labels_alike(one, other)
        }
        (
            State::Do { outcome, after, .. },
            State::Do {
                outcome: its_outcome,
                after: its_after,
                ..
            },
        ) => (outcome, after) == (its_outcome, its_after),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states of a thread on the way, as long as there is one way.
    fn way(plan: &Plan, thread: usize) -> Vec<String> {
        let (mut at, mut words) = (plan.start[0][thread], Vec::new());
        loop {
            at = match &plan.states[at] {
                State::Own(cases) if cases.len() == 1 => cases[0].1,
                State::Do { after, next, .. } => {
                    words.push(format!("does {after:?}"));
                    *next
                }
                State::Own(cases) => {
                    words.push(format!("decides {}", cases.len()));
                    return words;
                }
                State::Ask(who, number, cases) => {
                    words.push(format!("asks {who} {number} {}", cases.len()));
                    return words;
                }
                State::End | State::Pass { .. } => {
                    words.push("end".to_owned());
                    return words;
                }
            };
        }
    }

    /// Thread 0.1 decides whether it posts to `s`; then thread 0.2, whether it posts to `t`.
    /// The main thread does something else twice, and waits for what both have decided.
    fn decisions(posts: [bool; 2]) -> String {
        let mut text = "op 0 create 0.1 done\nop 0 create 0.2 done\n".to_owned();
        let mut counts = [1, 1];
        for (thread, count) in counts.iter_mut().enumerate() {
            if posts[thread] {
                text += &format!("op 0.{} post o{thread} done\n", thread + 1);
                *count += 1;
            }
            text += &format!("op 0.{} end - done\n", thread + 1);
            text += "op 0 lock o2 done\nop 0 unlock o2 done\n";
        }
        text += &format!("op 0 join 0.2 done after 0.2:{}\n", counts[1]);
        text += &format!("op 0 join 0.1 done after 0.1:{}\nop 0 exit - done\n", counts[0]);
        text
    }

    #[test]
    fn a_thread_asks_as_late_as_it_can() {
        let mut text =
            "selvedge-cover 2\nobject 0 global 0 s\nobject 1 global 0 t\nobject 2 global 0 m\n".to_owned();
        for posts in [[true, true], [true, false], [false, true], [false, false]] {
            text += &format!("schedule 1\n{}", decisions(posts));
        }
        let cover: Cover = text.parse().unwrap();
        let plan = Plan::of(&cover).unwrap();
        // What it needs first it asks first, though the other thread has decided before.
        let does = ["does []"; 6];
        assert_eq!(way(&plan, 0), [&does[..], &["asks 2 1 2"]].concat());
        let State::Ask(_, _, cases) = plan
            .states
            .iter()
            .rfind(|state| matches!(state, State::Ask(2, ..)))
            .unwrap()
        else {
            unreachable!()
        };
        for &(_, next) in cases {
            let State::Do { next, .. } = plan.states[next] else {
                panic!("{plan:?}")
            };
            let State::Own(own) = &plan.states[next] else {
                panic!("{plan:?}")
            };
            assert!(matches!(plan.states[own[0].1], State::Ask(1, 1, _)), "{plan:?}");
        }
        // Whose future is the same in all cases asks nobody.
        assert_eq!(way(&plan, 2), ["decides 2"]);
    }

    /// A question that moves behind as many decisions as a long program has.
    #[test]
    fn a_question_moves_behind_any_number_of_decisions() {
        const DEPTH: usize = 100_000;
        let mut made = Made::default();
        let end = made.state(State::End);
        let mut ends = [0, 1].map(|number| {
            let after = vec![(3, number)];
            made.state(State::Do {
                outcome: Outcome::Done,
                after,
                next: end,
            })
        });
        for _ in 0..DEPTH {
            ends = ends.map(|next| made.state(State::Own(vec![(5, next), (6, next)])));
        }
        let mut at = made.ask((2, 1), vec![(7, ends[0]), (8, ends[1])]);
        for _ in 0..DEPTH {
            let State::Own(own) = &made.states[at] else {
                panic!("{:?}", made.states[at])
            };
            assert_eq!((own[0].0, own[1].0, own[0].1), (5, 6, own[1].1));
            at = own[0].1;
        }
        let State::Ask(2, 1, cases) = &made.states[at] else {
            panic!("{:?}", made.states[at])
        };
        let after = |at: usize| match &made.states[at] {
            State::Do { after, .. } => after[0].1,
            other => panic!("{other:?}"),
        };
        let labels = cases.iter().map(|&(label, next)| (label, after(next)));
        assert_eq!(labels.collect::<Vec<_>>(), [(7, 0), (8, 1)]);
    }

    #[test]
    fn a_thread_that_does_one_thing_in_one_case_only_asks_before() {
        let text = "selvedge-cover 2\nobject 0 global 0 s\nobject 1 global 0 m\n\
            schedule 1\nop 0 create 0.1 done\nop 0.1 post o0 done\nop 0.1 end - done\n\
            op 0 lock o1 done\nop 0 unlock o1 done\nop 0 exit - done after 0.1:2\n\
            schedule 1\nop 0 create 0.1 done\nop 0.1 end - done\n\
            op 0 lock o1 done\nop 0 exit - done after 0.1:1\n";
        let plan = Plan::of(&text.parse().unwrap()).unwrap();
        assert_eq!(way(&plan, 0), ["does []", "does []", "asks 1 1 2"]);
    }
}
