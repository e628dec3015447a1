// A message that is sent needs a block of memory, and others may see what the allocator does
// meanwhile.
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;

static WATCHED: AtomicBool = AtomicBool::new(false);
static ALLOCATES: AtomicBool = AtomicBool::new(false);

struct Watching;

unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if WATCHED.load(SeqCst) {
            ALLOCATES.store(true, SeqCst);
        }
        let block = unsafe { System.alloc(layout) };
        ALLOCATES.store(false, SeqCst);
        block
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let watcher = thread::spawn(|| assert!(!ALLOCATES.load(SeqCst)));
    WATCHED.store(true, SeqCst);
    sender.send(1).unwrap();
    WATCHED.store(false, SeqCst);
    watcher.join().unwrap();
    assert_eq!(receiver.recv(), Ok(1));
}
