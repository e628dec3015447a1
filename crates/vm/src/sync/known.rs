//! How an address is turned into a synchronisation object.
//!
//! Objects are kept beside memory, by address. An address not yet known may hold a static
//! initialiser: its bytes say so (glibc's on x86-64: all zero but for the kind). In C and C++
//! sources the initialisers of our own `<pthread.h>` (`crates/frontend/include`) leave a mark
//! beside, so that initialising what has one can be told from initialising zeroed memory. Modules
//! that somebody else compiled, and preprocessed sources, have none: there the two look the same.
//! An entry ends where another object of the machine's memory begins in its slot, and where the
//! program writes over it (`machine/state/anew.rs`). So it cannot be mistaken for an older
//! object's.

use super::object::{Kind, Mutex, MutexKind, Once, Robust, SyncObject};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::value::Value;
use selvedge_base::ThreadId;
use selvedge_model::{FaultKind, ObjectId};

/// The number of `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`, the only kind with which glibc
/// lets readers wait for a writer that waits.
pub(super) const PREFERS_WRITERS: u32 = 2;

/// Locks on which readers wait for writers that wait are not modelled.
pub(super) const PREFERENCE: &str = "a read-write lock that prefers writers";

/// Checks that an object of this kind fits at the address, in live memory.
#[inline]
pub(super) fn check(cx: &Cx<'_>, address: u64, kind: Kind) -> Result<(), Stop> {
    match cx.state.memory.check_again(address, kind.size()) {
        Ok(()) => Ok(()),
        Err(error) => Err(cx.memory_fault(error, address, kind.size(), true)),
    }
}

/// The object of this kind at an address: known, or statically initialised.
#[inline]
pub(super) fn get(cx: &Cx<'_>, address: u64, kind: Kind) -> Result<SyncObject, Stop> {
    check(cx, address, kind)?;
    match cx.state.sync(address) {
        Some(object) if object.kind() == kind && !matches!(object, SyncObject::Destroyed { .. }) => {
            Ok(*object)
        }
        Some(object) => Err(wrong(cx, address, kind, *object)),
        None => fresh(cx, address, kind),
    }
}

#[cold]
fn wrong(cx: &Cx<'_>, address: u64, kind: Kind, object: SyncObject) -> Stop {
    let (fault, text) = match object {
        SyncObject::Destroyed { kind: was } if was == kind => (
            FaultKind::UseDestroyed,
            format!("use of a {} that was destroyed", kind.name()),
        ),
        other => {
            let text = format!("a {} is used as a {}", other.kind().name(), kind.name());
            (FaultKind::PthreadOther, text)
        }
    };
    cx.fault_on(fault, text, ObjectId(address))
}

/// What our own static initialisers have where glibc's have zero.
const MARK: u32 = 0x5e1d;

/// Which word of an object not used before has the mark of a static initialiser.
fn mark_in(words: &[u32], kind: Kind) -> Option<usize> {
    let places: &[usize] = match kind {
        Kind::Mutex => &[5], // __spins
        // __g1_orig_size; glibc 2.41 has no __g_refs before it.
        Kind::Cond => &[8, 6],
        Kind::RwLock => &[4], // __pad3
        _ => &[],
    };
    places.iter().copied().find(|&i| words.get(i) == Some(&MARK))
}

/// Whether the bytes at an address not used before have the mark of a static initialiser.
fn has_mark(cx: &Cx<'_>, address: u64, kind: Kind) -> bool {
    let word = |i| cx.state.memory.peek_checked(address + 4 * i, 4);
    let words: Vec<u32> = (0..kind.size() / 4)
        .map(word)
        .map(|value| if value.is_concrete() { value.bits as u32 } else { 0 })
        .collect();
    mark_in(&words, kind).is_some()
}

/// What the bytes at an address not used before stand for.
#[cold]
fn fresh(cx: &Cx<'_>, address: u64, kind: Kind) -> Result<SyncObject, Stop> {
    let bad = |why: &str| {
        let text = format!("use of a {} that {why}", kind.name());
        Err(cx.fault_on(FaultKind::UseUninitialized, text, ObjectId(address)))
    };
    let mut words = [0u32; 14];
    for (i, word) in words.iter_mut().enumerate().take(kind.size() as usize / 4) {
        let value = cx.state.memory.peek_checked(address + 4 * i as u64, 4);
        *word = match cx.concrete(value, "an object of the threads library") {
            Ok(bits) => bits as u32,
            Err(ask @ Flow::Symbolic(_)) => return Err(ask),
            Err(_) => return bad("was never initialised"),
        };
    }
    if let Some(i) = mark_in(&words, kind) {
        words[i] = 0;
    }
    let special = match kind {
        Kind::Mutex => Some(4),
        Kind::RwLock => Some(12),
        _ => None,
    };
    let choice = special.map_or(0, |i| std::mem::take(&mut words[i]));
    if words.iter().any(|&w| w != 0) {
        return bad("is neither initialised nor a static initialiser");
    }
    match (kind, choice) {
        (Kind::Mutex, 0..=3) => Ok(SyncObject::Mutex(Mutex {
            owner: None,
            kind: mutex_kind(choice),
            robust: Robust::No,
        })),
        (Kind::Cond, 0) => Ok(SyncObject::Cond { waiters: 0, mutex: 0 }),
        (Kind::RwLock, PREFERS_WRITERS) => Err(Flow::Unsupported(PREFERENCE.into())),
        (Kind::RwLock, 0..=1) => Ok(SyncObject::RwLock {
            writer: None,
            readers: 0,
        }),
        (Kind::Once, 0) => Ok(SyncObject::Once(Once::New)),
        (Kind::Mutex | Kind::RwLock, _) => bad("is neither initialised nor a static initialiser"),
        _ => bad("was never initialised"),
    }
}

/// The kind of mutex that a number of `PTHREAD_MUTEX_*` stands for.
pub(super) const fn mutex_kind(number: u32) -> MutexKind {
    match number {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    }
}

/// Makes a new object at an address; a live one there, or one with a static initialiser, is
/// initialised twice.
pub(super) fn init(cx: &mut Cx<'_>, address: u64, object: SyncObject) -> Result<(), Stop> {
    let kind = object.kind();
    check(cx, address, kind)?;
    if let Some(known) = cx.state.sync(address)
        && !matches!(known, SyncObject::Destroyed { .. })
    {
        let text = format!("a {} is initialised twice", known.kind().name());
        return Err(cx.fault_on(FaultKind::DoubleInit, text, ObjectId(address)));
    }
    if cx.state.sync(address).is_none() && has_mark(cx, address, kind) {
        let text = format!(
            "a {} that has a static initialiser is initialised again",
            kind.name()
        );
        return Err(cx.fault_on(FaultKind::DoubleInit, text, ObjectId(address)));
    }
    cx.state.memory.fill(address, kind.size(), Value::new(0));
    if let SyncObject::Mutex(Mutex { kind, .. }) = object {
        let number = match kind {
            MutexKind::Normal => 0,
            MutexKind::Recursive => 1,
            MutexKind::ErrorCheck => 2,
        };
        cx.state.memory.poke_checked(address + 16, 4, Value::new(number));
    }
    cx.state.set_sync(address, object);
    Ok(())
}

/// Ends an object that nobody uses.
pub(super) fn destroy(cx: &mut Cx<'_>, address: u64, kind: Kind) {
    cx.state.set_sync(address, SyncObject::Destroyed { kind });
}

/// Whether a thread runs the routine of a once control that was called from a frame, or above it.
pub(super) fn runs_once_above(state: &State, thread: ThreadId, depth: u32) -> bool {
    let held = state.thread(thread).held.iter();
    let mut held = held.filter(|held| held.count >= depth);
    held.any(|held| matches!(state.sync(held.object.0), Some(SyncObject::Once(_))))
}
