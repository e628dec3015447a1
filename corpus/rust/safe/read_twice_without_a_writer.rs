// Two threads read under a lock twice. Nobody wants to write, so nobody waits.
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<i32> = RwLock::new(7);

fn read() {
    let outer = VALUE.read().unwrap();
    let inner = VALUE.read().unwrap();
    assert_eq!(*outer, *inner);
}

fn main() {
    let other = thread::spawn(read);
    read();
    other.join().unwrap();
}
