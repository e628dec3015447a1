//! The search: what is added to a graph, and where it is gone back to.
//!
//! A *node* is a graph to which the next event of a thread is added: a read, or an event with
//! several alternatives. Its children differ in the event's sources and decision. The sources are
//! those in the graph, and those that are found while the children are explored (`discover`).

use super::consistency::Consistency;
use super::graph::{At, Decision, Event, Frontier, Graph, Source, count, include, join};
use super::order::Order;
use super::parts::{Locations, Uses};
use super::place::restricted;
use super::reason::Uncovered;
use super::runner::{Runner, Taken};
use super::sequences::Sequences;
use super::weaken::Weaken;
use crate::{Config, Control};
use rustc_hash::FxHashSet;
use selvedge_base::{Digest, Domain, ForTests, StmtId};
use selvedge_model::{
    Action, Detector, Limit, LimitKind, MemoryOrder, Op, Pending, Status, StopReason, Undo,
};
use smallvec::SmallVec;
use std::rc::Rc;

/// The number of events between two updates of the live counters.
const SHOW_EVERY: u64 = 64;

/// The cost of an event that a search for an order looks at, in units of a budget.
const COST: u32 = 50;

/// The maximum number of events of an execution.
const MOST_EVENTS: usize = 1_000;

/// The maximum number of combinations of sources that are tried for one event.
const MOST_SOURCES: usize = 100_000;

/// The sources of a read, together.
static SOURCES: Domain = Domain::new("sources of a read");

/// The sources of the parts that read, in order.
pub type Sources = SmallVec<[Source; 2]>;

/// Something to explore from a node.
enum Todo {
    /// Its event in this graph, which has all events before it; and an order of the graph.
    Read(Rc<Graph>, Rc<[At]>, Sources),
    /// A graph with its event, and an order of that.
    Go(Graph, Vec<At>),
    /// The node's graph, and an order; the thread waits.
    Wait(Graph, Vec<At>),
}

/// How a node is explored at the moment.
enum Current {
    Event(Rc<Event>),
    Waits,
    Nothing,
}

/// See the module's documentation.
pub struct Node {
    at: At,
    parent: Option<At>,
    action: Action,
    pub uses: Uses,
    /// The events of the node's graph.
    base: Frontier,
    current: Current,
    todo: Vec<Todo>,
    /// What was tried, or will be.
    tried: FxHashSet<Digest>,
    waits: bool,
}

impl Node {
    /// The name of its thread.
    pub fn thread(&self) -> u32 {
        self.at.thread
    }

    /// True if its thread waits in the graph that is explored.
    pub fn is_waiting(&self) -> bool {
        matches!(self.current, Current::Waits)
    }
}

/// What comes next on the way down.
enum Next {
    /// The graph with one more event, and an order.
    Down(Graph, Vec<At>),
    /// Something at the last node.
    Back,
}

/// See the module's documentation.
pub struct Search<'a, M: Undo, D: Detector<M>, C> {
    pub runner: Runner<'a, M, D>,
    pub model: C,
    pub config: &'a Config,
    control: &'a Control,
    pub weaken: ForTests<Weaken>,
    pub locations: Locations,
    sequences: Sequences,
    pub nodes: Vec<Node>,
    /// For tests: called with the name of each graph in which an execution ends.
    pub ended: Option<&'a mut dyn FnMut(Digest)>,
    shown: (u64, u64, u64),
    steps: u64,
}

impl<'a, M: Undo, D: Detector<M>, C: Consistency> Search<'a, M, D, C> {
    pub fn new(
        runner: Runner<'a, M, D>,
        model: C,
        (config, control): (&'a Config, &'a Control),
        weaken: ForTests<Weaken>,
    ) -> Self {
        Search {
            runner,
            model,
            config,
            control,
            weaken,
            locations: Locations::default(),
            sequences: Sequences::default(),
            nodes: Vec::new(),
            ended: None,
            shown: (0, 0, 0),
            steps: 0,
        }
    }

    /// Explores everything.
    ///
    /// # Errors
    /// If this strategy does not cover the program.
    pub fn run(&mut self) -> Result<StopReason, Uncovered> {
        let mut next = Next::Down(Graph::default(), Vec::new());
        loop {
            if self.runner.found {
                return Ok(StopReason::Finding);
            }
            if self.control.is_stopped() {
                return Ok(StopReason::Limit(self.control.limit()));
            }
            if let Some(limit) = self.limit() {
                return Ok(StopReason::Limit(limit));
            }
            if let Some(budget) = self.control.budget() {
                let looked_at = u32::try_from(self.model.take_work()).unwrap_or(u32::MAX);
                budget.spend(looked_at.saturating_mul(COST));
            }
            self.steps += 1;
            if self.steps.is_multiple_of(SHOW_EVERY) {
                self.show();
            }
            next = match next {
                Next::Down(graph, order) => self.extend(graph, order)?,
                Next::Back => match self.nodes.last_mut() {
                    None => return Ok(StopReason::Complete),
                    Some(node) => match node.todo.pop() {
                        None => {
                            self.nodes.pop();
                            Next::Back
                        }
                        Some(todo) => self.go_on(todo)?,
                    },
                },
            };
        }
    }

    /// The limit on executions, if it is reached.
    fn limit(&self) -> Option<Limit> {
        let statistics = &self.runner.record.statistics;
        let done = statistics.executions + statistics.redundant_executions + statistics.bounded_executions;
        let most = self.config.max_executions.filter(|&most| done >= most)?;
        Some(Limit {
            kind: LimitKind::Executions,
            detail: format!("{most} executions"),
            stmt: StmtId(0),
        })
    }

    /// Updates the live counters.
    pub fn show(&mut self) {
        let statistics = &self.runner.record.statistics;
        let now = (
            statistics.executions,
            statistics.redundant_executions,
            statistics.events,
        );
        let (executions, redundant, events) = self.shown;
        let depth = self.runner.len() as u64;
        self.control
            .add(now.0 - executions, now.1 - redundant, now.2 - events, depth);
        self.shown = now;
    }

    /// Adds the next event of some thread to a graph.
    fn extend(&mut self, mut graph: Graph, mut order: Vec<At>) -> Result<Next, Uncovered> {
        self.runner.run(&graph, &order)?;
        if self.runner.found {
            return Ok(Next::Back);
        }
        let statistics = &mut self.runner.record.statistics;
        statistics.max_depth = statistics.max_depth.max(graph.len() as u64);
        statistics.threads = statistics.threads.max(self.runner.machine.pending().len() as u64);
        if graph.len() >= self.config.max_events as usize {
            self.runner.record.statistics.bounded_executions += 1;
            self.runner.record.limit(&Limit {
                kind: LimitKind::Depth,
                detail: format!("an execution of more than {} events", self.config.max_events),
                stmt: StmtId(0),
            });
            return Ok(Next::Back);
        }
        if graph.len() >= MOST_EVENTS {
            return Err(Uncovered::Long);
        }
        let Some((thread, pending, uses)) = self.next_thread()? else {
            self.leaf(&graph, &order)?;
            return Ok(Next::Back);
        };
        let action = self.runner.named(pending.action);
        let at = At {
            thread,
            index: graph.count(thread),
        };
        let parent = creator(&graph, at, &order);
        let reads = uses.iter().filter(|used| used.reads).count();
        if reads == 0 {
            if !pending.is_enabled() {
                return Err(Uncovered::NoObject);
            }
            if pending.alternatives == 1 {
                let event = self.take((at, parent), &graph, &uses, (&Sources::new(), 0))?;
                graph.push(Rc::clone(&event));
                order.push(at);
                self.discover(&graph, &order, &event)?;
                return Ok(Next::Down(graph, order));
            }
        }
        let mut node = Node {
            at,
            parent,
            action,
            base: graph.frontier(),
            current: Current::Nothing,
            todo: Vec::new(),
            tried: FxHashSet::default(),
            waits: false,
            uses,
        };
        let mut before = Frontier::new();
        let last = at.index.checked_sub(1).map(|index| At { index, ..at });
        if let Some(event) = last.or(parent).and_then(|last| graph.event(last)) {
            join(&mut before, &event.before);
            include(&mut before, event.at);
        }
        let mut combinations: Vec<Sources> = vec![Sources::new()];
        for used in node.uses.iter().filter(|used| used.reads) {
            let sources = self.model.sources(&graph, used.location, &before);
            if combinations.len() * sources.len() > MOST_SOURCES {
                return Err(Uncovered::Wide);
            }
            combinations = with_each(&combinations, &sources);
        }
        let (graph, order) = (Rc::new(graph), Rc::from(order));
        for sources in combinations {
            node.tried.insert(key(&graph, sources.iter().copied()));
            node.todo
                .push(Todo::Read(Rc::clone(&graph), Rc::clone(&order), sources));
        }
        self.nodes.push(node);
        Ok(Next::Back)
    }

    /// The thread whose event is added next, with its action and the uses of that. One that is
    /// enabled and reads nothing is best: nothing branches.
    fn next_thread(&mut self) -> Result<Option<(u32, Pending, Uses)>, Uncovered> {
        let waits = |thread: u32| {
            let mut waiting = self.nodes.iter().filter(|node| node.is_waiting());
            waiting.any(|node| node.thread() == thread)
        };
        let threads = self.runner.threads();
        let threads = threads.filter(|(_, p)| p.status.is_alive() && p.action.op != Op::ProcessExit);
        let threads: Vec<(u32, Pending)> = threads
            .map(|(t, p)| (t, *p))
            .filter(|(t, _)| !waits(*t))
            .collect();
        let mut best: Option<(u32, (u32, Pending, Uses))> = None;
        for (thread, pending) in threads {
            let action = self.runner.named(pending.action);
            let uses = self.locations.uses(&action)?;
            let rank = match (uses.iter().any(|used| used.reads), pending.is_enabled()) {
                (false, _) if pending.alternatives == 1 => 0,
                (_, true) => 1,
                (_, false) => 2,
            };
            if best.as_ref().is_none_or(|(other, _)| rank < *other) {
                best = Some((rank, (thread, pending, uses)));
            }
        }
        Ok(best.map(|(_, found)| found))
    }

    /// Takes a step at the machine's state, and makes it an event after the events of a graph.
    fn take(
        &mut self,
        (at, parent): (At, Option<At>),
        graph: &Graph,
        uses: &Uses,
        (sources, alternative): (&Sources, u16),
    ) -> Result<Rc<Event>, Uncovered> {
        let taken = self.runner.step(at.thread, alternative, Digest::EMPTY)?;
        let Taken {
            decision,
            failed,
            named,
            action,
        } = taken;
        let parts = self.locations.parts(&action, uses, sources, (failed, &named));
        let event = Event::new(graph, (at, parent), action, parts, decision);
        self.runner.is_event(event.digest);
        self.reads_unseen(graph, &event)?;
        if !self.runner.machine.has_short_release_sequences() && !self.weaken.is(Weaken::Sequences) {
            self.sequences.note(graph, &event)?;
        }
        Ok(Rc::new(event))
    }

    /// Checks what the last step, the event, has read besides its action. That is no part of the
    /// graph, so the last writes have to follow from it. Writes that are not before the event are
    /// in a race with such a read.
    fn reads_unseen(&self, graph: &Graph, event: &Event) -> Result<(), Uncovered> {
        for access in self.runner.machine.accesses() {
            if access.write && access.order == MemoryOrder::NotAtomic {
                continue;
            }
            for location in self.locations.overlapping(access.address, u64::from(access.size)) {
                let before: Vec<_> = graph.writers(location).filter(|w| event.follows(w.at)).collect();
                let comes_last =
                    |last: &&Rc<Event>| before.iter().all(|w| w.at == last.at || last.follows(w.at));
                if !event.writes(location) && !before.is_empty() && !before.iter().any(comes_last) {
                    return Err(Uncovered::Unseen);
                }
            }
        }
        Ok(())
    }

    /// Explores something at the last node.
    fn go_on(&mut self, todo: Todo) -> Result<Next, Uncovered> {
        let Some(node) = self.nodes.last_mut() else {
            return Ok(Next::Back);
        };
        match todo {
            Todo::Wait(graph, order) => {
                node.current = Current::Waits;
                Ok(Next::Down(graph, order))
            }
            Todo::Go(graph, order) => {
                let event = graph.event(node.at).ok_or(Uncovered::Strays)?;
                let event = Rc::clone(event);
                node.current = Current::Event(Rc::clone(&event));
                self.discover(&graph, &order, &event)?;
                Ok(Next::Down(graph, order))
            }
            Todo::Read(graph, order, sources) => {
                self.read(&graph, &order, &sources)?;
                Ok(Next::Back)
            }
        }
    }

    /// Lets the event of the last node read from these sources, if it can.
    fn read(&mut self, graph: &Graph, known: &[At], sources: &Sources) -> Result<(), Uncovered> {
        let Some(node) = self.nodes.last_mut() else {
            return Ok(());
        };
        node.current = Current::Nothing;
        let (at, parent, uses, expected) = (node.at, node.parent, node.uses.clone(), node.action);
        let mut parts = self.locations.parts(&node.action, &uses, sources, (false, &[]));
        // As far as the sources are concerned, it only reads.
        parts.retain(|part| part.reads.is_some());
        parts.iter_mut().for_each(|part| part.writes = false);
        let unknown = Decision {
            decision: 0,
            outcome: 0,
        };
        let read = Rc::new(Event::new(graph, (at, parent), expected, parts, unknown));
        let with_read = graph.with(Rc::clone(&read));
        let order = match self
            .model
            .order_with(&with_read, &read, known, self.runner.path())
        {
            Order::Found(order) => order,
            Order::None => return Ok(()),
            Order::Unknown => return Err(Uncovered::Hard),
        };
        let before = order.iter().take_while(|&&other| other != at).count();
        self.runner.run(graph, &order[..before])?;
        if self.runner.found {
            return Ok(());
        }
        let pending = self.runner.pending(at.thread).ok_or(Uncovered::Strays)?;
        if self.runner.named(pending.action) != expected {
            return Err(Uncovered::Strays);
        }
        match pending.status {
            Status::Enabled => {}
            Status::Blocked | Status::Held => return self.blocked((&with_read, &order), (&uses, sources)),
            Status::Finished | Status::Parked => return Err(Uncovered::Strays),
        }
        let one = self.weaken.is(Weaken::Decisions);
        let mut children = Vec::new();
        for alternative in 0..if one { 1 } else { pending.alternatives } {
            self.runner.return_to(before);
            let event = self.take((at, parent), graph, &uses, (sources, alternative))?;
            if self.runner.found {
                return Ok(());
            }
            let with_event = graph.with(Rc::clone(&event));
            let order = match event.written().next() {
                None => Order::Found(order.clone()),
                Some(_) => self
                    .model
                    .order_with(&with_event, &event, known, self.runner.path()),
            };
            match order {
                Order::Found(order) => children.push(Todo::Go(with_event, order)),
                // It cannot stay, but others that read the same source may read from it instead.
                Order::None if self.weaken.is(Weaken::Dropped) => {}
                Order::None => self.discover(&with_event, &[], &event)?,
                Order::Unknown => return Err(Uncovered::Hard),
            }
        }
        if let Some(node) = self.nodes.last_mut() {
            node.todo.extend(children);
        }
        Ok(())
    }

    /// The event of the last node cannot happen when it reads this. If nothing more has to come
    /// that it could read, its thread may wait for ever.
    fn blocked(
        &mut self,
        (graph, order): (&Graph, &[At]),
        (uses, sources): (&Uses, &Sources),
    ) -> Result<(), Uncovered> {
        let Some(node) = self.nodes.last_mut() else {
            return Ok(());
        };
        if node.waits || self.weaken.is(Weaken::Waiting) {
            return Ok(());
        }
        let reading = uses.iter().filter(|used| used.reads).map(|used| used.location);
        let lasts: Vec<_> = reading.zip(sources.iter().copied()).collect();
        match self.model.order_ending(graph, &lasts, order, self.runner.path()) {
            Order::None => {}
            Order::Unknown => return Err(Uncovered::Hard),
            Order::Found(order) => {
                node.waits = true;
                let base = graph.restricted(&node.base);
                node.todo.push(Todo::Wait(base, restricted(&order, &node.base)));
            }
        }
        Ok(())
    }

    /// The last event of a graph writes: it is a source of the reads that were added before it,
    /// and that it does not follow. `order`: one of the graph, if it has one.
    fn discover(&mut self, graph: &Graph, order: &[At], event: &Rc<Event>) -> Result<(), Uncovered> {
        if self.weaken.is(Weaken::Revisits) {
            return Ok(());
        }
        for node in &mut self.nodes {
            let concerned = |used: &super::parts::Use| used.reads && event.writes(used.location);
            let own = node.at == event.at || matches!(node.current, Current::Nothing);
            if own || event.follows(node.at) || !node.uses.iter().any(concerned) {
                continue;
            }
            let mut combinations: Vec<Sources> = vec![Sources::new()];
            let reading = node.uses.iter().filter(|used| used.reads);
            for (number, used) in reading.enumerate() {
                let sources = match &node.current {
                    _ if event.writes(used.location) => vec![Some(event.at)],
                    Current::Event(now) => {
                        let reading = now.parts.iter().filter_map(|part| part.reads);
                        vec![reading.clone().nth(number).flatten()]
                    }
                    Current::Waits | Current::Nothing => self.model.sources(graph, used.location, &[]),
                };
                if combinations.len() * sources.len() > MOST_SOURCES {
                    return Err(Uncovered::Wide);
                }
                combinations = with_each(&combinations, &sources);
            }
            for sources in combinations {
                let mut kept = node.base.clone();
                let mut fits = true;
                for source in sources.iter().flatten().filter_map(|&at| graph.event(at)) {
                    fits &= source.at != node.at && !source.follows(node.at);
                    join(&mut kept, &source.before);
                    include(&mut kept, source.at);
                }
                let key = match self.weaken.is(Weaken::SourceByPlace) {
                    true => place_key(&sources),
                    false => key(graph, sources.iter().copied()),
                };
                assert!(
                    !fits || count(&kept, node.at.thread) == node.at.index,
                    "what it reads"
                );
                if fits && node.tried.insert(key) {
                    let graph = Rc::new(graph.restricted(&kept));
                    let order = restricted(order, &kept).into();
                    node.todo.push(Todo::Read(graph, order, sources));
                }
            }
        }
        Ok(())
    }
}

/// The event that has created the thread of a first event.
fn creator(graph: &Graph, at: At, order: &[At]) -> Option<At> {
    if at.index > 0 {
        return None;
    }
    let created = |&&other: &&At| {
        graph.event(other).is_some_and(|event| {
            event.action.op == Op::Spawn && event.decision.outcome == 4 << 64 | u128::from(at.thread)
        })
    };
    order.iter().find(created).copied()
}

/// Each combination, with each source.
fn with_each(combinations: &[Sources], sources: &[Source]) -> Vec<Sources> {
    let with = |combination: &Sources| {
        let combination = combination.clone();
        sources.iter().map(move |&source| {
            let mut combination = combination.clone();
            combination.push(source);
            combination
        })
    };
    combinations.iter().flat_map(with).collect()
}

/// What tells combinations of sources apart: their cones.
pub fn key(graph: &Graph, sources: impl IntoIterator<Item = Source>) -> Digest {
    let mut words: Vec<u64> = Vec::new();
    for source in sources {
        let event = source.and_then(|at| graph.event(at));
        words.extend(event.map_or([0; 2], |event| event.digest.words()));
    }
    Digest::of_words(&SOURCES, &words)
}

/// A mistake: sources by their places only.
fn place_key(sources: &Sources) -> Digest {
    let place =
        |source: &Source| source.map_or(u64::MAX, |at| u64::from(at.thread) << 32 | u64::from(at.index));
    let words: Vec<u64> = sources.iter().map(place).collect();
    Digest::of_words(&SOURCES, &words)
}
