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
        let Some((node, entry, thread, sleep)) = self.offer(HEIGHT) else {
            return false;
        };
        let Some(worker) = &self.worker else { return false };
        let task = worker.new_task(self.choices()[..node].to_vec(), thread, sleep);
        worker.shared.offer(task.clone());
        self.job.given.push(Given { node, entry, task });
        true
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
