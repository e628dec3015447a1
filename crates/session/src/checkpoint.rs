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
mod wanted;

pub(crate) use file::{Belongs, Checkpoint, Phase};
pub(crate) use keeping::Keeping;
pub use wanted::Checkpoints;

use crate::options::Options;
use crate::plan::Plan;
use selvedge_explore::Stop;
use selvedge_ir::Module;
use xxhash_rust::xxh3::xxh3_128;

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
    for script in &vm.peers {
        add("script of peer", hash(script));
    }
    for (name, entry) in &vm.tree {
        let bytes = postcard::to_allocvec(entry).map_err(|error| format!("{name} has no hash: {error}"))?;
        add("content of tree", format!("{name} {}", hash(&bytes)));
    }
    Ok(Belongs {
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        program: hash(&bytes),
        options: of,
    })
}
