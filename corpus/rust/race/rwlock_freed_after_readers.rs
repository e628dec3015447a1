// A writer waits until the reader has given the lock back, and frees it. The reader may still look
// at it.
// expect-anywhere: data-race
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static mut LOCK: *mut RwLock<u32> = std::ptr::null_mut();
static READS: AtomicBool = AtomicBool::new(false);

fn main() {
    unsafe { LOCK = Box::into_raw(Box::new(RwLock::new(1))) }
    let reader = thread::spawn(|| {
        let value = unsafe { (*LOCK).read().unwrap() };
        READS.store(true, SeqCst);
        assert_eq!(*value, 1);
    });
    if READS.load(SeqCst) {
        drop(unsafe { (*LOCK).write().unwrap() });
        drop(unsafe { Box::from_raw(LOCK) });
    }
    reader.join().unwrap();
}
