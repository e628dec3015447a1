//! Fingerprints: an incremental hash of the state, equal for all interleavings of one Mazurkiewicz
//! trace.
//!
//! The state is a set of tagged fragments; its fingerprint is the sum of their hashes. A step's
//! delta is the sum of the new hashes minus the old hashes of all fragments that it changed. It is
//! computed from the undo log when the step ends, not at each instruction. Independent actions
//! never write the same fragment (`sync`, `threads` and `memory::fragments` explain how), so an
//! event's delta does not depend on independent events that came before it.
//!
//! Symbolic values count by their contents (the structure of the expression, inputs by thread and
//! number), never by the time when they were made. Decisions about them count by the thread that
//! decided. So each requested input makes a state new; cutoffs compare states without the names of
//! inputs (`inputs`).
//!
//! Some actions make a state new for ever: creating a thread (names of threads are never reused),
//! reading a clock, opening a file; and without `Options::quarantine` each allocation.
//!
//! Left out are: registers and stack objects that are dead; pending actions and their status, and
//! the number of threads not joined (all follow from the rest); calling contexts, places and names
//! (for reports only); printed output (no program can read it back).
//!
//! The hashes of a thread's core, frames and locks are cached, because their old values are gone
//! when a step ends.

mod inputs;
mod key;
#[cfg(feature = "laboratory")]
mod laboratory;
mod of_machine;
mod shape;
mod sync;
mod threads;

pub use inputs::Forget;
#[cfg(feature = "laboratory")]
pub use key::Damage;
pub use key::FragmentKind;
pub(crate) use key::{Keys, mixed};
pub(crate) use threads::own_hash;

use crate::program::Program;
use crate::state::{Place, State, Undo as Entry};
use crate::word::{WordKey, WordNumber};
use rustc_hash::FxHashSet;
use selvedge_base::{Digest, Id, ThreadId};
use std::collections::BTreeSet;
use threads::Style;

/// Up to this number, hidden words are searched one by one.
const FEW: usize = 16;

/// Hashes of a thread's parts in the present state.
#[derive(Clone, Default, Debug)]
struct ThreadHashes {
    /// The identity.
    birth: Digest,
    /// The core, the flags and the locks.
    rest: Digest,
    /// One for each frame.
    frames: Vec<Digest>,
}

/// The cached hashes of the present state; part of snapshots.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cache {
    total: Digest,
    threads: Vec<ThreadHashes>,
    /// Which threads (by region) have used which objects.
    users: BTreeSet<(u64, u32)>,
}

/// A change of the cache that can be undone.
enum Change {
    Rest {
        thread: u32,
        old: Digest,
    },
    /// The old hashes of the frames from `keep` on: `count` of them, on the stack of old frames.
    Frames {
        thread: u32,
        keep: u32,
        count: u32,
    },
    Spawned,
    /// A thread got another identity.
    Birth {
        thread: u32,
        old: Digest,
    },
    /// A user was added or removed.
    User {
        object: u64,
        region: u32,
        added: bool,
    },
}

/// Addresses that were met: few mostly, but a step that ends thousands of objects meets them all.
#[derive(Default)]
struct Seen {
    few: smallvec::SmallVec<[u64; 4]>,
    many: FxHashSet<u64>,
}

impl Seen {
    /// Adds an address; false if it was met before.
    fn insert(&mut self, address: u64) -> bool {
        if self.many.is_empty() && self.few.len() < FEW {
            let new = !self.few.contains(&address);
            if new {
                self.few.push(address);
            }
            return new;
        }
        if self.many.is_empty() {
            self.many.extend(&self.few);
        }
        self.many.insert(address)
    }
}

struct Step {
    /// Length of the state's undo log when the step began.
    position: usize,
    total: Digest,
    changes: usize,
}

/// The fingerprints of a machine that maintains them.
pub(crate) struct Fingerprints {
    keys: Keys,
    cache: Cache,
    delta: Digest,
    steps: Vec<Step>,
    changes: Vec<Change>,
    old_frames: Vec<Digest>,
    words: Vec<u64>,
}

impl Fingerprints {
    /// The fingerprint of a state before which nothing can be undone.
    pub fn new(program: &Program, state: &State, keys: Keys) -> Fingerprints {
        let mut prints = Fingerprints {
            keys,
            cache: Cache::default(),
            delta: Digest::EMPTY,
            steps: Vec::new(),
            changes: Vec::new(),
            old_frames: Vec::new(),
            words: Vec::new(),
        };
        for thread in 0..state.threads().len() {
            prints.spawned(state);
            prints.fold_rest(state, thread);
            prints.fold_frames(program, state, thread, 0);
        }
        for (address, object) in state.syncs() {
            if sync::has_users(Some(object)) {
                prints.cache.users.insert((address, 1));
            }
        }
        prints.changes.clear();
        prints.delta = Digest::EMPTY;
        prints.cache.total = from_scratch(program, state, &prints.cache.users, &keys);
        prints
    }

    /// The cache, for a snapshot.
    #[cfg(feature = "laboratory")]
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns to a snapshot's cache; nothing can be undone afterwards.
    #[cfg(feature = "laboratory")]
    pub fn restore(&mut self, cache: &Cache) {
        self.cache.clone_from(cache);
        self.delta = Digest::EMPTY;
        self.steps.clear();
        self.changes.clear();
        self.old_frames.clear();
    }

    /// Processes the step that just ended and that began at these positions of the undo logs.
    pub fn step_ended(
        &mut self,
        program: &Program,
        state: &State,
        acting: ThreadId,
        mark: usize,
        memory: usize,
    ) {
        self.steps.push(Step {
            position: mark,
            total: self.cache.total,
            changes: self.changes.len(),
        });
        // A run that was told to stop compares no states any more, and its last step may have
        // changed gigabytes.
        self.delta = match program.options.stop.is_set() {
            true => Digest::EMPTY,
            false => state.memory.changed_fragments(memory, &self.keys),
        };
        let entries = state.changes(mark);
        let mut touched: smallvec::SmallVec<[usize; 4]> = smallvec::SmallVec::from_slice(&[acting.index()]);
        let mut words: smallvec::SmallVec<[(WordNumber, u64); 4]> = smallvec::SmallVec::new();
        // The numbers of the words, used when there are many.
        let mut seen: FxHashSet<WordNumber> = FxHashSet::default();
        let (mut syncs, mut decisions) = (false, 0);
        for entry in entries {
            let thread = match *entry {
                Entry::Core(t)
                | Entry::Joined(t, _)
                | Entry::HeldPushed(t)
                | Entry::HeldChanged(t, _)
                | Entry::HeldRemoved(t, _) => t,
                Entry::Spawned => {
                    touched.push(self.cache.threads.len());
                    self.spawned(state);
                    self.changes.push(Change::Spawned);
                    continue;
                }
                Entry::BegunAgain(t) => {
                    self.begun_again(state, t.index());
                    t
                }
                Entry::Word(number, old) => {
                    let new = match words.len() {
                        0..FEW => words.iter().all(|w| w.0 != number),
                        FEW => {
                            seen.extend(words.iter().map(|w| w.0));
                            seen.insert(number)
                        }
                        _ => seen.insert(number),
                    };
                    if new {
                        words.push((number, old));
                    }
                    continue;
                }
                Entry::Sync(_) => {
                    syncs = true;
                    continue;
                }
                Entry::Path => {
                    decisions += 1;
                    continue;
                }
                _ => continue,
            };
            if !touched.contains(&thread.index()) {
                touched.push(thread.index());
            }
        }
        for &thread in &touched {
            self.fold_rest(state, thread);
        }
        let mut moved: smallvec::SmallVec<[ThreadId; 4]> = smallvec::SmallVec::from_slice(&[acting]);
        for part in state.parts() {
            if !moved.contains(&part.action.thread) {
                moved.push(part.action.thread);
            }
        }
        for thread in moved {
            let keep = state.thread(thread).low_depth.max(1) as usize - 1;
            self.fold_frames(program, state, thread.index(), keep);
        }
        for (number, old) in words {
            let key = number.key();
            let (old, new) = (self.word(state, key, old), self.word(state, key, state.word(key)));
            self.replace(old, new);
        }
        if syncs {
            self.fold_syncs(state, acting, mark);
        }
        self.fold_dead(state, mark);
        for (region, name) in state.path().newly_decided(decisions) {
            self.replace(
                Digest::EMPTY,
                self.keys.words(FragmentKind::Decision, &decision(region, name)),
            );
        }
        self.cache.total = self.cache.total.with(self.delta);
    }

    /// Computes all hashes again, after changes from this position of the undo log on that are no
    /// step.
    pub fn changed(&mut self, program: &Program, state: &State, mark: usize) {
        self.steps.push(Step {
            position: mark,
            total: self.cache.total,
            changes: self.changes.len(),
        });
        for thread in 0..state.threads().len() {
            self.fold_rest(state, thread);
            self.fold_frames(program, state, thread, 0);
        }
        self.delta = Digest::EMPTY;
        self.cache.total = from_scratch(program, state, &self.cache.users, &self.keys);
    }

    /// Returns to the position of the state's undo log.
    pub fn undo(&mut self, mark: usize) {
        while let Some(step) = self.steps.pop_if(|s| s.position >= mark) {
            self.cache.total = step.total;
            while self.changes.len() > step.changes {
                let Some(change) = self.changes.pop() else { break };
                self.undo_one(change);
            }
        }
        self.delta = Digest::EMPTY;
    }

    fn undo_one(&mut self, change: Change) {
        match change {
            Change::Rest { thread, old } => self.cache.threads[thread as usize].rest = old,
            Change::Frames { thread, keep, count } => {
                let frames = &mut self.cache.threads[thread as usize].frames;
                let from = self.old_frames.len() - count as usize;
                frames.truncate(keep as usize);
                frames.extend_from_slice(&self.old_frames[from..]);
                self.old_frames.truncate(from);
            }
            Change::Spawned => {
                self.cache.threads.pop();
            }
            Change::Birth { thread, old } => self.cache.threads[thread as usize].birth = old,
            Change::User {
                object,
                region,
                added,
            } => {
                if added {
                    self.cache.users.remove(&(object, region));
                } else {
                    self.cache.users.insert((object, region));
                }
            }
        }
    }

    // ---- what a step changed
    // ---------------------------------------------------------------------------------------

    /// Makes room for the next thread, and adds its identity.
    fn spawned(&mut self, state: &State) {
        let index = self.cache.threads.len();
        self.cache.threads.push(ThreadHashes::default());
        self.fold_birth(state, index);
    }

    /// Replaces the identity of a thread by that of the thread which has taken its place.
    fn begun_again(&mut self, state: &State, thread: usize) {
        let old = self.fold_birth(state, thread);
        self.changes.push(Change::Birth {
            thread: thread as u32,
            old,
        });
    }

    /// Adds the identity of a thread in the place of the one before, which it returns.
    fn fold_birth(&mut self, state: &State, thread: usize) -> Digest {
        threads::birth(state, thread, Style::exact(self.keys.named), &mut self.words);
        let new = self.keys.words(FragmentKind::Birth, &self.words);
        let old = std::mem::replace(&mut self.cache.threads[thread].birth, new);
        self.replace(old, new);
        old
    }

    /// Replaces the hash of a fragment (0: no fragment).
    fn replace(&mut self, old: Digest, new: Digest) {
        self.delta = self.delta.with(new).without(old);
    }

    fn fold_rest(&mut self, state: &State, thread: usize) {
        let t = &state.threads()[thread];
        threads::core(state, t, Style::exact(self.keys.named), &mut self.words);
        let mut new = self.keys.words(FragmentKind::Core, &self.words);
        for (region, flag) in threads::flags(t) {
            new = new.with(self.keys.pair(FragmentKind::Flag, region, flag));
        }
        threads::held(t, &mut self.words);
        if !self.words.is_empty() {
            new = new.with(self.keys.words(FragmentKind::Held, &self.words));
        }
        let old = std::mem::replace(&mut self.cache.threads[thread].rest, new);
        self.replace(old, new);
        self.changes.push(Change::Rest {
            thread: thread as u32,
            old,
        });
    }

    /// Updates a thread's frames from `keep` on; those below are unchanged.
    fn fold_frames(&mut self, program: &Program, state: &State, thread: usize, keep: usize) {
        let t = &state.threads()[thread];
        let depth = threads::depth(program, t);
        let keep = keep.min(depth).min(self.cache.threads[thread].frames.len());
        let frames = &mut self.cache.threads[thread].frames;
        let count = frames.len() - keep;
        for old in frames.drain(keep..) {
            self.delta = self.delta.without(old);
            self.old_frames.push(old);
        }
        self.changes.push(Change::Frames {
            thread: thread as u32,
            keep: keep as u32,
            count: count as u32,
        });
        for index in keep..depth {
            threads::frame(
                program,
                state,
                (t, index),
                Style::exact(self.keys.named),
                &mut self.words,
            );
            let new = self.keys.words(FragmentKind::Frame, &self.words);
            self.replace(Digest::EMPTY, new);
            self.cache.threads[thread].frames.push(new);
        }
    }

    fn word(&self, state: &State, key: WordKey, value: u64) -> Digest {
        match value {
            0 => Digest::EMPTY,
            _ => self.keys.words(
                FragmentKind::Word,
                &sync::word(state, key, value, Style::exact(false)),
            ),
        }
    }

    fn fold_syncs(&mut self, state: &State, acting: ThreadId, mark: usize) {
        let region = state.thread(acting).region;
        let mut seen = Seen::default();
        for (address, old) in state.written_syncs(mark) {
            if !seen.insert(address) {
                continue;
            }
            let new = state.sync(address);
            let hash = |object: Option<&_>| {
                let words = object.and_then(|object| sync::words(state, address, object));
                words.map_or(Digest::EMPTY, |words| self.keys.words(FragmentKind::Sync, &words))
            };
            self.replace(hash(old.as_ref()), hash(new));
            let count = |object: Option<&_>| self.keys.count(address, sync::count(object));
            self.replace(count(old.as_ref()), count(new));
            let kind = |object: &_| std::mem::discriminant::<crate::sync::SyncObject>(object);
            if old.as_ref().map(kind) != new.map(kind) {
                self.drop_users(address);
            }
            if sync::has_users(new) {
                self.set_user(address, region, true);
            }
        }
    }

    fn fold_dead(&mut self, state: &State, mark: usize) {
        for (place, old) in state.changed_dead(mark) {
            let hash = |slots: &[u64]| {
                let mut sum = Digest::EMPTY;
                each_dead(place, slots, &mut |kind, words| {
                    sum = sum.with(self.keys.words(kind, words));
                });
                sum
            };
            self.replace(hash(&old), hash(state.dead(place)));
        }
    }

    /// Removes the users of an address, because the object there is a new one.
    fn drop_users(&mut self, address: u64) {
        let users = self.cache.users.range((address, 0)..=(address, u32::MAX));
        let regions: smallvec::SmallVec<[u32; 4]> = users.map(|k| k.1).collect();
        for region in regions {
            self.set_user(address, region, false);
        }
    }

    fn set_user(&mut self, object: u64, region: u32, uses: bool) {
        let hash = self.keys.pair(FragmentKind::User, object, u64::from(region));
        let changed = if uses {
            self.cache.users.insert((object, region))
        } else {
            self.cache.users.remove(&(object, region))
        };
        if changed {
            let (old, new) = if uses {
                (Digest::EMPTY, hash)
            } else {
                (hash, Digest::EMPTY)
            };
            self.replace(old, new);
            self.changes.push(Change::User {
                object,
                region,
                added: uses,
            });
        }
    }
}

/// Calls `f` with the fragments of the dead slots at a place. Waiting slots are one fragment,
/// because their order matters. Otherwise each slot is one, because several threads may leave slots
/// at one object in any order.
fn each_dead(place: Place, slots: &[u64], f: &mut dyn FnMut(FragmentKind, &[u64])) {
    let [kind, number] = place.words();
    if slots.is_empty() {
        return;
    }
    if matches!(place, Place::Waiting(..)) {
        let mut words = vec![kind, number];
        words.extend_from_slice(slots);
        f(FragmentKind::Dead, &words);
        return;
    }
    for &slot in slots {
        f(FragmentKind::Dead, &[kind, number, slot]);
    }
}

/// A decision as words.
fn decision(region: u32, name: Digest) -> [u64; 3] {
    let [low, high] = name.words();
    [u64::from(region), low, high]
}

/// Calls `f` with all fragments of a state.
fn each_fragment(
    program: &Program,
    state: &State,
    users: &BTreeSet<(u64, u32)>,
    named: bool,
    f: &mut dyn FnMut(FragmentKind, &[u64]),
) {
    state.memory.each_fragment(f);
    let mut words = Vec::new();
    let style = Style::exact(named);
    for (number, thread) in state.threads().iter().enumerate() {
        threads::birth(state, number, style, &mut words);
        f(FragmentKind::Birth, &words);
        threads::core(state, thread, style, &mut words);
        f(FragmentKind::Core, &words);
        for (region, flag) in threads::flags(thread) {
            f(FragmentKind::Flag, &[region, flag]);
        }
        threads::held(thread, &mut words);
        if !words.is_empty() {
            f(FragmentKind::Held, &words);
        }
        for index in 0..threads::depth(program, thread) {
            threads::frame(program, state, (thread, index), style, &mut words);
            f(FragmentKind::Frame, &words);
        }
    }
    for (address, object) in state.syncs() {
        if let Some(words) = sync::words(state, address, object) {
            f(FragmentKind::Sync, &words);
        }
        let count = sync::count(Some(object));
        if count > 0 {
            f(FragmentKind::Count, &[address, count]);
        }
    }
    for &(object, region) in users {
        f(FragmentKind::User, &[object, u64::from(region)]);
    }
    for (place, slots) in state.all_dead() {
        each_dead(place, slots, f);
    }
    for (region, name) in state.path().decided() {
        f(FragmentKind::Decision, &decision(region, name));
    }
    for (key, value) in state.words().filter(|w| w.1 != 0) {
        f(FragmentKind::Word, &sync::word(state, key, value, style));
    }
}

fn from_scratch(program: &Program, state: &State, users: &BTreeSet<(u64, u32)>, keys: &Keys) -> Digest {
    let keys = keys.complete();
    let mut total = Digest::EMPTY;
    each_fragment(program, state, users, keys.named, &mut |kind, words| {
        total = total.with(keys.words(kind, words))
    });
    total
}
