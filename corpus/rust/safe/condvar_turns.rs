// Two threads take turns. What one writes before it waits the other one reads.
use std::sync::{Condvar, Mutex};
use std::thread;

static TURN: Mutex<u32> = Mutex::new(0);
static CHANGED: Condvar = Condvar::new();
static mut NUMBER: u32 = 0;

fn main() {
    let other = thread::spawn(|| {
        let mut turn = TURN.lock().unwrap();
        while *turn != 1 {
            turn = CHANGED.wait(turn).unwrap();
        }
        assert_eq!(unsafe { NUMBER }, 7);
        *turn = 2;
        CHANGED.notify_one();
    });
    let mut turn = TURN.lock().unwrap();
    unsafe { NUMBER = 7 };
    *turn = 1;
    CHANGED.notify_one();
    while *turn != 2 {
        turn = CHANGED.wait(turn).unwrap();
    }
    drop(turn);
    other.join().unwrap();
}
