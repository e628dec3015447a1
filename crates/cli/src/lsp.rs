//! `selvedge lsp`: a language server that checks on save.

use crate::args::LspArgs;
use crate::exit::Exit;
use selvedge_lsp::{Settings, serve};

/// Runs the command.
pub(crate) fn run(args: &LspArgs) -> Exit {
    let command = match std::env::current_exe() {
        Ok(command) => command,
        Err(error) => return Exit::input(&format!("this program cannot be found: {error}")),
    };
    let settings = Settings {
        command,
        inputs: args.inputs.clone(),
        arguments: args.arguments.clone(),
        max_time: args.max_time,
    };
    match serve(settings) {
        Ok(()) => Exit::Code(0),
        Err(error) => Exit::input(&error.to_string()),
    }
}
