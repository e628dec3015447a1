// A counter under a mutex, which a thread reads and writes under two locks: an increment is lost.
use std::sync::Mutex;
use std::thread;

fn main() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let seen = *count.lock().unwrap();
            *count.lock().unwrap() = seen + 1;
        });
        *count.lock().unwrap() += 1;
    });
    assert_eq!(*count.lock().unwrap(), 2);
}
