// Both threads get the value of whoever came first.
use std::sync::OnceLock;
use std::thread;

static VALUE: OnceLock<i32> = OnceLock::new();

fn main() {
    let other = thread::spawn(|| *VALUE.get_or_init(|| 1));
    let mine = *VALUE.get_or_init(|| 2);
    assert_eq!(other.join().unwrap(), mine);
}
