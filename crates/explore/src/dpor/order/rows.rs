//! Vector clocks as rows of one array. The width of a row depends on the present number of threads.

use super::{Looked, Tick};

/// The number of counters in a chunk; rows are whole chunks.
const CHUNK: usize = 8;

/// Clocks, identified by the number of their first chunk.
pub(super) struct Rows {
    chunks: Vec<[Tick; CHUNK]>,
    /// Chunks in a row: a power of two, nearly always 1.
    width: usize,
}

impl Rows {
    /// Only row 0, the empty clock.
    pub fn new() -> Self {
        Rows {
            chunks: vec![[0; CHUNK]],
            width: 1,
        }
    }

    /// The number of threads for which a row has room.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.width * CHUNK
    }

    /// The next row to be added.
    #[inline]
    pub fn next(&self) -> u32 {
        self.chunks.len() as u32
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: u32) -> &[Tick] {
        self.chunks[row as usize..row as usize + self.width].as_flattened()
    }

    /// One counter.
    #[inline]
    pub fn tick(&self, row: u32, thread: usize) -> Tick {
        self.chunks[row as usize + thread / CHUNK][thread % CHUNK]
    }

    /// True if a row has a counter above a tick.
    #[inline]
    pub fn has_above(&self, row: u32, tick: Tick) -> bool {
        let chunks = &self.chunks[row as usize..row as usize + self.width];
        chunks.iter().any(|chunk| {
            // Compared as signed numbers, as in `raise`.
            let above = |above, &one: &Tick| above | (one as i32 > tick as i32);
            chunk.iter().fold(false, above)
        })
    }

    /// Sets one counter.
    #[inline]
    pub fn set(&mut self, row: u32, thread: usize, tick: Tick) {
        self.chunks[row as usize + thread / CHUNK][thread % CHUNK] = tick;
    }

    /// Adds a copy of a row.
    #[inline]
    fn copy(&mut self, row: u32) -> u32 {
        let new = self.next();
        self.chunks
            .extend_from_within(row as usize..row as usize + self.width);
        new
    }

    /// Adds a row: for each thread the greater counter of two rows.
    #[inline]
    pub fn joined(&mut self, one: u32, other: u32) -> u32 {
        if self.width != 1 {
            let new = self.copy(one);
            self.join(new, other);
            return new;
        }
        let new = self.next();
        let mut clock = self.chunks[one as usize];
        raise(&mut clock, &self.chunks[other as usize]);
        self.chunks.push(clock);
        new
    }

    /// Adds the clock of an event: the join of a row and of the clocks of the predecessors found,
    /// which `clock_of` gives. The counter of its own thread is the event's tick.
    #[inline(always)]
    pub fn follow(
        &mut self,
        row: u32,
        found: &[Looked],
        clock_of: impl Fn(Tick) -> u32,
        (thread, tick): (usize, Tick),
    ) -> u32 {
        if self.width != 1 {
            return self.follow_wide(row, found, clock_of, (thread, tick));
        }
        let new = self.next();
        let mut clock = self.chunks[row as usize];
        for one in found.iter().rev() {
            if clock[one.thread as usize % CHUNK] < one.tick {
                raise(&mut clock, &self.chunks[clock_of(one.tick) as usize]);
            }
        }
        clock[thread % CHUNK] = tick;
        self.chunks.push(clock);
        new
    }

    #[inline(never)]
    fn follow_wide(
        &mut self,
        row: u32,
        found: &[Looked],
        clock_of: impl Fn(Tick) -> u32,
        (thread, tick): (usize, Tick),
    ) -> u32 {
        let new = self.copy(row);
        for one in found.iter().rev() {
            if self.tick(new, one.thread as usize) < one.tick {
                self.join(new, clock_of(one.tick));
            }
        }
        self.set(new, thread, tick);
        new
    }

    /// Raises each counter of a row to at least that of an earlier one.
    #[inline]
    pub fn join(&mut self, row: u32, other: u32) {
        for i in 0..self.width {
            let theirs = self.chunks[other as usize + i];
            raise(&mut self.chunks[row as usize + i], &theirs);
        }
    }

    /// Drops a row and all later ones.
    #[inline]
    pub fn truncate(&mut self, row: u32) {
        self.chunks.truncate(row as usize);
    }

    /// Makes rows wide enough for `count` threads. All row numbers must be multiplied by the
    /// result.
    pub fn grow(&mut self, count: usize) -> u32 {
        let width = count.next_power_of_two().div_ceil(CHUNK);
        let mut wide = Vec::with_capacity(self.chunks.len() / self.width * width);
        for row in self.chunks.chunks(self.width) {
            wide.extend_from_slice(row);
            wide.resize(wide.len() + width - self.width, [0; CHUNK]);
        }
        let factor = width / self.width;
        self.chunks = wide;
        self.width = width;
        factor as u32
    }
}

/// Raises each counter to at least the other's.
#[inline(always)]
fn raise(mine: &mut [Tick; CHUNK], theirs: &[Tick; CHUNK]) {
    for (mine, &theirs) in mine.iter_mut().zip(theirs) {
        // Compared as signed numbers, because the x86-64 baseline can compare four of them at once.
        // Ticks are far below 2³¹.
        *mine = (*mine as i32).max(theirs as i32) as Tick;
    }
}
