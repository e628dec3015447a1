// Whose destructor of the shared value runs, that of a thread or of its creator, is open.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static LEFT: AtomicBool = AtomicBool::new(false);

struct Shared;

impl Drop for Shared {
    fn drop(&mut self) {
        assert!(LEFT.load(SeqCst));
    }
}

fn main() {
    thread::scope(|scope| {
        let shared = Arc::new(Shared);
        let own = Arc::clone(&shared);
        scope.spawn(move || drop(own));
        drop(shared);
        LEFT.store(true, SeqCst);
    });
}
