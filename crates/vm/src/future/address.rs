//! Abstract memory and addresses: loads and stores, and where computed addresses may lie.

use super::options::Elements;
use super::remembered::{Look, Looks};
use super::run::Run;
use super::touch::Touch;
use super::value::{Abstract, Span, gcd};
use super::weaken::Weaken;
use crate::memory::{Life, Object};
use crate::value::mask;
use crate::vm::Vm;
use std::cell::RefCell;

/// The maximum number of places of which each value is looked up.
const MOST_VALUES: u64 = 64;

/// The object at an address. Notes that it was looked at.
fn object_at(vm: &Vm, looks: &RefCell<Looks>, address: u64) -> Option<(u64, Object)> {
    let object = vm.state.memory.object_at(address);
    let base = object.map_or(address, |(base, _)| base);
    looks.borrow_mut().note(Look::Object(base));
    object
}

impl Run<'_> {
    /// The object at an address.
    pub(super) fn object_at(&self, address: u64) -> Option<(u64, Object)> {
        object_at(self.vm, &self.looks, address)
    }

    /// The first address behind the live object at an address.
    pub(super) fn end_of(&self, address: u64) -> Option<u64> {
        self.object_of(Span::one(address)).map(|(base, size)| base + size)
    }

    /// The object that contains all of these addresses, or of which they are the end: its beginning
    /// and its size.
    pub(super) fn object_of(&self, span: Span) -> Option<(u64, u64)> {
        let (base, object) = self.object_at(span.lo)?;
        (object.life == Life::Live && span.hi <= base + object.size).then_some((base, object.size))
    }

    /// Reads `size` bytes at each of the addresses. Returns their possible values, as a number.
    pub(super) fn load(&mut self, at: Abstract, size: u64) -> Abstract {
        let span = match at {
            Abstract::New { .. } => return Abstract::Any,
            Abstract::Either(span) => {
                self.load(Abstract::Number(span), size);
                return Abstract::Any;
            }
            Abstract::Any => {
                self.shared.read_anything();
                return Abstract::Any;
            }
            Abstract::Number(span) => span,
        };
        if self.weaken.is(Weaken::Read) {
            return Abstract::Any;
        }
        self.shared.touch(Touch {
            at: span,
            size,
            write: false,
            sync: false,
            barrier: false,
        });
        if span.steps() >= MOST_VALUES || size > 8 {
            return Abstract::Any;
        }
        let mut value = self.stored(span, size);
        if self.weaken.is(Weaken::Store) {
            value = None;
        }
        let memory = &self.vm.state.memory;
        let mut looked = false;
        for n in 0..=span.steps() {
            let at = span.lo + n * span.stride;
            let own = self.own.get(at, size);
            looked |= own.is_none();
            let now = own.or_else(|| {
                // Bytes that cannot be read are a fault.
                memory.check(at, size, false).ok()?;
                let now = memory.peek_checked(at, size);
                Some(match now.is_concrete() {
                    true => Abstract::one(now.bits),
                    false => Abstract::Any,
                })
            });
            if let Some(now) = now {
                value = Some(value.map_or(now, |value| value.join(now)));
            }
        }
        if looked {
            self.looks.borrow_mut().note(Look::Bytes(span, size));
        }
        value.unwrap_or(Abstract::Any)
    }

    /// Records that `size` bytes may be written at each of the addresses.
    pub(super) fn writes(&mut self, at: Abstract, size: u64, value: Abstract) {
        let (at, surely) = match at {
            Abstract::New { .. } => return,
            Abstract::Any => return self.everything(),
            Abstract::Either(_) if self.weaken.is(Weaken::Either) => return,
            Abstract::Number(at) => (at, true),
            Abstract::Either(at) => (at, self.weaken.is(Weaken::Surely)),
        };
        if self.straight {
            match at.as_one() {
                Some(at) if surely => self.own.set(at, size, value),
                _ => self.straight = false,
            }
        }
        self.stores(at, size, value);
    }

    /// Records a store for other threads, and for this one unless it is on its only path.
    pub(super) fn stores(&mut self, at: Span, size: u64, value: Abstract) {
        self.shared.touch(Touch {
            at,
            size,
            write: true,
            sync: false,
            barrier: false,
        });
        let (vm, looks) = (self.vm, &self.looks);
        let end = |at| {
            let (base, object) = object_at(vm, looks, at)?;
            Some(base + object.size)
        };
        self.shared.store(self.origin(), (at, size), value, end);
    }

    /// Records that the acting thread's error number may be written.
    pub(super) fn touch_errno(&mut self) {
        if let Some(who) = self.who {
            let errno = self.vm.state.thread(who).core.errno;
            if errno != 0 {
                self.writes(Abstract::one(errno), 4, Abstract::Any);
            }
        }
    }

    /// A scaled index.
    pub(super) fn scaled(&self, index: Abstract, bits: u8, scale: u64) -> Abstract {
        if self.elements == Elements::Together {
            return Abstract::Any;
        }
        let Abstract::Number(index) = index.sext(bits, 64) else {
            return Abstract::Any;
        };
        // Negative numbers are large unsigned ones: both ends must be on one side of zero,
        // otherwise nothing is known.
        match index {
            index if index.out => Abstract::Any,
            index if index.lo > mask(63) => {
                let less = Span::new(index.hi.wrapping_neg(), index.lo.wrapping_neg(), index.stride);
                match Abstract::Number(less).mul(Abstract::one(scale), 64) {
                    Abstract::Number(less) if less.lo <= mask(63) && less.hi <= mask(63) && less.lo > 0 => {
                        Abstract::Number(Span::new(
                            less.hi.wrapping_neg(),
                            less.lo.wrapping_neg(),
                            less.stride,
                        ))
                    }
                    _ => Abstract::Any,
                }
            }
            index => Abstract::Number(index).mul(Abstract::one(scale), 64),
        }
    }

    /// An address after an offset. If the computation is `inbounds`, an address that leaves its
    /// object cannot be used.
    pub(super) fn moved(&self, base: Abstract, by: Abstract, inbounds: bool) -> Abstract {
        match (base, by) {
            (Abstract::New { moved }, by) if inbounds => {
                let forward = by.number().is_some_and(|by| by.hi <= mask(32));
                Abstract::New {
                    moved: (moved || !forward) && !self.weaken.is(Weaken::Moved),
                }
            }
            (Abstract::Either(base), Abstract::Number(by)) if inbounds && by.is_small() => {
                match self.moved(Abstract::Number(base), Abstract::Number(by), inbounds) {
                    Abstract::Number(moved) => Abstract::Either(moved),
                    _ => Abstract::Any,
                }
            }
            (Abstract::Number(base), Abstract::Number(by)) if base.out && inbounds => {
                // It may also have returned from outside.
                let (base, by) = (Span { out: false, ..base }, Span { out: false, ..by });
                match Abstract::Number(base).add(Abstract::Number(by), 64) {
                    Abstract::Number(sum) => self.within(base, sum.lo, sum.stride),
                    _ => Abstract::Any,
                }
            }
            (Abstract::Number(base), Abstract::Number(_)) if !base.out => {
                let sum = Abstract::Number(base).add(by, 64);
                let (Abstract::Number(sum), true) = (sum, inbounds) else {
                    return sum;
                };
                match self.object_of(base) {
                    Some((start, size)) if sum.lo < start || start + size < sum.hi => {
                        match sum.between(start, start + size) {
                            Some(inside) => Abstract::Number(Span { out: true, ..inside }),
                            None => self.within(base, sum.lo, sum.stride),
                        }
                    }
                    _ => Abstract::Number(sum),
                }
            }
            _ => Abstract::Any,
        }
    }

    /// An address after any number of steps of `scale` bytes and an offset. `bits`: the width of
    /// the number of steps.
    pub(super) fn somewhere(
        &self,
        base: Abstract,
        (scale, bits): (u64, u8),
        offset: u64,
        inbounds: bool,
    ) -> Abstract {
        if self.weaken.is(Weaken::Index) {
            return base;
        }
        match base {
            Abstract::New { .. } if inbounds => Abstract::New {
                moved: !self.weaken.is(Weaken::Moved),
            },
            Abstract::Number(base) if inbounds => {
                let stride = gcd(base.stride, (scale as i64).unsigned_abs());
                self.within(base, base.lo.wrapping_add(offset), stride)
            }
            // The offset is small, so that what is computed from null is no address.
            Abstract::Either(span)
                if inbounds && bits <= 32 && scale <= 128 && Span::one(offset).is_small() =>
            {
                if span == Span::one(0) {
                    return base;
                }
                match self.somewhere(Abstract::Number(span), (scale, bits), offset, inbounds) {
                    Abstract::Number(moved) => Abstract::Either(moved),
                    _ => Abstract::Any,
                }
            }
            _ => Abstract::Any,
        }
    }

    /// All addresses of the object of `base` that equal `like` modulo the stride. If `base` may lie
    /// in several objects: all addresses from the first of them to the last one.
    fn within(&self, base: Span, like: u64, stride: u64) -> Abstract {
        let base = match self.weaken.is(Weaken::Objects) {
            true => Span::one(base.lo),
            false => base,
        };
        let Some((start, size)) = self.object_of(base) else {
            let (Some((first, _)), Some((last, object))) = (self.object_at(base.lo), self.object_at(base.hi))
            else {
                return Abstract::Any;
            };
            return Abstract::Number(Span {
                out: true,
                ..Span::new(first, last + object.size, 1)
            });
        };
        let stride = stride.max(1);
        // A stride that does not divide 2^64 gives no information across the end of the number
        // range. The object is far from it.
        let behind = (i128::from(like) - i128::from(start)).rem_euclid(i128::from(stride)) as u64;
        if behind > size {
            // Nowhere in the object.
            return Abstract::Number(Span {
                out: true,
                ..Span::one(start + size)
            });
        }
        Abstract::Number(Span {
            out: true,
            ..Span::new(start + behind, start + size, stride)
        })
    }
}
