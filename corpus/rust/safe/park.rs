// A thread parks until a flag is set: whoever sets it unparks the thread afterwards.
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
    f.store(true, Ordering::Release);
    t.thread().unpark();
    t.join().unwrap();
}
