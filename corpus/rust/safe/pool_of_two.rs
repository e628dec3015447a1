// Two workers take jobs from one channel, behind a lock.
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

fn main() {
    let (sender, receiver) = mpsc::channel::<Job>();
    let receiver = Arc::new(Mutex::new(receiver));
    let total = Arc::new(Mutex::new(0));
    let workers = [0, 1].map(|_| {
        let receiver = receiver.clone();
        thread::spawn(move || {
            loop {
                let job = receiver.lock().unwrap().recv();
                match job {
                    Ok(job) => job(),
                    Err(_) => break,
                }
            }
        })
    });
    for n in 1..3 {
        let total = total.clone();
        sender.send(Box::new(move || *total.lock().unwrap() += n)).unwrap();
    }
    drop(sender);
    for worker in workers {
        worker.join().unwrap();
    }
    assert_eq!(*total.lock().unwrap(), 3);
}
