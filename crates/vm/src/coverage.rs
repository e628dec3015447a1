//! Coverage: the places of the program that some machine has reached.
//!
//! If the options request it, the compiler adds an instruction before the first code of each line
//! in each block, and one on each outcome of a branch (a piece of code at the function's end that
//! continues at the target). Executing it sets a bit, which no undo clears. So places that were
//! reached on the way to an execution that was cut off count, too. Each machine adds its bits to
//! those of its program when it is dropped. Code of the model library and of the system's headers
//! has no such places.

use crate::program::Program;
use selvedge_base::{FileId, Id, StmtId};
use selvedge_ir::{FuncId, Module};
use selvedge_model::{BranchCoverage, Coverage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A place that can be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Point {
    /// The first code of a line in a block.
    Line(StmtId),
    /// One way out of a branch; the ways of one branch follow one another.
    Way {
        /// The branch.
        stmt: StmtId,
        /// Which way, from 0.
        number: u32,
    },
}

/// A set of places.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reached(Vec<u64>);

impl Reached {
    pub(crate) fn with_room_for(points: usize) -> Reached {
        Reached(vec![0; points.div_ceil(64)])
    }

    #[inline]
    pub(crate) fn insert(&mut self, point: u32) {
        if let Some(word) = self.0.get_mut(point as usize / 64) {
            *word |= 1 << (point % 64);
        }
    }

    pub(crate) fn contains(&self, point: usize) -> bool {
        self.0
            .get(point / 64)
            .is_some_and(|word| word >> (point % 64) & 1 == 1)
    }

    /// Adds the places of another set.
    pub fn add(&mut self, other: &Reached) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(mine, theirs)| *mine |= theirs);
    }
}

/// Whether code of a function is looked at.
pub(crate) fn is_covered(module: &Module, func: FuncId) -> bool {
    !module.functions[func].library
}

/// Whether lines of a file are: not of the system's headers.
pub(crate) fn is_own(module: &Module, file: FileId) -> bool {
    module
        .files
        .get(file)
        .is_some_and(|path| !path.starts_with("/usr/"))
}

impl Program {
    /// What the machines that are gone have reached.
    pub fn coverage(&self) -> Coverage {
        let reached = self.reached();
        let mut coverage = Coverage::default();
        let module = &self.module;
        for (func, function) in module.functions.iter_ids() {
            if function.is_defined() && is_covered(module, func) && is_own(module, function.span.file) {
                let file = coverage.files.entry(module.files[function.span.file].clone());
                file.or_default()
                    .functions
                    .insert((function.span.line, function.display.clone()), false);
            }
        }
        for (number, point) in self.points.iter().enumerate() {
            let hit = reached.contains(number);
            let (Point::Line(stmt) | Point::Way { stmt, .. }) = *point;
            let place = module.stmts[stmt];
            let function = &module.functions[place.func];
            let path = &module.files[place.span.file];
            let file = coverage.files.entry(path.clone()).or_default();
            match *point {
                Point::Line(_) => {
                    *file.lines.entry(place.span.line).or_default() |= hit;
                    if hit && let Some(home) = module.files.get(function.span.file) {
                        let home = coverage.files.entry(home.clone()).or_default();
                        let name = (function.span.line, function.display.clone());
                        home.functions.entry(name).and_modify(|reached| *reached = true);
                    }
                }
                Point::Way { number: 0, .. } => file.branches.push(BranchCoverage {
                    line: place.span.line,
                    taken: vec![hit],
                }),
                Point::Way { .. } => {
                    if let Some(branch) = file.branches.last_mut() {
                        branch.taken.push(hit);
                    }
                }
            }
        }
        for file in coverage.files.values_mut() {
            file.branches.sort_by_key(|branch| branch.line);
        }
        coverage
    }

    /// The lines in one set of places and not in another, by file.
    pub fn lines_between(&self, before: &Reached, after: &Reached) -> BTreeMap<String, BTreeSet<u32>> {
        let mut lines: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut old: BTreeSet<(usize, u32)> = BTreeSet::new();
        let mut new: BTreeSet<(usize, u32)> = BTreeSet::new();
        for (number, point) in self.points.iter().enumerate() {
            let Point::Line(stmt) = *point else { continue };
            let span = self.module.stmts[stmt].span;
            let line = (span.file.index(), span.line);
            if before.contains(number) {
                old.insert(line);
            } else if after.contains(number) {
                new.insert(line);
            }
        }
        for (file, line) in new.difference(&old) {
            let path = self.module.files[FileId::from_index(*file)].clone();
            lines.entry(path).or_default().insert(*line);
        }
        lines
    }
}
