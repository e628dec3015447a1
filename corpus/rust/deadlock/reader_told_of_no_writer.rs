// Two threads want to write. The second one keeps the lock for reading, and waits for a reader,
// which is told that a writer waits, though none does any more.
use std::sync::{RwLock, RwLockWriteGuard};
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(0);

fn read() {
    assert_eq!(*VALUE.read().unwrap(), 1);
}

fn write_and_read() {
    let mut value = VALUE.write().unwrap();
    *value += 1;
    let value = RwLockWriteGuard::downgrade(value);
    thread::spawn(read).join().unwrap();
    drop(value);
}

fn main() {
    let first = VALUE.write().unwrap();
    let second = thread::spawn(write_and_read);
    drop(first);
    second.join().unwrap();
}
