//! Memory that was never written, as inputs (`Options::unwritten_inputs`).
//!
//! Each byte of an object has some value from the beginning of the object's life until it is
//! written, and nobody knows which. It becomes an input when the program loads or copies it.
//!
//! - In an object that other threads may reach, the input's name is the byte's address
//!   (`memory/unwritten.rs`), and a load writes nothing. So loads of two threads stay independent.
//!   What loads find again and again has to count in states: `fingerprint/inputs.rs` takes the
//!   inputs of bytes that may still be loaded for live ones.
//! - A private stack object is used by its thread only. Its bytes become inputs of that thread, in
//!   memory.
//! - A local with an address that other threads may reach, whose scope begins again, becomes
//!   inputs of its thread at once, if it is small.
//!
//! Undefined all the same stay: undefined values that the program computes and stores, larger
//! objects in reused memory, and long copies. Using them is a fault, as it is without the option.

use super::path::Asked;
use super::source::Source;
use crate::memory::{Kind, Site, address_of};
use crate::program::Program;
use crate::state::State;
use crate::value::Value;
use selvedge_base::ThreadId;
use selvedge_expr::InputKey;
use selvedge_model::{Input, InputKind};

/// What requests the inputs that are bytes of memory which threads share.
pub(crate) const MEMORY: &str = "memory";

/// The longest local that becomes inputs when its scope begins again.
const SMALL: u64 = 64;

/// The greatest number of bytes that a copy makes inputs.
const COPIED: u64 = 4096;

impl State {
    /// A value that was loaded from `size` ≤ 8 bytes of an object, with inputs in the place of
    /// bytes that were never written.
    #[inline]
    pub(crate) fn with_inputs(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (address, size): (u64, u64),
        loaded: Value,
    ) -> Value {
        match loaded.is_concrete() || !program.options.unwritten_inputs {
            true => loaded,
            false => self.loaded_anew(program, (thread, site), (address, size), loaded),
        }
    }

    /// The same for objects that threads share. For what may stop before its end and be executed
    /// again: this changes nothing in memory.
    #[inline]
    pub(crate) fn with_shared_inputs(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (address, size): (u64, u64),
        loaded: Value,
    ) -> Value {
        match loaded.is_concrete() || !program.options.unwritten_inputs {
            true => loaded,
            false => self
                .shared_inputs(program, (thread, site), (address, size))
                .unwrap_or(loaded),
        }
    }

    #[cold]
    fn loaded_anew(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (address, size): (u64, u64),
        loaded: Value,
    ) -> Value {
        match self.memory.object_at(address) {
            Some((_, object)) if object.kind == Kind::PrivateStack => {
                self.write_inputs(program, (thread, site), (address, size));
                self.memory.peek_checked(address, size)
            }
            _ => self
                .shared_inputs(program, (thread, site), (address, size))
                .unwrap_or(loaded),
        }
    }

    /// The value of bytes that threads share.
    fn shared_inputs(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (address, size): (u64, u64),
    ) -> Option<Value> {
        if !(address..address + size).any(|at| self.memory.is_unwritten(at)) {
            return None;
        }
        let fixed = program.options.inputs.as_deref();
        let arena = &self.memory.tags.arena;
        let value = self.memory.with_unwritten(address, size, &|key| match fixed {
            Some(inputs) => arena.constant(8, u128::from(given(inputs, key))),
            None => arena.input(key, 8),
        })?;
        self.ask_of_memory(program, (thread, site), (address, size));
        Some(value)
    }

    /// Records that bytes of memory are inputs, if that is not known.
    fn ask_of_memory(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (address, size): (u64, u64),
    ) {
        let names = (address..address + size).filter_map(|at| self.memory.name_of(at));
        let names: Vec<InputKey> = names.collect();
        for key in names {
            let asked = self.path().asked();
            if asked.iter().any(|asked| asked.pieces == [key]) {
                continue;
            }
            let fixed = program.options.inputs.as_deref();
            self.ask(Asked {
                thread,
                name: name(key).into(),
                site,
                kind: InputKind::Bytes,
                size: 1,
                pieces: vec![key],
                fixed: fixed.map(|inputs| vec![given(inputs, key)]),
            });
        }
    }

    /// Makes those bytes of a range inputs of a thread that were never written.
    fn write_inputs(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (address, size): (u64, u64),
    ) {
        let (mut at, end) = (address, address + size);
        while at < end {
            let rest = at..end;
            let bytes = rest.take_while(|&at| self.memory.is_unwritten(at)).count() as u64;
            if bytes == 0 {
                at += 1;
                continue;
            }
            let is_word = bytes == size && matches!(size, 1 | 2 | 4 | 8);
            let kind = match is_word {
                true => InputKind::Scalar {
                    bits: 8 * size as u16,
                    signed: false,
                },
                false => InputKind::Bytes,
            };
            let source = Source {
                name: Input::UNWRITTEN,
                kind,
                size: bytes,
            };
            let values = self.input(program, thread, site, &source);
            let piece = bytes / values.len() as u64;
            for (place, value) in (at..).step_by(piece as usize).zip(values) {
                self.memory.poke_checked(place, piece, value);
            }
            at += bytes;
        }
    }

    /// Copies a checked range, and makes bytes of it inputs that were never written: a copy of such
    /// a byte has the same value.
    pub(crate) fn copy_with_inputs(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        (to, from, size): (u64, u64, u64),
    ) {
        if !program.options.unwritten_inputs || to == from {
            return self.memory.copy(to, from, size);
        }
        let unwritten = (from..from + size).filter(|&at| self.memory.is_unwritten(at));
        let unwritten: Vec<u64> = unwritten.take(COPIED as usize + 1).collect();
        if unwritten.is_empty() || unwritten.len() as u64 > COPIED {
            return self.memory.copy(to, from, size);
        }
        let is_private = |(_, object): (u64, crate::memory::Object)| object.kind == Kind::PrivateStack;
        if self.memory.object_at(from).is_some_and(is_private) {
            self.write_inputs(program, (thread, site), (from, size));
            return self.memory.copy(to, from, size);
        }
        let mut values = Vec::new();
        for at in unwritten {
            if let Some(value) = self.shared_inputs(program, (thread, site), (at, 1)) {
                values.push((at - from + to, value));
            }
        }
        self.memory.copy(to, from, size);
        for (at, value) in values {
            self.memory.poke_checked(at, 1, value);
        }
    }

    /// The life of a local begins that may have lived before.
    pub(crate) fn bear_with_inputs(
        &mut self,
        program: &Program,
        (thread, site): (ThreadId, Site),
        base: u64,
    ) {
        if let Some((base, object)) = self.memory.object_at(base)
            && program.options.unwritten_inputs
            && object.reborn
            && object.size <= SMALL
        {
            self.write_inputs(program, (thread, site), (base, object.size));
        }
    }
}

/// The name of a byte of memory, for reports.
fn name(key: InputKey) -> String {
    format!("{} at {:#x}", Input::UNWRITTEN, address_of(key).unwrap_or(0))
}

/// The value of a byte of memory, if inputs are fixed; 0 if none is given.
fn given(inputs: &[Input], key: InputKey) -> u8 {
    let name = name(key);
    let given = inputs
        .iter()
        .find(|input| input.thread == MEMORY && input.name == name);
    given
        .and_then(|input| input.bytes.first())
        .map_or(0, |&byte| byte)
}
