//! Which variables may hold a number that is an address without having been computed from one.
//!
//! The sources are numbers that the program computes, gets from outside, or puts together from
//! parts in memory. A number flows as addresses do. So this is reachability in the solved system,
//! and costs little.
//!
//! Not followed: an address that the program has in the bytes of an initialised variable, and one
//! that results from copying a part of a pointer of unknown length over another.

use super::{Constraint, Memory, Solver, VarId};
use crate::pointsto::object::Targets;
use crate::pointsto::offset::Offset;
use selvedge_base::Id;

/// An address has so many bytes.
const WHOLE: u64 = 8;

impl Memory {
    /// Where something smaller than an address was stored, and its size, as far as stored values
    /// are told apart.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Offset, u64)> + '_ {
        let cells = self.cells.iter().filter(|_| self.merged.is_none());
        cells
            .filter(|(_, width, _)| *width < WHOLE)
            .map(|&(offset, width, _)| (offset, width))
    }
}

impl Solver {
    /// Of each variable, whether a number from one of these sources, or one that is put together in
    /// memory, may come to it.
    pub fn flow(&self, sources: &[VarId]) -> Vec<bool> {
        let mut reached = vec![false; self.variables()];
        let mut shifts: Vec<Vec<VarId>> = vec![Vec::new(); self.variables()];
        for constraint in &self.constraints {
            if let Constraint::Shift { from, to, .. } = *constraint {
                shifts[self.find(from).index()].push(to);
            }
        }
        let mut work = sources.to_vec();
        self.put_together(&mut work);
        while let Some(variable) = work.pop() {
            let variable = self.find(variable);
            if !std::mem::replace(&mut reached[variable.index()], true) {
                work.extend(&self.nodes[variable].copies);
                work.extend(&shifts[variable.index()]);
            }
        }
        let all = self.nodes.ids().map(|id| reached[self.find(id).index()]);
        all.collect()
    }

    /// The variables that get an address which was stored in parts.
    fn put_together(&self, found: &mut Vec<VarId>) {
        let is_part = |width: Option<u64>| width.is_some_and(|width| width < WHOLE);
        let mut parted: Vec<bool> = self.memory.iter().map(|memory| memory.merged_parts).collect();
        for constraint in &self.constraints {
            if let Constraint::Move { to, length, .. } = *constraint
                && is_part(length)
            {
                for target in self.set(to) {
                    let place = self.targets.place(Targets::target_id(target));
                    parted[place.object.index()] = true;
                }
            }
        }
        for (memory, parted) in self.memory.iter().zip(parted) {
            let parts: Vec<(Offset, u64)> = memory.parts().collect();
            if parted || !parts.is_empty() {
                found.extend(memory.bytes);
            }
            for &(number, target) in &memory.readers {
                let Constraint::Load { width, to, .. } = self.constraints[number as usize] else {
                    continue;
                };
                let at = self.targets.place(target).offset;
                let among = |&(offset, part): &(Offset, u64)| at.overlaps(width, offset, Some(part));
                if !is_part(width) && (parted || parts.iter().any(among)) {
                    found.push(to);
                }
            }
        }
    }
}
