//! The last uses of each object.
//!
//! Uses of memory are stored for aligned granules of 8 bytes and, within one granule, for the exact
//! bytes accessed (*cells*). So accesses that share a granule and no byte are independent, and all
//! uses in one cell are of the same bytes.

use super::{Event, Looked, Tick};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Dependence, ObjectId, OpClass};
use std::collections::BTreeMap;

/// No cell, or no row.
pub(super) const NONE: u32 = u32::MAX;

/// The bytes of an object that is used as a whole.
const ALL_BYTES: u8 = 0xff;

/// One object, or a fixed set of bytes in one granule.
pub(super) struct Cell {
    key: u64,
    /// The next cell of the same granule.
    next: u32,
    /// The classes that have a row.
    pub present: u32,
    pub ends: Ends,
    pub bytes: u8,
    pub uses: [Uses; OpClass::COUNT],
}

/// The end of a cell's list of uses; one word.
#[derive(Clone, Copy)]
#[repr(align(8))]
pub(super) struct Ends {
    /// The last use of any class.
    pub latest: Tick,
    /// The last use that was dependent on every class present at that time. All earlier uses happen
    /// before it.
    pub dominant: Tick,
}

/// The uses of a cell in one class.
#[derive(Clone, Copy)]
pub(super) struct Uses {
    /// The position in `last` at which the ticks by thread begin.
    pub row: u32,
    /// The last use by any thread.
    latest: Tick,
}

/// The values that one use of a cell overwrote.
struct Undone {
    cell: u32,
    slot: u32,
    ends: Ends,
    last: Tick,
    /// The last use in its class, and the class.
    latest_in_class: Tick,
    class: OpClass,
}

/// The execution so far, and the clock of the thread that is about to act.
#[derive(Clone, Copy)]
pub(super) struct Past<'a> {
    pub clock: &'a [Tick],
    pub events: &'a [Event],
    pub last: &'a [Tick],
}

pub(super) struct Cells {
    cells: Vec<Cell>,
    /// Open addressing: the first cell of each key. The length is a power of two.
    buckets: Vec<u32>,
    keys: usize,
    /// For each thread, the cell of its end; `NONE` if there is none yet.
    ends: Vec<u32>,
    /// The number of threads for which a row of last uses has room.
    stride: usize,
    /// Rows of last uses.
    pub last: Vec<Tick>,
    log: Vec<Undone>,
}

impl Cells {
    pub fn new(stride: usize) -> Self {
        Cells {
            cells: Vec::new(),
            buckets: vec![NONE; 64],
            keys: 0,
            ends: Vec::new(),
            stride,
            last: Vec::new(),
            log: Vec::new(),
        }
    }

    /// The position in the log.
    #[inline]
    pub fn mark(&self) -> u32 {
        self.log.len() as u32
    }

    #[inline]
    pub fn undo(&mut self, mark: u32) {
        for old in self.log[mark as usize..].iter().rev() {
            self.last[old.slot as usize] = old.last;
            let cell = &mut self.cells[old.cell as usize];
            cell.ends = old.ends;
            cell.uses[old.class as usize].latest = old.latest_in_class;
        }
        self.log.truncate(mark as usize);
    }

    /// Makes room for more threads.
    pub fn grow(&mut self, stride: usize) {
        let old = self.stride;
        let mut wide = Vec::with_capacity(self.last.len() / old * stride);
        for row in self.last.chunks(old) {
            wide.extend_from_slice(row);
            wide.resize(wide.len() + stride - old, 0);
        }
        self.last = wide;
        let scale = |index: u32| index / old as u32 * stride as u32 + index % old as u32;
        for uses in self.cells.iter_mut().flat_map(|cell| &mut cell.uses) {
            if uses.row != NONE {
                uses.row = scale(uses.row);
            }
        }
        for old_use in &mut self.log {
            old_use.slot = scale(old_use.slot);
        }
        self.stride = stride;
    }

    /// The first cell of a key.
    #[inline(always)]
    fn first(&self, key: u64) -> Option<(u32, &Cell)> {
        let mut bucket = self.bucket(key);
        loop {
            let first = self.get(self.buckets[bucket])?;
            if first.1.key == key {
                return Some(first);
            }
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
    }

    /// A cell and its number; `None` for `NONE`.
    #[inline(always)]
    fn get(&self, at: u32) -> Option<(u32, &Cell)> {
        Some((at, self.cells.get(at as usize)?))
    }

    /// All cells of a key.
    #[inline(always)]
    pub fn of(&self, key: u64) -> impl Iterator<Item = (u32, &Cell)> {
        std::iter::successors(self.first(key), |(_, cell)| self.get(cell.next))
    }

    /// The cell of exactly these bytes of a key; added if it does not exist.
    #[inline]
    pub fn cell(&mut self, key: u64, bytes: u8) -> u32 {
        let found = self.of(key).find(|(_, cell)| cell.bytes == bytes);
        match found.map(|(at, _)| at) {
            Some(at) => at,
            None => self.add(key, bytes),
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.buckets.len() - 1)
    }

    /// Adds a cell that does not exist yet.
    #[cold]
    pub fn add(&mut self, key: u64, bytes: u8) -> u32 {
        let at = self.cells.len() as u32;
        let next = self.first(key).map_or(NONE, |(at, _)| at);
        self.cells.push(Cell {
            key,
            next,
            present: 0,
            ends: Ends {
                latest: 0,
                dominant: 0,
            },
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

    /// Makes a cell the first one of its key.
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

    /// The cell of a thread's end.
    #[inline]
    pub fn end_of(&mut self, thread: usize) -> u32 {
        match self.ends.get(thread) {
            Some(&cell) if cell != NONE => cell,
            _ => self.find_end_of(thread),
        }
    }

    #[cold]
    fn find_end_of(&mut self, thread: usize) -> u32 {
        let key = ObjectId::thread(ThreadId::from_index(thread)).0;
        let first = self.first(key).map(|(at, _)| at);
        let cell = first.unwrap_or_else(|| self.add(key, ALL_BYTES));
        if self.ends.len() <= thread {
            self.ends.resize(thread + 1, NONE);
        }
        self.ends[thread] = cell;
        cell
    }

    /// Records a use of a cell. `dependent`: the classes on which its class depends.
    #[inline(always)]
    pub fn note(&mut self, at: u32, class: OpClass, dependent: u32, thread: usize, tick: Tick) {
        let cell = &mut self.cells[at as usize];
        if cell.present & class.bit() == 0 {
            cell.add_row(class, &mut self.last, self.stride);
        }
        let uses = &mut cell.uses[class as usize];
        let slot = uses.row + thread as u32;
        let last = std::mem::replace(&mut self.last[slot as usize], tick);
        self.log.push(Undone {
            cell: at,
            slot,
            last,
            ends: cell.ends,
            latest_in_class: uses.latest,
            class,
        });
        uses.latest = tick;
        cell.ends.latest = tick;
        if cell.present & !dependent == 0 {
            cell.ends.dominant = tick;
        }
    }

    /// The last use in a slot before tick `end`; the slot's latest use is at `tick`.
    #[cold]
    pub fn use_before(
        &self,
        events: &[Event],
        (slot, tick): (usize, Tick),
        end: Tick,
        passed: &mut Passed,
    ) -> Tick {
        let ticks = passed.0.entry(slot).or_insert_with(|| vec![tick]);
        while let Some(&tick) = ticks.last()
            && tick >= end
        {
            let from = events[tick as usize - 1].log as usize;
            let entry = self.log[from..].iter().find(|old| old.slot as usize == slot);
            ticks.push(entry.map_or(0, |old| old.last));
        }
        ticks[ticks.partition_point(|&tick| tick >= end)]
    }
}

/// The uses of some slots that were found while going back through the log, from the last to the
/// earliest requested. Valid until the next event is recorded.
#[derive(Default)]
pub(in crate::dpor) struct Passed(BTreeMap<usize, Vec<Tick>>);

impl Cell {
    /// Adds a row for a class that has none.
    #[cold]
    fn add_row(&mut self, class: OpClass, last: &mut Vec<Tick>, stride: usize) {
        self.uses[class as usize].row = last.len() as u32;
        last.resize(last.len() + stride, 0);
        self.present |= class.bit();
    }

    /// True if the last use races with the action and is dependent on all of `classes`. Then all
    /// other uses happen before it and need not be reported.
    #[inline]
    pub fn last_covers<P: Dependence>(&self, relation: &P, classes: u32, racing: u32) -> bool {
        members(covering(classes, racing)).any(|class| {
            self.uses[class as usize].latest == self.ends.latest
                && classes & !relation.dependent_classes(class) == 0
        })
    }

    /// Adds the uses in `classes` that the clock does not cover, without redundant ones. All
    /// earlier uses in a class that depends on itself happen before its last use. All uses here
    /// happen before a later use in a class that depends on all of `classes`. If that later use
    /// races, too, the earlier uses are redundant: they are not immediate races, and joining the
    /// later use's clock covers them.
    #[inline(never)]
    pub fn look<P: Dependence>(
        &self,
        relation: &P,
        classes: u32,
        racing: u32,
        Past { clock, events, last }: Past,
        looked: &mut Vec<Looked>,
    ) {
        let mut cover = 0;
        if classes & (classes - 1) != 0 {
            // One class alone covers at most itself.
            for class in members(covering(classes, racing)) {
                if classes & !relation.dependent_classes(class) == 0 {
                    cover = cover.max(self.uses[class as usize].latest);
                }
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

    /// True if the clock covers all uses: it covers the last use, and all others happen before that
    /// one.
    #[inline]
    pub fn is_known(&self, events: &[Event], clock: &[Tick]) -> bool {
        let Ends { latest, dominant } = self.ends;
        latest == dominant && (latest == 0 || clock[events[latest as usize - 1].thread as usize] >= latest)
    }
}

/// The members of `classes` whose last use may make other uses redundant. The end of a thread is
/// excluded: it is recorded without a search for its predecessors, so it is not ordered after other
/// uses.
#[inline]
fn covering(classes: u32, racing: u32) -> u32 {
    classes & racing & !OpClass::Exit.bit()
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
