// The last thread of a scope unparks its creator, which may have noticed already. Whether a later
// `park` returns depends on that.
use std::thread;

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| ());
    });
    thread::park();
}
