// That all senders are gone orders nothing: the receiver reads the mark without acquiring.
use std::sync::mpsc;
use std::thread;

static mut NOTE: u32 = 0;

fn main() {
    let (sender, receiver) = mpsc::channel::<u32>();
    thread::spawn(move || {
        unsafe { NOTE = 1 };
        drop(sender);
    });
    assert!(receiver.recv().is_err());
    let note = unsafe { NOTE };
    assert!(note == 1);
}
