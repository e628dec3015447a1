//! `selvedge cc` and `selvedge c++`: the compiler, with bitcode beside what it makes.
//!
//! The compiler is run as it is asked to be, but for link-time optimisation, whose objects would
//! have no room for the bitcode. Its output and exit code are ours. If it has made an object, a
//! program or a library of sources, their bitcode is added; whatever goes wrong with that is no
//! failure of the build.

use crate::exit::Exit;
use crate::output::note;
use selvedge_frontend::{LENIENT, files, wrap};
use selvedge_objects::command::{Command, Does, Source, expanded, without_lto};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

/// Response files are texts of at most this length.
const LONGEST: u64 = 64 << 20;

/// Runs the command with the words behind its name.
pub(crate) fn run(words: &[OsString], cxx: bool) -> Exit {
    let named = words.first().is_some_and(|word| word == "--lenient");
    let words = &words[usize::from(named)..];
    let variable = std::env::var("SELVEDGE_LENIENT");
    let lenient = named || variable.is_ok_and(|value| value == "on");
    let all = expanded(words, &mut |path| files::read_text(path, LONGEST).ok());
    let command = Command::parse(&all, cxx);
    let mut compiler = match wrap::compiler(cxx) {
        Ok(compiler) => compiler,
        Err(error) => return Exit::input(&error.to_string()),
    };
    if lenient {
        compiler.args(LENIENT);
    }
    if command.does == Does::Other {
        return Exit::input(&format!(
            "clang could not be run: {}",
            compiler.args(words).exec()
        ));
    }
    compiler.args(without_lto(words));
    let (input, status) = match compile(&mut compiler, &command.sources) {
        Ok(done) => done,
        Err(error) => return Exit::input(&format!("clang could not be run: {error}")),
    };
    if !status.success() {
        return Exit::Code(code(status));
    }
    let mut flags = command.compile;
    if lenient {
        flags.extend(LENIENT.iter().map(OsString::from));
    }
    let note_of = |source: &Source| {
        let input = input.as_deref().filter(|_| source.is_input());
        wrap::note(source, &flags, input)
    };
    match command.does {
        Does::Objects => command.sources.iter().for_each(|source| {
            let object = command.output.clone().unwrap_or_else(|| source.object());
            add(&object, &note_of(source));
        }),
        Does::Link => {
            let notes: Vec<u8> = command.sources.iter().flat_map(note_of).collect();
            add(&command.output.unwrap_or_else(|| PathBuf::from("a.out")), &notes);
        }
        Does::Other => {}
    }
    Exit::Code(0)
}

/// Runs the compiler to its end. If it reads standard input, so do we, before it.
fn compile(
    compiler: &mut std::process::Command,
    sources: &[Source],
) -> io::Result<(Option<Vec<u8>>, ExitStatus)> {
    if !sources.iter().any(Source::is_input) {
        return Ok((None, compiler.status()?));
    }
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut child = compiler.stdin(Stdio::piped()).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        let _ = pipe.write_all(&input); // it may not want all of it
    }
    Ok((Some(input), child.wait()?))
}

/// The exit code that a shell has for a process.
fn code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn add(path: &Path, notes: &[u8]) {
    if let Err(error) = wrap::add(path, notes) {
        note(&format!(
            "selvedge cc: no bitcode was added to {}: {error}",
            path.display()
        ));
    }
}
