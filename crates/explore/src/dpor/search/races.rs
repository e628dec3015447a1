//! The races of an execution, and the threads that must be explored because of them.

use super::contents::Contents;
use super::{Halt, Request, Search, is_local};
use crate::dpor::order::Passed;
use crate::dpor::set::Set;
use crate::dpor::weaken::Weaken;
use rustc_hash::FxHashSet;
use selvedge_base::Id;
use selvedge_model::{Action, Dependence, Detector, Op, Status, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// The members of `sleep` that the action about to be taken does not wake.
    #[inline]
    pub(super) fn still_asleep(&mut self, sleep: S, action: &Action) -> S {
        if self.weaken.is(Weaken::Wakeups) {
            return sleep;
        }
        let (mut left, mut asleep) = (sleep, sleep);
        while let Some(other) = left.pop() {
            let theirs = self.machine.pending()[other].action;
            if !self.relation.dependent(action, &theirs) {
                continue;
            }
            // What it comes to counts only here.
            let theirs = self.asleep_now(other, theirs);
            if self.relation.dependent(action, &theirs) {
                asleep.remove(other);
            }
        }
        asleep
    }

    /// Where sections are one event each: searches for the predecessors of an action that is none.
    /// Returns the members of `sleep` that it does not wake.
    pub(super) fn prepare_action(&mut self, sleep: S, thread: usize) -> S {
        let action = self.machine.pending()[thread].action;
        let asleep = match is_local(&action) || sleep.is_empty() {
            true => sleep,
            false => {
                let uses = self.uses_of(&action);
                self.still_asleep_after(sleep, Some(&action), &uses)
            }
        };
        self.look(&action, thread);
        self.check_action(thread);
        self.forget_peeked(asleep, thread);
        asleep
    }

    /// Without sleep sets: compares the event that `thread` is about to take with the pending
    /// actions of all other threads. `section`: the event is a section.
    #[cold]
    pub(super) fn meet(&mut self, depth: usize, thread: usize, section: Option<&Contents>) {
        let mut racing = match self.relation.published() {
            Some(_) => self.racing_published(thread, section),
            None => self.racing(thread),
        };
        let enabled = self.nodes[depth].enabled;
        while let Some(other) = racing.pop() {
            let mut candidates = S::default();
            if enabled.contains(other) {
                candidates.insert(other);
            } else if self.weaken.is(Weaken::BlockedSearch) {
                continue;
            }
            if self.weaken.is(Weaken::OldPending) && self.changes(thread, other) {
                continue;
            }
            self.add(Request {
                depth: depth as u32,
                thread: other as u32,
                candidates,
            });
        }
    }

    /// The threads whose pending actions race with that of a thread.
    fn racing(&self, thread: usize) -> S {
        let pending = self.machine.pending();
        let action = &pending[thread].action;
        let mut racing = S::default();
        for (other, p) in pending.iter().enumerate() {
            if other == thread || matches!(p.status, Status::Finished | Status::Parked) {
                continue;
            }
            if self.relation.racing(action, &p.action) {
                racing.insert(other);
            }
        }
        racing
    }

    /// True if the thread's action may wake the other thread.
    fn changes(&self, thread: usize, other: usize) -> bool {
        let pending = self.machine.pending();
        pending[thread].action.op.info().changes_pending && pending[other].action.op == Op::WaitTimeout
    }

    /// Searches for races of new threads, from number `from` on, after an event that created them.
    #[cold]
    pub(super) fn search_new(&mut self, from: usize) {
        let now = self.machine.pending().len();
        for new in from..now {
            self.search(new);
        }
        let statistics = &mut self.job.record.statistics;
        statistics.threads = statistics.threads.max(now as u64);
    }

    /// Finds the last event that races with the pending action of a thread, and requests the other
    /// order.
    #[inline]
    pub(super) fn search(&mut self, thread: usize) {
        if self.config.sleep_sets {
            return;
        }
        let pending = &self.machine.pending()[thread];
        let searched = match pending.status {
            Status::Finished | Status::Parked => false,
            Status::Blocked | Status::Held => !self.weaken.is(Weaken::BlockedSearch),
            Status::Enabled => true,
        };
        if !searched || is_local(&pending.action) {
            return;
        }
        let tick = match self.relation.published() {
            Some(_) => self.latest_race_published(thread),
            None => self.order.latest_race(self.relation, &pending.action, thread),
        };
        if tick != 0 {
            self.reverse(tick, thread);
        }
    }

    /// Requests that the thread's pending action be explored before the event at `tick`, by a
    /// thread that leads to it there.
    fn reverse(&mut self, tick: u32, thread: usize) {
        let enabled = self.nodes[tick as usize - 1].enabled;
        let mut candidates = S::default();
        for (other, &known) in self.order.clock(thread).iter().enumerate() {
            if known > tick {
                candidates.insert(other);
            }
        }
        candidates.insert(thread);
        let candidates = candidates.and(enabled);
        self.add(Request {
            depth: tick - 1,
            thread: thread as u32,
            candidates,
        });
    }

    /// With sleep sets: reverses each immediate race of the action that `thread` is about to take,
    /// after [`look`](super::super::order::Order::look) for this action. From the state before the
    /// race's earlier event, some thread must be explored that can begin the events which followed
    /// without that event, and then this action.
    #[inline(always)]
    pub(super) fn reverse_races(&mut self, thread: usize) {
        if !self.order.found_nothing() {
            self.reverse_looked(thread);
        }
    }

    fn reverse_looked(&mut self, thread: usize) {
        self.races.clear();
        let latest = self.order.immediate_races(0, &mut self.races);
        if self.races.is_empty() {
            return;
        }
        if self.learned.is_some() {
            self.learn(thread);
        }
        if !self.weaken.is(Weaken::OwnSearch) {
            self.reverse_found(thread, latest);
        }
    }

    /// Reverses the immediate races that were found.
    fn reverse_found(&mut self, thread: usize, latest: u32) {
        let mut at = 0;
        while let Some(&race) = self.races.get(at) {
            self.reverse_race(race, thread, latest);
            at += 1;
            if self.was_blocked_before(race, thread) {
                self.reverse_earlier(at - 1, thread, latest);
                return;
            }
        }
    }

    /// True if the thread's next action was blocked before the event of a race. Perhaps this event
    /// only enabled it, and this race has no other order.
    fn was_blocked_before(&self, race: u32, thread: usize) -> bool {
        !self.nodes[race as usize - 1].enabled.contains(thread) && self.order.clock(thread)[thread] <= race
    }

    /// Considers the earlier races, too, from the race at position `at` on, before which the thread
    /// was blocked. Then reverses the races that are left.
    #[cold]
    fn reverse_earlier(&mut self, mut at: usize, thread: usize, latest: u32) {
        let (mut passed, mut found) = (Passed::default(), Vec::new());
        let mut known: FxHashSet<u32> = self.races.iter().copied().collect();
        while let Some(&race) = self.races.get(at) {
            if self.was_blocked_before(race, thread) {
                // This may go back to the beginning of a long execution, so check for a stop.
                if self.control.is_stopped() {
                    self.job.halt = Some(Halt::Limit(self.control.limit()));
                    return;
                }
                let action = &self.machine.pending()[thread].action;
                let from = self
                    .order
                    .look_before(self.relation, action, thread, race, &mut passed);
                found.clear();
                self.order.immediate_races(from, &mut found);
                self.races
                    .extend(found.iter().filter(|&&race| known.insert(race)));
            }
            at += 1;
            if let Some(&next) = self.races.get(at) {
                self.reverse_race(next, thread, latest);
            }
        }
    }

    fn reverse_race(&mut self, race: u32, thread: usize, latest: u32) {
        let node = &self.nodes[race as usize - 1];
        let (enabled, added) = (node.enabled, node.added);
        let mine = race as usize > self.job.own;
        if mine && enabled.minus(added).is_empty() {
            return;
        }
        let mut others = added;
        others.remove(usize::from(node.thread));
        let mut candidates = S::default();
        let own = !self.order.knows_after(thread, race)
            && (latest <= race || (self.order.uses_one() && !self.order.needs_other(race)));
        if own {
            candidates.insert(thread);
            if mine && added.contains(thread) {
                return;
            }
            if mine && enabled.contains(thread) && others.is_empty() {
                // The other thread of the race is no initial, and it is the only thread in the list
                // so far.
                self.add_entry(race as usize - 1, thread);
                return;
            }
        }
        let there = self.order.initials::<S>(race, |initial| {
            candidates.insert(initial);
            mine && added.contains(initial)
        });
        if there {
            return;
        }
        if candidates.is_empty() {
            candidates.insert(thread);
        }
        let candidates = candidates.and(enabled);
        if !candidates.is_empty() {
            let lead = self.order.leader(thread, race, candidates);
            self.add(Request {
                depth: race - 1,
                thread: lead as u32,
                candidates,
            });
        } else if self.machine.pending()[thread].action.op == Op::Join {
            // The join was enabled because the thread was detached. The end of that thread would
            // enable it, too, and may be still to come. So it is not known which thread leads
            // there.
            self.add(Request {
                depth: race - 1,
                thread: thread as u32,
                candidates,
            });
        }
        // Otherwise only the event enabled the action: this race has no other order.
    }

    /// At the end of an execution, reverses the races of blocked threads.
    pub(super) fn reverse_blocked(&mut self) {
        if !self.config.sleep_sets || self.weaken.is(Weaken::BlockedSearch) {
            return;
        }
        let mut blocked = self.blocked_now();
        while let Some(thread) = blocked.pop() {
            self.look_and_reverse(thread);
        }
    }

    /// Finds and reverses the races of a pending action for which
    /// [`look`](super::super::order::Order::look) was not called.
    fn look_and_reverse(&mut self, thread: usize) {
        match self.section_at(thread) {
            Some(section) => self.look_at_section(thread, &section),
            None => {
                let action = self.machine.pending()[thread].action;
                self.look(&action, thread);
            }
        }
        self.reverse_races(thread);
    }

    /// Handles a cancellation of a waiting thread, before it happens. The pending action of the
    /// waiting thread then disappears, so its races would not be seen at the end of the execution.
    #[cold]
    pub(super) fn reverse_cancelled(&mut self, thread: usize) {
        let cancel = &self.machine.pending()[thread].action;
        if let Some(target) = cancel.object.as_thread()
            && let Some(waiting) = self.machine.pending().get(target.index())
            && waiting.status == Status::Blocked
        {
            self.look_and_reverse(target.index());
        }
    }

    /// After an event that may have changed the pending actions of other threads.
    #[cold]
    pub(super) fn search_changed(&mut self, depth: usize, (thread, op): (usize, Op), sleep: &mut S) {
        for other in 0..self.before.len() {
            let pending = self.machine.pending()[other];
            let old = self.before[other];
            if other == thread || pending.action == old {
                continue;
            }
            if sleep.contains(other) && !self.weaken.is(Weaken::Wakeups) {
                sleep.remove(other);
            }
            // The action that it could have taken before this event is gone.
            let mut candidates = S::default();
            candidates.insert(other);
            let candidates = candidates.and(self.nodes[depth].enabled);
            let named = self.order.clock(other)[thread] as usize == depth + 1;
            if !self.weaken.is(Weaken::OldPending) && (!candidates.is_empty() || !named) {
                self.add(Request {
                    depth: depth as u32,
                    thread: other as u32,
                    candidates,
                });
            }
            // What would have let it go on may be still to come, independent of this event: a post
            // after a cancellation. The others end waits for objects that only such events end.
            let of_its_object = matches!(
                op,
                Op::Signal | Op::Broadcast | Op::BarrierArrive | Op::OnceDone | Op::OwnerDied
            );
            if self.config.sleep_sets && !of_its_object {
                self.add(Request {
                    depth: depth as u32,
                    thread: other as u32,
                    candidates: S::default(),
                });
            }
            self.search(other);
        }
    }

    /// Lines 6 to 10 of the algorithm.
    pub fn add(&mut self, request: Request<S>) {
        let depth = request.depth as usize;
        if depth < self.job.own {
            if !self.job.requests.contains(&request) {
                self.job.requests.push(request);
            }
            return;
        }
        let node = &self.nodes[depth];
        let mut more = request.candidates;
        if more.is_empty() {
            more = node.enabled.minus(node.added);
            if self.weaken.is(Weaken::AddAll) {
                let first = more.first();
                more = S::default();
                first.into_iter().for_each(|thread| more.insert(thread));
            }
        } else if !more.and(node.added).is_empty() {
            return;
        } else {
            let one = if more.contains(request.thread as usize) {
                Some(request.thread as usize)
            } else {
                more.first()
            };
            more = S::default();
            one.into_iter().for_each(|thread| more.insert(thread));
        }
        while let Some(thread) = more.pop() {
            self.add_entry(depth, thread);
        }
    }

    /// Adds a thread to the backtrack list of a node.
    #[inline]
    fn add_entry(&mut self, depth: usize, thread: usize) {
        let node = &mut self.nodes[depth];
        node.added.insert(thread);
        let entry = depth * self.room + usize::from(node.len);
        node.len += 1;
        if self.lists.len() <= entry {
            self.lists.resize((depth + 1) * self.room, 0);
        }
        self.lists[entry] = thread as u16;
    }
}
