// What is stored before a barrier is there after it.
use std::sync::Barrier;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::thread;

static BARRIER: Barrier = Barrier::new(2);
static VALUE: AtomicI32 = AtomicI32::new(0);

fn main() {
    let other = thread::spawn(|| {
        VALUE.store(1, Relaxed);
        BARRIER.wait();
    });
    BARRIER.wait();
    assert_eq!(VALUE.load(Relaxed), 1);
    other.join().unwrap();
}
