//! What of a program was reached, by file.

use super::Program;
use crate::coverage::{Point, Reached, is_covered, is_own};
use selvedge_base::{FileId, Id};

use selvedge_model::{BranchCoverage, Coverage};
use std::collections::{BTreeMap, BTreeSet};

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
