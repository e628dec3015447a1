//! Inputs to modules: sources by clang, modules as they are.
//!
//! Bitcode comes from clang through a pipe, so only headers of our own are temporary files. No pass
//! is run (`-disable-llvm-passes`). Lifetime markers, which end the scopes of locals, are emitted
//! at `-O0` under the flag that address sanitizing's use-after-scope check sets; nothing is
//! instrumented. Which files clang read it lists among its diagnostics, as a rule of a makefile
//! whose target nobody can guess: so no source can forge the list.

use crate::child::{self, Bounds, Ended};
use crate::headers::Headers;
use crate::isolate::Form;
use crate::{Error, Options, files, target};
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The kinds of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// C or C++, to be compiled.
    Source,
    /// Bitcode.
    Bitcode,
    /// IR as text.
    Text,
}

fn kind_of(path: &Path) -> Result<Kind, Error> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "cc" | "cpp" | "cxx" | "C" | "i" | "ii") => Ok(Kind::Source),
        Some("bc") => Ok(Kind::Bitcode),
        Some("ll") => Ok(Kind::Text),
        _ => Err(Error::UnknownKind {
            path: path.to_owned(),
        }),
    }
}

/// Checks what can be checked without a compiler, so that mistakes get their own words. Sources are
/// read by the compiler.
fn inspect(path: &Path) -> Result<(Kind, Vec<u8>), Error> {
    let unreadable = |source| Error::NoFile {
        path: path.to_owned(),
        source,
    };
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if meta.is_dir() {
        return Err(Error::Directory {
            path: path.to_owned(),
        });
    }
    let kind = kind_of(path)?;
    let read = match kind {
        Kind::Source => files::open(path).map(|_| Vec::new()),
        Kind::Bitcode | Kind::Text => files::read(path, files::LARGEST),
    };
    let bytes = read.map_err(unreadable)?;
    if kind == Kind::Source {
        return Ok((kind, bytes));
    }
    let bare = [b'B', b'C', 0xc0, 0xde];
    let wrapped = [0xde, 0xc0, 0x17, 0x0b];
    if kind == Kind::Bitcode && !bytes.starts_with(&bare) && !bytes.starts_with(&wrapped) {
        return Err(Error::NotBitcode {
            path: path.to_owned(),
        });
    }
    let triple = match kind {
        Kind::Bitcode => target::of_bitcode(&bytes),
        _ => target::of_text(&bytes),
    };
    check_target(path, triple)?;
    Ok((kind, bytes))
}

/// Refuses modules for other processors; one that states none is taken for ours.
fn check_target(path: &Path, triple: Option<String>) -> Result<(), Error> {
    match triple {
        Some(triple) if !triple.is_empty() && (!triple.starts_with("x86_64") || triple.ends_with("x32")) => {
            Err(Error::OtherTarget {
                path: path.to_owned(),
                triple,
            })
        }
        _ => Ok(()),
    }
}

/// The module of one input.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The input.
    pub path: PathBuf,
    /// Its module.
    pub bytes: Vec<u8>,
    /// What the bytes are, and who made them.
    pub form: Form,
    /// The files that the compiler read for it.
    pub read: Vec<PathBuf>,
}

/// Compiles all inputs, several at a time.
pub(crate) fn compile_all(inputs: &[PathBuf], options: &Options) -> Result<Vec<Compiled>, Error> {
    let inspected = inputs.iter().map(|p| inspect(p)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    let mut sources = Vec::new();
    for (place, (path, (kind, bytes))) in inputs.iter().zip(inspected).enumerate() {
        let form = match kind {
            Kind::Source => {
                sources.push((place, path));
                Form::Own
            }
            Kind::Bitcode => Form::Bitcode,
            Kind::Text => Form::Text,
        };
        all.push(Compiled {
            path: path.clone(),
            bytes,
            form,
            read: Vec::new(),
        });
    }
    let headers = Headers::new().map_err(Error::CompilerIo)?;
    let parallel = thread::available_parallelism().map_or(1, |n| n.get());
    for batch in sources.chunks(parallel) {
        if let [(place, path)] = batch {
            all[*place] = compile(path, options, &headers)?;
            continue;
        }
        let done: Vec<Result<Compiled, Error>> = thread::scope(|scope| {
            let running: Vec<_> = batch
                .iter()
                .map(|(_, path)| {
                    let headers = &headers;
                    thread::Builder::new().spawn_scoped(scope, move || compile(path, options, headers))
                })
                .collect();
            running
                .into_iter()
                .map(|t| {
                    t.map_err(Error::CompilerIo)?.join().unwrap_or_else(|_| {
                        Err(Error::CompilerIo(io::Error::other("a compiling thread panicked")))
                    })
                })
                .collect()
        });
        for ((place, _), result) in batch.iter().zip(done) {
            all[*place] = result?;
        }
    }
    Ok(all)
}

/// Compiles one source.
fn compile(path: &Path, options: &Options, headers: &Headers) -> Result<Compiled, Error> {
    let list = Listing::new();
    let bounds = Bounds {
        stop: &options.stop,
        longest: None,
    };
    let Ended::Exited(output) = run_clang(bounds, |clang| arguments(clang, path, options, headers, &list))?
    else {
        return Err(Error::Stopped);
    };
    let (read, said) = list.split(&output.stderr);
    if !output.status.success() || output.stdout.is_empty() {
        let mut stderr = said.trim().to_owned();
        if output.status.code().is_none() {
            stderr = format!("error: the compiler crashed on it\n{stderr}");
        }
        return Err(Error::CompilerFailed {
            path: path.to_owned(),
            stderr,
        });
    }
    // The user's flags may choose another target.
    check_target(path, target::of_bitcode(&output.stdout))?;
    Ok(Compiled {
        path: path.to_owned(),
        bytes: output.stdout,
        form: Form::Own,
        read,
    })
}

fn arguments(clang: &mut Command, path: &Path, options: &Options, headers: &Headers, list: &Listing) {
    let cplusplus = !matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "i"));
    for flag in &options.cflags {
        clang.arg(flag);
    }
    // A value is part of its option's word: a word of its own that begins with `@` would be taken
    // for a response file.
    for directory in &options.include {
        clang.arg(joined("-I", directory.as_os_str()));
    }
    for define in &options.define {
        clang.arg(joined("-D", define.as_ref()));
    }
    if let Some(std) = &options.std {
        // A program may mix C and C++; a standard of the one language is no standard of the other.
        if std.contains("++") == cplusplus {
            clang.arg(format!("-std={std}"));
        }
    }
    // Behind the user's directories, before the system's.
    clang.arg("-isystem").arg(headers.path());
    clang.args([
        "-O0",
        "-g",
        "-Xclang",
        "-fsanitize-address-use-after-scope",
        "-fno-discard-value-names",
        "-Xclang",
        "-disable-O0-optnone",
        "-Xclang",
        "-disable-llvm-passes",
        "-fno-crash-diagnostics",
        "-emit-llvm",
        "-c",
        "-o",
        "-",
    ]);
    clang.args(["-MD", "-MF", OWN_STDERR, "-MT", &list.target]);
    // No name is an option or a response file.
    if path.as_os_str().as_encoded_bytes().starts_with(b"-")
        || path.as_os_str().as_encoded_bytes().starts_with(b"@")
    {
        clang.arg(Path::new(".").join(path));
    } else {
        clang.arg(path);
    }
}

/// Standard error of whoever opens it. Not /dev/stderr: clang removes the file for the list when it
/// misses a header, and the super-user can remove that link; this one nobody can.
const OWN_STDERR: &str = "/proc/self/fd/2";

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// The list of files that a compiler read, among what else it writes to standard error.
struct Listing {
    /// The target of the rule; no text that a source can produce has it.
    target: String,
}

impl Listing {
    fn new() -> Listing {
        let random = || RandomState::new().hash_one(0);
        Listing {
            target: format!("selvedge-{:016x}{:016x}", random(), random()),
        }
    }

    /// The files, and the diagnostics without the list.
    fn split(&self, stderr: &[u8]) -> (Vec<PathBuf>, String) {
        let text = String::from_utf8_lossy(stderr);
        let Some((before, rest)) = text.split_once(&format!("{}:", self.target)) else {
            return (Vec::new(), text.into_owned());
        };
        // The rule ends with the first line that does not go on.
        let (mut rule, mut end) = (String::new(), 0);
        for line in rest.split_inclusive('\n') {
            end += line.len();
            let line = line.trim_end_matches('\n');
            match line.strip_suffix('\\') {
                Some(part) => rule.push_str(part),
                None => {
                    rule.push_str(line);
                    break;
                }
            }
        }
        (files_of_rule(&rule), format!("{before}{}", &rest[end..]))
    }
}

/// The prerequisites of a rule, with what makefiles escape.
fn files_of_rule(rule: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut word = String::new();
    let mut letters = rule.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(&next @ (' ' | '#'))) => {
                word.push(next);
                letters.next();
            }
            ('$', Some('$')) => {
                word.push('$');
                letters.next();
            }
            (' ' | '\t', _) => {
                if !word.is_empty() {
                    files.push(std::mem::take(&mut word).into());
                }
            }
            _ => word.push(letter),
        }
    }
    if !word.is_empty() {
        files.push(word.into());
    }
    files
}

/// Runs the first compiler of version 22 there is.
fn run_clang(bounds: Bounds<'_>, arguments: impl Fn(&mut Command)) -> Result<Ended, Error> {
    for name in ["clang-22", "/usr/lib/llvm-22/bin/clang", "clang"] {
        if name == "clang" && !is_version_22(name, bounds) {
            continue;
        }
        let mut clang = Command::new(name);
        arguments(&mut clang);
        match child::run(&mut clang, None, bounds) {
            Ok(ended) => return Ok(ended),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::CompilerIo(e)),
        }
    }
    Err(Error::CompilerMissing)
}

fn is_version_22(clang: &str, bounds: Bounds<'_>) -> bool {
    let version = child::run(Command::new(clang).arg("-dumpversion"), None, bounds);
    matches!(version, Ok(Ended::Exited(output)) if output.stdout.starts_with(b"22."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_files_is_taken_out() {
        let list = Listing::new();
        let said = format!(
            "a.c:1: warning: odd\n{}: a.c /x/b\\ c.h \\\n  d$$\\#.h\n1 warning generated.\n",
            list.target
        );
        let (files, rest) = list.split(said.as_bytes());
        let names: Vec<&str> = files.iter().filter_map(|file| file.to_str()).collect();
        assert_eq!(names, ["a.c", "/x/b c.h", "d$#.h"]);
        assert_eq!(rest, "a.c:1: warning: odd\n1 warning generated.\n");
        // Another run has another name for the list.
        let (files, _) = Listing::new().split(said.as_bytes());
        assert!(files.is_empty());
    }
}
