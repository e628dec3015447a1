//! Pairs of writes of which a read tells the order (write-write pruning; Kusano and Wang, ASE 2014,
//! Section 5.2, where it is not sound).
//!
//! The relation calls two writes independent. So neither order of them is asked for when they are
//! taken. When a read sees a write, each other write that could have been the last one instead is
//! asked for: the one that the read sees is to come first. A read is whatever uses the bytes and is
//! no [`Op::Write`], also an access within a step, and what a blocked thread waits to do. Without
//! sleep sets, because a thread that sleeps would have to wake for what a later read sees.

use super::{Request, Search};
use crate::dpor::set::Set;
use crate::dpor::weaken::Weaken;
use selvedge_base::Id;
use selvedge_model::{Access, Action, Dependence, Detector, Event, Op, OpClass, Undo};

/// A key and bytes that are read, and the tick before which writes count.
type Reads = Vec<((u64, u8), u32)>;

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Asks for the orders of writes that the event just taken tells.
    #[cold]
    pub(super) fn observe(&mut self, event: &Event) {
        let mut reads = Reads::new();
        let now = self.order.len();
        let read = |access: &&Access| !access.write && !access.is_fence();
        for access in self.machine.accesses().iter().filter(read) {
            let read = Action {
                object: selvedge_model::ObjectId(access.address),
                size: access.size,
                ..Action::new(event.action.thread, Op::Read)
            };
            // The accesses come after the action.
            read.for_each_use(|key, bytes, _| reads.push(((key, bytes), now + 1)));
        }
        self.add_reads(&event.action, now, &mut reads);
        self.reverse_observed(&reads);
    }

    /// The same for actions that are still waited for at the end of an execution.
    #[cold]
    pub(super) fn observe_blocked(&mut self) {
        let mut reads = Reads::new();
        let end = self.order.len() + 1;
        let mut blocked = self.blocked_now();
        while let Some(thread) = blocked.pop() {
            let action = self.machine.pending()[thread].action;
            self.add_reads(&action, end, &mut reads);
        }
        self.reverse_observed(&reads);
    }

    fn add_reads(&self, action: &Action, end: u32, reads: &mut Reads) {
        if action.op == Op::Write || action.op == Op::Rmw && self.weaken.is(Weaken::ObserversRmw) {
            return;
        }
        action.for_each_use(|key, bytes, class| {
            if class != OpClass::Local {
                reads.push(((key, bytes), end));
            }
        });
    }

    fn reverse_observed(&mut self, reads: &Reads) {
        let mut pairs = Vec::new();
        let latest_only = self.weaken.is(Weaken::ObserversLatest);
        for &(read, end) in reads {
            self.order
                .for_each_observed(read, end, latest_only, |earlier, later| {
                    pairs.push((earlier, later));
                });
        }
        if self.weaken.is(Weaken::Observers) {
            return;
        }
        self.reverse_writes(pairs);
    }

    /// Asks for the other orders of pairs of writes.
    pub(super) fn reverse_writes(&mut self, mut pairs: Vec<(u32, u32)>) {
        pairs.sort_unstable();
        pairs.dedup();
        for (earlier, later) in pairs {
            let mut candidates = S::default();
            for (thread, &known) in self.order.clock_at(later).iter().enumerate() {
                if known > earlier {
                    candidates.insert(thread);
                }
            }
            let candidates = candidates.and(self.nodes[earlier as usize - 1].enabled);
            let writer = self.choices[later as usize - 1].thread.index();
            self.add(Request {
                depth: earlier - 1,
                thread: writer as u32,
                candidates,
            });
        }
    }
}
