// Two threads change a value under a lock that both have for reading.
use std::cell::UnsafeCell;
use std::sync::RwLock;
use std::thread;

struct Shared(UnsafeCell<i32>);

unsafe impl Sync for Shared {}
unsafe impl Send for Shared {}

static VALUE: RwLock<Shared> = RwLock::new(Shared(UnsafeCell::new(0)));

fn add() {
    let value = VALUE.read().unwrap();
    unsafe { *value.0.get() += 1 };
}

fn main() {
    let other = thread::spawn(add);
    add();
    other.join().unwrap();
}
