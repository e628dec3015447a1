// A thread that waits for a message parks. So it may use up the `unpark` that was meant for its
// own `park`.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let main = thread::current();
    let other = thread::spawn(move || {
        main.unpark();
        sender.send(1).unwrap();
    });
    assert_eq!(receiver.recv(), Ok(1));
    thread::park();
    other.join().unwrap();
}
