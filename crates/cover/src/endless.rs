//! Threads that wait for ever while others go round for ever.
//!
//! Some parts of a set may lead only to each other, so a program that comes there never ends. A
//! thread that takes part there and has no operation in any schedule from there stands before the
//! same operation for ever. Where a schedule leads to the end, or to parts that do not lead back,
//! it is assumed that the program does not go round for ever.

use selvedge_schedule::cover::{Cover, Label};
use std::collections::BTreeSet;

/// A thread that waits for ever, and what it stands before.
pub fn waits_for_ever(cover: &Cover) -> Option<(&str, &Label)> {
    let reached: Vec<BTreeSet<usize>> = (0..=cover.parts.len())
        .map(|part| reachable(cover, part))
        .collect();
    for (number, part) in (1..).zip(&cover.parts) {
        let among = &reached[number];
        let ends = |from: usize| {
            let mut schedules = cover.schedules.iter().filter(|order| order.from == from);
            schedules.any(|order| order.to.is_none())
        };
        let is_left = among
            .iter()
            .any(|&other| !reached[other].contains(&number) || ends(other));
        if is_left || among.is_empty() {
            continue;
        }
        let moves = |thread: &str| {
            let mut schedules = cover.schedules.iter().filter(|order| among.contains(&order.from));
            schedules.any(|order| order.steps.iter().any(|step| step.thread == thread))
        };
        if let Some((thread, label)) = part.stands.iter().find(|(thread, _)| !moves(thread)) {
            return Some((thread, label));
        }
    }
    None
}

/// The parts to which schedules lead from a part, in one step or more.
fn reachable(cover: &Cover, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(part) = open.pop() {
        let leads = cover.schedules.iter().filter(|order| order.from == part);
        open.extend(
            leads
                .filter_map(|order| order.to)
                .filter(|&to| reached.insert(to)),
        );
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "selvedge-cover 2\nobject 0 global 0 s\n\
        part 1\nstands 0 post o0\nstands 0.1 wait o0\npart 2\nstands 0 post o0\nstands 0.1 wait o0\n\
        schedule 1 from 0 to 1\nop 0 create 0.1 done\n\
        schedule 1 from 1 to 2\nop 0 post o0 done\n";

    fn waits(rest: &str) -> Option<String> {
        let cover: Cover = (BEGIN.to_owned() + rest).parse().unwrap();
        waits_for_ever(&cover).map(|(thread, label)| format!("{thread} {}", cover.text(label)))
    }

    #[test]
    fn a_thread_that_never_moves_where_all_goes_round_waits_for_ever() {
        let back = "schedule 1 from 2 to 1\nop 0 value o0 done\n";
        assert_eq!(waits(back).as_deref(), Some("0.1 wait s"));
        let moves = "schedule 1 from 2 to 1\nop 0.1 wait o0 done\n";
        assert_eq!(waits(moves), None);
        // It may end.
        let ends = "schedule 1 from 2\nop 0 exit - done\n";
        assert_eq!(waits(&format!("{back}{ends}")), None);
    }
}
