// Two threads wait for the flag, and one of them is woken.
use std::sync::{Condvar, Mutex};
use std::thread;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn wait() {
    let mut ready = READY.lock().unwrap();
    while !*ready {
        ready = CHANGED.wait(ready).unwrap();
    }
}

fn main() {
    let first = thread::spawn(wait);
    let second = thread::spawn(wait);
    *READY.lock().unwrap() = true;
    CHANGED.notify_one();
    first.join().unwrap();
    second.join().unwrap();
}
