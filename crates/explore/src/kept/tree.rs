//! A search that is explored in parts by workers without common memory: which parts there are,
//! which of them can be explored now, and what is known of each.
//!
//! It is the same tree of units as in a [`SearchState`](super::SearchState), with a number for each
//! unit. A unit's results are added to the unit above by a worker, when the exploration of that
//! unit reaches it. So the results come together in depth-first order, and they are those of one
//! worker that explores everything.
//!
//! *Invariant*: a unit is [`Stage::Done`] or in the tree until the unit above it has its results.

mod check;

use super::{
    Begun, Common, Done, Entry, GivenUnit, Misfit, Part, Product, Progress, RecordState, Unit, UnitHalt,
    UnitState,
};
use crate::{Report, Statistics};
use selvedge_model::{Choice, Limit, StopReason};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The number of the unit that is the whole search.
pub const ROOT: u64 = 0;

/// A search in parts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    units: BTreeMap<u64, Node>,
    next: u64,
    common: Common,
    /// The limit that has ended the search.
    limit: Option<Limit>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    /// The unit above, the number of events before the node, and the entry's place in its list.
    above: Option<(u64, u32, u16)>,
    path: Vec<Choice>,
    entry: Entry,
    stage: Stage,
    /// Units given away by this one, in the order in which this happened.
    given: Vec<u64>,
    /// True while a worker has it.
    out: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum Stage {
    Fresh,
    /// Its units are in [`Node::given`].
    Begun(Begun),
    Done(Done),
    /// It comes after a finding that ends the search.
    Dropped,
}

/// What follows from what was made of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// The search goes on. The workers that have these units should give them up.
    GoOn(Vec<u64>),
    /// The search is at its end.
    Ended,
    /// It has to begin again, as a tree with this in common.
    Again(Common),
}

/// Counts of units.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Those that workers have.
    pub out: usize,
    /// Those that could be explored now.
    pub ready: usize,
    /// All that are not explored yet.
    pub open: usize,
}

impl Node {
    /// True if this is the unit. Another one may have had the same place before, on another path.
    fn is(&self, given: &GivenUnit) -> bool {
        let at = self.above.map(|(_, node, place)| (node, place));
        at == Some((given.node, given.place)) && self.path == given.unit.path
    }
}

impl Tree {
    /// A search that nobody has begun.
    pub fn new(common: Common) -> Tree {
        let root = Node {
            above: None,
            path: Vec::new(),
            entry: Entry {
                thread: 0,
                sleep: Vec::new(),
            },
            stage: Stage::Fresh,
            given: Vec::new(),
            out: false,
        };
        Tree {
            units: [(ROOT, root)].into(),
            next: ROOT + 1,
            common,
            limit: None,
        }
    }

    /// What all parts have in common. It is final as soon as the whole search was begun.
    pub fn common(&self) -> &Common {
        &self.common
    }

    /// The units that can be explored now, each after those above it.
    pub fn ready(&self) -> impl Iterator<Item = u64> {
        let ready = |(&id, node): (&u64, &Node)| self.is_ready(node).then_some(id);
        self.units.iter().filter_map(ready)
    }

    fn is_ready(&self, node: &Node) -> bool {
        match &node.stage {
            _ if node.out || self.limit.is_some() => false,
            Stage::Fresh => true,
            Stage::Begun(begun) => match self.joined(node, begun) {
                None => true,
                Some(unit) => match &self.units[&unit] {
                    unit if matches!(unit.stage, Stage::Done(_)) => true,
                    // The unit above explores it itself.
                    unit => matches!(unit.stage, Stage::Fresh) && !unit.out,
                },
            },
            Stage::Done(_) | Stage::Dropped => false,
        }
    }

    /// The unit whose result a begun one waits for.
    fn joined(&self, node: &Node, begun: &Begun) -> Option<u64> {
        let last = begun.nodes.last().filter(|_| begun.joins)?;
        let at = (node.path.len() + begun.nodes.len() - 1) as u32;
        self.given_at(node, (at, last.cursor))
    }

    fn given_at(&self, node: &Node, (at, place): (u32, u16)) -> Option<u64> {
        let here = |id: &&u64| {
            let above = self.units.get(id).and_then(|unit| unit.above);
            above.is_some_and(|(_, node, entry)| (node, entry) == (at, place))
        };
        node.given.iter().find(here).copied()
    }

    /// Counts of units.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for node in self.units.values() {
            counts.out += usize::from(node.out);
            counts.ready += usize::from(self.is_ready(node));
            counts.open += usize::from(matches!(node.stage, Stage::Fresh | Stage::Begun(_)));
        }
        counts
    }

    /// The units that workers have.
    pub fn out(&self) -> impl Iterator<Item = u64> {
        let out = |(&id, node): (&u64, &Node)| node.out.then_some(id);
        self.units.iter().filter_map(out)
    }

    /// Hands out a unit that is ready. If it waits for one that nobody has begun, it explores that
    /// one itself.
    pub fn hand_out(&mut self, id: u64) -> Option<Part> {
        let node = self.units.get(&id).filter(|node| self.is_ready(node))?;
        let taken_back = match &node.stage {
            Stage::Begun(begun) => self
                .joined(node, begun)
                .filter(|unit| matches!(self.units[unit].stage, Stage::Fresh)),
            _ => None,
        };
        if let Some(taken) = taken_back {
            self.units.remove(&taken);
            self.units.get_mut(&id)?.given.retain(|&unit| unit != taken);
        }
        self.units.get_mut(&id)?.out = true;
        self.part(id)
    }

    /// A unit as it is handed to a worker; `None` if there is nothing to explore of it.
    pub fn part(&self, id: u64) -> Option<Part> {
        let node = self.units.get(&id)?;
        let begun = match &node.stage {
            Stage::Fresh => None,
            Stage::Begun(begun) => Some(Begun {
                given: node.given.iter().filter_map(|&unit| self.given(unit)).collect(),
                ..begun.clone()
            }),
            Stage::Done(_) | Stage::Dropped => return None,
        };
        Some(match (id, begun) {
            (ROOT, None) => Part::Whole,
            (ROOT, Some(begun)) => Part::Rest(begun),
            (_, begun) => Part::Unit(Unit {
                path: node.path.clone(),
                entry: node.entry.clone(),
                state: begun.map_or(UnitState::Waiting, UnitState::Begun),
            }),
        })
    }

    fn given(&self, id: u64) -> Option<GivenUnit> {
        let node = self.units.get(&id)?;
        let (_, at, place) = node.above?;
        let state = match &node.stage {
            Stage::Done(done) => UnitState::Done(done.clone()),
            _ => UnitState::Waiting,
        };
        Some(GivenUnit {
            node: at,
            place,
            unit: Unit {
                path: node.path.clone(),
                entry: node.entry.clone(),
                state,
            },
        })
    }

    /// Leaves out what is left of a unit that a worker has had, and all that it has given away, for
    /// a reason. The verdict is then unknown, unless something is found.
    ///
    /// # Errors
    /// If no worker has the unit.
    pub fn leave_out(&mut self, id: u64, why: Limit) -> Result<Next, Misfit> {
        let node = self.units.get(&id).filter(|node| node.out);
        let node = node.ok_or(Misfit("no worker has this unit"))?;
        let mut product = match &node.stage {
            Stage::Begun(begun) => begun.product.clone(),
            _ => Product::default(),
        };
        product.record.limits.insert(why);
        let (mut left, mut dropped) = (node.given.clone(), Vec::new());
        while let Some(node) = left.pop().and_then(|id| self.units.get(&id)) {
            if let Stage::Begun(Begun { product: part, .. }) | Stage::Done(Done { product: part, .. }) =
                &node.stage
            {
                product.record.merge(&part.record);
            }
            left.extend(&node.given);
        }
        for unit in node.given.clone() {
            dropped.extend(self.remove(unit));
        }
        if let Some(node) = self.units.get_mut(&id) {
            node.given.clear();
        }
        Ok(match self.put_done(id, Done { product, halt: None })? {
            Next::GoOn(_) => Next::GoOn(dropped),
            next => next,
        })
    }

    /// Takes back a unit that a worker has had, without a result.
    pub fn give_up(&mut self, id: u64) {
        if let Some(node) = self.units.get_mut(&id) {
            node.out = false;
        }
    }

    /// Takes what a worker has made of a unit that it was handed.
    ///
    /// # Errors
    /// If this is no result of what was handed out. Nothing is changed then.
    pub fn put(&mut self, id: u64, progress: Progress, common: &Common) -> Result<Next, Misfit> {
        let node = self.units.get(&id).filter(|node| node.out);
        let node = node.ok_or(Misfit("no worker has this unit"))?;
        let fresh_root = id == ROOT && matches!(node.stage, Stage::Fresh);
        let known = matches!(progress, Progress::Begun(_) | Progress::Done(_));
        let same = (self.common.wide, &self.common.sections) == (common.wide, &common.sections);
        if known && !(fresh_root && same) && *common != self.common {
            return Err(Misfit("it is of another search"));
        }
        match progress {
            Progress::TooManyThreads if self.common.wide => Err(Misfit("its sets are the largest")),
            Progress::TooManyThreads => Ok(Next::Again(self.common.widened())),
            Progress::Stopped => {
                self.give_up(id);
                Ok(Next::GoOn(Vec::new()))
            }
            Progress::Begun(begun) => {
                self.put_begun(id, begun)?;
                if fresh_root {
                    self.common = common.clone();
                }
                Ok(Next::GoOn(Vec::new()))
            }
            Progress::Done(done) => {
                let next = self.put_done(id, done)?;
                if fresh_root {
                    self.common = common.clone();
                }
                Ok(next)
            }
        }
    }

    fn put_begun(&mut self, id: u64, begun: Begun) -> Result<(), Misfit> {
        let node = &self.units[&id];
        let first = node.path.len() as u32;
        let nodes = first..first + begun.nodes.len() as u32;
        let mut places: Vec<_> = begun.given.iter().map(|g| (g.node, g.place)).collect();
        places.sort_unstable();
        places.dedup();
        let fits = |given: &GivenUnit| {
            let waits = matches!(given.unit.state, UnitState::Waiting | UnitState::Done(_));
            waits && nodes.contains(&given.node) && given.unit.path.len() as u32 == given.node
        };
        if nodes.is_empty() || places.len() != begun.given.len() || !begun.given.iter().all(fits) {
            return Err(Misfit("what it has given away does not fit"));
        }
        // A unit is missing if its result was added.
        let had = node.given.clone();
        let known: BTreeMap<(u32, u16), u64> = had
            .iter()
            .filter_map(|&unit| self.units[&unit].above.map(|(_, at, place)| ((at, place), unit)))
            .collect();
        let known = |given: &GivenUnit| {
            let unit = known.get(&(given.node, given.place));
            unit.copied().filter(|unit| self.units[unit].is(given))
        };
        let given: Vec<Option<u64>> = begun.given.iter().map(known).collect();
        let stay: BTreeSet<u64> = given.iter().copied().flatten().collect();
        let gone: Vec<u64> = had.into_iter().filter(|unit| !stay.contains(unit)).collect();
        let explored = |unit: &u64| matches!(self.units[unit].stage, Stage::Done(_));
        if !gone.iter().all(explored) {
            return Err(Misfit("it does without a unit that is not explored"));
        }
        let mut begun = begun;
        let units = std::mem::take(&mut begun.given).into_iter();
        let given = units.zip(given);
        let given = given
            .map(|(unit, known)| known.unwrap_or_else(|| self.add(id, unit)))
            .collect();
        for unit in gone {
            self.remove(unit);
        }
        if let Some(node) = self.units.get_mut(&id) {
            node.given = given;
            node.out = false;
            if !matches!(node.stage, Stage::Dropped) {
                node.stage = Stage::Begun(begun);
            }
        }
        Ok(())
    }

    fn add(&mut self, above: u64, given: GivenUnit) -> u64 {
        let id = self.next;
        self.next += 1;
        let node = Node {
            above: Some((above, given.node, given.place)),
            path: given.unit.path,
            entry: given.unit.entry,
            stage: Stage::Fresh,
            given: Vec::new(),
            out: false,
        };
        self.units.insert(id, node);
        id
    }

    fn put_done(&mut self, id: u64, done: Done) -> Result<Next, Misfit> {
        let given = self.units[&id].given.clone();
        let explored = |unit: &u64| matches!(self.units[unit].stage, Stage::Done(_));
        if done.halt.is_none() && !given.iter().all(explored) {
            return Err(Misfit("it does without a unit that is not explored"));
        }
        let halt = done.halt.clone();
        if let Some(node) = self.units.get_mut(&id) {
            node.stage = Stage::Done(done);
            node.out = false;
        }
        if let Some(UnitHalt::Limit(limit)) = halt {
            self.limit = Some(limit);
            return Ok(Next::Ended);
        }
        let mut dropped = Vec::new();
        for unit in given {
            dropped.extend(self.remove(unit));
        }
        if let Some(node) = self.units.get_mut(&id) {
            node.given.clear();
        }
        if halt.is_some() {
            dropped.extend(self.drop_after(id));
        }
        Ok(match halt {
            Some(UnitHalt::Refused(mutexes)) if id == ROOT => Next::Again(self.common.without(&mutexes)),
            _ if id == ROOT => Next::Ended,
            _ => Next::GoOn(dropped),
        })
    }

    /// Removes a unit and those within it. Returns those that workers have.
    fn remove(&mut self, id: u64) -> Vec<u64> {
        let (mut out, mut left) = (Vec::new(), vec![id]);
        while let Some(id) = left.pop() {
            if let Some(node) = self.units.remove(&id) {
                out.extend(node.out.then_some(id));
                left.extend(node.given);
            }
        }
        out
    }

    /// Drops what comes after a unit in depth-first order. Returns what workers have of it.
    fn drop_after(&mut self, id: u64) -> Vec<u64> {
        let (mut dropped, mut left) = (Vec::new(), Vec::new());
        let mut at = id;
        while let Some((above, node, place)) = self.units.get(&at).and_then(|unit| unit.above) {
            // The deeper node comes first, and of one node the earlier entry.
            let later = |unit: &&u64| {
                let above = self.units.get(unit).and_then(|unit| unit.above);
                above.is_some_and(|(_, n, p)| n < node || n == node && p > place)
            };
            left.extend(self.units[&above].given.iter().filter(later));
            at = above;
        }
        while let Some(id) = left.pop() {
            if let Some(node) = self.units.get_mut(&id) {
                left.extend(&node.given);
                dropped.extend(node.out.then_some(id));
                node.out = false;
                node.stage = Stage::Dropped;
            }
        }
        dropped
    }

    /// The results so far, and what has ended the search. If nothing has, it is `stop`.
    pub fn report(&self, stop: StopReason) -> Report {
        let mut all = RecordState::default();
        let mut left = vec![ROOT];
        while let Some(node) = left.pop().and_then(|id| self.units.get(&id)) {
            match &node.stage {
                Stage::Begun(Begun { product, .. }) | Stage::Done(Done { product, .. }) => {
                    all.merge(&product.record);
                }
                Stage::Fresh | Stage::Dropped => {}
            }
            let mut given = node.given.clone();
            given.sort_by_key(|id| {
                let above = self.units.get(id).and_then(|unit| unit.above);
                above.map(|(_, node, place)| (node, std::cmp::Reverse(place)))
            });
            left.extend(given);
        }
        let stop = match (&self.units[&ROOT].stage, &self.limit) {
            (_, Some(limit)) => StopReason::Limit(limit.clone()),
            (Stage::Done(Done { halt: None, .. }), _) => StopReason::Complete,
            (Stage::Done(_), _) => StopReason::Finding,
            _ => stop,
        };
        all.report(stop)
    }

    /// The counts so far: those that add up.
    pub fn statistics(&self) -> Statistics {
        let mut all = Statistics::default();
        for node in self.units.values() {
            if let Stage::Begun(Begun { product, .. }) | Stage::Done(Done { product, .. }) = &node.stage {
                let part = &product.record.statistics;
                all.executions += part.executions;
                all.redundant_executions += part.redundant_executions;
                all.bounded_executions += part.bounded_executions;
                all.events += part.events;
                all.max_depth = all.max_depth.max(part.max_depth);
            }
        }
        all
    }

    /// The choices that lead to a unit: its path and its entry.
    pub fn prefix(&self, id: u64) -> Option<(&[Choice], u16)> {
        let node = self.units.get(&id)?;
        Some((&node.path, node.entry.thread))
    }
}
