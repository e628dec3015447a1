//! The effects of library functions that a thread may call before the observed thread moves.

use super::Run;
use crate::code::CallSite;
use crate::future::effects::Arrival;
use crate::future::remembered::Look;
use crate::future::touch::Touch;
use crate::future::value::{Abstract, Span};
use crate::future::weaken::Weaken;
use crate::memory::Life;
use crate::sync::SyncObject;
use crate::value::mask;
use selvedge_base::Id;
use selvedge_ir::Type;
use selvedge_model::Op;

/// The maximum size of a synchronisation object, or of attributes, in bytes.
const LARGEST_OBJECT: u64 = 64;

/// The sizes of a mutex and of a condition variable in bytes.
pub(in crate::future) const MUTEX: u64 = Op::Lock.info().object_size as u64;
pub(in crate::future) const CONDITION: u64 = Op::Signal.info().object_size as u64;

/// The size in bytes of the synchronisation object that a function uses.
fn size_of(name: &str) -> u64 {
    let sizes = [
        ("pthread_mutex_", Op::Lock),
        ("pthread_cond_", Op::Signal),
        ("pthread_spin_", Op::SpinLock),
        ("pthread_rwlock_", Op::RdLock),
        ("pthread_barrier_", Op::BarrierArrive),
        ("sem_", Op::SemWait),
    ];
    let known = sizes.iter().find(|(prefix, _)| name.starts_with(prefix));
    match known.map_or(0, |(_, op)| u64::from(op.info().object_size)) {
        0 => LARGEST_OBJECT,
        size => size,
    }
}

/// The end of a call.
pub(in crate::future) enum Call {
    /// It returns this.
    Returns(Abstract),
    /// It does not return, or not before the observed thread has moved.
    Ends,
}

/// A library function, classified by its effect here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::future) enum Function {
    /// No effect that is observed. The result is unknown.
    Nothing,
    /// Does not return.
    Ends,
    /// Does not return, and reads objects.
    Fails,
    /// Takes the lock that its first argument points to, of this size in bytes, and waits while
    /// another thread holds it.
    Lock(u64),
    /// Takes a lock for reading.
    ReadLock(u64),
    /// Releases the mutex that its second argument points to, and takes it again.
    Wait,
    /// Uses the synchronisation object that its first argument points to, of this size in bytes.
    Use(u64),
    /// Begins or ends the life of a synchronisation object that its first argument points to.
    Reset,
    /// Waits at the barrier that its first argument points to.
    Barrier,
    Create,
    Join,
    /// Returns a new object.
    Allocate,
    Free,
    Copy,
    Fill,
    /// Reads objects that its arguments point to.
    Read,
    /// Any function that is not listed here.
    Other,
}

impl Function {
    pub(in crate::future) fn named(name: &str) -> Function {
        match name {
            "sched_yield" | "pthread_yield" | "pthread_self" | "pthread_equal" | "thrd_yield" | "usleep"
            | "sleep" | "putchar" => Function::Nothing,
            "abort" | "pthread_exit" => Function::Ends,
            "__assert_fail" => Function::Fails,
            "pthread_mutex_lock" | "pthread_spin_lock" | "pthread_rwlock_wrlock" => {
                Function::Lock(size_of(name))
            }
            "pthread_rwlock_rdlock" => Function::ReadLock(size_of(name)),
            "pthread_cond_wait" | "pthread_cond_timedwait" | "pthread_cond_clockwait" => Function::Wait,
            "pthread_mutex_unlock"
            | "pthread_mutex_trylock"
            | "pthread_spin_unlock"
            | "pthread_spin_trylock"
            | "pthread_rwlock_unlock"
            | "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_trywrlock"
            | "sem_wait"
            | "sem_post"
            | "sem_trywait"
            | "pthread_cond_signal"
            | "pthread_cond_broadcast" => Function::Use(size_of(name)),
            "pthread_mutex_init"
            | "pthread_mutex_destroy"
            | "pthread_spin_init"
            | "pthread_spin_destroy"
            | "pthread_rwlock_init"
            | "pthread_rwlock_destroy"
            | "pthread_cond_init"
            | "pthread_cond_destroy"
            | "pthread_barrier_init"
            | "pthread_barrier_destroy"
            | "sem_init"
            | "sem_destroy" => Function::Reset,
            "pthread_barrier_wait" => Function::Barrier,
            "pthread_create" => Function::Create,
            "pthread_join" => Function::Join,
            "malloc" | "calloc" => Function::Allocate,
            "free" => Function::Free,
            "memcpy" | "memmove" => Function::Copy,
            "memset" => Function::Fill,
            "puts" | "printf" | "strlen" | "strcmp" | "strncmp" | "memcmp" => Function::Read,
            _ if name.starts_with("__VERIFIER_nondet_") => Function::Nothing,
            _ => Function::Other,
        }
    }
}

/// Functions whose use in a program lets threads do things that their code does not show: handlers
/// of signals, destructors of keys, jumps to another frame.
pub(in crate::future) fn is_elsewhere(name: &str) -> bool {
    matches!(
        name,
        "pthread_cancel"
            | "pthread_kill"
            | "pthread_sigqueue"
            | "kill"
            | "killpg"
            | "raise"
            | "alarm"
            | "setitimer"
            | "signal"
            | "sigaction"
            | "sigset"
            | "pthread_key_create"
            | "tss_create"
            | "fork"
            | "vfork"
            | "clone"
    ) || selvedge_ir::returns_twice(name)
        || name.contains("longjmp")
        || name.contains("thread_atexit")
        || name.contains("cleanup_push")
        || name.contains("register_cancel")
        || name.starts_with("__VERIFIER_atomic_")
}

impl Run<'_> {
    /// Calls a library function.
    pub(in crate::future) fn library(
        &mut self,
        function: Function,
        site: &CallSite,
        args: &[Abstract],
    ) -> Call {
        self.touch_errno();
        let arg = |n: usize| args.get(n).copied().unwrap_or(Abstract::Any);
        match function {
            Function::Nothing => {}
            Function::Ends => return Call::Ends,
            Function::Fails => {
                for at in [arg(0), arg(1), arg(3)] {
                    self.reads_bytes(at, Abstract::Any);
                }
                return Call::Ends;
            }
            Function::Lock(size) | Function::ReadLock(size) => {
                self.uses(arg(0), size);
                if self.is_held(arg(0), matches!(function, Function::ReadLock(_))) {
                    return Call::Ends;
                }
            }
            Function::Wait => {
                self.uses(arg(0), CONDITION);
                self.uses(arg(1), MUTEX);
                // The time; most waits have none.
                if let Some(&time) = args.get(2) {
                    self.reads_bytes(time, Abstract::Any);
                    if args.len() > 3 {
                        self.shared.read_anything();
                    }
                }
                // It goes on even if the observed thread holds the mutex: a wait by a thread that
                // does not hold an errorcheck or robust mutex is refused at once.
            }
            Function::Use(size) => self.uses(arg(0), size),
            Function::Barrier => {
                self.uses_by(arg(0), size_of("pthread_barrier_"), true);
                if !self.opens(arg(0)) {
                    return Call::Ends;
                }
            }
            Function::Reset => {
                self.writes_around(arg(0), LARGEST_OBJECT);
                self.reads_attributes(args.get(1).copied());
            }
            Function::Create => {
                self.reads_attributes(args.get(1).copied());
                self.writes(arg(0), 8, Abstract::Any);
                let start = arg(2).as_one().and_then(|at| self.vm.program.function_at(at));
                match start {
                    _ if self.weaken.is(Weaken::Create) => {}
                    Some(start) => self.starts(start, arg(3)),
                    None => self.everything(),
                }
            }
            Function::Join => {
                if let Some(handle) = arg(0).as_one() {
                    self.looks.borrow_mut().note(Look::Joins(handle));
                    if self.asking.joins(handle) {
                        return Call::Ends;
                    }
                }
                if arg(1).as_one() != Some(0) {
                    self.writes(arg(1), 8, Abstract::Any);
                }
            }
            Function::Allocate => {
                // More bytes than `PTRDIFF_MAX` are not allocated.
                let mut factors = args.iter();
                let size = factors.try_fold(1, |all: u64, size| all.checked_mul(size.number()?.hi));
                return Call::Returns(match size {
                    Some(size) if size <= mask(63) => Abstract::NEW,
                    _ => Abstract::NEW.join(Abstract::one(0)),
                });
            }
            Function::Free => {
                if arg(0).as_one() != Some(0) && !self.weaken.is(Weaken::Free) {
                    self.writes_object(arg(0));
                }
            }
            Function::Copy => {
                self.reads_bytes(arg(1), arg(2));
                self.writes_bytes(arg(0), arg(2));
                return Call::Returns(arg(0));
            }
            Function::Fill => {
                self.writes_bytes(arg(0), arg(2));
                return Call::Returns(arg(0));
            }
            Function::Read => {
                // Output through `%n` is a write, so the arguments count as written.
                for (at, ty) in args.iter().zip(&site.types) {
                    if *ty == Type::Ptr {
                        self.writes_object(*at);
                    }
                }
            }
            Function::Other => self.everything(),
        }
        Call::Returns(Abstract::Any)
    }

    /// True if the observed thread holds a lock, so that no other thread takes it.
    pub(in crate::future) fn is_held(&mut self, lock: Abstract, to_read: bool) -> bool {
        let Some(lock) = lock.as_one() else {
            return false;
        };
        self.looks.borrow_mut().note(Look::Held(lock));
        let held = &self.vm.state.thread(self.asking.still).held;
        let held = held
            .iter()
            .any(|h| h.object.0 == lock && (!(to_read && h.shared) || self.weaken.is(Weaken::Readers)))
            || self.weaken.is(Weaken::Held);
        if held {
            self.shared.rely(lock);
        }
        held
    }

    /// A synchronisation object.
    fn sync_at(&self, address: u64) -> Option<&SyncObject> {
        self.looks.borrow_mut().note(Look::Sync(address));
        self.vm.state.sync(address)
    }

    /// Records an arrival at a barrier. Returns false if the barrier does not open as long as the
    /// observed thread does not arrive. This is assumed until enough other threads arrive.
    fn opens(&mut self, barrier: Abstract) -> bool {
        let Some(at) = barrier.as_one() else {
            return true;
        };
        let Some(&SyncObject::Barrier { count, leaving, .. }) = self.sync_at(at) else {
            return true;
        };
        self.looks.borrow_mut().note(Look::Enabled);
        let pending = &self.vm.state.pending()[self.asking.still.index()];
        if leaving > 0 || !pending.is_enabled() {
            return true;
        }
        self.looks.borrow_mut().note(Look::Opened(at));
        if self.asking.others.has_opened(at) {
            return true;
        }
        self.shared.rely(at);
        self.shared.arrive(Arrival {
            barrier: at,
            count: count.into(),
            who: self.who,
        });
        false
    }

    /// Records a use of a synchronisation object of this size.
    pub(in crate::future) fn uses(&mut self, object: Abstract, size: u64) {
        self.uses_by(object, size, false);
    }

    /// Records a use that may be a wait at a barrier.
    fn uses_by(&mut self, object: Abstract, size: u64, barrier: bool) {
        match object {
            Abstract::New { .. } => {}
            Abstract::Any => self.everything(),
            Abstract::Number(at) | Abstract::Either(at) => self.shared.touch(Touch {
                at,
                size,
                write: true,
                sync: true,
                barrier,
            }),
        }
    }

    /// Records reads of attributes of an object or of a thread, if any are given. A value that is
    /// no address (the second argument of `sem_init`) is no object's address either.
    fn reads_attributes(&mut self, at: Option<Abstract>) {
        if let Some(at) = at.filter(|at| at.as_one() != Some(0)) {
            self.reads_bytes(at, Abstract::one(LARGEST_OBJECT));
        }
    }

    /// Records a use of a lock that is held.
    pub(in crate::future) fn uses_held(&mut self, lock: u64) {
        let size = match self.sync_at(lock) {
            Some(SyncObject::Mutex(_)) => MUTEX,
            Some(SyncObject::RwLock { .. }) => size_of("pthread_rwlock_"),
            Some(SyncObject::Spin { .. }) => size_of("pthread_spin_"),
            _ => LARGEST_OBJECT,
        };
        self.uses(Abstract::one(lock), size);
    }

    fn writes_around(&mut self, at: Abstract, size: u64) {
        match at {
            Abstract::New { .. } => {}
            Abstract::Any => self.everything(),
            Abstract::Number(at) | Abstract::Either(at) => {
                self.writes_range(at.lo, (at.hi - at.lo).saturating_add(size));
            }
        }
    }

    /// Records that the objects in which an address may lie are written completely, or end.
    pub(in crate::future) fn writes_object(&mut self, at: Abstract) {
        match at {
            Abstract::New { .. } => {}
            Abstract::Any => self.everything(),
            Abstract::Number(span) | Abstract::Either(span) => {
                match self.object_at(span.lo) {
                    Some((base, object)) if span.hi <= base + object.size => {
                        // No thread accesses an object that is not alive.
                        if object.life == Life::Live {
                            self.writes_range(base, object.size);
                        }
                    }
                    _ if span.hi < 4096 => {}
                    _ => self.everything(),
                }
            }
        }
    }

    fn writes_range(&mut self, from: u64, size: u64) {
        if size > 0 {
            if self.straight {
                self.own.set(from, size, Abstract::Any);
            }
            let all = Span::new(from, from.saturating_add(size - 1), 1);
            self.stores(all, 1, Abstract::Any);
        }
    }

    pub(in crate::future) fn writes_bytes(&mut self, at: Abstract, count: Abstract) {
        match self.bytes(at, count) {
            _ if self.weaken.is(Weaken::Copy) => {}
            Bytes::None => {}
            Bytes::Range(from, size) => self.writes_range(from, size),
            Bytes::Each(at, size) => self.writes(Abstract::Number(at), size, Abstract::Any),
            Bytes::Unknown => self.everything(),
        }
    }

    pub(in crate::future) fn reads_bytes(&mut self, at: Abstract, count: Abstract) {
        match self.bytes(at, count) {
            Bytes::None => {}
            Bytes::Range(from, size) => self.shared.touch(Touch {
                at: Span::one(from),
                size,
                write: false,
                sync: false,
                barrier: false,
            }),
            Bytes::Each(at, size) => self.shared.touch(Touch {
                at,
                size,
                write: false,
                sync: false,
                barrier: false,
            }),
            Bytes::Unknown => self.shared.read_anything(),
        }
    }

    /// The bytes from an address. More bytes than the object has is a fault, and then nothing is
    /// done.
    fn bytes(&self, at: Abstract, count: Abstract) -> Bytes {
        let (Abstract::Number(span) | Abstract::Either(span)) = at else {
            return if matches!(at, Abstract::New { .. }) {
                Bytes::None
            } else {
                Bytes::Unknown
            };
        };
        if span.hi < 4096 {
            return Bytes::None;
        }
        let Some((base, size)) = self.object_of(span) else {
            return match count {
                _ if count.as_one() == Some(0) => Bytes::None,
                Abstract::Number(count) if !count.out => Bytes::Each(span, count.hi),
                _ => Bytes::Unknown,
            };
        };
        let end = match count {
            Abstract::Number(count) if !count.out => span.hi.saturating_add(count.hi).min(base + size),
            _ => base + size,
        };
        Bytes::Range(span.lo, end.saturating_sub(span.lo))
    }
}

enum Bytes {
    None,
    Range(u64, u64),
    /// So many bytes at each of these addresses.
    Each(Span, u64),
    Unknown,
}
