// Attempts that fail for no reason wait longer and longer. What they leave on the stack is no
// part of the state.
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

static TAIL: AtomicUsize = AtomicUsize::new(0);

fn push() -> usize {
    let mut tail = TAIL.load(SeqCst);
    let mut step = 0;
    loop {
        match TAIL.compare_exchange_weak(tail, tail + 1, SeqCst, SeqCst) {
            Ok(place) => return place,
            Err(now) => {
                tail = now;
                for _ in 0..1 << step {
                    std::hint::spin_loop();
                }
                step = (step + 1).min(6);
            }
        }
    }
}

fn main() {
    let other = std::thread::spawn(push);
    let first = push();
    let second = other.join().unwrap();
    let mut all = [first, second];
    all.sort();
    assert_eq!(all, [0, 1]);
}
