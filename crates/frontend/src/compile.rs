//! Inputs to bitcode, by clang.
//!
//! Everything goes through a clang process, also `.bc` and `.ll`: a damaged module can crash LLVM, and then it is that
//! process which dies; what it accepts it writes again as well-formed bitcode. Bitcode comes back through a pipe; only headers
//! of our own are temporary files. No pass is run (`-disable-llvm-passes`). Lifetime markers, which end the scopes of locals,
//! are emitted at `-O0` under the flag that address sanitizing's use-after-scope check sets; nothing is instrumented.

use crate::child::{self, Bounds, Ended};
use crate::headers::Headers;
use crate::{Error, Options, target};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

/// How long reading a module may take: a damaged one can send the reader into a loop.
const LONGEST: Duration = Duration::from_secs(60);

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

/// Checks what can be checked without a compiler, so that mistakes get their own words.
fn inspect(path: &Path) -> Result<Kind, Error> {
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
    let mut file = std::fs::File::open(path).map_err(unreadable)?;
    if kind == Kind::Source {
        return Ok(kind);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
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
    Ok(kind)
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

/// The bitcode of one input.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The input.
    pub path: PathBuf,
    /// Its bitcode.
    pub bitcode: Vec<u8>,
    /// Whether the input was a module that somebody else made.
    pub foreign: bool,
}

/// Compiles all inputs, several at a time.
pub(crate) fn compile_all(inputs: &[PathBuf], options: &Options) -> Result<Vec<Compiled>, Error> {
    let kinds = inputs.iter().map(|p| inspect(p)).collect::<Result<Vec<_>, _>>()?;
    let work: Vec<(&PathBuf, Kind)> = inputs.iter().zip(kinds).collect();
    let headers = Headers::new().map_err(Error::CompilerIo)?;
    let parallel = thread::available_parallelism().map_or(1, |n| n.get());
    let mut all = Vec::new();
    for batch in work.chunks(parallel) {
        if let [(path, kind)] = batch {
            all.push(compile(path, *kind, options, &headers)?);
            continue;
        }
        let done: Vec<Result<Compiled, Error>> = thread::scope(|scope| {
            let running: Vec<_> = batch
                .iter()
                .map(|(path, kind)| {
                    let headers = &headers;
                    thread::Builder::new().spawn_scoped(scope, move || compile(path, *kind, options, headers))
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
            all.push(result?);
        }
    }
    Ok(all)
}

fn compile(path: &Path, kind: Kind, options: &Options, headers: &Headers) -> Result<Compiled, Error> {
    let bounds = Bounds {
        stop: &options.stop,
        longest: (kind != Kind::Source).then_some(LONGEST),
    };
    let output = match run_clang(bounds, |clang| arguments(clang, path, kind, options, headers))? {
        Ended::Exited(output) => output,
        Ended::Stopped => return Err(Error::Stopped),
        Ended::Late => {
            return Err(Error::InvalidBitcode {
                path: path.to_owned(),
                detail: format!("reading it took more than {} s", LONGEST.as_secs()),
            });
        }
    };
    if !output.status.success() || output.stdout.is_empty() {
        let mut stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.code().is_none() {
            stderr = format!("error: the compiler crashed on it\n{stderr}");
        }
        let path = path.to_owned();
        return Err(match kind {
            Kind::Source => Error::CompilerFailed { path, stderr },
            Kind::Bitcode | Kind::Text if stderr.contains("Producer: 'LLVM") => Error::OtherLlvm {
                path,
                detail: first_line(&stderr),
            },
            Kind::Bitcode | Kind::Text => Error::InvalidBitcode {
                path,
                detail: first_line(&stderr),
            },
        });
    }
    // The user's flags may choose another target.
    check_target(path, target::of_bitcode(&output.stdout))?;
    Ok(Compiled {
        path: path.to_owned(),
        bitcode: output.stdout,
        foreign: kind != Kind::Source,
    })
}

fn arguments(clang: &mut Command, path: &Path, kind: Kind, options: &Options, headers: &Headers) {
    if kind == Kind::Source {
        let cplusplus = !matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "i"));
        for flag in &options.cflags {
            clang.arg(flag);
        }
        for directory in &options.include {
            clang.arg("-I").arg(directory);
        }
        for define in &options.define {
            clang.arg("-D").arg(define);
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
        ]);
    } else {
        // Read the module as it is, whatever it is named; keep its triple without a word.
        clang.args(["-x", "ir", "-O0", "-Wno-override-module"]);
    }
    clang.args([
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
    // A name that begins with a dash is no option.
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        clang.arg(Path::new(".").join(path));
    } else {
        clang.arg(path);
    }
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

/// The line that says what is wrong.
fn first_line(stderr: &str) -> String {
    let lines = || stderr.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines().find(|l| l.contains("error:")).or_else(|| lines().next());
    line.unwrap_or("the reader gave no reason").to_owned()
}
