//! Facts of sets along the control flow of a whole program: what each statement adds to a set and
//! takes out of it (gen and kill; Sharir and Pnueli 1981, the functional approach).
//!
//! A function is summarised once by what it adds and takes out. So the result of a call does not
//! depend on other callers; only what holds at a function's entry is merged over its callers.
//! Exceptions and `longjmp` leave a function in its middle: where they lead to, all may be added
//! that was added on the way, and nothing is sure.

use crate::cfg::lands;
use crate::{Place, PointsTo};
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{FuncId, Function, InstKind, Module, Terminator};
use std::collections::{BTreeSet, VecDeque};

/// An instruction or a terminator.
type Statement = (FuncId, Place);

/// A set, by numbers whose meaning the user of this module knows.
pub(crate) type Members = BTreeSet<u32>;

/// How sets are merged where paths meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meet {
    /// What holds on some path.
    May,
    /// What holds on all paths.
    Must,
}

/// What is added to a set and taken out of it. A number is in one of the two at most.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Change {
    pub gives: Members,
    pub takes: Members,
}

impl Change {
    /// Adds one number.
    pub fn give(&mut self, member: u32) {
        self.takes.remove(&member);
        self.gives.insert(member);
    }

    /// Takes one number out.
    pub fn take(&mut self, member: u32) {
        self.gives.remove(&member);
        self.takes.insert(member);
    }

    /// This one, and then the other one.
    pub fn then(&mut self, next: &Change) {
        next.takes.iter().for_each(|&member| self.take(member));
        next.gives.iter().for_each(|&member| self.give(member));
    }

    /// The set after this change.
    pub fn of(&self, set: &Members) -> Members {
        let kept = set.difference(&self.takes);
        kept.chain(&self.gives).copied().collect()
    }

    /// Either this one or the other one; whether that differs from this one.
    fn meet(&mut self, other: &Change, meet: Meet) -> bool {
        let before = (self.gives.len(), self.takes.len());
        let (union, common) = match meet {
            Meet::May => (&mut self.gives, &mut self.takes),
            Meet::Must => (&mut self.takes, &mut self.gives),
        };
        let (all, both) = match meet {
            Meet::May => (&other.gives, &other.takes),
            Meet::Must => (&other.takes, &other.gives),
        };
        union.extend(all);
        common.retain(|member| both.contains(member));
        before != (self.gives.len(), self.takes.len())
    }
}

/// What statements do to a set.
#[derive(Default)]
pub(crate) struct Effects {
    /// After an instruction.
    pub steps: FxHashMap<Statement, Change>,
    /// Along an edge between two blocks.
    pub edges: FxHashMap<(FuncId, u32, u32), Change>,
    /// What an instruction adds or takes out only until it is done.
    pub meanwhile: FxHashMap<Statement, Members>,
    /// Functions that a library call may run before it returns.
    pub runs: FxHashMap<Statement, Vec<FuncId>>,
}

/// The parts of a block that matter: its calls, and instructions with an effect.
struct Shape {
    /// By block: the instructions.
    events: Vec<Vec<u32>>,
    /// By block: its successors, and whether control goes there as usual, not by an exception.
    next: Vec<Vec<(usize, bool)>>,
    /// The calls to which `longjmp` leads.
    lands: BTreeSet<(usize, u32)>,
    returns: Vec<bool>,
}

/// The solution for all functions that may run.
pub(crate) struct Flow<'a> {
    points_to: &'a PointsTo,
    meet: Meet,
    effects: Effects,
    /// All members that are taken out by what is not followed ([`Meet::Must`]).
    all: Change,
    shapes: FxHashMap<FuncId, Shape>,
    /// By function: what has happened at the beginning of each block since the entry. None: it is
    /// not reached.
    within: FxHashMap<FuncId, Vec<Option<Change>>>,
    /// By function: what has happened when it returns. None: it does not.
    summaries: FxHashMap<FuncId, Change>,
    /// By function: what may be added ([`Meet::Must`]: taken out) while it runs.
    ever: FxHashMap<FuncId, Members>,
}

impl<'a> Flow<'a> {
    /// Solves the equations. `members`: all numbers that sets may have.
    pub fn of(
        module: &'a Module,
        points_to: &'a PointsTo,
        meet: Meet,
        effects: Effects,
        members: Members,
    ) -> Flow<'a> {
        let mut flow = Flow {
            points_to,
            meet,
            effects,
            all: Change {
                gives: Members::new(),
                takes: members,
            },
            shapes: FxHashMap::default(),
            within: FxHashMap::default(),
            summaries: FxHashMap::default(),
            ever: FxHashMap::default(),
        };
        let runs = |id: &FuncId| module.functions[*id].is_defined() && points_to.may_run(*id);
        let functions: Vec<FuncId> = module.functions.ids().filter(runs).collect();
        for &id in &functions {
            let shape = flow.shape(module, id);
            flow.shapes.insert(id, shape);
        }
        flow.find_ever(&functions);
        flow.summarise(&functions);
        flow
    }

    fn shape(&self, module: &Module, id: FuncId) -> Shape {
        let function: &Function = &module.functions[id];
        let events = function.blocks.iter_ids().map(|(block, what)| {
            let insts = what.insts.iter().enumerate();
            let matters = insts.filter(|&(index, inst)| {
                let call = matches!(inst.kind, InstKind::Call { .. } | InstKind::Unsupported { .. });
                call || self
                    .effects
                    .steps
                    .contains_key(&at(id, block.index(), index as u32))
            });
            matters.map(|(index, _)| index as u32).collect()
        });
        let next = function.blocks.iter_ids().map(|(_, what)| {
            let mut next: Vec<(usize, bool)> = Vec::new();
            match &what.term {
                Terminator::Invoke { normal, unwind, .. } => {
                    next.extend([(normal.index(), true), (unwind.index(), false)]);
                }
                term => crate::cfg::successors(term, |to| next.push((to.index(), true))),
            }
            next.sort_unstable();
            next.dedup();
            next
        });
        let lands = function.blocks.iter_ids().flat_map(|(block, what)| {
            let insts = what.insts.iter().enumerate();
            let lands = insts.filter(|(_, inst)| lands(module, &inst.kind));
            lands.map(move |(index, _)| (block.index(), index as u32))
        });
        let returns = function.blocks.iter();
        let returns = returns.map(|block| matches!(block.term, Terminator::Return(_)));
        Shape {
            events: events.collect(),
            next: next.collect(),
            lands: lands.collect(),
            returns: returns.collect(),
        }
    }

    /// The functions of the program that a statement may run before it is done.
    fn callees(&self, statement: Statement) -> impl Iterator<Item = FuncId> + '_ {
        let runs = self.effects.runs.get(&statement).into_iter().flatten().copied();
        let callees = self.points_to.callees(statement.0, statement.1).chain(runs);
        callees.filter(|f| self.shapes.contains_key(f))
    }

    fn events(&self, id: FuncId) -> impl Iterator<Item = Statement> + '_ {
        let blocks = self.shapes[&id].events.iter().enumerate();
        blocks.flat_map(move |(block, events)| events.iter().map(move |&index| at(id, block, index)))
    }

    fn callers(&self, functions: &[FuncId]) -> FxHashMap<FuncId, BTreeSet<FuncId>> {
        let mut callers: FxHashMap<FuncId, BTreeSet<FuncId>> = FxHashMap::default();
        for &id in functions {
            for statement in self.events(id) {
                for callee in self.callees(statement) {
                    callers.entry(callee).or_default().insert(id);
                }
            }
        }
        callers
    }

    fn find_ever(&mut self, functions: &[FuncId]) {
        let callers = self.callers(functions);
        for &id in functions {
            let passing: Members = self.events(id).flat_map(|s| self.by_itself(s)).collect();
            self.ever.insert(id, passing);
        }
        let mut work: Vec<FuncId> = functions.to_vec();
        while let Some(id) = work.pop() {
            let given = self.ever[&id].clone();
            for caller in callers.get(&id).into_iter().flatten() {
                let known = self.ever.entry(*caller).or_default();
                let before = known.len();
                known.extend(&given);
                if known.len() > before {
                    work.push(*caller);
                }
            }
        }
    }

    /// What an instruction may add (take out), without the functions that it calls.
    fn by_itself(&self, statement: Statement) -> Members {
        let step = self.effects.steps.get(&statement);
        let mut passing: Members = match self.meet {
            Meet::May => step.map(|step| step.gives.clone()),
            Meet::Must => step.map(|step| step.takes.clone()),
        }
        .unwrap_or_default();
        passing.extend(self.effects.meanwhile.get(&statement).into_iter().flatten());
        let unknown = self.points_to.callees(statement.0, statement.1).next().is_none();
        if self.meet == Meet::Must && unknown {
            passing.extend(&self.all.takes);
        }
        passing
    }

    /// All that may be added ([`Meet::Must`]: taken out) while a statement is executed.
    pub fn during(&self, statement: Statement) -> Members {
        let matters = self.shapes.get(&statement.0).is_some_and(|shape| {
            let events = &shape.events[statement.1.block as usize];
            events.binary_search(&statement.1.index).is_ok()
        });
        if !matters {
            return Members::new();
        }
        let mut passing = self.by_itself(statement);
        passing.extend(self.callees(statement).flat_map(|callee| &self.ever[&callee]));
        let (block, index) = (statement.1.block as usize, statement.1.index);
        if self.shapes[&statement.0].lands.contains(&(block, index)) {
            passing.extend(&self.ever[&statement.0]);
        }
        passing
    }

    /// All that may be added ([`Meet::Must`]: taken out) while a function of the program runs.
    pub fn ever(&self, id: FuncId) -> Members {
        self.ever.get(&id).cloned().unwrap_or_default()
    }

    fn summarise(&mut self, functions: &[FuncId]) {
        let callers = self.callers(functions);
        let mut queued: BTreeSet<FuncId> = functions.iter().copied().collect();
        let mut work: VecDeque<FuncId> = functions.iter().copied().collect();
        while let Some(id) = work.pop_front() {
            queued.remove(&id);
            let within = self.blocks(id);
            let mut summary: Option<Change> = None;
            for (block, state) in within.iter().enumerate() {
                if let Some(state) = state
                    && self.shapes[&id].returns[block]
                    && let Some(end) = self.through(id, block, state.clone(), |_, _, _| {})
                {
                    self.merge(&mut summary, &end);
                }
            }
            self.within.insert(id, within);
            let known = self.summaries.get(&id);
            if let Some(summary) = summary.filter(|summary| known != Some(summary)) {
                self.summaries.insert(id, summary);
                for &caller in callers.get(&id).into_iter().flatten() {
                    if queued.insert(caller) {
                        work.push_back(caller);
                    }
                }
            }
        }
    }

    fn merge(&self, into: &mut Option<Change>, change: &Change) -> bool {
        match into {
            Some(known) => known.meet(change, self.meet),
            None => {
                *into = Some(change.clone());
                true
            }
        }
    }

    /// What has happened at the beginning of each block of a function.
    fn blocks(&self, id: FuncId) -> Vec<Option<Change>> {
        let shape = &self.shapes[&id];
        let mut states: Vec<Option<Change>> = vec![None; shape.events.len()];
        states[0] = Some(Change::default());
        let mut work: BTreeSet<usize> = BTreeSet::from([0]);
        while let Some(block) = work.pop_first() {
            let Some(state) = states[block].clone() else {
                continue;
            };
            // What leaves the block in its middle.
            let mut broken = state.clone();
            for &index in &shape.events[block] {
                let statement = at(id, block, index);
                broken.gives.extend(self.during(statement));
            }
            broken.takes.clear();
            let end = self.through(id, block, state, |_, _, _| {});
            for &(to, usual) in &shape.next[block] {
                let mut way = match (usual, self.meet) {
                    (true, _) => end.clone(),
                    (false, Meet::May) => Some(broken.clone()),
                    (false, Meet::Must) => Some(self.all.clone()),
                };
                let along = self.effects.edges.get(&(id, block as u32, to as u32));
                if let (true, Some(way), Some(along)) = (usual, &mut way, along) {
                    way.then(along);
                }
                if let Some(way) = way
                    && self.merge(&mut states[to], &way)
                {
                    work.insert(to);
                }
            }
        }
        states
    }

    /// Goes through a block: calls `f` with each statement that matters, what has happened before
    /// it, and the functions' part of what it does.
    fn through(
        &self,
        id: FuncId,
        block: usize,
        mut state: Change,
        mut f: impl FnMut(Statement, &Change, &Change),
    ) -> Option<Change> {
        for &index in &self.shapes[&id].events[block] {
            let statement = at(id, block, index);
            let before = state.clone();
            let returns = self.call(statement, &mut state);
            f(statement, &before, &state);
            if !returns {
                return None;
            }
            if let Some(step) = self.effects.steps.get(&statement) {
                state.then(step);
            }
            // Control may come from any call of the function, and of those that it calls.
            if self.shapes[&id].lands.contains(&(block, index)) {
                match self.meet {
                    Meet::May => self.ever[&id].iter().for_each(|&member| state.give(member)),
                    Meet::Must => state.then(&self.all),
                }
            }
        }
        Some(state)
    }

    /// What a call's functions do; false if it does not return.
    fn call(&self, statement: Statement, state: &mut Change) -> bool {
        let mut all: Option<Change> = None;
        let mut returns = false;
        let mut known = false;
        for callee in self.points_to.callees(statement.0, statement.1) {
            known = true;
            if !self.shapes.contains_key(&callee) {
                returns = true;
                self.merge(&mut all, &Change::default());
            } else if let Some(summary) = self.summaries.get(&callee) {
                returns = true;
                self.merge(&mut all, summary);
            }
        }
        if !known {
            // A call of nothing known, or no call.
            if self.meet == Meet::Must {
                state.then(&self.all);
            }
            return true;
        }
        for callee in self.effects.runs.get(&statement).into_iter().flatten() {
            if let Some(summary) = self.summaries.get(callee) {
                self.merge(&mut all, summary);
            }
        }
        if let Some(all) = all {
            state.then(&all);
        }
        returns
    }

    /// What has happened since the function's entry when a statement begins. None: it is not
    /// reached.
    pub fn before(&self, statement: Statement) -> Option<Change> {
        let (id, place) = statement;
        let block = place.block as usize;
        let state = self.within.get(&id)?[block].clone()?;
        let mut at_place = None;
        let end = self.through(id, block, state, |each, before, _| {
            if each.1.index >= place.index && at_place.is_none() {
                at_place = Some(before.clone());
            }
        });
        at_place.or(end)
    }

    /// The set at the entry of each function, if these functions are entered with these sets.
    pub fn entries(&self, roots: &[(FuncId, Members)]) -> FxHashMap<FuncId, Members> {
        let mut entries: FxHashMap<FuncId, Members> = FxHashMap::default();
        let mut work = Vec::new();
        let enter = |entries: &mut FxHashMap<FuncId, Members>, id: FuncId, set: &Members| {
            let Some(known) = entries.get_mut(&id) else {
                entries.insert(id, set.clone());
                return true;
            };
            let before = known.len();
            match self.meet {
                Meet::May => known.extend(set),
                Meet::Must => known.retain(|member| set.contains(member)),
            }
            known.len() != before
        };
        for (id, set) in roots.iter().filter(|(id, _)| self.shapes.contains_key(id)) {
            if enter(&mut entries, *id, set) {
                work.push(*id);
            }
        }
        while let Some(id) = work.pop() {
            let entry = entries[&id].clone();
            for (block, state) in self.within[&id].iter().enumerate() {
                let Some(state) = state else { continue };
                let mut calls = Vec::new();
                self.through(id, block, state.clone(), |statement, before, _| {
                    calls.push((statement, before.of(&entry)));
                });
                for (statement, set) in calls {
                    for callee in self.callees(statement) {
                        if enter(&mut entries, callee, &set) {
                            work.push(callee);
                        }
                    }
                }
            }
        }
        entries
    }
}

fn at(function: FuncId, block: usize, index: u32) -> Statement {
    let block = block as u32;
    (function, Place { block, index })
}
