// A thread looks for a message again and again, and nobody sends one.
use std::sync::mpsc::{self, TryRecvError};
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel::<u32>();
    let other = thread::spawn(move || {
        while receiver.try_recv() == Err(TryRecvError::Empty) {
            thread::yield_now();
        }
    });
    other.join().unwrap();
    drop(sender);
}
