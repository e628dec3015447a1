//! Predicate dependence compared with conflict dependence, on programs that resemble those of
//! Kusano and Wang (ASE 2014), Table 2. The programs are our own.

use super::Bench;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// The first line of the section in the document.
const TITLE: &str = "## Predicate dependence\n";

/// The limit in seconds; an exploration that takes longer is given up.
const MOST: u32 = 30;

/// One row: a program of ours, and the paper's figures for a similar program.
struct Row {
    name: &'static str,
    program: &'static str,
    options: &'static [&'static str],
    /// Runs of DPOR: plain, with predicate dependence, with optimisations. Seconds of the first and
    /// the last.
    paper: [&'static str; 3],
    paper_seconds: [&'static str; 2],
}

const fn row(
    name: &'static str,
    program: &'static str,
    options: &'static [&'static str],
    paper: [&'static str; 3],
    paper_seconds: [&'static str; 2],
) -> Row {
    Row {
        name,
        program,
        options,
        paper,
        paper_seconds,
    }
}

/// The paper has no figure.
const NONE: [&str; 3] = ["–", "–", "–"];
const NO_TIME: [&str; 2] = ["–", "–"];

const ROWS: &[Row] = &[
    row("AccountBad", "account", &[], ["4", "4", "3"], ["0.05", "0.05"]),
    row(
        "BluetoothBad",
        "driver_stop",
        &[],
        ["23", "9", "9"],
        ["0.19", "0.11"],
    ),
    row(
        "ReadReadWrite",
        "read_read_write",
        &[],
        ["7", "3", "3"],
        ["0.07", "0.03"],
    ),
    row(
        "ReadWriteLock",
        "read_write_lock",
        &[],
        ["1983", "28", "28"],
        ["22.03", "0.41"],
    ),
    row("Stateful", "two_locks", &[], ["6", "6", "2"], ["0.02", "0.02"]),
    row("IndexerSafe11, locks", "indexer", &["-DN=11"], NONE, NO_TIME),
    row(
        "IndexerSafe12, locks",
        "indexer",
        &["-DN=12"],
        ["8", "8", "1"],
        ["0.57", "0.15"],
    ),
    row(
        "IndexerSafe13, locks",
        "indexer",
        &["-DN=13"],
        ["64", "64", "1"],
        ["4.64", "0.17"],
    ),
    row(
        "IndexerSafe14, locks",
        "indexer",
        &["-DN=14"],
        ["512", "512", "1"],
        ["36.03", "0.22"],
    ),
    row(
        "IndexerSafe15, locks",
        "indexer",
        &["-DN=15"],
        ["4096", "4096", "1"],
        ["282.06", "0.43"],
    ),
    row(
        "IndexerSafe15, atomic",
        "indexer",
        &["-DN=15", "-DATOMIC"],
        NONE,
        NO_TIME,
    ),
    row("Fig. 6", "figure6", &[], NONE, NO_TIME),
    row("Fig. 7", "figure7", &[], ["3", "–", "–"], NO_TIME),
    row("Fig. 8", "figure8", &[], ["12870", "–", "1"], NO_TIME),
    row("Fig. 9", "figure9", &[], ["6", "–", "2"], NO_TIME),
    row("nbds-list", "list", &[], ["×", "1", "1"], ["×", "0.19"]),
    row(
        "nbds-hashtable4",
        "hash_table",
        &["-DCAS=4"],
        ["641", "36", "36"],
        ["37.11", "25.02"],
    ),
    row(
        "nbds-hashtable5",
        "hash_table",
        &["-DCAS=5"],
        ["999", "36", "36"],
        ["68.05", "25.30"],
    ),
    row(
        "nbds-hashtable6",
        "hash_table",
        &["-DCAS=6"],
        ["16441", "216", "216"],
        ["1082.00", "37.74"],
    ),
    row(
        "nbds-hashtable7",
        "hash_table",
        &["-DCAS=7"],
        ["25623", "216", "216"],
        ["1828.59", "73.08"],
    ),
    row(
        "nbds-hashtable8",
        "hash_table",
        &["-DCAS=8"],
        ["×", "1296", "1296"],
        ["×", "138.04"],
    ),
    row(
        "nbds-skiplistU1",
        "skip_list",
        &["-DFOUND"],
        ["35", "30", "30"],
        ["1.05", "3.14"],
    ),
    row(
        "nbds-skiplistU2",
        "skip_list",
        &["-DFOUND", "-DKEYS=2"],
        ["1057", "913", "913"],
        ["43.67", "49.40"],
    ),
    row(
        "nbds-skiplist",
        "skip_list",
        &["-DTHREADS=3", "-DKEYS=2"],
        ["×", "1", "1"],
        ["×", "0.21"],
    ),
    row("nedmalloc", "allocator", &[], ["×", "1", "1"], ["×", "9.14"]),
    row("pfscan", "file_scanner", &[], ["×", "×", "1666"], ["×", "61.24"]),
];

/// One exploration: executions of all kinds, and seconds.
struct Explored {
    executions: u64,
    seconds: f64,
    complete: bool,
    relation: String,
}

impl Explored {
    fn cell(&self) -> String {
        match self.complete {
            true => format!("{}, {:.2} s", self.executions, self.seconds),
            false => format!("×, > {}", self.executions),
        }
    }
}

impl Bench {
    pub(super) fn predicate(&self) -> Result<String> {
        let mut text = format!("{TITLE}\n");
        writeln!(
            text,
            "Programs of our own (benches/predicate) in the shape of those of Kusano and Wang (ASE 2014), Table 2, which are not at hand: assertions and \
             deadlocks, `--strategy dpor --stop never`, one job. Executions, redundant ones among them, and seconds of the exploration; ×: not in {MOST} s, theirs: not in two hours. \
             *Published* is `--dependence predicate-published` for assertions alone, first with `--peek off`, then with `--peek on --write-write-pruning on`: their rules, which lose errors (docs/algorithms.md, \"As published\"), with sleep sets. The counts are those of one exploration, with the slice that it ended with. \
             A row is *comparable* if conflict dependence without sleep sets (or with them, where it says so) gives their DPOR's runs.\n"
        )?;
        text += "| shape of | theirs: DPOR / predicate / optimised | their s | conflict, no sleep sets | published | published, optimised | conflict | predicate | comparable |\n";
        text += "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
        for row in ROWS {
            let all = &["--dependence", "conflict", "--visibility", "memory"][..];
            let plain = self.predicate_run(row, &[all, &["--sleep-sets", "off"]].concat())?;
            let conflict = self.predicate_run(row, all)?;
            let predicate = self.predicate_run(row, &["--dependence", "predicate"])?;
            let theirs = &["--dependence", "predicate-published"][..];
            let published = [theirs, &["--peek", "off"]].concat();
            let published = self.explored(row, "assertion", &published)?;
            let optimised = [theirs, &["--write-write-pruning", "on"]].concat();
            let optimised = self.explored(row, "assertion", &optimised)?;
            let same = |ours: &Explored| ours.complete && row.paper[0] == ours.executions.to_string();
            let comparable = match (same(&plain), same(&conflict)) {
                (true, _) => "yes",
                (false, true) => "with sleep sets",
                (false, false) => "no",
            };
            let note = match predicate.relation.as_str() {
                "predicate" => "",
                _ => " (by conflict)",
            };
            writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {}{note} | {comparable} |",
                row.name,
                row.paper.join(" / "),
                row.paper_seconds.join(" / "),
                plain.cell(),
                published.cell(),
                optimised.cell(),
                conflict.cell(),
                predicate.cell(),
            )?;
        }
        text.push('\n');
        Ok(text + NOTES)
    }

    fn predicate_run(&self, row: &Row, options: &[&str]) -> Result<Explored> {
        self.explored(row, "assertion,deadlock", options)
    }

    fn explored(&self, row: &Row, properties: &str, options: &[&str]) -> Result<Explored> {
        let program = format!("benches/predicate/{}.c", row.program);
        let fixed = [
            "--stop=never",
            &format!("--property={properties}"),
            &format!("--max-time={MOST}s"),
        ];
        let options = [&fixed[..], options, row.options].concat();
        let output = Command::new(&self.selvedge)
            .args(Self::arguments(&program, &options, 1))
            .output()
            .with_context(|| format!("cannot run {}", self.selvedge.display()))?;
        let report: Value = serde_json::from_slice(&output.stdout).with_context(|| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{program}: the report is no JSON: {errors}")
        })?;
        let count = |name: &str| {
            report["statistics"][name]
                .as_u64()
                .with_context(|| format!("{program}: no statistics.{name}"))
        };
        Ok(Explored {
            executions: count("executions")? + count("redundant_executions")?,
            seconds: report["statistics"]["seconds"].as_f64().unwrap_or_default(),
            complete: report["verdict"] != "unknown" || is_published(&report),
            relation: report["dependence"].as_str().unwrap_or_default().to_owned(),
        })
    }
}

/// Whether nothing but the published rules keeps a run from being complete.
fn is_published(report: &Value) -> bool {
    let reasons = report["reasons"].as_array().map_or(&[][..], Vec::as_slice);
    let published = |reason: &Value| {
        let detail = reason["detail"].as_str().unwrap_or_default();
        detail.starts_with("predicate-published")
    };
    !reasons.is_empty() && reasons.iter().all(published)
}

const NOTES: &str = "\
Where a comparable row of predicate dependence is above theirs, optimised:

- *Stateful*: the two sections of each lock are in conflict, and the locks are independent: 2 × 2 orders, each with its own values in between: an assertion about what one thread sees in both sections fails in one of the four alone, so two executions miss errors. Critical section peeking changes nothing here, because the sections of one lock access the same variables. Their rules have 4 executions, too, and 6 without sleep sets, as theirs without optimisations; their 2 is not reproduced.
- *Fig. 9*: two results can be read, and their count is 2 by leaving out orders of two writes. As published that loses executions: `main { x = 1; join t; r = x } t { x = 2 }` loses r = 1. With `--write-write-pruning on` there are 3, as by their rules here; one repeats another. `--strategy reads-from` has 2, and loses nothing.

IndexerSafe has their runs in all three columns with their rules: locks are dependent without critical section peeking, and with it nothing is left that matters. That is so for assertions alone; where deadlocks are asked for, lock calls are essential by their rules, and each waits in a loop for the table. \
nedmalloc has their single run only by their rules. nbds-list and nbds-skiplist have 1 by their rules as well; the sound ones need more, also for assertions alone (175, and not in 20 s).

In the other rows the programs differ, so the counts say only how each relation grows: by 64 → 512 → 4096 for each two more operations of the hash table, theirs by 36 → 216 → 1296 (on the keys of their program). What pfscan's workers take from the queue decides how often they wait for it, so all orders of its sections matter.
";
