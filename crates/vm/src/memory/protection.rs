//! Pages of a mapping that may not be accessed, or only be read.
//!
//! The record of an object has the number of a list of such pages. Lists are only added, and equal
//! lists have equal numbers, so the record alone is saved, restored and undone. The translation
//! caches hold parts of pages, and a mapping begins with a page: a cached part is never partly
//! protected, and a change of the record drops it.

use super::page::PAGE;
use super::{Life, Memory, MemoryError, Object, Refused};
use crate::fingerprint::FragmentKind;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// Consecutive pages of an object, counted from its first one, with what is refused.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Run {
    pages: Range<u64>,
    refused: Refused,
}

impl Run {
    /// The bytes, counted from the first one of the object.
    const fn bytes(&self) -> Range<u64> {
        self.pages.start * PAGE as u64..self.pages.end * PAGE as u64
    }
}

/// All lists of protected pages.
#[derive(Default)]
pub(super) struct Protections {
    /// The list with number `n` is at `n - 1`; number 0 is the list without pages.
    lists: Vec<Rc<[Run]>>,
    numbers: FxHashMap<Rc<[Run]>, u32>,
}

impl Protections {
    fn runs(&self, number: u32) -> &[Run] {
        match number {
            0 => &[],
            number => &self.lists[number as usize - 1],
        }
    }

    fn number(&mut self, runs: Vec<Run>) -> u32 {
        if runs.is_empty() {
            return 0;
        }
        let runs: Rc<[Run]> = runs.into();
        *self.numbers.entry(runs.clone()).or_insert_with(|| {
            self.lists.push(runs);
            self.lists.len() as u32
        })
    }
}

/// Adds pages to a list whose pages come before them.
fn push(runs: &mut Vec<Run>, pages: Range<u64>, refused: Option<Refused>) {
    let Some(refused) = refused.filter(|_| !pages.is_empty()) else {
        return;
    };
    match runs.last_mut() {
        Some(last) if last.pages.end == pages.start && last.refused == refused => last.pages.end = pages.end,
        _ => runs.push(Run { pages, refused }),
    }
}

impl Memory {
    /// Sets what is refused in pages of a live mapping, which are counted from its first one.
    pub fn protect(&mut self, base: u64, pages: Range<u64>, refused: Option<Refused>) {
        let Some((base, object)) = self.object_at(base).filter(|_| !pages.is_empty()) else {
            return;
        };
        let before = self.protections.runs(object.protection);
        let mut after = Vec::with_capacity(before.len() + 2);
        for run in before {
            let end = run.pages.end.min(pages.start);
            push(&mut after, run.pages.start..end, Some(run.refused));
        }
        push(&mut after, pages.clone(), refused);
        for run in before {
            let start = run.pages.start.max(pages.end);
            push(&mut after, start..run.pages.end, Some(run.refused));
        }
        let protection = self.protections.number(after);
        if protection != object.protection {
            self.set_object(base, Object { protection, ..object });
        }
    }

    /// Those of some pages of an object in which something else is refused, in order. The pages are
    /// counted from the first one of the object.
    pub fn protected_otherwise(
        &self,
        object: &Object,
        pages: Range<u64>,
        refused: Option<Refused>,
    ) -> Vec<Range<u64>> {
        let mut others: Vec<Range<u64>> = Vec::new();
        let mut add = |part: Range<u64>, now: Option<Refused>| {
            if part.is_empty() || now == refused {
                return;
            }
            match others.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => others.push(part),
            }
        };
        let mut at = pages.start;
        for run in self.protections.runs(object.protection) {
            let (start, end) = (run.pages.start.max(at), run.pages.end.min(pages.end));
            if start < end {
                add(at..start, None);
                add(start..end, Some(run.refused));
                at = end;
            }
        }
        add(at..pages.end, None);
        others
    }

    /// What refuses an access to bytes of an object, if anything does.
    #[cold]
    pub(super) fn refused(&self, object: &Object, offset: u64, size: u64, write: bool) -> Option<Refused> {
        let end = offset.saturating_add(size.max(1));
        let mut runs = self.protections.runs(object.protection).iter();
        runs.find(|run| {
            let bytes = run.bytes();
            bytes.start < end && offset < bytes.end && (write || run.refused == Refused::All)
        })
        .map(|run| run.refused)
    }

    /// The number of bytes that may be read from an address on, up to the end of its object.
    pub fn readable(&self, address: u64) -> Result<u64, MemoryError> {
        let (base, object) = self.check(address, 1, false)?;
        let offset = address - base;
        let runs = self.protections.runs(object.protection).iter();
        let mut refused = runs.filter(|run| run.refused == Refused::All);
        let end = refused.find(|run| run.bytes().start > offset);
        Ok(end.map_or(object.size, |run| run.bytes().start) - offset)
    }

    /// Fills whole pages of a mapping with zeros, without recording. Pages that were never written
    /// are zeros.
    pub fn clear_pages(&mut self, address: u64, size: u64) {
        for at in (address..address + size).step_by(PAGE) {
            if self.page(at).is_some() {
                self.fill(at, PAGE as u64, Value::new(0));
            }
        }
    }

    /// The same where each byte may be what it was as well as 0, without recording: a byte that is
    /// not 0 has no value any more.
    pub fn forget_pages(&mut self, address: u64, size: u64) {
        for page in (address..address + size).step_by(PAGE) {
            if self.page(page).is_none() {
                continue;
            }
            for at in page..page + PAGE as u64 {
                let byte = self.byte(at);
                if byte.undefined || byte.data != 0 {
                    self.fill(at, 1, Value::UNDEF);
                }
            }
        }
    }

    /// Calls `f` with the fragments of an object's protected pages.
    pub(super) fn each_protection(
        &self,
        base: u64,
        object: &Object,
        f: &mut dyn FnMut(FragmentKind, &[u64]),
    ) {
        if object.protection == 0 || object.life != Life::Live {
            return;
        }
        for run in self.protections.runs(object.protection) {
            let Range { start, end } = run.pages;
            f(
                FragmentKind::Protection,
                &[base, start << 1 | run.refused as u64, end],
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Kind, Maker, Site};

    const PAGES: u64 = 12;

    fn memory() -> (Memory, u64) {
        let mut memory = Memory::default();
        let object = Object {
            size: PAGES * PAGE as u64,
            kind: Kind::Heap,
            life: Life::Live,
            zeroed: true,
            by: Maker::Anonymous,
            protection: 0,
            name: 0,
            made: Site::default(),
            ended: Site::default(),
            reborn: false,
        };
        let base = memory.allocate(1, object, PAGE as u64).unwrap_or_default();
        (memory, base)
    }

    fn object(memory: &Memory, base: u64) -> Object {
        memory
            .object_at(base)
            .map_or_else(|| unreachable!("it was made"), |it| it.1)
    }

    /// Lists agree with a table of pages, and undoing a change restores it.
    #[test]
    fn pages_are_protected_as_a_table_says() {
        let mut random = fastrand::Rng::with_seed(11);
        let (mut memory, base) = memory();
        let mut table = [None; PAGES as usize];
        for _ in 0..500 {
            let first = random.u64(..PAGES);
            let pages = first..random.u64(first..=PAGES);
            let refused = [None, Some(Refused::All), Some(Refused::Writes)][random.usize(..3)];
            let others = memory.protected_otherwise(&object(&memory, base), pages.clone(), refused);
            let listed: Vec<u64> = others.into_iter().flatten().collect();
            let expected = pages.clone().filter(|&page| table[page as usize] != refused);
            assert_eq!(listed, expected.collect::<Vec<u64>>());
            let (mark, before) = (memory.mark(), table);
            memory.protect(base, pages.clone(), refused);
            pages.for_each(|page| table[page as usize] = refused);
            if random.u8(..3) == 0 {
                memory.undo(mark);
                table = before;
            }
            for at in 0..PAGES * 2 {
                let offset = at * PAGE as u64 / 2 + random.u64(..PAGE as u64 / 2);
                let size = random.u64(1..=(2 * PAGE as u64).min(PAGES * PAGE as u64 - offset));
                let (first, last) = (offset / PAGE as u64, (offset + size - 1) / PAGE as u64);
                let touched = &table[first as usize..=last as usize];
                for write in [false, true] {
                    let may = touched
                        .iter()
                        .all(|page| *page != Some(Refused::All) && !(write && page.is_some()));
                    assert_eq!(memory.check(base + offset, size, write).is_ok(), may);
                }
                let readable = (offset / PAGE as u64..PAGES)
                    .take_while(|&page| table[page as usize] != Some(Refused::All))
                    .count() as u64;
                let end = (offset / PAGE as u64 + readable) * PAGE as u64;
                let found = memory.readable(base + offset).unwrap_or(0);
                assert_eq!(found, end.saturating_sub(offset));
            }
        }
    }

    #[test]
    fn equal_lists_have_one_number() {
        let (mut memory, base) = memory();
        memory.protect(base, 0..12, Some(Refused::All));
        let whole = object(&memory, base).protection;
        memory.protect(base, 3..5, None);
        assert_ne!(object(&memory, base).protection, whole);
        memory.protect(base, 2..6, Some(Refused::All));
        assert_eq!(object(&memory, base).protection, whole);
        memory.protect(base, 0..12, None);
        assert_eq!(object(&memory, base).protection, 0);
    }
}
