// Two readers see the values before or after a write.
use std::sync::{Arc, RwLock};
use std::thread;

fn main() {
    let values = Arc::new(RwLock::new(vec![1]));
    let writer = {
        let values = values.clone();
        thread::spawn(move || values.write().unwrap().push(2))
    };
    let read = || {
        let values = values.clone();
        thread::spawn(move || values.read().unwrap().len())
    };
    let readers = [read(), read()];
    writer.join().unwrap();
    for reader in readers {
        let seen = reader.join().unwrap();
        assert!(seen == 1 || seen == 2);
    }
}
