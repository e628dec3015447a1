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

use selvedge_model::{Action, Dependence, OpClass};

/// A position in the execution, from 1; 0 is none.
pub(super) type Tick = u32;

const NONE: u32 = u32::MAX;

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
    dominant_class: OpClass,
    bytes: u8,
    /// Where the ticks by thread begin in `last`.
    rows: [u32; OpClass::COUNT],
}

/// What one use of a cell overwrote.
struct Undone {
    cell: u32,
    slot: u32,
    last: Tick,
    latest: Tick,
    dominant: Tick,
    dominant_class: OpClass,
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
    /// By thread: its last event that races with the action in question.
    racing: Vec<Tick>,
}

impl Order {
    pub fn new() -> Self {
        let stride = 8;
        Order {
            stride,
            clocks: vec![0; stride],
            current: vec![0; stride],
            current_log: Vec::new(),
            events: Vec::new(),
            cells: Vec::new(),
            buckets: vec![NONE; 64],
            keys: 0,
            last: Vec::new(),
            log: Vec::new(),
            racing: vec![0; stride],
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
                cell.dominant_class = old.dominant_class;
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
        &self.clocks[row..row + self.stride]
    }

    /// Makes room for threads below `count`. Marks taken before it are void if it had to grow, so it must be called
    /// before any event of the execution tells of them; see [`Order::grown`].
    #[inline]
    pub fn has_room(&self, count: usize) -> bool {
        count <= self.stride
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
        self.racing.resize(new, 0);
        let (old, factor) = (self.stride as u32, factor as u32);
        self.current.iter_mut().for_each(|row| *row *= factor);
        self.current_log.iter_mut().for_each(|(_, row)| *row *= factor);
        self.events.iter_mut().for_each(|e| e.clock *= factor);
        for cell in &mut self.cells {
            cell.rows
                .iter_mut()
                .filter(|row| **row != NONE)
                .for_each(|row| *row *= factor);
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
        let clock = self.clock(thread);
        action.for_each_use(|key, bytes, class| {
            let racing = relation.racing_classes(class);
            let mut at = self.first(key);
            while at != NONE {
                let cell = &self.cells[at as usize];
                at = cell.next;
                if cell.bytes & bytes == 0 {
                    continue;
                }
                let mut classes = cell.present & racing;
                while classes != 0 {
                    let row = cell.rows[classes.trailing_zeros() as usize] as usize;
                    classes &= classes - 1;
                    for (&tick, &known) in self.last[row..row + self.stride].iter().zip(clock) {
                        if tick > known {
                            best = best.max(tick);
                        }
                    }
                }
            }
        });
        best
    }

    /// The immediate races of the next action of `thread` with events before tick `end`: the ticks of events that are dependent,
    /// perhaps enabled together with it, not ordered before it, and not before another such event; they are added to
    /// `races`. Also the tick of the latest dependent event of another thread, racing or not.
    #[inline]
    pub fn immediate_races<P: Dependence>(
        &mut self,
        relation: &P,
        action: &Action,
        thread: usize,
        end: Tick,
        races: &mut Vec<Tick>,
    ) -> Tick {
        let mut latest = 0;
        let mut found = false;
        let clock = self.current[thread] as usize;
        let stride = self.stride;
        action.for_each_use(|key, bytes, class| {
            let dependent = relation.dependent_classes(class);
            let racing = relation.racing_classes(class);
            let mut at = self.first(key);
            while at != NONE {
                let cell = &self.cells[at as usize];
                at = cell.next;
                if cell.bytes & bytes == 0 {
                    continue;
                }
                let mut classes = cell.present & dependent;
                while classes != 0 {
                    let bit = classes & classes.wrapping_neg();
                    let row = cell.rows[bit.trailing_zeros() as usize] as usize;
                    classes ^= bit;
                    for other in 0..stride {
                        let mut tick = self.last[row + other];
                        while tick >= end {
                            tick = self.use_before(tick, row + other);
                        }
                        if tick > self.clocks[clock + other] {
                            latest = latest.max(tick);
                            if racing & bit != 0 {
                                self.racing[other] = self.racing[other].max(tick);
                                found = true;
                            }
                        }
                    }
                }
            }
        });
        if found {
            self.keep_immediate(races);
        }
        latest
    }

    /// The use in a slot before the event at `tick`, which used it.
    #[cold]
    fn use_before(&self, tick: Tick, slot: usize) -> Tick {
        let from = self.events[tick as usize - 1].log as usize;
        self.log[from..]
            .iter()
            .find(|old| old.slot as usize == slot)
            .map_or(0, |old| old.last)
    }

    /// Moves the racing events to `races`, but for those that happen before another.
    fn keep_immediate(&mut self, races: &mut Vec<Tick>) {
        for thread in 0..self.stride {
            let tick = self.racing[thread];
            if tick == 0 {
                continue;
            }
            let before = |later: Tick| later > tick && self.event_clock(later)[thread] >= tick;
            if !self.racing.iter().any(|&later| before(later)) && !races.contains(&tick) {
                races.push(tick);
            }
        }
        self.racing.fill(0);
    }

    #[inline]
    fn event_clock(&self, tick: Tick) -> &[Tick] {
        let row = self.events[tick as usize - 1].clock as usize;
        &self.clocks[row..row + self.stride]
    }

    /// Calls `f` with the threads that can begin what came after the event at `race` and not because of it: their first
    /// event after it neither happens after it nor after another event after it. Ends early when `f` says so.
    pub fn initials(&self, race: Tick, mut f: impl FnMut(usize) -> bool) -> bool {
        let raced = self.events[race as usize - 1].thread as usize;
        for tick in race + 1..=self.events.len() as Tick {
            let thread = self.events[tick as usize - 1].thread as usize;
            let clock = self.event_clock(tick);
            // Its first event after the race: the clock of one knows its own thread's last one before.
            let initial = clock.iter().enumerate().all(|(other, &known)| {
                if other == thread {
                    known == tick
                } else {
                    known <= race
                }
            });
            if initial && clock[raced] < race && self.is_first_after(tick, race, thread) && f(thread) {
                return true;
            }
        }
        false
    }

    /// Whether no event of the thread lies between the two.
    fn is_first_after(&self, tick: Tick, race: Tick, thread: usize) -> bool {
        !self.events[race as usize..tick as usize - 1]
            .iter()
            .any(|event| event.thread as usize == thread)
    }

    /// Whether an event of another thread after the one at `race` happens before the next event of `thread`, or one of
    /// its own lies after it.
    #[inline]
    pub fn knows_after(&self, thread: usize, race: Tick) -> bool {
        self.clock(thread).iter().any(|&known| known > race)
    }

    /// Adds the event that a thread just took.
    #[inline]
    pub fn record<P: Dependence>(&mut self, relation: &P, action: &Action, thread: usize) {
        let tick = self.events.len() as Tick + 1;
        let row = self.copy_clock(thread);
        self.events.push(Event {
            clock: row,
            thread: thread as u32,
            log: self.log.len() as u32,
        });
        action.for_each_use(|key, bytes, class| {
            let dependent = relation.dependent_classes(class);
            let mut mine = NONE;
            let mut at = self.first(key);
            while at != NONE {
                let cell = &self.cells[at as usize];
                let next = cell.next;
                if cell.bytes == bytes {
                    mine = at;
                }
                if cell.bytes & bytes != 0 {
                    self.join_uses(row, at, dependent);
                }
                at = next;
            }
            if mine == NONE {
                mine = self.add_cell(key, bytes);
            }
            self.note_use(mine, class, dependent, thread, tick);
        });
        self.clocks[row as usize + thread] = tick;
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
        self.clocks
            .extend_from_within(old as usize..old as usize + self.stride);
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
        for (a, b) in mine.iter_mut().zip(theirs) {
            *a = (*a).max(*b);
        }
    }

    /// Joins the clock of the event at a tick unless it is known already.
    #[inline]
    fn join_event(&mut self, row: u32, tick: Tick) {
        let event = self.events[tick as usize - 1];
        if self.clocks[row as usize + event.thread as usize] < tick {
            self.join(row, event.clock);
        }
    }

    /// Joins the clocks of a cell's uses in the given classes.
    #[inline]
    fn join_uses(&mut self, row: u32, cell: u32, dependent: u32) {
        let cell = &self.cells[cell as usize];
        let mut classes = cell.present & dependent;
        if classes == 0 || cell.latest == 0 {
            return;
        }
        let (latest, dominant) = (cell.latest, cell.dominant);
        let rows = cell.rows;
        if dominant != 0 && dependent & cell.dominant_class.bit() != 0 {
            self.join_event(row, dominant);
            if dominant == latest {
                return;
            }
        }
        while classes != 0 {
            let from = rows[classes.trailing_zeros() as usize] as usize;
            classes &= classes - 1;
            for thread in 0..self.stride {
                let tick = self.last[from + thread];
                if tick > self.clocks[row as usize + thread] {
                    self.join_event(row, tick);
                }
            }
        }
    }

    #[inline]
    fn note_use(&mut self, at: u32, class: OpClass, dependent: u32, thread: usize, tick: Tick) {
        if self.cells[at as usize].rows[class as usize] == NONE {
            self.add_row(at, class);
        }
        let cell = &mut self.cells[at as usize];
        let slot = cell.rows[class as usize] + thread as u32;
        let last = std::mem::replace(&mut self.last[slot as usize], tick);
        self.log.push(Undone {
            cell: at,
            slot,
            last,
            latest: cell.latest,
            dominant: cell.dominant,
            dominant_class: cell.dominant_class,
        });
        cell.latest = tick;
        if cell.present & !dependent == 0 {
            cell.dominant = tick;
            cell.dominant_class = class;
        }
    }

    #[cold]
    fn add_row(&mut self, at: u32, class: OpClass) {
        let row = self.last.len();
        self.last.resize(row + self.stride, 0);
        let cell = &mut self.cells[at as usize];
        cell.rows[class as usize] = row as u32;
        cell.present |= class.bit();
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.buckets.len() - 1)
    }

    /// The first cell of an object or granule.
    #[inline]
    fn first(&self, key: u64) -> u32 {
        let mut bucket = self.bucket(key);
        loop {
            let at = self.buckets[bucket];
            if at == NONE || self.cells[at as usize].key == key {
                return at;
            }
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
    }

    #[cold]
    fn add_cell(&mut self, key: u64, bytes: u8) -> u32 {
        let at = self.cells.len() as u32;
        let next = self.first(key);
        self.cells.push(Cell {
            key,
            next,
            present: 0,
            latest: 0,
            dominant: 0,
            dominant_class: OpClass::Local,
            bytes,
            rows: [NONE; OpClass::COUNT],
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
        let mut bucket = self.bucket(key);
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
