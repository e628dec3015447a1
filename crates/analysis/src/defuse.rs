//! The assignments that a use of a register may read. The ir is not in SSA form: a register may be
//! assigned at several places.
//!
//! Each register is analysed separately: from each assignment forward through the blocks in which
//! the register is read before it is assigned, or passed on.

use crate::cfg::Cfg;
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Function, Operand, Reg};
use std::collections::BTreeSet;

/// An instruction of a function, or a terminator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The block's number.
    pub block: u32,
    /// The instruction's number in it; the number of instructions for the terminator.
    pub index: u32,
}

/// The source of a register's value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Definition {
    /// It is a parameter.
    Parameter,
    /// There is no assignment; the value is undefined.
    Missing,
    /// An instruction assigns it.
    At(Place),
}

/// Definitions of each use in the blocks that the entry reaches.
#[derive(Clone, Debug, Default)]
pub struct DefUse {
    definitions: FxHashMap<(Place, Reg), Vec<Definition>>,
    uses: FxHashMap<Definition, Vec<(Place, Reg)>>,
}

/// The uses and assignments of one register in a block.
#[derive(Default)]
struct Within {
    /// Uses before the first assignment.
    exposed: Vec<Place>,
    /// Uses after an assignment in the block, with the assignment.
    inner: Vec<(Place, Place)>,
    last: Option<Place>,
}

impl DefUse {
    /// Computes them.
    pub fn of(function: &Function, cfg: &Cfg) -> DefUse {
        let mut registers: FxHashMap<Reg, FxHashMap<usize, Within>> = FxHashMap::default();
        for &block in cfg.reverse_post_order() {
            note_block(function, block, &mut registers);
        }
        let mut found = DefUse::default();
        let mut order: Vec<Reg> = registers.keys().copied().collect();
        order.sort_unstable_by_key(|r| r.index());
        for register in order {
            found.add(register, &registers[&register], function, cfg);
        }
        found
    }

    /// The definitions that a use of a register at a place may read, in order. Empty if the
    /// register is not used there, or the entry does not reach the place.
    pub fn definitions(&self, place: Place, register: Reg) -> &[Definition] {
        self.definitions
            .get(&(place, register))
            .map_or(&[], Vec::as_slice)
    }

    /// The uses that may read an instruction's assignment, in no particular order.
    pub fn uses(&self, definition: Definition) -> &[(Place, Reg)] {
        self.uses.get(&definition).map_or(&[], Vec::as_slice)
    }

    /// All uses with their definitions, in order.
    pub fn all(&self) -> Vec<(Place, Reg, &[Definition])> {
        let mut all: Vec<_> = self
            .definitions
            .iter()
            .map(|(&(place, register), found)| (place, register, found.as_slice()))
            .collect();
        all.sort_unstable_by_key(|&(place, register, _)| (place, register.index()));
        all
    }

    fn add(&mut self, register: Reg, within: &FxHashMap<usize, Within>, function: &Function, cfg: &Cfg) {
        let live = live_in(within, cfg);
        let mut reaching: FxHashMap<usize, BTreeSet<Definition>> = FxHashMap::default();
        let mut work: Vec<(usize, Definition)> = Vec::new();
        if live.contains(&0) {
            let start = match function.params.contains(&register) {
                true => Definition::Parameter,
                false => Definition::Missing,
            };
            work.push((0, start));
        }
        for (&block, what) in within {
            if let Some(last) = what.last {
                let next = cfg.successors(BlockId::from_index(block));
                work.extend(next.iter().map(|b| (b.index(), Definition::At(last))));
            }
        }
        while let Some((block, definition)) = work.pop() {
            if !live.contains(&block) || !reaching.entry(block).or_default().insert(definition) {
                continue;
            }
            if within.get(&block).is_none_or(|w| w.last.is_none()) {
                let next = cfg.successors(BlockId::from_index(block));
                work.extend(next.iter().map(|b| (b.index(), definition)));
            }
        }
        for (block, what) in within {
            for &(place, definition) in &what.inner {
                self.note(place, register, Definition::At(definition));
            }
            for &place in &what.exposed {
                for &definition in reaching.get(block).into_iter().flatten() {
                    self.note(place, register, definition);
                }
            }
        }
    }

    fn note(&mut self, place: Place, register: Reg, definition: Definition) {
        let known = self.definitions.entry((place, register)).or_default();
        if !known.contains(&definition) {
            known.push(definition);
            self.uses.entry(definition).or_default().push((place, register));
        }
    }
}

fn note_block(function: &Function, block: BlockId, registers: &mut FxHashMap<Reg, FxHashMap<usize, Within>>) {
    let number = block.index();
    let place = |index: usize| Place {
        block: number as u32,
        index: index as u32,
    };
    let used = |place: Place, operand: Operand, registers: &mut FxHashMap<Reg, FxHashMap<usize, Within>>| {
        if let Operand::Reg(register) = operand {
            let within = registers.entry(register).or_default().entry(number).or_default();
            match within.last {
                Some(definition) => within.inner.push((place, definition)),
                None => within.exposed.push(place),
            }
        }
    };
    let insts = &function.blocks[block].insts;
    for (index, inst) in insts.iter().enumerate() {
        inst.kind
            .for_each_operand(|operand| used(place(index), operand, registers));
        inst.kind.for_each_result(|register| {
            let within = registers.entry(register).or_default().entry(number).or_default();
            within.last = Some(place(index));
        });
    }
    let term = &function.blocks[block].term;
    term.for_each_operand(|operand| used(place(insts.len()), operand, registers));
}

/// The blocks at whose beginning the register is live.
fn live_in(within: &FxHashMap<usize, Within>, cfg: &Cfg) -> BTreeSet<usize> {
    let exposed = within.iter().filter(|(_, w)| !w.exposed.is_empty());
    let mut work: Vec<usize> = exposed.map(|(&block, _)| block).collect();
    let mut live = BTreeSet::new();
    while let Some(block) = work.pop() {
        if !live.insert(block) {
            continue;
        }
        for before in cfg.predecessors(BlockId::from_index(block)) {
            if within.get(&before.index()).is_none_or(|w| w.last.is_none()) {
                work.push(before.index());
            }
        }
    }
    live
}
