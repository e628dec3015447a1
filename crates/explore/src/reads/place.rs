//! The place of one more event in an order of a graph.
//!
//! An event that is added mostly fits into the order that is known: a read after its source, and
//! before the next write. To find this takes one pass, and the search for an order is not needed.

use super::graph::{At, Event, Graph, Last, Source, count};
use smallvec::SmallVec;

/// An order of a graph with one more event, which contains an order of the graph. The event comes
/// as late as possible. `None` if it has no place there; then there may be another order.
///
/// `order` is one of the graph without the event: each read in it reads the last write before.
pub fn place(graph: &Graph, order: &[At], event: &Event) -> Option<Vec<At>> {
    let mut cone: u32 = event.before.iter().sum();
    // For each part, the last write to its location, and the first place after that.
    let mut last: SmallVec<[(Source, usize); 2]> = event.parts.iter().map(|_| (None, 0)).collect();
    // The places that are possible as far as the pass has come.
    let mut places: Vec<usize> = Vec::new();
    for next in 0..=order.len() {
        let fits = |(part, &(written, _)): (&super::graph::Part, &(Source, usize))| {
            part.reads.is_none_or(|source| source == written)
        };
        if cone == 0 && event.parts.iter().zip(&last).all(fits) {
            places.push(next);
        }
        let Some(&at) = order.get(next) else { break };
        if at == event.at {
            return None;
        }
        cone -= u32::from(count(&event.before, at.thread) > at.index);
        let other = graph.event(at)?;
        for (part, last) in event.parts.iter().zip(&mut last) {
            for used in other.parts.iter().filter(|used| used.location == part.location) {
                if part.writes && used.reads.is_some() {
                    // It reads a write that is before these places.
                    while places.last().is_some_and(|&place| place >= last.1) {
                        places.pop();
                    }
                }
            }
            if other.writes(part.location) {
                *last = (Some(at), next + 1);
            }
        }
    }
    let place = places.pop()?;
    let mut with = Vec::with_capacity(order.len() + 1);
    with.extend_from_slice(&order[..place]);
    with.push(event.at);
    with.extend_from_slice(&order[place..]);
    Some(with)
}

/// The part of an order that is in a set of events with their cones.
pub fn restricted(order: &[At], set: &[u32]) -> Vec<At> {
    let inside = |at: &&At| count(set, at.thread) > at.index;
    order.iter().filter(inside).copied().collect()
}

/// True if these are the last writes in an order of a graph.
pub fn ends_with(graph: &Graph, order: &[At], lasts: &[Last]) -> bool {
    lasts.iter().all(|&(location, source)| {
        let writes = |at: &&At| graph.event(**at).is_some_and(|event| event.writes(location));
        order.iter().rev().find(writes).copied() == source
    })
}

#[cfg(test)]
mod tests {
    use super::super::graph::Frontier;
    use super::super::graphs::random;
    use super::super::order::{Limits, Order, order as search};
    use super::*;
    use selvedge_base::ForTests;
    use std::cell::Cell;

    /// True if each event of the order comes after its cone, and reads the last writes.
    fn holds(graph: &Graph, order: &[At]) -> bool {
        order.iter().enumerate().all(|(next, &at)| {
            let event = graph.event(at).expect("an event of the graph");
            let mut before: Frontier = vec![0; graph.threads().len()];
            order[..next]
                .iter()
                .for_each(|at| before[at.thread as usize] += 1);
            let follows = event
                .before
                .iter()
                .zip(&before)
                .all(|(cone, taken)| cone <= taken);
            let lasts = event.parts.iter();
            let lasts: Vec<Last> = lasts
                .filter_map(|part| Some((part.location, part.reads?)))
                .collect();
            follows && ends_with(graph, &order[..next], &lasts)
        })
    }

    #[test]
    fn an_event_comes_to_its_last_place() {
        let (mut placed, mut nowhere) = (0, 0);
        for seed in 0..6_000 {
            let graph = random(seed);
            // What no other event has in its cone may be the event that was added last.
            let ends: Vec<At> = graph
                .events()
                .map(|event| event.at)
                .filter(|&at| !graph.events().any(|other| other.follows(at)))
                .collect();
            let at = ends[seed as usize % ends.len()];
            let mut without = graph.frontier();
            without[at.thread as usize] -= 1;
            let without = graph.restricted(&without);
            let limits = Limits { dead_ends: 1_000 };
            let Order::Found(known) =
                search(&without, &[], &[], (ForTests::default(), limits, &Cell::new(0)))
            else {
                continue;
            };
            assert!(holds(&without, &known), "{known:?}");
            let with = |place: usize| [&known[..place], &[at], &known[place..]].concat();
            let mut places = (0..=known.len()).rev().map(with);
            let expected = places.find(|order| holds(&graph, order));
            let event = graph.event(at).expect("an event of the graph");
            assert_eq!(place(&graph, &known, event), expected, "{seed}: {graph:?}");
            match expected {
                Some(_) => placed += 1,
                None => nowhere += 1,
            }
        }
        assert!(placed > 1_000 && nowhere > 300, "{placed} {nowhere}");
    }
}
