//! Global variables: where they are placed, which ones the machine defines itself, and their
//! initial content.

use super::{Error, Program};
use crate::memory::{Kind, Life, Maker, Memory, Object, Site};
use crate::value::Value;
use selvedge_base::Id;
use selvedge_ir::{Global, GlobalId, Module, Symbol};

/// The variable that leads to the environment; it contains the environment that `main` gets, too.
pub(crate) const ENVIRON: &str = "environ";

/// The library's variables that point to the program's name.
pub(crate) const PROGRAM_NAMES: [&str; 2] = ["program_invocation_name", "program_invocation_short_name"];

/// The room for a variable of unknown size without a definition, so that addresses in it are
/// distinguished from those of other objects.
const UNKNOWN_SIZE: u64 = (1 << 24) - 1;

/// Handles of the standard streams: the values of `stdin`, `stdout` and `stderr`.
pub const STREAMS: [(&str, u64); 3] = [("stdin", 0x11), ("stdout", 0x12), ("stderr", 0x13)];

impl Program {
    /// Writes the initial content of all globals that are not thread-local.
    pub(crate) fn load_globals(&self, memory: &mut Memory) -> Result<(), Error> {
        for (id, global) in self.module.globals.iter_ids() {
            if global.thread_local {
                continue;
            }
            let base = self.allocate_global(memory, 0, id)?;
            assert_eq!(base, self.globals[id.index()]);
            self.fill_global(memory, id, base);
        }
        Ok(())
    }

    /// True if the machine defines a variable.
    pub(crate) fn is_given(&self, global: GlobalId) -> bool {
        let global = &self.module.globals[global];
        global.external && !is_missing(global)
    }

    /// Makes the object of a global for an owner.
    pub(crate) fn allocate_global(
        &self,
        memory: &mut Memory,
        owner: u32,
        id: GlobalId,
    ) -> Result<u64, Error> {
        let global = &self.module.globals[id];
        let kind = match (global.thread_local, global.constant) {
            _ if is_missing(global) => Kind::Missing,
            (true, _) => Kind::ThreadLocal,
            (false, true) => Kind::Constant,
            (false, false) => Kind::Global,
        };
        let object = Object {
            size: room(global),
            kind,
            life: Life::Live,
            zeroed: true,
            by: Maker::Other,
            protection: 0,
            name: 1 + id.index() as u32,
            made: Site::default(),
            ended: Site::default(),
            reborn: false,
        };
        memory
            .allocate(owner, object, u64::from(global.align.max(1)))
            .map_err(|_| Error::GlobalTooLarge(global.name.clone(), global.size))
    }

    /// Writes the initial content of a global.
    pub(crate) fn fill_global(&self, memory: &mut Memory, id: GlobalId, base: u64) {
        let global = &self.module.globals[id];
        if global.external {
            if let Some((_, handle)) = STREAMS.iter().find(|(name, _)| *name == global.name) {
                memory.poke_checked(base, 8, Value::new(*handle));
            }
            return;
        }
        for (i, word) in global.init.chunks(8).enumerate() {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            let bits = u64::from_le_bytes(bytes);
            if bits != 0 {
                memory.poke_checked(base + 8 * i as u64, word.len() as u64, Value::new(bits));
            }
        }
        for relocation in &global.relocations {
            let address = match relocation.symbol {
                Symbol::Global(g) => self.globals[g.index()],
                Symbol::Func(f) => self.function_address(f),
            };
            let value = Value::new(address.wrapping_add_signed(relocation.addend));
            memory.poke_checked(base + relocation.offset, 8, value);
        }
        for &(start, end) in &global.undefined {
            memory.fill(
                base + start,
                end.min(global.size).saturating_sub(start),
                Value::UNDEF,
            );
        }
    }

    /// The address of a global variable that is not thread-local.
    pub(crate) fn global_address(&self, global: GlobalId) -> u64 {
        self.globals[global.index()]
    }
}

/// True if neither the program nor the machine defines a variable.
fn is_missing(global: &Global) -> bool {
    let known = || {
        STREAMS.iter().any(|(name, _)| *name == global.name)
            || global.name == ENVIRON
            || PROGRAM_NAMES.contains(&global.name.as_str())
    };
    global.external && (global.thread_local || !known())
}

/// The size of a global's object.
fn room(global: &Global) -> u64 {
    match global.size {
        0 if is_missing(global) => UNKNOWN_SIZE,
        size if global.external => size.max(8),
        size => size,
    }
}

/// The address of each global: those that `load_globals` will get for them, in the same order.
pub(super) fn place_globals(module: &Module) -> Result<(Vec<u64>, Vec<GlobalId>), Error> {
    let mut scratch = Memory::default();
    let mut thread_locals = Vec::new();
    let mut addresses = Vec::with_capacity(module.globals.len());
    for (id, global) in module.globals.iter_ids() {
        if global.thread_local {
            addresses.push(thread_locals.len() as u64);
            thread_locals.push(id);
            continue;
        }
        let object = Object {
            size: room(global),
            kind: Kind::Global,
            life: Life::Live,
            zeroed: true,
            by: Maker::Other,
            protection: 0,
            name: 0,
            made: Site::default(),
            ended: Site::default(),
            reborn: false,
        };
        let base = scratch
            .allocate(0, object, u64::from(global.align.max(1)))
            .map_err(|_| Error::GlobalTooLarge(global.name.clone(), global.size))?;
        addresses.push(base);
    }
    Ok((addresses, thread_locals))
}
