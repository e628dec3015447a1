//! Earlier events of a thread, by jump pointers: whether a configuration contains an event, and
//! what two configurations have in common.

use super::event::{EventId, Last, Store, last};
use selvedge_base::{Id, ThreadId};

impl Store {
    /// The jump pointer of the event after `before`.
    pub(super) fn jump(&self, before: EventId) -> EventId {
        if !before.is_some() {
            return EventId::NONE;
        }
        let first = self[before].jump;
        if !first.is_some() {
            return before;
        }
        let second = self[first].jump;
        let depth = |e: EventId| {
            if e.is_some() { self[e].depth } else { 0 }
        };
        if depth(before) - depth(first) == depth(first) - depth(second) {
            second
        } else {
            before
        }
    }

    /// The event at a given depth of the same thread: an event or one of its predecessors.
    pub fn ancestor(&self, mut event: EventId, depth: u32) -> EventId {
        loop {
            let at = &self[event];
            if at.depth <= depth {
                return event;
            }
            let jump = at.jump;
            event = if jump.is_some() && self[jump].depth >= depth {
                jump
            } else {
                at.parent
            };
        }
    }

    /// The number of first events of a thread that two configurations have in common. Events at one
    /// depth have jump pointers to one depth, so both sides go back in step.
    pub fn common(&self, one: Last, other: Last) -> u32 {
        let depth = one.depth().min(other.depth());
        if depth == 0 {
            return 0;
        }
        let mut a = self.ancestor(one.event(), depth);
        let mut b = self.ancestor(other.event(), depth);
        while a != b {
            let (here, there) = (&self[a], &self[b]);
            if here.depth == 1 {
                return 0;
            }
            (a, b) = match (here.jump, there.jump) {
                (a, b) if a.is_some() && a != b => (a, b),
                _ => (here.parent, there.parent),
            };
        }
        self[a].depth
    }

    /// True if a configuration contains `e`.
    pub fn contains(&self, clock: &[Last], e: EventId) -> bool {
        let event = &self[e];
        let last = last(clock, event.thread);
        last.depth() >= event.depth && self.ancestor(last.event(), event.depth) == e
    }

    /// The events of a configuration that are not in another one, in an order in which they can be
    /// executed. The two may lie in different configurations.
    pub fn difference(&self, clock: &[Last], without: &[Last]) -> Vec<EventId> {
        let mut found = Vec::new();
        for (thread, &mine) in clock.iter().enumerate() {
            let common = self.common(mine, last(without, ThreadId::from_index(thread)));
            let mut event = mine.event();
            for _ in common..mine.depth() {
                found.push(event);
                event = self[event].parent;
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Clock;
    use super::super::label::Ending;
    use super::*;
    use selvedge_model::{Action, Op};

    #[test]
    fn ancestors_are_those_found_step_by_step() {
        let (mut store, mut random) = (Store::default(), fastrand::Rng::with_seed(1));
        let thread = ThreadId(0);
        let mut all: Vec<EventId> = Vec::new();
        for i in 0..2000u64 {
            // A tree: mostly long chains.
            let parent = match random.usize(0..10) {
                0 if !all.is_empty() => all[random.usize(..all.len())],
                _ => all.last().copied().unwrap_or(EventId::NONE),
            };
            let mut clock = Clock::new();
            if parent.is_some() {
                clock.push(Last::new(parent, store[parent].depth));
            }
            let ending = Ending {
                decision: u128::from(i),
                ..Ending::default()
            };
            let what = store.labels.of(&Action::new(thread, Op::Yield), &ending);
            let (event, new) = store.intern(parent, &what, &clock);
            assert!(new);
            assert_eq!(store.intern(parent, &what, &clock), (event, false));
            all.push(event);
        }
        for &event in &all {
            let (mut at, mut depth) = (event, store[event].depth);
            while at.is_some() {
                assert_eq!(store.ancestor(event, depth), at);
                assert!(store.contains(&store[event].clock, at));
                at = store[at].parent;
                depth -= 1;
            }
            let other = all[random.usize(..all.len())];
            let mut up = event;
            while up.is_some() && up != other {
                up = store[up].parent;
            }
            assert_eq!(store.contains(&store[event].clock, other), up.is_some());
            let of = |e: EventId| Last::new(e, store[e].depth);
            let past = |mut e: EventId| {
                let mut past = Vec::new();
                while e.is_some() {
                    past.push(e);
                    e = store[e].parent;
                }
                past
            };
            let theirs = past(other);
            let common = past(event).into_iter().find(|e| theirs.contains(e));
            let depth = common.map_or(0, |e| store[e].depth);
            assert_eq!(store.common(of(event), of(other)), depth);
            assert_eq!(store.common(of(event), Last::default()), 0);
        }
    }
}
