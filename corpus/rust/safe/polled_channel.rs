// A receiver that looks again and again: the rounds that find nothing have no effect.
use std::sync::mpsc::{self, TryRecvError};
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || sender.send(7).unwrap());
    let mut sum = 0;
    loop {
        match receiver.try_recv() {
            Ok(n) => sum += n,
            Err(TryRecvError::Empty) => thread::yield_now(),
            Err(TryRecvError::Disconnected) => break,
        }
    }
    other.join().unwrap();
    assert_eq!(sum, 7);
}
