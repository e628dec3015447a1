//! Stopping all workers between two executions, so that their state can be saved.
//!
//! One worker finds that saving is due and sets a flag. Each other worker stops where it is between
//! two executions: when it has selected its next child, when it waits for a unit, or when it has no
//! work. It leaves a snapshot of each of its jobs. The last worker that arrives combines the
//! snapshots, units within units, and then all continue.

use super::{Board, Shared, Shot, State, Task, Worker};
use crate::dpor::search::{Halt, Job, members};
use crate::dpor::set::Set;
use crate::kept::{Begun, Done, Entry, GivenUnit, Keeper, State as Kept, Unit, UnitHalt, UnitState};
use selvedge_model::Choice;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Snapshots of jobs, each with its task. A job without a task is the whole search.
type Shots<S> = Vec<(Option<Arc<Task<S>>>, Shot<S>)>;

/// The interval at which a waiting worker checks whether the run has been stopped.
const LOOKS: Duration = Duration::from_millis(20);

impl<S: Set> Shared<'_, S> {
    /// True if all workers have to rest.
    pub(super) fn rests(&self) -> bool {
        self.rests.load(Relaxed) && !self.control.is_stop_requested()
    }

    /// Waits until all workers rest.
    pub(super) fn rest<'b>(&'b self, mut board: MutexGuard<'b, Board<S>>) -> MutexGuard<'b, Board<S>> {
        board.resting += 1;
        if board.resting == self.workers {
            self.keep(&mut board);
            board.resting = 0;
            board.rounds += 1;
            self.rests.store(false, Relaxed);
            self.changed.notify_all();
            return board;
        }
        let round = board.rounds;
        while board.rounds == round && !board.closed && self.rests() {
            let waited = self.changed.wait_timeout(board, LOOKS);
            board = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if board.rounds == round {
            board.resting -= 1;
        }
        board
    }

    /// Saves the state of all workers, unless one of them was not between two executions.
    fn keep(&self, board: &mut Board<S>) {
        let unsound = std::mem::take(&mut board.unsound);
        let (Some(keeper), Some(root)) = (self.keeper, board.root.take()) else {
            return;
        };
        let root = root.begun();
        if let Some(root) = root.filter(|_| !unsound) {
            let contended = self.contended.get().cloned().unwrap_or_default();
            keeper.keep(Kept::Search(contended.search_state(S::CAPACITY, root)));
        }
    }
}

impl<S: Set> Worker<'_, S> {
    /// True if all workers have to rest now. Sets the flag if saving is due.
    pub fn calls_for_rest(&self, keeper: &dyn Keeper) -> bool {
        if !self.shared.rests.load(Relaxed) && keeper.is_due() {
            let board = self.shared.board();
            self.shared.rests.store(true, Relaxed);
            drop(board);
            self.shared.changed.notify_all();
        }
        self.shared.rests()
    }

    /// Rests. `suspended` and `present`: the worker's jobs. `sound`: the worker is between two
    /// executions.
    pub fn rest(&self, suspended: Shots<S>, present: Shot<S>, sound: bool) {
        let mut board = self.shared.board();
        board.unsound |= !sound;
        for (task, shot) in suspended.into_iter().chain([(self.task.clone(), present)]) {
            match task {
                Some(task) => *lock(&task.shot) = Some(shot),
                None if self.first => board.root = Some(shot),
                None => {} // nothing: this worker began with no job
            }
        }
        drop(self.shared.rest(board));
    }

    /// Adds a unit that another process has left, for the first worker that takes it.
    pub fn take_up(
        &self,
        path: Vec<Choice>,
        (thread, sleep): (usize, S),
        begun: Option<Begun>,
        done: Option<Job<S>>,
    ) -> Arc<Task<S>> {
        let waits = done.is_none() && !self.is_apart();
        let task = Arc::new(Task {
            path,
            thread,
            sleep,
            parent: self.task.clone(),
            cancelled: AtomicBool::new(false),
            state: Mutex::new(done.map_or(State::Queued, |job| State::Done(Box::new(job)))),
            begun: Mutex::new(begun),
            shot: Mutex::default(),
        });
        if waits {
            self.shared.offer(task.clone());
        }
        task
    }
}

impl<S: Set> Task<S> {
    /// True if another process has made progress with it.
    pub fn is_begun(&self) -> bool {
        lock(&self.begun).is_some()
    }

    /// The progress of another process with it.
    pub fn take_begun(&self) -> Option<Begun> {
        lock(&self.begun).take()
    }

    /// The task as data, while all workers rest. `None` if the worker that explores it has left no
    /// snapshot.
    fn unit(&self) -> Option<Unit> {
        let state = match &*self.state() {
            State::Queued => lock(&self.begun)
                .clone()
                .map_or(UnitState::Waiting, UnitState::Begun),
            State::Begun => UnitState::Begun(lock(&self.shot).take()?.begun()?),
            State::Done(job) => UnitState::Done(Done {
                product: job.product(),
                halt: match &job.halt {
                    None => None,
                    Some(Halt::Finding) => Some(UnitHalt::Finding),
                    Some(Halt::Limit(limit)) => Some(UnitHalt::Limit(limit.clone())),
                    // The run is about to end, or to start again with larger sets.
                    Some(Halt::TooManyThreads | Halt::Refused | Halt::Cancelled | Halt::Paused { .. }) => {
                        return None;
                    }
                },
            }),
        };
        Some(Unit {
            path: self.path.clone(),
            entry: Entry {
                thread: self.thread as u16,
                sleep: members(self.sleep),
            },
            state,
        })
    }
}

impl<S: Set> Shot<S> {
    /// The job as data, with the units within it.
    pub(super) fn begun(self) -> Option<Begun> {
        let units = self.given.iter().map(|given| {
            Some(GivenUnit {
                node: given.node as u32,
                place: given.entry,
                unit: given.task.unit()?,
            })
        });
        Some(Begun {
            given: units.collect::<Option<_>>()?,
            nodes: self.nodes,
            joins: self.joins,
            product: self.product,
        })
    }

    /// The job as data, if there are no other workers to give units to.
    pub fn without_units(self) -> Begun {
        Begun {
            nodes: self.nodes,
            joins: self.joins,
            product: self.product,
            given: Vec::new(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
