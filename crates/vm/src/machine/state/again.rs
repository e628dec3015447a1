//! Threads that are begun again: a new thread takes the place of one that has ended, with its
//! number, its name and its memory.
//!
//! Else no loop that creates and joins threads would ever return to a state, since each new thread
//! would have a new name. As dead memory is reused only in some explorations
//! (`Options::quarantine`), so are threads.
//!
//! The thread must have been joined by its creator, and must have ended without a lock. Then all
//! that it did happens before what the new one does, by what its creator does between, and nothing
//! is left of it. Which thread is begun again must not depend on what others do at the same time.
//! So only what the creator itself has done decides, and what the thread did before its end.
//!
//! A new thread may then have the handle of a joined one. So an error can be hidden: the use of the
//! handle after the join. It is found as long as no more than [`WAITING`] joined threads of the
//! creator wait to be begun again. The report lists that as an assumption.

use super::{State, Undo};
use crate::memory::{Life, Object, Site};
use crate::thread::{Core, Thread};
use crate::word::WordKey;
use selvedge_base::{Id, ThreadId};
use selvedge_model::Pending;
use smallvec::SmallVec;

/// So many threads of one creator are joined and not begun again.
const WAITING: usize = 1;

/// A creator with so many joined threads: they should be begun again.
const MANY: usize = 16;

impl State {
    /// Which of a thread's children its next one is: the ordinal, and the thread that is begun
    /// again, if one is. The one whose ordinal follows that of the last one comes next, in a
    /// circle.
    pub(crate) fn next_child(&self, parent: ThreadId) -> (u32, Option<ThreadId>) {
        let core = &self.thread(parent).core;
        let new = (core.children + 1, None);
        if self.modes.quarantine.is_none() {
            return new;
        }
        let all = self.threads.iter().enumerate().skip(1);
        let mut free: Vec<(u32, ThreadId)> = all
            .filter(|(_, t)| t.parent == parent && t.core.free)
            .map(|(index, t)| (t.ordinal, ThreadId::from_index(index)))
            .collect();
        if free.len() <= WAITING {
            return new;
        }
        free.sort_unstable();
        let later = free.iter().find(|(ordinal, _)| *ordinal > core.last_child);
        later.or(free.first()).map_or(new, |&(o, t)| (o, Some(t)))
    }

    /// Counts the joined threads of a creator where dead memory is kept: if there are many, the
    /// exploration has to reuse it, and threads.
    pub(crate) fn count_joined(&mut self, parent: ThreadId) {
        if self.modes.many_dead.is_none() || self.thread(parent).core.children as usize <= MANY {
            return;
        }
        let joined = |t: &&Thread| t.parent == parent && t.core.free;
        self.many_dead |= self.threads.iter().skip(1).filter(joined).count() >= MANY;
    }

    /// Puts a new thread in the place of an old one.
    pub(crate) fn begin_again(&mut self, id: ThreadId, new: Thread, pending: Pending) {
        let (region, new_parent) = (new.region, new.parent);
        let mine: Vec<WordKey> = self
            .words()
            .filter(|&(key, value)| value != 0 && key.ends_with(id, region))
            .map(|(key, _)| key)
            .collect();
        for key in mine {
            self.set_word(key, 0);
        }
        let place = &mut self.threads[id.index()];
        let old = &place.core;
        let core = Core {
            children: old.children,
            last_child: old.last_child,
            // Names of inputs are not used twice.
            inputs: old.inputs,
            errno: old.errno,
            ..new.core
        };
        let tls = place.tls.clone();
        let old = std::mem::replace(place, Thread { core, tls, ..new });
        self.log.threads.push(old);
        self.log.entries.push(Undo::BegunAgain(id));
        self.begun_again += 1;
        self.put_pending(id, pending);
        self.hand_back(new_parent, id);
    }

    /// Makes the thread-local variables of a thread that was begun again live, without their
    /// initial contents, and its `errno`.
    pub(crate) fn revive_thread_locals(&mut self, thread: ThreadId) {
        let t = self.thread(thread);
        let errno = Some(t.core.errno).filter(|&base| base != 0);
        let bases: SmallVec<[u64; 8]> = t.tls.iter().copied().chain(errno).collect();
        for &base in &bases {
            let Some((base, dead)) = self.memory.object_at(base) else {
                continue;
            };
            self.forget_syncs(base, self.memory.slot_size(base));
            let object = Object {
                life: Life::Live,
                ended: Site::default(),
                ..dead
            };
            self.memory.reuse(base, object);
        }
    }

    /// How many threads were ever created.
    #[inline]
    pub(crate) fn creations(&self) -> usize {
        self.threads.len() + self.begun_again
    }
}
