// What was written before a release store is there after an acquire load that sees it.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

fn main() {
    let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let writer = Arc::clone(&shared);
    let other = thread::spawn(move || {
        writer.0.store(7, Ordering::Relaxed);
        writer.1.store(true, Ordering::Release);
    });
    if shared.1.load(Ordering::Acquire) {
        assert_eq!(shared.0.load(Ordering::Relaxed), 7);
    }
    other.join().unwrap();
}
