// A thread reads under a lock twice. If another one has said in between that it wants to write, the
// second read waits for it, and it waits for the first read.
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn main() {
    let writer = thread::spawn(|| *VALUE.write().unwrap() += 1);
    let outer = VALUE.read().unwrap();
    let inner = VALUE.read().unwrap();
    assert_eq!(*outer, *inner);
    drop(inner);
    drop(outer);
    writer.join().unwrap();
}
