//! From Rust sources to modules: `rustc`.
//!
//! A program is two modules: its own, at optimisation level 0, and the standard library's
//! (`rust_std.rs`), whose bitcode was optimised when it was built. Linked, they are what rustc's
//! link-time optimisation makes of the program. A panic aborts.

use crate::Error;
use crate::compile::files_of_rule;
use crate::item::Compiled;
use crate::request::{Form, Role};
use crate::rustc::{Rustc, file_in};
use crate::{rust_std, target};
use selvedge_base::StopFlag;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    target::check(path, target::of_bitcode(&bytes))?;
    let rules = file_in(&out, ".d")?.unwrap_or_default();
    let unit = |path: &Path, role, (bytes, read)| Compiled {
        path: path.to_owned(),
        bytes,
        form: Form::Bitcode,
        role,
        read,
    };
    let read = sources(&String::from_utf8_lossy(&rules));
    let own = unit(path, Role::Program, (bytes, read));
    let library = (rust_std::module(&rustc)?, Vec::new());
    Ok([own, unit(Path::new(LIBRARY), Role::Definitions, library)])
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
