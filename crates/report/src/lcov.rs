//! Coverage as a trace file of lcov (geninfo(1), "Files"), and in words.
//!
//! Executions are not counted: what was reached by at least one has the count 1. A branch whose
//! line was reached and none of whose ways were taken has `-` for all of them, as if it had not
//! been executed.

use selvedge_model::{Coverage, FileCoverage, Reached};
use serde_json::{Value, json};
use std::fmt::Write;

/// The trace file's text.
pub fn lcov(coverage: &Coverage) -> String {
    let mut out = String::new();
    for (path, file) in &coverage.files {
        let _ = writeln!(out, "TN:\nSF:{path}");
        functions(&mut out, file);
        branches(&mut out, file);
        for (line, reached) in &file.lines {
            let _ = writeln!(out, "DA:{line},{}", u8::from(*reached));
        }
        let lines = file.line_counts();
        let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", lines.found, lines.hit);
    }
    out
}

fn functions(out: &mut String, file: &FileCoverage) {
    for (line, name) in file.functions.keys() {
        let _ = writeln!(out, "FN:{line},{name}");
    }
    for ((_, name), reached) in &file.functions {
        let _ = writeln!(out, "FNDA:{},{name}", u8::from(*reached));
    }
    let functions = file.function_counts();
    let _ = writeln!(out, "FNF:{}\nFNH:{}", functions.found, functions.hit);
}

fn branches(out: &mut String, file: &FileCoverage) {
    let (mut line, mut block) = (0, 0);
    for branch in &file.branches {
        block = if branch.line == line { block + 1 } else { 0 };
        line = branch.line;
        let executed = branch.taken.contains(&true);
        for (way, &taken) in branch.taken.iter().enumerate() {
            let count = match (executed, taken) {
                (false, _) => "-",
                (true, false) => "0",
                (true, true) => "1",
            };
            let _ = writeln!(out, "BRDA:{line},{block},{way},{count}");
        }
    }
    let ways = file.branch_counts();
    let _ = writeln!(out, "BRF:{}\nBRH:{}", ways.found, ways.hit);
}

/// In words: one line, or one a file with the lines that were not reached.
pub(crate) fn coverage_text(coverage: &Coverage, by_file: bool) -> String {
    let counts = |lines: Reached, branches: Reached, functions: Reached| {
        format!(
            "{} of {} lines, {} of {} branches, {} of {} functions",
            lines.hit, lines.found, branches.hit, branches.found, functions.hit, functions.found
        )
    };
    let total = counts(
        coverage.total(FileCoverage::line_counts),
        coverage.total(FileCoverage::branch_counts),
        coverage.total(FileCoverage::function_counts),
    );
    let mut out = format!("  reached {total}\n");
    if by_file {
        for (path, file) in &coverage.files {
            let of = counts(file.line_counts(), file.branch_counts(), file.function_counts());
            let _ = writeln!(out, "    {path}: {of}");
            let missed = ranges(file);
            if !missed.is_empty() {
                let _ = writeln!(out, "      not reached: {missed}");
            }
        }
    }
    out
}

/// The lines that were not reached: `5, 7-9`. Lines without code do not interrupt a range.
fn ranges(file: &FileCoverage) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut open = false;
    for (&line, &reached) in &file.lines {
        match ranges.last_mut() {
            Some(last) if open && !reached => last.1 = line,
            _ if !reached => ranges.push((line, line)),
            _ => {}
        }
        open = !reached;
    }
    let text = |(from, to): &(u32, u32)| {
        if from == to {
            from.to_string()
        } else {
            format!("{from}-{to}")
        }
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The counts, over all and by file.
pub(crate) fn coverage_json(coverage: &Coverage) -> Value {
    let count = |reached: Reached| json!({"found": reached.found, "hit": reached.hit});
    let files = coverage.files.iter().map(|(path, file)| {
        let missed = file.lines.iter().filter(|(_, reached)| !**reached);
        json!({
            "file": path,
            "lines": count(file.line_counts()),
            "branches": count(file.branch_counts()),
            "functions": count(file.function_counts()),
            "not_reached": missed.map(|(line, _)| *line).collect::<Vec<_>>(),
        })
    });
    json!({
        "lines": count(coverage.total(FileCoverage::line_counts)),
        "branches": count(coverage.total(FileCoverage::branch_counts)),
        "functions": count(coverage.total(FileCoverage::function_counts)),
        "files": files.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_model::BranchCoverage;

    fn example() -> Coverage {
        let file = FileCoverage {
            lines: [(3, true), (4, false), (6, false), (7, true), (9, false)].into(),
            functions: [((3, "main".to_owned()), true), ((9, "unused".to_owned()), false)].into(),
            branches: vec![
                BranchCoverage {
                    line: 3,
                    taken: vec![true, false],
                },
                BranchCoverage {
                    line: 3,
                    taken: vec![false, false],
                },
            ],
        };
        Coverage {
            files: [("a.c".to_owned(), file)].into(),
        }
    }

    #[test]
    fn as_lcov_has_it() {
        let expected = "TN:\nSF:a.c\nFN:3,main\nFN:9,unused\nFNDA:1,main\nFNDA:0,unused\nFNF:2\nFNH:1\nBRDA:3,0,0,1\nBRDA:3,0,1,0\nBRDA:3,1,0,-\nBRDA:3,1,1,-\nBRF:4\nBRH:1\nDA:3,1\nDA:4,0\nDA:6,0\nDA:7,1\nDA:9,0\nLF:5\nLH:2\nend_of_record\n";
        assert_eq!(lcov(&example()), expected);
    }

    #[test]
    fn in_words() {
        assert_eq!(
            coverage_text(&example(), true),
            "  reached 2 of 5 lines, 1 of 4 branches, 1 of 2 functions\n    a.c: 2 of 5 lines, 1 of 4 branches, 1 of 2 functions\n      not reached: 4-6, 9\n"
        );
    }
}
