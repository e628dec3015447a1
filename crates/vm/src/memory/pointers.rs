//! Pointers in memory: which words of an object may be addresses of others.

use super::address::{CLASSES, MIN_SHIFT};
use super::page::{PAGE, Partial};
use super::{Life, Memory, Object, Parts};
use crate::value::Value;
use selvedge_expr::Expr;

/// A part of memory that may be an address, or part of one.
pub(crate) enum Word {
    /// Eight bytes, at any alignment, that have the form of an address.
    Value(Value),
    /// A byte that is an expression. If it belongs to an address, also the object from which the
    /// address was computed; otherwise 0.
    Byte(Expr, u64),
}

impl Memory {
    /// All live objects with their first addresses, in ascending order.
    pub(crate) fn live_objects(&self) -> impl Iterator<Item = (u64, &Object)> {
        let owners = 0..self.owners.len() as u32;
        let arenas = owners.flat_map(|owner| (0..CLASSES as u32).map(move |class| (owner, class)));
        arenas.flat_map(move |(owner, class)| {
            let first = Parts {
                owner,
                class,
                offset: 0,
            };
            let slots = 0..self.next_slot(first);
            slots.filter_map(move |slot| {
                let offset = slot << (MIN_SHIFT + class);
                let base = Parts { offset, ..first }.address();
                self.find(base).filter(|(_, object)| object.life == Life::Live)
            })
        })
    }

    /// Calls `f` with everything in an object that may be an address. The two highest bytes of an
    /// address are zero, and the third highest begins with the bits 01.
    pub(crate) fn each_word(&self, base: u64, object: &Object, f: &mut impl FnMut(Word)) {
        const TOP: u64 = 5;
        let end = base + object.size;
        let mut at = base;
        while at < end {
            let first = at & !(PAGE as u64 - 1);
            let stop = (first + PAGE as u64).min(end);
            if let Some(page) = self.page(at) {
                let bytes = &page.data[(at - first) as usize..(stop - first) as usize];
                for (i, _) in bytes.iter().enumerate().filter(|(_, byte)| *byte >> 6 == 1) {
                    let top = at + i as u64;
                    if top >= base + TOP && top - TOP + 8 <= end {
                        let word = self.peek_checked(top - TOP, 8);
                        if !word.is_concrete() || word.bits >> 46 == 1 {
                            f(Word::Value(word));
                        }
                    }
                }
                let partial = page.partial.iter().flat_map(|partial| partial.iter());
                let mut open: Vec<(u64, &Partial)> =
                    partial.map(|(&o, p)| (first + u64::from(o), p)).collect();
                open.retain(|&(address, _)| (at..stop).contains(&address));
                open.sort_unstable_by_key(|&(address, _)| address);
                for (_, partial) in open {
                    let Some(expr) = partial.expr else { continue };
                    f(Word::Byte(expr, partial.home));
                }
            }
            at = stop;
        }
    }
}
