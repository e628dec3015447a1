// The writer that gives the lock back looks at it once more if somebody waits, and the next writer
// frees it.
// expect-anywhere: data-race
use std::sync::RwLock;
use std::thread;

static mut LOCK: *mut RwLock<bool> = std::ptr::null_mut();

fn main() {
    unsafe { LOCK = Box::into_raw(Box::new(RwLock::new(false))) }
    let other = thread::spawn(|| *unsafe { (*LOCK).write().unwrap() } = true);
    let set = *unsafe { (*LOCK).write().unwrap() };
    if set {
        drop(unsafe { Box::from_raw(LOCK) });
    }
    other.join().unwrap();
}
