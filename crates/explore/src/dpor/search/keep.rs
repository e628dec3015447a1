//! Saving a search as data between two executions, and continuing from the data.
//!
//! Besides the machines, the following decides the future of a search: the nodes of the path with
//! their backtrack lists and sleep sets, the requests for nodes of other workers, the results so
//! far, and what the first execution learned. Everything else is a function of the path and is
//! recomputed by following it.

use super::{Halt, Job, Node, Request, Search};
use crate::dpor::contended::Contended;
use crate::dpor::set::Set;
use crate::dpor::share::{Given, Shot, Task};
use crate::kept::{
    Begun, GivenUnit, Misfit, NodeState, Product, SearchState, State, UnitHalt, UnitRequest, UnitState,
};
use crate::record::Record;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Choice, Dependence, Detector, Limit, LimitKind, Undo};
use std::sync::Arc;

/// The limit that ends a run if two machines do not offer the same choices in the same state.
#[cold]
pub(super) fn differs() -> Limit {
    Limit {
        kind: LimitKind::Solver,
        detail: "a choice that one worker's solver found and another's did not".to_owned(),
        stmt: StmtId(0),
    }
}

/// A job that is set aside while the worker helps with another job. The other job lies within a
/// unit for which this job waits.
pub(in crate::dpor) struct Suspended<S, A, B> {
    pub job: Job<S>,
    pub task: Option<Arc<Task<S>>>,
    /// The number of its nodes.
    pub end: usize,
    /// Its last node, if another job's node has replaced it.
    pub top: Option<Node<S, A, B>>,
}

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Saves the state of the search if that is due. Called between two executions, with the next
    /// child selected.
    #[cold]
    pub(super) fn keep_if_due(&mut self) {
        let Some(keeper) = self.keeper else { return };
        match &self.worker {
            None if keeper.is_due() => {
                self.machine.publish_counts();
                let shot = self.present(false);
                let root = shot.without_units();
                keeper.keep(State::Search(self.contended.search_state(S::CAPACITY, root)));
            }
            Some(worker) if worker.calls_for_rest(keeper) => self.rest(false),
            _ => {}
        }
    }

    /// Takes part in saving the state of all workers. `joins`: the present job waits for a unit.
    #[cold]
    pub(in crate::dpor) fn rest(&mut self, joins: bool) {
        self.machine.publish_counts();
        let shots: Vec<_> = self
            .suspended
            .iter()
            .map(|suspended| (suspended.task.clone(), self.suspended_shot(suspended)))
            .collect();
        let present = self.present(joins);
        let sound = self.job.halt.is_none();
        let Some(worker) = &self.worker else { return };
        worker.rest(shots, present, sound);
    }

    /// Removes the top node, to make room for another job's node at the present state.
    pub(in crate::dpor) fn take_top(&mut self) -> Option<Node<S, M::Mark, D::Mark>> {
        self.nodes.pop()
    }

    /// Puts back the node that [`take_top`](Self::take_top) removed.
    pub(in crate::dpor) fn put_top(&mut self, top: Option<Node<S, M::Mark, D::Mark>>) {
        self.nodes.extend(top);
    }

    pub(in crate::dpor) fn present(&self, joins: bool) -> Shot<S> {
        self.shot(&self.job, self.nodes.len(), None, joins)
    }

    fn suspended_shot(&self, suspended: &Suspended<S, M::Mark, D::Mark>) -> Shot<S> {
        self.shot(&suspended.job, suspended.end, suspended.top.as_ref(), true)
    }

    fn shot(
        &self,
        job: &Job<S>,
        end: usize,
        top: Option<&Node<S, M::Mark, D::Mark>>,
        joins: bool,
    ) -> Shot<S> {
        let nodes = self
            .nodes
            .iter()
            .take(end)
            .chain(top)
            .enumerate()
            .skip(job.bottom);
        let mut nodes: Vec<NodeState> = nodes.map(|(depth, node)| self.node_state(depth, node)).collect();
        if joins && let Some(last) = nodes.last_mut() {
            last.alternative = 0;
        }
        Shot {
            nodes,
            joins,
            product: job.product(),
            given: job.given.clone(),
        }
    }

    fn node_state(&self, depth: usize, node: &Node<S, M::Mark, D::Mark>) -> NodeState {
        let later = node.cursor + 1..node.len;
        NodeState {
            sleep: members(node.sleep),
            added: members(node.added),
            cursor: node.cursor,
            thread: node.thread,
            alternative: node.alternative,
            later: later.map(|k| self.entry(depth, k) as u16).collect(),
            local: node.local,
            given: node.given,
        }
    }

    /// Continues a whole search, from the initial state, to its end.
    pub(in crate::dpor) fn go_on_with_all(&mut self, state: &SearchState) -> Result<(), Misfit> {
        if !self.has_room(self.machine.pending().len()) {
            return Err(Misfit("there are more threads"));
        }
        self.set_contended(Contended::restored(state));
        if let Some(worker) = &self.worker {
            worker.tell_contended(&self.contended);
        }
        self.restore(&state.root)?;
        self.machine.drop_counts();
        self.go_on(state.root.joins);
        self.note_depth();
        self.show();
        Ok(())
    }

    /// Explores the rest of the present job, which was restored.
    pub(super) fn go_on(&mut self, joins: bool) {
        if joins {
            let top = self.nodes.len() - 1;
            if self.join(top, self.nodes[top].cursor) {
                if self.job.halt.is_some() || !self.next() {
                    return;
                }
            } else {
                let thread = usize::from(self.nodes[top].thread);
                self.nodes[top].alternatives = self.machine.pending()[thread].alternatives;
            }
        }
        self.run();
    }

    /// Continues a unit, from the state of its node.
    pub(in crate::dpor) fn restore_unit(&mut self, begun: &Begun, thread: usize, sleep: S) {
        let here = self.nodes.len();
        match self.restore(begun) {
            Ok(()) => self.go_on(begun.joins),
            Err(_) => {
                if self.nodes.len() == here {
                    // There is a node to come back from.
                    let sleep = if self.are_threads(sleep) {
                        sleep
                    } else {
                        S::default()
                    };
                    self.push_here(thread, sleep);
                }
                self.job.halt = Some(Halt::Limit(differs()));
            }
        }
    }

    /// Restores a job, from the state of its first node.
    pub(super) fn restore(&mut self, begun: &Begun) -> Result<(), Misfit> {
        let Product { record, requests } = &begun.product;
        self.job.record = Record::restored(record, self.config, self.control);
        let last = begun.nodes.len().checked_sub(1).ok_or(Misfit("it has no node"))?;
        for (number, node) in begun.nodes.iter().enumerate() {
            let joins = begun.joins && number == last;
            self.restore_node(node, joins)?;
            if number < last {
                self.follow_one(Choice {
                    thread: ThreadId::from_index(usize::from(node.thread)),
                    alternative: node.alternative,
                });
                if self.job.halt.is_some() {
                    return Err(Misfit("a choice is not offered"));
                }
            }
        }
        self.job.requests = self.requests(requests, self.job.own)?;
        for given in &begun.given {
            self.restore_given(given, begun.joins)?;
        }
        Ok(())
    }

    fn restore_node(&mut self, node: &NodeState, joins: bool) -> Result<(), Misfit> {
        let depth = self.nodes.len();
        let enabled = self.enabled_now();
        let thread = usize::from(node.thread);
        let threads = self.machine.pending().len();
        let fits = |entry: &u16| usize::from(*entry) < threads && enabled.contains(usize::from(*entry));
        if !fits(&node.thread) || !node.later.iter().all(fits) {
            return Err(Misfit("a thread cannot move"));
        }
        let alternatives = self.machine.pending()[thread].alternatives;
        if node.alternative >= alternatives {
            return Err(Misfit("a thread has fewer alternatives"));
        }
        let first = usize::from(node.cursor) + 1;
        let end = first + node.later.len();
        let added: S = set_of(&node.added)?;
        let listed = |entry: &u16| added.contains(usize::from(*entry));
        let all = listed(&node.thread) && node.later.iter().all(listed);
        // Each entry is in the list only once, so there is room for later entries.
        if !all || node.added.len() != end || !added.minus(enabled).is_empty() || end > self.room {
            return Err(Misfit("a backtrack list has other threads"));
        }
        self.enabled = enabled;
        let sleep = self.sleepers(&node.sleep)?;
        self.push(enabled, sleep, thread, node.local);
        let row = depth * self.room;
        if self.lists.len() < row + self.room {
            self.lists.resize(row + self.room, 0);
        }
        self.lists[row + first..row + end].copy_from_slice(&node.later);
        let top = &mut self.nodes[depth];
        top.added = added;
        top.len = end as u16;
        top.cursor = node.cursor;
        top.alternative = node.alternative;
        top.alternatives = if joins { 1 } else { alternatives };
        top.given = node.given;
        Ok(())
    }

    fn restore_given(&mut self, given: &GivenUnit, joins: bool) -> Result<(), Misfit> {
        let (at, place) = (given.node as usize, given.place);
        let top = self.nodes.len() - 1;
        let Some(node) = self.nodes.get(at).filter(|_| at >= self.job.bottom) else {
            return Err(Misfit("a unit is at no node"));
        };
        let is_joined = joins && at == top && place == node.cursor;
        let is_entry = is_joined || (place > node.cursor && place < node.len);
        let thread = match is_joined {
            true => usize::from(node.thread),
            false if is_entry => self.entry(at, place),
            false => return Err(Misfit("a unit is of no entry")),
        };
        let unit = &given.unit;
        if thread != usize::from(unit.entry.thread) || self.choices.get(..at) != Some(&unit.path[..]) {
            return Err(Misfit("a unit is of another entry"));
        }
        let sleep = set_of(&unit.entry.sleep)?;
        let done = match &unit.state {
            UnitState::Waiting | UnitState::Begun(_) => None,
            UnitState::Done(done) => {
                let mut job = Job::new(at, at + 1);
                job.record = Record::restored(&done.product.record, self.config, self.control);
                job.requests = self.requests(&done.product.requests, job.own)?;
                job.halt = done.halt.as_ref().map(|halt| match halt {
                    UnitHalt::Finding => Halt::Finding,
                    UnitHalt::Limit(limit) => Halt::Limit(limit.clone()),
                    UnitHalt::Refused(mutexes) => {
                        let peeking = self.peeking.into_iter();
                        peeking.for_each(|p| mutexes.iter().for_each(|&mutex| p.refuse(mutex)));
                        Halt::Refused
                    }
                });
                Some(job)
            }
        };
        let begun = match &unit.state {
            UnitState::Begun(begun) => Some(begun.clone()),
            _ => None,
        };
        self.nodes[at].given = true;
        let Some(worker) = &self.worker else {
            return Err(Misfit("it has units, and nobody who takes them"));
        };
        let task = worker.take_up(unit.path.clone(), (thread, sleep), begun, done);
        self.job.given.push(Given {
            node: at,
            entry: place,
            task,
        });
        Ok(())
    }

    /// A sleep set at the present state.
    pub(super) fn sleepers(&self, members: &[u16]) -> Result<S, Misfit> {
        match self.are_threads(set_of(members)?) {
            true => set_of(members),
            false => Err(Misfit("a thread that sleeps does not exist")),
        }
    }

    /// True if all these threads exist in the present state.
    pub(super) fn are_threads(&self, set: S) -> bool {
        set.minus(S::of(self.machine.pending(), |_| true)).is_empty()
    }

    /// The requests for nodes on the present path above `own`.
    fn requests(&self, requests: &[UnitRequest], own: usize) -> Result<Vec<Request<S>>, Misfit> {
        let request = |request: &UnitRequest| {
            let depth = request.depth as usize;
            let node = self.nodes.get(depth).filter(|_| depth < own);
            let node = node.ok_or(Misfit("a request is for no node"))?;
            let candidates: S = set_of(&request.candidates)?;
            if request.thread as usize >= S::CAPACITY || !candidates.minus(node.enabled).is_empty() {
                return Err(Misfit("a request is for a thread that cannot move"));
            }
            Ok(Request {
                depth: request.depth,
                thread: request.thread,
                candidates,
            })
        };
        requests.iter().map(request).collect()
    }

    /// Takes a choice that another worker made, without looking for races.
    pub(super) fn follow_one(&mut self, choice: Choice) {
        if !self.can_take(choice) {
            self.job.halt = Some(Halt::Limit(differs()));
            return;
        }
        if let Some(section) = self.section_at(choice.thread.index()) {
            self.look_at_section(choice.thread.index(), &section);
            self.take_section(choice.thread.index(), &section, false);
            return self.peeked.clear();
        }
        self.peeked.clear();
        let pending = self.machine.pending();
        let (threads, op) = (pending.len(), pending[choice.thread.index()].action.op);
        self.look_at_outcome(choice.thread.index(), S::default(), true);
        let others = self.may_change_others(choice.thread, op);
        self.take(choice, others, threads);
        self.faults.clear();
        // A solver may have no answer here although it had one on another machine.
        self.job.record.stays_open(self.machine.notices());
    }
}

impl<S: Set> Job<S> {
    /// The results so far.
    pub fn product(&self) -> Product {
        let request = |request: &Request<S>| UnitRequest {
            depth: request.depth,
            thread: request.thread,
            candidates: members(request.candidates),
        };
        Product {
            record: self.record.state(),
            requests: self.requests.iter().map(request).collect(),
        }
    }
}

/// The members of a set, in ascending order.
pub(in crate::dpor) fn members<S: Set>(mut set: S) -> Vec<u16> {
    let mut members = Vec::new();
    while let Some(thread) = set.pop() {
        members.push(thread as u16);
    }
    members
}

pub(super) fn set_of<S: Set>(members: &[u16]) -> Result<S, Misfit> {
    let mut set = S::default();
    for &thread in members {
        if usize::from(thread) >= S::CAPACITY {
            return Err(Misfit("a thread's number is too large"));
        }
        set.insert(usize::from(thread));
    }
    Ok(set)
}
