// An increment in two steps, each atomic: one may get lost.
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

fn add(counter: &AtomicI32) {
    let seen = counter.load(Ordering::SeqCst);
    counter.store(seen + 1, Ordering::SeqCst);
}

fn main() {
    let counter = Arc::new(AtomicI32::new(0));
    let shared = Arc::clone(&counter);
    let other = thread::spawn(move || add(&shared));
    add(&counter);
    other.join().unwrap();
    assert_eq!(counter.load(Ordering::SeqCst), 2);
}
