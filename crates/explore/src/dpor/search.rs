//! The depth-first search itself: a stack of nodes over one machine.

mod contents;
mod first;
mod handed;
mod keep;
mod leaf;
mod observers;
mod outcome;
mod part;
mod published;
mod races;
mod sections;
mod take;

use super::contended::Contended;
use super::order::Order;
use super::peeking::Peeking;
use super::set::{Set, nearest};
use super::share::{Given, Worker};
use super::weaken::Weaken;
use crate::kept::Keeper;
use crate::record::Record;
use crate::{Config, Control, Stop};
use contents::Contents;
pub(super) use keep::{Suspended, members};
use selvedge_base::{ForTests, Id, StmtId, ThreadId};
use selvedge_model::{
    Action, Choice, Dependence, Detector, Fault, Limit, LimitKind, Op, OpClass, Pending, Status, Undo,
};
use std::rc::Rc;

/// Why a search ended before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// A fault, with [`Stop::First`].
    Finding,
    /// A limit of the run.
    Limit(Limit),
    /// There are more threads than a set has room for.
    TooManyThreads,
    /// The result of this search is not needed any more.
    Cancelled,
    /// The sections of some mutex must not be one event each.
    Refused,
    /// The rest is explored later. If `joins`, the top node's child is a unit that others explore.
    Paused { joins: bool },
}

/// A state on the current path, before the event at its position.
pub(super) struct Node<S, A, B> {
    machine: A,
    detector: B,
    enabled: S,
    /// The sleep set when the current child is taken: the sleep set inherited from above, and the
    /// children explored before.
    sleep: S,
    /// All threads that were ever added to the backtrack list.
    added: S,
    /// The length of the backtrack list.
    len: u16,
    /// The current child: its position in the list, and its thread.
    cursor: u16,
    thread: u16,
    alternative: u16,
    alternatives: u16,
    /// The length of [`Search::schedule`] at this node.
    schedule: u32,
    /// The only child is a local action.
    local: bool,
    /// The values of [`Search::locals`], [`Search::known`], [`Search::uncontended`] and
    /// [`Search::hot`] at this node.
    locals: S,
    known: S,
    uncontended: S,
    hot: u64,
    /// True if another worker explores some entry of the list.
    given: bool,
}

impl<S, A, B> Node<S, A, B> {
    /// True if the current child is the last one.
    #[inline]
    fn is_done(&self) -> bool {
        self.alternative + 1 >= self.alternatives && self.cursor + 1 == self.len
    }
}

/// A backtrack request for an ancestor node that another worker owns: explore one of `candidates`,
/// preferably `thread`, or every enabled thread if `candidates` is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Request<S> {
    pub depth: u32,
    pub thread: u32,
    pub candidates: S,
}

/// The state of one search. It is set aside while the worker helps with another search.
pub(super) struct Job<S> {
    pub record: Record,
    pub requests: Vec<Request<S>>,
    pub halt: Option<Halt>,
    /// Entries of this job's nodes that were given to other workers.
    pub given: Vec<Given<S>>,
    /// The node at which the search ends.
    pub bottom: usize,
    /// The first node whose backtrack list belongs to this job.
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

/// Counters that were not yet added to the control.
#[derive(Default)]
struct Unseen {
    leaves: u32,
    executions: u64,
    redundant: u64,
    events: u64,
}

const SHOW_EVERY: u32 = 256;

/// The initial capacity of backtrack lists, in threads.
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
    weaken: ForTests<Weaken>,
    nodes: Vec<Node<S, M::Mark, D::Mark>>,
    /// The backtrack lists of the nodes, each with a capacity of `room` threads. A node itself
    /// stores the list's first thread, which `push` chose.
    lists: Vec<u16>,
    room: usize,
    choices: Vec<Choice>,
    /// All choices, if sections are one event each. Otherwise it is empty, and each event has one
    /// choice.
    schedule: Vec<Choice>,
    /// The mutexes whose sections are one event each.
    peeking: Option<&'a Peeking>,
    /// What is known of sections that threads are about to take.
    peeked: Vec<(usize, Rc<Contents>)>,
    order: Order,
    faults: Vec<Fault>,
    races: Vec<u32>,
    /// The pending actions before a step that may change those of other threads.
    before: Vec<Action>,
    contended: Contended,
    /// During the first execution: the objects that it has raced for.
    learned: Option<Contended>,
    /// True if the order has looked for the next action as an operation, and what the step does
    /// decides whether it is a read.
    looked_early: bool,
    /// The number of threads after the last step, and the enabled ones.
    count: usize,
    enabled: S,
    /// The threads whose next action is local.
    locals: S,
    /// The threads for which `uncontended` is up to date.
    known: S,
    /// The threads in `known` whose next action uses no contended object.
    uncontended: S,
    /// The contended object that was used last.
    hot: u64,
    unseen: Unseen,
    pub job: Job<S>,
    /// Jobs to which this worker will return; the most recent one is last.
    pub suspended: Vec<Suspended<S, M::Mark, D::Mark>>,
    pub worker: Option<Worker<'a, S>>,
    /// Saves the state of the search, if present.
    pub keeper: Option<&'a dyn Keeper>,
}

impl<'a, S, M, D, P> Search<'a, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// The job that it has performed. What else it holds is freed, if there is a reason to.
    pub fn into_job(self) -> Job<S> {
        let Search {
            machine,
            detector,
            nodes,
            order,
            job,
            control,
            ..
        } = self;
        control.free((machine, detector, nodes, order));
        job
    }

    pub fn new(
        (machine, detector): (M, D),
        (relation, peeking): (&'a P, Option<&'a Peeking>),
        config: &'a Config,
        control: &'a Control,
        weaken: ForTests<Weaken>,
        worker: Option<Worker<'a, S>>,
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
            room: ROOM,
            choices: Vec::new(),
            schedule: Vec::new(),
            peeking,
            peeked: Vec::new(),
            order: Order::new(),
            faults: Vec::new(),
            races: Vec::new(),
            before: Vec::new(),
            looked_early: false,
            count: 0,
            enabled: S::default(),
            contended: Contended::default(),
            learned: None,
            locals: S::default(),
            known: S::default(),
            uncontended: S::default(),
            hot: 0,
            unseen: Unseen::default(),
            job: Job::new(0, 0),
            suspended: Vec::new(),
            worker,
            keeper: None,
        }
    }

    /// Explores all executions from the initial state.
    pub fn run_all(&mut self) {
        let faulty = self.job.record.notice(self.config, self.machine.notices(), &[]);
        if faulty && self.config.stop == Stop::First {
            self.job.halt = Some(Halt::Finding);
            return;
        }
        if !self.has_room(self.machine.pending().len()) {
            return;
        }
        self.look_at(0);
        self.enabled = self.enabled_now();
        let more = if self.config.sleep_sets {
            self.run_first()
        } else {
            self.enter(S::default(), 0)
        };
        if more {
            self.run();
        }
        self.note_depth();
        self.show();
    }

    /// Explores from the top node, whose next child is already selected, until the job's bottom
    /// node is done. The bottom node is not removed.
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

    /// After the end of an execution, selects the next child to be explored. Returns false if there
    /// is none.
    #[inline]
    fn next(&mut self) -> bool {
        self.give();
        loop {
            self.pop_done();
            if self.next_child() {
                break;
            }
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
        if self.keeper.is_some() {
            self.keep_if_due();
        }
        if self.worker.as_ref().is_some_and(|worker| worker.is_due()) {
            self.job.halt = Some(Halt::Paused { joins: false });
            return false;
        }
        true
    }

    /// The number of executions begun so far, including redundant and bounded ones.
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
        self.nodes.pop();
    }

    /// Drops the top nodes without a further child, down to the bottom of the job. These are nearly
    /// all nodes.
    #[inline(always)]
    fn pop_done(&mut self) {
        let end = self.nodes.iter().rposition(|node| !node.is_done());
        self.nodes.truncate(end.unwrap_or(0).max(self.job.bottom) + 1);
    }

    fn entry(&self, node: usize, k: u16) -> usize {
        usize::from(self.lists[node * self.room + usize::from(k)])
    }

    /// Makes room for this number of threads.
    #[inline(always)]
    fn has_room(&mut self, threads: usize) -> bool {
        self.order.has_room(threads) || self.make_room(threads)
    }

    #[cold]
    fn make_room(&mut self, threads: usize) -> bool {
        if threads > S::CAPACITY {
            self.job.halt = Some(Halt::TooManyThreads);
            return false;
        }
        self.order.grow(threads);
        self.widen_lists(threads.next_power_of_two());
        true
    }

    /// Makes room for more threads in the backtrack lists.
    fn widen_lists(&mut self, room: usize) {
        let mut wide = Vec::with_capacity(self.lists.len() / self.room * room);
        for list in self.lists.chunks(self.room) {
            wide.extend_from_slice(list);
            wide.resize(wide.len() + room - self.room, 0);
        }
        self.lists = wide;
        self.room = room;
    }

    /// Adds a node for the present state and selects its first child. Returns false if the
    /// execution ends here.
    #[inline(always)]
    fn enter(&mut self, sleep: S, last: usize) -> bool {
        let enabled = self.enabled;
        let awake = enabled.minus(sleep);
        if awake.is_empty() || self.nodes.len() >= self.config.max_events as usize {
            self.leaf(enabled.is_empty(), awake.is_empty());
            return false;
        }
        let local = self.next_local(awake, last);
        let first = match local {
            Some(thread) => thread,
            None if self.contended.is_empty() => nearest(awake, last),
            None => self.late(awake, last),
        };
        self.push(enabled, sleep, first, local.is_some());
        true
    }

    #[inline(always)]
    fn enabled_now(&self) -> S {
        match self.machine.standing() {
            Some(standing) => S::from_bits(standing.enabled),
            None => S::of(self.machine.pending(), Pending::is_enabled),
        }
    }

    #[inline(always)]
    fn blocked_now(&self) -> S {
        match self.machine.standing() {
            Some(standing) => S::from_bits(standing.blocked),
            None => S::of(self.machine.pending(), |p| {
                matches!(p.status, Status::Blocked | Status::Held)
            }),
        }
    }

    #[inline(always)]
    fn push(&mut self, enabled: S, sleep: S, first: usize, local: bool) {
        let mut added = S::default();
        added.insert(first);
        self.nodes.push(Node {
            machine: self.machine.mark(),
            detector: self.detector.mark(),
            enabled,
            sleep,
            added,
            len: 1,
            cursor: 0,
            thread: first as u16,
            alternative: 0,
            alternatives: self.machine.pending()[first].alternatives,
            schedule: self.schedule.len() as u32,
            local,
            locals: self.locals,
            known: self.known,
            uncontended: self.uncontended,
            hot: self.hot,
            given: false,
        });
    }

    /// Takes the top node's selected child. Returns the sleep set after it, and the thread that
    /// moved.
    #[inline(always)]
    fn step(&mut self) -> (S, usize) {
        let depth = self.nodes.len() - 1;
        let node = &self.nodes[depth];
        let (thread, alternative, local) = (usize::from(node.thread), node.alternative, node.local);
        let mut sleep = node.sleep;
        let looked = alternative == 0 && !local && self.config.sleep_sets;
        let pending = self.machine.pending();
        let (threads, op) = (pending.len(), pending[thread].action.op);
        if looked && op == Op::Cancel {
            self.reverse_cancelled(thread);
        }
        if self.peeking.is_some() {
            if let Some(section) = self.section_at(thread) {
                return self.step_section(thread, sleep, &section);
            }
            sleep = self.prepare_action(sleep, thread);
        } else {
            sleep = self.look_at_outcome(thread, sleep, local);
            if self.weaken.is(Weaken::ObserversClocks) {
                let action = self.machine.pending()[thread].action;
                self.order.look_at_writes(&action, thread);
            }
        }
        if looked {
            self.reverse_races(thread);
        } else if alternative == 0 && !local {
            self.meet(depth, thread, None);
        }
        let choice = Choice {
            thread: ThreadId::from_index(thread),
            alternative,
        };
        let others = self.may_change_others(choice.thread, op);
        let event = self.take(choice, others, threads);
        if self.job.halt.is_some() {
            return (sleep, thread);
        }
        let statistics = &mut self.job.record.statistics;
        statistics.events += 1;
        statistics.choices += u64::from(event.alternatives > 1);
        self.unseen.events += 1;
        self.report();
        if self.relation.leaves_writes_to_reads() {
            self.observe(&event);
        }
        self.follow_published(&event.action, thread);
        if !self.config.sleep_sets {
            self.search(thread);
            for part in 0..self.machine.parts().len() {
                let mover = self.machine.parts()[part].action.thread.index();
                if mover != thread {
                    self.search(mover);
                }
            }
        }
        if others {
            self.search_changed(self.begun(depth), (thread, op), &mut sleep);
        }
        if self.count > threads {
            self.search_new(threads);
        }
        if self.control.is_stopped() {
            self.job.halt = Some(Halt::Limit(self.control.limit()));
        }
        (sleep, thread)
    }

    /// True if the next event of a thread may change the pending actions of other threads. A data
    /// choice may do so if it completes another action.
    #[inline(always)]
    fn may_change_others(&self, thread: ThreadId, op: Op) -> bool {
        op.info().changes_pending || op == Op::Choose && self.machine.is_incomplete(thread)
    }

    /// The node of the action that the event at this depth completes. Only data choices of the same
    /// thread lie between the two.
    fn begun(&self, depth: usize) -> usize {
        let thread = self.nodes[depth].thread;
        let mut begun = depth;
        while begun > 0 && self.nodes[begun].local && self.nodes[begun - 1].thread == thread {
            begun -= 1;
        }
        begun
    }

    /// Selects the top node's next child. Returns false if there is none.
    fn next_child(&mut self) -> bool {
        let top = self.nodes.len() - 1;
        let node = &mut self.nodes[top];
        node.alternative += 1;
        if node.alternative >= node.alternatives && node.cursor + 1 == node.len {
            return false;
        }
        if node.alternative < node.alternatives && !self.weaken.is(Weaken::Alternatives) {
            self.go_back(top);
            return true;
        }
        loop {
            let cursor = self.nodes[top].cursor;
            let node = &mut self.nodes[top];
            if self.config.sleep_sets {
                node.sleep.insert(usize::from(node.thread));
            }
            node.cursor = cursor + 1;
            if node.cursor == node.len {
                return false;
            }
            let (next, given) = (node.cursor, node.given);
            let thread = self.entry(top, next);
            let node = &mut self.nodes[top];
            node.thread = thread as u16;
            if node.sleep.contains(thread) {
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

    /// Returns to the state of a node.
    pub fn go_back(&mut self, node: usize) {
        let node_state = &self.nodes[node];
        self.machine.undo(node_state.machine);
        self.detector.undo(node_state.detector);
        self.order.undo(node);
        self.locals = node_state.locals;
        self.known = node_state.known;
        self.uncontended = node_state.uncontended;
        self.hot = node_state.hot;
        self.choices.truncate(node);
        self.schedule.truncate(node_state.schedule as usize);
        self.peeked.clear();
    }
}

/// True if the action can be run at once: see the module's head.
#[inline]
fn is_local(action: &Action) -> bool {
    action.op.class() as u8 == OpClass::Local as u8
        && (action.op.class2() as u8 == OpClass::Local as u8 || action.object2.0 == 0)
        && !action.cancelable
}
