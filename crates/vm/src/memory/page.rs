//! Pages: 4 KiB of contents with a definedness bit for each byte, and for each 64-byte chunk the
//! data that the undo log and the access record need.

use rustc_hash::FxHashMap;
use selvedge_expr::Expr;

/// Bytes of a page.
pub const PAGE: usize = 4096;
/// Bytes of a chunk: what one undo entry saves.
pub const CHUNK: usize = 64;

/// Bookkeeping of 64 bytes. Bit i of a mask stands for byte i.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// Bytes with at least one undefined bit, and symbolic bytes: those whose contents are not just
    /// the byte in `Page::data`.
    pub undefined: u64,
    /// Bytes that step `stamp` is known to read.
    pub read: u64,
    /// Bytes that step `stamp` is known to write.
    pub written: u64,
    /// The step that last accessed the chunk. The fields about a step are valid for this step only.
    pub stamp: u64,
    /// Whether the chunk was saved in the undo log in step `stamp`.
    pub saved: bool,
}

/// A page. Pages are shared between snapshots and copied when written.
#[derive(Clone, Debug)]
pub struct Page {
    /// The content; undefined bits are 0.
    pub data: [u8; PAGE],
    /// One record a chunk.
    pub chunks: [Chunk; PAGE / CHUNK],
    /// For bytes whose definedness bit is set and that are not completely undefined: the undefined
    /// bits (0xff also for poison), the cause if the byte belongs to a poison value, and its
    /// expression if it is symbolic.
    pub partial: Option<Box<FxHashMap<u16, Partial>>>,
}

/// A byte that is not simply undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partial {
    /// Its undefined bits.
    pub mask: u8,
    /// The raw tag of the poison value that it belongs to, else 0.
    pub poison: u32,
    /// Its value, if that is an expression.
    pub expr: Option<Expr>,
    /// The object from which the symbolic address was computed that contains this byte; otherwise
    /// 0.
    pub home: u64,
}

/// A byte with all that is known of it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Byte {
    pub data: u8,
    /// Not simply defined.
    pub undefined: bool,
    pub partial: Option<Partial>,
}

impl Chunk {
    /// Clears the data of an older step.
    #[inline(always)]
    pub fn enter(&mut self, step: u64) {
        if self.stamp != step {
            (self.stamp, self.read, self.written, self.saved) = (step, 0, 0, false);
        }
    }
}

impl Page {
    /// `size` ≤ 8 bytes at an offset, little-endian; they lie within the page.
    #[inline(always)]
    pub fn bits(&self, offset: usize, size: u64) -> u64 {
        let mut bytes = [0; 8];
        match size {
            8 => bytes.copy_from_slice(&self.data[offset..offset + 8]),
            4 => bytes[..4].copy_from_slice(&self.data[offset..offset + 4]),
            2 => bytes[..2].copy_from_slice(&self.data[offset..offset + 2]),
            1 => bytes[0] = self.data[offset],
            _ => bytes[..size as usize].copy_from_slice(&self.data[offset..offset + size as usize]),
        }
        u64::from_le_bytes(bytes)
    }

    /// Sets `size` ≤ 8 bytes at an offset.
    #[inline(always)]
    pub fn set_bits(&mut self, offset: usize, size: u64, bits: u64) {
        let bytes = bits.to_le_bytes();
        match size {
            8 => self.data[offset..offset + 8].copy_from_slice(&bytes),
            4 => self.data[offset..offset + 4].copy_from_slice(&bytes[..4]),
            2 => self.data[offset..offset + 2].copy_from_slice(&bytes[..2]),
            1 => self.data[offset] = bytes[0],
            _ => self.data[offset..offset + size as usize].copy_from_slice(&bytes[..size as usize]),
        }
    }

    /// The undefined bytes and the data of the chunk at an address.
    pub fn chunk(&self, address: u64) -> (u64, &[u8; CHUNK]) {
        let index = address as usize % PAGE / CHUNK;
        (self.chunks[index].undefined, &self.data.as_chunks().0[index])
    }

    /// A page of undefined bytes.
    pub fn undefined() -> Page {
        let chunk = Chunk {
            undefined: u64::MAX,
            read: 0,
            written: 0,
            stamp: 0,
            saved: false,
        };
        Page {
            data: [0; PAGE],
            chunks: [chunk; PAGE / CHUNK],
            partial: None,
        }
    }

    /// A page of zeros.
    pub fn zeroed() -> Page {
        let chunk = Chunk {
            undefined: 0,
            read: 0,
            written: 0,
            stamp: 0,
            saved: false,
        };
        Page {
            data: [0; PAGE],
            chunks: [chunk; PAGE / CHUNK],
            partial: None,
        }
    }
}
