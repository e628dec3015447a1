//! Whether two sets of schedules are the same: for `selvedge cover --verify`.

use crate::cover_page::inputs;
use selvedge_schedule::cover::{Cover, Object, Order};
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

/// The objects, in an order of their own. A set in which two of them are one is another set.
fn objects(cover: &Cover) -> Vec<&Object> {
    let mut objects: Vec<&Object> = cover.objects.iter().collect();
    objects.sort();
    objects
}

/// The number of each schedule of a set among those that the program has.
///
/// # Errors
/// The first difference between the two, in words. Places, inputs and the order of schedules are
/// none.
pub(crate) fn matched(set: &Cover, own: &Cover) -> Result<Vec<usize>, String> {
    if set.inputs.len() != own.inputs.len() {
        return Err(format!("it is of {} sources", set.inputs.len()));
    }
    // Their order counts: they are arguments, and options of the compiler.
    if let Some((name, _)) = first_of_one(&set.options, &own.options) {
        return Err(format!("option `{name}` differs"));
    }
    if let Some(object) = first_of_one(&objects(set), &objects(own)) {
        return Err(format!("object `{object}` differs"));
    }
    if stands(set) != stands(own) {
        return Err("threads stand elsewhere when they read requests".to_owned());
    }
    let numbered = own.schedules.iter().enumerate();
    let ours: BTreeMap<Vec<String>, usize> = numbered
        .map(|(number, order)| (operations(own, order), number))
        .collect();
    let mut matched = Vec::new();
    let mut taken = vec![false; own.schedules.len()];
    for (number, order) in set.schedules.iter().enumerate() {
        let same = *ours
            .get(&operations(set, order))
            .ok_or_else(|| format!("the program never follows its schedule {}", number + 1))?;
        if own.schedules[same].classes != order.classes {
            return Err(format!("other inputs follow its schedule {}", number + 1));
        }
        if std::mem::replace(&mut taken[same], true) {
            return Err("one of its schedules is there twice".to_owned());
        }
        matched.push(same);
    }
    let mut numbered = own.schedules.iter().enumerate();
    match numbered.find(|&(number, _)| !taken[number]) {
        Some((_, order)) => Err(format!("it has no schedule for {}", inputs(order))),
        None => Ok(matched),
    }
}

/// Why the inputs of a schedule do not lead along it. `matched`: the number of each schedule of the
/// set among those of the program, which `witnessed` has.
pub(crate) fn unwitnessed(
    matched: &[usize],
    schedule: usize,
    witnessed: &[Result<Vec<usize>, String>],
) -> Option<String> {
    let along = match witnessed.get(schedule) {
        Some(Ok(along)) => along,
        Some(Err(why)) => return Some(why.clone()),
        None => return Some("the program was not run with them".to_owned()),
    };
    if along.contains(&matched[schedule]) {
        return None;
    }
    let other = matched.iter().position(|own| along.contains(own));
    Some(match other {
        Some(other) => format!("they lead along schedule {}", other + 1),
        None => "they lead along no schedule".to_owned(),
    })
}

/// An item that one list has and the other does not, or else the first that has another place.
fn first_of_one<'a, T: PartialEq>(a: &'a [T], b: &'a [T]) -> Option<&'a T> {
    let lacks = |a: &'a [T], b: &[T]| a.iter().find(|item| !b.contains(item));
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let place = a.get(same).or_else(|| b.get(same));
    lacks(a, b).or_else(|| lacks(b, a)).or(place)
}
