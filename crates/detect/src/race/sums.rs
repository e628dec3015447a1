//! The accesses to granules that have one entry, summed, so that a digest need not look at each.
//!
//! The same clocks cover all accesses of a thread at one tick. So the digest of the detector takes
//! these accesses together, as a sum of hashes. The sums of a chunk of records are kept until one
//! of its words changes. A program that fills a table pays for it once, and not in each of the
//! states that follow.

use super::shadow::{Kind, Shadow};
use super::store::Store;
use selvedge_base::Digest;

/// The accesses of a thread at one tick, to granules of one chunk that have no other entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) thread: usize,
    pub(super) tick: u32,
    /// The sum of the accesses' digests without thread and clocks.
    pub(super) digest: Digest,
}

/// The granules whose records are in one chunk of the store.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    /// The chunk's version when this was computed.
    version: Option<u64>,
    pub(super) sums: Vec<Sum>,
    /// The granules with several entries, and their records.
    pub(super) several: Vec<(u64, u32)>,
}

/// All chunks, and the work for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    chunks: Vec<Chunk>,
    /// How many granules and sums were looked at, in all calls.
    pub(super) looked_at: u64,
}

impl Sums {
    /// The chunks as they are now. `part`: the digest of an access to bytes of a granule without
    /// its thread and clocks; it must be the same function in each call.
    pub(super) fn update(
        &mut self,
        shadow: &Shadow,
        store: &Store,
        part: impl Fn(u64, u32, Kind, u32) -> Digest,
    ) -> &[Chunk] {
        self.chunks.resize_with(store.chunks(), Chunk::default);
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let version = Some(store.version(number));
            if chunk.version != version {
                chunk.version = version;
                let cells = shadow.cells(Store::chunk(number));
                self.looked_at += cells.len() as u64;
                chunk.fill(cells, shadow, store, &part);
            }
            self.looked_at += (chunk.sums.len() + chunk.several.len()) as u64;
        }
        &self.chunks
    }
}

impl Chunk {
    fn fill(
        &mut self,
        cells: &[(u64, u32)],
        shadow: &Shadow,
        store: &Store,
        part: impl Fn(u64, u32, Kind, u32) -> Digest,
    ) {
        self.sums.clear();
        self.several.clear();
        for &(granule, cell) in cells {
            let Some((entry, bytes)) = shadow.only_entry(store, cell as usize) else {
                self.several.push((granule, cell));
                continue;
            };
            if bytes == 0 {
                continue;
            }
            let digest = part(granule, bytes, entry.kind, entry.stmt);
            let same = |sum: &&mut Sum| sum.thread == entry.thread && sum.tick == entry.tick;
            // Most accesses that follow each other are of the same thread at the same tick.
            match self.sums.iter_mut().rev().find(same) {
                Some(sum) => sum.digest = sum.digest.with(digest),
                None => self.sums.push(Sum {
                    thread: entry.thread,
                    tick: entry.tick,
                    digest,
                }),
            }
        }
    }
}
