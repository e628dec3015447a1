//! The state of the program under test, and its undo log.
//!
//! Everything that a step can change is either saved whole when the step begins (the acting
//! thread's `Core` and the registers of its current frame), or changed through a method here that
//! writes a log entry first. A model must not change shared state in any other way.

use crate::libc::holes::Hole;
use crate::memory::{Memory, Site, unshared};
use crate::quarantine::Place;
use crate::symbolic::{Arm, Asked, Begun, EVERYBODY, Path, known_to};
use crate::sync::{SyncObject, needed};
use crate::thread::{Core, Frame, Held, Thread};
use crate::value::Value;
use crate::word::{WordKey, WordNumber};
use rustc_hash::FxHashMap;
use selvedge_base::{ContextId, Id, Interner, StmtId, ThreadId};
use selvedge_expr::Expr;
use selvedge_model::{Notice, Part, Pending, Waiters};
use std::rc::Rc;

/// One change to go back over; bulky old values lie on stacks of their own, popped in the same
/// order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    /// A thread's core: `cores`.
    Core(ThreadId),
    /// A thread's pending action: `pendings`.
    Pending(ThreadId),
    /// `len` registers of a thread from `start` on: `values`.
    Regs { thread: ThreadId, start: u32, len: u32 },
    /// A suspended frame was resumed: `frames`.
    Frame { thread: ThreadId, index: u32 },
    /// A stack object was added.
    LocalPushed(ThreadId),
    /// A stack object was removed.
    LocalPopped(ThreadId, u64),
    /// A synchronisation object changed: `syncs`.
    Sync(u64),
    /// A lock was added to those a thread holds.
    HeldPushed(ThreadId),
    /// A lock that a thread holds changed: `helds`.
    HeldChanged(ThreadId, u32),
    /// A lock was removed at a position: `helds`.
    HeldRemoved(ThreadId, u32),
    /// A thread was created.
    Spawned,
    /// Output was appended; its length before.
    Output(u32),
    /// A word of the process's or a model's hidden state changed.
    Word(WordNumber, u64),
    /// A thread was joined; whether it had been counted as not joined.
    Joined(ThreadId, bool),
    /// The number of threads not joined changed.
    Unjoined(u32),
    /// The path changed; its own log says how.
    Path,
    /// The dead slots at a place changed: `dead`.
    Dead,
}

/// The undo log.
#[derive(Default)]
pub(crate) struct Log {
    pub entries: Vec<Undo>,
    cores: Vec<Core>,
    pendings: Vec<Pending>,
    values: Vec<Value>,
    frames: Vec<Frame>,
    syncs: Vec<Option<SyncObject>>,
    helds: Vec<Held>,
    pub dead: Vec<(Place, Vec<u64>)>,
}

impl Log {
    /// Empties the log and keeps its room.
    fn clear(&mut self) {
        self.entries.clear();
        self.cores.clear();
        self.pendings.clear();
        self.values.clear();
        self.frames.clear();
        self.syncs.clear();
        self.helds.clear();
        self.dead.clear();
    }
}

/// What is neither memory nor of a thread, shared until it is written.
#[derive(Clone)]
pub(crate) struct SharedParts {
    syncs: Rc<FxHashMap<u64, SyncObject>>,
    words: Rc<FxHashMap<WordNumber, u64>>,
    output: Rc<Vec<u8>>,
    holes: Rc<Vec<Hole>>,
    unjoined: u32,
    path: Path,
    dead: Rc<FxHashMap<Place, Vec<u64>>>,
}

/// The state. See the module's documentation.
pub struct State {
    /// Memory, with an undo log of its own.
    pub memory: Memory,
    pub(crate) threads: Vec<Thread>,
    pub(crate) pending: Vec<Pending>,
    /// By thread: what its pending action needs of others (`sync::needed`).
    pub(crate) needs: Vec<u64>,
    syncs: Rc<FxHashMap<u64, SyncObject>>,
    pub(crate) log: Log,
    /// Interned calling contexts: (caller's context, call statement). Context 0 is the empty one.
    pub contexts: Interner<ContextId, (ContextId, StmtId)>,
    /// Interned sets of threads.
    pub(crate) sets: Interner<Waiters, Vec<ThreadId>>,
    pub(crate) notices: Vec<Notice>,
    /// Visible actions performed within the last step.
    pub(crate) parts: Vec<Part>,
    /// Whether there may be any.
    pub(crate) fuses: bool,
    output: Rc<Vec<u8>>,
    /// Symbolic values in the output, in the order of their places.
    holes: Rc<Vec<Hole>>,
    /// Hidden words of models.
    words: Rc<FxHashMap<WordNumber, u64>>,
    /// Threads created and not yet joined.
    unjoined: u32,
    /// The conditions under which this path is taken.
    pub(crate) path: Path,
    /// Which decisions are data choices follows from the deciding thread's past alone.
    pub(crate) canonical: bool,
    /// Dead slots that will be used again.
    pub(crate) dead: Rc<FxHashMap<Place, Vec<u64>>>,
    /// How many of them wait at least; none will be used again if there is no such number.
    pub(crate) quarantine: Option<u32>,
    /// Whether waits on condition variables may end without a signal.
    pub(crate) spurious_wakeups: bool,
    /// Whether a thread that failed without cause, and came back to the same place in the same
    /// state, does not fail so again (`causeless`).
    pub(crate) bounded: bool,
    /// Whether one ever was, in an execution undone or not.
    pub(crate) reused: bool,
}

impl State {
    pub(crate) fn new() -> State {
        let mut contexts = Interner::new();
        contexts.intern((ContextId(0), StmtId(u32::MAX)));
        State {
            memory: Memory::default(),
            threads: Vec::new(),
            pending: Vec::new(),
            needs: Vec::new(),
            syncs: Rc::default(),
            log: Log::default(),
            contexts,
            sets: Interner::new(),
            notices: Vec::new(),
            parts: Vec::new(),
            fuses: false,
            output: Rc::default(),
            holes: Rc::default(),
            words: Rc::default(),
            unjoined: 0,
            path: Path::default(),
            canonical: false,
            dead: Rc::default(),
            quarantine: None,
            spurious_wakeups: false,
            bounded: false,
            reused: false,
        }
    }

    // ---- threads
    // ---------------------------------------------------------------------------------------------

    /// A thread.
    #[inline]
    pub fn thread(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index()]
    }

    /// The core of the *acting* thread, which was saved when the step began.
    #[inline]
    pub fn own_core(&mut self, thread: ThreadId) -> &mut Core {
        &mut self.threads[thread.index()].core
    }

    /// The core of *another* thread: saved in the log first. (Also right for the acting one.)
    pub fn core_mut(&mut self, thread: ThreadId) -> &mut Core {
        let core = &mut self.threads[thread.index()].core;
        self.log.cores.push(*core);
        self.log.entries.push(Undo::Core(thread));
        core
    }

    /// Replaces a thread's pending action.
    #[inline]
    pub(crate) fn set_pending(&mut self, thread: ThreadId, pending: Pending) {
        if self.pending[thread.index()] != pending {
            self.put_pending(thread, pending);
        }
    }

    /// The same where it is hardly the one that it was.
    #[inline]
    pub(crate) fn put_pending(&mut self, thread: ThreadId, pending: Pending) {
        self.needs[thread.index()] = needed(&pending);
        let old = std::mem::replace(&mut self.pending[thread.index()], pending);
        self.log.pendings.push(old);
        self.log.entries.push(Undo::Pending(thread));
    }

    /// Saves what a step of the thread changes most: its core and the registers of its current
    /// frame.
    #[inline]
    pub(crate) fn begin_step(&mut self, thread: ThreadId) -> &mut Core {
        let t = &mut self.threads[thread.index()];
        self.log.cores.push(t.core);
        self.log.entries.push(Undo::Core(thread));
        t.low_depth = t.core.depth;
        if t.core.depth > 0 {
            let start = t.core.frame.base;
            let saved = &t.regs[start as usize..];
            self.log.values.extend_from_slice(saved);
            self.log.entries.push(Undo::Regs {
                thread,
                start,
                len: saved.len() as u32,
            });
        } else {
            // Going back over the thread's start leaves its registers.
            t.regs.clear();
        }
        &mut t.core
    }

    /// Saves a suspended frame that is about to be resumed, with its registers `[frame.base, end)`.
    pub(crate) fn save_frame(&mut self, thread: ThreadId, index: u32, end: u32) {
        let t = &self.threads[thread.index()];
        let frame = t.frames[index as usize];
        let saved = &t.regs[frame.base as usize..end as usize];
        self.log.values.extend_from_slice(saved);
        self.log.entries.push(Undo::Regs {
            thread,
            start: frame.base,
            len: saved.len() as u32,
        });
        self.log.frames.push(frame);
        self.log.entries.push(Undo::Frame { thread, index });
    }

    pub(crate) fn push_local(&mut self, thread: ThreadId, base: u64) {
        self.threads[thread.index()].locals.push(base);
        self.log.entries.push(Undo::LocalPushed(thread));
    }

    pub(crate) fn pop_local(&mut self, thread: ThreadId) -> Option<u64> {
        let base = self.threads[thread.index()].locals.pop()?;
        self.log.entries.push(Undo::LocalPopped(thread, base));
        Some(base)
    }

    /// Adds a thread; its pending action is set by the caller afterwards.
    pub(crate) fn push_thread(&mut self, thread: Thread, pending: Pending) -> ThreadId {
        let id = ThreadId::from_index(self.threads.len());
        self.threads.push(thread);
        self.needs.push(needed(&pending));
        self.pending.push(pending);
        self.log.entries.push(Undo::Spawned);
        id
    }

    /// Threads created and not yet joined (main not counted).
    #[inline]
    pub fn unjoined(&self) -> u32 {
        self.unjoined
    }

    /// Notes that a thread, which was not, is joined.
    pub fn join(&mut self, thread: ThreadId) {
        self.threads[thread.index()].core.joined = true;
        let counted = self.unjoined > 0;
        self.unjoined -= u32::from(counted);
        self.log.entries.push(Undo::Joined(thread, counted));
    }

    /// Sets the number of threads not yet joined.
    pub fn set_unjoined(&mut self, count: u32) {
        self.log.entries.push(Undo::Unjoined(self.unjoined));
        self.unjoined = count;
    }

    // ---- synchronisation objects
    // ---------------------------------------------------------------------------------

    /// The synchronisation object at an address, if one was initialised or used there.
    #[inline]
    pub fn sync(&self, address: u64) -> Option<&SyncObject> {
        self.syncs.get(&address)
    }

    /// Sets the synchronisation object at an address.
    pub fn set_sync(&mut self, address: u64, object: SyncObject) {
        let syncs = unshared(&mut self.syncs);
        let old = match syncs.get_mut(&address) {
            Some(known) => Some(std::mem::replace(known, object)),
            None => syncs.insert(address, object),
        };
        self.log.syncs.push(old);
        self.log.entries.push(Undo::Sync(address));
    }

    /// Forgets the synchronisation objects within a range of addresses, whose object is dead.
    pub(crate) fn forget_syncs(&mut self, first: u64, size: u64) {
        let within = |address: &u64| (first..first + size).contains(address);
        let mut old: Vec<u64> = self.syncs.keys().copied().filter(within).collect();
        old.sort_unstable();
        for address in old {
            let object = Rc::make_mut(&mut self.syncs).remove(&address);
            self.log.syncs.push(object);
            self.log.entries.push(Undo::Sync(address));
        }
    }

    // ---- locks held
    // ---------------------------------------------------------------------------------------------

    /// Adds a lock to those that a thread holds.
    pub fn push_held(&mut self, thread: ThreadId, held: Held) {
        self.threads[thread.index()].held.push(held);
        self.log.entries.push(Undo::HeldPushed(thread));
    }

    /// Changes the lock at a position among those that a thread holds.
    pub fn change_held(&mut self, thread: ThreadId, position: usize, held: Held) {
        let old = std::mem::replace(&mut self.threads[thread.index()].held[position], held);
        self.log.helds.push(old);
        self.log.entries.push(Undo::HeldChanged(thread, position as u32));
    }

    /// Removes the lock at a position among those that a thread holds.
    pub fn remove_held(&mut self, thread: ThreadId, position: usize) {
        let old = self.threads[thread.index()].held.remove(position);
        self.log.helds.push(old);
        self.log.entries.push(Undo::HeldRemoved(thread, position as u32));
    }

    // ---- hidden state
    // ---------------------------------------------------------------------------------------------

    /// A hidden word of a model; 0 before it is set. Two threads may share one only through a
    /// visible action.
    #[inline]
    pub(crate) fn word(&self, key: WordKey) -> u64 {
        self.words.get(&key.number()).copied().unwrap_or(0)
    }

    /// Sets a hidden word.
    pub(crate) fn set_word(&mut self, key: WordKey, value: u64) {
        let number = key.number();
        let old = Rc::make_mut(&mut self.words).insert(number, value).unwrap_or(0);
        self.log.entries.push(Undo::Word(number, old));
    }

    /// What the program has printed, with marks where it has holes.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// The symbolic values in the output, in the order of their places.
    pub(crate) fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// Appends to what the program has printed a text with holes, whose places are counted from the
    /// text's beginning.
    pub(crate) fn print_open(&mut self, bytes: &[u8], holes: &[Hole]) {
        let start = self.output.len();
        self.print(bytes);
        if !holes.is_empty() {
            let moved = holes.iter().map(|hole| Hole {
                at: start + hole.at,
                ..*hole
            });
            Rc::make_mut(&mut self.holes).extend(moved);
        }
    }

    /// Appends to what the program has printed.
    pub fn print(&mut self, bytes: &[u8]) {
        self.log.entries.push(Undo::Output(self.output.len() as u32));
        Rc::make_mut(&mut self.output).extend_from_slice(bytes);
    }

    /// The calling context reached by a call at a site.
    pub fn context(&mut self, site: Site) -> ContextId {
        self.contexts.intern((site.context, site.stmt))
    }

    // ---- the path
    // ---------------------------------------------------------------------------------------------

    /// Whether which decisions become data choices must not depend on what concurrent threads
    /// decide, and there may be some.
    pub(crate) fn decides_alone(&self) -> bool {
        self.canonical && self.unjoined > 0
    }

    /// The only value of an expression on this path, if the thread knows it.
    pub(crate) fn known(&self, thread: ThreadId, expr: Expr) -> Option<u128> {
        let who = if self.canonical {
            known_to(thread)
        } else {
            EVERYBODY
        };
        self.path.known(who, expr)
    }

    /// Who knows what a thread learns now: while it is alone, all threads to come.
    fn learner(&self, thread: ThreadId) -> u32 {
        if self.decides_alone() {
            known_to(thread)
        } else {
            EVERYBODY
        }
    }

    /// Adds the outcome of a thread's decision to the path, with inputs that satisfy it too.
    pub(crate) fn constrain(&mut self, thread: ThreadId, arm: &Arm) {
        let (who, region) = (self.learner(thread), self.thread(thread).region);
        self.path.constrain(&self.memory.tags.arena, who, region, arm);
        self.log.entries.push(Undo::Path);
    }

    /// Notes that an expression has only this value on the path.
    pub(crate) fn learn(&mut self, thread: ThreadId, expr: Expr, value: u128) {
        let who = self.learner(thread);
        if self.path.note(&self.memory.tags.arena, who, expr, value) {
            self.log.entries.push(Undo::Path);
        }
    }

    /// A thread's past is now part of another's: it was joined, or has created it.
    pub(crate) fn tell(&mut self, from: ThreadId, to: ThreadId) {
        if self.canonical && self.path.tell(known_to(from), known_to(to)) {
            self.log.entries.push(Undo::Path);
        }
    }

    /// Notes that an input was asked for.
    pub(crate) fn ask(&mut self, asked: Asked) {
        self.path.ask(asked);
        self.log.entries.push(Undo::Path);
    }

    /// Sets the alternatives of a thread's data choice, and the action within which it is.
    pub(crate) fn choose_from(&mut self, thread: ThreadId, arms: Rc<[Arm]>, begun: Option<Begun>) {
        self.path.choose_from(thread, arms, begun);
        self.log.entries.push(Undo::Path);
    }

    // ---- for fingerprints
    // ---------------------------------------------------------------------------------------------

    /// The synchronisation objects, in no particular order.
    pub(crate) fn syncs(&self) -> impl Iterator<Item = (u64, &SyncObject)> {
        self.syncs.iter().map(|(&address, object)| (address, object))
    }

    /// The hidden words that are set, in no particular order.
    pub(crate) fn words(&self) -> impl Iterator<Item = (WordKey, u64)> + '_ {
        self.words.iter().map(|(&number, &value)| (number.key(), value))
    }

    /// Synchronisation objects written since a position of the log, each as it was before that
    /// write, oldest first.
    pub(crate) fn written_syncs(&self, mark: usize) -> impl Iterator<Item = (u64, Option<SyncObject>)> + '_ {
        let entries = &self.log.entries[mark..];
        let addresses = entries.iter().filter_map(|e| {
            if let Undo::Sync(address) = e {
                Some(*address)
            } else {
                None
            }
        });
        let first = self.log.syncs.len() - addresses.clone().count();
        addresses.zip(self.log.syncs[first..].iter().copied())
    }

    /// The places whose dead slots changed since a position of the log, each with what was there,
    /// oldest first.
    pub(crate) fn changed_dead(&self, mark: usize) -> &[(Place, Vec<u64>)] {
        let entries = &self.log.entries[mark..];
        let count = entries.iter().filter(|e| matches!(e, Undo::Dead)).count();
        &self.log.dead[self.log.dead.len() - count..]
    }

    // ---- for snapshots
    // ---------------------------------------------------------------------------------------------

    /// Shares what is neither memory nor of a thread.
    pub(crate) fn shared_parts(&self) -> SharedParts {
        SharedParts {
            syncs: self.syncs.clone(),
            words: self.words.clone(),
            output: self.output.clone(),
            holes: self.holes.clone(),
            unjoined: self.unjoined,
            path: self.path.clone(),
            dead: self.dead.clone(),
        }
    }

    /// Returns to such parts and empties the log.
    pub(crate) fn restore_parts(&mut self, parts: &SharedParts) {
        self.syncs.clone_from(&parts.syncs);
        self.words.clone_from(&parts.words);
        self.output.clone_from(&parts.output);
        self.holes.clone_from(&parts.holes);
        self.unjoined = parts.unjoined;
        self.path.clone_from(&parts.path);
        self.dead.clone_from(&parts.dead);
        self.path.commit();
        self.log.clear();
        self.notices.clear();
        self.parts.clear();
    }

    // ---- going back
    // ---------------------------------------------------------------------------------------------

    /// Empties the log: the present state becomes the oldest one.
    pub(crate) fn commit(&mut self) {
        self.memory.commit();
        self.log = Log::default();
        self.path.commit();
    }

    /// Goes back to a length of the log.
    pub(crate) fn undo(&mut self, mark: usize) {
        while self.log.entries.len() > mark {
            let Some(entry) = self.log.entries.pop() else {
                break;
            };
            self.undo_one(entry);
        }
        if !self.notices.is_empty() {
            self.notices.clear();
        }
        self.parts.clear();
    }

    #[inline]
    fn undo_one(&mut self, entry: Undo) {
        const PAIRED: &str = "each log entry has its saved value";
        let log = &mut self.log;
        match entry {
            // Copied from where they are: popped ones would be copied twice.
            Undo::Core(t) => {
                self.threads[t.index()].core = *log.cores.last().expect(PAIRED);
                log.cores.truncate(log.cores.len() - 1);
            }
            Undo::Pending(t) => {
                let pending = log.pendings.last().expect(PAIRED);
                self.needs[t.index()] = needed(pending);
                self.pending[t.index()] = *pending;
                log.pendings.truncate(log.pendings.len() - 1);
            }
            Undo::Regs { thread, start, len } => {
                let from = log.values.len() - len as usize;
                let regs = &mut self.threads[thread.index()].regs;
                let (saved, start) = (&log.values[from..], start as usize);
                if regs.len() == start + saved.len() {
                    regs[start..].copy_from_slice(saved);
                } else {
                    regs.truncate(start);
                    regs.extend_from_slice(saved);
                }
                log.values.truncate(from);
            }
            Undo::Frame { thread, index } => {
                self.threads[thread.index()].frames[index as usize] = log.frames.pop().expect(PAIRED);
            }
            Undo::LocalPushed(t) => {
                self.threads[t.index()].locals.pop();
            }
            Undo::LocalPopped(t, base) => self.threads[t.index()].locals.push(base),
            Undo::Sync(address) => match log.syncs.pop().expect(PAIRED) {
                Some(object) => {
                    unshared(&mut self.syncs).insert(address, object);
                }
                None => {
                    Rc::make_mut(&mut self.syncs).remove(&address);
                }
            },
            Undo::HeldPushed(t) => {
                self.threads[t.index()].held.pop();
            }
            Undo::HeldChanged(t, i) => {
                self.threads[t.index()].held[i as usize] = log.helds.pop().expect(PAIRED)
            }
            Undo::HeldRemoved(t, i) => {
                self.threads[t.index()]
                    .held
                    .insert(i as usize, log.helds.pop().expect(PAIRED));
            }
            Undo::Spawned => {
                self.threads.pop();
                self.pending.pop();
                self.needs.pop();
            }
            Undo::Output(len) => {
                Rc::make_mut(&mut self.output).truncate(len as usize);
                if self.holes.last().is_some_and(|hole| hole.at >= len as usize) {
                    let kept = self.holes.partition_point(|hole| hole.at < len as usize);
                    Rc::make_mut(&mut self.holes).truncate(kept);
                }
            }
            Undo::Unjoined(count) => self.unjoined = count,
            Undo::Path => self.path.undo_one(),
            Undo::Dead => {
                let (place, slots) = log.dead.pop().expect(PAIRED);
                let dead = Rc::make_mut(&mut self.dead);
                if slots.is_empty() {
                    dead.remove(&place);
                } else {
                    dead.insert(place, slots);
                }
            }
            Undo::Joined(t, counted) => {
                self.threads[t.index()].core.joined = false;
                self.unjoined += u32::from(counted);
            }
            Undo::Word(number, value) => {
                Rc::make_mut(&mut self.words).insert(number, value);
            }
        }
    }
}
