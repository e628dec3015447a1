//! What atomic blocks may touch (docs/algorithms.md, "Atomic blocks").
//!
//! A block is one action on the object of its class, and each access of other threads to memory of
//! that class reads this object. The classes are a guess that the machine checks: a step of a block
//! that touches anything else is found ([`Vm::check_block`]), and what was explored with these
//! classes is then of no use. So the guess may be wrong, and must not be wrong without notice.

use crate::program::Program;
use crate::vm::Vm;
use selvedge_base::{Id, StmtId};
use selvedge_ir::{FuncId, GlobalId};
use selvedge_model::{Access, Action, BlockClass, FaultKind, Notice, ObjectId, Op, Unsupported};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// The classes of atomic blocks, and of the memory that they may touch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blocks {
    /// The global variables that blocks may touch. Thread-local ones belong to the rest.
    pub globals: BTreeMap<GlobalId, BlockClass>,
    /// The class of all memory that lies in no global variable: allocated objects, local variables
    /// that other threads may reach, and so on.
    pub rest: BlockClass,
    /// The blocks that begin at these calls of `__VERIFIER_atomic_begin`.
    pub begins: BTreeMap<StmtId, BlockClass>,
    /// The functions whose calls are blocks.
    pub functions: BTreeMap<FuncId, BlockClass>,
}

/// Where a global variable lies.
struct Range {
    start: u64,
    end: u64,
    class: BlockClass,
    constant: bool,
}

/// The classes by address.
pub(crate) struct ClassMap {
    /// In order of addresses.
    ranges: Vec<Range>,
    rest: BlockClass,
}

impl ClassMap {
    fn of(program: &Program, blocks: &Blocks) -> ClassMap {
        let variables = program.module.globals.iter_ids();
        let mut ranges: Vec<Range> = variables
            .filter(|(_, global)| !global.thread_local)
            .map(|(id, global)| Range {
                start: program.globals[id.index()],
                end: program.globals[id.index()] + global.size.max(1),
                class: blocks.globals.get(&id).copied().unwrap_or_default(),
                constant: global.constant,
            })
            .collect();
        ranges.sort_by_key(|range| range.start);
        ClassMap {
            ranges,
            rest: blocks.rest,
        }
    }

    /// The range that an address lies in, if any, and where the next one begins.
    fn find(&self, address: u64) -> (Option<&Range>, u64) {
        let next = self.ranges.partition_point(|range| range.start <= address);
        let found = next.checked_sub(1).map(|index| &self.ranges[index]);
        let after = self.ranges.get(next).map_or(u64::MAX, |range| range.start);
        (found.filter(|range| address < range.end), after)
    }

    /// The class of the memory at an address. It depends on the address alone, so a pending access
    /// keeps it whatever other threads do.
    fn class(&self, address: u64) -> BlockClass {
        self.find(address).0.map_or(self.rest, |range| range.class)
    }

    /// Whether blocks of a class may touch these bytes. Nobody can write constants, so everybody
    /// may touch them.
    fn allows(&self, class: BlockClass, address: u64, size: u64) -> bool {
        let end = address.saturating_add(size.max(1));
        let mut at = address;
        while at < end {
            let (range, next) = self.find(at);
            let allowed = match range {
                Some(range) => range.constant || range.class == class,
                None => self.rest == class,
            };
            if !allowed {
                return false;
            }
            at = range.map_or(next, |range| range.end);
        }
        true
    }
}

impl Program {
    /// The classes by address, if there are several.
    pub(crate) fn class_map(&self) -> Option<ClassMap> {
        let blocks = self.options.blocks.as_deref().filter(|_| self.atomic_blocks)?;
        Some(ClassMap::of(self, blocks))
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

/// Whether a fault may be one of an access to memory that depends on what other threads did to that
/// memory: what was accessed is not recorded then.
fn is_of_memory(kind: FaultKind) -> bool {
    use FaultKind as F;
    matches!(
        kind,
        F::OutOfBounds
            | F::UseAfterFree
            | F::UseAfterScope
            | F::UseAfterReturn
            | F::InvalidPointer
            | F::DoubleFree
            | F::InvalidFree
            | F::OverlappingCopy
    )
}

impl Vm {
    /// Looks whether a step of an atomic block touched memory of its class only. The step has
    /// ended, and with it the block, or the part of it up to a data choice.
    pub(crate) fn check_block(&mut self, action: &Action) {
        let (Op::AtomicBlock, Some(map)) = (action.op, &self.program.classes) else {
            return;
        };
        let class = action.object.as_blocks().unwrap_or_default();
        let strays = |access: &&Access| !map.allows(class, access.address, u64::from(access.size));
        let stray = self.state.memory.accesses().iter().find(strays);
        let faulty = self.state.notices().iter().find_map(|notice| match notice {
            Notice::Fault(fault) if is_of_memory(fault.kind) => Some(fault.stmt),
            _ => None,
        });
        let Some(stmt) = stray.map(|access| access.stmt).or(faulty) else {
            return;
        };
        self.program.strayed.store(true, Ordering::Relaxed);
        // Said, too, so that no verdict can be `true`, whoever explores.
        self.state.notify(Notice::Unsupported(Unsupported {
            what: "an atomic block that touches memory outside its class".into(),
            stmt,
        }));
    }
}
