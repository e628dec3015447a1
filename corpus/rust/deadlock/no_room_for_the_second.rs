// Nobody receives before both messages are sent, and there is room for one.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let other = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    other.join().unwrap();
    let sum: u32 = receiver.iter().sum();
    assert_eq!(sum, 3);
}
