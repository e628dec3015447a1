// A scope waits for a thread that waits for a mutex which its creator holds.
use std::sync::Mutex;
use std::thread;

fn main() {
    let count = Mutex::new(0);
    let held = count.lock().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| *count.lock().unwrap() += 1);
    });
    drop(held);
}
