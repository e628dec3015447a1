// A relaxed store of the same thread ends the release sequence (C++20, which Rust follows).
// So a thread that acquires its value learns nothing.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

struct Shared(UnsafeCell<i32>);
unsafe impl Sync for Shared {}

static DATA: Shared = Shared(UnsafeCell::new(0));
static STATE: AtomicI32 = AtomicI32::new(0);

fn main() {
    let writer = thread::spawn(|| {
        unsafe { *DATA.0.get() = 4 };
        STATE.store(1, Ordering::Release);
        STATE.store(2, Ordering::Relaxed);
    });
    if STATE.load(Ordering::Acquire) == 2 {
        unsafe { *DATA.0.get() = 5 };
    }
    writer.join().unwrap();
}
