// Who waits looks at the condition variable once more when it has given the lock back. So nobody
// who only has the lock may free it.
use std::sync::{Condvar, Mutex};
use std::thread;

static STATE: Mutex<u32> = Mutex::new(0);

struct Shared(*mut Condvar);

unsafe impl Send for Shared {}

impl Shared {
    fn condvar(&self) -> &Condvar {
        unsafe { &*self.0 }
    }
}

fn main() {
    let changed = Box::into_raw(Box::new(Condvar::new()));
    let theirs = Shared(changed);
    let waiter = thread::spawn(move || {
        let changed = theirs.condvar();
        let mut state = STATE.lock().unwrap();
        *state += 1;
        while *state < 2 {
            state = changed.wait(state).unwrap();
        }
    });
    let mut state = STATE.lock().unwrap();
    *state += 2;
    if *state == 3 {
        Shared(changed).condvar().notify_all();
        drop(unsafe { Box::from_raw(changed) });
    }
    drop(state);
    waiter.join().unwrap();
}
