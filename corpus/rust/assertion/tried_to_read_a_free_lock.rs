// A thread gives a lock back for which a reader and a writer wait. It cannot read then, although
// nobody has the lock: the writer is to have it first. But it may write.
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn write_first() -> bool {
    VALUE.try_write().is_ok_and(|mut value| {
        *value += 2;
        *value == 2
    })
}

fn main() {
    let first = VALUE.write().unwrap();
    let writer = thread::spawn(|| *VALUE.write().unwrap() += 1);
    let reader = thread::spawn(|| *VALUE.read().unwrap());
    drop(first);
    let refused = VALUE.try_read().is_err();
    let written = write_first();
    writer.join().unwrap();
    // If it was refused for a reader before a writer that waits, that one has read 0.
    let had_lock = reader.join().unwrap() == 0;
    assert!(!refused || !written || had_lock);
}
