//! Random choices, made from a string of bytes.

use selvedge_base::{FileId, IdVec, Span};

/// Random choices; all zero when the bytes are used up.
pub(super) struct Source<'b> {
    pub(super) bytes: &'b [u8],
}

impl Source<'_> {
    pub(super) fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                byte
            }
            None => 0,
        }
    }

    pub(super) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub(super) fn below(&mut self, bound: u32) -> u32 {
        u32::from(self.byte()) % bound
    }

    pub(super) fn word(&mut self) -> u64 {
        // Small and extreme numbers are as likely as any.
        match self.below(4) {
            0 => u64::from(self.byte()),
            1 => u64::MAX - u64::from(self.byte()),
            2 => (1 << 63) ^ u64::from(self.byte()),
            _ => (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte())),
        }
    }

    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.byte() as usize % items.len()]
    }

    pub(super) fn align(&mut self) -> u32 {
        1 << self.below(32)
    }

    pub(super) fn text(&mut self) -> String {
        let chars = [
            'a', 'Z', '_', '9', '"', '\\', '\n', '\0', '\u{7f}', 'é', '→', '🦀', ';', '{', ' ', '\u{85}',
        ];
        (0..self.below(6)).map(|_| self.pick(&chars)).collect()
    }

    pub(super) fn span(&mut self, files: &IdVec<FileId, String>) -> Span {
        let column = self.word() as u32;
        if files.is_empty() || self.flag() {
            let file = FileId(self.below(2));
            return Span {
                file,
                line: 0,
                column,
            };
        }
        Span {
            file: FileId(self.below(files.len() as u32)),
            line: self.word() as u32,
            column,
        }
    }
}
