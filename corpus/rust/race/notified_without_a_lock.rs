// The number is written without the lock. That its writer notifies does not order it before who
// waits.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();
static WRITTEN: AtomicBool = AtomicBool::new(false);
static mut NUMBER: u32 = 0;

fn main() {
    let writer = thread::spawn(|| {
        unsafe { NUMBER = 7 };
        WRITTEN.store(true, Relaxed);
        CHANGED.notify_one();
    });
    let mut guard = LOCK.lock().unwrap();
    while !WRITTEN.load(Relaxed) {
        guard = CHANGED.wait_timeout(guard, Duration::from_millis(1)).unwrap().0;
    }
    assert_eq!(unsafe { NUMBER }, 7);
    drop(guard);
    writer.join().unwrap();
}
