//! What is known about each synchronisation object, and how an address is turned into one.
//!
//! Objects are kept beside memory, by address. An address not yet known may hold a static
//! initialiser: its bytes say so (glibc's on x86-64: all zero but for the kind). In C and C++
//! sources the initialisers of our own `<pthread.h>` (`crates/frontend/include`) leave a mark
//! beside, so that initialising what has one can be told from initialising zeroed memory. Modules
//! that somebody else compiled, and preprocessed sources, have none: there the two look the same.
//! Addresses of objects that escape are never used again for another object, so an entry can never
//! be mistaken for an older object's.

use crate::native::{Cx, Flow, Performed, Prepared, Stop};
use crate::state::State;
use crate::value::Value;
use selvedge_base::ThreadId;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome};

/// The state of a synchronisation object. Counts of recursion lie with the thread (`Held::count`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncObject {
    /// A mutex.
    Mutex(Mutex),
    /// A condition variable.
    Cond {
        /// How many threads wait and were not woken.
        waiters: u32,
        /// The mutex they use.
        mutex: u64,
    },
    /// A read-write lock.
    RwLock {
        /// Who holds it for writing.
        writer: Option<ThreadId>,
        /// How often it is held for reading, over all threads.
        readers: u32,
    },
    /// A barrier.
    Barrier {
        /// How many threads make a round.
        count: u32,
        /// How many have arrived in this round.
        arrived: u32,
        /// How many of earlier rounds have not left yet.
        leaving: u32,
    },
    /// A spin lock.
    Spin {
        /// Who holds it.
        owner: Option<ThreadId>,
    },
    /// A semaphore.
    Sem {
        /// Its value.
        value: u32,
    },
    /// `pthread_once_t`, or the guard of a local static of C++.
    Once(Once),
    /// Anything that was destroyed.
    Destroyed {
        /// What it was.
        kind: Kind,
    },
}

/// The state of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mutex {
    /// Who holds it.
    pub owner: Option<ThreadId>,
    /// Which kind of mutex it is.
    pub kind: MutexKind,
    /// What happened to its owners.
    pub robust: Robust,
}

/// Kinds of mutexes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexKind {
    /// `PTHREAD_MUTEX_NORMAL`, `_DEFAULT`, `_ADAPTIVE_NP`, `mtx_plain`.
    Normal,
    /// `PTHREAD_MUTEX_RECURSIVE`.
    Recursive,
    /// `PTHREAD_MUTEX_ERRORCHECK`.
    ErrorCheck,
}

/// Robustness of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Robust {
    /// Not robust.
    No,
    /// Robust and consistent.
    Consistent,
    /// An owner died; nobody has called `pthread_mutex_consistent` since.
    OwnerDied,
    /// Unlocked without having been made consistent: never usable again.
    NotRecoverable,
}

/// The state of a once control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Once {
    /// The routine did not run.
    New,
    /// It runs in this thread.
    Running(ThreadId),
    /// It ran.
    Done,
}

/// Families of synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `pthread_mutex_t`.
    Mutex,
    /// `pthread_cond_t`.
    Cond,
    /// `pthread_rwlock_t`.
    RwLock,
    /// `pthread_barrier_t`.
    Barrier,
    /// `pthread_spinlock_t`.
    Spin,
    /// `sem_t`.
    Sem,
    /// `pthread_once_t`.
    Once,
}

const _: () = assert!(size_of::<SyncObject>() <= 24);

impl Kind {
    /// Size in bytes on x86-64 Linux.
    pub const fn size(self) -> u64 {
        match self {
            Kind::Mutex => 40,
            Kind::Cond => 48,
            Kind::RwLock => 56,
            Kind::Barrier | Kind::Sem => 32,
            Kind::Spin | Kind::Once => 4,
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Mutex => "mutex",
            Kind::Cond => "condition variable",
            Kind::RwLock => "read-write lock",
            Kind::Barrier => "barrier",
            Kind::Spin => "spin lock",
            Kind::Sem => "semaphore",
            Kind::Once => "once control",
        }
    }
}

impl SyncObject {
    /// Which family it belongs to.
    pub const fn kind(&self) -> Kind {
        match self {
            SyncObject::Mutex(_) => Kind::Mutex,
            SyncObject::Cond { .. } => Kind::Cond,
            SyncObject::RwLock { .. } => Kind::RwLock,
            SyncObject::Barrier { .. } => Kind::Barrier,
            SyncObject::Spin { .. } => Kind::Spin,
            SyncObject::Sem { .. } => Kind::Sem,
            SyncObject::Once(_) => Kind::Once,
            SyncObject::Destroyed { kind } => *kind,
        }
    }
}

/// The two functions of a visible model.
pub(super) type Model = (fn(&mut Cx<'_>) -> Prepared, fn(&mut Cx<'_>, u16) -> Performed);

/// What a performed operation answers: the C result and what came of it, or how the thread goes on
/// instead.
pub(super) type Answer = Result<(i32, Outcome), Stop>;

/// The answer of an operation that succeeded.
pub(super) const SUCCESS: (i32, Outcome) = (0, Outcome::Done);

/// The answer of an operation that failed with an error number.
pub(super) const fn failed(error: i32) -> (i32, Outcome) {
    (error, Outcome::Failed)
}

/// The end of a visible call.
pub(super) fn done(answer: Answer) -> Performed {
    match answer {
        Ok((code, outcome)) => Performed::Done(Flow::int(code), outcome),
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

/// The end of a plain call.
pub(super) fn plain(result: Result<i32, Stop>) -> Flow {
    match result {
        Ok(code) => Flow::int(code),
        Err(flow) => flow,
    }
}

/// Prepares an operation on the object whose address is the first argument.
pub(super) fn prepare(cx: &mut Cx<'_>, op: Op) -> Prepared {
    match cx.word(0) {
        Ok(address) => Prepared::Visible(cx.action(op, address)),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Prepares an `Init` or `Destroy`: no scheduling point while there is only one thread,
/// unless the options want that.
pub(super) fn prepare_whole(
    cx: &mut Cx<'_>,
    op: Op,
    kind: Kind,
    perform: fn(&mut Cx<'_>, u16) -> Performed,
) -> Prepared {
    if cx.state.unjoined() == 0
        && !cx.program.options.visible_setup
        && let Performed::Done(flow, _) = perform(cx, 0)
    {
        return Prepared::Immediate(flow);
    }
    match cx.word(0) {
        Ok(address) => {
            let action = cx.action(op, address);
            Prepared::Visible(Action {
                size: kind.size() as u32,
                ..action
            })
        }
        Err(flow) => Prepared::Immediate(flow),
    }
}

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
        (Kind::RwLock, 0..=2) => Ok(SyncObject::RwLock {
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

/// A fault on an object, with where it was taken by the thread that holds it.
#[cold]
pub(super) fn held_fault(
    cx: &Cx<'_>,
    kind: FaultKind,
    text: &str,
    address: u64,
    holder: Option<ThreadId>,
) -> Stop {
    let mut flow = cx.fault_on(kind, text, ObjectId(address));
    if let (Flow::Fault(fault), Some(holder)) = (&mut flow, holder)
        && let Some(held) = find_held(cx.state, holder, address).map(|i| cx.state.thread(holder).held[i])
    {
        let name = crate::describe::thread_name(cx.state, holder);
        fault.related.push((
            format!("taken here by thread {name}"),
            held.site.stmt,
            held.site.context,
        ));
    }
    flow
}

/// Where a lock stands among those that a thread holds.
#[inline]
pub(super) fn find_held(state: &State, thread: ThreadId, address: u64) -> Option<usize> {
    state
        .thread(thread)
        .held
        .iter()
        .rposition(|h| h.object.0 == address)
}
