//! The classes of a program's atomic blocks.

use super::Program;
use crate::blocks::{Blocks, ClassMap};
use selvedge_base::StmtId;
use selvedge_ir::FuncId;
use selvedge_model::{BlockClass, ObjectId};
use std::sync::atomic::Ordering;

/// The number of variables of a class that are named.
const MOST_NAMES: usize = 3;

impl Program {
    /// The classes by address, if there are several.
    pub(crate) fn class_map(&self) -> Option<ClassMap> {
        let blocks = self.options.blocks.as_deref().filter(|_| self.atomic_blocks)?;
        Some(ClassMap::of(&self.module, &self.globals, blocks))
    }

    /// The class of the atomic blocks that may touch the memory at an address.
    #[inline]
    pub(crate) fn blocks_at(&self, address: u64) -> BlockClass {
        match &self.classes {
            _ if !self.atomic_blocks => BlockClass::NONE,
            None => BlockClass::FIRST,
            Some(map) => map.class(address),
        }
    }

    /// What the atomic blocks of a class may touch, in words that follow "atomic block".
    pub(crate) fn memory_of_class(&self, class: BlockClass) -> String {
        let Some(blocks) = &self.options.blocks else {
            return "on any memory".to_owned();
        };
        let globals = blocks.globals.iter().filter(|(_, other)| **other == class);
        let mut names: Vec<String> = globals
            .map(|(&global, _)| format!("`{}`", selvedge_ir::demangle(&self.module.globals[global].name)))
            .collect();
        if blocks.rest == class {
            names.push("memory that is in no global variable".to_owned());
        }
        let more = names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        match (names.is_empty(), more) {
            (true, _) => "that touches nothing".to_owned(),
            (false, 0) => format!("on {}", names.join(", ")),
            (false, _) => format!("on {} and {more} more", names.join(", ")),
        }
    }

    /// The object of the block that begins at a call of `__VERIFIER_atomic_begin`.
    pub(crate) fn begun_block(&self, stmt: StmtId) -> ObjectId {
        self.block(|blocks| blocks.begins.get(&stmt))
    }

    /// The object of the block that a call of a function is.
    pub(crate) fn called_block(&self, function: FuncId) -> ObjectId {
        self.block(|blocks| blocks.functions.get(&function))
    }

    fn block(&self, find: impl FnOnce(&Blocks) -> Option<&BlockClass>) -> ObjectId {
        let Some(blocks) = &self.options.blocks else {
            return ObjectId::blocks(BlockClass::FIRST);
        };
        let class = find(blocks).copied().unwrap_or_else(|| {
            // A block that was not foreseen.
            self.strayed.store(true, Ordering::Relaxed);
            BlockClass::FIRST
        });
        ObjectId::blocks(class)
    }

    /// Whether an atomic block touched what lies outside its class, so that nothing that was
    /// explored with these classes stands. Then it has to be explored again without
    /// [`Options::blocks`](crate::Options::blocks).
    #[inline]
    pub fn has_strayed(&self) -> bool {
        self.strayed.load(Ordering::Relaxed)
    }
}
