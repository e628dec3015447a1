// Two threads take two mutexes in opposite orders.
use std::sync::Mutex;
use std::thread;

static LEFT: Mutex<i32> = Mutex::new(0);
static RIGHT: Mutex<i32> = Mutex::new(0);

fn main() {
    let other = thread::spawn(|| {
        let left = LEFT.lock().unwrap();
        *RIGHT.lock().unwrap() += *left;
    });
    let right = RIGHT.lock().unwrap();
    *LEFT.lock().unwrap() += *right;
    drop(right);
    other.join().unwrap();
}
