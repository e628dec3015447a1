//! Ends of blocks that are never reached: `unreachable` where a switch has cases for all values
//! that its operand can have. clang writes them where a scope is left in several ways: the number
//! of the way is assigned before, and a switch behind the scope's end has a case for each.

use crate::{Cfg, DefUse, Definition, Place};
use selvedge_base::Id;
use selvedge_ir::{BlockId, Function, InstKind, Operand, Reg, Terminator};
use std::collections::BTreeSet;

/// The blocks that end as unreachable, and that no value of the switches before them selects.
pub fn never_reached(function: &Function, cfg: &Cfg) -> BTreeSet<BlockId> {
    let ends = |block: &BlockId| matches!(function.blocks[*block].term, Terminator::Unreachable);
    let among: Vec<BlockId> = cfg.reverse_post_order().iter().copied().filter(ends).collect();
    let candidates = among.into_iter().filter(|&block| {
        let switches = |from: &BlockId| matches!(function.blocks[*from].term, Terminator::Switch { .. });
        // Nothing comes before the entry.
        block.index() > 0 && cfg.predecessors(block).iter().all(switches)
    });
    let candidates: Vec<BlockId> = candidates.collect();
    if candidates.is_empty() {
        return BTreeSet::new();
    }
    let uses = DefUse::of(function, cfg);
    let never = |block: &BlockId| {
        let predecessors = cfg.predecessors(*block);
        predecessors
            .iter()
            .all(|&from| !may_go(function, &uses, from, *block))
    };
    candidates.into_iter().filter(never).collect()
}

/// Whether the switch at the end of a block may go to another block.
fn may_go(function: &Function, uses: &DefUse, from: BlockId, to: BlockId) -> bool {
    let Terminator::Switch {
        value,
        ty,
        cases,
        default,
    } = &function.blocks[from].term
    else {
        return true;
    };
    let end = Place {
        block: from.index() as u32,
        index: function.blocks[from].insts.len() as u32,
    };
    let Some(values) = constants(function, uses, end, *value) else {
        return true;
    };
    let mask = u128::MAX >> (128 - ty.bits().clamp(1, 128));
    values.into_iter().any(|value| {
        let case = cases.iter().find(|(of, _)| of & mask == value & mask);
        case.map_or(*default, |&(_, block)| block) == to
    })
}

/// All values of an operand, if these are constants.
fn constants(function: &Function, uses: &DefUse, place: Place, operand: Operand) -> Option<BTreeSet<u128>> {
    let mut values = BTreeSet::new();
    let mut seen: BTreeSet<(Place, Reg)> = BTreeSet::new();
    let mut work = vec![(place, operand)];
    while let Some((place, operand)) = work.pop() {
        let register = match operand {
            Operand::Const(value, _) => {
                values.insert(value);
                continue;
            }
            Operand::Reg(register) => register,
            _ => return None,
        };
        if !seen.insert((place, register)) {
            continue;
        }
        for definition in uses.definitions(place, register) {
            let Definition::At(at) = *definition else {
                return None;
            };
            let block = &function.blocks[BlockId::from_index(at.block as usize)];
            match block.insts.get(at.index as usize).map(|inst| &inst.kind) {
                Some(InstKind::Copy { value, .. }) => work.push((at, *value)),
                _ => return None,
            }
        }
    }
    Some(values)
}
