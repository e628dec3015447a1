// Two cells, each of which asks for the other one.
// expect-anywhere: deadlock
use std::sync::OnceLock;
use std::thread;

static A: OnceLock<u32> = OnceLock::new();
static B: OnceLock<u32> = OnceLock::new();

fn main() {
    let other = thread::spawn(|| *A.get_or_init(|| B.get().copied().unwrap_or_else(|| *B.get_or_init(|| 1))));
    B.get_or_init(|| A.get().copied().unwrap_or_else(|| *A.get_or_init(|| 2)));
    other.join().unwrap();
}
