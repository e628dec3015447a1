//! The happens-before order of the current execution.
//!
//! Each event has a *tick*, its position counted from 1, and a clock: for each thread the tick of the last event of that
//! thread that happens before it. Each thread has the clock of what happens before its next event. Objects keep, for
//! each class of use and each thread, the tick of the last such use; so the latest dependent predecessor of an action is
//! found in O(threads), whatever the length of the execution. Everything goes back by logs, event by event; tables of
//! objects stay for the next execution, which uses the same names.

mod cells;
mod rows;

use super::set::Set;
use cells::{Cells, NONE, Past};
use rows::Rows;
use selvedge_base::Id;
use selvedge_model::{Action, Dependence, Op, OpClass};

/// A position in the execution, from 1; 0 is none.
pub(super) type Tick = u32;

#[derive(Clone, Copy)]
struct Event {
    /// Its clock.
    clock: u32,
    /// The clock of what its thread knew before.
    before: u32,
    thread: u32,
    /// Where its entries in the log of uses begin.
    log: u32,
}

/// A new clock that an event gave to a thread, beside its own.
struct Wake {
    tick: Tick,
    thread: u32,
    before: u32,
}

pub(super) struct Order {
    /// Row 0 knows nothing.
    rows: Rows,
    /// By thread: the row of what happens before its next event.
    current: Vec<u32>,
    events: Vec<Event>,
    wakes: Vec<Wake>,
    cells: Cells,
    looked: Vec<Looked>,
    /// What the action looked for uses.
    uses: Vec<Use>,
}

/// One use of the action looked for.
#[derive(Clone, Copy)]
struct Use {
    key: u64,
    /// `NONE` if there is none yet.
    cell: u32,
    bytes: u8,
    class: OpClass,
}

/// A dependent event that was found.
#[derive(Clone, Copy)]
struct Looked {
    tick: Tick,
    thread: u32,
    /// Whether it may be enabled together with the action.
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
        }
    }

    /// Goes back to where there were so many events.
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
        self.cells.undo(log);
        self.rows.truncate(clock);
    }

    /// The ticks of what happens before the next event of a thread.
    #[inline]
    pub fn clock(&self, thread: usize) -> &[Tick] {
        self.rows.row(self.current[thread])
    }

    /// Whether there is room for so many threads.
    #[inline]
    pub fn has_room(&self, threads: usize) -> bool {
        threads <= self.current.len()
    }

    /// The same tables with room for `count` threads.
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

    /// The tick of the latest event that races with the pending action of `thread`: dependent, perhaps enabled
    /// together with it, and not ordered before it. 0 if there is none.
    #[inline]
    pub fn latest_race<P: Dependence>(&self, relation: &P, action: &Action, thread: usize) -> Tick {
        let mut best = 0;
        self.for_each_race(relation, action, thread, |_, tick| best = best.max(tick));
        best
    }

    /// Calls `f` with each last use that races with the pending action of `thread`: the key of the object, and the tick.
    #[inline]
    pub fn for_each_race<P: Dependence>(
        &self,
        relation: &P,
        action: &Action,
        thread: usize,
        mut f: impl FnMut(u64, Tick),
    ) {
        let clock = self.clock(thread);
        action.for_each_use(|key, bytes, class| {
            let racing = relation.racing_classes(class);
            let mut at = self.cells.first(key);
            while at != NONE {
                let cell = &self.cells.cells[at as usize];
                at = cell.next;
                if cell.bytes & bytes == 0 {
                    continue;
                }
                let mut classes = cell.present & racing;
                while classes != 0 {
                    let row = cell.uses[classes.trailing_zeros() as usize].row as usize;
                    classes &= classes - 1;
                    for (&tick, &known) in self.cells.last[row..row + clock.len()].iter().zip(clock) {
                        if tick > known {
                            f(key, tick);
                        }
                    }
                }
            }
        });
    }

    /// Looks for the events that are dependent with the next action of `thread` and not known to it: for each object,
    /// class and other thread the last one, but for those that a later one stands for. [`Order::record`] and
    /// [`Order::immediate_races`] are about what was found.
    #[inline(always)]
    pub fn look<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        self.looked.clear();
        self.uses.clear();
        match action.single_use() {
            Some((key, bytes, class)) => self.look_use(relation, (key, bytes, class), thread),
            None => self.look_uses(relation, action, thread),
        }
    }

    #[inline(never)]
    fn look_uses<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        action.for_each_use(|key, bytes, class| self.look_use(relation, (key, bytes, class), thread));
    }

    #[inline(always)]
    fn look_use<P: Dependence>(
        &mut self,
        relation: &P,
        (key, bytes, class): (u64, u8, OpClass),
        thread: usize,
    ) {
        let row = self.current[thread];
        let dependent = relation.dependent_classes(class);
        let mut own = NONE;
        let mut at = self.cells.first(key);
        while at != NONE {
            let cell = &self.cells.cells[at as usize];
            if cell.bytes == bytes {
                own = at;
            }
            at = cell.next;
            let (classes, latest) = (cell.present & dependent, cell.latest);
            if cell.bytes & bytes == 0 || classes == 0 || latest == 0 {
                continue;
            }
            let by = self.events[latest as usize - 1].thread;
            let known = self.rows.tick(row, by as usize) >= latest;
            if known && latest == cell.dominant {
                continue; // all others happen before the last use
            }
            let racing = relation.racing_classes(class);
            if !cell.last_covers(relation, classes, racing) {
                let past = Past {
                    clock: self.rows.row(row),
                    events: &self.events,
                    last: &self.cells.last,
                };
                cell.look(relation, classes, racing, past, &mut self.looked);
            } else if !known {
                self.looked.push(Looked {
                    tick: latest,
                    thread: by,
                    races: true,
                });
            }
        }
        self.uses.push(Use {
            key,
            cell: own,
            bytes,
            class,
        });
    }

    /// Whether the action looked for uses one object only. Then what is left out, and that lies after a race, comes from the event
    /// raced with: of two classes on which a third one depends, either they depend on each other or all uses are kept. With
    /// several objects that is not so.
    #[inline]
    pub fn uses_one(&self) -> bool {
        self.uses.len() == 1
    }

    /// The first object that the action looked for uses.
    #[inline]
    pub fn first_used(&self) -> Option<u64> {
        self.uses.first().map(|used| used.key)
    }

    /// Adds the same as of tick `end`; returns where it begins, for [`Order::immediate_races`].
    #[cold]
    pub fn look_before<P: Dependence>(
        &mut self,
        relation: &P,
        action: &Action,
        thread: usize,
        end: Tick,
    ) -> usize {
        let Order {
            rows,
            cells,
            looked,
            events,
            current,
            ..
        } = self;
        let clock = rows.row(current[thread]);
        let from = looked.len();
        action.for_each_use(|key, bytes, class| {
            let dependent = relation.dependent_classes(class);
            let racing = relation.racing_classes(class);
            let mut at = cells.first(key);
            while at != NONE {
                let cell = &cells.cells[at as usize];
                at = cell.next;
                let mut classes = cell.present & dependent;
                if cell.bytes & bytes == 0 || classes == 0 || cell.is_known(events, clock) {
                    continue;
                }
                while classes != 0 {
                    let bit = classes & classes.wrapping_neg();
                    classes ^= bit;
                    let first = cell.uses[bit.trailing_zeros() as usize].row as usize;
                    let races = racing & bit != 0;
                    for (other, (&tick, &known)) in cells.last[first..first + clock.len()]
                        .iter()
                        .zip(clock)
                        .enumerate()
                    {
                        if tick > known {
                            let tick = if tick < end {
                                tick
                            } else {
                                cells.use_before(events, tick, first + other, end)
                            };
                            if tick > known {
                                looked.push(Looked {
                                    tick,
                                    thread: other as u32,
                                    races,
                                });
                            }
                        }
                    }
                }
            }
        });
        from
    }

    /// Whether nothing was found for the action looked for.
    #[inline]
    pub fn found_nothing(&self) -> bool {
        self.looked.is_empty()
    }

    /// The immediate races of the action looked for (among what was found from `from` on): the events that are perhaps
    /// enabled together with it, and not before another such event; they are added to `races`. Also the tick of the
    /// latest dependent event, racing or not.
    #[inline(always)]
    pub fn immediate_races(&self, from: usize, races: &mut Vec<Tick>) -> Tick {
        match &self.looked[from..] {
            [one] if one.races && races.is_empty() => {
                races.push(one.tick);
                one.tick
            }
            looked => self.immediate_races_of(looked, races),
        }
    }

    fn immediate_races_of(&self, looked: &[Looked], races: &mut Vec<Tick>) -> Tick {
        let mut latest = 0;
        for one in looked {
            latest = latest.max(one.tick);
            let before = |later: &Looked| {
                later.races
                    && later.tick > one.tick
                    && self
                        .rows
                        .tick(self.events[later.tick as usize - 1].clock, one.thread as usize)
                        >= one.tick
            };
            if one.races && !looked.iter().any(before) && !races.contains(&one.tick) {
                races.push(one.tick);
            }
        }
        latest
    }

    /// Calls `f` with the threads that can begin what came after the event at `race` and not because of it: their first
    /// event after it neither happens after it nor after another event after it. Ends early when `f` says so.
    #[inline]
    pub fn initials<S: Set>(&self, race: Tick, mut f: impl FnMut(usize) -> bool) -> bool {
        let raced = self.events[race as usize - 1].thread as usize;
        let mut seen = S::default();
        for event in &self.events[race as usize..] {
            let thread = event.thread as usize;
            if seen.contains(thread) {
                continue;
            }
            seen.insert(thread);
            let clock = self.rows.row(event.clock);
            if clock[raced] >= race {
                continue;
            }
            // Of its own thread it knows itself.
            let known = clock.iter().filter(|&&known| known > race).count();
            if known == 1 && f(thread) {
                return true;
            }
        }
        false
    }

    /// Whether an event of another thread after the one at `race` happens before the next event of `thread`, or one of
    /// its own lies after it.
    #[inline]
    pub fn knows_after(&self, thread: usize, race: Tick) -> bool {
        self.rows.has_above(self.current[thread], race)
    }

    /// Of the threads that can begin what leads to the next event of `thread` without the event at `race`: one of which something
    /// happens before that event. Any would do, but the others only put the reversal off, and what is asleep until then makes
    /// redundant executions.
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

    /// Whether the next event looked for depends on one after `race` that does not itself come from that at `race`. (A lock
    /// depends on the unlock before it, but that goes away with the lock that it raced with.)
    pub fn needs_other(&self, race: Tick) -> bool {
        let raced = self.events[race as usize - 1].thread as usize;
        let comes_from =
            |found: &Looked| self.rows.tick(self.events[found.tick as usize - 1].clock, raced) >= race;
        self.looked
            .iter()
            .any(|found| found.tick > race && !comes_from(found))
    }

    /// Adds the event that a thread just took, whose action was looked for; `ends` if the thread ended in it.
    #[inline(always)]
    pub fn record<P: Dependence>(&mut self, relation: &P, thread: usize, ends: bool) {
        let tick = self.events.len() as Tick + 1;
        let current = &mut self.current[thread];
        let before = *current;
        let clock = self.rows.copy(before);
        *current = clock;
        for found in self.looked.iter().rev() {
            if self.rows.tick(clock, found.thread as usize) < found.tick {
                self.rows.join(clock, self.events[found.tick as usize - 1].clock);
            }
        }
        self.rows.set(clock, thread, tick);
        self.events.push(Event {
            clock,
            before,
            thread: thread as u32,
            log: self.cells.mark(),
        });
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

    /// Adds a further action within the event that a thread just took: nothing races with it, but what comes after is ordered
    /// by it. What a join learns is for the thread's next event, not for this one.
    #[inline(always)]
    pub fn record_part<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        // Nearly always a lock is given back that was taken in the same event.
        if let [used, ..] = self.uses[..]
            && let Some((key, bytes, class)) = action.single_use()
            && (key, bytes) == (used.key, used.bytes)
            && action.op as u8 != Op::Join as u8
            && !action.ends
        {
            let tick = self.events.len() as Tick;
            self.cells
                .note(used.cell, class, relation.dependent_classes(class), thread, tick);
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
        action.for_each_use(|key, bytes, class| {
            let cell = self.cells.cell(key, bytes);
            self.cells
                .note(cell, class, relation.dependent_classes(class), thread, tick);
        });
    }

    /// The thread's end is known only now: it was not among the uses looked for.
    #[inline(never)]
    fn record_end<P: Dependence>(&mut self, relation: &P, thread: usize, tick: Tick) {
        let cell = self.cells.end_of(thread);
        let dependent = relation.dependent_classes(OpClass::Exit);
        self.cells.note(cell, OpClass::Exit, dependent, thread, tick);
    }

    /// Orders the last event before what another thread, that its outcome names, does next.
    pub fn wake(&mut self, thread: usize) {
        let Some(&event) = self.events.last() else { return };
        self.learn(thread, event.clock);
    }

    /// Lets a thread know, by the event just recorded, what a row knows.
    fn learn(&mut self, thread: usize, from: u32) {
        let before = self.current[thread];
        let tick = self.events.len() as Tick;
        if let Some(wake) = self.wakes.last()
            && (wake.tick, wake.thread) == (tick, thread as u32)
        {
            // It did so already: that row is nobody else's yet.
            self.rows.join(before, from);
            return;
        }
        let row = self.rows.copy(before);
        self.rows.join(row, from);
        self.current[thread] = row;
        self.wakes.push(Wake {
            tick,
            thread: thread as u32,
            before,
        });
    }
}

/// Notes a use of an event, and which cell it is of.
#[inline(always)]
fn record_use<P: Dependence>(cells: &mut Cells, relation: &P, used: &mut Use, thread: usize, tick: Tick) {
    if used.cell == NONE {
        used.cell = cells.add(used.key, used.bytes);
    }
    let dependent = relation.dependent_classes(used.class);
    cells.note(used.cell, used.class, dependent, thread, tick);
}
