// One thread puts numbers in a queue, and the other waits for each.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let queue = Arc::new((Mutex::new(VecDeque::new()), Condvar::new()));
    let theirs = Arc::clone(&queue);
    let producer = thread::spawn(move || {
        theirs.0.lock().unwrap().push_back(7);
        theirs.1.notify_one();
    });
    let mut numbers = queue.0.lock().unwrap();
    while numbers.is_empty() {
        numbers = queue.1.wait(numbers).unwrap();
    }
    assert_eq!(numbers.pop_front(), Some(7));
    drop(numbers);
    producer.join().unwrap();
}
