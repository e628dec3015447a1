// A mutex that two threads and their creator share.
use std::sync::{Arc, Mutex};
use std::thread;
fn main() {
    let n = Arc::new(Mutex::new(0));
    let ts: Vec<_> = (0..2).map(|_| { let m = n.clone(); thread::spawn(move || { *m.lock().unwrap() += 1; }) }).collect();
    for t in ts { t.join().unwrap(); }
    assert_eq!(*n.lock().unwrap(), 2);
}
