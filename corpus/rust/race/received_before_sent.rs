// A message orders its sender before its receiver, and not the reverse: the sender does not learn
// what the receiver did before it received the first message.
use std::sync::mpsc;
use std::thread;

static mut NOTE: u32 = 0;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        unsafe { NOTE }
    });
    unsafe { NOTE = 1 };
    let sum: u32 = receiver.iter().sum();
    assert_eq!(sum, 3);
    other.join().unwrap();
}
