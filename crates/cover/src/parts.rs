//! Parts from which the same schedules lead to the same parts are one.
//!
//! The exploration tells states apart that differ in what never shows: the last request in a
//! buffer, or accesses that the race detector remembers. Their parts have the same futures. The
//! coarsest partition of parts is computed in which equal parts have equal schedules, which lead to
//! equal parts (as for the states of a finite automaton), and of each class the first part stays.

use selvedge_schedule::cover::{Cover, Label, Order, Outcome, Step};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What counts of a step: all but its place.
pub(crate) type Key = (String, Label, Outcome, Vec<(String, u32)>);

/// A schedule, and the part that it leads to, or the class of that.
type Leads = (usize, Option<usize>);

/// What equal parts agree in: their class before, where threads stand, and their schedules.
type Agrees<'a> = (usize, Option<&'a [(String, Label)]>, BTreeSet<Leads>);

/// The same set with as few parts as possible.
pub(crate) fn merged(cover: Cover) -> Cover {
    if cover.parts.is_empty() {
        return cover;
    }
    let mut numbers: BTreeMap<Vec<Key>, usize> = BTreeMap::new();
    let mut of: Vec<Vec<Leads>> = vec![Vec::new(); cover.parts.len() + 1];
    for order in &cover.schedules {
        let next = numbers.len();
        let number = *numbers.entry(key(&order.steps)).or_insert(next);
        of[order.from].push((number, order.to));
    }
    // The class of each part.
    let mut class = vec![0; of.len()];
    loop {
        let mut known: BTreeMap<Agrees<'_>, usize> = BTreeMap::new();
        let finer: Vec<usize> = (0..of.len())
            .map(|part| {
                let leads = of[part]
                    .iter()
                    .map(|&(number, to)| (number, to.map(|to| class[to])));
                let stands = cover.part(part).map(|part| &part.stands[..]);
                let next = known.len();
                *known
                    .entry((class[part], stands, leads.collect()))
                    .or_insert(next)
            })
            .collect();
        if finer == class {
            break;
        }
        class = finer;
    }
    // Classes are numbered in the order of their first parts.
    let first = |part: usize| class[..part].iter().all(|&other| other != class[part]);
    let parts = cover.parts.iter().enumerate();
    let mut schedules: Vec<Order> = Vec::new();
    // A schedule that led to several parts may lead to one now.
    let mut known: BTreeMap<(usize, Leads), usize> = BTreeMap::new();
    for order in cover.schedules.into_iter().filter(|order| first(order.from)) {
        let (from, to) = (class[order.from], order.to.map(|to| class[to]));
        match known.entry((from, (numbers[&key(&order.steps)], to))) {
            Entry::Occupied(at) => schedules[*at.get()].classes += order.classes,
            Entry::Vacant(new) => {
                new.insert(schedules.len());
                schedules.push(Order { from, to, ..order });
            }
        }
    }
    Cover {
        parts: parts
            .filter(|&(part, _)| first(part + 1))
            .map(|(_, part)| part.clone())
            .collect(),
        schedules,
        ..cover
    }
}

pub(crate) fn key(steps: &[Step]) -> Vec<Key> {
    let key = |step: &Step| {
        (
            step.thread.clone(),
            step.label.clone(),
            step.outcome,
            step.after.clone(),
        )
    };
    steps.iter().map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Part 0 leads to part 1; parts 1 to 3 lead to each other in a circle. All end, part 3 after
    /// `last`.
    fn circle(last: &str) -> Cover {
        let begin = "selvedge-cover 2\nobject 0 global 0 s\n\
            part 1\nstands 0 request -\npart 2\nstands 0 request -\npart 3\nstands 0 request -\n\
            schedule 1 from 0 to 1\nop 0 post o0 done\n";
        let mut text = begin.to_owned();
        for (from, to) in [(1, 2), (2, 3), (3, 1)] {
            let ends = if from == 3 { last } else { "wait" };
            text += &format!(
                "schedule 1 from {from} to {to}\nop 0 request - done\nop 0 post o0 done # a.c:{from}\n\
                 schedule 1 from {from}\nop 0 request - done\nop 0 {ends} o0 done\nop 0 exit - done\n"
            );
        }
        text.parse().unwrap()
    }

    #[test]
    fn parts_with_one_future_are_one() {
        let same = merged(circle("wait"));
        assert_eq!((same.parts.len(), same.schedules.len()), (1, 3));
        let ways: Vec<_> = same
            .schedules
            .iter()
            .map(|order| (order.from, order.to))
            .collect();
        assert_eq!(ways, [(0, Some(1)), (1, Some(1)), (1, None)]);
        // What comes after two more requests is part of the future.
        let other = circle("value");
        assert_eq!(merged(other.clone()), other);
    }

    #[test]
    fn a_thread_asks_for_what_leads_elsewhere() {
        let text = "selvedge-cover 2\nobject 0 global 0 s\nobject 1 global 0 t\n\
            part 1\nstands 0 request -\nstands 0.1 wait o0\npart 2\nstands 0 request -\nstands 0.1 wait o0\n\
            schedule 1 from 0 to 1\nop 0 create 0.1 done\n\
            schedule 1 from 1 to 1\nop 0 request - done\nop 0 post o1 done\n\
            schedule 1 from 1 to 2\nop 0 request - done\nop 0 value o1 done\n\
            schedule 1 from 2\nop 0 request - done\nop 0 post o0 done\nop 0.1 wait o0 done after 0:2\n\
            op 0.1 end - done\nop 0 join 0.1 done after 0.1:2\nop 0 exit - done\n";
        let cover: Cover = text.parse().unwrap();
        assert_eq!(cover.to_string(), text);
        let plan = crate::Plan::of(&cover).unwrap();
        // Thread 0.1 does nothing in part 1, and the numbers of operations are the same; but the
        // main thread's decision leads to different parts.
        let crate::State::Ask(0, 2, cases) = &plan.states[plan.start[1][1]] else {
            panic!("{plan:?}");
        };
        let to = |at: usize| match &plan.states[at] {
            crate::State::Pass { part, counts } => (*part, counts.clone()),
            other => panic!("{other:?}"),
        };
        let to: Vec<_> = cases.iter().map(|case| to(case.1)).collect();
        assert_eq!(to, [(1, vec![2, 0]), (2, vec![2, 0])]);
        assert_eq!(plan.lives, [[true, true], [true, true], [true, true]]);
    }
}
