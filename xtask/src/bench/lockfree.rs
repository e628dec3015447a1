//! Lock-free programs: how the cost grows under each strategy, and the cost of other checkers.

use super::{Bench, Measured};
use crate::process::capture_errors;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::Command;

/// The section's title in the document.
const TITLE: &str = "## Lock-free programs\n";

/// The limit in seconds; longer runs are left out.
const MOST_SECONDS: u32 = 10;

/// A program of `benches/lockfree`, a size, and the figures of other checkers for such a program
/// and size: GenMC, and the best mode of Nidhugg. They are user CPU seconds with executions, from a
/// different run on the same kind of machine.
type Row = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("ticket_lock", "-DN=5", "0.04 (120); 0.09"),
    ("ticket_lock", "-DN=6", "0.14 (720); 0.24"),
    ("ticket_lock", "-DN=8", ""),
    ("ttas_lock", "-DN=4", "0.06 (576); 0.31"),
    ("ttas_lock", "-DN=5", "1.4 (14400); 13"),
    ("ttas_lock", "-DN=6", ""),
    ("rw_spin_lock", "-DN=2", "0.06 (48); 0.65"),
    ("mcs_lock", "-DN=3", ""),
    ("mcs_lock", "-DN=4", "0.13 (1080); –"),
    ("treiber_stack", "-DPUSHERS=3 -DPOPPERS=2", "0.70 (6204); 17.6 (34968)"),
    ("treiber_stack", "-DPUSHERS=4 -DPOPPERS=1", "6.9 (71400); –"),
    ("ms_queue", "-DN=2", "0.09 (158); –"),
    ("seqlock", "-DWRITERS=2 -DREADERS=2", ""),
    ("seqlock", "-DWRITERS=3 -DREADERS=2", "0.31 (96); 3.3"),
    ("sense_barrier", "-DN=6", "0.19 (720); 0.31"),
    ("cas_rotation", "-DN=8", "0.07 (2048); –"),
    ("cas_rotation", "-DN=9", "0.28 (8597); 0.46"),
    ("readers", "-DN=10", ""),
    ("readers", "-DN=13", "0.23; 1.7"),
    ("lastwriter", "-DN=7", "– (5040); – (7)"),
    ("sigma", "-DN=6", "– (10395); – (720)"),
    ("pthread_barrier", "-DN=6", "– (1); – (720)"),
    ("anderson_lock", "-DN=4", ""),
    ("anderson_lock", "-DN=5", ""),
    ("bakery", "-DN=2", ""),
    ("cas_counter", "-DN=5", ""),
    ("cas_counter", "-DN=7", ""),
    ("cas_maximum", "-DN=4", ""),
    ("cas_maximum", "-DN=5", ""),
    ("clh_lock", "-DN=4", ""),
    ("clh_lock", "-DN=5", ""),
    ("dekker", "-DROUNDS=2", ""),
    ("exchange_lock", "-DN=4", ""),
    ("exchange_lock", "-DN=6", ""),
    ("once_flag", "-DN=5", ""),
    ("peterson", "-DN=2", ""),
    ("publication", "-DN=6", ""),
    ("reference_count", "-DN=5", ""),
    ("spsc_ring", "-DROUNDS=6", ""),
    ("work_stealing", "-DN=3 -DTHIEVES=2", ""),
];

/// The columns: a title, and its options.
const COLUMNS: [(&str, &str); 6] = [
    ("`auto`", "--strategy auto"),
    ("`auto --symmetry off`", "--strategy auto --symmetry off"),
    ("`unfold`", "--strategy unfold"),
    ("`stateful`", "--strategy stateful"),
    ("`dpor`", "--strategy dpor"),
    ("`reads-from`", "--strategy reads-from"),
];

impl Bench {
    pub(super) fn lockfree(&self) -> Result<String> {
        let mut text = format!(
            "{TITLE}\nPrograms of `benches/lockfree`, where threads spin and retry. User CPU seconds of the whole command, the compiler's \
             included; in brackets executions + redundant ones + those that ended at states that were known. What takes longer than {MOST_SECONDS} s is left out. The \
             last column is GenMC; the best mode of Nidhugg, as measured before on a machine of the same kind with their own versions of these \
             programs: no run of today, and without symmetry. Executions that differ in which of several identical threads does what are explored once where no column says otherwise; of these programs \
             ticket_lock, ttas_lock, anderson_lock, exchange_lock, cas_counter and reference_count have some, the others give each thread its number.\n\n|program|",
        );
        for (title, _) in COLUMNS {
            write!(text, " {title} |")?;
        }
        text += " GenMC; Nidhugg |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
        text = text.replace("|program|", "| program |");
        for (program, size, peers) in ROWS {
            write!(text, "| {program}, {size}")?;
            for (_, options) in COLUMNS {
                write!(text, " | {}", self.spent(program, size, options)?)?;
            }
            writeln!(text, " | {peers} |")?;
        }
        Ok(text + "\n")
    }

    /// The cost of one run.
    fn spent(&self, program: &str, size: &str, options: &str) -> Result<String> {
        let source = format!("benches/lockfree/{program}.c");
        let fixed = "check --format json --finding none --progress never --jobs 1";
        let arguments = fixed.split(' ').chain(options.split(' '));
        let before = children_seconds()?;
        let mut command = Command::new(&self.selvedge);
        command.args(arguments).args(size.split(' '));
        command.arg(format!("--max-time={MOST_SECONDS}s")).arg(&source);
        let (report, _) = capture_errors(&mut command)?;
        let seconds = children_seconds()? - before;
        Ok(match Measured::read(&report, &source) {
            Ok(run) => format!(
                "{seconds:.2} ({} + {} + {})",
                run.executions, run.redundant, run.cut
            ),
            Err(_) => "–".to_owned(),
        })
    }
}

/// User CPU seconds of all child processes that were waited for.
fn children_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the command is in brackets and may contain spaces. Times are in clock ticks, 100
    // per second.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = fields.split(' ').nth(13).context("/proc/self/stat is short")?;
    Ok(ticks.parse::<f64>()? / 100.0)
}
