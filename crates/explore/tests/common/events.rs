//! What `unfold` knows, event by event, against the reference unfolding.

use super::never;
use selvedge_base::ThreadId;
use selvedge_explore::unfold::oracle::{Known, Visited, Watched, Weaken};
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Order};
use selvedge_model::reference::{EventLabel, EventName, EventSet, Unfolding};
use selvedge_model::toy::{Toy, ToyEnd, ToyMachine};
use selvedge_model::{Choice, Machine, NoDetector, Op, StopReason, Undo};
use std::collections::BTreeMap;

/// Toys with more configurations are left out.
const MOST: usize = 300;

fn machine(toy: &Toy) -> ToyMachine {
    ToyMachine::new(toy).expect("a toy that compiles")
}

/// By event its number in the reference. Who has none is described.
fn numbers(toy: &Toy, watched: &Watched, whole: &Unfolding<ToyEnd>) -> Result<Vec<usize>, String> {
    let known: BTreeMap<EventName, usize> = whole.events().iter().map(|e| e.name).zip(0..).collect();
    let mut names: Vec<EventName> = Vec::new();
    let mut numbers = Vec::new();
    for (event, label) in watched.events.iter().zip(labels(toy, watched)?) {
        let name = EventName::new(&label, event.causes.iter().map(|&c| names[c]));
        let Some(&number) = known.get(&name) else {
            return Err(format!("{label} is no event, or has other causes"));
        };
        if numbers.contains(&number) {
            return Err(format!("{label} is there twice"));
        }
        names.push(name);
        numbers.push(number);
    }
    Ok(numbers)
}

/// The label of each event: of those that were executed from the machine, of others as they are
/// known.
fn labels(toy: &Toy, watched: &Watched) -> Result<Vec<EventLabel>, String> {
    let mut labels: Vec<EventLabel> = Vec::new();
    for (event, executed) in watched.events.iter().zip(executed(toy, watched)) {
        labels.push(match executed {
            Some(executed) if is_known_as(&executed, &event.label) => executed,
            Some(executed) => return Err(format!("{} was executed as {executed}", event.label)),
            None => {
                let threads = threads_below(watched, &labels, event);
                let name = |thread| threads.get(&thread).copied().unwrap_or(thread);
                EventLabel {
                    action: event.label.action.renamed(name),
                    completed: event.label.completed.map(|action| action.renamed(name)),
                    ..event.label.clone()
                }
            }
        });
    }
    Ok(labels)
}

/// Whether an event that was executed is known as what it is, but for the names of threads.
fn is_known_as(executed: &EventLabel, known: &EventLabel) -> bool {
    let of = |label: &EventLabel| {
        (
            label.action.op,
            label.action.stmt,
            label.action.ends,
            label
                .completed
                .map(|action| (action.op, action.object, action.stmt)),
            // Of what a data choice completes that follows from the choice.
            label.failed && label.completed.is_none(),
        )
    };
    // Who arrives last at a barrier lets itself go, too: for the exploration that is no other
    // thread.
    let others = executed.named.iter().filter(|&&t| t != executed.action.thread);
    of(executed) == of(known) && others.count() == known.named.len()
}

/// The toy's threads by the exploration's, as far as the causes of an event have them.
fn threads_below(watched: &Watched, labels: &[EventLabel], event: &Known) -> BTreeMap<ThreadId, ThreadId> {
    let (mut threads, mut todo) = (BTreeMap::new(), event.causes.clone());
    while let Some(at) = todo.pop() {
        let (ours, theirs) = (&watched.events[at].label, &labels[at]);
        threads.insert(ours.action.thread, theirs.action.thread);
        if ours.action.op == Op::Spawn {
            threads.extend(ours.named.iter().copied().zip(theirs.named.iter().copied()));
        }
        todo.extend(&watched.events[at].causes);
    }
    threads
}

/// The label of each event that was executed; the beginnings that they share are executed once.
fn executed(toy: &Toy, watched: &Watched) -> Vec<Option<EventLabel>> {
    let mut labels = vec![None; watched.events.len()];
    let chosen = |(at, event): (usize, &Known)| Some((event.choices.clone()?, at));
    let mut ways: Vec<(Vec<Choice>, usize)> = watched
        .events
        .iter()
        .enumerate()
        .filter_map(|e| chosen((e.0, e.1)))
        .collect();
    ways.sort();
    let mut machine = machine(toy);
    let mut marks = Vec::new();
    let mut path: Vec<Choice> = Vec::new();
    for (way, at) in ways {
        let (&last, before) = way.split_last().expect("an event");
        let same = path.iter().zip(before).take_while(|(a, b)| a == b).count();
        if same < path.len() {
            machine.undo(marks[same]);
            marks.truncate(same);
            path.truncate(same);
        }
        for &choice in &before[same..] {
            marks.push(machine.mark());
            machine.step(choice);
            path.push(choice);
        }
        let here = machine.mark();
        labels[at] = Some(EventLabel::of_step(&mut machine, last));
        machine.undo(here);
    }
    labels
}

/// What is wrong with what an exploration knew, if anything.
pub fn complaint(toy: &Toy, config: &Config, weaken: Weaken) -> Result<usize, String> {
    let Ok(whole) = Unfolding::of(&mut machine(toy), MOST) else {
        return Ok(0);
    };
    let make = || (machine(toy), NoDetector);
    let (report, watched) = unfold::explore_watched(&make, config, &Control::new(), weaken);
    if report.stop != StopReason::Complete || !report.limits.is_empty() {
        return Err(format!("{:?}, {:?}", report.stop, report.limits));
    }
    let watched = watched.ok_or("an event cannot be executed again")?;
    let numbers = numbers(toy, &watched, &whole)?;
    if !config.cutoffs {
        is_whole(&watched, &numbers, &whole)?;
    }
    watched
        .visited
        .iter()
        .try_for_each(|visited| knows_extensions(visited, &numbers, &whole))?;
    Ok(1)
}

/// The events and the immediate conflicts are those of the reference.
fn is_whole(watched: &Watched, numbers: &[usize], whole: &Unfolding<ToyEnd>) -> Result<(), String> {
    let events = whole.events();
    if let Some(missing) = (0..events.len()).find(|e| !numbers.contains(e)) {
        return Err(format!("{} was not found", events[missing].label));
    }
    for (event, &e) in watched.events.iter().zip(numbers) {
        if event.choices.is_none() {
            return Err(format!("{} was never executed", events[e].label));
        }
        let ours: EventSet = event.conflicts.iter().map(|&c| numbers[c]).collect();
        let immediate = |&other: &usize| whole.immediate_conflict(e, other);
        let theirs: EventSet = events[e].conflicts.iter().filter(immediate).collect();
        if ours != theirs {
            return Err(format!(
                "{} is in conflict with {}, known are {}",
                events[e].label,
                whole.show(&theirs),
                whole.show(&ours)
            ));
        }
    }
    Ok(())
}

/// Where an execution ended, each conflicting extension is known, with its immediate conflicts
/// there; but for what threads could do next that can go on.
fn knows_extensions(visited: &Visited, numbers: &[usize], whole: &Unfolding<ToyEnd>) -> Result<(), String> {
    let events = whole.events();
    let numbered = |list: &[usize]| -> EventSet { list.iter().map(|&e| numbers[e]).collect() };
    let c = numbered(&visited.events);
    let Some(configuration) = whole.configuration(&c) else {
        return Err(format!("no configuration: {}", whole.show(&c)));
    };
    if visited.maximal != configuration.enabled.is_empty() {
        return Err(format!("maximal, or not: {}", whole.show(&c)));
    }
    let known = visited.extensions.iter();
    let known: BTreeMap<usize, EventSet> = known
        .map(|(e, against)| (numbers[*e], numbered(against)))
        .collect();
    for (e, event) in events.iter().enumerate() {
        let is_conflicting = !c.contains(e) && event.causes.is_subset(&c) && event.conflicts.meets(&c);
        let could_go_on = || {
            let mut enabled = configuration.enabled.iter();
            enabled.any(|next| events[next].label.same_thread(&event.label))
                && !c
                    .iter()
                    .any(|x| events[x].label.same_thread(&event.label) && !event.causes.contains(x))
        };
        if !is_conflicting || could_go_on() {
            continue;
        }
        let Some(against) = known.get(&e) else {
            return Err(format!("not known: {} after {}", event.label, whole.show(&c)));
        };
        let immediate = |&x: &usize| c.contains(x) && whole.immediate_conflict(e, x);
        let theirs: EventSet = event.conflicts.iter().filter(immediate).collect();
        if *against != theirs {
            return Err(format!(
                "{} after {}: against {}, known {}",
                event.label,
                whole.show(&c),
                whole.show(&theirs),
                whole.show(against)
            ));
        }
    }
    Ok(())
}

/// Each answer to what can be asked.
pub fn configurations() -> Vec<Config> {
    let mut all = Vec::new();
    for order in [Order::DepthFirst, Order::BreadthFirst, Order::Random] {
        for partial in [Partial::Last(1), Partial::All] {
            for cutoffs in [false, true] {
                all.push(Config {
                    partial,
                    order,
                    cutoffs,
                    ..never()
                });
            }
        }
    }
    all
}
