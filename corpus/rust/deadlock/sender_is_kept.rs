// The receiver keeps a sender, so it waits for ever for the end of the messages.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    thread::spawn(move || other.send(1).unwrap());
    let sum: u32 = receiver.iter().sum();
    assert_eq!(sum, 1);
    drop(sender);
}
