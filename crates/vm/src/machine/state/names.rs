//! What threads are called.

use super::State;
use selvedge_base::{Id, ThreadId};
use smallvec::SmallVec;

/// The hierarchical name of a thread. Detectors ask for the names of all threads in each state that
/// they compare, so this does without formatting.
pub fn thread_name(state: &State, thread: ThreadId) -> String {
    let mut ordinals: SmallVec<[u32; 8]> = SmallVec::new();
    let mut at = thread;
    while at.index() != 0 {
        let t = state.thread(at);
        ordinals.push(t.ordinal);
        at = t.parent;
    }
    let mut name = String::with_capacity(2 * ordinals.len() + 2);
    name.push('0');
    for &ordinal in ordinals.iter().rev() {
        name.push('.');
        push_number(&mut name, ordinal);
    }
    name
}

/// Appends a number in decimal digits.
fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::push_number;

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 1, 9, 10, 11, 99, 100, 101, 65_535, u32::MAX] {
            let mut text = String::from("0.");
            push_number(&mut text, number);
            assert_eq!(text, format!("0.{number}"));
        }
    }
}
