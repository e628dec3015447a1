// Each print asks first whether its thread has the lock of standard output already.
use std::io::Write;
use std::thread;

fn main() {
    let threads: Vec<_> = (0..2)
        .map(|i| {
            thread::spawn(move || {
                println!("hello {i}");
            })
        })
        .collect();
    {
        let mut out = std::io::stdout().lock();
        // The lock is taken again by the same thread.
        println!("main");
        writeln!(out, "has it").unwrap();
    }
    for thread in threads {
        thread.join().unwrap();
    }
}
