//! Which lines, branches and functions of a program were executed: plain data, without a machine.

use std::collections::BTreeMap;

/// Coverage by source file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// The key is the path as it is in the debug information.
    pub files: BTreeMap<String, FileCoverage>,
}

/// The coverage of one file. It does not count how often something was executed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileCoverage {
    /// The lines that have code; true if some execution reached the line.
    pub lines: BTreeMap<u32, bool>,
    /// The functions, by line and name; true if some execution reached the function.
    pub functions: BTreeMap<(u32, String), bool>,
    /// The branches, in the order of the code.
    pub branches: Vec<BranchCoverage>,
}

/// A branch in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BranchCoverage {
    /// Its line.
    pub line: u32,
    /// For each outcome of the branch, true if some execution took it.
    pub taken: Vec<bool>,
}

/// The number of items, and the number of items that were reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// The number of items.
    pub found: usize,
    /// The number of items that were reached.
    pub hit: usize,
}

impl Reached {
    fn of(all: impl Iterator<Item = bool>) -> Reached {
        let mut counts = Reached::default();
        for hit in all {
            counts.found += 1;
            counts.hit += usize::from(hit);
        }
        counts
    }

    fn add(self, other: Reached) -> Reached {
        Reached {
            found: self.found + other.found,
            hit: self.hit + other.hit,
        }
    }
}

impl FileCoverage {
    /// The count of lines.
    pub fn line_counts(&self) -> Reached {
        Reached::of(self.lines.values().copied())
    }

    /// The count of functions.
    pub fn function_counts(&self) -> Reached {
        Reached::of(self.functions.values().copied())
    }

    /// The count of branch outcomes.
    pub fn branch_counts(&self) -> Reached {
        Reached::of(self.branches.iter().flat_map(|b| b.taken.iter().copied()))
    }
}

impl Coverage {
    /// The sum of a count over all files.
    pub fn total(&self, count: impl Fn(&FileCoverage) -> Reached) -> Reached {
        self.files
            .values()
            .map(count)
            .fold(Reached::default(), Reached::add)
    }
}
