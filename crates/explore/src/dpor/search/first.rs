//! The first execution, from which the search learns what is contended, and the choice of threads because of that.

use super::{Search, nearest};
use crate::dpor::contended::Contended;
use crate::dpor::set::Set;
use selvedge_base::Id;
use selvedge_model::{Action, Dependence, Detector, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Takes the first execution, from the initial state. If it raced for something, all is forgotten but that, and the
    /// search begins anew. Whether there is a child to be taken next.
    pub(super) fn run_first(&mut self) -> bool {
        let record = self.job.record.clone();
        if !self.enter(S::default(), 0) {
            return false;
        }
        self.learned = Some(Contended::default());
        loop {
            let (sleep, last) = self.step();
            if self.job.halt.is_some() {
                return false;
            }
            if !self.enter(sleep, last) {
                break;
            }
        }
        let contended = self.learned.take().unwrap_or_default();
        if self.job.halt.is_some() {
            return false;
        }
        if contended.is_empty() {
            return self.next();
        }
        if let Some(seat) = &self.seat {
            seat.tell_contended(&contended);
        }
        self.go_back(0);
        self.detector.forget();
        self.nodes.clear();
        self.lists.clear();
        self.unseen = Default::default();
        self.job.record = record;
        self.heed(contended);
        self.enter(S::default(), 0)
    }

    /// What the pending action of a thread races for, in the first execution.
    #[cold]
    pub(super) fn learn(&mut self, thread: usize) {
        let action = &self.machine.pending()[thread].action;
        if let Some(learned) = &mut self.learned {
            self.order
                .for_each_race(self.relation, action, thread, |key, _| learned.insert(key));
        }
    }

    /// From now on, at the initial state: takes late what is contended.
    pub fn heed(&mut self, contended: Contended) {
        self.contended = contended;
        self.look_for_calm(0);
    }

    /// Sees for all threads from this one on whether what they do next is contended.
    fn look_for_calm(&mut self, from: usize) {
        for (thread, pending) in self.machine.pending().iter().enumerate().skip(from) {
            if self.contended.used_by(&pending.action).is_none() {
                self.calm.insert(thread);
            } else {
                self.calm.remove(thread);
            }
        }
    }

    /// After an event: who waits for what, and what was used. There were `threads` before it.
    #[inline]
    pub(super) fn note_contended(&mut self, action: &Action, threads: usize, others: bool) {
        let thread = action.thread.index();
        if !self.calm.contains(thread)
            && let Some(key) = self.contended.used_by(action)
        {
            self.hot = key;
        }
        if others {
            self.look_for_calm(0);
            return;
        }
        if self
            .contended
            .used_by(&self.machine.pending()[thread].action)
            .is_none()
        {
            self.calm.insert(thread);
        } else {
            self.calm.remove(thread);
        }
        if self.machine.pending().len() > threads {
            self.look_for_calm(threads);
        }
    }

    /// Which thread goes first at the present state, so that races come late and together.
    #[inline]
    pub(super) fn late(&self, awake: S, last: usize) -> usize {
        let calm = awake.and(self.calm);
        if !calm.is_empty() {
            return nearest(calm, last);
        }
        let mut left = awake;
        let uses_hot = |thread: usize| {
            let action = &self.machine.pending()[thread].action;
            self.contended.used_by(action) == Some(self.hot)
        };
        if awake.contains(last) && uses_hot(last) {
            return last;
        }
        while let Some(thread) = left.pop() {
            if thread != last && uses_hot(thread) {
                return thread;
            }
        }
        nearest(awake, last)
    }
}
