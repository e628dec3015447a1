//! The order that follows from program order and reads-from under sequential consistency
//! (`order.rs` has the rules).
//!
//! Each event has a clock: for each thread, how many of its events have to come before. The rules
//! are applied until nothing changes.

use super::graph::{At, Event, Graph, Last, Location, Source};
use super::weaken::Weaken;
use rustc_hash::FxHashMap;
use selvedge_base::ForTests;

/// An event of the graph, with its number in [`Saturated::members`].
pub struct Member<'a> {
    pub event: &'a Event,
    /// Members that have to come before, beside the event's cone.
    after: Vec<usize>,
}

/// The events of a graph, and what has to come before each.
pub struct Saturated<'a> {
    /// By thread, then by position.
    pub members: Vec<Member<'a>>,
    /// For each thread, its first member.
    pub firsts: Vec<usize>,
    /// For each member, for each thread, how many events come before it.
    clocks: Vec<u32>,
    weaken: ForTests<Weaken>,
}

/// For each location, for each thread, its writes in order.
type Writers = FxHashMap<Location, Vec<Vec<usize>>>;

impl<'a> Saturated<'a> {
    /// `None` if there is no order.
    pub fn of(graph: &'a Graph, lasts: &[Last], weaken: ForTests<Weaken>) -> Option<Self> {
        let width = graph.threads().len();
        let mut saturated = Saturated {
            members: Vec::with_capacity(graph.len()),
            firsts: Vec::with_capacity(width),
            clocks: Vec::with_capacity(graph.len() * width),
            weaken,
        };
        let mut writers = Writers::default();
        for events in graph.threads() {
            saturated.firsts.push(saturated.members.len());
            for event in events {
                let number = saturated.members.len();
                for location in event.written() {
                    let of = writers.entry(location).or_insert_with(|| vec![Vec::new(); width]);
                    of[event.at.thread as usize].push(number);
                }
                let before = event.before.iter().copied().chain(std::iter::repeat(0));
                saturated.clocks.extend(before.take(width));
                let after = Vec::new();
                saturated.members.push(Member { event, after });
            }
        }
        for &(location, source) in lasts {
            saturated.comes_last(location, source, &writers)?;
        }
        saturated.close()?;
        while saturated.apply_rules(&writers)? {
            saturated.close()?;
        }
        Some(saturated)
    }

    /// The number of an event.
    pub fn number(&self, at: At) -> usize {
        self.firsts[at.thread as usize] + at.index as usize
    }

    /// The end of the members of a thread.
    pub fn end(&self, thread: usize) -> usize {
        self.firsts.get(thread + 1).copied().unwrap_or(self.members.len())
    }

    /// For each thread, how many events come before a member.
    pub fn before(&self, number: usize) -> &[u32] {
        let width = self.firsts.len();
        &self.clocks[number * width..][..width]
    }

    fn comes_before(&self, first: usize, second: usize) -> bool {
        let at = self.members[first].event.at;
        self.before(second)[at.thread as usize] > at.index
    }

    /// The other writes to the location come before a source.
    fn comes_last(&mut self, location: Location, source: Source, writers: &Writers) -> Option<()> {
        let Some(writers) = writers.get(&location) else {
            return Some(());
        };
        let last = source.map(|at| self.number(at));
        for &write in writers.iter().flatten() {
            if Some(write) != last {
                self.members[last?].after.push(write);
            }
        }
        Some(())
    }

    /// Makes clocks transitive. `None` if there is a cycle.
    fn close(&mut self) -> Option<()> {
        let width = self.firsts.len();
        let mut changes = true;
        while changes {
            changes = false;
            for number in 0..self.members.len() {
                let at = self.members[number].event.at;
                let previous = at
                    .index
                    .checked_sub(1)
                    .map(|index| self.number(At { index, ..at }));
                let reads = self.members[number].event.parts.iter();
                let sources = reads
                    .filter_map(|part| part.reads.flatten())
                    .map(|at| self.number(at));
                let sources: smallvec::SmallVec<[usize; 4]> = sources.chain(previous).collect();
                // A first event comes after what its cone contains, by its creator's clock.
                let creator = match at.index {
                    0 => self.creators(number),
                    _ => smallvec::SmallVec::new(),
                };
                let after = self.members[number].after.len();
                let all = sources.len() + creator.len() + after;
                for i in 0..all {
                    let other = match i {
                        i if i < after => self.members[number].after[i],
                        i if i < after + sources.len() => sources[i - after],
                        i => creator[i - after - sources.len()],
                    };
                    for thread in 0..width {
                        let theirs = self.clocks[other * width + thread];
                        let mine = &mut self.clocks[number * width + thread];
                        if *mine < theirs {
                            *mine = theirs;
                            changes = true;
                        }
                    }
                    let of = self.members[other].event.at;
                    let mine = &mut self.clocks[number * width + of.thread as usize];
                    if *mine <= of.index {
                        *mine = of.index + 1;
                        changes = true;
                    }
                }
                if self.clocks[number * width + at.thread as usize] > at.index {
                    return None;
                }
            }
        }
        Some(())
    }

    /// The last event of each other thread in the cone of a first event.
    fn creators(&self, number: usize) -> smallvec::SmallVec<[usize; 4]> {
        let cone = self.members[number].event.before.iter().enumerate();
        let last = cone.filter_map(|(thread, &count)| {
            let index = count.checked_sub(1)?;
            let thread = thread as u32;
            Some(self.number(At { thread, index }))
        });
        last.collect()
    }

    /// Applies each rule to each read once. True if something follows; `None` if there is no order.
    fn apply_rules(&mut self, writers: &Writers) -> Option<bool> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (read, member) in self.members.iter().enumerate() {
            for part in &member.event.parts {
                let Some(source) = part.reads else { continue };
                let Some(writers) = writers.get(&part.location) else {
                    continue;
                };
                let source = source.map(|at| self.number(at));
                for of_thread in writers {
                    let mut others = of_thread
                        .iter()
                        .copied()
                        .filter(|&w| w != read && Some(w) != source);
                    let before = others.clone().rev().find(|&write| self.comes_before(write, read));
                    if let Some(write) = before.filter(|_| !self.weaken.is(Weaken::EarlierWrites)) {
                        let source = source?;
                        if !self.comes_before(write, source) {
                            found.push((write, source));
                        }
                    }
                    let follows = |&write: &usize| match source {
                        None => true,
                        Some(source) => self.comes_before(source, write),
                    };
                    let after = others
                        .find(follows)
                        .filter(|&write| self.must_follow(read, write));
                    if let Some(write) = after
                        && !self.comes_before(read, write)
                    {
                        found.push((read, write));
                    }
                }
            }
        }
        for &(first, second) in &found {
            self.members[second].after.push(first);
        }
        Some(!found.is_empty())
    }

    /// Always true, unless a mistake was made.
    fn must_follow(&self, read: usize, write: usize) -> bool {
        let updates = |number: usize| {
            let parts = &self.members[number].event.parts;
            parts.iter().any(|part| part.reads.is_some() && part.writes)
        };
        !(self.weaken.is(Weaken::LaterWrites)
            || self.weaken.is(Weaken::Atomicity) && updates(read) && updates(write))
    }
}
