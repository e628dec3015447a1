// Two threads change a static variable without any synchronisation.
use std::thread;

static mut COUNTER: i32 = 0;

fn main() {
    let other = thread::spawn(|| unsafe { COUNTER += 1 });
    unsafe { COUNTER += 1 };
    other.join().unwrap();
}
