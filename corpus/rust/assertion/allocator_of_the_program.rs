// Code of the library allocates through the program's allocator.
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

static BLOCKS: AtomicU32 = AtomicU32::new(0);

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BLOCKS.fetch_add(1, SeqCst);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let before = BLOCKS.load(SeqCst);
    let path = Path::new("a").join("b");
    assert_eq!(BLOCKS.load(SeqCst), before, "{}", path.display());
}
