//! Arguments of what works on saved findings, `replay` and `debug`, and of `lsp`.

use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Run a saved finding again, step by step.
///
/// The program may have been edited since: steps are known by their function and the text of their
/// line. Files that are not in the current directory are looked for beside the finding.
///
/// Exit codes: 10 the finding was seen again, 5 it was not, and the program has been changed (it is
/// said how), 6 it was not, though the program is the same (an internal error), 1 and 2 as for
/// `check`.
#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The saved finding
    #[arg(value_name = "FINDING.json")]
    pub(crate) finding: PathBuf,
    /// Do whatever the finding asks for: pass any option to the compiler, and read files anywhere.
    /// Without it, options that could run code or read files are refused, and files outside of the
    /// current directory and the finding's
    #[arg(long)]
    pub(crate) trust: bool,
    /// Write the finding as a page for a browser: its schedule with threads side by side, and the
    /// source
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Then build the program natively, and run it on the same schedule and inputs, with the
    /// sanitizer that shows this kind of finding: programs in C and C++. Exit code 10 if the native
    /// program shows it, too, 5 if not, or if the schedule has steps that no native program can be
    /// kept to
    #[arg(long)]
    pub(crate) native: bool,
}

/// Go through a saved finding in a debugger, forwards and backwards.
///
/// Speaks the Debug Adapter Protocol (DAP) on standard input and output: editors start it.
/// `docs/debugging.md` says how. The program runs in the machine of the checker, never natively.
///
/// Exit codes: 0 the client has gone, 5 the finding does not fit the program, which has been
/// changed, 6 it does not though the program is the same (an internal error), 1 and 2 as for
/// `check`; 2 also if the client sends what is no message.
#[derive(Args, Debug)]
pub(crate) struct DebugArgs {
    /// The saved finding
    #[arg(value_name = "FINDING.json")]
    pub(crate) finding: PathBuf,
    /// Do whatever the finding asks for: pass any option to the compiler, and read files anywhere.
    /// Without it, options that could run code or read files are refused, and files outside of the
    /// current directory and the finding's
    #[arg(long)]
    pub(crate) trust: bool,
    /// Wait for one client on this port of this machine (0: any that is free) instead, and say on
    /// standard error which port it is
    #[arg(long, value_name = "N", help_heading = "Connection")]
    pub(crate) port: Option<u16>,
}

/// Check on save, for editors: a server of the Language Server Protocol (LSP) on standard input and
/// output.
///
/// Findings are published as diagnostics with the other places that belong to them. `docs/tools.md`
/// says how editors start it.
///
/// Exit codes: 0 the client has ended the session, 1 wrong usage, 2 the client does not keep to the
/// protocol.
#[derive(Args, Debug)]
pub(crate) struct LspArgs {
    /// What the program is made of, from the directory of the workspace; if none is given, the file
    /// that was saved
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// How long a check may take; a newer save ends it, too
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = super::duration)]
    pub(crate) max_time: Duration,
    /// Further arguments of `selvedge check`
    #[arg(last = true, value_name = "CHECK ARGS")]
    pub(crate) arguments: Vec<String>,
}
