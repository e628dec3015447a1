// A relaxed flag publishes nothing: the message is read while it may still be written.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Shared(UnsafeCell<i32>);
unsafe impl Sync for Shared {}

static MESSAGE: Shared = Shared(UnsafeCell::new(0));
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let other = thread::spawn(|| {
        unsafe { *MESSAGE.0.get() = 7 };
        READY.store(true, Ordering::Relaxed);
    });
    if READY.load(Ordering::Acquire) {
        assert_eq!(unsafe { *MESSAGE.0.get() }, 7);
    }
    other.join().unwrap();
}
