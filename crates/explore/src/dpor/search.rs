//! The depth-first search itself: a stack of nodes over one machine.

mod first;
mod races;

use super::Weaken;
use super::contended::Contended;
use super::order::{Mark, Order};
use super::set::Set;
use super::share::{Given, Seat};
use crate::record::Record;
use crate::{Config, Control, Stop};
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{
    Action, Choice, Dependence, Detector, Event, Fault, Limit, LimitKind, Op, OpClass, Outcome, Undo,
};

/// Why a search ended before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// A fault, with [`Stop::First`].
    Finding,
    /// A bound of the run.
    Limit(Limit),
    /// More threads than a set has room for.
    TooManyThreads,
    /// What it works on is not needed any more.
    Cancelled,
}

/// A state on the current path, before the event at its position.
struct Node<S, A, B> {
    machine: A,
    detector: B,
    order: Mark,
    enabled: S,
    /// Asleep when the current child is taken: from above, and the children explored before.
    sleep: S,
    /// The threads in the backtrack list, ever.
    added: S,
    /// Threads whose pending action is dependent on the current child's.
    dependent: S,
    /// Where the backtrack list begins in `lists`; it has room for every enabled thread.
    list: u32,
    len: u16,
    /// The current child in the list.
    cursor: u16,
    alternative: u16,
    alternatives: u16,
    /// The only child is a local action.
    local: bool,
    /// What [`Search::calm`] and [`Search::hot`] are here.
    calm: S,
    hot: u64,
    /// Some entry of the list was given away.
    given: bool,
}

/// A wish that concerns a node above the part that this search owns: try one of `candidates`, best `thread` itself, or
/// everything enabled if there is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Request<S> {
    pub depth: u32,
    pub thread: u32,
    pub candidates: S,
}

/// What a search is about: everything that is set aside while it helps with something else.
pub(super) struct Job<S> {
    pub record: Record,
    pub requests: Vec<Request<S>>,
    pub halt: Option<Halt>,
    /// Entries of this job's nodes that others explore.
    pub given: Vec<Given<S>>,
    /// The node that it ends at.
    pub bottom: usize,
    /// The first node whose backtrack list belongs to it.
    pub own: usize,
}

impl<S> Job<S> {
    pub fn new(bottom: usize, own: usize) -> Self {
        Job {
            record: Record::default(),
            requests: Vec::new(),
            halt: None,
            given: Vec::new(),
            bottom,
            own,
        }
    }
}

/// Counters not yet shown to the control.
#[derive(Default)]
struct Unseen {
    leaves: u32,
    executions: u64,
    redundant: u64,
    events: u64,
}

const SHOW_EVERY: u32 = 256;

/// A backtrack list that can grow has room for as many threads at least.
const ROOM: usize = 8;

pub(super) struct Search<'a, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
{
    machine: M,
    detector: D,
    relation: &'a P,
    config: &'a Config,
    control: &'a Control,
    weaken: Weaken,
    nodes: Vec<Node<S, M::Mark, D::Mark>>,
    lists: Vec<u16>,
    choices: Vec<Choice>,
    order: Order,
    faults: Vec<Fault>,
    races: Vec<u32>,
    /// Pending actions before a step that may change those of other threads.
    before: Vec<Action>,
    contended: Contended,
    /// While the first execution is taken: what it has raced for.
    learned: Option<Contended>,
    /// Threads whose next action uses nothing that is contended.
    calm: S,
    /// The contended object used last.
    hot: u64,
    unseen: Unseen,
    pub job: Job<S>,
    pub seat: Option<Seat<'a, S>>,
}

impl<'a, S, M, D, P> Search<'a, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    pub fn new(
        (machine, detector): (M, D),
        relation: &'a P,
        config: &'a Config,
        control: &'a Control,
        weaken: Weaken,
        seat: Option<Seat<'a, S>>,
    ) -> Self {
        Search {
            machine,
            detector,
            relation,
            config,
            control,
            weaken,
            nodes: Vec::new(),
            lists: Vec::new(),
            choices: Vec::new(),
            order: Order::new(),
            faults: Vec::new(),
            races: Vec::new(),
            before: Vec::new(),
            contended: Contended::default(),
            learned: None,
            calm: S::default(),
            hot: 0,
            unseen: Unseen::default(),
            job: Job::new(0, 0),
            seat,
        }
    }

    /// Explores everything from the initial state.
    pub fn run_all(&mut self) {
        let faulty = self.job.record.notice(self.config, self.machine.notices(), &[]);
        if faulty && self.config.stop == Stop::First {
            self.job.halt = Some(Halt::Finding);
            return;
        }
        if !self.has_room() {
            return;
        }
        let more = if self.config.sleep_sets {
            self.run_first()
        } else {
            self.enter(S::default(), 0)
        };
        if more {
            self.run();
        }
        self.show();
    }

    /// Explores from the top node, whose next child is chosen, until the job's bottom node, which stays, is done.
    pub fn run(&mut self) {
        loop {
            let (sleep, last) = self.step();
            if self.job.halt.is_some() {
                return;
            }
            if self.enter(sleep, last) {
                continue;
            }
            if self.job.halt.is_some() || !self.next() {
                return;
            }
        }
    }

    /// Goes on from the end of an execution to the next child that is to be explored; false if there is none.
    #[inline]
    fn next(&mut self) -> bool {
        self.give();
        while !self.next_child() {
            if self.job.halt.is_some() || self.nodes.len() - 1 <= self.job.bottom {
                return false;
            }
            self.pop();
        }
        if self
            .config
            .max_executions
            .is_some_and(|max| self.executions() >= max)
        {
            self.job.halt = Some(Halt::Limit(self.executions_limit()));
            return false;
        }
        true
    }

    /// Executions begun by now, whatever became of them.
    fn executions(&self) -> u64 {
        let statistics = &self.job.record.statistics;
        statistics.executions + statistics.redundant_executions + statistics.bounded_executions
    }

    #[cold]
    fn executions_limit(&self) -> Limit {
        let detail = format!("{} executions", self.executions());
        Limit {
            kind: LimitKind::Executions,
            detail,
            stmt: StmtId(0),
        }
    }

    fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.lists.truncate(node.list as usize);
        }
    }

    fn entry(&self, node: usize, k: u16) -> usize {
        usize::from(self.lists[self.nodes[node].list as usize + usize::from(k)])
    }

    /// Makes sure that there is room for the threads that there are.
    #[inline]
    fn has_room(&mut self) -> bool {
        let threads = self.machine.pending().len();
        if self.order.has_room(threads) {
            return true;
        }
        if threads > S::CAPACITY {
            self.job.halt = Some(Halt::TooManyThreads);
            return false;
        }
        let factor = self.order.grow(threads);
        self.nodes.iter_mut().for_each(|node| node.order.scale(factor));
        true
    }

    /// Looks at the present state: a new node with its first child chosen, unless the execution ends here.
    #[inline]
    fn enter(&mut self, sleep: S, last: usize) -> bool {
        let (mut enabled, mut local) = (S::default(), None);
        for (thread, pending) in self.machine.pending().iter().enumerate() {
            if pending.is_enabled() {
                enabled.insert(thread);
                if local.is_none() && is_local(&pending.action) {
                    local = Some(thread);
                }
            }
        }
        let awake = enabled.minus(sleep);
        if awake.is_empty() || self.nodes.len() >= self.config.max_events as usize {
            self.leaf(enabled.is_empty(), awake.is_empty());
            return false;
        }
        let local = local.filter(|&thread| awake.contains(thread));
        let first = match local {
            Some(thread) => thread,
            None if self.contended.is_empty() => nearest(awake, last),
            None => self.late(awake, last),
        };
        self.push(enabled, sleep, first, local.is_some());
        true
    }

    fn push(&mut self, enabled: S, sleep: S, first: usize, local: bool) {
        let pending = self.machine.pending();
        let (threads, alternatives) = (pending.len(), pending[first].alternatives);
        let mut added = S::default();
        added.insert(first);
        let list = self.lists.len();
        if local {
            self.lists.push(first as u16);
        } else {
            // Room for the threads that may be added, in pieces of a fixed length.
            self.lists.extend_from_slice(&[first as u16; ROOM]);
            if threads > ROOM {
                self.lists.resize(list + threads, 0);
            }
        }
        self.nodes.push(Node {
            machine: self.machine.mark(),
            detector: self.detector.mark(),
            order: self.order.mark(),
            enabled,
            sleep,
            added,
            dependent: S::default(),
            list: list as u32,
            len: 1,
            cursor: 0,
            alternative: 0,
            alternatives,
            local,
            calm: self.calm,
            hot: self.hot,
            given: false,
        });
    }

    /// Takes the top node's chosen child: what is asleep after it, and who moved.
    #[inline]
    fn step(&mut self) -> (S, usize) {
        let depth = self.nodes.len() - 1;
        let node = &self.nodes[depth];
        let (thread, alternative, local) = (self.entry(depth, node.cursor), node.alternative, node.local);
        let looked = alternative == 0 && !local && self.config.sleep_sets;
        if alternative == 0 && !local {
            self.meet(depth, thread);
            if self.config.sleep_sets {
                self.reverse_races(thread);
            }
        }
        let node = &self.nodes[depth];
        let mut sleep = node.sleep;
        if self.weaken != Weaken::Wakeups {
            sleep = sleep.minus(node.dependent);
        }
        let threads = self.machine.pending().len();
        let choice = Choice {
            thread: ThreadId::from_index(thread),
            alternative,
        };
        let event = self.take(choice, looked);
        if self.job.halt.is_some() {
            return (sleep, thread);
        }
        let statistics = &mut self.job.record.statistics;
        statistics.events += 1;
        statistics.choices += u64::from(event.alternatives > 1);
        statistics.max_depth = statistics.max_depth.max(self.choices.len() as u64);
        self.unseen.events += 1;
        self.report();
        if !self.config.sleep_sets {
            self.search(thread);
        }
        if may_change_others(event.action.op) {
            self.search_changed(depth, thread, &mut sleep);
        }
        let now = self.machine.pending().len();
        if now > threads {
            for new in threads..now {
                self.search(new);
            }
            let statistics = &mut self.job.record.statistics;
            statistics.threads = statistics.threads.max(now as u64);
        }
        if self.control.is_stopped() {
            self.job.halt = Some(Halt::Limit(self.control.limit()));
        }
        (sleep, thread)
    }

    /// Steps the machine and whatever goes with it.
    #[inline(always)]
    fn take(&mut self, choice: Choice, looked: bool) -> Event {
        let action = self.machine.pending()[choice.thread.index()].action;
        let threads = self.machine.pending().len();
        let others = may_change_others(action.op);
        if others {
            self.before.clear();
            self.before
                .extend(self.machine.pending().iter().map(|p| p.action));
        }
        if !looked {
            self.order.look(self.relation, &action, choice.thread.index());
        }
        let event = self.machine.step(choice);
        self.choices.push(choice);
        if !self.has_room() {
            return event;
        }
        if !self.contended.is_empty() {
            self.note_contended(&event.action, threads, others);
        }
        let relation = self.relation;
        self.order.record(relation, &event.action, choice.thread.index());
        match event.outcome {
            Outcome::Thread(named) => self.order.wake(named.index()),
            Outcome::Threads(set) => {
                for &named in self.machine.waiters(set) {
                    if named != choice.thread {
                        self.order.wake(named.index());
                    }
                }
            }
            _ => {}
        }
        self.detector.event(&self.machine, &event, &mut self.faults);
        event
    }

    /// Notes what is wrong with the event just taken.
    #[inline]
    fn report(&mut self) {
        let mut faulty = false;
        if !self.machine.notices().is_empty() {
            faulty = self
                .job
                .record
                .notice(self.config, self.machine.notices(), &self.choices);
        }
        if !self.faults.is_empty() {
            faulty |= self.note_faults();
        }
        if faulty && self.config.stop == Stop::First {
            self.job.halt = Some(Halt::Finding);
        }
    }

    #[cold]
    fn note_faults(&mut self) -> bool {
        let mut faulty = false;
        for fault in self.faults.drain(..) {
            faulty |= self.job.record.fault(self.config, fault, &self.choices);
        }
        faulty
    }

    /// Goes to the top node's next child; false if it has none.
    fn next_child(&mut self) -> bool {
        let top = self.nodes.len() - 1;
        let node = &mut self.nodes[top];
        node.alternative += 1;
        if node.alternative < node.alternatives && self.weaken != Weaken::Alternatives {
            self.go_back(top);
            return true;
        }
        loop {
            let cursor = self.nodes[top].cursor;
            let thread = self.entry(top, cursor);
            let node = &mut self.nodes[top];
            if self.config.sleep_sets {
                node.sleep.insert(thread);
            }
            node.cursor = cursor + 1;
            if node.cursor == node.len {
                return false;
            }
            let (next, given) = (node.cursor, node.given);
            let thread = self.entry(top, next);
            if self.nodes[top].sleep.contains(thread) {
                continue;
            }
            self.go_back(top);
            if given && self.join(top, next) {
                if self.job.halt.is_some() {
                    return false;
                }
                continue;
            }
            let node = &mut self.nodes[top];
            node.alternative = 0;
            node.alternatives = self.machine.pending()[thread].alternatives;
            return true;
        }
    }

    /// Goes back to the state of a node.
    pub fn go_back(&mut self, node: usize) {
        let node_state = &self.nodes[node];
        self.machine.undo(node_state.machine);
        self.detector.undo(node_state.detector);
        self.order.undo(node_state.order);
        self.calm = node_state.calm;
        self.hot = node_state.hot;
        self.choices.truncate(node);
    }

    /// The execution ends here.
    fn leaf(&mut self, finished: bool, asleep: bool) {
        self.reverse_blocked();
        let statistics = &mut self.job.record.statistics;
        if finished {
            statistics.executions += 1;
            statistics.threads = statistics.threads.max(self.machine.pending().len() as u64);
            self.unseen.executions += 1;
            self.detector.end(&self.machine, &mut self.faults);
            if !self.faults.is_empty() && self.note_faults() && self.config.stop == Stop::First {
                self.job.halt = Some(Halt::Finding);
            }
        } else if asleep {
            statistics.redundant_executions += 1;
            self.unseen.redundant += 1;
        } else {
            statistics.bounded_executions += 1;
            let detail = format!("an execution of more than {} events", self.config.max_events);
            self.job.record.limit(&Limit {
                kind: LimitKind::Depth,
                detail,
                stmt: StmtId(0),
            });
        }
        self.unseen.leaves += 1;
        if self.unseen.leaves == SHOW_EVERY {
            self.show();
        }
        if self.seat.as_ref().is_some_and(|seat| seat.is_cancelled()) {
            self.job.halt = Some(Halt::Cancelled);
        }
    }

    /// Shows the counters.
    fn show(&mut self) {
        let unseen = std::mem::take(&mut self.unseen);
        self.control.add(
            unseen.executions,
            unseen.redundant,
            unseen.events,
            self.choices.len() as u64,
        );
        if self.seat.as_ref().is_none_or(|seat| seat.is_first()) {
            let (mut part, mut weight) = (0.0, 1.0);
            for node in &self.nodes {
                let children = f64::from(node.len);
                part += weight * f64::from(node.cursor) / children;
                weight /= children;
            }
            self.control
                .set_part(if self.nodes.is_empty() { 1.0 } else { part });
        }
    }

    // What the sharing of work needs.

    /// How deep the present state is, and whether it has a node.
    pub fn position(&self) -> (usize, bool) {
        (self.choices.len(), self.nodes.len() > self.choices.len())
    }

    /// The choices of the present path.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The highest node of this job with an entry that nobody has begun, at least `height` events above the present
    /// state: the node, the entry, its thread and what sleeps when it is taken. The entry is marked as given.
    pub fn offer(&mut self, height: usize) -> Option<(usize, u16, usize, S)> {
        let end = self.choices.len().checked_sub(height)?.min(self.nodes.len());
        let from = self.job.own;
        for at in from..end {
            let node = &self.nodes[at];
            if node.cursor + 1 >= node.len {
                continue;
            }
            let mut sleep = node.sleep;
            let original = node.sleep;
            for k in node.cursor..node.len {
                let thread = self.entry(at, k);
                let free = k > node.cursor
                    && !original.contains(thread)
                    && !(node.given && self.job.given.iter().any(|g| g.node == at && g.entry == k));
                if free {
                    self.nodes[at].given = true;
                    return Some((at, k, thread, sleep));
                }
                if self.config.sleep_sets {
                    sleep.insert(thread);
                }
            }
        }
        None
    }

    /// Follows a path that others explore around, from the present state on; then a node of which one entry is to be
    /// explored.
    pub fn follow(&mut self, path: &[Choice], thread: usize, sleep: S) {
        for &choice in path {
            if self.nodes.len() == self.choices.len() {
                self.push_here(choice.thread.index(), S::default());
            }
            self.take(choice, false);
            self.faults.clear();
        }
        self.push_here(thread, sleep);
    }

    fn push_here(&mut self, thread: usize, sleep: S) {
        let mut enabled = S::default();
        for (t, pending) in self.machine.pending().iter().enumerate() {
            if pending.is_enabled() {
                enabled.insert(t);
            }
        }
        self.push(enabled, sleep, thread, false);
    }

    /// Forgets the nodes from `len` on and goes back to the state of the node at `len`, which stays if `keep`.
    pub fn leave(&mut self, len: usize, keep: bool) {
        self.go_back(len);
        while self.nodes.len() > len + usize::from(keep) {
            self.pop();
        }
    }
}

/// The thread that moved last if it can, else the first one.
#[inline]
fn nearest<S: Set>(awake: S, last: usize) -> usize {
    if awake.contains(last) {
        last
    } else {
        awake.first().unwrap_or(last)
    }
}

/// Whether the action can be run at once: see the module's head.
#[inline]
fn is_local(action: &Action) -> bool {
    action.op.class() as u8 == OpClass::Local as u8
        && (action.op.class2() as u8 == OpClass::Local as u8 || action.object2.0 == 0)
        && !action.cancelable
}

/// Whether an operation may change the pending *action* of a thread that it is no action of. All others must not: a
/// machine's promise.
#[inline]
fn may_change_others(op: Op) -> bool {
    matches!(
        op,
        Op::Signal
            | Op::Broadcast
            | Op::BarrierArrive
            | Op::Cancel
            | Op::FutexWake
            | Op::OwnerDied
            | Op::Hidden
            | Op::OnceDone
    )
}
