//! Programs with unconstrained inputs: the time to explore all paths, and the solver's share of it.

use super::{Bench, Measured};
use crate::demo::vendored;
use anyhow::{Result, bail};
use std::fmt::Write;

const SORT: &str = "corpus/inputs/safe/bubble_sort.c";
const JSON: &str = "corpus/inputs/safe/json_tokens_two_threads.c";

/// One program, explored completely.
struct Row {
    title: &'static str,
    program: &'static str,
    options: &'static [&'static str],
    /// The expected number, if theory gives one.
    executions: Option<f64>,
    aim: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        title: "12 bytes, each compared once with a constant",
        program: "corpus/inputs/safe/twelve_bytes.c",
        options: &[],
        executions: Some(4096.0),
        aim: "< 0.5 s (KLEE: 17.3 s)",
    },
    Row {
        title: "bubble sort of 4 ints, the order asserted",
        program: SORT,
        options: &["-DN=4"],
        executions: Some(24.0),
        aim: "< 1 s (KLEE: 39 s)",
    },
    Row {
        title: "bubble sort of 5 ints, the order asserted",
        program: SORT,
        options: &["-DN=5"],
        executions: Some(120.0),
        aim: "< 5 s (KLEE: 291 s)",
    },
    Row {
        title: "maze of 11 × 7, 28 moves",
        program: "benches/maze.c",
        options: &[],
        executions: Some(7057.0),
        aim: "≥ 1,000 paths/s",
    },
    Row {
        title: "strtol of 4 bytes, and branches on its value",
        program: "corpus/inputs/safe/number_parser.c",
        options: &[],
        executions: Some(41.0),
        aim: "explored completely",
    },
    Row {
        title: "6 bytes of JSON through a queue between two threads: 706 paths × 243 schedules",
        program: JSON,
        options: &["-DBYTES=6"],
        executions: Some(171_558.0),
        aim: "explored completely",
    },
];

impl Bench {
    /// The section on inputs.
    pub(super) fn inputs(&self) -> Result<String> {
        let mut text = String::from(
            "## Inputs of any value\n\nAll paths with all schedules, one job. KLEE is 3.3-pre with Z3 on the same kind of machine.\n\n",
        );
        text +=
            "| program | executions | seconds | executions/s | solver queries | seconds of them | aim |\n";
        text += "| --- | --- | --- | --- | --- | --- | --- |\n";
        for row in ROWS {
            let run = self.best(row.program, row.options, 1)?;
            if row.executions.is_some_and(|expected| expected != run.executions) {
                bail!("{}: {} executions", row.title, run.executions);
            }
            line(&mut text, row.title, &run, row.aim)?;
        }
        let lz4 = vendored("examples/lz4-decoder/Cargo.toml", "lz4-sys")?.join("liblz4/lib");
        let (headers, source) = (lz4.display().to_string(), lz4.join("lz4.c").display().to_string());
        let run = self.check("examples/lz4-decoder/driver.c", &["-I", &headers, &source], 1)?;
        let title = "LZ4's block decoder on 8 bytes";
        line(&mut text, title, &run, "explored completely")?;

        let zstd = vendored("examples/zstd-pool/Cargo.toml", "zstd-sys")?.join("zstd/lib/common");
        let (headers, pool) = (
            zstd.display().to_string(),
            zstd.join("pool.c").display().to_string(),
        );
        let threading = zstd.join("threading.c").display().to_string();
        // The orders of its waits are too many to be explored one by one.
        let auto = ["--strategy", "auto"];
        let options = ["-DZSTD_MULTITHREAD", "-I", &headers, &pool, &threading];
        let options = [&auto[..], &options].concat();
        let run = self.check("examples/zstd-pool/inputs.c", &options, 1)?;
        let title = "zstd's thread pool, 1–2 workers, queue of 0–2, 0–2 jobs";
        line(&mut text, title, &run, "explored completely")?;
        Ok(text + "\n")
    }
}

fn line(text: &mut String, title: &str, run: &Measured, aim: &str) -> Result<()> {
    writeln!(
        text,
        "| {title} | {} | {:.2} | {:.0} | {} | {:.2} | {aim} |",
        run.executions,
        run.seconds,
        run.executions / run.seconds,
        run.queries,
        run.solving
    )?;
    Ok(())
}
