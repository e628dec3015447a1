// Three threads compete for the first use; one runs the closure, and all see what it has written.
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static RUNS: AtomicU32 = AtomicU32::new(0);
static TABLE: LazyLock<Vec<u32>> = LazyLock::new(|| {
    RUNS.fetch_add(1, Relaxed);
    vec![1, 2, 3]
});

fn main() {
    let threads: Vec<_> = (0..2).map(|i| thread::spawn(move || assert_eq!(TABLE[i], i as u32 + 1))).collect();
    assert_eq!(TABLE.len(), 3);
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(RUNS.load(Relaxed), 1);
}
