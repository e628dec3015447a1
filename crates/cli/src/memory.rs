//! How much memory there is, and the allocator that counts what is allocated.
//!
//! The counter is what `--max-memory` is held against: it knows of memory before it is touched, and
//! of a burst between two looks at `/proc`. Each thread counts by itself, and adds to the common
//! counter when [`BATCH`] bytes have come together. Memory of C and C++ libraries (LLVM, Z3) is not
//! in it; for that the watcher also looks at the resident memory.
//!
//! Over the *soft* limit the watcher is woken, and asks everybody to end. An allocation that would
//! go over the *hard* limit, or that the system refuses, has no way to fail in Rust but abort:
//! instead its thread waits here. Either others give memory back, as they are asked to, or the
//! watcher ends the process with a verdict. It has a reserve to do that with, and if even that is
//! not enough, there are [last words](crate::last_words).
//!
//! `unsafe`: the allocator hands all requests to another one (`blocks.rs`), and adds nothing but
//! counting; counting neither allocates nor panics.

#![expect(unsafe_code, reason = "an allocator")]

mod blocks;

use crate::last_words;
use selvedge_model::LimitKind;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicPtr, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Bytes after which a thread tells the others what it has allocated or given back.
const BATCH: isize = 1 << 16;

/// An allocation of this size is held against the limit before it is made.
const LARGE: usize = 1 << 20;

/// What is kept for the end.
const RESERVE: usize = 8 << 20;

/// How long a thread waits for memory that the system does not give, before it says the last words
/// itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes allocated and not given back, but for what threads have not told yet.
static TOTAL: AtomicIsize = AtomicIsize::new(0);
static SOFT: AtomicUsize = AtomicUsize::new(usize::MAX);
static HARD: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The system refused an allocation.
static REFUSED: AtomicBool = AtomicBool::new(false);
static KEPT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// Who is woken over the soft limit.
static WATCHER: OnceLock<Thread> = OnceLock::new();

thread_local! {
    /// Bytes allocated by this thread, less those given back, that are not in `TOTAL`.
    static OWN: Cell<isize> = const { Cell::new(0) };
    /// This thread ends the process: no limit holds for it.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// The allocator, counting.
pub(crate) struct Counting;

// SAFETY: see the module's documentation.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        served(layout.size(), || unsafe { blocks::allocate(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        served(layout.size(), || unsafe { blocks::allocate_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { blocks::free(block, layout) };
        count(-(layout.size() as isize));
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let resize = || unsafe { blocks::resize(block, layout, size) };
        if size <= layout.size() {
            let new = resize();
            if !new.is_null() {
                count(-((layout.size() - size) as isize));
            }
            return new;
        }
        served(size - layout.size(), resize)
    }
}

/// Makes an allocation that takes this much more, waiting if need be.
#[inline]
fn served(more: usize, make: impl Fn() -> *mut u8) -> *mut u8 {
    if more >= LARGE {
        wait_for_room(more);
    }
    let mut block = make();
    if block.is_null() {
        block = insist(make);
    }
    count(more as isize);
    block
}

#[inline]
fn count(bytes: isize) {
    OWN.with(|own| {
        let sum = own.get() + bytes;
        if sum.unsigned_abs() < BATCH as usize {
            own.set(sum);
        } else {
            own.set(0);
            tell(sum);
        }
    });
}

#[cold]
#[inline(never)]
fn tell(bytes: isize) {
    let total = (TOTAL.fetch_add(bytes, Relaxed) + bytes).max(0) as usize;
    if total > SOFT.load(Relaxed) && bytes > 0 {
        wake();
        wait_for_room(0);
    }
}

fn wake() {
    if let Some(watcher) = WATCHER.get() {
        watcher.unpark();
    }
}

/// Waits as long as there would be too much with these bytes. The watcher ends the process if that
/// is too long.
#[cold]
#[inline(never)]
fn wait_for_room(more: usize) {
    let exceeds = || allocated().saturating_add(more) > HARD.load(Relaxed);
    while exceeds() && !ENDS.get() {
        REFUSED.store(true, Relaxed);
        wake();
        thread::sleep(Duration::from_millis(5));
    }
}

/// What the system refuses: gives up the reserve, and waits for what others give back.
#[cold]
#[inline(never)]
fn insist(make: impl Fn() -> *mut u8) -> *mut u8 {
    REFUSED.store(true, Relaxed);
    give_up_reserve();
    wake();
    let started = Instant::now();
    loop {
        let block = make();
        if !block.is_null() {
            return block;
        }
        if ENDS.get() || WATCHER.get().is_none() || started.elapsed() > PATIENCE {
            last_words::say(LimitKind::Memory);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn give_up_reserve() {
    let kept = KEPT.swap(ptr::null_mut(), Relaxed);
    if let (false, Ok(layout)) = (kept.is_null(), Layout::array::<u8>(RESERVE)) {
        // SAFETY: `kept` was allocated with this layout, and nobody else has it any more.
        unsafe { blocks::free(kept, layout) };
    }
}

/// Sets the limits: the present thread is woken over `limit`, and waits for nobody.
pub(crate) fn guard(limit: u64) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    ENDS.set(true);
    let _ = WATCHER.set(thread::current());
    SOFT.store(limit, Relaxed);
    HARD.store(limit.saturating_add(limit / 16), Relaxed);
    if let Ok(layout) = Layout::array::<u8>(RESERVE) {
        // SAFETY: the layout is not empty.
        KEPT.store(unsafe { blocks::allocate(layout) }, Relaxed);
    }
}

/// From now on no limit holds: what is left to do is to say the verdict.
pub(crate) fn open() {
    SOFT.store(usize::MAX, Relaxed);
    HARD.store(usize::MAX, Relaxed);
}

/// Whether an allocation was refused or has to wait.
pub(crate) fn is_refused() -> bool {
    REFUSED.load(Relaxed)
}

/// Bytes that Rust code has allocated.
pub(crate) fn allocated() -> usize {
    TOTAL.load(Relaxed).max(0) as usize
}

/// The process's resident memory in bytes; 0 if the system does not say.
pub(crate) fn resident() -> u64 {
    status("VmRSS:")
}

/// The most it ever was.
pub(crate) fn peak() -> u64 {
    status("VmHWM:")
}

/// The process's address space in bytes, mapped or reserved.
pub(crate) fn mapped() -> u64 {
    status("VmSize:")
}

/// How large its address space may become (`ulimit -v`).
pub(crate) fn most_mapped() -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writing.
    let done = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    (done && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Memory that is free now, in the machine and in the process's control group.
pub(crate) fn free() -> u64 {
    let machine = resident() + field("/proc/meminfo", "MemAvailable:");
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok());
    let all = if machine == 0 { u64::MAX } else { machine };
    all.min(group.unwrap_or(u64::MAX))
}

fn status(name: &str) -> u64 {
    field("/proc/self/status", name)
}

/// A field of one of the system's tables, given there in KiB, in bytes; 0 if it is not there.
fn field(table: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(table).unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_counted() {
        let before = allocated();
        let block = vec![0u8; 64 << 20];
        assert!(allocated() >= before + (60 << 20), "{before} {}", allocated());
        drop(block);
        assert!(allocated() < before + (60 << 20));
        let free = free();
        assert!(
            free > resident() && free <= field("/proc/meminfo", "MemTotal:"),
            "{free}"
        );
    }
}
