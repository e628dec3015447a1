//! The full fence of libraries on x86: a locked instruction on a variable of the fence's own.

use std::sync::atomic::{AtomicBool, Ordering};

static mut DATA: u32 = 0;
static READY: AtomicBool = AtomicBool::new(false);

fn full_fence() {
    let mut own = 0_usize;
    unsafe { std::arch::asm!("lock not qword ptr [{0}]", in(reg) &mut own) }
}

fn main() {
    let writer = std::thread::spawn(|| {
        unsafe { DATA = 1 };
        full_fence();
        READY.store(true, Ordering::Relaxed);
    });
    if READY.load(Ordering::Relaxed) {
        full_fence();
        assert_eq!(unsafe { (&raw const DATA).read() }, 1);
    }
    writer.join().unwrap();
    assert!(std::thread::available_parallelism().is_ok());
}
