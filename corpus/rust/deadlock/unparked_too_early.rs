// The thread is unparked before the flag is set. It may see that the flag is not set, and park for
// ever.
use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};
use std::thread;
fn main() {
    let f = Arc::new(AtomicBool::new(false));
    let g = f.clone();
    let t = thread::spawn(move || {
        while !g.load(Ordering::Acquire) {
            thread::park();
        }
    });
    t.thread().unpark();
    f.store(true, Ordering::Release);
    t.join().unwrap();
}
