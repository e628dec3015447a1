//! Which lines, branches and functions of a program were reached: plain data, without a machine.

use std::collections::BTreeMap;

/// What was reached, by source file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// By path, as in the debug information.
    pub files: BTreeMap<String, FileCoverage>,
}

/// What was reached of one file. How often is not counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileCoverage {
    /// The lines that have code, and whether some execution reached them.
    pub lines: BTreeMap<u32, bool>,
    /// The functions, by line and name.
    pub functions: BTreeMap<(u32, String), bool>,
    /// The branches in the order of the code.
    pub branches: Vec<BranchCoverage>,
}

/// A place where control goes one of several ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BranchCoverage {
    /// Its line.
    pub line: u32,
    /// For each way whether some execution took it.
    pub taken: Vec<bool>,
}

/// How many there are, and how many were reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// All.
    pub found: usize,
    /// Those reached.
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
    /// Its lines.
    pub fn line_counts(&self) -> Reached {
        Reached::of(self.lines.values().copied())
    }

    /// Its functions.
    pub fn function_counts(&self) -> Reached {
        Reached::of(self.functions.values().copied())
    }

    /// The ways of all its branches.
    pub fn branch_counts(&self) -> Reached {
        Reached::of(self.branches.iter().flat_map(|b| b.taken.iter().copied()))
    }
}

impl Coverage {
    /// A count over all files.
    pub fn total(&self, count: impl Fn(&FileCoverage) -> Reached) -> Reached {
        self.files
            .values()
            .map(count)
            .fold(Reached::default(), Reached::add)
    }
}
