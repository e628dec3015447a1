// A thread of a scope borrows a mutex from the stack.
use std::sync::Mutex;
use std::thread;

fn main() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock().unwrap() += 1);
        *count.lock().unwrap() += 1;
    });
    assert_eq!(*count.lock().unwrap(), 2);
}
