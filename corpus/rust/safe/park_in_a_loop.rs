// Each round asks for the present thread: its reference count must not make a new state of each.
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let waiter = thread::spawn(|| {
        while !READY.load(Ordering::Acquire) {
            thread::park_timeout(Duration::from_secs(1));
        }
    });
    READY.store(true, Ordering::Release);
    waiter.thread().unpark();
    waiter.join().unwrap();
}
