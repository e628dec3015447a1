//! The programs of the corpus as objects: each is compiled once, and explored in many ways. Of one
//! in so many, `selvedge cc` makes the object, and the first way takes the source, so both inputs
//! must lead to the same verdict. The others have no machine code, which nothing here reads:
//! compiling to it takes longer than most explorations, and so does compiling a source again.

use super::expectation::Case;
use selvedge_base::{turn, usual_or_long};
use selvedge_frontend::wrap;
use selvedge_objects::command;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The objects that were made, by program and flags.
static MADE: Mutex<Option<HashMap<Key, Result<PathBuf, String>>>> = Mutex::new(None);

/// Of one program in so many the command makes the object; of all with `SELVEDGE_LONG`.
const BY_COMMAND_EVERY: u64 = 4;

/// Whether the program of a case is tried as a source, and as an object that the command makes.
pub fn is_by_command(case: &Case) -> bool {
    let name = case.program.file_name().unwrap_or_default();
    turn(&name.to_string_lossy(), usual_or_long(BY_COMMAND_EVERY, 1)) == 0
}

type Key = (PathBuf, Vec<String>);

/// The compiler's flags among the options of a case, and the other options.
fn split(options: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut flags, mut rest) = (Vec::new(), Vec::new());
    let mut options = options.iter();
    while let Some(option) = options.next() {
        if option == "--cflags" {
            flags.extend(options.next().cloned());
        } else if option.starts_with('-') && !option.starts_with("--") {
            flags.push(option.clone());
        } else {
            rest.push(option.clone());
        }
    }
    (flags, rest)
}

/// The object of a case's program, and the options that are left. A module is no source, so it is
/// used as it is.
pub fn object(case: &Case) -> Result<(PathBuf, Vec<String>), String> {
    let compiler = match case.program.extension().and_then(|extension| extension.to_str()) {
        Some("c") => "cc",
        Some("cc") => "c++",
        _ => return Ok((case.program.clone(), case.options.clone())),
    };
    let (flags, rest) = split(&case.options);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let made = made.get_or_insert_default();
    let number = made.len();
    let key = (case.program.clone(), flags);
    let object = made.entry(key).or_insert_with_key(|(program, flags)| {
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corpus-{number}.o"));
        let compiled = match is_by_command(case) {
            true => compile(compiler, program, flags, &object),
            false => record(compiler, program, flags, &object),
        };
        compiled.map(|()| object)
    });
    object.clone().map(|object| (object, rest))
}

fn compile(compiler: &str, program: &Path, flags: &[String], object: &Path) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args([compiler, "-g", "-c"]).args(flags);
    command.arg(program).arg("-o").arg(object);
    let output = command
        .output()
        .map_err(|error| format!("cannot start the command: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Makes an object of the bitcode that `compile` adds, and of no machine code.
fn record(compiler: &str, program: &Path, flags: &[String], object: &Path) -> Result<(), String> {
    let words = [OsString::from("-g"), OsString::from("-c")].into_iter();
    let words: Vec<OsString> = words
        .chain(flags.iter().map(OsString::from))
        .chain([program.into()])
        .collect();
    let command = command::Command::parse(&words, compiler == "c++");
    let [source] = &command.sources[..] else {
        return Err(format!("{words:?} has no source, or several"));
    };
    std::fs::copy(empty()?, object).map_err(|error| error.to_string())?;
    wrap::add(object, &wrap::note(source, &command.compile, None)).map_err(|error| error.to_string())
}

/// An object without contents.
fn empty() -> Result<&'static Path, String> {
    static EMPTY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = EMPTY.get_or_init(|| {
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus-empty.o");
        let mut clang = wrap::compiler(false).map_err(|error| error.to_string())?;
        clang.args(["-x", "c", "-c", "/dev/null", "-o"]).arg(&object);
        match clang.status() {
            Ok(status) if status.success() => Ok(object),
            ended => Err(format!("{clang:?}: {ended:?}")),
        }
    });
    made.as_ref().map(PathBuf::as_path).map_err(Clone::clone)
}
