//! All schedules of a set, merged where they begin alike.
//!
//! A node says either that a thread arrives at its next operation, which is one of several, or that
//! the operation of a thread is taken. Schedules branch only at arrivals, because only there inputs
//! decide.

use rustc_hash::FxHashMap;
use selvedge_schedule::cover::{Cover, Label, Operation, Order, Outcome, Part, Step, Target};
use std::collections::{BTreeMap, BTreeSet};

/// The operations that one waits for: threads and numbers.
type Edges = Vec<(String, u32)>;

/// The number of a node. A child has a greater number than its parent.
pub(crate) type NodeId = usize;

/// Why a schedule is inconsistent with others: it has another order than those that begin alike.
pub(crate) const ORDER: &str = "which thread goes first depends on something that no operation shows";

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// What follows is not yet known.
    Open,
    /// A thread arrives at its next operation. For each label: the node that follows.
    Arrive(String, Vec<(usize, NodeId)>),
    /// A thread takes the operation that it has arrived at.
    Take {
        thread: String,
        outcome: Outcome,
        after: Vec<(String, u32)>,
        next: NodeId,
    },
    /// All threads have ended.
    End,
    /// Another part begins, one of these; and how many operations each thread has done in this one.
    Junction(BTreeSet<usize>, BTreeMap<String, u32>),
}

/// The trie; see the documentation of the module.
#[derive(Clone, Debug)]
pub struct Trie {
    pub(crate) nodes: Vec<Node>,
    pub(crate) labels: Vec<Label>,
    /// Where each part begins, if a schedule does.
    pub(crate) roots: BTreeMap<usize, NodeId>,
    numbers: FxHashMap<Label, usize>,
}

/// The result of inserting a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// The schedule is new, or leads to a part to which it did not lead before; its leaf.
    New(usize),
    /// The schedule was already in the trie, at this leaf.
    Known(usize),
}

/// An entry of the sequence that represents a schedule.
enum Entry<'a> {
    Arrive(&'a str, &'a Label),
    Take(&'a Step),
}

impl Default for Trie {
    fn default() -> Self {
        Trie {
            nodes: vec![Node::Open],
            labels: Vec::new(),
            roots: BTreeMap::from([(0, 0)]),
            numbers: FxHashMap::default(),
        }
    }
}

impl Trie {
    /// Makes a trie of the schedules of a set.
    ///
    /// # Errors
    /// A text that names the first inconsistent schedule, and its step.
    pub fn of(cover: &Cover) -> Result<Trie, String> {
        let mut trie = Trie::default();
        for (index, order) in cover.schedules.iter().enumerate() {
            let inserted = trie.insert(order, &cover.parts).map_err(|(step, why)| {
                let at = order.steps.get(step).map_or_else(String::new, |step| {
                    format!(", at operation `{} {}`", step.thread, cover.text(&step.label))
                });
                format!("schedule {}{at}: {why}", index + 1)
            })?;
            let Inserted::New(leaf) = inserted else {
                return Err(format!("schedule {} is there twice", index + 1));
            };
            if matches!(&trie.nodes[leaf], Node::Junction(to, _) if to.len() > 1) {
                return Err(format!("schedule {} leads to several parts", index + 1));
            }
        }
        if let Some(missing) = (1..=cover.parts.len()).find(|part| !trie.roots.contains_key(part)) {
            return Err(format!("no schedule begins with part {missing}"));
        }
        Ok(trie)
    }

    /// The labels, indexed by number.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Adds a schedule. It may lead to another part than before; [`Trie::of`] does not allow that.
    ///
    /// # Errors
    /// If the schedule is inconsistent with the others: the step, and the reason. The trie may then
    /// contain part of the schedule.
    pub fn insert(&mut self, order: &Order, parts: &[Part]) -> Result<Inserted, (usize, String)> {
        self.add(order, parts, |known, after| known == after)
    }

    /// The same. An operation may wait for others than in an earlier schedule: what is done at a
    /// place ([`Operation::At`]) may be done to different objects, and no operation shows to which.
    /// Then it waits for all of them. [`Trie::settle`] says so in the schedules.
    ///
    /// # Errors
    /// As [`Trie::insert`].
    pub(crate) fn join(&mut self, order: &Order, parts: &[Part]) -> Result<Inserted, (usize, String)> {
        self.add(order, parts, |known, after| {
            for (thread, number) in after {
                match known.iter_mut().find(|edge| edge.0 == *thread) {
                    Some(edge) => edge.1 = edge.1.max(*number),
                    None => known.push((thread.clone(), *number)),
                }
            }
            known.sort();
            true
        })
    }

    /// Lets the operations of a schedule that is in the trie wait for what they wait for there.
    pub(crate) fn settle(&self, order: &mut Order, parts: &[Part]) {
        let mut at = self.roots.get(&order.from).copied();
        let mut found = Vec::new();
        for (step, entry) in walk(order, parts).unwrap_or_default() {
            at = match (at.map(|at| &self.nodes[at]), entry) {
                (Some(Node::Arrive(_, cases)), Entry::Arrive(_, label)) => {
                    let number = self.numbers.get(label);
                    cases
                        .iter()
                        .find(|case| Some(&case.0) == number)
                        .map(|case| case.1)
                }
                (Some(Node::Take { after, next, .. }), Entry::Take(_)) => {
                    found.push((step, after.clone()));
                    Some(*next)
                }
                _ => None,
            };
        }
        for (step, after) in found {
            order.steps[step].after = after;
        }
    }

    /// Adds a schedule. `waits`: whether an operation that is known with these edges may have
    /// those, too.
    fn add(
        &mut self,
        order: &Order,
        parts: &[Part],
        waits: impl Fn(&mut Edges, &Edges) -> bool,
    ) -> Result<Inserted, (usize, String)> {
        let walk = walk(order, parts)?;
        let nodes = &mut self.nodes;
        let mut at = *self.roots.entry(order.from).or_insert_with(|| {
            nodes.push(Node::Open);
            nodes.len() - 1
        });
        let mut new = false;
        let fails = |step: usize| (step, ORDER.to_owned());
        for (step, entry) in walk {
            let fresh = matches!(self.nodes[at], Node::Open);
            new |= fresh;
            match entry {
                Entry::Arrive(thread, label) => {
                    let label = self.number(label);
                    if fresh {
                        self.nodes[at] = Node::Arrive(thread.to_owned(), Vec::new());
                    }
                    let open = self.nodes.len();
                    let Node::Arrive(who, cases) = &mut self.nodes[at] else {
                        return Err(fails(step));
                    };
                    if who != thread {
                        return Err(fails(step));
                    }
                    at = match cases.iter().find(|case| case.0 == label) {
                        Some(&(_, next)) => next,
                        None => {
                            cases.push((label, open));
                            self.nodes.push(Node::Open);
                            new = true;
                            open
                        }
                    };
                }
                Entry::Take(taken) => {
                    if fresh {
                        let next = self.nodes.len();
                        self.nodes.push(Node::Open);
                        self.nodes[at] = Node::Take {
                            thread: taken.thread.clone(),
                            outcome: taken.outcome,
                            after: taken.after.clone(),
                            next,
                        };
                    }
                    let Node::Take {
                        thread,
                        outcome,
                        after,
                        next,
                    } = &mut self.nodes[at]
                    else {
                        return Err(fails(step));
                    };
                    let is_it = *thread == taken.thread && *outcome == taken.outcome;
                    if !is_it || !waits(after, &taken.after) {
                        return Err(fails(step));
                    }
                    at = *next;
                }
            }
        }
        match (&mut self.nodes[at], order.to) {
            (open @ Node::Open, to) => {
                new = true;
                *open = to.map_or(Node::End, |to| Node::Junction([to].into(), counts(&order.steps)));
            }
            (Node::End, None) => {}
            (Node::Junction(parts, _), Some(to)) => new |= parts.insert(to),
            _ => return Err(fails(order.steps.len())),
        }
        Ok(match new {
            true => Inserted::New(at),
            false => Inserted::Known(at),
        })
    }

    fn number(&mut self, label: &Label) -> usize {
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        let number = self.labels.len();
        self.labels.push(label.clone());
        self.numbers.insert(label.clone(), number);
        number
    }
}

/// How many operations each thread does.
pub(crate) fn counts(steps: &[Step]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for step in steps {
        *counts.entry(step.thread.clone()).or_insert(0) += 1;
    }
    counts
}

/// A schedule with the arrivals of its threads, each as early as possible. Each entry has the step
/// that it belongs to.
fn walk<'a>(order: &'a Order, parts: &'a [Part]) -> Result<Vec<(usize, Entry<'a>)>, (usize, String)> {
    let steps = &order.steps;
    let missing = || (0, "it belongs to a part that is not there".to_owned());
    let part = |number: usize| match number.checked_sub(1) {
        None => Ok(None),
        Some(at) => parts.get(at).map(Some).ok_or_else(missing),
    };
    let (from, to) = (part(order.from)?, part(order.to.unwrap_or(0))?);
    let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        of.entry(&step.thread).or_default().push(index);
    }
    // Where a thread arrives when it has done so many operations.
    let arrives = |thread: &str, done: usize, at: usize| {
        if let Some(&next) = of.get(thread).and_then(|own| own.get(done)) {
            return Ok(&steps[next].label);
        }
        let Some(to) = to else {
            return Err((at, format!("thread {thread} does not end")));
        };
        let stands = to.stands.iter().find(|(who, _)| who == thread);
        let missing = || (at, format!("thread {thread} is not in the next part"));
        stands.map(|(_, label)| label).ok_or_else(missing)
    };
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut walk = Vec::new();
    if from.is_none() {
        taken.insert("0", 0);
        walk.push((0, Entry::Arrive("0", arrives("0", 0, 0)?)));
    }
    for (thread, stands) in from.into_iter().flat_map(|part| &part.stands) {
        taken.insert(thread, 0);
        if arrives(thread, 0, 0)? != stands {
            return Err((0, format!("thread {thread} stands before another operation")));
        }
    }
    for (index, step) in steps.iter().enumerate() {
        let thread = step.thread.as_str();
        let Some(count) = taken.get_mut(thread) else {
            return Err((index, format!("thread {thread} was not created")));
        };
        *count += 1;
        let count = *count;
        walk.push((index, Entry::Take(step)));
        let ends = matches!(step.label.operation, Operation::End | Operation::Exit);
        match ends {
            true if of[thread].len() > count => {
                return Err((index, format!("thread {thread} goes on after its end")));
            }
            true => {}
            false => walk.push((index, Entry::Arrive(thread, arrives(thread, count, index)?))),
        }
        if step.label.operation == Operation::Create
            && let Target::Thread(child) = &step.label.target
        {
            if order.from != 0 {
                return Err((index, format!("thread {child} is created after the first part")));
            }
            walk.push((index, Entry::Arrive(child, arrives(child, 0, index)?)));
            if taken.insert(child, 0).is_some() {
                return Err((index, format!("thread {child} is created twice")));
            }
        }
    }
    // Only the begin of the program may lead to a request at once.
    if order.to.is_some() && order.from != 0 && steps.is_empty() {
        return Err((0, "it has no operation".to_owned()));
    }
    Ok(walk)
}
