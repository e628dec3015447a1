//! Writes to bytes whose contents are kept beside memory: those of synchronisation objects.
//!
//! A write that the program makes there, by whichever means, is remembered until somebody
//! [takes](Memory::take_written) it. Which bytes are watched is only ever extended: it is a
//! superset and no part of a state.

use super::page::{CHUNK, PAGE};
use super::{Memory, Site};
use rustc_hash::FxHashSet;

/// Bytes that a program has written, with the statement.
pub(crate) type Written = (u64, u64, Site);

/// What is watched, and the writes there that nobody has taken yet.
#[derive(Default)]
pub(super) struct Watched {
    /// A bit for each page, by its number modulo 64.
    pages: u64,
    /// The first addresses of chunks with watched bytes.
    chunks: FxHashSet<u64>,
    written: Vec<Written>,
}

const fn bit(address: u64) -> u64 {
    1 << (address / PAGE as u64 % 64)
}

fn chunks(address: u64, size: u64) -> impl Iterator<Item = u64> {
    let first = address & !(CHUNK as u64 - 1);
    (first..address.saturating_add(size)).step_by(CHUNK)
}

impl Memory {
    /// Watches bytes from now on, also where they have been written in this step before.
    pub fn watch(&mut self, address: u64, size: u64) {
        for chunk in chunks(address, size) {
            self.watched.pages |= bit(chunk);
            self.watched.chunks.insert(chunk);
        }
        self.unknown(address, size);
    }

    /// Notes that the program writes bytes.
    #[inline(always)]
    pub fn note_written(&mut self, address: u64, size: u64, site: Site) {
        let is_small = size <= PAGE as u64;
        let pages = bit(address) | bit(address.wrapping_add(size.wrapping_sub(1)));
        if self.watched.pages != 0 && (!is_small || self.watched.pages & pages != 0) {
            self.note_written_slowly(address, size, site);
        }
    }

    #[cold]
    fn note_written_slowly(&mut self, address: u64, size: u64, site: Site) {
        let watched = &mut self.watched;
        let end = address.saturating_add(size);
        let meets = match size / CHUNK as u64 > watched.chunks.len() as u64 {
            true => watched
                .chunks
                .iter()
                .any(|&chunk| chunk < end && address < chunk + CHUNK as u64),
            false => chunks(address, size).any(|chunk| watched.chunks.contains(&chunk)),
        };
        if meets {
            watched.written.push((address, size, site));
        }
    }

    /// Whether there are writes for [`take_written`](Memory::take_written).
    #[inline(always)]
    pub fn has_written(&self) -> bool {
        !self.watched.written.is_empty()
    }

    /// The writes near watched bytes since the last call, in order.
    pub fn take_written(&mut self) -> Vec<Written> {
        std::mem::take(&mut self.watched.written)
    }
}
