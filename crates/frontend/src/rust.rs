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
pub(crate) fn compile(path: &Path, flags: &[String], stop: &StopFlag) -> Result<[Compiled; 2], Error> {
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
        // rustc takes it once.
        if !flags.iter().any(|flag| flag.starts_with("--edition")) {
            command.arg(format!("--edition={}", edition(&here.join(path))));
        }
        command.args(flags);
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

/// The edition of Rust of a file: that of the package in whose directory it is, or this.
const EDITION: &str = "2021";

fn edition(path: &Path) -> String {
    let manifests = path
        .ancestors()
        .skip(1)
        .map(|directory| directory.join("Cargo.toml"));
    let mut tables = manifests.filter_map(|file| fs::read_to_string(file).ok()?.parse::<toml::Table>().ok());
    let own = tables.next().and_then(|mut manifest| manifest.remove("package"));
    let named = match own.as_ref().map(|package| package.get("edition")) {
        // No package, or one of the first edition.
        None => None,
        Some(None) => Some("2015".to_owned()),
        Some(Some(toml::Value::String(edition))) => Some(edition.clone()),
        // It is the workspace's.
        Some(Some(_)) => tables.find_map(|manifest| {
            let package = manifest.get("workspace")?.get("package")?;
            Some(package.get("edition")?.as_str()?.to_owned())
        }),
    };
    named.unwrap_or_else(|| EDITION.to_owned())
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
    use super::{edition, sources};
    use std::path::PathBuf;

    #[test]
    fn the_edition_is_that_of_the_package() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("one/src/main.rs");
        std::fs::create_dir_all(place.path().join("one/src")).expect("it is made");
        let write =
            |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("it is written");
        assert_eq!(edition(&file), "2021");
        write("Cargo.toml", "[workspace.package]\nedition = \"2024\"\n");
        assert_eq!(edition(&file), "2021");
        write("one/Cargo.toml", "[package]\nedition = \"2018\"\n");
        assert_eq!(edition(&file), "2018");
        write("one/Cargo.toml", "[package]\nedition.workspace = true\n");
        assert_eq!(edition(&file), "2024");
        write("one/Cargo.toml", "[package]\nname = \"one\"\n");
        assert_eq!(edition(&file), "2015");
    }

    #[test]
    fn sources_are_those_of_the_first_rule() {
        let rules = "/tmp/program: ./a.rs ./b\\ c.rs\n\n/tmp/program.d: ./a.rs\n\n./a.rs:\n";
        assert_eq!(sources(rules), ["./a.rs", "./b c.rs"].map(PathBuf::from));
        assert!(sources("").is_empty());
    }
}
