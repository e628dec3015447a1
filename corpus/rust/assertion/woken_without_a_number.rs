// Who waits does not look at the queue again: a wait may end without a signal.
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
    if numbers.is_empty() {
        numbers = queue.1.wait(numbers).unwrap();
    }
    assert_eq!(numbers.pop_front(), Some(7));
    drop(numbers);
    producer.join().unwrap();
}
