//! Whether two sets of schedules are the same: for `selvedge cover --verify`.

use crate::cover_page::inputs;
use selvedge_schedule::cover::{Cover, Order};
use std::collections::BTreeMap;

/// What a schedule is, whatever the numbers of its objects are.
fn operations(cover: &Cover, order: &Order) -> Vec<String> {
    let line = |step: &selvedge_schedule::cover::Step| {
        let (what, came) = (cover.text(&step.label), step.outcome.word());
        let after: Vec<String> = step.after.iter().map(|(t, n)| format!("{t}:{n}")).collect();
        format!("{} {what} {came} {}", step.thread, after.join(" "))
    };
    let way = format!("{} {:?}", order.from, order.to);
    std::iter::once(way).chain(order.steps.iter().map(line)).collect()
}

/// Where the threads stand at the begin of each part.
fn stands(cover: &Cover) -> Vec<Vec<String>> {
    let parts = cover.parts.iter().map(|part| part.stands.iter());
    let text = |(thread, label): &(String, _)| format!("{thread} {}", cover.text(label));
    parts.map(|stands| stands.map(text).collect()).collect()
}

/// The first difference between a set and the one that the program has, in words. Places, inputs
/// and the order of schedules are none.
pub(crate) fn difference(set: &Cover, own: &Cover) -> Option<String> {
    if set.inputs.len() != own.inputs.len() {
        return Some(format!("it is of {} sources", set.inputs.len()));
    }
    if let Some((name, _)) = of_one(&set.options, &own.options) {
        return Some(format!("option `{name}` differs"));
    }
    if stands(set) != stands(own) {
        return Some("threads stand elsewhere when they read requests".to_owned());
    }
    let known = |cover: &Cover| -> BTreeMap<Vec<String>, usize> {
        let numbered = cover.schedules.iter().enumerate();
        numbered
            .map(|(number, order)| (operations(cover, order), number))
            .collect()
    };
    let (theirs, ours) = (known(set), known(own));
    for (number, order) in set.schedules.iter().enumerate() {
        match ours.get(&operations(set, order)) {
            None => return Some(format!("the program never follows its schedule {}", number + 1)),
            Some(&same) if own.schedules[same].classes != order.classes => {
                return Some(format!("other inputs follow its schedule {}", number + 1));
            }
            Some(_) => {}
        }
    }
    if theirs.len() < set.schedules.len() {
        return Some("one of its schedules is there twice".to_owned());
    }
    let lacks = own
        .schedules
        .iter()
        .find(|order| !theirs.contains_key(&operations(own, order)));
    lacks.map(|order| format!("it has no schedule for {}", inputs(order)))
}

/// An item that one list has and the other does not.
fn of_one<'a, T: PartialEq>(a: &'a [T], b: &'a [T]) -> Option<&'a T> {
    let lacks = |a: &'a [T], b: &[T]| a.iter().find(|item| !b.contains(item));
    lacks(a, b).or_else(|| lacks(b, a))
}
