//! Bytes that were never written, where they are inputs (`Options::unwritten_inputs`).
//!
//! Such a byte has some value from the beginning of its object's life until it is written. The
//! memory tells these bytes from bytes to which an undefined value was written, and gives them
//! names. A name is the byte's address, so two threads that read the byte get the same input,
//! whichever reads first, and nothing has to be written when it is read. This is right for the
//! first object of a slot only. Later ones are [`reborn`](super::Object::reborn), and their bytes
//! have no names. A slot of a private stack object is reused at once; its bytes have no names
//! either.

use super::page::{Byte, Partial};
use super::{Kind, Life, Memory, Parts};
use crate::value::Value;
use selvedge_expr::{Expr, InputKey};

/// The first thread in names of inputs that are bytes of memory. Regions of threads are smaller.
const BYTES: u32 = 1 << 30;

/// In the place of [`Partial::home`]: an undefined value was written to the byte.
pub(super) const WRITTEN: u64 = 1;

/// What a byte becomes if an undefined value is written to it.
pub(super) const WRITTEN_UNDEFINED: Partial = Partial {
    mask: 0xff,
    poison: 0,
    expr: None,
    home: WRITTEN,
};

/// The name of the input that the byte at an address is.
fn name(parts: Parts) -> InputKey {
    InputKey {
        thread: BYTES | parts.owner,
        ordinal: parts.offset,
        // Behind it the width, as in other names of inputs.
        byte: parts.class | 8 << 24,
    }
}

/// The address of the byte that an input is, if it is one.
pub(crate) fn address_of(key: InputKey) -> Option<u64> {
    (BYTES..2 * BYTES).contains(&key.thread).then(|| {
        let parts = Parts {
            owner: key.thread - BYTES,
            class: key.byte & 0xff_ffff,
            offset: key.ordinal,
        };
        parts.address()
    })
}

impl Memory {
    /// Whether the byte at an address was not written since its object's life began.
    pub(crate) fn is_unwritten(&self, at: u64) -> bool {
        let byte = self.byte(at);
        byte.undefined && byte.partial.is_none()
    }

    /// The name of the byte at an address, if it has one and was not written.
    pub(crate) fn name_of(&self, at: u64) -> Option<InputKey> {
        let (base, object) = self.object_at(at)?;
        let has_name = object.life == Life::Live
            && object.kind != Kind::PrivateStack
            && !object.reborn
            && at - base < object.size;
        (has_name && self.is_unwritten(at)).then(|| Parts::of(at).map(name))?
    }

    /// The value of at most 8 bytes of one object, in which each byte that was not written is what
    /// `named` says. `None` if other bits are undefined, too, or if a byte is part of an address.
    pub(crate) fn with_unwritten(
        &self,
        address: u64,
        size: u64,
        named: &dyn Fn(InputKey) -> Expr,
    ) -> Option<Value> {
        let arena = &self.tags.arena;
        let mut whole: Option<Expr> = None;
        for at in address..address + size {
            let byte = match self.byte(at) {
                Byte {
                    data,
                    undefined: false,
                    ..
                } => arena.constant(8, u128::from(data)),
                Byte { partial: None, .. } => named(self.name_of(at)?),
                Byte {
                    partial: Some(partial),
                    ..
                } => partial.expr.filter(|_| partial.mask == 0 && partial.home == 0)?,
            };
            whole = Some(whole.map_or(byte, |low| arena.concat(byte, low)));
        }
        Some(self.tags.of(whole?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Maker, Object, Site};

    fn object(size: u64, kind: Kind, life: Life) -> Object {
        Object {
            size,
            kind,
            life,
            zeroed: false,
            by: Maker::Other,
            protection: 0,
            name: 0,
            made: Site::default(),
            ended: Site::default(),
            reborn: false,
        }
    }

    /// A memory in which unwritten bytes are inputs, with an object.
    fn memory(object: Object) -> (Memory, u64) {
        let mut memory = Memory::default();
        memory.set_unwritten_inputs(true);
        let base = memory.allocate(1, object, 8).unwrap_or_default();
        (memory, base)
    }

    #[test]
    fn a_name_is_the_address() {
        for size in [24, 9_000] {
            let (memory, base) = memory(object(size, Kind::Heap, Life::Live));
            for at in [base, base + size - 1] {
                assert_eq!(memory.name_of(at).and_then(address_of), Some(at));
            }
            assert_eq!(memory.name_of(base + size), None);
        }
    }

    /// Whatever is written to a byte, it is no longer what it was; also if what is written is
    /// undefined, or a byte of another object that was never written.
    #[test]
    fn what_is_written_has_no_name() {
        type Write<'a> = &'a dyn Fn(&mut Memory, u64);
        let writes: [Write<'_>; 5] = [
            &|memory, at| memory.poke_checked(at, 1, Value::new(3)),
            &|memory, at| memory.poke_checked(at, 1, Value::UNDEF),
            &|memory, at| memory.poke_checked(at, 1, memory.tags.value(0, 0xff)),
            &|memory, at| memory.fill(at, 1, Value::UNDEF),
            &|memory, at| memory.copy(at, at + 8, 1),
        ];
        for (number, write) in writes.into_iter().enumerate() {
            let (mut memory, base) = memory(object(24, Kind::Heap, Life::Live));
            let mark = memory.mark();
            write(&mut memory, base + 3);
            assert_eq!(memory.name_of(base + 3), None, "write {number}");
            assert!(memory.name_of(base + 2).is_some() && memory.name_of(base + 4).is_some());
            memory.undo(mark);
            assert!(memory.name_of(base + 3).is_some(), "write {number}");
        }
    }

    #[test]
    fn only_the_first_life_in_a_slot_has_names() {
        for size in [24, 9_000] {
            let (mut memory, base) = memory(object(size, Kind::Stack, Life::Unborn));
            assert_eq!(memory.name_of(base), None);
            memory.begin_life(base, Site::default());
            assert!(memory.name_of(base).is_some());
            memory.poke_checked(base, 1, Value::new(3));
            memory.end_life(base, Site::default());
            memory.begin_life(base, Site::default());
            assert!(memory.is_unwritten(base) && memory.name_of(base).is_none());
            memory.end_object(base, Life::Returned, Site::default());
            memory.reuse(base, object(size, Kind::Stack, Life::Unborn));
            memory.begin_life(base, Site::default());
            assert!(memory.is_unwritten(base) && memory.name_of(base).is_none());
        }
    }
}
