//! From inputs to modules: sources are compiled by clang; modules are used as they are.
//!
//! Bitcode comes from clang through a pipe, so only our own headers are temporary files. No pass is
//! run (`-disable-llvm-passes`). Lifetime markers, which end the scopes of locals, are emitted at
//! `-O0` under the flag that the use-after-scope check of the address sanitizer sets; nothing is
//! instrumented. Clang lists the files that it read among its diagnostics, as a rule of a makefile.
//! The rule's target cannot be guessed, so no source can forge the list.

use crate::child::{self, Bounds, Ended};
use crate::headers::Headers;
use crate::item::{Compiled, Item, Source};
use crate::options::LENIENT;
use crate::request::{Form, Role};
use crate::{Error, Options, preprocessed, target};
use selvedge_base::StopFlag;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// Compiles all sources, several at a time.
pub(crate) fn compile_all(items: Vec<Item>, options: &Options) -> Result<Vec<Compiled>, Error> {
    let headers = Headers::new().map_err(Error::CompilerIo)?;
    let sources = items.iter().filter_map(|item| match item {
        Item::Source(source, role) => Some((source, *role)),
        Item::Module(_) => None,
    });
    let sources: Vec<_> = sources.collect();
    let mut compiled = Vec::new();
    let parallel = thread::available_parallelism().map_or(1, |n| n.get());
    for batch in sources.chunks(parallel) {
        if let [(source, role)] = batch {
            compiled.push(compile(source, *role, options, &headers)?);
            continue;
        }
        let done: Vec<Result<Compiled, Error>> = thread::scope(|scope| {
            let running: Vec<_> = batch
                .iter()
                .map(|&(source, role)| {
                    let headers = &headers;
                    thread::Builder::new()
                        .spawn_scoped(scope, move || compile(source, role, options, headers))
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
        for result in done {
            compiled.push(result?);
        }
    }
    let mut compiled = compiled.into_iter();
    let all = items.into_iter().filter_map(|item| match item {
        Item::Source(..) => compiled.next(),
        Item::Module(unit) => Some(unit),
    });
    Ok(all.collect())
}

/// Compiles one source.
fn compile(source: &Source, role: Role, options: &Options, headers: &Headers) -> Result<Compiled, Error> {
    let path = source.path();
    let mut source = source.clone();
    let mut keeps_inline = !source.is_cxx();
    // The text of a file by another compiler, and what clang said of it before.
    let mut by_gcc: Option<(Vec<u8>, String)> = None;
    loop {
        let list = Listing::new("-MD");
        let bounds = Bounds {
            stop: &options.stop,
            longest: None,
        };
        let text = by_gcc.as_ref().map(|(text, _)| &text[..]);
        let run = run_clang(text, bounds, |clang| {
            if keeps_inline {
                clang.arg(KEEPS_INLINE);
            }
            let file = match text {
                None => &source.file,
                Some(_) => {
                    clang.args(["-x", "c", "-include"]);
                    clang.arg(headers.path().join(preprocessed::HEADER));
                    Path::new("-")
                }
            };
            arguments(clang, (&source, file), options, headers, &list)
        })?;
        let Ended::Exited(output) = run else {
            return Err(Error::Stopped);
        };
        let (read, said) = list.split(&output.stderr);
        if !output.status.success() || output.stdout.is_empty() {
            let mut stderr = said.trim().to_owned();
            if source.foreign && leave_out(&mut source.flags, &stderr) {
                continue;
            }
            if std::mem::take(&mut keeps_inline) {
                continue;
            }
            if let Some((_, first)) = by_gcc {
                stderr = first;
            } else if preprocessed::is_preprocessed(&source.file)
                && !source.is_cxx()
                && let Some(text) = preprocessed::text(&path)
            {
                by_gcc = Some((text, stderr));
                continue;
            }
            if output.status.code().is_none() {
                stderr = format!("error: the compiler crashed on it\n{stderr}");
            }
            return Err(Error::CompilerFailed { path, stderr });
        }
        // The user's flags may choose another target.
        target::check(&path, target::of_bitcode(&output.stdout))?;
        let directory = source.directory.unwrap_or_default();
        let mut read: Vec<PathBuf> = read.iter().map(|path| directory.join(path)).collect();
        if by_gcc.is_some() {
            read.push(path.clone());
        }
        return Ok(Compiled {
            path,
            bytes: output.stdout,
            form: Form::Own,
            role,
            read,
        });
    }
}

/// Removes the options of another compiler that clang reports as unknown. Returns false if there
/// are none.
fn leave_out(flags: &mut Vec<String>, said: &str) -> bool {
    let unknown = said.lines().filter_map(|line| {
        let (_, rest) = line
            .split_once("error: unknown argument: '")
            .or_else(|| line.split_once("error: unknown argument '"))
            .or_else(|| line.split_once("error: unsupported option '"))
            .or_else(|| line.split_once("error: optimization flag '"))?;
        rest.split('\'').next()
    });
    let unknown: Vec<&str> = unknown.collect();
    let before = flags.len();
    flags.retain(|flag| !unknown.contains(&flag.as_str()));
    flags.len() < before
}

/// Keeps the bodies of C99's `inline` functions, which no object may define. An optimising build
/// does not need them, and without optimisation clang leaves them out, except for those that are
/// always inlined. (No pass of LLVM runs that would inline them.) A source that cannot be compiled
/// with this definition, because it uses the word otherwise, is compiled without it.
const KEEPS_INLINE: &str = "-Dinline=inline __attribute__((__always_inline__))";

/// The options that make the bitcode which the lowering expects.
const BITCODE: [&str; 15] = [
    "-O0",
    "-g",
    // The fields of a class also where its constructor is defined elsewhere.
    "-fstandalone-debug",
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
];

/// Options that mark shifts of signed numbers in C. C++ allows more of them, and from C++20 on all.
const SIGNED_SHIFTS: [&str; 2] = ["-fsanitize=shift-base", "-fsanitize-trap=shift-base"];

/// `file`: the source, or what is compiled in its place.
fn arguments(
    clang: &mut Command,
    (source, file): (&Source, &Path),
    options: &Options,
    headers: &Headers,
    list: &Listing,
) {
    if let Some(directory) = &source.directory {
        clang.current_dir(directory);
    }
    if let Some(language) = &source.language {
        clang.arg("-x").arg(language);
    }
    clang.args(&source.flags);
    if options.lenient {
        clang.args(LENIENT);
    }
    for flag in &options.cflags {
        clang.arg(flag);
    }
    // A value is part of its option's word: a separate word that begins with `@` would be read as a
    // response file. Names on the command line are names of files here.
    let here = source
        .directory
        .as_ref()
        .and_then(|_| std::env::current_dir().ok());
    for directory in &options.include {
        let directory = here.iter().fold(directory.clone(), |path, here| here.join(path));
        clang.arg(joined("-I", directory.as_os_str()));
    }
    for define in &options.define {
        clang.arg(joined("-D", define.as_ref()));
    }
    if !source.is_cxx() {
        clang.args(SIGNED_SHIFTS);
    }
    if let Some(std) = &options.std {
        // A program may mix C and C++; a standard of one language is not valid for the other.
        if std.contains("++") == source.is_cxx() {
            clang.arg(format!("-std={std}"));
        }
    }
    finish_arguments(clang, file, headers, list);
}

/// The last part of a command line: our headers, after the user's directories and before the
/// system's; the options that make bitcode; the name.
fn finish_arguments(clang: &mut Command, file: &Path, headers: &Headers, list: &Listing) {
    clang.arg("-isystem").arg(headers.path());
    clang.args(BITCODE);
    clang.args([list.option, "-MF", OWN_STDERR, "-MT", &list.target]);
    // No name may be read as an option or a response file.
    let bytes = file.as_os_str().as_encoded_bytes();
    let odd = bytes.len() > 1 && bytes.starts_with(b"-") || bytes.starts_with(b"@");
    match odd {
        true => clang.arg(Path::new(".").join(file)),
        false => clang.arg(file),
    };
}

/// Compiles a source as part of a build with `selvedge cc`. Returns the bitcode and the files that
/// were read (without those of the system), or the compiler's messages.
pub(crate) fn compile_beside(
    file: &Path,
    arguments: &[OsString],
    input: Option<&[u8]>,
) -> Result<(Vec<u8>, Vec<PathBuf>), String> {
    let headers = Headers::new().map_err(|error| error.to_string())?;
    let list = Listing::new("-MMD");
    let stop = StopFlag::new();
    let bounds = Bounds {
        stop: &stop,
        longest: None,
    };
    let is_c = arguments.get(1).is_some_and(|language| language == "c");
    let compiled = |keeps_inline: bool| {
        let run = run_clang(input, bounds, |clang| {
            if keeps_inline {
                clang.arg(KEEPS_INLINE);
            }
            if is_c {
                clang.args(SIGNED_SHIFTS);
            }
            clang.args(arguments).args(["-w", "-Qunused-arguments"]);
            finish_arguments(clang, file, &headers, &list);
        });
        match run.map_err(|error| error.to_string())? {
            Ended::Exited(output) => Ok(output),
            _ => Err("the compiler was stopped".to_owned()),
        }
    };
    let mut output = compiled(is_c)?;
    if is_c && !output.status.success() {
        output = compiled(false)?;
    }
    let (read, said) = list.split(&output.stderr);
    match output.status.success() && !output.stdout.is_empty() {
        true => Ok((output.stdout, read)),
        false => {
            let line = said.lines().find(|line| line.contains("error:"));
            Err(line
                .or(said.lines().next())
                .unwrap_or("the compiler crashed")
                .to_owned())
        }
    }
}

/// The standard error of the process that opens it. This is not /dev/stderr, because clang removes
/// the file for the list when a header is missing, and the super-user can remove that link. No user
/// can remove this one.
const OWN_STDERR: &str = "/proc/self/fd/2";

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// The list of files that a compiler read, among what else it writes to standard error.
struct Listing {
    /// The target of the rule. No text that a source can produce contains it.
    target: String,
    /// The option that makes the compiler write the list.
    option: &'static str,
}

impl Listing {
    fn new(option: &'static str) -> Listing {
        let random = || RandomState::new().hash_one(0);
        Listing {
            option,
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
pub(crate) fn files_of_rule(rule: &str) -> Vec<PathBuf> {
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

/// Names of the compiler, the first one that exists.
const CLANG: [&str; 3] = ["clang-22", "/usr/lib/llvm-22/bin/clang", "clang"];

/// Runs the first compiler of version 22 there is.
fn run_clang(
    input: Option<&[u8]>,
    bounds: Bounds<'_>,
    arguments: impl Fn(&mut Command),
) -> Result<Ended, Error> {
    for name in CLANG {
        if name == "clang" && !is_version_22(name, bounds) {
            continue;
        }
        let mut clang = Command::new(name);
        arguments(&mut clang);
        match child::run(&mut clang, input, bounds) {
            Ok(ended) => return Ok(ended),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::CompilerIo(e)),
        }
    }
    Err(Error::CompilerMissing)
}

/// The first compiler of version 22 there is, for C or for C++.
pub(crate) fn compiler(cxx: bool) -> Result<Command, Error> {
    let stop = StopFlag::new();
    let bounds = Bounds {
        stop: &stop,
        longest: None,
    };
    for name in CLANG {
        let name = match (cxx, name) {
            (false, name) => name.to_owned(),
            (true, "clang-22") => "clang++-22".to_owned(),
            (true, name) => format!("{name}++"),
        };
        let exists = match name.contains('/') {
            true => Path::new(&name).exists(),
            false => {
                let places = std::env::var_os("PATH").unwrap_or_default();
                std::env::split_paths(&places).any(|place| place.join(&name).is_file())
            }
        };
        if exists && (name.contains("22") || is_version_22(&name, bounds)) {
            return Ok(Command::new(name));
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
        let list = Listing::new("-MD");
        let said = format!(
            "a.c:1: warning: odd\n{}: a.c /x/b\\ c.h \\\n  d$$\\#.h\n1 warning generated.\n",
            list.target
        );
        let (files, rest) = list.split(said.as_bytes());
        let names: Vec<&str> = files.iter().filter_map(|file| file.to_str()).collect();
        assert_eq!(names, ["a.c", "/x/b c.h", "d$#.h"]);
        assert_eq!(rest, "a.c:1: warning: odd\n1 warning generated.\n");
        // Another run has another name for the list.
        let (files, _) = Listing::new("-MD").split(said.as_bytes());
        assert!(files.is_empty());
    }
}
