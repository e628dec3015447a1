//! Words that can be undone. All state of the race detector that changes during an execution
//! consists of `u32`s in one of three arrays. Each change is logged with the old value.
//!
//! Arrays only grow. Everything behind their first contents is 0 before the first event of every
//! execution, because all writes are undone. So nothing is allocated after all objects of a program
//! were seen.

/// The arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    /// Vector clocks: `slot * stride + thread`.
    Clocks = 0,
    /// Permanent records: threads, objects, granules.
    Records = 1,
    /// Overflow entries of granules, allocated and freed.
    Extra = 2,
}

const TAG_SHIFT: u32 = 30;
/// In the log: a whole row of clocks changed; its old contents are in `rows`.
const ROW: u32 = 3;
/// The initial width of clocks. Rows of this width are changed and undone as a whole.
const WIDTH: usize = 8;
const INDEX: u32 = (1 << TAG_SHIFT) - 1;
/// Records are divided into chunks of this many words, as a power of two. A chunk has a version,
/// which changes with each of its words.
const CHUNK: u32 = 10;

/// The origin of an access or an operation: the data that reports need, and that identifies equal
/// accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    pub(crate) tick: u32,
    pub(crate) stmt: u32,
    pub(crate) context: u32,
    pub(crate) locks: u32,
}

/// The arrays and their log.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    spaces: [Vec<u32>; 3],
    log: Vec<(u32, u32)>,
    /// The old contents of rows of clocks that were changed as a whole.
    rows: Vec<[u32; WIDTH]>,
    /// Origins are written once, and dropped when the execution is undone. Words of the arrays name
    /// them, so that changing or undoing several facts is one word.
    origins: Vec<Origin>,
    /// How often words of each chunk of records have changed.
    versions: Vec<u64>,
    stride: usize,
}

/// A position in the log and the number of origins then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreMark {
    log: u32,
    origins: u32,
}

impl Store {
    /// Clocks of 8 threads, no records.
    pub(crate) fn new() -> Self {
        Store {
            spaces: [Vec::new(), Vec::new(), Vec::new()],
            log: Vec::new(),
            rows: Vec::new(),
            origins: Vec::new(),
            versions: Vec::new(),
            stride: WIDTH,
        }
    }

    #[inline]
    pub(crate) fn get(&self, space: Space, index: usize) -> u32 {
        self.spaces[space as usize][index]
    }

    /// Changes a word; logs the old value.
    #[inline]
    pub(crate) fn set(&mut self, space: Space, index: usize, value: u32) {
        let word = &mut self.spaces[space as usize][index];
        if *word != value {
            self.log.push(((space as u32) << TAG_SHIFT | index as u32, *word));
            *word = value;
            if space == Space::Records {
                self.versions[index >> CHUNK] += 1;
            }
        }
    }

    /// Sets a word without logging, for facts that stay true whatever is undone.
    #[inline]
    pub(crate) fn set_forever(&mut self, space: Space, index: usize, value: u32) {
        self.spaces[space as usize][index] = value;
        if space == Space::Records {
            self.versions[index >> CHUNK] += 1;
        }
    }

    /// Appends zeroed words and returns the index of the first.
    ///
    /// # Panics
    /// If an array would pass 2³⁰ words: memory has run out long before.
    pub(crate) fn grow(&mut self, space: Space, words: usize) -> usize {
        let array = &mut self.spaces[space as usize];
        let first = array.len();
        assert!(
            first + words <= INDEX as usize,
            "race detector: too much shadow memory"
        );
        array.resize(first + words, 0);
        if space == Space::Records {
            self.versions.resize((first + words).div_ceil(1 << CHUNK), 0);
        }
        first
    }

    /// The number of chunks of records.
    pub(crate) fn chunks(&self) -> usize {
        self.versions.len()
    }

    /// The version of a chunk of records. As long as it is the same, so are the words.
    pub(crate) fn version(&self, chunk: usize) -> u64 {
        self.versions[chunk]
    }

    /// The records of a chunk.
    pub(crate) const fn chunk(number: usize) -> std::ops::Range<usize> {
        number << CHUNK..(number + 1) << CHUNK
    }

    /// The length of an array.
    pub(crate) fn len(&self, space: Space) -> usize {
        self.spaces[space as usize].len()
    }

    /// Adds an origin. Returns its name, which is not 0.
    #[inline]
    pub(crate) fn add_origin(&mut self, origin: Origin) -> u32 {
        self.origins.push(origin);
        self.origins.len() as u32
    }

    /// An origin by its name.
    #[inline]
    pub(crate) fn origin(&self, name: u32) -> Option<Origin> {
        self.origins.get((name as usize).wrapping_sub(1)).copied()
    }

    /// The present position in the log.
    #[inline]
    pub(crate) fn mark(&self) -> StoreMark {
        StoreMark {
            log: self.log.len() as u32,
            origins: self.origins.len() as u32,
        }
    }

    /// Undoes everything after a position.
    #[inline]
    pub(crate) fn undo(&mut self, mark: StoreMark) {
        let [clocks, records, extra] = &mut self.spaces;
        let versions = &mut self.versions;
        let mark_log = (mark.log as usize).min(self.log.len());
        for &(place, old) in self.log[mark_log..].iter().rev() {
            if place >> TAG_SHIFT == ROW {
                let row = clocks[(place & INDEX) as usize..].first_chunk_mut();
                if let (Some(row), Some(old)) = (row, self.rows.pop()) {
                    *row = old;
                }
                continue;
            }
            let index = (place & INDEX) as usize;
            let array = match place >> TAG_SHIFT {
                0 => &mut *clocks,
                1 => {
                    versions[index >> CHUNK] += 1;
                    &mut *records
                }
                _ => &mut *extra,
            };
            array[index] = old;
        }
        self.log.truncate(mark_log);
        self.origins.truncate(mark.origins as usize);
    }

    /// Makes room for `slots` clocks and returns the number of the first.
    pub(crate) fn new_clocks(&mut self, slots: usize) -> u32 {
        let first = self.grow(Space::Clocks, slots * self.stride);
        (first / self.stride) as u32
    }

    /// Makes clocks wide enough for a thread number.
    pub(crate) fn widen(&mut self, thread: usize) {
        if thread < self.stride {
            return;
        }
        let (old, new) = (self.stride, (thread + 1).next_power_of_two());
        let slots = self.spaces[0].len() / old;
        assert!(slots * new <= INDEX as usize, "race detector: too many threads");
        let mut wide = vec![0; slots * new];
        for (to, from) in wide.chunks_exact_mut(new).zip(self.spaces[0].chunks_exact(old)) {
            to[..old].copy_from_slice(from);
        }
        self.spaces[0] = wide;
        for (place, _) in &mut self.log {
            let (tag, index) = (*place >> TAG_SHIFT, (*place & INDEX) as usize);
            if tag == Space::Clocks as u32 || tag == ROW {
                // The rest of the row is 0, before and after.
                *place = tag << TAG_SHIFT | (index / old * new + index % old) as u32;
            }
        }
        self.stride = new;
    }

    /// One counter of a clock.
    #[inline]
    pub(crate) fn tick(&self, slot: u32, thread: usize) -> u32 {
        self.spaces[0][slot as usize * self.stride + thread]
    }

    /// The first counters of a clock.
    #[inline]
    pub(crate) fn ticks(&self, slot: u32, threads: usize) -> &[u32] {
        &self.spaces[0][slot as usize * self.stride..][..threads]
    }

    /// Sets one counter of a clock.
    #[inline]
    pub(crate) fn set_tick(&mut self, slot: u32, thread: usize, tick: u32) {
        self.set(Space::Clocks, slot as usize * self.stride + thread, tick);
    }

    /// `to` ← the pointwise maximum of both, over the first `threads` counters.
    #[inline]
    pub(crate) fn join(&mut self, to: u32, from: u32, threads: usize) {
        if to == from {
            return;
        }
        let start = to as usize * self.stride;
        let clocks = &mut self.spaces[0];
        let theirs = from as usize * self.stride;
        if self.stride == WIDTH {
            let theirs = clocks[theirs..].first_chunk::<WIDTH>().copied();
            if let (Some(theirs), Some(mine)) = (theirs, clocks[start..].first_chunk_mut::<WIDTH>()) {
                self.rows.push(*mine);
                self.log.push((ROW << TAG_SHIFT | start as u32, 0));
                for (mine, theirs) in mine.iter_mut().zip(theirs) {
                    *mine = theirs.max(*mine);
                }
            }
            return;
        }
        let (mine, theirs) = two_rows(clocks, start, theirs, threads);
        for (i, (mine, &theirs)) in mine.iter_mut().zip(theirs).enumerate() {
            if *mine < theirs {
                self.log.push(((start + i) as u32, *mine));
                *mine = theirs;
            }
        }
    }

    /// `to` ← `from`.
    #[inline]
    pub(crate) fn copy(&mut self, to: u32, from: u32, threads: usize) {
        let (to, from) = (to as usize * self.stride, from as usize * self.stride);
        let clocks = &mut self.spaces[0];
        for i in 0..threads {
            let theirs = clocks[from + i];
            let mine = &mut clocks[to + i];
            if *mine != theirs {
                self.log.push(((to + i) as u32, *mine));
                *mine = theirs;
            }
        }
    }

    /// Sets all counters to 0.
    #[inline]
    pub(crate) fn clear(&mut self, slot: u32, threads: usize) {
        for i in 0..threads {
            self.set_tick(slot, i, 0);
        }
    }
}

/// Two rows of one array that do not overlap: the first to be changed.
#[inline]
fn two_rows(words: &mut [u32], to: usize, from: usize, len: usize) -> (&mut [u32], &[u32]) {
    if to < from {
        let (low, high) = words.split_at_mut(from);
        (&mut low[to..to + len], &high[..len])
    } else {
        let (low, high) = words.split_at_mut(to);
        (&mut high[..len], &low[from..from + len])
    }
}
