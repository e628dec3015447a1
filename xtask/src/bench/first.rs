//! Time until the first finding: `auto` compared with its first search alone, on all programs of
//! the corpus that have a fault.

use super::Bench;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const TITLE: &str = "## Time to the first finding";

/// Maximum seconds; a longer run counts as this long.
const MOST: f64 = 20.0;

/// One program under one strategy.
struct First {
    seconds: f64,
    /// The search that found it; `None` if none did.
    by: Option<String>,
}

impl Bench {
    pub(super) fn first_findings(&self) -> Result<String> {
        let mut programs = Vec::new();
        collect(Path::new("corpus"), &mut programs)?;
        programs.sort();
        let (mut alone, mut auto) = (Vec::new(), Vec::new());
        for program in &programs {
            let text = std::fs::read_to_string(program)?;
            for options in ways(&text) {
                // Run in pairs, so that both have the same conditions.
                alone.push(self.first(program, &[&options[..], &["--strategy", "unfold"]].concat())?);
                auto.push(self.first(program, &options)?);
            }
        }
        let mut out = format!("{TITLE}\n\n");
        writeln!(
            out,
            "All programs of the corpus with a fault, each way to run them ({}), in pairs: `unfold` alone, and `auto`. Seconds of the whole command, \
             compiling included; what is not found in {MOST:.0} s counts as {MOST:.0} s.\n",
            auto.len()
        )?;
        out += "| | median | 9 of 10 below | longest | not found |\n| --- | --- | --- | --- | --- |\n";
        for (name, runs) in [("`unfold`", &alone), ("`auto`", &auto)] {
            let mut seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
            seconds.sort_by(f64::total_cmp);
            let at = |part: f64| seconds[((seconds.len() - 1) as f64 * part) as usize];
            let missed = runs.iter().filter(|run| run.by.is_none()).count();
            writeln!(
                out,
                "| {name} | {:.3} | {:.3} | {:.2} | {missed} |",
                at(0.5),
                at(0.9),
                at(1.0)
            )?;
        }
        out += "\nWho decided under `auto`:\n\n| strategy | programs |\n| --- | --- |\n";
        let mut decided: BTreeMap<&str, u32> = BTreeMap::new();
        for by in auto.iter().filter_map(|run| run.by.as_deref()) {
            *decided.entry(by).or_default() += 1;
        }
        for (strategy, count) in decided {
            writeln!(out, "| {strategy} | {count} |")?;
        }
        out.push('\n');
        Ok(out)
    }

    fn first(&self, program: &Path, options: &[&str]) -> Result<First> {
        let started = Instant::now();
        let output = Command::new(&self.selvedge)
            .args([
                "check",
                "--format",
                "json",
                "--finding",
                "none",
                "--progress",
                "never",
            ])
            .arg(format!("--max-time={MOST}s"))
            .args(options)
            .arg(program)
            .output()
            .with_context(|| format!("cannot run {}", self.selvedge.display()))?;
        let seconds = started.elapsed().as_secs_f64().min(MOST);
        let report: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{}: the report is no JSON", program.display()))?;
        let found = report["verdict"] == "violated";
        Ok(First {
            seconds: if found { seconds } else { MOST },
            by: found.then(|| report["strategy"].as_str().unwrap_or_default().to_owned()),
        })
    }
}

/// The options of each way to run a corpus program in which it has a fault: the options in its
/// comments (crates/cli/tests/corpus/expectation.rs), without the expected results. Ways that
/// choose a strategy are left out.
fn ways(text: &str) -> Vec<Vec<&str>> {
    let said = |what: &str| -> Vec<Vec<&str>> {
        let lines = text
            .lines()
            .filter_map(|line| line.trim_start_matches(['/', ';', ' ']).strip_prefix(what));
        lines.map(|line| line.split_whitespace().collect()).collect()
    };
    let options = said("options:").concat();
    let mut variants = said("variant:");
    if variants.is_empty() {
        variants.push(Vec::new());
    }
    // Definitions may have parentheses, too.
    let is_expected = |word: &str| word.contains('(') && !word.starts_with('-');
    variants
        .into_iter()
        .map(|variant| [&options[..], &variant].concat())
        .filter(|words| {
            let other = |word: &&str| word.starts_with("verdict(") && *word != "verdict(violated)";
            !words
                .iter()
                .any(|word| other(word) || word.starts_with("--strategy"))
        })
        .map(|words| words.into_iter().filter(|word| !is_expected(word)).collect())
        .collect()
}

/// The programs below a folder that have a fault. The name of the folder is the verdict.
fn collect(folder: &Path, programs: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if name != "safe" && name != "unknown" {
                collect(&path, programs)?;
            }
        } else if matches!(
            path.extension().and_then(|e| e.to_str()),
            Some("c" | "cc" | "cpp" | "ll")
        ) {
            programs.push(path);
        }
    }
    Ok(())
}
