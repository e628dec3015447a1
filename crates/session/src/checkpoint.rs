//! Checkpoints: files from which another process goes on with a session.
//!
//! A file names what it belongs to: the version of this program, the checked program by a hash of
//! its contents, and each option that decides what is explored. If any of them differs it is
//! refused, by name. Its first line has a hash of all that follows, so that a file that was cut
//! short or damaged is refused, too. It is written beside its place, brought to the disk and then
//! renamed: whenever the process is killed, there is the old file or the new one.
//!
//! What may differ is how many cores are used, limits of time and memory, and what is written.

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

/// Where a session keeps checkpoints, and where it goes on from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoints {
    /// The file to write.
    pub file: Option<PathBuf>,
    /// How much time may pass between two writings; an execution is not interrupted.
    pub interval: Duration,
    /// The file to go on from.
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
    /// Whether there are any.
    pub fn are_wanted(&self) -> bool {
        self.file.is_some() || self.resume.is_some()
    }
}

/// What cannot be kept of a session with such options, in words.
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
