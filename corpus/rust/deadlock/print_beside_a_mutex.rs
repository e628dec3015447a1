// One thread prints while it has a mutex, the other one takes the mutex while it has the lock of
// standard output.
// expect-anywhere: deadlock
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let total = Arc::new(Mutex::new(0));
    let other = total.clone();
    let thread = thread::spawn(move || {
        let mut total = other.lock().unwrap();
        *total += 1;
        println!("{total}");
    });
    let out = std::io::stdout().lock();
    *total.lock().unwrap() += 1;
    drop(out);
    thread.join().unwrap();
}
