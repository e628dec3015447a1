//! The process that reads modules: LLVM is loaded here and nowhere else.

use super::link::Link;
use super::sandbox;
use super::wire::{self, Answer, Stage};
use crate::llvm::{self, Context};
use crate::lower;
use crate::request::{Form, Refusal, Request, Role};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::thread;

/// The stack of the thread that reads: LLVM and the lowering recurse on what is nested.
const STACK: usize = 256 << 20;

/// Address space beside what the request allows: the program and its libraries, and the stack.
const OVERHEAD: u64 = 1 << 30;

/// Reads a request from standard input and writes the answer to standard output. The result is the
/// exit code: 0 if there is an answer.
#[must_use]
pub fn serve() -> u8 {
    // One that is started now, since a confined process cannot start any.
    let reader = thread::Builder::new().stack_size(STACK).spawn(answer_one);
    match reader.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => 0,
        Ok(Ok(Err(error))) | Err(error) => {
            eprintln!("{error}");
            1
        }
        Ok(Err(_)) => 1, // a panic has said what it is
    }
}

fn answer_one() -> io::Result<()> {
    let mut out = io::stdout().lock();
    // The library is found and relocated before files are out of reach.
    let llvm = llvm::load();
    let (request, units) = wire::receive(io::stdin().lock())?;
    sandbox::limit(request.memory.saturating_add(OVERHEAD), request.seconds)?;
    // From here on nothing is done that needs the system; only now are the modules looked into.
    if sandbox::confine().is_err() {
        wire::unconfined(&mut out)?;
    }
    let answer = llvm.and_then(|()| Context::new()).map_err(Refusal::NoLlvm);
    // This process ends when it has answered. Freeing the modules before would take as long as
    // reading them.
    let answer = answer.and_then(|context| read_in(Box::leak(Box::new(context)), &request, &units, &mut out));
    wire::answer(&mut out, &answer)
}

/// Reads, links and lowers the units, and says to `marks` what is going on.
pub(crate) fn read(request: &Request, units: &[Vec<u8>], marks: &mut impl Write) -> Answer {
    let context = Context::new().map_err(Refusal::NoLlvm)?;
    read_in(&context, request, units, marks)
}

/// [`read`] in a context, which owns the modules and frees them.
fn read_in<'c>(
    context: &'c Context,
    request: &Request,
    units: &'c [Vec<u8>],
    marks: &mut impl Write,
) -> Answer {
    let mut link = Link::new(&request.entry);
    for ((number, bytes), (form, role, _)) in (0..).zip(units).zip(&request.units) {
        // Whoever listens has gone away if this fails, and does not want to know.
        let _ = wire::mark(marks, Stage::Unit(number));
        let unit = match role {
            Role::Definitions => definitions(context, number, bytes)?,
            _ => unit(context, number, *form, bytes)?,
        };
        link.add(number, *role, unit)?;
    }
    let _ = wire::mark(marks, Stage::Program);
    let program = ManuallyDrop::new(link.finish()?);
    if request
        .units
        .iter()
        .any(|(_, role, _)| *role == Role::Definitions)
    {
        program.verify().map_err(Refusal::Link)?;
    }
    lower::lower(&program, request)
}

/// A unit whose definitions are read when they are linked. So only the program can be verified.
fn definitions<'c>(context: &'c Context, number: u32, bytes: &'c [u8]) -> Result<llvm::Module<'c>, Refusal> {
    let invalid = |detail| Refusal::Invalid(number, detail);
    let mut module = context.parse_when_needed(bytes).map_err(invalid)?;
    module.retarget();
    Ok(module)
}

/// One unit as a module.
fn unit<'c>(
    context: &'c Context,
    number: u32,
    form: Form,
    bytes: &[u8],
) -> Result<llvm::Module<'c>, Refusal> {
    let invalid = |detail| Refusal::Invalid(number, detail);
    let mut module = match form {
        Form::Own | Form::Recorded | Form::Bitcode => context.parse(bytes).map_err(invalid)?,
        Form::Text => context.parse_text(bytes).map_err(invalid)?,
    };
    let triple = module.triple();
    if !triple.is_empty() && (!triple.starts_with("x86_64") || triple.ends_with("x32")) {
        return Err(Refusal::Target(number, triple));
    }
    if form != Form::Own {
        module.retarget();
        module.verify().map_err(invalid)?;
    }
    module.split_coroutines().map_err(invalid)?;
    if matches!(form, Form::Own | Form::Recorded) {
        module.mark_as_written();
    }
    Ok(module)
}
