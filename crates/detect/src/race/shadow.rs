//! Shadow memory: for each granule of 8 bytes, the accesses with which a later access may race.
//!
//! FastTrack (Flanagan and Freund, PLDI 2009), generalised to bytes and to four kinds of accesses.
//! An access is an *epoch* (a thread and its tick) with the bytes that it accessed. A new access
//! replaces an older one if the older one is ordered before it, and every access that races with
//! the older one races with the new one too. So if a byte has a race, one is always reported for
//! it, though not every pair of statements is. The first entry of a granule is in its record; the
//! others, which are rare, are in a list.

use super::store::{Origin, Space, Store};
use rustc_hash::FxHashMap;
use selvedge_model::Places;

/// The kind of an access: bit 0 write, bit 1 atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(u8);

impl Kind {
    pub(crate) const fn new(write: bool, atomic: bool) -> Self {
        Kind(write as u8 | (atomic as u8) << 1)
    }
    pub(crate) const ATOMIC_WRITE: Kind = Kind::new(true, true);
    /// The kind as a number.
    pub(crate) const fn number(self) -> u8 {
        self.0
    }
    pub(crate) const fn is_write(self) -> bool {
        self.0 & 1 != 0
    }
    pub(crate) const fn is_atomic(self) -> bool {
        self.0 & 2 != 0
    }
    /// True if two such accesses conflict: at least one writes, and not both are atomic.
    #[inline]
    pub(crate) const fn conflicts(self, other: Kind) -> bool {
        (self.0 | other.0) & 1 != 0 && self.0 & other.0 & 2 == 0
    }
    /// True if every kind that conflicts with `other` conflicts with `self`.
    #[inline]
    pub(crate) const fn covers(self, other: Kind) -> bool {
        // Indexed by self: plain read, plain write, atomic read, atomic write. Bit n: covers kind
        // n.
        const COVERS: [u8; 4] = [0b0101, 0b1111, 0b0100, 0b1100];
        COVERS[self.0 as usize] >> other.0 & 1 != 0
    }
}

/// An access: the thread, its tick, and the origin of the access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) thread: usize,
    pub(crate) tick: u32,
    pub(crate) kind: Kind,
    pub(crate) stmt: u32,
    pub(crate) context: u32,
    pub(crate) locks: u32,
}

impl Entry {
    #[inline]
    pub(crate) const fn new(thread: usize, kind: Kind, origin: Origin) -> Self {
        Entry {
            thread,
            tick: origin.tick,
            kind,
            stmt: origin.stmt,
            context: origin.context,
            locks: origin.locks,
        }
    }

    #[inline]
    pub(crate) const fn origin(&self) -> Origin {
        Origin {
            tick: self.tick,
            stmt: self.stmt,
            context: self.context,
            locks: self.locks,
        }
    }

    #[inline]
    fn packed(&self, mask: u32) -> u32 {
        (self.thread as u32) << 16 | mask << 8 | u32::from(self.kind.0)
    }
}

/// The size in bytes from which an access is kept as a range instead of by granules.
const LARGE: u64 = 1 << 20;
const PAGE_SHIFT: u32 = 12;
const CELLS_PER_PAGE: usize = 1 << (PAGE_SHIFT - 3);

// A granule's record: an entry (tick, thread|mask|kind, the origin's name, next), then permanent
// facts.
const TICK: usize = 0;
const PACKED: usize = 1;
const ORIGIN: usize = 2;
const NEXT: usize = 3;
const ENTRY_WORDS: usize = 4;
/// Whether a synchronisation object covers this granule, or did.
const OWNED: usize = 4;
/// Whether the granule contains atomic variables with clocks.
const ATOMICS: usize = 5;
const CELL_WORDS: usize = 6;

// `Extra` begins with the head of the free list, and the next entry that was never used.
const FREE: usize = 0;
const FRESH: usize = 1;

/// The granules that contain these bytes.
pub(crate) const fn granules(start: u64, end: u64) -> std::ops::Range<u64> {
    match start < end {
        true => start & !7..end.saturating_add(7) & !7,
        false => start..start,
    }
}

/// The position of an entry.
#[derive(Clone, Copy)]
struct Place(Space, usize);

/// What an access found in a granule.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Met {
    /// True if a synchronisation object covers the granule, or did.
    pub(crate) owned: bool,
    /// True if the granule contains atomic variables with clocks.
    pub(crate) atomics: bool,
}

/// An access to many bytes.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    end: u64,
    entry: Entry,
}

/// The map from granules to records, and ranges.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    pages: FxHashMap<u64, u32>,
    tables: Vec<[u32; CELLS_PER_PAGE]>,
    last: (u64, u32),
    /// All granules that have a record, with the record.
    cells: Vec<(u64, u32)>,
    ranges: Vec<Range>,
}

impl Shadow {
    pub(crate) fn new(store: &mut Store) -> Self {
        let words = store.grow(Space::Extra, ENTRY_WORDS); // index 0 is "none": never an entry
        store.set_forever(Space::Extra, words + FRESH, ENTRY_WORDS as u32);
        Shadow {
            pages: FxHashMap::default(),
            tables: Vec::new(),
            last: (u64::MAX, 0),
            cells: Vec::new(),
            ranges: Vec::new(),
        }
    }

    pub(crate) fn mark(&self) -> u32 {
        self.ranges.len() as u32
    }

    pub(crate) fn undo(&mut self, mark: u32) {
        self.ranges.truncate(mark as usize);
    }

    /// The record of a granule (address / 8).
    #[inline]
    pub(crate) fn cell(&mut self, store: &mut Store, granule: u64) -> usize {
        let page = granule >> (PAGE_SHIFT - 3);
        if self.last.0 != page {
            self.last = (page, self.page(page));
        }
        let slot = &mut self.tables[self.last.1 as usize][granule as usize % CELLS_PER_PAGE];
        if *slot == 0 {
            let cell = store.grow(Space::Records, CELL_WORDS) as u32;
            self.cells.push((granule, cell));
            *slot = cell + 1;
        }
        *slot as usize - 1
    }

    fn page(&mut self, page: u64) -> u32 {
        if let Some(&table) = self.pages.get(&page) {
            return table;
        }
        let table = self.tables.len() as u32;
        self.tables.push([0; CELLS_PER_PAGE]);
        self.pages.insert(page, table);
        table
    }

    /// Records that a synchronisation object covers a whole granule.
    pub(crate) fn set_owned(&mut self, store: &mut Store, granule: u64) {
        let cell = self.cell(store, granule);
        store.set_forever(Space::Records, cell + OWNED, 1);
    }

    /// True if there are accesses that are kept as ranges.
    pub(crate) fn has_ranges(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Records that an atomic variable in this granule has clocks.
    pub(crate) fn set_atomics(&mut self, store: &mut Store, granule: u64) {
        let cell = self.cell(store, granule);
        store.set_forever(Space::Records, cell + ATOMICS, 1);
    }

    /// An access to the bytes `mask` of a granule by a thread whose clock is `clock`. Calls `race`
    /// with each older access with which it is not ordered. It is recorded if `KEEP`.
    #[inline]
    pub(crate) fn access<const KEEP: bool>(
        &mut self,
        store: &mut Store,
        granule: u64,
        mask: u32,
        new: &Entry,
        clock: u32,
        race: impl FnMut(Entry),
    ) -> Met {
        let cell = self.cell(store, granule);
        let packed = store.get(Space::Records, cell + PACKED);
        // The same thread made the same access, or a larger one, since its last release. It was
        // checked then.
        if store.get(Space::Records, cell + TICK) == new.tick
            && packed >> 16 == new.thread as u32
            && packed >> 8 & mask == mask
            && Kind(packed as u8 & 3).covers(new.kind)
        {
            return Met::default();
        }
        let met = Met {
            owned: store.get(Space::Records, cell + OWNED) != 0,
            atomics: store.get(Space::Records, cell + ATOMICS) != 0,
        };
        if store.get(Space::Records, cell + NEXT) == 0 {
            // There is at most one older access. In most cases it is ordered before this one, which
            // replaces it.
            let (bytes, thread, kind) = (
                packed >> 8 & 0xff,
                (packed >> 16) as usize,
                Kind(packed as u8 & 3),
            );
            let ordered = bytes == 0
                || thread == new.thread
                || store.get(Space::Records, cell + TICK) <= store.tick(clock, thread);
            if ordered && !KEEP {
                return met;
            }
            if ordered && bytes & !mask == 0 && (bytes == 0 || new.kind.covers(kind)) {
                write_entry(store, Place(Space::Records, cell), new, mask);
                return met;
            }
        }
        self.check_and_record::<KEEP>(store, cell, mask, new, clock, race);
        met
    }

    fn check_and_record<const KEEP: bool>(
        &mut self,
        store: &mut Store,
        cell: usize,
        mask: u32,
        new: &Entry,
        clock: u32,
        mut race: impl FnMut(Entry),
    ) {
        let mut place = Place(Space::Records, cell);
        let mut before = place;
        let mut merge = None;
        loop {
            let packed = store.get(place.0, place.1 + PACKED);
            let (bytes, thread, kind) = (
                packed >> 8 & 0xff,
                (packed >> 16) as usize,
                Kind(packed as u8 & 3),
            );
            let mut left = bytes;
            if bytes != 0 {
                let tick = store.get(place.0, place.1 + TICK);
                let mine = thread == new.thread;
                if mine && tick == new.tick && bytes & mask == mask && kind.covers(new.kind) {
                    return;
                }
                if bytes & mask != 0 {
                    let ordered = mine || tick <= store.tick(clock, thread);
                    if !ordered && kind.conflicts(new.kind) {
                        race(read_entry(store, place));
                    }
                    if ordered && new.kind.covers(kind) {
                        left = bytes & !mask;
                    }
                }
                let may_be_same = KEEP && left != 0 && merge.is_none() && mine && tick == new.tick;
                if may_be_same && read_entry(store, place) == *new {
                    merge = Some(place);
                }
            }
            let next = store.get(place.0, place.1 + NEXT) as usize;
            let listed = place.0 == Space::Extra;
            if KEEP && left == 0 && listed {
                store.set(before.0, before.1 + NEXT, next as u32);
                free(store, place.1);
            } else {
                if KEEP && left != bytes {
                    store.set(place.0, place.1 + PACKED, packed & !0xff00 | left << 8);
                }
                before = place;
            }
            if next == 0 {
                break;
            }
            place = Place(Space::Extra, next);
        }
        if !KEEP {
            return;
        }
        if let Some(place) = merge {
            let packed = store.get(place.0, place.1 + PACKED);
            store.set(place.0, place.1 + PACKED, packed | mask << 8);
            return;
        }
        let first = store.get(Space::Records, cell + PACKED);
        if first >> 8 & 0xff == 0 {
            write_entry(store, Place(Space::Records, cell), new, mask);
        } else {
            let next = store.get(Space::Records, cell + NEXT);
            let at = allocate(store);
            write_entry(store, Place(Space::Extra, at), new, mask);
            store.set(Space::Extra, at + NEXT, next);
            store.set(Space::Records, cell + NEXT, at as u32);
        }
    }

    /// Checks an access without recording it.
    pub(crate) fn check(
        &mut self,
        store: &mut Store,
        granule: u64,
        mask: u32,
        new: &Entry,
        clock: u32,
        mut race: impl FnMut(Entry),
    ) {
        let mut place = Place(Space::Records, self.cell(store, granule));
        loop {
            let old = read_entry(store, place);
            let bytes = store.get(place.0, place.1 + PACKED) >> 8 & 0xff;
            if bytes & mask != 0 && old.kind.conflicts(new.kind) && unordered(store, &old, new, clock) {
                race(old);
            }
            match store.get(place.0, place.1 + NEXT) as usize {
                0 => return,
                next => place = Place(Space::Extra, next),
            }
        }
    }

    /// Checks an access against ranges.
    #[inline]
    pub(crate) fn check_ranges(
        &self,
        store: &Store,
        (start, end): (u64, u64),
        new: &Entry,
        clock: u32,
        mut race: impl FnMut(Entry),
    ) {
        for range in &self.ranges {
            let old = &range.entry;
            if range.start < end
                && start < range.end
                && old.kind.conflicts(new.kind)
                && unordered(store, old, new, clock)
            {
                race(*old);
            }
        }
    }

    /// The number of granules with a record.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The granules whose records are among these words, with their records.
    pub(crate) fn cells(&self, records: std::ops::Range<usize>) -> &[(u64, u32)] {
        // Records are appended, so they are in order.
        let before = |word: usize| self.cells.partition_point(|&(_, at)| (at as usize) < word);
        &self.cells[before(records.start)..before(records.end)]
    }

    /// The entry of a granule with its bytes, which may be none, if there is only one.
    pub(crate) fn only_entry(&self, store: &Store, cell: usize) -> Option<(Entry, u32)> {
        let place = Place(Space::Records, cell);
        let bytes = store.get(place.0, cell + PACKED) >> 8 & 0xff;
        (store.get(place.0, cell + NEXT) == 0).then(|| (read_entry(store, place), bytes))
    }

    /// The entries of a granule with their bytes. Accesses that every thread knows of are left out:
    /// those of a thread up to its tick in `floor`.
    pub(crate) fn entries(&self, store: &Store, cell: usize, floor: &[u32], entries: &mut Vec<(Entry, u32)>) {
        entries.clear();
        let mut place = Place(Space::Records, cell);
        loop {
            let packed = store.get(place.0, place.1 + PACKED);
            let (bytes, thread) = (packed >> 8 & 0xff, (packed >> 16) as usize);
            let tick = store.get(place.0, place.1 + TICK);
            if bytes != 0 && tick > floor.get(thread).copied().unwrap_or(0) {
                entries.push((read_entry(store, place), bytes));
            }
            match store.get(place.0, place.1 + NEXT) as usize {
                0 => break,
                next => place = Place(Space::Extra, next),
            }
        }
    }

    /// Calls `visit` with each granule of `places` for which accesses are kept, and with its
    /// [entries](Shadow::entries), in no particular order.
    pub(crate) fn for_each(
        &self,
        store: &Store,
        places: &Places,
        floor: &[u32],
        mut visit: impl FnMut(u64, &[(Entry, u32)]),
    ) {
        let mut entries = Vec::new();
        let mut cell = |granule: u64, cell: usize| {
            self.entries(store, cell, floor, &mut entries);
            if !entries.is_empty() {
                visit(granule, &entries);
            }
        };
        let Some(ranges) = places.ranges() else {
            self.cells
                .iter()
                .for_each(|&(granule, at)| cell(granule, at as usize));
            return;
        };
        // Two ranges may lie in one granule.
        let mut next = 0;
        for range in ranges {
            let (first, end) = (next.max(range.start >> 3), range.end.div_ceil(8));
            next = end.max(next);
            if end.saturating_sub(first) > self.cells.len() as u64 {
                let inside = |granule: u64| (first..end).contains(&granule);
                let cells = self.cells.iter().filter(|&&(granule, _)| inside(granule));
                cells.for_each(|&(granule, at)| cell(granule, at as usize));
                continue;
            }
            for granule in first..end {
                if let Some(at) = self.find(granule) {
                    cell(granule, at);
                }
            }
        }
    }

    /// The record of a granule, if it has one.
    fn find(&self, granule: u64) -> Option<usize> {
        let table = *self.pages.get(&(granule >> (PAGE_SHIFT - 3)))?;
        let slot = self.tables[table as usize][granule as usize % CELLS_PER_PAGE];
        (slot as usize).checked_sub(1)
    }

    /// The accesses that are kept as ranges: the first byte, the byte after the last, and the
    /// access.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (u64, u64, Entry)> + '_ {
        self.ranges
            .iter()
            .map(|range| (range.start, range.end, range.entry))
    }

    /// True if an access of this size is kept as a range.
    pub(crate) const fn is_large(size: u64) -> bool {
        size >= LARGE
    }

    /// A large access: only granules that were accessed before are visited.
    pub(crate) fn access_large(
        &mut self,
        store: &mut Store,
        (start, end): (u64, u64),
        new: &Entry,
        clock: u32,
        mut race: impl FnMut(Entry),
    ) {
        self.check_ranges(store, (start, end), new, clock, &mut race);
        let mut pages: Vec<u64> = self
            .pages
            .keys()
            .copied()
            .filter(|p| p << PAGE_SHIFT < end && (p + 1) << PAGE_SHIFT > start)
            .collect();
        pages.sort_unstable();
        for page in pages {
            let table = self.page(page) as usize;
            for i in 0..CELLS_PER_PAGE {
                let granule = (page << (PAGE_SHIFT - 3)) + i as u64;
                let mask = mask(granule, start, end);
                if self.tables[table][i] != 0 && mask != 0 {
                    self.check(store, granule, mask, new, clock, &mut race);
                }
            }
        }
        self.ranges.push(Range {
            start,
            end,
            entry: *new,
        });
    }
}

#[inline]
fn unordered(store: &Store, old: &Entry, new: &Entry, clock: u32) -> bool {
    old.thread != new.thread && old.tick > store.tick(clock, old.thread)
}

/// The bytes of a granule that lie in `[start, end)`.
#[inline]
pub(crate) fn mask(granule: u64, start: u64, end: u64) -> u32 {
    let base = granule << 3;
    let from = start.saturating_sub(base).min(8) as u32;
    let to = end.saturating_sub(base).min(8) as u32;
    if from >= to {
        0
    } else {
        (0xff >> (8 - (to - from))) << from
    }
}

/// The entry at a position. At an empty position it is an entry of tick 0, which is ordered with
/// everything.
#[inline]
fn read_entry(store: &Store, Place(space, at): Place) -> Entry {
    let packed = store.get(space, at + PACKED);
    let origin = store.origin(store.get(space, at + ORIGIN)).unwrap_or(Origin {
        tick: 0,
        stmt: 0,
        context: 0,
        locks: 0,
    });
    Entry::new((packed >> 16) as usize, Kind(packed as u8 & 3), origin)
}

#[inline]
fn write_entry(store: &mut Store, Place(space, at): Place, entry: &Entry, mask: u32) {
    let origin = store.add_origin(entry.origin());
    store.set(space, at + TICK, entry.tick);
    store.set(space, at + PACKED, entry.packed(mask));
    store.set(space, at + ORIGIN, origin);
}

fn allocate(store: &mut Store) -> usize {
    let free = store.get(Space::Extra, FREE) as usize;
    if free != 0 {
        let next = store.get(Space::Extra, free + NEXT);
        store.set(Space::Extra, FREE, next);
        return free;
    }
    let fresh = store.get(Space::Extra, FRESH) as usize;
    if fresh == store.len(Space::Extra) {
        store.grow(Space::Extra, ENTRY_WORDS);
    }
    store.set(Space::Extra, FRESH, (fresh + ENTRY_WORDS) as u32);
    fresh
}

fn free(store: &mut Store, at: usize) {
    let head = store.get(Space::Extra, FREE);
    store.set(Space::Extra, at + NEXT, head);
    store.set(Space::Extra, FREE, at as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks() {
        assert_eq!(mask(1, 8, 16), 0xff);
        assert_eq!(mask(1, 9, 11), 0b110);
        assert_eq!(mask(1, 0, 9), 1);
        assert_eq!(mask(1, 15, 99), 0x80);
        assert_eq!(mask(1, 0, 8), 0);
        assert_eq!(mask(1, 16, 20), 0);
    }

    #[test]
    fn covers_is_inclusion_of_conflicts() {
        for a in (0..4).map(Kind) {
            for b in (0..4).map(Kind) {
                let included = (0..4).map(Kind).all(|c| !b.conflicts(c) || a.conflicts(c));
                assert_eq!(a.covers(b), included, "{a:?} {b:?}");
            }
        }
    }
}
