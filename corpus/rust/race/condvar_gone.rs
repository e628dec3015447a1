// Who sees the flag frees the condition variable, which the other thread still has to notify.
use std::sync::{Condvar, Mutex};
use std::thread;

struct Event {
    set: Mutex<bool>,
    changed: Condvar,
}

struct Shared(*mut Event);

unsafe impl Send for Shared {}

impl Shared {
    fn event(&self) -> &Event {
        unsafe { &*self.0 }
    }
}

fn main() {
    let event = Box::into_raw(Box::new(Event {
        set: Mutex::new(false),
        changed: Condvar::new(),
    }));
    let theirs = Shared(event);
    let setter = thread::spawn(move || {
        let event = theirs.event();
        *event.set.lock().unwrap() = true;
        event.changed.notify_one();
    });
    let ours = Shared(event);
    let mut set = ours.event().set.lock().unwrap();
    while !*set {
        set = ours.event().changed.wait(set).unwrap();
    }
    drop(set);
    drop(unsafe { Box::from_raw(event) });
    setter.join().unwrap();
}
