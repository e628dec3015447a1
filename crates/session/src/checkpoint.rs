//! Checkpoints: files from which another process continues a session.
//!
//! A file names what it belongs to: the version of Selvedge, the checked program by a hash of its
//! contents, and each option that decides what is explored. If any of them differs, the file is
//! refused, and the difference is named. The first line has a hash of all that follows, so a
//! truncated or damaged file is refused, too. The file is first written beside its place, then
//! flushed to the disk, then renamed. So a killed process leaves the old file or the new one.
//!
//! The number of cores, limits of time and memory, and output options may differ.

mod file;
mod keeping;

pub(crate) use file::{Belongs, Checkpoint, Phase};
pub(crate) use keeping::Keeping;

use crate::options::Options;
use crate::plan::Plan;
use selvedge_explore::Stop;
use selvedge_ir::Module;
use std::path::PathBuf;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

/// Where a session saves checkpoints, and where it continues from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoints {
    /// The file to write.
    pub file: Option<PathBuf>,
    /// The time between two checkpoints. An execution is not interrupted for a checkpoint.
    pub interval: Duration,
    /// The file from which to continue.
    pub resume: Option<PathBuf>,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Checkpoints {
            file: None,
            interval: Duration::from_secs(20),
            resume: None,
        }
    }
}

impl Checkpoints {
    /// True if checkpoints are requested.
    pub fn are_wanted(&self) -> bool {
        self.file.is_some() || self.resume.is_some()
    }
}

/// The part of a session with these options that cannot be saved, as text.
pub(crate) fn conflict(options: &Options) -> Option<&'static str> {
    if !options.checkpoints.are_wanted() {
        return None;
    }
    if Plan::first(options).strategy.matches_states() {
        return Some(
            "checkpoints of --strategy unfold and stateful are not available yet; dpor, random and pct have them",
        );
    }
    if options.test_cases.is_some() {
        return Some("--emit-tests cannot go on from checkpoints");
    }
    None
}

/// The program and the options that a checkpoint belongs to.
pub(crate) fn belongs(options: &Options, module: &Module) -> Result<Belongs, String> {
    let bytes = postcard::to_allocvec(module).map_err(|error| format!("the program has no hash: {error}"))?;
    let mut of: Vec<(String, String)> = options.setup.schedule().options;
    let mut add = |name: &str, value: String| of.push((name.to_owned(), value));
    let vm = &options.setup.vm;
    let hash = |bytes: &[u8]| format!("{:032x}", xxh3_128(bytes));
    for property in &options.properties {
        add("property", format!("{property:?}"));
    }
    add("strategy", Plan::first(options).strategy.word().to_owned());
    add("dependence", options.dependence.word().to_owned());
    add("sleep-sets", options.sleep_sets.to_string());
    add("recall", options.recall.to_string());
    add("visibility", options.visibility.word().to_owned());
    add("max-executions", format!("{:?}", options.max_executions));
    add("max-events", format!("{:?}", options.max_events));
    let stop = match options.stop {
        Stop::First => "first",
        Stop::Never => "never",
    };
    add("stop", stop.to_owned());
    add("seed", options.seed.to_string());
    add("coverage", options.coverage.to_string());
    add("solver-timeout", format!("{:?}", vm.solver.timeout));
    add("solver-layers", format!("{:?}", vm.solver.layers));
    for input in vm.inputs.iter().flatten() {
        add("input", format!("{} {}", input.name, hash(&input.bytes)));
    }
    if let Some(bytes) = &vm.stdin {
        add("content of stdin", hash(bytes));
    }
    for (name, bytes) in &vm.files {
        add("content of file", format!("{name} {}", hash(bytes)));
    }
    Ok(Belongs {
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        program: hash(&bytes),
        options: of,
    })
}
