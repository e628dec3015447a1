//! The undo log of the state.

use super::State;
use super::place::{DeadChange, Place};
use crate::machine::thread::{Core, Frame, Held, Thread};
use crate::memory::unshared;
use crate::sync::{SyncObject, needed};
use crate::value::Value;
use crate::word::WordNumber;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, ThreadId};
use selvedge_model::Pending;
use std::rc::Rc;

/// One change that can be undone. Large old values are on separate stacks and are popped in the
/// same order.
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
    /// A thread was begun again: `threads`.
    BegunAgain(ThreadId),
    /// Output was appended; its length before.
    Output(u32),
    /// A word of the process's or a model's hidden state changed.
    Word(WordNumber, u64),
    /// A thread was joined; the flag says whether it had been counted as not joined.
    Joined(ThreadId, bool),
    /// The number of threads not joined changed.
    Unjoined(u32),
    /// The path changed; the path's own log has the old value.
    Path,
    /// The dead slots at a place changed: `dead`.
    Dead,
    /// A thread got another name: `labels`.
    Label(ThreadId),
}

/// The undo log.
#[derive(Default)]
pub(super) struct Log {
    pub entries: Vec<Undo>,
    pub cores: Vec<Core>,
    pub pendings: Vec<Pending>,
    pub values: Vec<Value>,
    pub frames: Vec<Frame>,
    pub syncs: Vec<Option<SyncObject>>,
    pub helds: Vec<Held>,
    pub dead: Vec<(Place, DeadChange)>,
    pub labels: Vec<Option<Rc<str>>>,
    pub threads: Vec<Thread>,
}

impl Log {
    /// Empties the log and keeps its allocation.
    #[cfg(feature = "laboratory")]
    pub fn clear(&mut self) {
        self.entries.clear();
        self.cores.clear();
        self.pendings.clear();
        self.values.clear();
        self.frames.clear();
        self.syncs.clear();
        self.helds.clear();
        self.dead.clear();
        self.labels.clear();
        self.threads.clear();
    }
}

impl State {
    // ---- what changed
    // ---------------------------------------------------------------------------------------------

    /// The present length of the log.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.log.entries.len()
    }

    /// The changes since a position of the log, oldest first.
    #[inline]
    pub(crate) fn changes(&self, position: usize) -> &[Undo] {
        &self.log.entries[position..]
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

    /// The places whose dead slots changed since a position of the log, each with its old slots.
    pub(crate) fn changed_dead(&self, mark: usize) -> Vec<(Place, Vec<u64>)> {
        let entries = &self.log.entries[mark..];
        let count = entries.iter().filter(|e| matches!(e, Undo::Dead)).count();
        let mut old: Vec<(Place, Vec<u64>)> = Vec::new();
        let mut at: FxHashMap<Place, usize> = FxHashMap::default();
        for (place, change) in self.log.dead[self.log.dead.len() - count..].iter().rev() {
            let index = *at.entry(*place).or_insert_with(|| {
                old.push((*place, self.dead(*place).to_vec()));
                old.len() - 1
            });
            change.clone().undo(&mut old[index].1);
        }
        old
    }

    // ---- going back
    // ---------------------------------------------------------------------------------------------

    /// Empties the log: the present state becomes the oldest one.
    pub(in crate::machine) fn commit(&mut self) {
        self.memory.commit();
        self.log = Log::default();
        self.path.commit();
    }

    /// Undoes all changes after a length of the log.
    pub(in crate::machine) fn undo(&mut self, mark: usize) {
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
            // Copied in place: popped values would be copied twice.
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
                Some(object) => match unshared(&mut self.syncs).get_mut(&address) {
                    Some(known) => *known = object,
                    None => {
                        Rc::make_mut(&mut self.syncs).insert(address, object);
                    }
                },
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
            Undo::BegunAgain(t) => {
                self.threads[t.index()] = log.threads.pop().expect(PAIRED);
                self.begun_again -= 1;
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
                let (place, change) = log.dead.pop().expect(PAIRED);
                let dead = Rc::make_mut(&mut self.dead);
                let slots = dead.entry(place).or_default();
                change.undo(slots);
                if slots.is_empty() {
                    dead.remove(&place);
                }
            }
            Undo::Label(t) => match log.labels.pop().expect(PAIRED) {
                Some(label) => {
                    self.labels.insert(t, label);
                }
                None => {
                    self.labels.remove(&t);
                }
            },
            Undo::Joined(t, counted) => {
                let core = &mut self.threads[t.index()].core;
                (core.joined, core.free) = (false, false);
                self.unjoined += u32::from(counted);
            }
            Undo::Word(number, value) => {
                Rc::make_mut(&mut self.words).insert(number, value);
            }
        }
    }
}
