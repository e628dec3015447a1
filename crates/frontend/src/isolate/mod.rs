//! LLVM in a process of its own.
//!
//! LLVM trusts the modules that it reads: a damaged module makes it crash, run for ever or worse.
//! So the program starts itself again as a *reader* ([`serve`]), which reads, links and lowers the
//! modules and sends back our intermediate representation. The reader cannot open files, reach the
//! network or start anything, and its memory and time are bounded ([`sandbox`]). Its answer is
//! checked by the verifier of the intermediate representation before it is used. An attacker who
//! has taken over the reader can choose the program that is checked, which the author of the module
//! could do anyway, and nothing more.
//!
//! Clang, which reads the sources, is a separate process too. It is not confined, because it needs
//! the headers.

mod link;
mod sandbox;
mod serve;
mod wire;

pub use serve::serve;

use crate::child::{self, Bounds, Ended};
use crate::inputs::Native;
use crate::item::Compiled;
use crate::lower::Lowered;
use crate::request::{Refusal, Request};
use crate::{Error, Options};
use selvedge_ir::demangle;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;
use wire::Stage;

/// How readers are started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reader {
    /// The program, which calls [`serve`] if it is given these arguments.
    pub program: PathBuf,
    /// The arguments that make it do so.
    pub arguments: Vec<String>,
    /// How much memory a reader may have, in bytes.
    pub memory: u64,
}

/// The number of bytes of modules for which a reader gets a second of computing, besides the time
/// that every reader gets: ten times what the slowest programs need.
const BYTES_A_SECOND: u64 = 100 << 10;
/// Seconds of computing for every reader. They are limited because a damaged module can send LLVM
/// into a loop.
const SECONDS: u64 = 60;
/// Seconds of waiting for each second of computing, for a busy machine.
const PATIENCE: u64 = 20;

/// The program that the units make, read in this process: a crash of LLVM is a crash of ours.
pub(crate) fn in_process(units: &[Compiled], native: &Native, options: &Options) -> Result<Lowered, Error> {
    let bytes: Vec<Vec<u8>> = units.iter().map(|unit| unit.bytes.clone()).collect();
    let answer = serve::read(
        &request(units, native, options, u64::MAX),
        &bytes,
        &mut io::sink(),
    );
    answer.map_err(|refusal| error(refusal, units, options))
}

/// The program that the units make, read by another process; and whether that was confined.
pub(crate) fn in_reader(
    units: &[Compiled],
    native: &Native,
    options: &Options,
    reader: &Reader,
) -> Result<(Lowered, bool), Error> {
    let request = request(units, native, options, reader.memory);
    let mut input = wire::head(&request).map_err(Error::ReaderIo)?;
    units.iter().for_each(|unit| input.extend_from_slice(&unit.bytes));
    let mut command = Command::new(&reader.program);
    command.args(&reader.arguments);
    let longest = Duration::from_secs(request.seconds.saturating_mul(PATIENCE));
    let bounds = Bounds {
        stop: &options.stop,
        longest: Some(longest),
    };
    let output = match child::run(&mut command, Some(&input), bounds).map_err(Error::ReaderIo)? {
        Ended::Exited(output) => output,
        Ended::Stopped => return Err(Error::Stopped),
        Ended::Late => {
            return Err(Error::Crashed {
                paths: units.iter().map(|unit| unit.path.clone()).collect(),
                detail: format!("the reader took more than {} s", longest.as_secs()),
            });
        }
    };
    let written = wire::written(&output.stdout);
    let answer = match written.answer {
        Some(answer) if output.status.success() => answer,
        _ => return Err(failure(written.stage, &output, units)),
    };
    let lowered = answer.map_err(|refusal| error(refusal, units, options))?;
    check(&lowered)?;
    Ok((lowered, written.confined))
}

fn request(units: &[Compiled], native: &Native, options: &Options, memory: u64) -> Request {
    let units: Vec<_> = units
        .iter()
        .map(|unit| (unit.form, unit.role, unit.bytes.len() as u64))
        .collect();
    let bytes: u64 = units.iter().map(|(_, _, length)| length).sum();
    Request {
        entry: options.entry.clone(),
        library: options.library,
        symbolic: options.symbolic,
        serving: options.serving,
        memory,
        seconds: SECONDS + bytes / BYTES_A_SECOND,
        machine_code: native.symbols.keys().cloned().collect(),
        open: native.open,
        units,
    }
}

/// Checks data from another process. Nothing that is done with it later may depend on the reader's
/// honesty.
fn check(lowered: &Lowered) -> Result<(), Error> {
    let malformed = |what: String| Err(Error::Malformed(what));
    if let Err(errors) = selvedge_ir::verify(&lowered.module) {
        let first = errors.first().map(ToString::to_string);
        return malformed(first.unwrap_or_default());
    }
    if lowered.paths.len() != lowered.module.files.len() {
        return malformed("not as many paths as files".to_owned());
    }
    match lowered
        .undefined
        .iter()
        .find(|&&id| lowered.module.functions.get(id).is_none())
    {
        Some(id) => malformed(format!("{id} does not exist")),
        None => Ok(()),
    }
}

/// The reason why a reader did not answer.
fn failure(stage: Stage, output: &Output, units: &[Compiled]) -> Error {
    let said = String::from_utf8_lossy(&output.stderr);
    // Our own mistakes say so themselves.
    if let Some(panic) = said.lines().find(|line| line.contains("panicked")) {
        let reason = said.lines().skip_while(|&line| line != panic);
        return Error::ReaderPanic(reason.take(2).collect::<Vec<_>>().join(": "));
    }
    let said = said.lines().map(str::trim).find(|line| !line.is_empty());
    let detail = match (output.status.code(), said) {
        (_, Some(said)) => said.to_owned(),
        (Some(code), None) => format!("the reader ended with code {code}"),
        (None, None) => format!("the reader was ended by {}", signal(output)),
    };
    let unit = match stage {
        Stage::Unit(number) => units.get(number as usize),
        _ => None,
    };
    let paths = match unit {
        Some(unit) => vec![unit.path.clone()],
        None => units.iter().map(|unit| unit.path.clone()).collect(),
    };
    Error::Crashed { paths, detail }
}

/// The signal that ended a process, in words where there is something to say.
fn signal(output: &Output) -> String {
    use std::os::unix::process::ExitStatusExt;
    match output.status.signal() {
        Some(libc::SIGSEGV) => "a memory fault (SIGSEGV)".to_owned(),
        Some(libc::SIGABRT) => "an abort (SIGABRT)".to_owned(),
        Some(libc::SIGXCPU) => "its limit of time (SIGXCPU)".to_owned(),
        Some(libc::SIGKILL) => "the system or its limit of time (SIGKILL)".to_owned(),
        Some(other) => format!("signal {other}"),
        None => "nothing".to_owned(),
    }
}

/// A refusal in this process's own words. Names of files are ours, never those of the reader.
fn error(refusal: Refusal, units: &[Compiled], options: &Options) -> Error {
    let path = |number: u32| {
        units
            .get(number as usize)
            .map(|unit| unit.path.clone())
            .unwrap_or_default()
    };
    match refusal {
        Refusal::NoLlvm(reason) => Error::LlvmMissing(reason),
        Refusal::Invalid(unit, detail) if detail.contains("Producer: 'LLVM") => Error::OtherLlvm {
            path: path(unit),
            detail: first_line(&detail),
        },
        Refusal::Invalid(unit, detail) => {
            let path = path(unit);
            let line = first_line(&detail);
            // The reader knows no names: LLVM calls the text by that of its buffer.
            let detail = match line.strip_prefix("module:") {
                Some(place) => format!("{}:{place}", path.display()),
                None => line,
            };
            Error::InvalidBitcode { path, detail }
        }
        Refusal::Target(unit, triple) => Error::OtherTarget {
            path: path(unit),
            triple: first_line(&triple),
        },
        Refusal::Duplicate(symbol) => Error::DuplicateSymbol {
            symbol: demangle(&symbol),
        },
        Refusal::Ambiguous(symbol, first, second) => Error::Ambiguous {
            symbol: demangle(&symbol),
            first: path(first),
            second: path(second),
        },
        Refusal::Link(reason) => Error::Link(reason),
        Refusal::NoEntry => Error::NoEntry {
            entry: options.entry.clone(),
            notes: Vec::new(),
        },
        Refusal::Library(reason) => Error::Library(reason),
    }
}

/// The line that says what is wrong, printable.
fn first_line(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines().find(|l| l.contains("error:")).or_else(|| lines().next());
    let line = line.unwrap_or("LLVM gave no reason");
    line.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Form, Role};

    const TEXT: &str = "@g = global [3 x i32] [i32 1, i32 2, i32 3]\n\
        define i32 @main(i32 %n) {\n  %p = alloca i32\n  store i32 %n, ptr %p\n  %v = load i32, ptr @g\n\
        switch i32 %v, label %a [ i32 1, label %b ]\na:\n  ret i32 0\nb:\n  %w = call i32 @f(i32 %v)\n  ret i32 %w\n}\n\
        define i32 @f(i32 %n) {\n  %s = add nsw i32 %n, 1\n  ret i32 %s\n}\n";

    /// Whatever a reader sends that was taken over: it is refused, or is a program that the
    /// verifier accepts.
    #[test]
    fn damaged_answers() {
        let request = Request {
            entry: "main".to_owned(),
            library: false,
            symbolic: false,
            serving: false,
            memory: u64::MAX,
            seconds: 1,
            machine_code: Vec::new(),
            open: false,
            units: vec![(Form::Text, Role::Program, TEXT.len() as u64)],
        };
        let lowered = serve::read(&request, &[TEXT.into()], &mut io::sink()).expect("it is a program");
        let mut good = Vec::new();
        wire::answer(&mut good, &Ok(lowered.clone())).expect("memory can be written to");
        let read = wire::written(&good)
            .answer
            .expect("it is whole")
            .expect("it is a program");
        assert_eq!(read, lowered);
        assert!(check(&read).is_ok());
        let (mut accepted, mut refused, mut random) = (0, 0, 1u64);
        for round in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..=round % 3 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = 1 + (random >> 33) as usize % (bad.len() - 1);
                bad[at] ^= 1 << (random >> 29 & 7);
            }
            match wire::written(&bad).answer {
                Some(Ok(lowered)) if check(&lowered).is_ok() => accepted += 1,
                _ => refused += 1,
            }
        }
        assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
    }
}
