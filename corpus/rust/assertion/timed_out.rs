// The wait may time out before the other thread has set the flag.
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let setter = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CHANGED.notify_one();
    });
    let ready = READY.lock().unwrap();
    let (ready, result) = CHANGED
        .wait_timeout_while(ready, Duration::from_secs(1), |ready| !*ready)
        .unwrap();
    assert!(*ready && !result.timed_out());
    drop(ready);
    setter.join().unwrap();
}
