// A read-modify-write of any order belongs to the release sequence.
// So a thread that acquires its value learns of the release before it.
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
        STATE.fetch_add(1, Ordering::Relaxed);
    });
    if STATE.load(Ordering::Acquire) == 2 {
        unsafe { *DATA.0.get() = 5 };
    }
    writer.join().unwrap();
}
