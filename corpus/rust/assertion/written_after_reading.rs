// A value is read under the lock, and written under it later: another thread may write in between.
use std::sync::RwLock;
use std::thread;

static COUNT: RwLock<i32> = RwLock::new(0);

fn add() {
    let count = *COUNT.read().unwrap();
    *COUNT.write().unwrap() = count + 1;
}

fn main() {
    let other = thread::spawn(add);
    add();
    other.join().unwrap();
    assert_eq!(*COUNT.read().unwrap(), 2);
}
