//! Several cores on one search, with the result of one core.
//!
//! A node's children are explored in the order of its backtrack list, which only grows at its end.
//! The sleep set of the k-th child follows from the node and the entries before the child. So
//! another worker can explore an entry that no worker has begun, at once, and it does exactly what
//! the owner would do later: fork and join, in depth-first order. Work travels as plain data: a
//! prefix of choices, the entry and its sleep set. The result is plain data too: the record, and
//! the *requests* to backtrack at nodes above the entry, in the order in which they were made. When
//! the owner's own search reaches the entry, it waits for the result, meanwhile helps inside the
//! same subtree, and applies the requests as if it had explored the entry itself. Hence verdict,
//! findings and all counts are those of one core, and with `--stop first` the finding is the first
//! in depth-first order.
//!
//! Work is offered only when some worker has none; this costs one check of a counter for each
//! execution. There is no deadlock between waiting workers, because a worker waits for a subtree
//! and helps only inside it.

mod apart;
mod give;
mod rest;

pub(super) use apart::explore_parts;

use super::contended::Contended;
use super::peeking::Peeking;
use super::search::{Halt, Job, Node, Request, Search, Suspended};
use super::set::Set;
use super::weaken::Weaken;
use crate::kept::{Begun, Keeper, Misfit, NodeState, Parts, Product, SearchState};
use crate::record::Record;
use crate::{Config, Control, Report};
use selvedge_base::ForTests;
use selvedge_model::{Choice, Dependence, Detector, LimitKind, StopReason, Undo};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// An entry of a backtrack list, explored by the first worker that takes it.
pub(super) struct Task<S> {
    path: Vec<Choice>,
    thread: usize,
    sleep: S,
    /// The task during whose exploration it was given away.
    parent: Option<Arc<Task<S>>>,
    cancelled: AtomicBool,
    state: Mutex<State<S>>,
    /// The progress that another process made with it; taken by the worker that begins it.
    begun: Mutex<Option<Begun>>,
    /// The progress of its worker when all workers rested.
    shot: Mutex<Option<Shot<S>>>,
}

/// A job between two executions.
pub(super) struct Shot<S> {
    pub nodes: Vec<NodeState>,
    pub joins: bool,
    pub product: Product,
    pub given: Vec<Given<S>>,
}

enum State<S> {
    Queued,
    Begun,
    Done(Box<Job<S>>),
}

/// An entry of the job's own node that was given away.
#[derive(Clone)]
pub(super) struct Given<S> {
    pub node: usize,
    pub entry: u16,
    pub task: Arc<Task<S>>,
}

/// The node of a state.
type Top<S, M, D> = Option<Node<S, <M as Undo>::Mark, <D as Detector<M>>::Mark>>;

/// The data that all workers share.
pub(super) struct Shared<'a, S> {
    board: Mutex<Board<S>>,
    changed: Condvar,
    /// Workers without work.
    hungry: AtomicUsize,
    queued: AtomicUsize,
    /// The number of tasks that may be queued in excess of the workers without work: some of these
    /// may wait for a part that is not queued. A task that is queued in vain costs little, because
    /// its owner then explores it itself.
    spare: usize,
    /// The result of the first execution; set before any work is given away.
    contended: OnceLock<Contended>,
    /// True if all workers have to rest, so that their state can be saved.
    rests: AtomicBool,
    /// The number of workers.
    workers: usize,
    control: &'a Control,
    keeper: Option<&'a dyn Keeper>,
    /// If present, the only worker explores parts for which this asks, and others that it does not
    /// know of explore what it gives away.
    parts: Option<&'a dyn Parts>,
}

struct Board<S> {
    queue: VecDeque<Arc<Task<S>>>,
    /// True if there will be no more work, or if a worker panicked.
    closed: bool,
    /// The number of workers that rest, and the number of times that all of them have.
    resting: usize,
    rounds: u64,
    /// True if some worker was not between two executions.
    unsound: bool,
    /// The snapshot of the whole search, while all workers rest.
    root: Option<Shot<S>>,
}

/// A worker's access to the shared work.
pub(super) struct Worker<'a, S> {
    shared: &'a Shared<'a, S>,
    /// Its present task; `None` for the whole search.
    task: Option<Arc<Task<S>>>,
    first: bool,
}

/// Closes the board when a worker ends, normally or by a panic.
struct Close<'a, S: Set>(&'a Shared<'a, S>, bool);

impl<S: Set> Drop for Close<'_, S> {
    fn drop(&mut self) {
        if self.1 || std::thread::panicking() {
            self.0.board().closed = true;
            self.0.changed.notify_all();
        }
    }
}

/// How an exploration ended.
pub(super) enum Ended {
    Report(Report),
    /// There were more threads than a set holds.
    TooManyThreads,
    /// The sections of some mutex must not be one event each.
    Refused(Report),
}

/// Explores everything, or the rest of a saved search.
pub(super) fn explore<S, M, D, P, F>(
    make: &F,
    relation: (&P, Option<&Peeking>),
    config: &Config,
    control: &Control,
    weaken: ForTests<Weaken>,
    (from, keeper): (Option<&SearchState>, Option<&dyn Keeper>),
) -> Result<Ended, Misfit>
where
    S: Set + Sync,
    M: Undo,
    D: Detector<M>,
    P: Dependence + Sync,
    F: Fn() -> (M, D) + Sync,
{
    let jobs = if config.max_executions.is_some() {
        1
    } else {
        config.jobs.max(1)
    };
    let shared = Shared::<S>::new(jobs, control, keeper);
    // Units that were given away are taken by workers, even if there is only one.
    let shares = jobs > 1 || from.is_some_and(|from| !from.root.given.is_empty());
    let worker = |first| {
        shares.then_some(Worker {
            shared: &shared,
            task: None,
            first,
        })
    };
    let (job, restored) = std::thread::scope(|scope| {
        for _ in 1..jobs {
            let work = || {
                let _close = Close(&shared, false);
                let mut search = None;
                while let Some(task) = shared.next_task() {
                    search
                        .get_or_insert_with(|| {
                            let mut search =
                                Search::new(make(), relation, config, control, weaken, worker(false));
                            search.set_contended(shared.contended.get().cloned().unwrap_or_default());
                            search.keeper = keeper;
                            search
                        })
                        .perform(&task, None);
                }
                // What this worker has done since it last told.
                if let Some(search) = &mut search {
                    search.show();
                }
                control.free(search);
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                let detail = format!("a worker's thread cannot be started: {error}");
                control.request_stop(LimitKind::Memory, detail);
                break;
            }
        }
        let _close = Close(&shared, true);
        let mut search = Search::<S, M, D, P>::new(make(), relation, config, control, weaken, worker(true));
        search.keeper = keeper;
        let restored = match from {
            None => {
                search.run_all();
                Ok(())
            }
            Some(from) => search.go_on_with_all(from),
        };
        search.abandon();
        if search.job.halt.is_none() {
            control.set_part(1.0);
        }
        (search.into_job(), restored)
    });
    restored?;
    let stop = match job.halt {
        None => StopReason::Complete,
        Some(Halt::Finding) => StopReason::Finding,
        Some(Halt::Limit(limit)) => StopReason::Limit(limit),
        Some(Halt::TooManyThreads) => return Ok(Ended::TooManyThreads),
        Some(Halt::Refused) => return Ok(Ended::Refused(job.record.finish(StopReason::Complete))),
        // Only work for which another worker waits is cancelled, and no worker waits for the root.
        // So a worker's panic is being propagated. And only parts pause.
        Some(Halt::Cancelled | Halt::Paused { .. }) => StopReason::Limit(control.limit()),
    };
    let report = job.record.finish(stop);
    let failed = relation.1.is_some_and(Peeking::has_failed);
    Ok(match failed && report.stop == StopReason::Complete {
        true => Ended::Refused(report),
        false => Ended::Report(report),
    })
}

impl<'a, S: Set> Shared<'a, S> {
    fn new(jobs: usize, control: &'a Control, keeper: Option<&'a dyn Keeper>) -> Self {
        Shared {
            board: Mutex::new(Board {
                queue: VecDeque::new(),
                closed: false,
                resting: 0,
                rounds: 0,
                unsound: false,
                root: None,
            }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
            spare: jobs.saturating_sub(2),
            contended: OnceLock::new(),
            rests: AtomicBool::new(false),
            workers: jobs,
            control,
            keeper,
            parts: None,
        }
    }

    fn board(&self) -> MutexGuard<'_, Board<S>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a task. `None` if there will be no more.
    fn next_task(&self) -> Option<Arc<Task<S>>> {
        let mut board = self.board();
        self.hungry.fetch_add(1, Relaxed);
        let task = loop {
            if board.closed {
                break None;
            }
            if self.rests() {
                board = self.rest(board);
                continue;
            }
            if let Some(task) = board.queue.pop_front() {
                self.queued.store(board.queue.len(), Relaxed);
                *task.state() = State::Begun;
                break Some(task);
            }
            board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
        };
        self.hungry.fetch_sub(1, Relaxed);
        task
    }

    fn offer(&self, task: Arc<Task<S>>) {
        if let Some(parts) = self.parts {
            return parts.gave(1);
        }
        let mut board = self.board();
        board.queue.push_back(task);
        self.queued.store(board.queue.len(), Relaxed);
        self.changed.notify_all();
    }

    /// Takes back a task that no worker has begun. Returns true on success.
    fn take_back(&self, task: &Arc<Task<S>>) -> bool {
        let mut board = self.board();
        let at = board.queue.iter().position(|t| Arc::ptr_eq(t, task));
        if let Some(at) = at {
            board.queue.remove(at);
            self.queued.store(board.queue.len(), Relaxed);
        }
        at.is_some()
    }
}

/// The result of waiting for a task.
enum Wait<S> {
    Done(Box<Job<S>>),
    Help(Arc<Task<S>>),
    /// All workers have to rest.
    Rest,
    Cancelled,
}

impl<S> Task<S> {
    fn state(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if it is part of another task's exploration.
    fn is_within(&self, other: &Arc<Task<S>>) -> bool {
        let mut at = self.parent.as_ref();
        while let Some(task) = at {
            if Arc::ptr_eq(task, other) {
                return true;
            }
            at = task.parent.as_ref();
        }
        false
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed) || self.parent.as_ref().is_some_and(|task| task.is_cancelled())
    }
}

impl<S: Set> Worker<'_, S> {
    pub fn is_cancelled(&self) -> bool {
        self.task.as_ref().is_some_and(|task| task.is_cancelled())
    }

    /// True if this worker began with the whole search.
    pub fn is_first(&self) -> bool {
        self.first
    }

    /// Passes the contended objects to all workers.
    pub fn tell_contended(&self, contended: &Contended) {
        self.shared.contended.get_or_init(|| contended.clone());
    }

    /// True if the worker should return its part now.
    pub fn is_due(&self) -> bool {
        self.shared.parts.is_some_and(|parts| parts.is_due())
    }

    /// True if others that it does not know of explore what it gives away.
    fn is_apart(&self) -> bool {
        self.shared.parts.is_some()
    }

    fn is_wanted(&self) -> bool {
        if let Some(parts) = self.shared.parts {
            return parts.wanted() > 0;
        }
        let hungry = self.shared.hungry.load(Relaxed);
        hungry > 0 && self.shared.queued.load(Relaxed) < hungry + self.shared.spare
    }

    /// Waits until a task is done. With `helps`, also returns when there is a task to help with.
    fn wait(&self, task: &Arc<Task<S>>, helps: bool) -> Wait<S> {
        let mut board = self.shared.board();
        self.shared.hungry.fetch_add(1, Relaxed);
        let result = loop {
            {
                let mut state = task.state();
                if matches!(*state, State::Done(_))
                    && let State::Done(job) = std::mem::replace(&mut *state, State::Begun)
                {
                    break Wait::Done(job);
                }
            }
            if board.closed || self.is_cancelled() {
                break Wait::Cancelled;
            }
            if self.shared.rests() {
                break Wait::Rest;
            }
            if helps
                && let Some(at) = board.queue.iter().position(|t| t.is_within(task))
                && let Some(help) = board.queue.remove(at)
            {
                self.shared.queued.store(board.queue.len(), Relaxed);
                *help.state() = State::Begun;
                break Wait::Help(help);
            }
            board = self
                .shared
                .changed
                .wait(board)
                .unwrap_or_else(PoisonError::into_inner);
        };
        self.shared.hungry.fetch_sub(1, Relaxed);
        result
    }
}

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Handles an entry of the top node that may have been given away. If it was begun, waits for
    /// its result and adds it. Returns false if the entry is still to be explored here.
    #[cold]
    pub fn join(&mut self, node: usize, entry: u16) -> bool {
        let Some(at) = self
            .job
            .given
            .iter()
            .position(|g| g.node == node && g.entry == entry)
        else {
            return false;
        };
        // The task stays in the list of given entries until its result is here, because a saved
        // state must contain it.
        let task = self.job.given[at].task.clone();
        let apart = self.worker.as_ref().is_some_and(|worker| worker.is_apart());
        if apart && !matches!(*task.state(), State::Done(_)) {
            self.give_before_waiting();
            self.job.halt = Some(Halt::Paused { joins: true });
            return true;
        }
        if self
            .worker
            .as_ref()
            .is_none_or(|worker| worker.shared.take_back(&task))
        {
            if !task.is_begun() {
                self.job.given.swap_remove(at);
                return false;
            }
            // Another process made some progress with it: continue from there.
            let top = self.take_top();
            let top = self.perform(&task, top);
            self.put_top(top);
        }
        let product = self.finish(&task);
        self.job.given.swap_remove(at);
        match product {
            Some(product) => {
                self.job.record.merge(product.record);
                for request in product.requests {
                    self.add(request);
                }
                self.job.halt = product.halt;
            }
            None => {
                task.cancelled.store(true, Relaxed);
                self.job.halt = Some(Halt::Cancelled);
            }
        }
        true
    }

    /// Waits for a begun task and helps with it. `None` if this worker's own task is cancelled. A
    /// job that has ended early is not at the task's node and cannot help; then the workers that
    /// have begun the task do all of it.
    fn finish(&mut self, task: &Arc<Task<S>>) -> Option<Box<Job<S>>> {
        let helps = self.job.halt.is_none();
        loop {
            match self.worker.as_ref()?.wait(task, helps) {
                Wait::Done(product) => return Some(product),
                Wait::Help(help) => {
                    self.perform(&help, None);
                }
                Wait::Rest => self.rest(true),
                Wait::Cancelled => return None,
            }
        }
    }

    /// Explores a task, from a state on its path, and returns to that state. `top` is the node of
    /// that state if it had to be removed; it is returned.
    fn perform(&mut self, task: &Arc<Task<S>>, top: Top<S, M, D>) -> Top<S, M, D> {
        let (here, node_here) = self.position();
        let job = std::mem::replace(&mut self.job, Job::new(task.path.len(), task.path.len() + 1));
        let outer = self
            .worker
            .as_mut()
            .and_then(|worker| worker.task.replace(task.clone()));
        self.suspended.push(Suspended {
            job,
            task: outer,
            end: here + usize::from(node_here),
            top,
        });
        match task.take_begun() {
            None => {
                self.follow(&task.path[here..], task.thread, task.sleep);
                if self.job.halt.is_none() {
                    self.run();
                }
            }
            Some(begun) => {
                self.follow_path(&task.path[here..]);
                if self.job.halt.is_none() {
                    self.restore_unit(&begun, task.thread, task.sleep);
                }
            }
        }
        self.note_depth();
        self.abandon();
        self.leave(here, node_here);
        let Some(Suspended {
            job,
            task: outer,
            top,
            ..
        }) = self.suspended.pop()
        else {
            unreachable!("what was set aside is there until it is taken up");
        };
        let product = std::mem::replace(&mut self.job, job);
        *task.state() = State::Done(Box::new(product));
        if let Some(worker) = &mut self.worker {
            worker.task = outer;
            drop(worker.shared.board()); // whoever looked before the state was set is waiting by now
            worker.shared.changed.notify_all();
        }
        top
    }

    /// At the end of a job, handles the entries that were given away and not reached. After a fault
    /// they are cancelled, because they come later in depth-first order. After a limit of the run,
    /// which stops the other workers, too, their results so far count.
    fn abandon(&mut self) {
        for given in std::mem::take(&mut self.job.given) {
            let Some(worker) = &self.worker else { return };
            if worker.shared.take_back(&given.task) {
                continue;
            }
            if matches!(self.job.halt, Some(Halt::Limit(_))) {
                if let Some(product) = self.finish(&given.task) {
                    self.job.record.merge(product.record);
                }
            } else {
                given.task.cancelled.store(true, Relaxed);
                let worker = self.worker.as_ref();
                if let Some(worker) = worker {
                    drop(worker.shared.board());
                    worker.shared.changed.notify_all();
                }
            }
        }
    }
}

/// Checks at compile time that shared data contains no part of a search: it can be sent to another
/// thread.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Record>();
    is_send::<Request<u64>>();
};
