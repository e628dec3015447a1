//! Finds an order of the events of a graph in which each read reads the last write before it.
//!
//! The problem is NP-complete (Gibbons and Korach, *Testing Shared Memories*, 1997). Two rules
//! derive most of the order (`Saturated`): if r reads w, and another write to the location comes
//! before r, it comes before w; if it comes after w, it comes after r. A search does the rest: it
//! appends one event after the other, and remembers the states from which there is no way on.

use super::graph::{At, Graph, Last, Location, Part};
use super::saturate::{Member, Saturated};
use super::weaken::Weaken;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, ForTests};
use std::cell::Cell;

/// The result of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// An order.
    Found(Vec<At>),
    /// There is none.
    None,
    /// The limit was reached before it was found out.
    Unknown,
}

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of states without a way on.
    pub dead_ends: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { dead_ends: 20_000 }
    }
}

/// See the module's documentation. `path`: the digests of the events with which the order should
/// begin. Adds the number of events looked at to `work`.
pub fn order(
    graph: &Graph,
    lasts: &[Last],
    path: &[Digest],
    (weaken, limits, work): (ForTests<Weaken>, Limits, &Cell<u64>),
) -> Order {
    work.set(work.get() + graph.len() as u64);
    let Some(saturated) = Saturated::of(graph, lasts, weaken) else {
        return Order::None;
    };
    let ranks: FxHashMap<Digest, u32> = path.iter().copied().zip(0..).collect();
    let rank = |member: &Member| ranks.get(&member.event.digest).copied().unwrap_or(u32::MAX);
    let ranks = saturated.members.iter().map(rank).collect();
    let mut search = Search::new(&saturated, ranks, weaken);
    let found = search.run(limits);
    work.set(work.get() + search.steps);
    match found {
        Some(true) => Order::Found(
            search
                .taken
                .iter()
                .map(|&m| saturated.members[m].event.at)
                .collect(),
        ),
        Some(false) => Order::None,
        None => Order::Unknown,
    }
}

/// What is to be undone when an event is taken back: the writes that it has replaced.
type Replaced = Vec<(Location, Option<usize>)>;

struct Search<'a> {
    saturated: &'a Saturated<'a>,
    ranks: Vec<u32>,
    weaken: ForTests<Weaken>,
    /// For each thread, how many of its events are taken.
    taken_of: Vec<u32>,
    taken: Vec<usize>,
    replaced: Vec<Replaced>,
    /// For each location, the last write; none for the initial value.
    last: Vec<Option<usize>>,
    /// For each write, and for each location's initial value, by location, the reads to come.
    unread: FxHashMap<(Location, Option<usize>), u32>,
    dead: FxHashSet<(Vec<u32>, Vec<Option<usize>>)>,
    /// The number of events appended.
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(saturated: &'a Saturated<'a>, ranks: Vec<u32>, weaken: ForTests<Weaken>) -> Self {
        let mut unread = FxHashMap::default();
        let mut locations = 0;
        for member in &saturated.members {
            for part in &member.event.parts {
                locations = locations.max(part.location as usize + 1);
                if let Some(source) = part.reads {
                    let source = source.map(|at| saturated.number(at));
                    *unread.entry((part.location, source)).or_default() += 1;
                }
            }
        }
        Search {
            saturated,
            ranks,
            weaken,
            taken_of: vec![0; saturated.firsts.len()],
            taken: Vec::new(),
            replaced: Vec::new(),
            last: vec![None; locations],
            unread,
            dead: FxHashSet::default(),
            steps: 0,
        }
    }

    /// True if there is an order; `None` at the limit.
    fn run(&mut self, limits: Limits) -> Option<bool> {
        // For each event taken, those that may be taken instead.
        let mut instead: Vec<Vec<usize>> = Vec::new();
        let mut candidates = self.candidates();
        while self.taken.len() < self.saturated.members.len() {
            if let Some(next) = candidates.pop() {
                instead.push(candidates);
                self.take(next);
                candidates = match self.dead.contains(&self.state()) {
                    true => Vec::new(),
                    false => self.candidates(),
                };
                continue;
            }
            self.dead.insert(self.state());
            if self.dead.len() > limits.dead_ends {
                return None;
            }
            let Some(others) = instead.pop() else {
                return Some(false);
            };
            candidates = others;
            self.take_back();
        }
        Some(true)
    }

    fn state(&self) -> (Vec<u32>, Vec<Option<usize>>) {
        (self.taken_of.clone(), self.last.clone())
    }

    /// The events to try next, the best one last. An event that writes nothing is as good now as
    /// later, so nothing else has to be tried.
    fn candidates(&self) -> Vec<usize> {
        let threads = self.saturated.firsts.iter().zip(&self.taken_of);
        let next = threads.enumerate().filter_map(|(thread, (&first, &taken))| {
            let next = first + taken as usize;
            let inside = next < self.saturated.end(thread);
            (inside && self.is_ready(next)).then_some(next)
        });
        let mut next: Vec<usize> = next.collect();
        next.sort_by_key(|&m| std::cmp::Reverse((self.ranks[m], m)));
        if let Some(&best) = next.last()
            && self.saturated.members[best].event.written().next().is_none()
        {
            next = vec![best];
        }
        next
    }

    fn is_ready(&self, number: usize) -> bool {
        let member = &self.saturated.members[number];
        let thread = member.event.at.thread as usize;
        let before = self.saturated.before(number);
        let mut threads = before.iter().zip(&self.taken_of).enumerate();
        let comes = threads.all(|(other, (&needed, &taken))| other == thread || taken >= needed);
        comes
            && member.event.parts.iter().all(|part| {
                let last = self.last[part.location as usize];
                let reads = part
                    .reads
                    .map(|source| source.map(|at| self.saturated.number(at)));
                let fits = reads.is_none_or(|source| source == last || self.is_shared(source, part, last));
                let unread = self.unread.get(&(part.location, last)).copied().unwrap_or(0);
                let own = u32::from(part.reads.is_some());
                let keeps = !part.writes || unread <= own || self.weaken.is(Weaken::Atomicity);
                fits && keeps
            })
    }

    /// A mistake: two updates read from one write.
    fn is_shared(&self, source: Option<usize>, part: &Part, last: Option<usize>) -> bool {
        let of_same = |other: &Part| {
            let reads = other.reads.map(|at| at.map(|at| self.saturated.number(at)));
            other.location == part.location && reads == Some(source)
        };
        let updates = |last: usize| self.saturated.members[last].event.parts.iter().any(of_same);
        self.weaken.is(Weaken::Atomicity) && part.writes && last.is_some_and(updates)
    }

    fn take(&mut self, number: usize) {
        self.steps += 1;
        let event = self.saturated.members[number].event;
        let mut replaced = Replaced::new();
        for part in &event.parts {
            let last = &mut self.last[part.location as usize];
            if part.reads.is_some()
                && let Some(unread) = self.unread.get_mut(&(part.location, *last))
            {
                *unread = unread.saturating_sub(1);
            }
            if part.writes {
                replaced.push((part.location, last.replace(number)));
            }
        }
        self.taken_of[event.at.thread as usize] += 1;
        self.taken.push(number);
        self.replaced.push(replaced);
    }

    fn take_back(&mut self) {
        let (Some(number), Some(replaced)) = (self.taken.pop(), self.replaced.pop()) else {
            return;
        };
        for (location, last) in replaced {
            self.last[location as usize] = last;
        }
        let event = self.saturated.members[number].event;
        self.taken_of[event.at.thread as usize] -= 1;
        for part in &event.parts {
            if part.reads.is_some() {
                let last = self.last[part.location as usize];
                *self.unread.entry((part.location, last)).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Event;
    use super::super::graphs::random;
    use super::*;

    const SEARCH: Limits = Limits { dead_ends: 1_000 };

    /// True if the event can come next where these events are the last writes.
    fn fits(event: &Event, last: &[Option<At>]) -> bool {
        event.parts.iter().all(|part| {
            part.reads
                .is_none_or(|source| source == last[part.location as usize])
        })
    }

    fn apply(event: &Event, last: &mut [Option<At>]) {
        event
            .written()
            .for_each(|location| last[location as usize] = Some(event.at));
    }

    /// Tries every order.
    fn exists(graph: &Graph, taken: &mut Vec<usize>, last: &[Option<At>; 3], lasts: &[Last]) -> bool {
        let mut ended = true;
        for thread in 0..graph.threads().len() {
            let Some(event) = graph.threads()[thread].get(taken[thread]) else {
                continue;
            };
            ended = false;
            if fits(event, last) {
                let mut last = *last;
                apply(event, &mut last);
                taken[thread] += 1;
                let found = exists(graph, taken, &last, lasts);
                taken[thread] -= 1;
                if found {
                    return true;
                }
            }
        }
        ended
            && lasts
                .iter()
                .all(|&(location, source)| last[location as usize] == source)
    }

    /// Whether the search says the same as brute force; `None` if it says nothing.
    fn agrees(graph: &Graph, lasts: &[Last], weaken: ForTests<Weaken>, limits: Limits) -> Option<bool> {
        let expected = exists(graph, &mut vec![0; graph.threads().len()], &[None; 3], lasts);
        match order(graph, lasts, &[], (weaken, limits, &Cell::new(0))) {
            Order::None => Some(!expected),
            Order::Unknown => None,
            Order::Found(order) => {
                let mut last = [None; 3];
                let mut next = vec![0; graph.threads().len()];
                for at in &order {
                    let event = graph.event(*at).expect("an event of the graph");
                    assert!(
                        fits(event, &last) && next[at.thread as usize] == at.index,
                        "{order:?}"
                    );
                    next[at.thread as usize] += 1;
                    apply(event, &mut last);
                }
                Some(expected && order.len() == graph.len())
            }
        }
    }

    #[test]
    fn the_search_finds_an_order_if_there_is_one() {
        let mut consistent = 0;
        for seed in 0..6_000 {
            let graph = random(seed);
            assert_eq!(
                agrees(&graph, &[], ForTests::default(), SEARCH),
                Some(true),
                "{seed}: {graph:?}"
            );
            let sources = graph.writers(0).map(|event| Some(event.at));
            let sources: Vec<_> = std::iter::once(None).chain(sources).collect();
            let lasts = [(0, sources[seed as usize % sources.len()])];
            assert_eq!(
                agrees(&graph, &lasts, ForTests::default(), SEARCH),
                Some(true),
                "{seed}: {graph:?}"
            );
            consistent += u32::from(matches!(
                order(&graph, &[], &[], (ForTests::default(), SEARCH, &Cell::new(0))),
                Order::Found(_)
            ));
        }
        assert!((1_000..5_000).contains(&consistent), "{consistent}");
    }

    #[test]
    fn the_order_begins_as_it_should() {
        for seed in 0..500 {
            let graph = random(seed);
            let Order::Found(found) = order(&graph, &[], &[], (ForTests::default(), SEARCH, &Cell::new(0)))
            else {
                continue;
            };
            let digest = |at: &At| graph.event(*at).expect("an event").digest;
            let path: Vec<Digest> = found.iter().map(digest).collect();
            let again = order(&graph, &[], &path, (ForTests::default(), SEARCH, &Cell::new(0)));
            assert_eq!(again, Order::Found(found));
        }
    }

    #[cfg(feature = "laboratory")]
    #[test]
    fn each_rule_and_each_check_counts() {
        let unknown = |weaken| {
            let none = Limits { dead_ends: 0 };
            let left =
                (0..3_000).filter(|&seed| agrees(&random(seed), &[], ForTests::new(weaken), none).is_none());
            left.count()
        };
        let all = unknown(Weaken::Nothing);
        for rule in [Weaken::EarlierWrites, Weaken::LaterWrites] {
            assert!(
                unknown(rule) > 2 * all.max(10),
                "{rule:?}: {} instead of {all}",
                unknown(rule)
            );
        }
        let wrong = |seed: &u64| {
            let graph = random(*seed);
            let found = order(
                &graph,
                &[],
                &[],
                (ForTests::new(Weaken::Atomicity), SEARCH, &Cell::new(0)),
            );
            let right = order(&graph, &[], &[], (ForTests::default(), SEARCH, &Cell::new(0)));
            matches!(found, Order::Found(_)) != matches!(right, Order::Found(_))
        };
        assert!((0..3_000).any(|seed| wrong(&seed)));
    }
}
