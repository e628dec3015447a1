//! Taking one event: a step of the machine, and its effect on the happens-before order, on the
//! pending actions and on detectors.

use super::{Search, is_local};
use crate::dpor::set::Set;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Dependence, Detector, Event, Outcome, Undo};

/// Information about the threads before and after a step.
struct Around {
    /// The number of threads before the step.
    before: usize,
    /// True if the next action of the thread that moved is local.
    local: bool,
    /// True if the pending actions of other threads may have changed.
    others: bool,
}

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Steps the machine, the detector and the order. The order's `look` was called for the action,
    /// whose thread is one of the first `before` threads. `others`: the action may change the
    /// pending actions of other threads.
    #[inline(always)]
    pub(super) fn take(&mut self, choice: Choice, others: bool, before: usize) -> Event {
        let thread = choice.thread.index();
        if others {
            self.before.clear();
            let pending = self.machine.pending().iter();
            self.before.extend(pending.map(|p| p.action));
        }
        let event = self.machine.step(choice);
        self.choices.push(choice);
        if self.peeking.is_some() {
            self.schedule.push(choice);
        }
        let pending = self.machine.pending();
        let around = Around {
            before,
            local: is_local(&pending[thread].action),
            others,
        };
        self.count = pending.len();
        if !self.has_room(self.count) {
            // The sets cannot hold all threads, so the enabled threads are not computed any more.
            return event;
        }
        self.enabled = self.enabled_now();
        // An event that ends the execution has no successors, so it need not be recorded.
        if others || !self.config.sleep_sets || !self.is_over() {
            self.record(&event, choice.thread, around);
        }
        self.detector.event(&self.machine, &event, &mut self.faults);
        event
    }

    /// True if no thread is enabled or blocked.
    #[inline(always)]
    fn is_over(&self) -> bool {
        self.enabled.is_empty() && self.blocked_now().is_empty()
    }

    /// Adds the event just taken to the order.
    #[inline(always)]
    fn record(&mut self, event: &Event, thread: ThreadId, around: Around) {
        self.note_next(thread.index(), around.local);
        if around.others {
            self.look_at(0);
        } else if self.count > around.before {
            self.look_at(around.before);
        }
        self.correct_look(event, thread.index());
        self.order
            .record(self.relation, thread.index(), event.action.ends);
        for part in self.machine.parts() {
            let action = &part.action;
            self.order
                .record_part(self.relation, action, action.thread.index());
            if action.thread != thread {
                let next = &self.machine.pending()[action.thread.index()].action;
                self.locals.assign(action.thread.index(), is_local(next));
                self.known.remove(action.thread.index());
            }
        }
        match event.outcome {
            Outcome::Thread(named) => self.order.wake(named.index()),
            Outcome::Threads(set) => {
                for &named in self.machine.waiters(set) {
                    if named != thread {
                        self.order.wake(named.index());
                    }
                }
            }
            _ => {}
        }
    }
}
