//! Restrictions on saved findings. A finding may come from somebody else, and replaying it must not
//! run their code or show them files.
//!
//! A compiler option is allowed if it is on a list of options that neither load code nor name
//! files. Paths (inputs, headers, files and standard input of the program) must be in the current
//! directory or in that of the finding, after links are followed. Everything else needs `--trust`.

use selvedge_objects::allowed;
use selvedge_schedule::Schedule;
use std::path::{Path, PathBuf};

/// Why a finding is not replayed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// An option of the compiler.
    #[error(
        "it asks for the compiler option `{0}`, which is not among those that are known to neither run code nor read files"
    )]
    Flag(String),
    /// A path elsewhere.
    #[error("it reads {0}, which is neither in the current directory nor in the finding's")]
    Outside(String),
    /// A list of compile commands, which names any file and option.
    #[error("it takes its sources from the list of compile commands {0}, which can name any file")]
    Build(String),
    /// An option without its value.
    #[error("option {0} is empty")]
    Empty(String),
}

/// Checks everything that the schedule of a finding asks for.
///
/// # Errors
/// The first thing that is not allowed.
pub fn check(schedule: &Schedule, finding: &Path) -> Result<(), Refused> {
    let places = Places::new(finding);
    for input in &schedule.inputs {
        places.check(input)?;
        let path = Path::new(input);
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "json") {
            return Err(Refused::Build(input.clone()));
        }
    }
    let mut language = false;
    for (name, value) in &schedule.options {
        match name.as_str() {
            // `-x c` are two words.
            "cflag" if std::mem::take(&mut language) => self::language(value)?,
            "cflag" if value == "-x" => language = true,
            "cflag" => flag(value, &places)?,
            "file-cflags" => {
                let flags = value.split_once('=').map_or("", |(_, flags)| flags);
                flags
                    .split_whitespace()
                    .try_for_each(|word| flag(word, &places))?;
            }
            "include" | "define" if value.is_empty() => return Err(Refused::Empty(name.clone())),
            "include" | "stdin" | "client" | "server" => places.check(value)?,
            "file" => places.check(value.split_once('=').map_or(value.as_str(), |(_, path)| path))?,
            "dir" => places.check(value.split_once('=').map_or(value.as_str(), |(host, _)| host))?,
            _ => {}
        }
    }
    if language {
        return Err(Refused::Flag("-x".to_owned()));
    }
    Ok(())
}

/// Checks the word after `-x`.
fn language(name: &str) -> Result<(), Refused> {
    match name {
        "c" | "c++" => Ok(()),
        other => Err(Refused::Flag(format!("-x {other}"))),
    }
}

/// Checks an option of the compiler.
fn flag(flag: &str, places: &Places) -> Result<(), Refused> {
    if let Some(directory) = flag.strip_prefix("-I").filter(|rest| !rest.is_empty()) {
        return places.check(directory);
    }
    match allowed::is_harmless(flag) {
        true => Ok(()),
        false => Err(Refused::Flag(flag.to_owned())),
    }
}

/// The directories whose files a finding may name.
struct Places {
    inside: Vec<PathBuf>,
}

impl Places {
    fn new(finding: &Path) -> Places {
        let beside = finding.canonicalize().ok();
        let beside = beside.and_then(|path| path.parent().map(Path::to_owned));
        let current = Path::new(".").canonicalize().ok();
        Places {
            inside: current.into_iter().chain(beside).collect(),
        }
    }

    /// A file that does not exist reveals nothing. The error is reported when it is read.
    fn check(&self, path: &str) -> Result<(), Refused> {
        match Path::new(path).canonicalize() {
            Ok(real) if !self.inside.iter().any(|place| real.starts_with(place)) => {
                Err(Refused::Outside(path.to_owned()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(options: &[(&str, &str)]) -> Result<(), Refused> {
        let options = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        let schedule = Schedule {
            inputs: vec!["src/main.rs".to_owned()],
            options: options.collect(),
            steps: Vec::new(),
        };
        check(&schedule, Path::new("Cargo.toml"))
    }

    #[test]
    fn options_that_load_code_or_read_files() {
        for flag in [
            "-fplugin=./x.so",
            "-fpass-plugin=./x.so",
            "-Xclang",
            "-load",
            "-Xpreprocessor",
            "-B.",
            "-include",
            "-include/etc/passwd",
            "-imacros",
            "-fuse-ld=/bin/sh",
            "-ld-path=x",
            "--ld-path=x",
            "-specs=x",
            "--specs=x",
            "--config=x",
            "--config",
            "-wrapper",
            "-fprofile-use=x",
            "-fprofile-instr-use=x",
            "-ivfsoverlay",
            "-fmodule-map-file=x",
            "-fmodule-file=x",
            "-fmodules-cache-path=x",
            "-mllvm",
            "-load=x",
            "-Wl,-plugin,x",
            "-Wp,-include,/etc/passwd",
            "-Wa,x",
            "@file",
            "-o",
            "-ox",
            "-MF",
            "-MD",
            "-save-temps",
            "--sysroot=/x",
            "-isystem",
            "-isysroot",
            "-iquote",
            "-resource-dir=x",
            "-gcc-toolchain",
            "--gcc-install-dir=x",
            "-I",
            "-D",
            "-U",
            "-x",
            "-E",
            "-S",
            "x.c",
            "/etc/passwd",
            "-",
            "--",
            "",
            "-fsanitize-ignorelist=x",
            "-fprofile-list=x",
            "-ccc-install-dir",
            "-no-canonical-prefixes",
            "-fcrash-diagnostics-dir=x",
            "-std=c11 -o x",
            "-Wsystem-headers-in-module=/x",
            "-gsplit-dwarf=../x",
            "-fembed-bitcode",
            "-fbuiltin-module-map=x",
            "-cc1",
            "-###",
            "-fthinlto-index=x",
            "-frewrite-map-file=x",
            "-index-header-map",
            "-working-directory=x",
            "-dependency-file",
            "-serialize-diagnostics",
            "-fdebug-prefix-map=a=b",
            "-F/x",
            "-idirafter/x",
            "-rtlib=x",
            "-target",
            "--target=x",
        ] {
            assert!(
                matches!(with(&[("cflag", flag)]), Err(Refused::Flag(_))),
                "{flag}"
            );
        }
        for flag in [
            "-O2",
            "-O",
            "-g3",
            "-std=gnu++17",
            "-DX=a b",
            "-UX",
            "-Wall",
            "-Wno-x",
            "-march=native",
            "-fwrapv",
            "-Isrc",
            "-msse4.2",
        ] {
            assert_eq!(with(&[("cflag", flag)]), Ok(()), "{flag}");
        }
        assert_eq!(
            with(&[("cflag", "-x"), ("cflag", "c++"), ("cflag", "-O1")]),
            Ok(())
        );
        assert!(with(&[("cflag", "-x"), ("cflag", "ir")]).is_err());
        assert!(with(&[("cflag", "-x"), ("cflag", "-fplugin=x")]).is_err());
    }

    #[test]
    fn paths_outside() {
        assert_eq!(
            with(&[("stdin", "/etc/passwd")]),
            Err(Refused::Outside("/etc/passwd".to_owned()))
        );
        assert!(with(&[("file", "x=/etc/passwd")]).is_err());
        assert!(with(&[("file", "/etc/passwd")]).is_err());
        assert!(with(&[("client", "/etc/passwd")]).is_err());
        assert!(with(&[("server", "/etc/passwd")]).is_err());
        assert!(with(&[("dir", "/etc=x")]).is_err());
        assert!(with(&[("dir", "/etc")]).is_err());
        assert!(with(&[("dir", "src=/etc")]).is_ok());
        assert!(with(&[("file-cflags", "a.c=-DX -fplugin=x")]).is_err());
        assert_eq!(with(&[("file-cflags", "a.c=-DX -O1")]), Ok(()));
        assert!(with(&[("include", "../..")]).is_err());
        assert!(with(&[("cflag", "-I../..")]).is_err());
        assert!(with(&[("include", "")]).is_err());
        assert_eq!(
            with(&[("include", "src"), ("file", "x=src/main.rs"), ("file", "nowhere")]),
            Ok(())
        );
    }
}
