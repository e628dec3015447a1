//! Atomic accesses and fences: release → acquire by C11 order, with release sequences and fences
//! (C11 5.1.2.4 and 7.17.4).
//!
//! Under sequential consistency a read takes the value of the latest write. So it is enough to
//! keep, for each variable, the clock that a read would acquire now: the join of the clocks of the
//! heads of all release sequences to which the last write belongs. A store by T that is no
//! read-modify-write ends the release sequences of other threads. As long as one thread heads all
//! sequences, the remaining clocks are known without further data. Otherwise the clock of each head
//! is kept.

use super::objects::{Object, sized};
use super::shadow::{Kind, mask};
use super::store::Space;
use super::{RaceDetector, Rule};
use selvedge_base::Id;
use selvedge_model::{Access, Action, Event, MemoryOrder, ObjectId, Op, Outcome};

/// The maximum number of bytes in an atomic variable.
const WIDEST: u64 = 16;
/// The numbers of bytes of atomic accesses.
const SIZES: [u64; 5] = [1, 2, 4, 8, WIDEST];

impl RaceDetector {
    /// Processes a visible access to memory.
    pub(super) fn memory(&mut self, accesses: &[Access], event: &Event) {
        let action = &event.action;
        let failed = event.outcome == Outcome::Failed;
        if failed && action.op != Op::Rmw {
            return; // it was a fault, and did not happen
        }
        if action.order == MemoryOrder::NotAtomic {
            let kind = Kind::new(action.writes_memory(), false);
            let entry = self.entry(action.thread.index(), kind, action.stmt.0, event.context.0);
            self.bytes::<true>(action.object.0, u64::from(action.size), &entry);
            return;
        }
        if failed {
            // The read of a failed compare-and-swap, with the failure order, if the machine reports
            // it.
            let given = accesses.first();
            if given.is_some_and(|a| {
                a.address == action.object.0 && !a.write && a.order != MemoryOrder::NotAtomic
            }) {
                return;
            }
        }
        self.atomic(action, event.context.0, failed);
    }

    /// An atomic access: acquires, accesses, releases.
    pub(super) fn atomic(&mut self, action: &Action, context: u32, failed: bool) {
        let me = action.thread.index();
        // An addition whose old value nobody asks for acquires nothing, as it has no certain place
        // among the others; it continues release sequences.
        let continues = action.reads_memory();
        let reads = continues && action.op != Op::Add;
        let writes = action.writes_memory() && !failed;
        let size = u64::from(action.size);
        let object = self.variable(action.object, size);
        if self.overlap {
            self.meet_other_variables(
                (action.object, size),
                me,
                (reads, action.order.acquires()),
                writes && !continues,
            );
        }
        if reads {
            self.learn_released(me, object, action.order.acquires());
        }
        let entry = self.entry(me, Kind::new(writes, true), action.stmt.0, context);
        self.bytes::<true>(action.object.0, size, &entry);
        if writes {
            self.publish(object, me, action.order.releases(), continues);
        }
    }

    /// A thread reads a variable: it acquires the variable's clock, now or at its next acquire
    /// fence.
    #[inline]
    fn learn_released(&mut self, me: usize, object: Object, acquires: bool) {
        if acquires {
            self.learn(me, object.released(), Rule::Acquire);
        } else {
            let at_fence = self.threads[me].at_acquire_fence();
            self.store.join(at_fence, object.released(), self.threads.len());
        }
    }

    /// Handles variables that share bytes with another one: an access reads all of them, and a
    /// store overwrites those that it covers.
    #[cold]
    fn meet_other_variables(
        &mut self,
        (id, size): (ObjectId, u64),
        me: usize,
        (reads, acquires): (bool, bool),
        writes: bool,
    ) {
        for (first, bytes, object) in self.overlapping(id, size) {
            if reads {
                self.learn_released(me, object, acquires);
            } else if writes && id.0 <= first && first + bytes <= id.0 + size {
                self.objects.forget(&mut self.store, object, self.threads.len());
            }
        }
    }

    /// The other atomic variables in these bytes, with their first byte and size.
    fn overlapping(&self, id: ObjectId, size: u64) -> Vec<(u64, u64, Object)> {
        let mut others = Vec::new();
        for first in id.0.saturating_sub(WIDEST - 1)..id.0 + size {
            for bytes in SIZES.into_iter().filter(|bytes| first + bytes > id.0) {
                if (first, bytes) != (id.0, size)
                    && let Some(object) = self.known_variable(first, bytes)
                {
                    others.push((first, bytes, object));
                }
            }
        }
        others
    }

    /// The record of an atomic variable, if it has one.
    fn known_variable(&self, first: u64, size: u64) -> Option<Object> {
        let object = self.objects.find(sized(first, size))?;
        self.objects.facts_of(object).words.is_some().then_some(object)
    }

    /// The record of an atomic variable of this size.
    fn variable(&mut self, id: ObjectId, size: u64) -> Object {
        let object = self.objects.get(&mut self.store, sized(id.0, size));
        if self.objects.facts(object).words.is_none() {
            self.overlap |= !self.overlapping(id, size).is_empty();
            let words = self.store.grow(Space::Records, 2);
            self.objects.facts(object).words = Some(words);
            for granule in id.0 >> 3..=(id.0 + 7) >> 3 {
                self.shadow.set_atomics(&mut self.store, granule);
            }
        }
        object
    }

    /// Updates the clock that a read of this write would acquire. Words: the thread (plus one) that
    /// heads all sequences, or 0; whether several threads do.
    fn publish(&mut self, object: Object, me: usize, releases: bool, rmw: bool) {
        let width = self.width();
        let Some(words) = self.objects.facts(object).words else {
            return;
        };
        let owner = self.store.get(Space::Records, words) as usize;
        let several = self.store.get(Space::Records, words + 1) != 0;
        let record = self.threads[me];
        let fence = record.at_release_fence();
        let fenced = self.store.tick(fence, me) != 0;
        if !rmw || !self.obeys(Rule::ReleaseSequence) {
            self.end_other_sequences(object, me, words, owner, several, releases);
        }
        if releases || fenced {
            let source = if releases { record.clock() } else { fence };
            let owner = self.store.get(Space::Records, words) as usize;
            let several = self.store.get(Space::Records, words + 1) != 0;
            if several || (owner != 0 && owner != me + 1) {
                if !several {
                    let head = self.head(object, owner - 1);
                    self.store.copy(head, object.released(), width);
                    self.store.set(Space::Records, words + 1, 1);
                }
                let head = self.head(object, me);
                if self.store.tick(head, me) == 0 {
                    self.store.clear(head, width); // left from an older sequence
                }
                self.store.join(head, source, width);
            } else {
                self.store.set(Space::Records, words, me as u32 + 1);
            }
            if self.obeys(Rule::Release) {
                self.store.join(object.released(), source, width);
            }
            if releases {
                self.tick(me);
            }
        }
    }

    /// A store by `me` that is no read-modify-write: only its own release sequences continue, if
    /// any.
    fn end_other_sequences(
        &mut self,
        object: Object,
        me: usize,
        words: usize,
        owner: usize,
        several: bool,
        releases: bool,
    ) {
        let width = self.width();
        let own_continue = !self.short_sequences;
        if !several {
            if owner == me + 1 && !releases && own_continue && self.obeys(Rule::SameThreadStore) {
                return;
            }
            if owner != me + 1 || !releases {
                self.store.clear(object.released(), width);
                self.store.set(Space::Records, words, 0);
            }
            return;
        }
        self.store.clear(object.released(), width);
        let heads = self.objects.facts(object).heads.clone();
        let mut kept = 0;
        for (thread, &head) in heads.iter().enumerate().filter(|&(_, &head)| head != 0) {
            if thread == me && own_continue && self.store.tick(head, me) != 0 {
                self.store.copy(object.released(), head, width);
                kept = me as u32 + 1;
            }
            self.store.set_tick(head, thread, 0);
        }
        self.store.set(Space::Records, words, kept);
        self.store.set(Space::Records, words + 1, 0);
    }

    /// A thread has ended, and another one takes its number: what it heads goes on without it.
    pub(super) fn end_heads(&mut self, thread: usize) {
        let all: Vec<Object> = self.objects.all().map(|(_, object)| object).collect();
        for object in all {
            let facts = self.objects.facts_of(object);
            let (Some(words), head) = (facts.words, facts.heads.get(thread).copied().unwrap_or(0)) else {
                continue;
            };
            if self.store.get(Space::Records, words) as usize == thread + 1 {
                self.store.set(Space::Records, words, 0);
                self.store.set(Space::Records, words + 1, 1);
            }
            if head != 0 {
                self.store.set_tick(head, thread, 0);
            }
        }
    }

    /// The clock of the latest release by a thread in the present sequences. It is valid if the
    /// thread's own counter is not 0.
    fn head(&mut self, object: Object, thread: usize) -> u32 {
        let facts = self.objects.facts(object);
        if facts.heads.len() <= thread {
            facts.heads.resize(thread + 1, 0);
        }
        if facts.heads[thread] == 0 {
            facts.heads[thread] = self.store.new_clocks(1);
        }
        facts.heads[thread]
    }

    /// The threads that head the present release sequences of a variable, each with the clock that
    /// a read acquires from its sequences.
    pub(super) fn heads(&self, object: Object) -> Vec<(usize, u32)> {
        let facts = self.objects.facts_of(object);
        let Some(words) = facts.words else {
            return Vec::new();
        };
        let owner = self.store.get(Space::Records, words) as usize;
        if self.store.get(Space::Records, words + 1) == 0 {
            return owner
                .checked_sub(1)
                .map(|o| (o, object.released()))
                .into_iter()
                .collect();
        }
        let heads = facts.heads.iter().copied().enumerate();
        heads
            .filter(|&(thread, head)| head != 0 && self.store.tick(head, thread) != 0)
            .collect()
    }

    /// Other bytes are where atomic variables were: a read of them acquires nothing.
    pub(super) fn forget_variables(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size.max(1));
        for granule in address >> 3..end.div_ceil(8) {
            self.overwrite_atomics(granule, mask(granule, address, end));
        }
    }

    /// A plain store to bytes of atomic variables: a read of it acquires nothing.
    #[cold]
    pub(super) fn overwrite_atomics(&mut self, granule: u64, bytes: u32) {
        for byte in (0..8).filter(|byte| bytes >> byte & 1 != 0) {
            for size in SIZES {
                if let Some(object) = self.known_variable((granule << 3) + byte, size) {
                    self.objects.forget(&mut self.store, object, self.threads.len());
                }
            }
        }
    }

    pub(super) fn fence(&mut self, me: usize, order: MemoryOrder) {
        if !self.obeys(Rule::Fence) {
            return;
        }
        let record = self.threads[me];
        if order.acquires() {
            self.store
                .join(record.clock(), record.at_acquire_fence(), self.threads.len());
        }
        if order.releases() {
            self.store
                .copy(record.at_release_fence(), record.clock(), self.threads.len());
            self.tick(me);
        }
    }
}
