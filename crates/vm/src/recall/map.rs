//! A path through the graph, and the machine that follows it when necessary.

use super::graph::{Graph, NONE, Shown};
use super::policy::Balance;
use super::real::Real;
use crate::vm::Vm;
use rustc_hash::FxHashMap;
use selvedge_base::{ContextId, ForTests, Id, ThreadId};
use selvedge_model::{
    Access, Allocated, Allocates, Blocks, Choice, Event, Fingerprint, Limit, Machine, Notice, Outcome, Part,
    Pending, Silent, Status, Waiters, WaitsFor,
};
use std::cell::{Cell, RefCell};

/// A step of the path.
struct Taken {
    choice: Choice,
    /// The node before it; `NONE` if that state is not in the graph.
    from: u32,
}

/// What `accesses` and similar methods refer to.
enum Last {
    /// Nothing: the machine went back.
    Nothing,
    Edge(u32),
    /// A step that is not in the graph: `unrecorded`.
    Unrecorded,
}

/// Copies of the machine's results for a step that is not in the graph.
#[derive(Default)]
struct Unrecorded {
    shown: Shown,
    accesses: Vec<Access>,
    parts: Vec<Part>,
    notices: Vec<Notice>,
}

pub(super) struct Map {
    graph: Graph,
    path: Vec<Taken>,
    /// The present node; `NONE` if the state is not in the graph. Then the machine is in this
    /// state, unless the run has to stop.
    here: u32,
    last: Last,
    unrecorded: Unrecorded,
    /// The machine; never ahead of the path.
    real: RefCell<Real>,
    /// Sets that were named in outcomes.
    sets: FxHashMap<Waiters, Box<[ThreadId]>>,
    balance: Balance,
    recalled: u64,
    /// True if new steps are added to the graph.
    learns: bool,
    /// True if nothing is to be recalled any more.
    over: Cell<bool>,
    checked: ForTests<bool>,
    /// For each node, the allocated memory, where it was computed.
    allocated: RefCell<FxHashMap<u32, Allocated>>,
    /// For each node, whether its held threads go round for ever, where that was asked.
    rounds: FxHashMap<u32, bool>,
}

impl Map {
    /// A path for a machine at its initial state.
    pub fn new(mut real: Real, checked: ForTests<bool>) -> Map {
        real.keep_fingerprints();
        let mut graph = Graph::default();
        let here = graph.node(real.vm.fingerprint(), &real.vm);
        Map {
            graph,
            path: Vec::new(),
            here,
            last: Last::Nothing,
            unrecorded: Unrecorded::default(),
            real: RefCell::new(real),
            sets: FxHashMap::default(),
            balance: Balance::default(),
            recalled: 0,
            learns: true,
            over: Cell::new(false),
            checked,
            allocated: RefCell::default(),
            rounds: FxHashMap::default(),
        }
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    pub fn recalled(&self) -> u64 {
        self.recalled
    }

    /// The machine, wherever it is on the path.
    pub fn vm_mut(&mut self) -> &mut Vm {
        &mut self.real.get_mut().vm
    }

    /// The graph, and the machine at the end of the path.
    pub fn into_parts(self) -> (Graph, Real) {
        self.catch_up(self.path.len());
        let mut real = self.real.into_inner();
        real.go_alone();
        (self.graph, real)
    }

    /// The present node, unless the state is not in the graph.
    #[inline]
    pub fn node(&self) -> Option<u32> {
        (self.here != NONE).then_some(self.here)
    }

    /// The last step, if it is in the graph.
    #[inline]
    pub fn edge(&self) -> Option<u32> {
        match self.last {
            Last::Edge(edge) => Some(edge),
            Last::Unrecorded | Last::Nothing => None,
        }
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    #[inline]
    pub fn steps(&self) -> usize {
        self.path.len()
    }

    /// The visible part of the state at the end of the path.
    #[inline]
    pub fn shown(&self) -> &Shown {
        match self.here {
            NONE => &self.unrecorded.shown,
            node => self.graph.shown(node),
        }
    }

    #[inline]
    pub fn accesses(&self) -> &[Access] {
        match self.last {
            Last::Edge(edge) => self.graph.accesses(edge),
            Last::Unrecorded => &self.unrecorded.accesses,
            Last::Nothing => &[],
        }
    }

    #[inline]
    pub fn parts(&self) -> &[Part] {
        match self.last {
            Last::Edge(edge) => self.graph.parts(edge),
            Last::Unrecorded => &self.unrecorded.parts,
            Last::Nothing => &[],
        }
    }

    #[inline]
    pub fn notices(&self) -> &[Notice] {
        &self.unrecorded.notices
    }

    pub fn waiters(&self, set: Waiters) -> &[ThreadId] {
        &self.sets[&set]
    }

    pub fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        match self.here {
            NONE => {
                self.catch_up(self.path.len());
                self.real.borrow().vm.waits_for(thread)
            }
            node => self.graph.waits_for(node, thread),
        }
    }

    /// Asks the machine at the end of the path. The machine has to follow the path for this, so
    /// from now on it executes all steps itself.
    #[cold]
    pub fn ask<T>(&self, question: impl FnOnce(&Vm) -> T) -> T {
        self.over.set(true);
        self.catch_up(self.path.len());
        question(&self.real.borrow().vm)
    }

    /// The allocated memory at the end of the path. The machine follows the path only to states for
    /// which this was not computed before.
    pub fn allocated(&self) -> Allocated {
        if let Some(known) = self.allocated.borrow().get(&self.here)
            && self.here != NONE
            && !self.checked.is(true)
        {
            return known.clone();
        }
        self.catch_up(self.path.len());
        let allocated = self.real.borrow().vm.allocated();
        if self.here != NONE {
            let known = self.allocated.borrow_mut().insert(self.here, allocated.clone());
            let counted = |blocks: &[Blocks]| -> Vec<_> {
                blocks.iter().map(|b| (b.stmt, b.bytes, b.blocks)).collect()
            };
            let alike = |known: Allocated| {
                counted(&known.lost) == counted(&allocated.lost)
                    && counted(&known.left) == counted(&allocated.left)
            };
            assert!(known.is_none_or(alike), "other memory is allocated in one state");
        }
        allocated
    }

    /// See [`Machine::goes_round_for_ever`]. The machine follows the path only to states for which
    /// this was not asked before.
    pub fn goes_round_for_ever(&mut self) -> bool {
        let known = self.rounds.get(&self.here).copied();
        if let Some(known) = known
            && self.here != NONE
            && !self.checked.is(true)
        {
            return known;
        }
        self.catch_up(self.path.len());
        let ever = self.real.get_mut().vm.goes_round_for_ever();
        if self.here != NONE {
            self.rounds.insert(self.here, ever);
            let same = known.is_none_or(|known| known == ever);
            assert!(same, "held threads go on in one of two equal states");
        }
        ever
    }

    /// Asks the machine something that has the same answer everywhere.
    pub fn ask_anywhere<T>(&self, question: impl FnOnce(&Vm) -> T) -> T {
        question(&self.real.borrow().vm)
    }

    #[inline]
    pub fn step(&mut self, choice: Choice) -> Event {
        let from = self.here;
        let known = if from == NONE {
            NONE
        } else {
            self.graph.find(from, choice)
        };
        if known == NONE {
            return self.step_anew(choice);
        }
        self.path.push(Taken { choice, from });
        self.balance.recall();
        self.recalled += 1;
        let edge = self.graph.edge(known);
        self.here = edge.to;
        self.last = Last::Edge(known);
        self.real.get_mut().vm.instructions += edge.data.instructions;
        let event = edge.data.event;
        if edge.data.noted || self.checked.is(true) || !self.unrecorded.notices.is_empty() {
            self.step_again(known);
        }
        event
    }

    /// Takes a cached step as if it was not cached: for its notices, or for comparison.
    #[cold]
    fn step_again(&mut self, known: u32) {
        self.unrecorded.notices.clear();
        let edge = self.graph.edge(known);
        if !edge.data.noted && !self.checked.is(true) {
            return;
        }
        self.catch_up(self.path.len() - 1);
        let real = self.real.get_mut();
        let counted = real.vm.instructions;
        let event = real.step(edge.label);
        if self.checked.is(true) {
            let alike = event == edge.data.event
                && real.vm.instructions - counted == edge.data.instructions
                && *real.vm.pending() == *self.graph.shown(edge.to).pending
                && real.vm.accesses() == self.graph.accesses(known)
                && real.vm.parts() == self.graph.parts(known)
                && real.vm.notices().is_empty() != edge.data.noted;
            assert!(
                alike,
                "a step is not what it was before: {event:?}, {:?}",
                edge.data.event
            );
        }
        real.vm.instructions = counted;
        self.unrecorded.notices.extend_from_slice(real.vm.notices());
    }

    /// Takes a step that is not cached.
    #[inline(never)]
    fn step_anew(&mut self, choice: Choice) -> Event {
        if !self.follow(self.path.len()) {
            return self.step_cut_short(choice);
        }
        let from = self.here;
        self.path.push(Taken { choice, from });
        let real = self.real.get_mut();
        let counted = real.vm.instructions;
        let event = real.step(choice);
        let instructions = real.vm.instructions - counted;
        if self.checked.is(true) {
            let kept = real.vm.check_fingerprint();
            assert!(
                kept.is_ok(),
                "the fingerprint is not that of the state: {event:?}"
            );
        }
        if let Outcome::Threads(set) = event.outcome {
            let members = real.vm.waiters(set);
            self.sets.entry(set).or_insert_with(|| members.into());
        }
        self.unrecorded.notices.clear();
        self.unrecorded.notices.extend_from_slice(real.vm.notices());
        self.here = NONE;
        if !real.may_remember() {
            self.over.set(true);
        } else if self.learns && from != NONE {
            let to = self.graph.node(real.vm.fingerprint(), &real.vm);
            let edge = self
                .graph
                .learn((from, choice, to), event, instructions, &real.vm);
            self.here = to;
            self.last = Last::Edge(edge);
            self.weigh();
            return event;
        }
        self.last = Last::Unrecorded;
        self.unrecorded.accesses.clear();
        self.unrecorded.accesses.extend_from_slice(real.vm.accesses());
        self.unrecorded.parts.clear();
        self.unrecorded.parts.extend_from_slice(real.vm.parts());
        self.copy_pending();
        event
    }

    /// After a step was cached: decides whether to continue.
    fn weigh(&mut self) {
        if self.balance.learn() {
            self.over.set(true);
        } else if !self.graph.has_room() {
            self.learns = false;
            self.real.get_mut().drop_fingerprints();
        }
    }

    /// Copies the visible part of the machine's state; the machine is at the end of the path.
    fn copy_pending(&mut self) {
        self.unrecorded.shown = Shown::of(self.real.get_mut().vm.pending());
    }

    /// Lets the machine follow the path to its `steps`-th step, even if it is asked to stop. The
    /// instructions executed for this were counted when the path took the steps.
    fn catch_up(&self, steps: usize) {
        let mut real = self.real.borrow_mut();
        let counted = real.vm.instructions;
        real.vm.set_deaf(true);
        for taken in &self.path[real.steps()..steps] {
            real.step(taken.choice);
        }
        real.vm.set_deaf(false);
        real.vm.instructions = counted;
    }

    /// Follows the path before a step that is not cached. If the run has to stop meanwhile, the
    /// machine stays behind, and this returns false.
    fn follow(&self, steps: usize) -> bool {
        let mut real = self.real.borrow_mut();
        let counted = real.vm.instructions;
        let from = real.steps();
        let is_there = self.path[from..steps].iter().enumerate().all(|(k, taken)| {
            real.step(taken.choice);
            let goes_on = !real.vm.has_to_stop();
            if !goes_on {
                real.undo(from + k); // it may have been interrupted
            }
            goes_on
        });
        real.vm.instructions = counted;
        is_there
    }

    /// A step that the machine did not reach. It is treated like an interrupted step: its thread is
    /// parked.
    #[cold]
    fn step_cut_short(&mut self, choice: Choice) -> Event {
        let mut pending = self.shown().pending.to_vec();
        let next = &mut pending[choice.thread.index()];
        let event = Event {
            action: next.action,
            context: ContextId(0),
            alternative: choice.alternative,
            alternatives: next.alternatives,
            outcome: Outcome::Done,
            completes: false,
            silent: Silent::No,
        };
        *next = Pending {
            status: Status::Parked,
            alternatives: 0,
            ..*next
        };
        self.path.push(Taken {
            choice,
            from: self.here,
        });
        self.here = NONE;
        self.last = Last::Unrecorded;
        let limit = Limit::stopped(event.action.stmt);
        self.unrecorded = Unrecorded {
            shown: Shown::of(&pending),
            notices: vec![Notice::Limit(limit)],
            ..Unrecorded::default()
        };
        event
    }

    #[inline]
    pub fn undo(&mut self, steps: usize) {
        if let Some(taken) = self.path.get(steps) {
            self.here = taken.from;
            self.path.truncate(steps);
        }
        let real = self.real.get_mut();
        if real.steps() > steps {
            real.undo(steps);
        }
        self.last = Last::Nothing;
        if !self.unrecorded.notices.is_empty() {
            self.unrecorded.notices.clear();
        }
        if self.here == NONE {
            self.catch_up(steps);
            self.copy_pending();
        }
    }
}
