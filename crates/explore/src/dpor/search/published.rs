//! The rules of Kusano and Wang as published (ASE 2014), where they are not those of the other
//! files. Explorations by them lose errors (docs/algorithms.md, "As published"). All of this
//! belongs to the relation [`Published`](selvedge_model::Published); for another one, nothing of it
//! is compiled.
//!
//! - *Critical section peeking* (Section 5.1): a section that holds only accesses is one event, and
//!   two of them are dependent by their accesses alone. No condition is checked; a section that
//!   holds something else is single actions, and dependent on each section of its mutex. Each
//!   section happens before the next one of its mutex.
//! - *Write-write pruning* (Theorem 3): of two threads' writes only the last ones before a read by
//!   a third thread are dependent, if that thread cannot read before.
//! - *The slice*: an access by a statement outside of it uses nothing. All accesses are noted, for
//!   `UpdateSlice`.
//!
//! Without sleep sets, sections are searched for races as other actions are.

use super::contents::{Contents, Uses};
use super::{Search, sections};
use crate::dpor::set::Set;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Access, Action, Dependence, Detector, ObjectId, Op, OpClass, Published, Status, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// The uses of an action that is no section.
    pub(super) fn uses_of(&self, action: &Action) -> Uses {
        let (prunes, within) = match self.relation.published() {
            Some(relation) => (relation.prunes, !action.is_memory() || relation.has(action.stmt)),
            None => (false, true),
        };
        let mut uses = Uses::new();
        if !within {
            return uses;
        }
        action.for_each_use(|key, bytes, class| {
            let pruned = prunes && action.op == Op::Write && class == OpClass::Write;
            uses.push((key, bytes, if pruned { Published::PRUNED } else { class }));
        });
        uses
    }

    /// Searches for the predecessors of an action.
    pub(super) fn look(&mut self, action: &Action, thread: usize) {
        if self.relation.published().is_some() {
            let uses = self.uses_of(action);
            self.order.look_uses_of(self.relation, &uses, thread);
        } else {
            self.order.look(self.relation, action, thread);
        }
    }

    /// Notes the accesses of the step that was just taken.
    #[inline(always)]
    pub(super) fn note_published(&self, action: &Action) {
        let Some(relation) = self.relation.published() else {
            return;
        };
        if action.is_memory() {
            relation.note(action.object.0, action.size, action.stmt);
        }
        let accesses = self.machine.accesses().iter();
        for access in accesses.filter(|access| !access.is_fence()) {
            relation.note(access.address, access.size, access.stmt);
        }
    }

    /// Notes the accesses of the step that was just taken, and asks for the orders of writes that
    /// its reads tell.
    #[inline(always)]
    pub(super) fn follow_published(&mut self, action: &Action, thread: usize) {
        if self.relation.published().is_some() {
            self.note_published(action);
            self.observe_published(thread, &self.uses_of(action));
        }
    }

    /// What a thread is about to do, section or not.
    fn next_uses(&mut self, thread: usize) -> Uses {
        match self.section_at(thread) {
            Some(section) => section.uses.clone(),
            None => self.uses_of(&self.machine.pending()[thread].action),
        }
    }

    /// The threads whose next section or action races with that of a thread.
    pub(super) fn racing_published(&mut self, thread: usize, section: Option<&Contents>) -> S {
        let ours = match section {
            Some(section) => section.uses.clone(),
            None => self.uses_of(&self.machine.pending()[thread].action),
        };
        let mut racing = S::default();
        for other in 0..self.machine.pending().len() {
            let status = self.machine.pending()[other].status;
            if other == thread || matches!(status, Status::Finished | Status::Parked) {
                continue;
            }
            let theirs = self.next_uses(other);
            let classes = |class| self.relation.racing_classes(class);
            if sections::meet(&ours, &theirs, classes) {
                racing.insert(other);
            }
        }
        racing
    }

    /// The last event that races with the next section or action of a thread; 0 if there is none.
    pub(super) fn latest_race_published(&mut self, thread: usize) -> u32 {
        let (uses, mut best) = (self.next_uses(thread), 0);
        let clock = self.order.clock(thread);
        for used in uses {
            self.order
                .for_each_race_of(self.relation, used, clock, |_, tick| best = best.max(tick));
        }
        best
    }

    /// Asks for the orders of writes that the reads of the event just taken tell.
    #[inline]
    pub(super) fn observe_published(&mut self, thread: usize, uses: &Uses) {
        if self.relation.published().is_none_or(|relation| !relation.prunes) {
            return;
        }
        let mut pairs = Vec::new();
        for &(key, bytes, class) in uses {
            if matches!(class, OpClass::Read | OpClass::Write) {
                let found = |earlier, later| pairs.push((earlier, later));
                self.order.for_each_published((key, bytes), thread, true, found);
            }
        }
        let reads = |access: &&Access| !access.write && !access.is_fence();
        for access in self.machine.accesses().iter().filter(reads) {
            let read = Action {
                object: ObjectId(access.address),
                size: access.size,
                ..Action::new(ThreadId::from_index(thread), Op::Read)
            };
            read.for_each_use(|key, bytes, _| {
                let found = |earlier, later| pairs.push((earlier, later));
                self.order.for_each_published((key, bytes), thread, false, found);
            });
        }
        self.reverse_writes(pairs);
    }
}
