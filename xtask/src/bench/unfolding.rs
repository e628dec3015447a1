//! `unfold` compared with `dpor`: executions, redundant ones, time and memory, with and without
//! cutoffs.

use super::{Bench, Measured};
use anyhow::Result;
use std::fmt::Write;

const CHAIN: &str = "benches/chain.c";
const PAIRS: &str = "benches/producers_consumers.c";
const QUEUE: &str = "benches/bounded_queue.c";
const TWO_THREADS: &str = "corpus/c/safe/mutex_two_sections_each.c";

const FULL: &[&str] = &["--strategy", "unfold", "--cutoffs", "off"];
const OPTIMAL: &[&str] = &["--strategy", "unfold", "--cutoffs", "off", "--k", "optimal"];
const CUT: &[&str] = &["--strategy", "unfold"];
/// The time limit; longer runs are left out.
const TIME: &[&str] = &["--max-time", "30s"];

impl Bench {
    pub(super) fn unfolding(&self) -> Result<String> {
        let mut text = String::from("## The unfolding\n\n");
        text += "`dpor`, `unfold` with `--k optimal` and no cutoffs, `unfold` with cutoffs: executions + redundant ones \
                 (+ those that ended at cutoffs), seconds. The ratio: all executions of `dpor` for one of the last.\n\n";
        text += "| program | dpor | optimal | with cutoffs | ratio |\n| --- | --- | --- | --- | --- |\n";
        let rows = [
            (
                "chain of writers, one reader",
                CHAIN,
                &["-DK=3", "-DK=5", "-DK=7"][..],
            ),
            (
                "k producers × k consumers, one condition variable",
                PAIRS,
                &["-DK=1", "-DK=2", "-DK=3", "-DK=4"],
            ),
            (
                "bounded queue, 2 producers × 2 consumers",
                QUEUE,
                &["-DROUNDS=1", "-DROUNDS=2", "-DROUNDS=3"],
            ),
        ];
        for (title, program, sizes) in rows {
            for size in sizes {
                write!(text, "| {title}, {size}")?;
                let mut all = Vec::new();
                for options in [&[][..], OPTIMAL, CUT] {
                    let options = [&[*size][..], TIME, options].concat();
                    let run = self.check(program, &options, 1).ok();
                    write!(text, " | {}", cell(run.as_ref()))?;
                    all.push(run.map(|run| run.executions + run.redundant + run.cut));
                }
                let ratio = match (all[0], all[2]) {
                    (Some(dpor), Some(cut)) => format!("{:.2}", dpor / cut),
                    _ => String::new(),
                };
                writeln!(text, " | {ratio} |")?;
            }
        }
        let size = "-DK=9";
        let recalling = self.best(TWO_THREADS, &[size], 1)?;
        let executing = self.best(TWO_THREADS, &[size, "--recall", "off"], 1)?;
        let unfold = self.best(TWO_THREADS, &[&[size], FULL].concat(), 1)?;
        let bytes = unfold.peak / unfold.unfolding_events;
        let speed = |run: &Measured| run.executions / run.seconds;
        writeln!(
            text,
            "\n2 threads × 9 lock-protected increments, {} executions, none redundant: {:.0} executions/s of unfold without cutoffs, {:.0} of dpor \
             that executes each step, ratio {:.2} (aim ≥ 0.25), and {:.0} of dpor that looks up the steps it knows, ratio {:.2}. {:.0} events of the \
             unfolding, {:.0} a second; the process at its peak has {:.0} bytes for each, so a million take {:.2} GiB (aim < 1).\n",
            unfold.executions,
            speed(&unfold),
            speed(&executing),
            speed(&unfold) / speed(&executing),
            speed(&recalling),
            speed(&unfold) / speed(&recalling),
            unfold.unfolding_events,
            unfold.unfolding_events / unfold.seconds,
            bytes,
            bytes * 1e6 / f64::from(1 << 30)
        )?;
        Ok(text)
    }
}

/// The cost of a run, as a cell of the table; a run over the limit has its own text.
fn cell(run: Option<&Measured>) -> String {
    match run {
        Some(run) if run.cut > 0.0 => format!(
            "{} + {} + {}, {:.2} s",
            run.executions, run.redundant, run.cut, run.seconds
        ),
        Some(run) => format!("{} + {}, {:.2} s", run.executions, run.redundant, run.seconds),
        None => "not in 30 s".to_owned(),
    }
}
