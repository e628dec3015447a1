//! The state of the program under test, and its undo log.
//!
//! *Invariant*: everything that a step can change is undone in one of two ways. The step saves it
//! completely when it begins (the acting thread's `Core` and the registers of its current frame).
//! Or a method here changes it and writes a log entry first. The fields are private to this folder,
//! so there is no other way, with one exception: `State::acting`, which is visible in the machine
//! and not in models.

mod again;
mod anew;
#[cfg(feature = "laboratory")]
mod kept;
mod log;
mod modes;
mod names;
mod place;
mod quarantine;
mod replaced;

#[cfg(feature = "laboratory")]
pub(crate) use kept::Kept;
pub(crate) use log::Undo;
pub(crate) use modes::Modes;
pub use names::thread_name;
pub(crate) use place::Place;

use crate::awaits::{Stand, Stands};
use crate::libc::holes::Hole;
use crate::memory::{Memory, Site, unshared};
use crate::symbolic::{Arm, Asked, Begun, EVERYBODY, Path, known_to};
use crate::sync::{SyncObject, needed};
use crate::thread::{Core, Held, Thread};
use crate::value::Value;
use crate::word::{WordKey, WordNumber};
use log::Log;
use rustc_hash::FxHashMap;
use selvedge_base::{ContextId, Id, Interner, StmtId, ThreadId};
use selvedge_expr::Expr;
use selvedge_model::{Notice, Part, Pending, Waiters};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The state. See the module's documentation.
pub struct State {
    /// Memory, with an undo log and private fields of its own.
    pub memory: Memory,
    modes: Modes,
    threads: Vec<Thread>,
    pending: Vec<Pending>,
    /// For each thread, what its pending action needs of other threads (`sync::needed`).
    needs: Vec<u64>,
    syncs: Rc<FxHashMap<u64, SyncObject>>,
    log: Log,
    /// Interned calling contexts: (caller's context, call statement). Context 0 is the empty one.
    contexts: Interner<ContextId, (ContextId, StmtId)>,
    /// Lists of places to which threads may return. They only grow.
    stands: Stands,
    /// Interned sets of threads.
    sets: Interner<Waiters, Vec<ThreadId>>,
    notices: Vec<Notice>,
    /// Visible actions performed within the last step.
    parts: Vec<Part>,
    output: Rc<Vec<u8>>,
    /// Symbolic values in the output, in the order of their places.
    holes: Rc<Vec<Hole>>,
    /// Hidden words of models.
    words: Rc<FxHashMap<WordNumber, u64>>,
    /// Threads created and not yet joined.
    unjoined: u32,
    /// How often a thread was begun again.
    begun_again: usize,
    /// The conditions under which this path is taken.
    path: Path,
    /// Dead slots that will be reused.
    dead: Rc<FxHashMap<Place, Vec<u64>>>,
    /// True if there were ever many ([`Vm::has_many_dead`](crate::Vm::has_many_dead)), in an
    /// execution undone or not.
    many_dead: bool,
    /// True if a time was ever used absolutely ([`State::use_absolute_time`]), in an execution
    /// undone or not.
    pub(crate) absolute_time: Cell<bool>,
    /// What the program calls its threads. Only reports read it, so it is no part of fingerprints:
    /// two threads may name a third one in either order.
    labels: BTreeMap<ThreadId, Rc<str>>,
}

impl State {
    pub(crate) fn new() -> State {
        let mut contexts = Interner::new();
        contexts.intern((ContextId(0), StmtId(u32::MAX)));
        State {
            memory: Memory::default(),
            modes: Modes::default(),
            threads: Vec::new(),
            pending: Vec::new(),
            needs: Vec::new(),
            syncs: Rc::default(),
            log: Log::default(),
            contexts,
            stands: Stands::default(),
            sets: Interner::new(),
            notices: Vec::new(),
            parts: Vec::new(),
            output: Rc::default(),
            holes: Rc::default(),
            words: Rc::default(),
            unjoined: 0,
            begun_again: 0,
            path: Path::default(),
            dead: Rc::default(),
            many_dead: false,
            absolute_time: Cell::new(false),
            labels: BTreeMap::new(),
        }
    }

    /// The machine's modes.
    #[inline]
    pub(crate) fn modes(&self) -> &Modes {
        &self.modes
    }

    /// The machine's modes; they must be set before the first step.
    pub(in crate::machine) fn modes_mut(&mut self) -> &mut Modes {
        &mut self.modes
    }

    // ---- threads
    // ---------------------------------------------------------------------------------------------

    /// A thread.
    #[inline]
    pub fn thread(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index()]
    }

    /// All threads, by number.
    #[inline]
    pub(crate) fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The *acting* thread. Its core and the registers of its current frame were saved when the
    /// step began. Every other change of it needs a log entry of its own.
    #[inline(always)]
    pub(in crate::machine) fn acting(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.index()]
    }

    /// The acting thread, and memory beside it.
    #[inline(always)]
    pub(in crate::machine) fn acting_and_memory(&mut self, thread: ThreadId) -> (&mut Thread, &Memory) {
        (&mut self.threads[thread.index()], &self.memory)
    }

    /// Sets a register of the acting thread's current frame.
    pub(crate) fn set_own_register(&mut self, thread: ThreadId, slot: usize, value: Value) {
        let t = &mut self.threads[thread.index()];
        let base = t.core.frame.base as usize;
        t.regs[base + slot] = value;
    }

    /// The pending actions, by thread.
    #[inline]
    pub(crate) fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// For each thread, what its pending action needs of other threads (`sync::needed`).
    #[inline]
    pub(in crate::machine) fn needs(&self) -> &[u64] {
        &self.needs
    }

    /// The core of the *acting* thread, which was saved when the step began.
    #[inline]
    pub fn own_core(&mut self, thread: ThreadId) -> &mut Core {
        &mut self.threads[thread.index()].core
    }

    /// The core of *another* thread; it is first saved in the log. (This is also correct for the
    /// acting thread.)
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

    /// Replaces a pending action that very likely changes.
    #[inline]
    pub(in crate::machine) fn put_pending(&mut self, thread: ThreadId, pending: Pending) {
        self.needs[thread.index()] = needed(&pending);
        let place = &mut self.pending[thread.index()];
        self.log.pendings.extend_from_slice(std::slice::from_ref(place));
        *place = pending;
        self.log.entries.push(Undo::Pending(thread));
    }

    /// Saves the parts of the thread that a step changes most: its core and the registers of its
    /// current frame.
    #[inline]
    pub(in crate::machine) fn begin_step(&mut self, thread: ThreadId) -> &mut Core {
        let t = &mut self.threads[thread.index()];
        // Pushed as a slice, it is copied once instead of twice.
        self.log.cores.extend_from_slice(std::slice::from_ref(&t.core));
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
            // Undoing the thread's start leaves its registers.
            t.regs.clear();
        }
        &mut t.core
    }

    /// Saves a suspended frame that is about to be resumed, with its registers `[frame.base, end)`.
    pub(in crate::machine) fn save_frame(&mut self, thread: ThreadId, index: u32, end: u32) {
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

    pub(in crate::machine) fn push_local(&mut self, thread: ThreadId, base: u64) {
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

    /// True if accesses need not be seen because there is no other thread. Joined threads may have
    /// left several last writes, in any order.
    #[inline]
    pub fn is_lone(&self) -> bool {
        self.unjoined == 0 && !(self.modes.lone && self.threads.len() > 1)
    }

    /// Notes that a thread, which was not, is joined.
    pub fn join(&mut self, thread: ThreadId, joiner: ThreadId) {
        let joined = &mut self.threads[thread.index()];
        joined.core.joined = true;
        joined.core.free = joined.parent == joiner && !joined.core.left_locks;
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
            None => {
                self.memory.watch(address, object.kind().size());
                syncs.insert(address, object)
            }
        };
        self.log.syncs.push(old);
        self.log.entries.push(Undo::Sync(address));
    }

    /// Removes the synchronisation objects within a range of addresses, because the object there is
    /// dead.
    pub(crate) fn forget_syncs(&mut self, first: u64, size: u64) {
        let within = |address: &u64| (first..first + size).contains(address);
        let old: Vec<u64> = match size < self.syncs.len() as u64 {
            true => (first..first + size)
                .filter(|address| self.syncs.contains_key(address))
                .collect(),
            false => {
                let mut old: Vec<u64> = self.syncs.keys().copied().filter(within).collect();
                old.sort_unstable();
                old
            }
        };
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

    /// A hidden word of a model; 0 before it is set. Two threads may share a hidden word only
    /// through a visible action.
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

    /// The program's output, with marks where it has holes.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// The symbolic values in the output, in the order of their places.
    pub(crate) fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// Appends a text with holes to the program's output. The places of the holes are counted from
    /// the text's beginning.
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

    /// Appends to the program's output.
    pub fn print(&mut self, bytes: &[u8]) {
        self.log.entries.push(Undo::Output(self.output.len() as u32));
        Rc::make_mut(&mut self.output).extend_from_slice(bytes);
    }

    /// What the program calls a thread, if it has named it.
    pub(crate) fn label(&self, thread: ThreadId) -> Option<&str> {
        self.labels.get(&thread).map(AsRef::as_ref)
    }

    /// Names a thread, for reports.
    pub(crate) fn set_label(&mut self, thread: ThreadId, label: &str) {
        let old = self.labels.insert(thread, label.into());
        self.log.labels.push(old);
        self.log.entries.push(Undo::Label(thread));
    }

    // ---- the present step
    // ---------------------------------------------------------------------------------------------

    /// The notices of the step.
    #[inline]
    pub(crate) fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Adds a notice.
    pub(crate) fn notify(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Drops the notices.
    #[inline]
    pub(in crate::machine) fn clear_notices(&mut self) {
        if !self.notices.is_empty() {
            self.notices.clear();
        }
    }

    /// Takes the notices and parts of the last step away, for [`put_report`](State::put_report).
    pub(crate) fn take_report(&mut self) -> (Vec<Notice>, Vec<Part>) {
        (std::mem::take(&mut self.notices), std::mem::take(&mut self.parts))
    }

    /// Puts the notices and parts of the last step back.
    pub(crate) fn put_report(&mut self, (notices, parts): (Vec<Notice>, Vec<Part>)) {
        (self.notices, self.parts) = (notices, parts);
    }

    /// The lists of places to which threads may return.
    pub(crate) fn stands(&self) -> &Stands {
        &self.stands
    }

    /// The number of such a list.
    pub(crate) fn number_stands(&mut self, list: Vec<Stand>) -> u32 {
        self.stands.number(list)
    }

    /// Visible actions performed within the step.
    #[inline]
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Begins another visible action within the step.
    #[inline]
    pub(crate) fn push_part(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// One of these actions, to set its outcome.
    pub(in crate::machine) fn part_mut(&mut self, index: usize) -> Option<&mut Part> {
        self.parts.get_mut(index)
    }

    /// Drops the parts, at the beginning of a step.
    #[inline]
    pub(in crate::machine) fn clear_parts(&mut self) {
        self.parts.clear();
    }

    /// Undoes a model's changes since these positions of the two logs, and restores the core of the
    /// acting thread. Notices and parts of the step from before stay.
    pub(crate) fn take_back(&mut self, thread: ThreadId, core: Core, position: usize, memory: usize) {
        let notices = std::mem::take(&mut self.notices);
        let parts = std::mem::take(&mut self.parts);
        self.undo(position);
        self.memory.undo(memory);
        *self.own_core(thread) = core;
        (self.notices, self.parts) = (notices, parts);
    }

    // ---- interned
    // ---------------------------------------------------------------------------------------------

    /// The number of a set of threads.
    pub(crate) fn intern_set(&mut self, threads: Vec<ThreadId>) -> Waiters {
        self.sets.intern(threads)
    }

    /// The threads of a set.
    pub(crate) fn set(&self, set: Waiters) -> &[ThreadId] {
        self.sets.get(set)
    }

    /// The context from which a calling context was reached, and the call.
    pub(crate) fn caller(&self, context: ContextId) -> (ContextId, StmtId) {
        *self.contexts.get(context)
    }

    /// The calling context reached by a call at a site.
    pub fn context(&mut self, site: Site) -> ContextId {
        self.contexts.intern((site.context, site.stmt))
    }

    // ---- the path
    // ---------------------------------------------------------------------------------------------

    /// True if the set of decisions that become data choices must not depend on the decisions of
    /// concurrent threads, and there may be such threads.
    pub(crate) fn decides_alone(&self) -> bool {
        self.modes.canonical && self.unjoined > 0
    }

    /// The path. Only the methods below change it.
    #[inline]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The only value of an expression on this path, if the thread knows it.
    pub(crate) fn known(&self, thread: ThreadId, expr: Expr) -> Option<u128> {
        if let Some(value) = self.of_clocks(expr) {
            return Some(value);
        }
        let who = if self.modes.canonical {
            known_to(thread)
        } else {
            EVERYBODY
        };
        self.path.known(who, expr)
    }

    /// The owner of the knowledge that a thread gets now: every thread if this thread is alone
    /// (later threads inherit it), otherwise the thread.
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

    /// Records that an expression has only this value on the path.
    pub(crate) fn learn(&mut self, thread: ThreadId, expr: Expr, value: u128) {
        let who = self.learner(thread);
        if self.path.note(&self.memory.tags.arena, who, expr, value) {
            self.log.entries.push(Undo::Path);
        }
    }

    /// A thread's past becomes part of another thread's: it was joined by that thread, or has
    /// created it. The other's clock is not behind its own from then on.
    pub(crate) fn tell(&mut self, from: ThreadId, to: ThreadId) {
        if !self.thread(to).core.clock_joined {
            self.set_clock(from, to);
        }
        if self.modes.canonical && self.path.tell(known_to(from), known_to(to)) {
            self.log.entries.push(Undo::Path);
        }
    }

    /// A thread's clock goes on from another one's time, if that is later.
    fn set_clock(&mut self, from: ThreadId, to: ThreadId) {
        let (theirs, own) = (self.word(WordKey::Clock(from)), self.word(WordKey::Clock(to)));
        if theirs > own {
            self.set_word(WordKey::Clock(to), theirs);
        }
        let next = theirs.max(own);
        let (theirs, own) = (self.thread(from).core, self.thread(to).core);
        let is_later = theirs.time > own.time && u64::from(theirs.time) >= next;
        if is_later || theirs.clock_steps > own.clock_steps {
            let core = self.core_mut(to);
            core.time = if is_later { theirs.time } else { own.time };
            core.clock_steps = own.clock_steps.max(theirs.clock_steps);
        }
    }

    /// A thread joins another one, before its clock [goes on](Self::tell) from the later time of
    /// the two. Which one is later is no relative question. The answer matters if the thread has
    /// used its clock, unless the other one still has the time that the thread itself gave it. The
    /// clock is then left as it is: any later use of it is an absolute one.
    pub(crate) fn join_clock(&mut self, from: ThreadId, to: ThreadId) {
        let (theirs, own) = (self.thread(from).core, self.thread(to).core);
        let is_used = |thread, core: &Core| self.word(WordKey::Clock(thread)) > 0 || core.time > 0;
        let is_behind = self.thread(from).parent == to && !theirs.clock_moved;
        if !self.modes.relative_clocks || is_behind || !is_used(from, &theirs) {
            return;
        }
        let joined = own.clock_joined || is_used(to, &own);
        let core = self.core_mut(to);
        core.clock_joined = joined;
        core.clock_moved = true;
    }

    /// Records that an input was requested.
    pub(crate) fn ask(&mut self, asked: Asked) {
        self.path.ask(asked);
        self.log.entries.push(Undo::Path);
    }

    /// Sets the alternatives of a thread's data choice, and the action to which it belongs.
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

    /// The hidden words that are tags of values, other than 0, in no particular order.
    pub(crate) fn tag_words(&self) -> impl Iterator<Item = (WordKey, u64)> + '_ {
        let set = self.words.iter().filter(|&(_, &value)| value != 0);
        let records = set.filter(|(number, _)| number.is_record());
        let keys = records.map(|(&number, &value)| (number.key(), value));
        keys.filter(|(key, _)| key.is_tag())
    }
}
