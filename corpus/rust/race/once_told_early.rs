// What is written after the closure is not what those that waited for it know.
// expect-anywhere: data-race
use std::sync::Once;
use std::thread;

static READY: Once = Once::new();
static mut VALUE: u32 = 0;

fn main() {
    let other = thread::spawn(|| {
        READY.call_once(|| ());
        unsafe { VALUE = 1 };
    });
    READY.call_once(|| ());
    let seen = unsafe { VALUE };
    assert!(seen < 2);
    other.join().unwrap();
}
