// The closure of a cell asks for the cell.
// expect-anywhere: deadlock
use std::sync::OnceLock;
use std::thread;

static CELL: OnceLock<u32> = OnceLock::new();

fn first() -> u32 {
    *CELL.get_or_init(|| *CELL.get_or_init(|| 1))
}

fn main() {
    let other = thread::spawn(first);
    assert_eq!(first(), other.join().unwrap());
}
