//! One event: a step of the machine, and what it means for the order, for the threads to come, and
//! for detectors.

use super::{Search, is_local};
use crate::dpor::set::Set;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Dependence, Detector, Event, Outcome, Undo};

/// Threads around a step.
struct Around {
    /// How many there were before it.
    before: usize,
    /// What the thread that moved does next is local.
    local: bool,
    /// Other threads may have something else to do now.
    others: bool,
}

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Steps the machine and whatever goes with it. The operation, of a thread among `before`, was
    /// looked for in the order; `others`: it may change what other threads do next.
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
        let pending = self.machine.pending();
        let around = Around {
            before,
            local: is_local(&pending[thread].action),
            others,
        };
        self.count = pending.len();
        if !self.has_room(self.count) {
            // The sets cannot hold them all: what is enabled is not looked at any more.
            return event;
        }
        self.enabled = self.enabled_now();
        // Nothing is ordered after an event that ends the execution.
        if others || !self.config.sleep_sets || !self.is_over() {
            self.record(&event, choice.thread, around);
        }
        self.detector.event(&self.machine, &event, &mut self.faults);
        event
    }

    /// Whether no thread is left that can move or waits.
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
