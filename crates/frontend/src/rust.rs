//! From Rust sources to modules: `rustc`, with the standard library in the same module.
//!
//! rustc is asked for a program with link-time optimisation, because this puts the bitcode of its
//! libraries and of the program into one module. The optimisation level is 0, so the program's
//! functions are unoptimised; the library's bitcode was optimised when it was built. The module is
//! kept among the temporary files, and nothing is linked. A panic aborts.

use crate::Error;
use crate::child::{self, Bounds, Ended};
use crate::compile::{Compiled, files_of_rule};
use crate::inputs::check_target;
use crate::isolate::{Form, Role};
use crate::target;
use selvedge_base::StopFlag;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes the module that the lowering expects.
const ARGUMENTS: [&str; 14] = [
    "--edition=2021",
    "--crate-type=bin",
    "--crate-name=program",
    "--color=never",
    "--emit=link,dep-info",
    "-g",
    "-Cpanic=abort",
    "-Clto=fat",
    "-Ccodegen-units=1",
    "-Csave-temps",
    "-Clinker=true",
    "-Clinker-flavor=gcc",
    "-Cincremental=",
    "-Awarnings",
];
/// How the name of the module ends that has the program and its libraries.
const WHOLE: &str = ".lto.after-restriction.bc";

/// Compiles a Rust program whose root is this file.
pub(crate) fn compile(path: &Path, stop: &StopFlag) -> Result<Compiled, Error> {
    let directory = tempfile::Builder::new()
        .prefix("selvedge-")
        .tempdir()
        .map_err(Error::CompilerIo)?;
    // rustup takes a compiler that a file of the present directory names: rustc runs elsewhere, and
    // names of files are as from here all the same. No name is an option or a file of arguments.
    let here = std::env::current_dir().map_err(Error::CompilerIo)?;
    let mut prefix = OsString::from("--remap-path-prefix=");
    prefix.push(here.join(""));
    prefix.push("=");
    let mut rustc = Command::new("rustc");
    rustc.current_dir(directory.path()).args(ARGUMENTS);
    rustc.arg("--out-dir").arg(directory.path()).arg(prefix);
    rustc.arg(here.join(path));
    let bounds = Bounds { stop, longest: None };
    let output = match child::run(&mut rustc, None, bounds) {
        Ok(Ended::Exited(output)) => output,
        Ok(_) => return Err(Error::Stopped),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::RustcMissing),
        Err(error) => return Err(Error::CompilerIo(error)),
    };
    let failed = |stderr: String| Error::CompilerFailed {
        path: path.to_owned(),
        stderr,
    };
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        return Err(failed(said));
    }
    let (mut module, mut read) = (None, Vec::new());
    for entry in directory.path().read_dir().map_err(Error::CompilerIo)? {
        let entry = entry.map_err(Error::CompilerIo)?.path();
        let name = entry.to_string_lossy();
        if name.ends_with(WHOLE) {
            module = Some(std::fs::read(&entry).map_err(Error::CompilerIo)?);
        } else if name.ends_with(".d") {
            read = sources(&std::fs::read_to_string(&entry).map_err(Error::CompilerIo)?);
        }
    }
    let bytes =
        module.ok_or_else(|| failed("error: rustc kept no module of the whole program".to_owned()))?;
    check_target(path, target::of_bitcode(&bytes))?;
    Ok(Compiled {
        path: path.to_owned(),
        bytes,
        form: Form::Bitcode,
        role: Role::Program,
        read,
    })
}

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
