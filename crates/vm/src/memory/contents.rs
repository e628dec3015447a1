//! The bytes of all live objects, as values that can be compared and generalised.

use super::fragments::{UNDEFINED, content, fresh};
use super::page::PAGE;
use super::{Life, Memory, Object};
use crate::fingerprint::mixed;
use crate::value::Value;
use selvedge_expr::Expr;

/// What a byte or a register contains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Content {
    /// A defined number that belongs to no address.
    Number(Expr),
    /// Anything else, as a hash.
    Other(u128),
}

impl Memory {
    /// Calls `f` with each byte of a live object whose contents differ from those of a new one, by
    /// address.
    pub(crate) fn each_content(&self, f: &mut dyn FnMut(u64, Content)) {
        for (base, object) in self.live_objects() {
            let (mut at, end) = (base, base + object.size);
            while at < end {
                let stop = ((at & !(PAGE as u64 - 1)) + PAGE as u64).min(end);
                if self.page(at).is_some() {
                    for address in at..stop {
                        let byte = self.byte(address);
                        let raw = content(&self.tags, byte.data, byte.undefined, byte.partial);
                        if raw == fresh(object) {
                            continue;
                        }
                        let symbol = byte
                            .partial
                            .filter(|p| p.mask == 0 && p.poison == 0 && p.home == 0);
                        let number = match byte.undefined {
                            false => Some(self.tags.arena.constant(8, u128::from(byte.data))),
                            true => symbol.and_then(|symbol| symbol.expr),
                        };
                        f(address, number.map_or(Content::Other(raw), Content::Number));
                    }
                }
                at = stop;
            }
        }
    }

    /// The contents of a byte that [`each_content`](Self::each_content) leaves out.
    pub(crate) fn fresh_content(&self, address: u64) -> Content {
        match self.live_at(address) {
            Some((_, object)) if object.zeroed => Content::Number(self.tags.arena.constant(8, 0)),
            _ => Content::Other(UNDEFINED),
        }
    }

    /// What a register with this value contains.
    pub(crate) fn content_of(&self, value: Value) -> Content {
        if value.is_concrete() {
            return Content::Number(self.tags.arena.constant(64, u128::from(value.bits)));
        }
        match self.tags.symbol(value.tag) {
            Some(symbol) if symbol.undefined == 0 && symbol.home == 0 => {
                Content::Number(self.tags.fit(symbol.expr, 64))
            }
            Some(symbol) => {
                let [low, high] = self.tags.arena.hash(symbol.expr).words();
                Content::Other(mixed(&[symbol.undefined, symbol.home, low, high]))
            }
            None => {
                let home = self.tags.home(value.tag).unwrap_or(0);
                let undefined = self.tags.undefined_bits(value.tag);
                Content::Other(mixed(&[value.bits, value.tag.cause(), home, undefined]))
            }
        }
    }

    /// The live object that contains an address.
    pub(crate) fn live_at(&self, address: u64) -> Option<(u64, Object)> {
        self.object_at(address)
            .filter(|(base, object)| object.life == Life::Live && address < base + object.size)
    }
}
