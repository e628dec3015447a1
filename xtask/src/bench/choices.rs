//! Thread choices of `stateful` by visibility, on programs in the shape of those of Parízek (VMCAI
//! 2016), Tables 3 to 5. The programs are our own (benches/choices).

use super::Bench;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// The first line of the section in the document.
const TITLE: &str = "## Thread choices\n";

/// The limit in seconds; an exploration that takes longer is given up.
const MOST: u32 = 60;

/// The number of pairs of runs whose times are compared.
const PAIRS: usize = 3;

const VISIBILITIES: [&str; 4] = ["memory", "reachable", "fields", "hybrid"];

/// A program of ours, and the paper's figures for the one that it resembles.
struct Row {
    name: &'static str,
    program: &'static str,
    /// Sizes at which the time can be measured.
    larger: &'static [&'static str],
    /// Sizes at which `memory` takes a second or more, to compare the time.
    timed: &'static [&'static str],
    /// Table 3: choices with heap reachability and all array choices, with fields, with hybrid; 0
    /// if it is in none.
    reachability: [u64; 3],
    /// Table 4: choices of dynamic reduction with array choices, and with hybrid; 0 if there was
    /// no end.
    dynamic: [u64; 2],
    /// Table 5: choices to the first error with heap reachability, and with hybrid.
    error: Option<[u64; 2]>,
}

const fn row(
    name: &'static str,
    program: &'static str,
    larger: &'static [&'static str],
    timed: &'static [&'static str],
    reachability: [u64; 3],
    dynamic: [u64; 2],
    error: Option<[u64; 2]>,
) -> Row {
    Row {
        name,
        program,
        larger,
        timed,
        reachability,
        dynamic,
        error,
    }
}

const ROWS: &[Row] = &[
    row(
        "CRE Demo",
        "cre",
        &["-DSTEPS=4"],
        &["-DTHREADS=3", "-DSTEPS=3"],
        [103_016, 41_146, 29_737],
        [2_232, 2_197],
        None,
    ),
    row(
        "Daisy",
        "daisy",
        &["-DFILES=2"],
        &["-DFILES=3"],
        [32_347_254, 8_453_587, 8_453_587],
        [0, 0],
        Some([253_336, 173_441]),
    ),
    row(
        "Crypt",
        "crypt",
        &["-DBLOCKS=2"],
        &["-DTHREADS=4"],
        [682_273, 674_041, 46_105],
        [9, 9],
        None,
    ),
    row(
        "Elevator",
        "elevator",
        &["-DPEOPLE=2"],
        &["-DTHREADS=3", "-DPEOPLE=2"],
        [23_709_139, 9_980_240, 4_748_393],
        [501_732, 342_817],
        Some([31_169, 8_494]),
    ),
    row(
        "Simple JBB",
        "jbb",
        &["-DTHREADS=3"],
        &["-DTHREADS=3", "-DTRANSACTIONS=6"],
        [836_889, 515_312, 344_428],
        [608, 608],
        None,
    ),
    row(
        "Alarm Clock",
        "alarm_clock",
        &["-DTHREADS=3"],
        &["-DTHREADS=4"],
        [742_027, 344_791, 344_791],
        [155_974, 103_964],
        Some([428, 161]),
    ),
    row(
        "Prod-Cons",
        "prod_cons",
        &["-DTHREADS=4"],
        &["-DTHREADS=4", "-DITEMS=4"],
        [6_934, 2_792, 2_792],
        [444, 407],
        Some([12_073, 3_030]),
    ),
    row(
        "Rep Workers",
        "rep_workers",
        &["-DDEPTH=2"],
        &["-DDEPTH=3"],
        [9_983_423, 1_714_694, 1_714_694],
        [0, 0],
        Some([6_708, 1_545]),
    ),
    row(
        "SOR",
        "sor",
        &["-DROWS=2", "-DCOLUMNS=2", "-DITERATIONS=2"],
        &["-DTHREADS=4", "-DROWS=2", "-DCOLUMNS=4"],
        [1_565_386, 772_837, 273_693],
        [40_594, 19_819],
        None,
    ),
    row(
        "TSP",
        "tsp",
        &["-DTHREADS=3"],
        &["-DTHREADS=4"],
        [47_475, 15_386, 13_258],
        [101, 97],
        None,
    ),
    row(
        "QSort MT",
        "qsort_mt",
        &["-DLENGTH=8"],
        &["-DTHREADS=5", "-DLENGTH=14"],
        [0, 0, 0],
        [0, 0],
        Some([2_635, 1_428]),
    ),
];

/// The report of one run.
struct Run {
    report: Value,
}

impl Run {
    fn count(&self, name: &str) -> u64 {
        self.report["statistics"][name].as_u64().unwrap_or_default()
    }

    fn seconds(&self) -> f64 {
        self.report["statistics"]["seconds"].as_f64().unwrap_or_default()
    }

    fn is_complete(&self) -> bool {
        self.report["verdict"] != "unknown"
    }

    /// Choices and seconds.
    fn cell(&self) -> String {
        let choices = self.count("thread_choices");
        match self.is_complete() {
            true => format!("{choices}, {:.2} s", self.seconds()),
            false => format!("×, > {choices}"),
        }
    }
}

/// The quotient of two counts; 1 if both are 0.
fn ratio(made: u64, of: u64) -> String {
    match (made, of) {
        (0, 0) => "1.00".into(),
        (_, 0) => "∞".into(),
        _ => format!("{:.2}", made as f64 / of as f64),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn mean(values: &[f64]) -> f64 {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (logarithms / values.len() as f64).exp()
}

impl Bench {
    pub(super) fn choices(&self) -> Result<String> {
        let mut text = format!("{TITLE}\n{INTRODUCTION}\n");
        self.precision(&mut text)?;
        self.whole_state_spaces(&mut text)?;
        self.times(&mut text)?;
        self.errors(&mut text)?;
        Ok(text)
    }

    /// Which choices are necessary, at the smallest sizes.
    fn precision(&self, text: &mut String) -> Result<()> {
        text.push_str(
            "| shape of | necessary | memory | reachable | fields | hybrid | at fields | at elements | at others | hybrid ÷ necessary |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        );
        let mut precisions = Vec::new();
        for row in ROWS {
            let mut counts = Vec::new();
            for visibility in VISIBILITIES {
                let run = self.choices_run(row, &options(visibility, "necessary-choices"), &[])?;
                counts.push(run);
            }
            let made = |run: &Run| run.count("thread_choices").to_string();
            let [memory, reachable, fields, hybrid] = &counts[..] else {
                unreachable!("there are four");
            };
            let kind = |name: &str| {
                let made = hybrid.count(&format!("{name}_choices"));
                let necessary = hybrid.count(&format!("necessary_{name}_choices"));
                format!("{made} / {necessary}")
            };
            let (all, necessary) = (hybrid.count("thread_choices"), hybrid.count("necessary_choices"));
            if all > 0 {
                precisions.push(all as f64 / necessary as f64);
            }
            writeln!(
                text,
                "| {} | {necessary} | {} | {} | {} | {all} | {} | {} | {} | {} |",
                row.name,
                made(memory),
                made(reachable),
                made(fields),
                kind("field"),
                kind("element"),
                kind("other"),
                ratio(all, necessary),
            )?;
        }
        writeln!(
            text,
            "\nThe geometric mean of the last column is {:.2}. At fields, elements and others: made with hybrid / necessary.\n",
            mean(&precisions)
        )?;
        Ok(())
    }

    /// Tables 3 and 4.
    fn whole_state_spaces(&self, text: &mut String) -> Result<()> {
        text.push_str(
            "Larger sizes, choices and seconds (the paper's Tables 3 and 4; ×: no end):\n\n\
             | shape of, sizes | memory | reachable | fields | hybrid | fields ÷ hybrid | theirs | theirs: HR all, HR fields + hybrid | theirs: DPOR arrays, DPOR fields + hybrid |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n",
        );
        for row in ROWS {
            let mut cells = Vec::new();
            let mut counts = Vec::new();
            for visibility in VISIBILITIES {
                let run = self.choices_run(row, &options(visibility, "choices"), row.larger)?;
                cells.push(run.cell());
                counts.push(run.count("thread_choices"));
            }
            let [all, fields, hybrid] = row.reachability;
            let [arrays, reduced] = row.dynamic;
            let pair = |one: u64, other: u64| match other {
                0 => "–".to_owned(),
                _ => format!("{one}, {other}"),
            };
            let theirs = if hybrid == 0 {
                "–".into()
            } else {
                ratio(fields, hybrid)
            };
            writeln!(
                text,
                "| {}, {} | {} | {} | {theirs} | {} | {} |",
                row.name,
                row.larger.join(" "),
                cells.join(" | "),
                ratio(counts[2], counts[3]),
                pair(all, hybrid),
                pair(arrays, reduced),
            )?;
        }
        text.push('\n');
        Ok(())
    }

    /// The time of `memory` and `hybrid`, in pairs.
    fn times(&self, text: &mut String) -> Result<()> {
        writeln!(
            text,
            "Time of the whole exploration in seconds, where `memory` takes one or more: medians of {PAIRS} pairs of runs, and of their ratios.\n\n\
             | shape of, sizes | memory: states, choices | seconds | hybrid: states, choices | seconds | memory ÷ hybrid |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |"
        )?;
        let (mut ratios, mut reduced) = (Vec::new(), Vec::new());
        for row in ROWS {
            let mut pairs = Vec::new();
            for _ in 0..PAIRS {
                let memory = self.choices_run(row, &options("memory", "choices"), row.timed)?;
                let hybrid = self.choices_run(row, &options("hybrid", "choices"), row.timed)?;
                pairs.push((memory, hybrid));
            }
            let quotient = median(pairs.iter().map(|(m, h)| m.seconds() / h.seconds().max(0.001)));
            ratios.push(quotient);
            let Some((memory, hybrid)) = pairs.first() else {
                continue;
            };
            if memory.count("thread_choices") != hybrid.count("thread_choices") {
                reduced.push(quotient);
            }
            let counts = |run: &Run| format!("{}, {}", run.count("states"), run.count("thread_choices"));
            writeln!(
                text,
                "| {}, {} | {} | {:.2} | {} | {:.2} | {quotient:.1} |",
                row.name,
                row.timed.join(" "),
                counts(memory),
                median(pairs.iter().map(|(m, _)| m.seconds())),
                counts(hybrid),
                median(pairs.iter().map(|(_, h)| h.seconds())),
            )?;
        }
        writeln!(
            text,
            "\nThe geometric mean of the last column is {:.1}; {:.1} for the {} programs with a choice at a field or an element. What is measured contains the start and the compiler's work, about 0.04 s.\n",
            mean(&ratios),
            mean(&reduced),
            reduced.len()
        )?;
        Ok(())
    }

    /// Table 5.
    fn errors(&self, text: &mut String) -> Result<()> {
        text.push_str(
            "To the first error (`-D ERROR=1`, the paper's Table 5), choices and seconds:\n\n\
             | shape of | memory | reachable | hybrid | `auto`, s | theirs: HR all, HR fields + hybrid |\n\
             | --- | ---: | ---: | ---: | ---: | --- |\n",
        );
        for row in ROWS {
            let Some([all, hybrid]) = row.error else { continue };
            let mut cells = Vec::new();
            for visibility in ["memory", "reachable", "hybrid"] {
                let searching = [
                    "--strategy=stateful",
                    "--statistics=choices",
                    &format!("--visibility={visibility}"),
                ];
                cells.push(self.choices_run(row, &searching, &["-DERROR=1"])?.cell());
            }
            let auto = self.choices_run(row, &["--strategy=auto"], &["-DERROR=1"])?;
            writeln!(
                text,
                "| {} | {} | {:.2} | {all}, {hybrid} |",
                row.name,
                cells.join(" | "),
                auto.seconds()
            )?;
        }
        text.push('\n');
        Ok(())
    }

    fn choices_run(&self, row: &Row, options: &[impl AsRef<str>], sizes: &[&str]) -> Result<Run> {
        let program = format!("benches/choices/{}.c", row.program);
        let limit = format!("--max-time={MOST}s");
        let options: Vec<&str> = options.iter().map(AsRef::as_ref).collect();
        let options = [&[limit.as_str()][..], &options, sizes].concat();
        let output = Command::new(&self.selvedge)
            .args(Self::arguments(&program, &options, 1))
            .output()
            .with_context(|| format!("cannot run {}", self.selvedge.display()))?;
        let report = serde_json::from_slice(&output.stdout).with_context(|| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{program}: the report is no JSON: {errors}")
        })?;
        Ok(Run { report })
    }
}

/// The options of an exploration of all states.
fn options(visibility: &str, statistics: &str) -> [String; 5] {
    [
        "--strategy=stateful".into(),
        "--symmetry=off".into(),
        "--property=assertion,deadlock".into(),
        format!("--visibility={visibility}"),
        format!("--statistics={statistics}"),
    ]
}

const INTRODUCTION: &str = "\
Programs of our own (benches/choices) in the shape of those of Parízek (VMCAI 2016), which are Java and not at hand, so counts are not comparable, only ratios. A *thread choice* is a state of \
which more than one thread is taken. It is *necessary* if each enabled thread's next action conflicts with something that another thread really does before that thread moves, in some execution (by brute \
force). `--strategy stateful --symmetry off --property assertion,deadlock`. The paper's heap reachability (HR) with all array choices is `reachable`, with fields `fields`, with \
fields and hybrid `hybrid`.
";
