//! The exploration: selecting the next node, extending it to a maximal configuration, and deciding
//! whether it has a right child.

mod beside;
mod leaf;
mod next;
mod progress;
mod shown;
mod stuck;
#[cfg(feature = "laboratory")]
mod watched;
mod wide;

use super::alternatives::{Partial, Search};
use super::covered::Covered;
use super::cutoff::States;
use super::event::{EventId, Store};
use super::extensions::Extensions;
use super::footprint::Footprints;
#[cfg(feature = "laboratory")]
use super::oracle::Visited;
use super::order::{Visits, pick};
use super::past::{Knowledge, Past};
use super::path::Path;
use super::reach::in_order;
use super::relation::Relation;
use super::tree::{Child, Node, NodeId, Sweep, Tree};
use super::weaken::Weaken;
use crate::record::Record;
use crate::stuck::Fates;
use crate::{Attempt, Config, Control, Order, Report, Stop};
use next::Next;
use progress::Decided;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, StmtId};
use selvedge_model::{
    Choice, Detector, Fingerprint, Limit, LimitKind, Op, Pending, Property, StopReason, Undo,
};
use std::collections::VecDeque;
use wide::Wide;

/// The maximum number of pairs of events that are executed to find races.
const MOST_PAIRS: usize = 100_000;

/// The number of events after which the exploration checks for the first time whether enough of the
/// past counts.
const FIRST_CHECK: usize = 64;

/// The number of leaves between two updates of the live counters.
const SHOW_EVERY: u64 = 64;

/// The reason why the extension of a node ended.
enum Leaf {
    /// No event can be added.
    Maximal,
    /// Only cutoffs can be added.
    Cut,
    /// Only disabled events can be added: everything that follows was explored.
    Redundant,
    /// The limit on events was reached.
    Bounded,
    /// The events of the lead cannot be executed.
    Infeasible,
    /// An event of the lead turned out to be a cutoff.
    Known,
}

/// What the report says where an event could not be executed again, or was another one then.
pub const DIFFERS: &str = "an event that could be executed once, and cannot again";

/// The result of a run, which assumes that so much of the past is enough for cutoffs.
pub type Run = Attempt<Box<Report>, Past>;

/// The limit that ends a run with cutoffs whose detectors cannot report what they remember.
#[cold]
fn forgets() -> Limit {
    Limit {
        kind: LimitKind::Events,
        detail: "cutoffs in a program whose accesses are ordered by more than synchronisation".to_owned(),
        stmt: StmtId(0),
    }
}

/// A run of the algorithm.
pub struct Explorer<'a, M: Undo, D: Detector<M>> {
    config: &'a Config,
    control: &'a Control,
    store: Store,
    path: Path<M, D>,
    extensions: Extensions<'a, M>,
    tree: Tree,
    /// For each event of the path, the serial number of the node that added it.
    branch: Vec<u64>,
    /// Nodes that were not visited yet, in the order in which they were found.
    open: VecDeque<NodeId>,
    states: States,
    /// A second path, whose detector is queried for what it remembers after a configuration.
    watched: Option<Path<M, D>>,
    /// The choices that led to each end of the process, if they are needed: they do not follow from
    /// its causes.
    exits: FxHashMap<EventId, Vec<Choice>>,
    /// The configurations in which executions ended, if a test needs them.
    #[cfg(feature = "laboratory")]
    visited: Option<Vec<Visited>>,
    record: Record,
    halt: Option<StopReason>,
    random: fastrand::Rng,
    shown: (u64, u64, u64),
    decided: Decided,
    visits: Visits,
    fates: Fates,
    wide: Wide,
    /// The number of events at which the exploration checks whether enough of the past counts.
    check_at: usize,
}

impl<'a, M, D> Explorer<'a, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// A run at the initial state. `past`: the part of the past that belongs to states.
    pub fn new<F>(make: &F, config: &'a Config, control: &'a Control, relation: &Relation, past: Past) -> Self
    where
        F: Fn() -> (M, D),
    {
        let mut store = Store::default();
        store.relation = relation.clone();
        store.keeps_footprints = config.cutoffs && config.properties.contains(&Property::DataRace);
        store.keeps_notices = config.only_similar;
        store.footprints = Footprints::new(past.places.clone());
        store.past = past;
        let watched = (store.past.knowledge == Knowledge::Detector).then(|| {
            let (machine, detector) = make();
            let mut watched = Path::new(machine, detector, &mut store);
            watched.stop_fingerprints();
            watched
        });
        let (machine, detector) = make();
        let initial = machine.fingerprint();
        let mut path = Path::new(machine, detector, &mut store);
        if !config.cutoffs {
            path.stop_fingerprints();
        }
        let extensions = Extensions::new(make().0, &mut store, control);
        Explorer {
            config,
            control,
            store,
            path,
            extensions,
            tree: Tree::default(),
            branch: Vec::new(),
            open: VecDeque::new(),
            states: States::new(initial),
            watched,
            exits: FxHashMap::default(),
            #[cfg(feature = "laboratory")]
            visited: None,
            record: Record::default(),
            halt: None,
            random: fastrand::Rng::with_seed(config.seed),
            shown: (0, 0, 0),
            decided: Decided::default(),
            visits: Visits::default(),
            fates: Fates::default(),
            wide: Wide::default(),
            check_at: FIRST_CHECK,
        }
    }

    /// Tells the detectors that the exploration starts again.
    pub fn begin_anew(&mut self) {
        self.path.detector.forget();
    }

    /// Explores.
    pub fn run(&mut self) -> Run {
        let faulty = self.record.notice(self.config, self.path.machine.notices(), &[]);
        if faulty && self.config.stop == Stop::First {
            let record = std::mem::take(&mut self.record);
            return Run::Holds(Box::new(record.finish(StopReason::Finding)));
        }
        let root = self.tree.add(Node {
            parent: None,
            is_right: false,
            serial: 0,
            depth: 0,
            event: EventId::NONE,
            disabled: Vec::new(),
            cut: Vec::new(),
            lead: Vec::new(),
            refused: 0,
            singly: false,
            left: Child::None,
            right: Child::None,
            open: true,
        });
        self.open.push_back(root);
        while self.halt.is_none() {
            if self.store.len() >= self.check_at
                && let Some(again) = self.outgrown(false)
            {
                return again;
            }
            if let Some(node) = self.pick() {
                self.visit(node, self.config.order != Order::DepthFirst);
                continue;
            }
            if self.visit_wide() {
                continue;
            }
            match self.tree.sweep() {
                Sweep::Open(node) => self.visit(node, false),
                Sweep::Decide(node) => {
                    let found = !self.store.weaken.is(Weaken::Sweep) && self.decide(node);
                    self.decided.asked += 1;
                    self.decided.found += u64::from(found);
                    if !found {
                        self.tree.close(node);
                    }
                }
                Sweep::Finished => break,
            }
        }
        if self.control.is_stop_requested() && self.halt.is_none() {
            // Extensions may be missing.
            self.halt = Some(StopReason::Limit(self.control.limit()));
        }
        while self.halt.is_none() {
            if let Some(again) = self.outgrown(true) {
                return again;
            }
            let known = self.store.len();
            self.races_beside_cutoffs();
            // A thread's actions may depend on a race; then this found new events.
            if self.store.len() == known {
                break;
            }
        }
        self.repeated();
        self.show();
        let statistics = &mut self.record.statistics;
        // An execution that a finding ended has no leaf.
        statistics.max_depth = statistics.max_depth.max(self.path.len() as u64);
        statistics.threads = statistics.threads.max(self.path.machine.pending().len() as u64);
        statistics.unfolding_events = self.store.len() as u64;
        if self.config.cutoffs {
            statistics.states = self.states.len() as u64;
        }
        let statistics = *statistics;
        let stop = self.halt.take().unwrap_or(StopReason::Complete);
        let left = matches!(stop, StopReason::Limit(_)) || statistics.bounded_executions > 0;
        let covered = left.then(|| {
            let (finished, cut) = (statistics.executions, statistics.cut_executions);
            Covered::new(finished, cut, &self.store, &self.tree)
        });
        let unfolding = self.config.dump.and_then(|most| self.dump(most as usize));
        Run::Holds(Box::new(Report {
            covered,
            unfolding,
            ..std::mem::take(&mut self.record).finish(stop)
        }))
    }

    /// The next node in the search order. `None` in depth-first order, where the sweep selects it.
    fn pick(&mut self) -> Option<NodeId> {
        if self.config.order == Order::DepthFirst {
            return None;
        }
        let (tree, store) = (&self.tree, &self.store);
        pick(
            &mut self.open,
            self.config.order,
            tree,
            store,
            &self.visits,
            &mut self.random,
        )
    }

    /// Visits a node: extends it leftwards as far as possible. `early`: right children are opened
    /// as soon as they are found.
    fn visit(&mut self, node: NodeId, early: bool) {
        self.go_to(node);
        let (leaf, last) = self.extend(node);
        if self.halt.is_some() {
            return;
        }
        if matches!(leaf, Leaf::Infeasible | Leaf::Known) {
            self.withdraw(node, matches!(leaf, Leaf::Infeasible));
            return;
        }
        self.leaf(&leaf, last);
        if early && self.halt.is_none() {
            self.decide_branch(last);
        }
    }

    /// Looks for right children of the nodes above a node.
    fn decide_branch(&mut self, last: NodeId) {
        for node in self.tree.branch(last) {
            if self.halt.is_none() {
                self.decide(node);
            }
        }
    }

    /// Withdraws an alternative that cannot be executed, and the nodes that its first events made.
    fn withdraw(&mut self, node: NodeId, infeasible: bool) {
        if let Some(parent) = self.tree[node].parent
            && self.config.partial != Partial::Last(1)
            && !self.tree[parent].singly
        {
            // Another set of events may be possible. Cutoffs are no candidates any more. If inputs
            // contradict each other, adding one event after another finds an alternative.
            self.tree[parent].singly |= infeasible;
            self.tree[parent].refused = 0;
        }
        let mut at = node;
        while let Child::Node(left) = self.tree[at].left {
            at = left;
        }
        while at != node {
            let Some(parent) = self.tree[at].parent else { break };
            self.tree.remove(at);
            self.tree[parent].left = Child::None;
            at = parent;
        }
        self.tree.remove(node);
    }

    /// Brings the path to a node's configuration.
    fn go_to(&mut self, node: NodeId) {
        let depth = self.tree[node].depth;
        if self.is_on_path(node) {
            self.path.undo(&self.store, depth);
            self.branch.truncate(depth);
            return;
        }
        let events = self.tree.events(node);
        let mut same = 0;
        while same < depth && same < self.path.len() && self.path.event(same) == events[same].1 {
            same += 1;
        }
        self.path.undo(&self.store, same);
        self.branch.clear();
        self.branch.extend(events.iter().map(|&(serial, _)| serial));
        for &(_, event) in &events[same..] {
            if !self.path.follow(&mut self.store, event) {
                self.halt = Some(StopReason::Limit(self.differs()));
                return;
            }
            self.path.faults.clear();
        }
    }

    /// True if the path is known to begin with a node's configuration.
    fn is_on_path(&self, node: NodeId) -> bool {
        let depth = self.tree[node].depth;
        if self.branch.len() != self.path.len() || depth > self.path.len() {
            return false;
        }
        // The node that added the last event had the earlier events, too.
        let adding = self.tree.adding(node).map(|adding| self.tree[adding].serial);
        depth == 0 || adding == Some(self.branch[depth - 1])
    }

    /// Adds events while there are any. Returns the reason why this ended.
    fn extend(&mut self, from: NodeId) -> (Leaf, NodeId) {
        let mut at = from;
        loop {
            self.tree[at].open = false;
            if self.control.is_stopped() {
                self.halt = Some(StopReason::Limit(self.control.limit()));
                return (Leaf::Redundant, at);
            }
            if self.path.len() >= self.config.max_events as usize {
                return (Leaf::Bounded, at);
            }
            let event = match self.next(at) {
                Next::Event(event) => event,
                Next::Nothing(leaf) => return (leaf, at),
            };
            let node = &mut self.tree[at];
            node.event = event;
            let mut lead = std::mem::take(&mut node.lead);
            lead.retain(|&l| l != event);
            let store = &self.store;
            let keep = |list: &[EventId]| -> Vec<EventId> {
                let kept = list.iter().copied();
                kept.filter(|&d| !store.dependent(d, event) || store.weaken.is(Weaken::Disabled))
                    .collect()
            };
            let cut = keep(&node.cut);
            let child = Node {
                parent: Some(at),
                is_right: false,
                serial: 0,
                depth: node.depth + 1,
                event: EventId::NONE,
                disabled: keep(&node.disabled),
                cut,
                lead,
                refused: 0,
                singly: false,
                left: Child::None,
                right: Child::None,
                open: false,
            };
            self.branch.push(node.serial);
            at = self.tree.add(child);
            if self.halt.is_some() {
                return (Leaf::Redundant, at);
            }
        }
    }

    /// Records the results of the event just taken. Returns true if it is no cutoff.
    fn settle(&mut self, event: EventId) -> bool {
        let statistics = &mut self.record.statistics;
        statistics.events += 1;
        statistics.choices += u64::from(self.path.was_chosen());
        if self.config.order == Order::Coverage {
            self.visits.note(self.store[event].action.stmt);
        }
        let reported = !self.path.machine.notices().is_empty();
        self.report();
        if reported && !self.store[event].cutoff {
            if self.stops_others() {
                // The fault is reported. The other threads go on without it, in every order.
                self.store[event].judged = true;
                self.store[event].cutoff = true;
                self.store[event].ends_all = true;
            } else if !self.goes_on() && !self.store.weaken.is(Weaken::KnownFaults) {
                // The other threads were blocked or finished. An event with the same state does not
                // subsume this one: what other threads could have done before this event does not
                // happen after that one.
                self.store[event].judged = true;
            }
        }
        if self.store[event].action.op == Op::ProcessExit {
            self.note_exit(event);
        }
        if !self.config.cutoffs || self.store[event].incomplete {
            // An event without an effect leads to no new state.
            return !self.store[event].cutoff;
        }
        if !self.store[event].judged {
            self.judge(event);
            self.find_timed_spins(event);
        }
        !self.store[event].cutoff
    }

    /// True if some thread is enabled.
    fn goes_on(&self) -> bool {
        self.path.machine.pending().iter().any(Pending::is_enabled)
    }

    /// True if the last step, a fault, ended an execution in which other threads were enabled.
    fn stops_others(&mut self) -> bool {
        let Some(&choice) = self.path.choices().last() else {
            return false;
        };
        if self.goes_on() || self.control.is_stop_requested() {
            return false;
        }
        self.path.undo(&self.store, self.path.len() - 1);
        let pending = self.path.machine.pending().iter().enumerate();
        let others = pending.filter(|(t, _)| *t != choice.thread.index());
        let moves = others.into_iter().any(|(_, p)| p.is_enabled());
        self.path.take(&mut self.store, choice);
        self.path.faults.clear();
        moves
    }

    /// Decides whether the state after an event is known.
    fn judge(&mut self, event: EventId) {
        self.store[event].judged = true;
        // The end of the process waits for events that are not its causes. So the event and its
        // causes alone cannot be executed.
        if self.store[event].action.op == Op::ProcessExit {
            return;
        }
        let beyond = (self.inputs(event), self.memory(event));
        let cutoff = self.states.is_known(&self.store, event, beyond);
        self.store[event].cutoff = cutoff;
        self.record.statistics.cutoffs += u64::from(cutoff);
    }

    /// Looks for an alternative to the event of a node. If there is one, opens the right child.
    fn decide(&mut self, id: NodeId) -> bool {
        let node = &self.tree[id];
        if self.store[node.event].conflicts.len() <= node.refused {
            return false;
        }
        let mut disabled = node.disabled.clone();
        disabled.push(node.event);
        let from = node.refused;
        self.go_to(id);
        if self.halt.is_some() {
            return false;
        }
        let search = Search {
            store: &self.store,
            path: &self.path,
            disabled: &disabled,
        };
        let partial = if self.tree[id].singly {
            Partial::Last(1)
        } else {
            self.config.partial
        };
        let Some((events, refused)) = search.find(partial, from) else {
            if partial == Partial::Last(1) {
                self.tree[id].refused = self.store[self.tree[id].event].conflicts.len();
            }
            return false;
        };
        let mut lead = in_order(&self.store, events);
        lead.reverse();
        let node = &mut self.tree[id];
        node.refused = refused;
        let right = Node {
            parent: Some(id),
            is_right: true,
            serial: 0,
            depth: node.depth,
            event: EventId::NONE,
            disabled,
            cut: node.cut.clone(),
            lead,
            refused: 0,
            singly: false,
            left: Child::None,
            right: Child::None,
            open: true,
        };
        let right = self.tree.add(right);
        self.found(right);
        true
    }

    /// The limit that ends a run if an event cannot be executed again although it was executed
    /// before. If a request to stop interrupted a step, the reason for the stop is the limit
    /// instead.
    #[cold]
    fn differs(&self) -> Limit {
        match self.control.is_stop_requested() {
            true => self.control.limit(),
            false => differs(),
        }
    }
}

#[cold]
fn differs() -> Limit {
    Limit {
        kind: LimitKind::Solver,
        detail: DIFFERS.to_owned(),
        stmt: StmtId(0),
    }
}
