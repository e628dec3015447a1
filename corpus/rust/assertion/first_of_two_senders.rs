// Two threads send; the receiver counts on the order.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (one, receiver) = mpsc::channel();
    let two = one.clone();
    let first = thread::spawn(move || one.send(1).unwrap());
    let second = thread::spawn(move || two.send(2).unwrap());
    first.join().unwrap();
    second.join().unwrap();
    assert_eq!(receiver.recv().unwrap(), 1);
}
