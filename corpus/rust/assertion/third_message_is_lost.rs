// A message that does not fit is dropped.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::sync_channel(2);
    let other = thread::spawn(move || {
        for n in 1..4 {
            let _ = sender.try_send(n);
        }
    });
    let sum: u32 = receiver.iter().sum();
    other.join().unwrap();
    assert_eq!(sum, 6);
}
