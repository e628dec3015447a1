// Whoever has joined the last user of a lock may free it, and so may whoever was told of it after
// the lock was given back.
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static mut LOCK: *mut RwLock<u32> = std::ptr::null_mut();
static DONE: AtomicBool = AtomicBool::new(false);

fn main() {
    unsafe { LOCK = Box::into_raw(Box::new(RwLock::new(0))) }
    let other = thread::spawn(|| {
        *unsafe { (*LOCK).write().unwrap() } += 1;
        DONE.store(true, SeqCst);
    });
    assert!(*unsafe { (*LOCK).read().unwrap() } < 2);
    if !DONE.load(SeqCst) {
        other.join().unwrap();
    }
    drop(unsafe { Box::from_raw(LOCK) });
}
