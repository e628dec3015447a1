// Each thread of a scope writes its own element; whoever waits for the scope sees them all.
use std::thread;

fn main() {
    let mut numbers = [0u32; 3];
    thread::scope(|scope| {
        for (at, number) in numbers.iter_mut().enumerate() {
            scope.spawn(move || *number = at as u32 + 1);
        }
    });
    assert_eq!(numbers.iter().sum::<u32>(), 6);
}
