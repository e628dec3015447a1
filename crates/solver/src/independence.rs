//! Drops the constraints that share no input with the goal, not even through other constraints.
//!
//! The path is satisfiable, so constraints that are independent of the goal stay satisfied by the
//! hint. Inputs are joined to groups by the constraints that link them. The groups are a forest of
//! unions by size without path compression, so the last union can be undone when the path shrinks.
//! The constraints of a group form a ring. Joining two rings is one swap of successors, and the
//! same swap separates them again. So the cost of a query depends on its slice, not on the path.

use crate::path::Followed;
use crate::{Answer, LayerStatistics, Query, Solver, Statistics};
use selvedge_expr::{Arena, Assignment, Expr, InputId};
use std::rc::Rc;

pub(crate) struct Independence<S> {
    inner: S,
    followed: Followed,
    groups: Groups,
    /// Numbers of undo entries before each constraint of the path.
    marks: Vec<usize>,
    slice: Vec<Expr>,
    statistics: LayerStatistics,
}

/// Which inputs are linked, and by which constraints.
#[derive(Default)]
struct Groups {
    /// By input.
    nodes: Vec<Node>,
    /// By constraint: the next one of its ring.
    next: Vec<u32>,
    log: Vec<Change>,
}

#[derive(Clone)]
struct Node {
    /// Towards the root of the group; of a root, itself.
    parent: u32,
    /// Inputs in the group; valid in roots.
    size: u32,
    /// A constraint of the group; valid in roots.
    constraint: Option<u32>,
}

enum Change {
    /// The root joined another one, which had this constraint before.
    Joined {
        root: u32,
        to: u32,
        constraint: Option<u32>,
    },
    /// The root got its first constraint.
    First(u32),
    /// The successors of two constraints were swapped.
    Swapped(u32, u32),
}

impl Groups {
    fn grow(&mut self, inputs: &[InputId]) {
        let most = inputs.iter().map(|input| input.0 + 1).max().unwrap_or(0);
        for input in self.nodes.len() as u32..most {
            self.nodes.push(Node {
                parent: input,
                size: 1,
                constraint: None,
            });
        }
    }

    fn root(&self, input: InputId) -> u32 {
        let mut at = input.0;
        while self.nodes[at as usize].parent != at {
            at = self.nodes[at as usize].parent;
        }
        at
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.next.swap(a as usize, b as usize);
        self.log.push(Change::Swapped(a, b));
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let (root, to) = if self.nodes[a as usize].size <= self.nodes[b as usize].size {
            (a, b)
        } else {
            (b, a)
        };
        let theirs = self.nodes[to as usize].constraint;
        self.log.push(Change::Joined {
            root,
            to,
            constraint: theirs,
        });
        let Node { size, constraint, .. } = self.nodes[root as usize];
        self.nodes[root as usize].parent = to;
        self.nodes[to as usize].size += size;
        match (constraint, theirs) {
            (Some(ours), Some(theirs)) => self.swap(ours, theirs),
            (Some(ours), None) => self.nodes[to as usize].constraint = Some(ours),
            _ => {}
        }
        to
    }

    fn push(&mut self, inputs: &[InputId]) {
        let constraint = self.next.len() as u32;
        self.next.push(constraint);
        self.grow(inputs);
        let Some((&first, rest)) = inputs.split_first() else {
            return;
        };
        let mut root = self.root(first);
        for &input in rest {
            root = self.join(root, self.root(input));
        }
        match self.nodes[root as usize].constraint {
            Some(other) => self.swap(constraint, other),
            None => {
                self.nodes[root as usize].constraint = Some(constraint);
                self.log.push(Change::First(root));
            }
        }
    }

    fn undo(&mut self, mark: usize, constraints: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Change::Joined { root, to, constraint }) => {
                    let size = self.nodes[root as usize].size;
                    self.nodes[to as usize].size -= size;
                    self.nodes[to as usize].constraint = constraint;
                    self.nodes[root as usize].parent = root;
                }
                Some(Change::First(root)) => self.nodes[root as usize].constraint = None,
                Some(Change::Swapped(a, b)) => self.next.swap(a as usize, b as usize),
                None => {}
            }
        }
        self.next.truncate(constraints);
    }

    /// The constraints of a group, in any order.
    fn constraints(&self, root: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.nodes[root as usize].constraint;
        std::iter::successors(first, move |&at| {
            let next = self.next[at as usize];
            (Some(next) != first).then_some(next)
        })
    }
}

impl<S: Solver> Independence<S> {
    pub(crate) fn new(inner: S) -> Independence<S> {
        Independence {
            inner,
            followed: Followed::default(),
            groups: Groups::default(),
            marks: Vec::new(),
            slice: Vec::new(),
            statistics: LayerStatistics::new("independence"),
        }
    }

    fn follow(&mut self, arena: &Arena, path: &[Expr]) {
        let (same, new) = self.followed.turn(path);
        if let Some(&mark) = self.marks.get(same) {
            self.groups.undo(mark, same);
            self.marks.truncate(same);
        }
        for &e in new {
            self.marks.push(self.groups.log.len());
            self.groups.push(&arena.inputs_of(e));
        }
    }

    /// The roots of the groups that share inputs with the goal, in ascending order.
    fn touched(&mut self, arena: &Arena, goal: &[Expr]) -> Vec<u32> {
        let mut roots = Vec::new();
        for &e in goal {
            let inputs = arena.inputs_of(e);
            self.groups.grow(&inputs);
            roots.extend(inputs.iter().map(|&input| self.groups.root(input)));
        }
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Solves the groups that share no input with the goal, one by one, for a complete model.
    fn solve_others(&mut self, arena: &Arena, path: &[Expr], touched: &[u32], goal: &Assignment) -> Answer {
        let mut model = goal.clone();
        for input in 0..self.groups.nodes.len() as u32 {
            let is_root = self.groups.nodes[input as usize].parent == input;
            if !is_root || touched.binary_search(&input).is_ok() {
                continue;
            }
            let mut group: Vec<u32> = self.groups.constraints(input).collect();
            group.sort_unstable();
            if group.is_empty() {
                continue;
            }
            let group: Vec<Expr> = group.iter().map(|&number| path[number as usize]).collect();
            let query = Query {
                path: &[],
                goal: &group,
                hint: None,
            };
            match self.inner.check(arena, &query) {
                Answer::Sat(part) => {
                    for &e in &group {
                        for &input in arena.inputs_of(e).iter() {
                            model.set(input, part.get(input).unwrap_or(0));
                        }
                    }
                }
                other => return other,
            }
        }
        Answer::Sat(Rc::new(model))
    }
}

impl<S: Solver> Solver for Independence<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.follow(arena, query.path);
        let touched = self.touched(arena, query.goal);
        let mut numbers: Vec<u32> = Vec::new();
        for &root in &touched {
            numbers.extend(self.groups.constraints(root));
        }
        numbers.sort_unstable();
        self.slice.clear();
        self.slice
            .extend(numbers.iter().map(|&number| query.path[number as usize]));
        let slice = Query {
            path: &self.slice,
            goal: query.goal,
            hint: query.hint,
        };
        match self.inner.check(arena, &slice) {
            Answer::Sat(model) if query.hint.is_none() => {
                self.solve_others(arena, query.path, &touched, &model)
            }
            answer => answer,
        }
    }

    fn core(&self) -> &[Expr] {
        self.inner.core()
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}
