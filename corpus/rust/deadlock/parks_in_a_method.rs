// As `parks_after_receiving.rs`, with parking in methods that the program adds to a type of the
// library.
use std::sync::mpsc;
use std::thread::{self, Thread};

trait Sleeps {
    fn doze(&self);
    fn rouse(&self);
}

impl Sleeps for Thread {
    fn doze(&self) {
        thread::park();
    }
    fn rouse(&self) {
        self.unpark();
    }
}

fn main() {
    let (sender, receiver) = mpsc::channel();
    let (main, me) = (thread::current(), thread::current());
    let other = thread::spawn(move || {
        main.rouse();
        sender.send(1).unwrap();
    });
    assert_eq!(receiver.recv(), Ok(1));
    me.doze();
    other.join().unwrap();
}
