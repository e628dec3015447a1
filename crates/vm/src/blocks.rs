//! What atomic blocks may touch (docs/algorithms.md, "Atomic blocks").
//!
//! A block is one action on the object of its class, and each access of other threads to memory of
//! that class reads this object. The classes are a guess that the machine checks: a step of a block
//! that touches anything else is found (`machine/block_check.rs`), and what was explored with these
//! classes is then of no use. So the guess may be wrong, and must not be wrong without notice.
//!
//! The same holds for memory that only blocks touch. There is no data race on such memory, so the
//! race detector does not see these accesses, and states do not differ in them.

use selvedge_base::{Id, StmtId};
use selvedge_ir::{FuncId, GlobalId, Module};
use selvedge_model::BlockClass;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Those of `globals` that are touched in blocks only, and else while there is no other thread.
    pub only: BTreeSet<GlobalId>,
}

/// Where a global variable lies.
struct Range {
    start: u64,
    end: u64,
    class: BlockClass,
    constant: bool,
    /// True if only blocks touch it.
    only: bool,
}

/// The classes by address.
pub(crate) struct ClassMap {
    /// In order of addresses.
    ranges: Vec<Range>,
    rest: BlockClass,
    /// True if there is memory that only blocks touch.
    pub(crate) has_only: bool,
}

impl ClassMap {
    /// From where each global variable lies.
    pub(crate) fn of(module: &Module, addresses: &[u64], blocks: &Blocks) -> ClassMap {
        let variables = module.globals.iter_ids();
        let mut ranges: Vec<Range> = variables
            .filter(|(_, global)| !global.thread_local)
            .map(|(id, global)| Range {
                start: addresses[id.index()],
                end: addresses[id.index()] + global.size.max(1),
                class: blocks.globals.get(&id).copied().unwrap_or_default(),
                constant: global.constant,
                only: blocks.only.contains(&id),
            })
            .collect();
        ranges.sort_by_key(|range| range.start);
        ClassMap {
            has_only: ranges.iter().any(|range| range.only),
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
    pub(crate) fn class(&self, address: u64) -> BlockClass {
        self.find(address).0.map_or(self.rest, |range| range.class)
    }

    /// Whether blocks of a class may touch these bytes. Nobody can write constants, so everybody
    /// may touch them.
    pub(crate) fn allows(&self, class: BlockClass, address: u64, size: u64) -> bool {
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

    /// Whether some of these bytes are memory that only blocks touch.
    pub(crate) fn is_only(&self, address: u64, size: u64) -> bool {
        self.ranges_of(address, size).any(|range| range.only)
    }

    /// Whether all of these bytes are memory that only blocks touch.
    pub(crate) fn is_wholly_only(&self, address: u64, size: u64) -> bool {
        let range = self.find(address).0;
        range.is_some_and(|range| range.only && address.saturating_add(size) <= range.end)
    }

    /// The variables that share a byte with these.
    fn ranges_of(&self, address: u64, size: u64) -> impl Iterator<Item = &Range> {
        let end = address.saturating_add(size.max(1));
        let first = self.ranges.partition_point(|range| range.end <= address);
        self.ranges[first..]
            .iter()
            .take_while(move |range| range.start < end)
    }
}
