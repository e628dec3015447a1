//! The first execution, from which the search learns which objects are contended, and the selection
//! of threads by this information.

use super::{Search, is_local};
use crate::dpor::contended::Contended;
use crate::dpor::set::{Set, nearest};
use selvedge_model::{Dependence, Detector, Op, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Takes the first execution, from the initial state. If it raced for some object, only this
    /// information is kept, and the search begins again. Returns true if there is a child to be
    /// taken next.
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
        if let Some(worker) = &self.worker {
            worker.tell_contended(&contended);
        }
        self.go_back(0);
        self.detector.forget();
        self.nodes.clear();
        self.unseen = Default::default();
        self.job.record = record;
        self.set_contended(contended);
        self.enabled = self.enabled_now();
        self.enter(S::default(), 0)
    }

    /// During the first execution: records the objects for which a thread's pending action races.
    #[cold]
    pub(super) fn learn(&mut self, thread: usize) {
        let action = &self.machine.pending()[thread].action;
        let class = action.op.class();
        let section = action.op == Op::Lock && self.peeking.is_some_and(|p| p.suits(action.object.0));
        let classes = class.bit() | self.relation.racing_classes(class);
        if let Some(learned) = &mut self.learned {
            if section {
                learned.insert(action.object.0, classes);
                return;
            }
            self.order.for_each_race(self.relation, action, thread, |key, _| {
                learned.insert(key, classes)
            });
        }
    }

    /// Sets the contended objects, at the initial state. From now on, actions on them are taken
    /// late.
    pub fn set_contended(&mut self, contended: Contended) {
        self.contended = contended;
        self.look_at(0);
    }

    /// Updates the information about the next actions of all threads from `from` on.
    #[cold]
    pub(super) fn look_at(&mut self, from: usize) {
        for thread in from..self.machine.pending().len() {
            self.look_at_one(thread);
        }
    }

    #[inline(always)]
    pub(super) fn look_at_one(&mut self, thread: usize) {
        let action = &self.machine.pending()[thread].action;
        self.locals.assign(thread, is_local(action));
        self.known.remove(thread);
    }

    /// After an event of `thread`: updates the object used last, and whether the thread's next
    /// action is local.
    #[inline(always)]
    pub(super) fn note_next(&mut self, thread: usize, local: bool) {
        if let Some(key) = self.order.first_used()
            && key != self.hot
            && self.contended.contains(key)
        {
            self.hot = key;
        }
        self.locals.assign(thread, local);
        self.known.remove(thread);
    }

    /// The same after a section.
    pub(super) fn note_moved(&mut self, thread: usize) {
        let local = is_local(&self.machine.pending()[thread].action);
        self.note_next(thread, local);
    }

    /// A thread in `awake` whose next action is local; `last` moved last. A data choice takes
    /// precedence over everything else, because it belongs to the transition before it.
    #[inline(always)]
    pub(super) fn next_local(&self, awake: S, last: usize) -> Option<usize> {
        let locals = awake.and(self.locals);
        if locals.is_empty() {
            return None;
        }
        self.one_of_locals(locals, last)
    }

    fn one_of_locals(&self, locals: S, last: usize) -> Option<usize> {
        if locals.contains(last) && self.machine.pending()[last].action.op == Op::Choose {
            return Some(last);
        }
        let local = locals.first()?;
        // If this is false, a machine changed a thread's next action without reporting it.
        is_local(&self.machine.pending()[local].action).then_some(local)
    }

    /// The thread that goes first in the present state. The selection makes races come late and
    /// close together.
    #[inline(always)]
    pub(super) fn late(&mut self, awake: S, last: usize) -> usize {
        let mut one = awake;
        if let Some(only) = one.pop()
            && one.is_empty()
        {
            return only;
        }
        let mut unknown = awake.minus(self.known);
        let mut last_is_hot = false;
        while let Some(thread) = unknown.pop() {
            let used = self.contended.used_by(&self.machine.pending()[thread].action);
            self.known.insert(thread);
            self.uncontended.assign(thread, used.is_none());
            last_is_hot |= thread == last && used == Some(self.hot);
        }
        let uncontended = awake.and(self.uncontended);
        if !uncontended.is_empty() {
            return nearest(uncontended, last);
        }
        if last_is_hot {
            return last;
        }
        self.hottest(awake, last)
    }

    /// The first thread whose next action uses the contended object used last; the thread that
    /// moved last is preferred.
    fn hottest(&self, awake: S, last: usize) -> usize {
        let pending = self.machine.pending();
        let is_hot = |thread: usize| self.contended.is_used_first(self.hot, &pending[thread].action);
        if awake.contains(last) && is_hot(last) {
            return last;
        }
        let mut left = awake;
        while let Some(thread) = left.pop() {
            if is_hot(thread) {
                return thread;
            }
        }
        nearest(awake, last)
    }
}
