//! Where blocks of memory come from: small ones from mimalloc, which is faster; large ones from the
//! system's allocator, which grows a block without holding its contents twice, and gives back at
//! once what is freed. With mimalloc for all of them the resident memory went over the limit by
//! more than a tenth.
//!
//! mimalloc reserves address space for many pages at once, 1 GiB by default. If address space is
//! limited (`ulimit -v`), that leaves nothing for LLVM. [`RESERVED`] is enough, as further
//! reservations follow when it is full.
//!
//! `unsafe`: the size of a block says whose it is, from its allocation to its end. Where a new size
//! means the other allocator, the block is moved there. The initialiser only sets a number of
//! mimalloc's, which that allows at any time.

use libmimalloc_sys::{mi_option_max_warnings, mi_option_set, mi_option_t};
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// How much address space mimalloc reserves at once, in KiB.
const RESERVED: std::ffi::c_long = 64 << 10;

/// `mi_option_arena_reserve`, which the crate does not name. The test of limits notices if it
/// moves.
const ARENA_RESERVE: mi_option_t = mi_option_max_warnings + 3;

/// Runs before the first allocation, which is in Rust's code before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static INITIALISER: extern "C" fn() = {
    extern "C" fn reserve_less() {
        // SAFETY: the option exists, and the function has no other condition.
        unsafe { mi_option_set(ARENA_RESERVE, RESERVED) }
    }
    reserve_less
};

/// The least size of a block of the system's, in bytes.
const LARGE: usize = 1 << 20;

/// Whether a block of this size is one of the system's.
#[inline]
const fn is_large(size: usize) -> bool {
    size >= LARGE
}

/// # Safety
/// As for `alloc` of [`GlobalAlloc`].
#[inline]
pub(super) unsafe fn allocate(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match is_large(layout.size()) {
            true => System.alloc(layout),
            false => MiMalloc.alloc(layout),
        }
    }
}

/// # Safety
/// As for `alloc_zeroed` of [`GlobalAlloc`].
#[inline]
pub(super) unsafe fn allocate_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match is_large(layout.size()) {
            true => System.alloc_zeroed(layout),
            false => MiMalloc.alloc_zeroed(layout),
        }
    }
}

/// # Safety
/// As for `dealloc` of [`GlobalAlloc`].
#[inline]
pub(super) unsafe fn free(block: *mut u8, layout: Layout) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match is_large(layout.size()) {
            true => System.dealloc(block, layout),
            false => MiMalloc.dealloc(block, layout),
        }
    }
}

/// # Safety
/// As for `realloc` of [`GlobalAlloc`].
#[inline]
pub(super) unsafe fn resize(block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    // SAFETY: the caller's promise is passed on; the new layout is valid by that promise.
    unsafe {
        match (is_large(layout.size()), is_large(size)) {
            (true, true) => System.realloc(block, layout, size),
            (false, false) => MiMalloc.realloc(block, layout, size),
            _ => {
                let new = allocate(Layout::from_size_align_unchecked(size, layout.align()));
                if !new.is_null() {
                    ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                    free(block, layout);
                }
                new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block keeps its contents when it is moved from one allocator to the other and back.
    #[test]
    fn a_block_keeps_its_contents() {
        let sizes = [100, LARGE - 1, LARGE, 3 * LARGE, LARGE, LARGE - 1, 16];
        let layout = |size| Layout::from_size_align(size, 16).unwrap();
        // SAFETY: the layouts are not empty, each is the one of the block, and the first 16 bytes
        // are always there.
        unsafe {
            let mut block = allocate_zeroed(layout(sizes[0]));
            block.cast::<u64>().write(0x0123_4567_89ab_cdef);
            for pair in sizes.windows(2) {
                block = resize(block, layout(pair[0]), pair[1]);
                assert!(!block.is_null() && block.addr().is_multiple_of(16));
                let words = block.cast::<[u64; 2]>().read();
                assert_eq!(words, [0x0123_4567_89ab_cdef, 0]);
            }
            free(block, layout(16));
        }
    }
}
