//! Lock-free programs: how cost grows, under each strategy, and what other checkers take.

use super::{Bench, Measured};
use crate::process::capture_errors;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::Command;

/// A program of `benches/lockfree`.
struct Row {
    program: &'static str,
    /// Its sizes, the smallest first.
    sizes: &'static [&'static str],
    /// What others took on another run of the same kind of machine for programs of this kind, at
    /// the last size: GenMC, and the best mode of Nidhugg; user CPU seconds, with executions.
    peers: &'static str,
}

const fn row(program: &'static str, sizes: &'static [&'static str], peers: &'static str) -> Row {
    Row {
        program,
        sizes,
        peers,
    }
}

const ROWS: &[Row] = &[
    row("ticket_lock", &["-DN=4", "-DN=5"], "0.04 (120); 0.09"),
    row("ttas_lock", &["-DN=3", "-DN=4"], "0.06 (576); 0.31"),
    row("rw_spin_lock", &["-DN=1", "-DN=2"], "0.06 (48); 0.65"),
    row("mcs_lock", &["-DN=3", "-DN=4"], "0.13 (1080); –"),
    row(
        "treiber_stack",
        &[
            "-DPUSHERS=2 -DPOPPERS=2",
            "-DPUSHERS=4 -DPOPPERS=1",
            "-DPUSHERS=3 -DPOPPERS=2",
        ],
        "0.70 (6204); 17.6 (34968)",
    ),
    row("ms_queue", &["-DN=1", "-DN=2"], "0.09 (158); –"),
    row(
        "seqlock",
        &["-DWRITERS=2 -DREADERS=2", "-DWRITERS=3 -DREADERS=2"],
        "0.31 (96); 3.3",
    ),
    row("sense_barrier", &["-DN=5", "-DN=6"], "0.19 (720); 0.31"),
    row("cas_rotation", &["-DN=8", "-DN=9"], "0.28 (8597); 0.46"),
    row("readers", &["-DN=10", "-DN=13"], "0.23; 1.7"),
    row("lastwriter", &["-DN=6", "-DN=7"], "– (5040); – (7)"),
    row("sigma", &["-DN=5", "-DN=6"], "– (10395); – (720)"),
    row("pthread_barrier", &["-DN=5", "-DN=6"], "– (1); – (720)"),
    row("anderson_lock", &["-DN=4", "-DN=5"], ""),
    row("bakery", &["-DN=2"], ""),
    row("cas_counter", &["-DN=4", "-DN=5"], ""),
    row("cas_maximum", &["-DN=4", "-DN=5"], ""),
    row("clh_lock", &["-DN=4", "-DN=5"], ""),
    row("dekker", &["-DROUNDS=1", "-DROUNDS=2"], ""),
    row("exchange_lock", &["-DN=3", "-DN=4"], ""),
    row("once_flag", &["-DN=4", "-DN=5"], ""),
    row("peterson", &["-DN=2"], ""),
    row("publication", &["-DN=4", "-DN=6"], ""),
    row("reference_count", &["-DN=4", "-DN=5"], ""),
    row("spsc_ring", &["-DROUNDS=4", "-DROUNDS=6"], ""),
    row("work_stealing", &["-DN=2 -DTHIEVES=2", "-DN=3 -DTHIEVES=2"], ""),
];

const STRATEGIES: [&str; 4] = ["unfold", "dpor", "stateful", "auto"];

impl Bench {
    pub(super) fn lockfree(&self) -> Result<String> {
        let mut text = String::from(
            "## Lock-free programs\n\nPrograms of `benches/lockfree`, where threads spin and retry. User CPU seconds of the whole command, the compiler's \
             included; in brackets executions + redundant ones + those that ended at states that were known. What takes longer than 30 s is left out. The \
             last column is GenMC; the best mode of Nidhugg, as measured before on a machine of the same kind with their own versions of these \
             programs, for the largest size: no run of today.\n\n",
        );
        text += "| program | `unfold` | `dpor` | `stateful` | `auto` | GenMC; Nidhugg |\n| --- | --- | --- | --- | --- | --- |\n";
        for row in ROWS {
            for (i, size) in row.sizes.iter().enumerate() {
                let peers = if i + 1 == row.sizes.len() { row.peers } else { "" };
                write!(text, "| {}, {size}", row.program)?;
                for strategy in STRATEGIES {
                    write!(text, " | {}", self.spent(row.program, size, strategy)?)?;
                }
                writeln!(text, " | {peers} |")?;
            }
        }
        Ok(text + "\n")
    }

    /// What one run took.
    fn spent(&self, program: &str, size: &str, strategy: &str) -> Result<String> {
        let source = format!("benches/lockfree/{program}.c");
        let fixed = "check --format json --finding none --progress never --jobs 1 --max-time 30s";
        let arguments = fixed.split(' ').chain(["--strategy", strategy]);
        let before = children_seconds()?;
        let mut command = Command::new(&self.selvedge);
        command.args(arguments).args(size.split(' ')).arg(&source);
        let (report, _) = capture_errors(&mut command)?;
        let seconds = children_seconds()? - before;
        Ok(match Measured::read(&report, &source) {
            Ok(run) => format!(
                "{seconds:.2} ({} + {} + {})",
                run.executions, run.redundant, run.cut
            ),
            Err(_) => "not verified in 30 s".to_owned(),
        })
    }
}

/// User CPU seconds of all processes that this one has waited for.
fn children_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the command is in brackets and may hold spaces. In clock ticks, 100 a second.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = fields.split(' ').nth(13).context("/proc/self/stat is short")?;
    Ok(ticks.parse::<f64>()? / 100.0)
}
