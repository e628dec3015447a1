// A counter under a mutex: the threads spin, then wait on a futex.
use std::sync::Mutex;
use std::thread;

static COUNTER: Mutex<i32> = Mutex::new(0);

fn main() {
    let other = thread::spawn(|| *COUNTER.lock().unwrap() += 1);
    *COUNTER.lock().unwrap() += 1;
    other.join().unwrap();
    assert_eq!(*COUNTER.lock().unwrap(), 2);
}
