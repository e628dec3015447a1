//! Giving entries away.

use super::{Given, State, Task, Worker};
use crate::dpor::search::Search;
use crate::dpor::set::Set;
use selvedge_model::{Dependence, Detector, Undo};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// The minimum number of events between an entry and the end of the present execution that makes it
/// worth giving the entry away.
const HEIGHT: usize = 6;

/// The most entries of a part that are given away when it waits. Simulations with 4 and 16 differ
/// little in efficiency, and each costs messages.
const BEFORE_WAITING: usize = 4;

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Gives an entry away if some worker has no work.
    #[inline]
    pub fn give(&mut self) {
        if self.worker.as_ref().is_some_and(|worker| worker.is_wanted()) {
            self.give_entries();
        }
    }

    /// Gives one entry to a worker in this process, or as many as are wanted to others.
    #[cold]
    fn give_entries(&mut self) {
        while self.give_entry()
            && self
                .worker
                .as_ref()
                .is_some_and(|worker| worker.is_apart() && worker.is_wanted())
        {}
    }

    fn give_entry(&mut self) -> bool {
        let offered = self.offer(HEIGHT);
        let Some(task) = self.hand_over(offered) else {
            return false;
        };
        if let Some(worker) = &self.worker {
            worker.shared.offer(task);
        }
        true
    }

    /// Gives away the highest entries of a part that has to wait for a unit's result. No worker has
    /// the part then, so nobody could be asked for them, and they may be all that there is to do.
    pub(super) fn give_before_waiting(&mut self) {
        for _ in 0..BEFORE_WAITING {
            let offered = self.offer_any();
            if self.hand_over(offered).is_none() {
                return;
            }
        }
    }

    fn hand_over(&mut self, offered: Option<(usize, u16, usize, S)>) -> Option<Arc<Task<S>>> {
        let (node, entry, thread, sleep) = offered?;
        let path = self.choices()[..node].to_vec();
        let task = self.worker.as_ref()?.new_task(path, thread, sleep);
        self.job.given.push(Given {
            node,
            entry,
            task: task.clone(),
        });
        Some(task)
    }
}

impl<S: Set> Worker<'_, S> {
    /// A task that nobody has begun.
    pub(super) fn new_task(
        &self,
        path: Vec<selvedge_model::Choice>,
        thread: usize,
        sleep: S,
    ) -> Arc<Task<S>> {
        Arc::new(Task {
            path,
            thread,
            sleep,
            parent: self.task.clone(),
            cancelled: AtomicBool::new(false),
            state: Mutex::new(State::Queued),
            begun: Mutex::default(),
            shot: Mutex::default(),
        })
    }
}
