//! Threads that are held in loops where nothing else is left.
//!
//! A held thread could complete its round and go on. If it then leaves the loop, or does something
//! else that others may see, it had read something old in its round, and this is no end: what
//! follows comes without the round, too, in another graph. If no held thread does, they wait for
//! each other for ever, and another strategy has to say so.
//!
//! What the thread reads then are last writes, and the machine is in one of several orders of the
//! graph. So an answer counts only if the last write follows from the graph for all that the thread
//! reads.

use super::consistency::Consistency;
use super::graph::Graph;
use super::search::Search;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Access, Action, Choice, Detector, Op, OpClass, Outcome, Silent, Status, Undo};

/// The maximum number of steps that a thread takes alone.
const MOST_STEPS: usize = 100;

impl<M: Undo, D: Detector<M>, C: Consistency> Search<'_, M, D, C> {
    /// True if a thread that is held at the machine's state, the end of a graph, would do something
    /// that others may see if it completed its round.
    pub(super) fn held_goes_on(&mut self, graph: &Graph) -> bool {
        let pending = self.runner.machine.pending().iter().enumerate();
        let held = pending.filter(|(_, p)| p.status == Status::Held);
        let held: Vec<ThreadId> = held.map(|(t, _)| ThreadId::from_index(t)).collect();
        let start = self.runner.machine.mark();
        // The completing actions are part of the rounds, and changed nothing.
        let completed = self.runner.machine.complete_rounds();
        let mut goes_on = false;
        for thread in held {
            let completed_at = self.runner.machine.mark();
            goes_on |= completed && self.goes_on_alone(graph, thread);
            self.runner.machine.undo(completed_at);
        }
        self.runner.machine.undo(start);
        goes_on
    }

    /// The same for one thread that has completed its round.
    fn goes_on_alone(&mut self, graph: &Graph, thread: ThreadId) -> bool {
        for _ in 0..MOST_STEPS {
            let pending = self.runner.machine.pending()[thread.index()];
            if pending.status != Status::Enabled || pending.alternatives != 1 {
                return false;
            }
            let event = self.runner.machine.step(Choice {
                thread,
                alternative: 0,
            });
            if !self.is_certain(graph, &event.action) || !self.runner.machine.notices().is_empty() {
                return false;
            }
            let seen = match event.action.op {
                Op::Write | Op::Rmw | Op::Add => event.outcome == Outcome::Done && event.silent == Silent::No,
                op => op.class() != OpClass::Local && op.class() != OpClass::Read,
            };
            if seen || event.action.ends {
                return true;
            }
        }
        false
    }

    /// True if the last writes to all that the last step has read follow from the graph.
    fn is_certain(&self, graph: &Graph, action: &Action) -> bool {
        let own = (action.object.0, u64::from(action.size));
        let own = action.is_memory().then_some(own);
        let accesses = self.runner.machine.accesses().iter();
        let read = accesses.filter(|access| !access.write);
        let read = read.map(|access: &Access| (access.address, u64::from(access.size)));
        own.into_iter().chain(read).all(|(address, size)| {
            let locations = self.locations.overlapping(address, size);
            locations.into_iter().all(|location| {
                let writers: Vec<_> = graph.writers(location).collect();
                let is_last = |last: &&std::rc::Rc<super::graph::Event>| {
                    writers.iter().all(|w| w.at == last.at || last.follows(w.at))
                };
                writers.is_empty() || writers.iter().any(is_last)
            })
        })
    }
}
