// A wait that may time out says so, and the lock is held again in both cases.
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let setter = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CHANGED.notify_all();
    });
    let mut ready = READY.lock().unwrap();
    while !*ready {
        let (again, result) = CHANGED.wait_timeout(ready, Duration::from_millis(5)).unwrap();
        ready = again;
        if result.timed_out() {
            break;
        }
    }
    drop(ready);
    setter.join().unwrap();
    assert!(*READY.lock().unwrap());
}
