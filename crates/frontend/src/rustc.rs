//! Runs of rustc.

use crate::Error;
use crate::child::{self, Bounds, Ended};
use selvedge_base::StopFlag;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// What makes the modules that the lowering expects, in both runs of rustc.
pub(crate) const ARGUMENTS: [&str; 10] = [
    "--crate-type=bin",
    "--color=never",
    "-g",
    "-Cpanic=abort",
    "-Clto=fat",
    "-Ccodegen-units=1",
    "-Clinker=true",
    "-Clinker-flavor=gcc",
    "-Cincremental=",
    "-Awarnings",
];

/// How rustc is run.
pub(crate) struct Rustc<'a> {
    /// Where: rustup takes a compiler that a file of the present directory names.
    pub directory: &'a Path,
    /// Ends it.
    pub stop: &'a StopFlag,
}

impl Rustc<'_> {
    /// Runs it; what it says.
    fn output(&self, command: &mut Command, of: &Path) -> Result<(String, String), Error> {
        let bounds = Bounds {
            stop: self.stop,
            longest: None,
        };
        let output = match child::run(command.current_dir(self.directory), None, bounds) {
            Ok(Ended::Exited(output)) => output,
            Ok(_) => return Err(Error::Stopped),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::RustcMissing),
            Err(error) => return Err(Error::CompilerIo(error)),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        match output.status.success() {
            true => Ok((text(&output.stdout), text(&output.stderr))),
            false => Err(Error::CompilerFailed {
                path: of.to_owned(),
                stderr: text(&output.stderr),
            }),
        }
    }

    /// Compiles a source. Returns the compiler's messages.
    pub(crate) fn run(&self, source: &Path, options: impl FnOnce(&mut Command)) -> Result<String, Error> {
        let mut command = Command::new("rustc");
        command.args(ARGUMENTS);
        options(&mut command);
        command.arg(source);
        Ok(self.output(&mut command, source)?.1)
    }

    /// What it answers to options that only ask.
    pub(crate) fn said(&self, options: &[&str]) -> Result<String, Error> {
        let mut command = Command::new("rustc");
        command.args(options);
        Ok(self.output(&mut command, Path::new("rustc"))?.0)
    }
}

/// The contents of the file in a directory whose name ends like this.
pub(crate) fn file_in(directory: &Path, end: &str) -> Result<Option<Vec<u8>>, Error> {
    for entry in directory.read_dir().map_err(Error::CompilerIo)? {
        let path = entry.map_err(Error::CompilerIo)?.path();
        if path.to_string_lossy().ends_with(end) {
            return fs::read(&path).map(Some).map_err(Error::CompilerIo);
        }
    }
    Ok(None)
}
