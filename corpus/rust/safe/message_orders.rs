// A message orders what its sender did before what its receiver does, also through a second
// channel.
use std::sync::mpsc;
use std::thread;

static mut NOTE: u32 = 0;

fn main() {
    let (first, second) = mpsc::channel();
    let (answer, answers) = mpsc::sync_channel(1);
    let other = thread::spawn(move || {
        let n: u32 = second.recv().unwrap();
        unsafe { NOTE += n };
        answer.send(n + 1).unwrap();
    });
    unsafe { NOTE = 1 };
    first.send(2).unwrap();
    assert_eq!(answers.recv(), Ok(3));
    assert_eq!(unsafe { NOTE }, 3);
    other.join().unwrap();
}
