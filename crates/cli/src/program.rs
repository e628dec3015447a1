//! Loading programs: LLVM runs in a confined process, which is this program again.

use crate::exit::Exit;
use crate::output::note;
use crate::watch::MemoryLimit;
use selvedge_frontend::{Error, Loaded, Reader};
use selvedge_session::Setup;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The command that reads modules (see [`selvedge_frontend::serve`]): it is no command for people.
pub(crate) const READ: &str = "__read";

/// This program, also if its file was replaced or removed since it started.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// How a command ends if there is no program: exit code 2, or 6 if the mistake is ours.
pub(crate) fn exit(error: &Error) -> Exit {
    match error.is_internal() {
        true => Exit::internal(&error.to_string()),
        false => Exit::input(&error.to_string()),
    }
}

/// Where the system starts this program again. Under an emulator (valgrind) the link leads to the
/// emulator, and only reading it gives the program: then the two are different files.
fn own_program() -> PathBuf {
    let file = |path: &Path| std::fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
    let link = Path::new(OWN_PROGRAM);
    match std::env::current_exe() {
        Ok(read) if file(&read).is_some() && file(&read) != file(link) => read,
        _ => link.to_owned(),
    }
}

/// Compiles inputs in a confined process, which may have this much memory.
pub(crate) fn read_with(
    inputs: &[PathBuf],
    options: &selvedge_frontend::Options,
    memory: MemoryLimit,
) -> Result<Loaded, Error> {
    let loaded = read(inputs, options, memory)?;
    tell(&loaded);
    Ok(loaded)
}

/// Says what the inputs have as machine code alone.
pub(crate) fn tell(loaded: &Loaded) {
    let notes = loaded.notes.iter();
    notes.for_each(|text| note(&format!("note: {text}")));
}

fn read(
    inputs: &[PathBuf],
    options: &selvedge_frontend::Options,
    memory: MemoryLimit,
) -> Result<Loaded, Error> {
    let reader = Reader {
        program: own_program(),
        arguments: vec![READ.to_owned()],
        memory: memory.bytes(),
    };
    let loaded = selvedge_frontend::load_isolated(inputs, options, &reader)?;
    if !loaded.confined {
        note("warning: the system does not permit to confine the process that reads LLVM modules");
    }
    Ok(loaded)
}

/// Compiles the inputs of a setup; what there is to [`tell`] is for the caller.
pub(crate) fn load(setup: &Setup, memory: MemoryLimit) -> Result<Loaded, Error> {
    read(&setup.inputs, &setup.loading(), memory)
}
