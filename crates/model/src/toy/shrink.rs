//! Makes a failing toy small: threads and operations are deleted as long as it keeps failing.

use super::program::{Toy, ToyOp};

/// The smallest toy found for which `fails` still holds, by deleting threads, sequences of
/// operations and single operations. `fails` is also called for toys that may not compile.
pub fn shrink(toy: &Toy, fails: impl Fn(&Toy) -> bool) -> Toy {
    let mut best = toy.clone();
    loop {
        let before = best.clone();
        for t in (0..best.threads.len()).rev() {
            let mut smaller = best.clone();
            if remove_thread(&mut smaller, t) && fails(&smaller) {
                best = smaller;
            }
        }
        for t in 0..best.threads.len() {
            for size in [4, 2, 1] {
                let mut at = 0;
                while at < best.threads[t].len() {
                    let mut smaller = best.clone();
                    let ops = &mut smaller.threads[t];
                    let end = (at + size).min(ops.len());
                    ops.drain(at..end);
                    if fails(&smaller) {
                        best = smaller;
                    } else {
                        at += 1;
                    }
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

/// Removes a thread and all operations that name it. Returns true if this was possible.
fn remove_thread(toy: &mut Toy, t: usize) -> bool {
    if toy.threads.len() < 2 {
        return false;
    }
    toy.threads.remove(t);
    for ops in &mut toy.threads {
        ops.retain_mut(|op| named(op).is_none_or(|u| *u != t));
        for u in ops.iter_mut().filter_map(named) {
            *u -= usize::from(*u > t);
        }
    }
    true
}

/// The thread that an operation is about.
fn named(op: &mut ToyOp) -> Option<&mut usize> {
    use ToyOp::*;
    match op {
        Spawn(u) | Join(u) | Cancel(u, _) | Detach(u, _) | JoinOnce(u, _) => Some(u),
        _ => None,
    }
}
