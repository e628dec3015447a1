//! From Rust sources to modules: `rustc`.
//!
//! A program is two modules: its own, at optimisation level 0, and the standard library's
//! (`rust_std.rs`), whose bitcode was optimised when it was built. Linked, they are what rustc's
//! link-time optimisation makes of the program. A panic aborts.

use crate::Error;
use crate::child::{self, Bounds, Ended};
use crate::compile::{Compiled, files_of_rule};
use crate::inputs::check_target;
use crate::isolate::{Form, Role};
use crate::{rust_std, target};
use selvedge_base::StopFlag;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes the modules that the lowering expects, in both runs of rustc.
pub(crate) const ARGUMENTS: [&str; 11] = [
    "--edition=2021",
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

/// Compiles a Rust program whose root is this file: the program and the standard library.
pub(crate) fn compile(path: &Path, stop: &StopFlag) -> Result<[Compiled; 2], Error> {
    let directory = tempfile::Builder::new()
        .prefix("selvedge-")
        .tempdir()
        .map_err(Error::CompilerIo)?;
    let rustc = Rustc {
        directory: directory.path(),
        stop,
    };
    // rustc runs elsewhere, and names of files are as from here all the same. No name is an option
    // or a file of arguments.
    let here = std::env::current_dir().map_err(Error::CompilerIo)?;
    let mut prefix = OsString::from("--remap-path-prefix=");
    prefix.push(here.join(""));
    prefix.push("=");
    let out = directory.path().join("program");
    fs::create_dir(&out).map_err(Error::CompilerIo)?;
    let failed = |error| match error {
        Error::CompilerFailed { stderr, .. } => Error::CompilerFailed {
            path: path.to_owned(),
            stderr,
        },
        error => error,
    };
    let options = |command: &mut Command| {
        command.args(["--crate-name=program", "--emit=llvm-bc,dep-info"]);
        command.arg("--out-dir").arg(&out).arg(prefix);
    };
    rustc.run(&here.join(path), options).map_err(failed)?;
    let bytes = file_in(&out, ".bc")?.ok_or_else(|| Error::CompilerFailed {
        path: path.to_owned(),
        stderr: "error: rustc made no module of the program".to_owned(),
    })?;
    check_target(path, target::of_bitcode(&bytes))?;
    let rules = file_in(&out, ".d")?.unwrap_or_default();
    let unit = |path: &Path, bytes, read| Compiled {
        path: path.to_owned(),
        bytes,
        form: Form::Bitcode,
        role: Role::Program,
        read,
    };
    let own = unit(path, bytes, sources(&String::from_utf8_lossy(&rules)));
    let library = rust_std::module(&rustc)?;
    Ok([own, unit(Path::new(LIBRARY), library, Vec::new())])
}

/// What errors call the standard library.
const LIBRARY: &str = "Rust's standard library";

/// The files that a program was made of, from the rules that rustc writes: the first one has them.
fn sources(rules: &str) -> Vec<PathBuf> {
    let first = rules.lines().find_map(|line| line.split_once(": "));
    first.map_or_else(Vec::new, |(_, files)| files_of_rule(files))
}

#[cfg(test)]
mod tests {
    use super::sources;
    use std::path::PathBuf;

    #[test]
    fn sources_are_those_of_the_first_rule() {
        let rules = "/tmp/program: ./a.rs ./b\\ c.rs\n\n/tmp/program.d: ./a.rs\n\n./a.rs:\n";
        assert_eq!(sources(rules), ["./a.rs", "./b c.rs"].map(PathBuf::from));
        assert!(sources("").is_empty());
    }
}
