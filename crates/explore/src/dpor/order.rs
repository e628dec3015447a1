//! The happens-before order of the current execution, and the last uses of each object.
//!
//! Each event has a *tick*, its position counted from 1, and a clock: for each thread the tick of the last event of that
//! thread that happens before it. Each thread has the clock of what happens before its next event. Objects keep, for
//! each class of use and each thread, the tick of the last such use; so the latest dependent predecessor of an action is
//! found in O(threads), whatever the length of the execution. Everything goes back by a log; tables of objects stay for
//! the next execution, which uses the same names.
//!
//! Memory is kept by aligned granules of 8 bytes and, within one, by the exact bytes accessed (*cells*): accesses that
//! share a granule and no byte stay independent, and all uses recorded in one cell are of the same bytes.

use super::set::Set;
use selvedge_base::Id;
use selvedge_model::{Action, Dependence, ObjectId, OpClass};

/// A position in the execution, from 1; 0 is none.
pub(super) type Tick = u32;

const NONE: u32 = u32::MAX;

/// Rows are multiples of this long.
const CHUNK: usize = 8;

/// One object, or the same bytes of one granule.
struct Cell {
    key: u64,
    /// The next cell of the same granule.
    next: u32,
    /// Classes that have a row.
    present: u32,
    /// The last use of any class.
    latest: Tick,
    /// The last use that was dependent on every class then present: all earlier uses happen before it.
    dominant: Tick,
    bytes: u8,
    uses: [Uses; OpClass::COUNT],
}

/// The uses of a cell in one class.
#[derive(Clone, Copy)]
struct Uses {
    /// Where the ticks by thread begin in `last`.
    row: u32,
    /// The last one of any thread.
    latest: Tick,
}

/// What one use of a cell overwrote.
struct Undone {
    cell: u32,
    slot: u32,
    last: Tick,
    latest: Tick,
    dominant: Tick,
    /// The last use in its class, and the class.
    latest_in_class: Tick,
    class: u8,
}

/// A position to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    log: u32,
    current: u32,
    clocks: u32,
    events: u32,
}

#[derive(Clone, Copy)]
struct Event {
    /// Its clock.
    clock: u32,
    thread: u32,
    /// Where its entries in the log begin.
    log: u32,
}

pub(super) struct Order {
    /// Threads that a row of ticks has room for: a power of two.
    stride: usize,
    /// Threads that there are: only so much of a row is looked at.
    threads: usize,
    /// Rows of clocks; row 0 knows nothing.
    clocks: Vec<Tick>,
    /// By thread: the row of what happens before its next event.
    current: Vec<u32>,
    current_log: Vec<(u32, u32)>,
    events: Vec<Event>,
    cells: Vec<Cell>,
    /// Open addressing: the first cell of each key. The length is a power of two.
    buckets: Vec<u32>,
    keys: usize,
    /// Rows of last uses.
    last: Vec<Tick>,
    log: Vec<Undone>,
    looked: Vec<Looked>,
    /// The cells that the action looked for uses, in its order; `NONE` if there is none yet.
    mine: Vec<u32>,
}

/// A dependent event that was found.
#[derive(Clone, Copy)]
struct Looked {
    tick: Tick,
    thread: u32,
    /// Whether it may be enabled together with the action.
    races: bool,
}

/// What there is to look at, and what is known of it.
struct Past<'a> {
    clock: &'a [Tick],
    events: &'a [Event],
    last: &'a [Tick],
}

impl Order {
    pub fn new() -> Self {
        let stride = CHUNK;
        Order {
            stride,
            threads: stride,
            clocks: vec![0; stride],
            current: vec![0; stride],
            current_log: Vec::new(),
            events: Vec::new(),
            cells: Vec::new(),
            buckets: vec![NONE; 64],
            keys: 0,
            last: Vec::new(),
            log: Vec::new(),
            looked: Vec::new(),
            mine: Vec::new(),
        }
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            log: self.log.len() as u32,
            current: self.current_log.len() as u32,
            clocks: self.clocks.len() as u32,
            events: self.events.len() as u32,
        }
    }

    pub fn undo(&mut self, mark: Mark) {
        while self.log.len() > mark.log as usize {
            if let Some(old) = self.log.pop() {
                self.last[old.slot as usize] = old.last;
                let cell = &mut self.cells[old.cell as usize];
                cell.latest = old.latest;
                cell.dominant = old.dominant;
                cell.uses[old.class as usize].latest = old.latest_in_class;
            }
        }
        while self.current_log.len() > mark.current as usize {
            if let Some((thread, row)) = self.current_log.pop() {
                self.current[thread as usize] = row;
            }
        }
        self.clocks.truncate(mark.clocks as usize);
        self.events.truncate(mark.events as usize);
    }

    /// The ticks of what happens before the next event of a thread.
    #[inline]
    pub fn clock(&self, thread: usize) -> &[Tick] {
        let row = self.current[thread] as usize;
        &self.clocks[row..row + self.threads]
    }

    /// Tells how many threads there are; whether there is room for them.
    #[inline]
    pub fn has_room(&mut self, threads: usize) -> bool {
        self.threads = threads;
        threads <= self.stride
    }

    /// The same tables with room for `count` threads; the rows' offsets, and so all marks, are scaled by the result.
    pub fn grow(&mut self, count: usize) -> u32 {
        let new = count.next_power_of_two();
        let factor = new / self.stride;
        let widen = |rows: &Vec<Tick>, old: usize| {
            let mut wide = Vec::with_capacity(rows.len() * factor);
            for row in rows.chunks(old) {
                wide.extend_from_slice(row);
                wide.resize(wide.len() + new - old, 0);
            }
            wide
        };
        self.clocks = widen(&self.clocks, self.stride);
        self.last = widen(&self.last, self.stride);
        self.current.resize(new, 0);
        let (old, factor) = (self.stride as u32, factor as u32);
        self.current.iter_mut().for_each(|row| *row *= factor);
        self.current_log.iter_mut().for_each(|(_, row)| *row *= factor);
        self.events.iter_mut().for_each(|e| e.clock *= factor);
        for cell in &mut self.cells {
            cell.uses
                .iter_mut()
                .filter(|uses| uses.row != NONE)
                .for_each(|uses| uses.row *= factor);
        }
        for old_use in &mut self.log {
            old_use.slot = old_use.slot / old * old * factor + old_use.slot % old;
        }
        self.stride = new;
        factor
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
            let mut at = first_cell(&self.buckets, &self.cells, key);
            while at != NONE {
                let cell = &self.cells[at as usize];
                at = cell.next;
                if cell.bytes & bytes == 0 {
                    continue;
                }
                let mut classes = cell.present & racing;
                while classes != 0 {
                    let row = cell.uses[classes.trailing_zeros() as usize].row as usize;
                    classes &= classes - 1;
                    for (&tick, &known) in self.last[row..row + self.threads].iter().zip(clock) {
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
    #[inline]
    pub fn look<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        self.looked.clear();
        self.mine.clear();
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
        let row = self.current[thread] as usize;
        let clock = &self.clocks[row..row + self.threads];
        let dependent = relation.dependent_classes(class);
        let mut own = NONE;
        let mut at = first_cell(&self.buckets, &self.cells, key);
        while at != NONE {
            let cell = &self.cells[at as usize];
            if cell.bytes == bytes {
                own = at;
            }
            at = cell.next;
            let classes = cell.present & dependent;
            if cell.bytes & bytes == 0 || classes == 0 || cell.is_known(&self.events, clock) {
                continue;
            }
            let racing = relation.racing_classes(class);
            let past = Past {
                clock,
                events: &self.events,
                last: &self.last,
            };
            cell.look(relation, (classes, racing), past, &mut self.looked);
        }
        self.mine.push(own);
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
            threads,
            clocks,
            cells,
            buckets,
            last,
            looked,
            events,
            log,
            current,
            ..
        } = self;
        let row = current[thread] as usize;
        let clock = &clocks[row..row + *threads];
        let from = looked.len();
        action.for_each_use(|key, bytes, class| {
            let dependent = relation.dependent_classes(class);
            let racing = relation.racing_classes(class);
            let mut at = first_cell(buckets, cells, key);
            while at != NONE {
                let cell = &cells[at as usize];
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
                    for (other, (&tick, &known)) in
                        last[first..first + clock.len()].iter().zip(clock).enumerate()
                    {
                        if tick > known {
                            let tick = if tick < end {
                                tick
                            } else {
                                use_before(events, log, tick, first + other, end)
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
    #[inline]
    pub fn immediate_races(&self, from: usize, races: &mut Vec<Tick>) -> Tick {
        let looked = &self.looked[from..];
        if let [] | [_] = looked {
            let Some(one) = looked.first() else { return 0 };
            if one.races && !races.contains(&one.tick) {
                races.push(one.tick);
            }
            return one.tick;
        }
        let mut latest = 0;
        for one in looked {
            latest = latest.max(one.tick);
            let before = |later: &Looked| {
                later.races
                    && later.tick > one.tick
                    && self.clocks[self.events[later.tick as usize - 1].clock as usize + one.thread as usize]
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
            let clock = &self.clocks[event.clock as usize..event.clock as usize + self.threads];
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
        self.clock(thread).iter().any(|&known| known > race)
    }

    /// Of the threads that can begin what leads to the next event of `thread` without the event at `race`: one of which something
    /// happens before that event. Any would do, but the others only put the reversal off, and what is asleep until then makes
    /// redundant executions.
    pub fn leader<S: Set>(&self, thread: usize, race: Tick, candidates: S) -> usize {
        if candidates.contains(thread) {
            return thread;
        }
        let found = self.looked.iter().filter(|found| found.tick > race);
        let rows = found.map(|found| {
            let row = self.events[found.tick as usize - 1].clock as usize;
            &self.clocks[row..row + self.threads]
        });
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
        let comes_from = |found: &Looked| {
            let row = self.events[found.tick as usize - 1].clock as usize;
            self.clocks[row + raced] >= race
        };
        self.looked
            .iter()
            .any(|found| found.tick > race && !comes_from(found))
    }

    /// Adds the event that a thread just took, whose action was looked for.
    #[inline]
    pub fn record<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        let tick = self.events.len() as Tick + 1;
        let row = self.copy_clock(thread);
        for at in (0..self.looked.len()).rev() {
            let Looked { tick, thread, .. } = self.looked[at];
            if self.clocks[row as usize + thread as usize] < tick {
                self.join(row, self.events[tick as usize - 1].clock);
            }
        }
        self.clocks[row as usize + thread] = tick;
        self.events.push(Event {
            clock: row,
            thread: thread as u32,
            log: self.log.len() as u32,
        });
        match action.single_use() {
            Some((key, bytes, class)) => {
                self.record_use(relation, 0, (key, bytes, class), thread, tick);
                if action.ends {
                    self.record_end(relation, action, tick);
                }
            }
            None => self.record_uses(relation, action, thread, tick),
        }
    }

    /// The thread's end is known only now: it was not among the uses looked for.
    #[inline(never)]
    fn record_end<P: Dependence>(&mut self, relation: &P, action: &Action, tick: Tick) {
        let key = ObjectId::thread(action.thread).0;
        let thread = action.thread.index();
        self.record_use(relation, 1, (key, 0xff, OpClass::Exit), thread, tick);
    }

    #[inline(never)]
    fn record_uses<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize, tick: Tick) {
        let mut number = 0;
        action.for_each_use(|key, bytes, class| {
            self.record_use(relation, number, (key, bytes, class), thread, tick);
            number += 1;
        });
    }

    #[inline(always)]
    fn record_use<P: Dependence>(
        &mut self,
        relation: &P,
        number: usize,
        (key, bytes, class): (u64, u8, OpClass),
        thread: usize,
        tick: Tick,
    ) {
        let mut mine = match self.mine.get(number) {
            Some(&cell) => cell,
            None => first_cell(&self.buckets, &self.cells, key),
        };
        if mine == NONE {
            mine = self.add_cell(key, bytes);
        }
        self.note_use(mine, class, relation.dependent_classes(class), thread, tick);
    }

    /// Orders the last event before what another thread, that its outcome names, does next.
    pub fn wake(&mut self, thread: usize) {
        let Some(&event) = self.events.last() else { return };
        let row = self.copy_clock(thread);
        self.join(row, event.clock);
    }

    /// A new current clock for a thread, with what the old one knew.
    #[inline]
    fn copy_clock(&mut self, thread: usize) -> u32 {
        let old = self.current[thread];
        let row = self.clocks.len() as u32;
        let from = old as usize;
        match self.clocks[from..].first_chunk::<CHUNK>() {
            // The usual width, without a loop.
            Some(&chunk) if self.stride == CHUNK => self.clocks.extend_from_slice(&chunk),
            _ => self.clocks.extend_from_within(from..from + self.stride),
        }
        self.current_log.push((thread as u32, old));
        self.current[thread] = row;
        row
    }

    #[inline]
    fn join(&mut self, row: u32, other: u32) {
        let (before, mine) = self.clocks.split_at_mut(row as usize);
        let (mine, theirs) = (
            &mut mine[..self.stride],
            &before[other as usize..other as usize + self.stride],
        );
        let (mine, _) = mine.as_chunks_mut::<CHUNK>();
        let (theirs, _) = theirs.as_chunks::<CHUNK>();
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a = (*a).max(*b);
            }
        }
    }

    #[inline]
    fn note_use(&mut self, at: u32, class: OpClass, dependent: u32, thread: usize, tick: Tick) {
        if self.cells[at as usize].present & class.bit() == 0 {
            self.add_row(at, class);
        }
        let cell = &mut self.cells[at as usize];
        let uses = &mut cell.uses[class as usize];
        let slot = uses.row + thread as u32;
        let last = std::mem::replace(&mut self.last[slot as usize], tick);
        self.log.push(Undone {
            cell: at,
            slot,
            last,
            latest: cell.latest,
            dominant: cell.dominant,
            latest_in_class: uses.latest,
            class: class as u8,
        });
        uses.latest = tick;
        cell.latest = tick;
        if cell.present & !dependent == 0 {
            cell.dominant = tick;
        }
    }

    #[cold]
    fn add_row(&mut self, at: u32, class: OpClass) {
        let row = self.last.len();
        self.last.resize(row + self.stride, 0);
        let cell = &mut self.cells[at as usize];
        cell.uses[class as usize].row = row as u32;
        cell.present |= class.bit();
    }

    #[cold]
    fn add_cell(&mut self, key: u64, bytes: u8) -> u32 {
        let at = self.cells.len() as u32;
        let next = first_cell(&self.buckets, &self.cells, key);
        self.cells.push(Cell {
            key,
            next,
            present: 0,
            latest: 0,
            dominant: 0,
            bytes,
            uses: [Uses { row: NONE, latest: 0 }; OpClass::COUNT],
        });
        if next == NONE {
            self.keys += 1;
            if self.keys * 2 > self.buckets.len() {
                self.rehash();
                return at;
            }
        }
        self.put(key, at);
        at
    }

    /// Enters a key's newest cell.
    fn put(&mut self, key: u64, at: u32) {
        let mut bucket = bucket(&self.buckets, key);
        while self.buckets[bucket] != NONE && self.cells[self.buckets[bucket] as usize].key != key {
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
        self.buckets[bucket] = at;
    }

    fn rehash(&mut self) {
        self.buckets = vec![NONE; self.buckets.len() * 2];
        for at in 0..self.cells.len() {
            self.put(self.cells[at].key, at as u32); // later cells of a key come first in its chain
        }
    }
}

impl Mark {
    /// The same position after [`Order::grow`].
    pub fn scale(&mut self, factor: u32) {
        self.clocks *= factor;
    }
}

impl Cell {
    /// Adds the uses in `classes` that the clock does not know. All earlier uses in a class that depends on itself happen
    /// before its last one; and all uses here happen before a later one in a class that depends on all of them. Where
    /// that one races, too, they need not be told: neither are they immediate races nor does the clock need them.
    #[inline]
    fn look<P: Dependence>(
        &self,
        relation: &P,
        (classes, racing): (u32, u32),
        Past { clock, events, last }: Past,
        looked: &mut Vec<Looked>,
    ) {
        let mut cover = 0;
        // The end of a thread is not looked for before it is recorded: it is ordered after nothing by being recorded.
        for class in members(classes & racing & !OpClass::Exit.bit()) {
            if classes & !relation.dependent_classes(class) == 0 {
                cover = cover.max(self.uses[class as usize].latest);
            }
        }
        for class in members(classes) {
            let Uses { row, latest } = self.uses[class as usize];
            if latest == 0 || latest < cover {
                continue;
            }
            let races = racing & class.bit() != 0;
            if relation.dependent_classes(class) & class.bit() != 0 {
                let thread = events[latest as usize - 1].thread;
                if latest > clock[thread as usize] {
                    looked.push(Looked {
                        tick: latest,
                        thread,
                        races,
                    });
                }
                continue;
            }
            let row = &last[row as usize..row as usize + clock.len()];
            for (other, (&tick, &known)) in row.iter().zip(clock).enumerate() {
                if tick > known && tick >= cover {
                    looked.push(Looked {
                        tick,
                        thread: other as u32,
                        races,
                    });
                }
            }
        }
    }

    /// Whether the clock knows all uses: the last one is known, and all others happen before it.
    #[inline]
    fn is_known(&self, events: &[Event], clock: &[Tick]) -> bool {
        let latest = self.latest;
        latest == self.dominant
            && (latest == 0 || clock[events[latest as usize - 1].thread as usize] >= latest)
    }
}

/// The classes of a set.
#[inline]
fn members(mut classes: u32) -> impl Iterator<Item = OpClass> {
    std::iter::from_fn(move || {
        let class = *OpClass::ALL.get(classes.trailing_zeros() as usize)?;
        classes &= classes - 1;
        Some(class)
    })
}

#[inline]
fn bucket(buckets: &[u32], key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (buckets.len() - 1)
}

#[inline]
fn first_cell(buckets: &[u32], cells: &[Cell], key: u64) -> u32 {
    let mut bucket = bucket(buckets, key);
    loop {
        let at = buckets[bucket];
        if at == NONE || cells[at as usize].key == key {
            return at;
        }
        bucket = (bucket + 1) & (buckets.len() - 1);
    }
}

/// The last use in a slot before tick `end`, from the one at `tick` on.
#[cold]
fn use_before(events: &[Event], log: &[Undone], mut tick: Tick, slot: usize, end: Tick) -> Tick {
    while tick >= end {
        let from = events[tick as usize - 1].log as usize;
        tick = log[from..]
            .iter()
            .find(|old| old.slot as usize == slot)
            .map_or(0, |old| old.last);
    }
    tick
}
