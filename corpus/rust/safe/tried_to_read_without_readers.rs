// A thread gives a lock back for which a writer waits. If it cannot read then, the writer has it,
// or has had it.
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn main() {
    let first = VALUE.write().unwrap();
    let writer = thread::spawn(|| *VALUE.write().unwrap() += 1);
    drop(first);
    let read = VALUE.try_read().is_ok();
    let written = VALUE.try_write().is_ok_and(|value| *value == 0);
    assert!(read || !written);
    writer.join().unwrap();
}
