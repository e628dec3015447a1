//! The happens-before order of the current execution, by the dependence relation.
//!
//! Each event has a *tick*, its position counted from 1, and a clock: for each thread the tick of
//! the last event of that thread that happens before it. Each thread has the clock of the events
//! that happen before its next event. Objects store, for each class of use and each thread, the
//! tick of the last such use. So the latest dependent predecessor of an action is found in
//! O(threads), whatever the length of the execution. Logs undo everything event by event. Tables of
//! objects are kept for the next execution, which uses the same names.

mod cells;
mod kept;
mod look;
mod observed;
mod rows;
mod sections;

use super::set::Set;
pub(super) use cells::Passed;
use cells::{Cells, NONE};
use kept::Kept;
use rows::Rows;
use selvedge_base::Id;
use selvedge_model::{Action, Dependence, Op, OpClass};

/// A position in the execution, from 1; 0 means none.
pub(super) type Tick = u32;

#[derive(Clone, Copy)]
struct Event {
    /// The event's clock.
    clock: u32,
    /// The clock of its thread before the event.
    before: u32,
    thread: u32,
    /// The position in the log of uses at which its entries begin.
    log: u32,
    /// The mutex of which the event is a section; 0 if it is none.
    section: u64,
}

/// A new clock that an event gave to another thread.
struct Wake {
    tick: Tick,
    thread: u32,
    before: u32,
}

pub(super) struct Order {
    /// Row 0 is the empty clock.
    rows: Rows,
    /// For each thread, the row of the events that happen before its next event.
    current: Vec<u32>,
    events: Vec<Event>,
    wakes: Vec<Wake>,
    cells: Cells,
    looked: Vec<Looked>,
    /// The uses of the action of the last search.
    uses: Vec<Use>,
    kept: Kept,
}

/// One use of the action of the last search.
#[derive(Clone, Copy)]
struct Use {
    key: u64,
    /// `NONE` if it does not exist yet.
    cell: u32,
    bytes: u8,
    class: OpClass,
}

/// A dependent event found by the search.
#[derive(Clone, Copy)]
struct Looked {
    tick: Tick,
    thread: u32,
    /// True if it may be enabled together with the action.
    races: bool,
}

impl Order {
    pub fn new() -> Self {
        let rows = Rows::new();
        Order {
            current: vec![0; rows.capacity()],
            cells: Cells::new(rows.capacity()),
            rows,
            events: Vec::new(),
            wakes: Vec::new(),
            looked: Vec::new(),
            uses: Vec::new(),
            kept: Kept::default(),
        }
    }

    /// Returns to the state after this number of events.
    #[inline]
    pub fn undo(&mut self, events: usize) {
        let Some(&Event { clock, log, .. }) = self.events.get(events) else {
            return;
        };
        for (at, event) in self.events.iter().enumerate().skip(events).rev() {
            while let Some(wake) = self.wakes.last()
                && wake.tick as usize == at + 1
            {
                self.current[wake.thread as usize] = wake.before;
                self.wakes.pop();
            }
            self.current[event.thread as usize] = event.before;
        }
        self.events.truncate(events);
        self.kept.undo(events);
        self.cells.undo(log);
        self.rows.truncate(clock);
    }

    /// The clock of the next event of a thread.
    #[inline]
    pub fn clock(&self, thread: usize) -> &[Tick] {
        self.rows.row(self.current[thread])
    }

    /// True if there is room for this number of threads.
    #[inline]
    pub fn has_room(&self, threads: usize) -> bool {
        threads <= self.current.len()
    }

    /// Makes room for `count` threads.
    #[cold]
    pub fn grow(&mut self, count: usize) {
        let factor = self.rows.grow(count);
        self.cells.grow(self.rows.capacity());
        self.current.iter_mut().for_each(|row| *row *= factor);
        self.current.resize(self.rows.capacity(), 0);
        for event in &mut self.events {
            event.clock *= factor;
            event.before *= factor;
        }
        self.wakes.iter_mut().for_each(|wake| wake.before *= factor);
    }

    /// Calls `f` with the initials of the events after the one at `race` without those that happen
    /// after it. A thread is an initial if its first event after `race` happens neither after the
    /// event at `race` nor after another event behind `race`. Ends early, and returns true, when
    /// `f` returns true.
    #[inline]
    pub fn initials<S: Set>(&self, race: Tick, mut f: impl FnMut(usize) -> bool) -> bool {
        let raced = self.events[race as usize - 1].thread as usize;
        let mut seen = S::default();
        // The number of threads that have events, or parts of events, after it.
        let mut left = (0..self.current.len())
            .filter(|&thread| self.rows.tick(self.current[thread], thread) > race)
            .count();
        for event in &self.events[race as usize..] {
            let thread = event.thread as usize;
            if seen.contains(thread) {
                continue;
            }
            seen.insert(thread);
            left = left.saturating_sub(1);
            let clock = self.rows.row(event.clock);
            // Its clock covers the event itself in its own thread.
            let begins = clock[raced] < race && clock.iter().filter(|&&known| known > race).count() == 1;
            if begins && f(thread) {
                return true;
            }
            if left == 0 {
                return false;
            }
        }
        false
    }

    /// True if an event after the one at `race` happens before the next event of `thread`; events
    /// of `thread` itself count.
    #[inline]
    pub fn knows_after(&self, thread: usize, race: Tick) -> bool {
        self.rows.has_above(self.current[thread], race)
    }

    /// One of `candidates`, which can begin the events that lead to the next event of `thread`
    /// without the event at `race`. It prefers a candidate that has an event after `race` which
    /// happens before that next event. Any candidate would be correct. But others only delay the
    /// reversal, and the threads that fall asleep until then cause redundant executions.
    pub fn leader<S: Set>(&self, thread: usize, race: Tick, candidates: S) -> usize {
        if candidates.contains(thread) {
            return thread;
        }
        let found = self.looked.iter().filter(|found| found.tick > race);
        let rows = found.map(|found| self.rows.row(self.events[found.tick as usize - 1].clock));
        for clock in std::iter::once(self.clock(thread)).chain(rows) {
            let mut left = candidates;
            while let Some(other) = left.pop() {
                if clock[other] > race {
                    return other;
                }
            }
        }
        candidates.first().unwrap_or(thread)
    }

    /// True if the action of the last search depends on an event after `race` that does not happen
    /// after the event at `race`. (Example of the opposite: a lock depends on the unlock before it,
    /// but that unlock disappears together with the lock with which it raced.)
    pub fn needs_other(&self, race: Tick) -> bool {
        let raced = self.events[race as usize - 1].thread as usize;
        let comes_from =
            |found: &Looked| self.rows.tick(self.events[found.tick as usize - 1].clock, raced) >= race;
        self.looked
            .iter()
            .any(|found| found.tick > race && !comes_from(found))
    }

    /// Records the event that a thread just took, after a search for its action. `ends`: the thread
    /// ended in it.
    #[inline(always)]
    pub fn record<P: Dependence>(&mut self, relation: &P, thread: usize, ends: bool) {
        let tick = self.events.len() as Tick + 1;
        let current = &mut self.current[thread];
        let before = *current;
        let clock_of = |tick: Tick| self.events[tick as usize - 1].clock;
        let clock = self.rows.follow(before, &self.looked, clock_of, (thread, tick));
        *current = clock;
        self.events.push(Event {
            clock,
            before,
            thread: thread as u32,
            log: self.cells.mark(),
            section: 0,
        });
        if relation.refines() {
            self.kept.record(&self.uses, ends, thread, tick);
            return;
        }
        if let [used] = &mut self.uses[..] {
            record_use(&mut self.cells, relation, used, thread, tick);
        } else {
            self.record_uses(relation, thread, tick);
        }
        if ends {
            self.record_end(relation, thread, tick);
        }
    }

    #[inline(never)]
    fn record_uses<P: Dependence>(&mut self, relation: &P, thread: usize, tick: Tick) {
        for used in &mut self.uses {
            record_use(&mut self.cells, relation, used, thread, tick);
        }
    }

    /// Records a further action (a part) within the event that a thread just took. Nothing races
    /// with it, but it orders later events. The clock that a join acquires is for the thread's next
    /// event, not for this one.
    #[inline(always)]
    pub fn record_part<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        if relation.refines() {
            return self.record_any_part(relation, action, thread);
        }
        // In nearly all cases the part releases a lock that was taken in the same event.
        if let [used, ..] = self.uses[..]
            && action.is_release_of(used.key, used.bytes)
        {
            let tick = self.events.len() as Tick;
            let dependent = relation.dependent_classes(OpClass::Release);
            self.cells
                .note(used.cell, OpClass::Release, dependent, thread, tick);
        } else {
            self.record_any_part(relation, action, thread);
        }
    }

    #[inline(never)]
    fn record_any_part<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        let tick = self.events.len() as Tick;
        if let (Op::Join, Some(ended)) = (action.op, action.object.as_thread()) {
            self.learn(thread, self.current[ended.index()]);
            self.rows.set(self.current[thread], thread, tick); // it has moved, if only within another's event
            return;
        }
        if relation.refines() {
            return self.kept.record_action(action, thread, tick);
        }
        action.for_each_use(|key, bytes, class| {
            let cell = self.cells.cell(key, bytes);
            self.cells
                .note(cell, class, relation.dependent_classes(class), thread, tick);
        });
    }

    /// Records the thread's end. The search did not include it, because the end becomes known only
    /// now.
    #[inline(never)]
    fn record_end<P: Dependence>(&mut self, relation: &P, thread: usize, tick: Tick) {
        let cell = self.cells.end_of(thread);
        let dependent = relation.dependent_classes(OpClass::Exit);
        self.cells.note(cell, OpClass::Exit, dependent, thread, tick);
    }

    /// Says of the event just recorded that it is a section of a mutex.
    pub fn is_section_of(&mut self, mutex: u64) {
        if let Some(event) = self.events.last_mut() {
            event.section = mutex;
        }
    }

    /// Orders the last event before the next event of another thread, which its outcome names.
    pub fn wake(&mut self, thread: usize) {
        let Some(&event) = self.events.last() else { return };
        self.learn(thread, event.clock);
    }

    /// Joins a row into the clock of a thread, by the event just recorded.
    fn learn(&mut self, thread: usize, from: u32) {
        let before = self.current[thread];
        let tick = self.events.len() as Tick;
        if let Some(wake) = self.wakes.last()
            && (wake.tick, wake.thread) == (tick, thread as u32)
        {
            // A new row for this thread exists already and is not shared.
            self.rows.join(before, from);
            return;
        }
        self.current[thread] = self.rows.joined(before, from);
        self.wakes.push(Wake {
            tick,
            thread: thread as u32,
            before,
        });
    }
}

/// Records a use of an event, and stores the cell that it belongs to.
#[inline(always)]
fn record_use<P: Dependence>(cells: &mut Cells, relation: &P, used: &mut Use, thread: usize, tick: Tick) {
    if used.cell == NONE {
        used.cell = cells.add(used.key, used.bytes);
    }
    let dependent = relation.dependent_classes(used.class);
    cells.note(used.cell, used.class, dependent, thread, tick);
}
