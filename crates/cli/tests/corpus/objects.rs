//! The programs of the corpus as objects: each is compiled once, by `selvedge cc`, and explored in
//! many ways. The first way takes the source, so both inputs must lead to the same verdict.

use super::expectation::Case;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The objects that were made, by program and flags.
static MADE: Mutex<Option<HashMap<Key, Result<PathBuf, String>>>> = Mutex::new(None);

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
        compile(compiler, program, flags, &object).map(|()| object)
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
