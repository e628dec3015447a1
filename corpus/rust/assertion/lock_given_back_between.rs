// The writer gives the lock back between the parts of a pair.
use std::sync::RwLock;
use std::thread;

static PAIR: RwLock<(i32, i32)> = RwLock::new((0, 0));

fn main() {
    let writer = thread::spawn(|| {
        PAIR.write().unwrap().0 += 1;
        PAIR.write().unwrap().1 += 1;
    });
    let pair = PAIR.read().unwrap();
    assert_eq!(pair.0, pair.1);
    drop(pair);
    writer.join().unwrap();
}
