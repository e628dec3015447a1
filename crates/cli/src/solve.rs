//! `selvedge solve`: a query of the solver, as the log of a run has it, decided again.

use crate::args::{SolveArgs, SolverBackend};
use crate::exit::Exit;
use crate::output::print;
use selvedge_frontend::files;
use selvedge_solver::{Backend, Options, solve_text};

/// Runs the command.
pub(crate) fn run(args: &SolveArgs) -> Exit {
    let path = args.query.display();
    let text = match files::read_text(&args.query, files::LARGEST) {
        Ok(text) => text,
        Err(error) => return Exit::input(&format!("cannot read {path}: {error}")),
    };
    let mut options = Options {
        time: Some(args.time),
        backend: match args.backend {
            SolverBackend::Both => Backend::Both,
            SolverBackend::Bits => Backend::Bits,
            SolverBackend::Z3 => Backend::Z3,
        },
        ..Options::default()
    };
    if let Some(layers) = &args.layers {
        options = match options.with_layers(layers) {
            Ok(options) => options,
            Err(error) => return Exit::usage(&error.to_string()),
        };
    }
    let answer = match solve_text(&text, options) {
        Ok(answer) => answer,
        Err(error) => return Exit::input(&format!("{path}: {error}")),
    };
    if let Err(error) = print(&answer) {
        return Exit::output(&format!("cannot write the answer: {error}"));
    }
    Exit::Code(if answer.starts_with("unknown") {
        Exit::INCONCLUSIVE
    } else {
        0
    })
}
