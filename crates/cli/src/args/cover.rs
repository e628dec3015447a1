//! Options of `cover`, `build` and `run`.

use super::CheckArgs;
use clap::{Args, ValueEnum};
use selvedge_cover::Without;
use selvedge_session::requests;
use selvedge_vm::Requests;
use std::path::PathBuf;

/// Collect a set of schedules that has one for each input of a program (docs/cover.md).
///
/// The order of threads is fixed, and every class of inputs is run in it; data races, deadlocks and
/// what else `check` looks for are findings, if they show in that order; with --avoid other orders
/// are tried first. -o names the file for the set, --html one for a page that draws its schedules.
/// Other options are those of `check`, as far as they mean something here. Exit codes: 0 the
/// set is complete, 10 something was found, 5 there is no set (a limit, or something unsupported),
/// or the one of --verify is another one, 1, 2 and 6 as for `check`.
#[derive(Args, Debug)]
pub(crate) struct CoverArgs {
    /// Print the schedules
    #[arg(long)]
    pub(crate) show: bool,
    /// Where something goes wrong along a schedule, try another order for its inputs, and say which
    /// ones these were
    #[arg(long)]
    pub(crate) avoid: bool,
    /// Check that a set is the one of this program and these options: run each of its schedules
    /// over all its inputs again, and list them
    #[arg(long, value_name = "SCHEDULES", conflicts_with = "output")]
    pub(crate) verify: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) stream: StreamArgs,
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

/// Build the native program that keeps to a set of schedules (docs/cover.md), or to the schedule
/// and inputs of one test case or finding (docs/cases.md).
///
/// Compiler options are those that the set or case was made with. At the first operation that no
/// schedule of the set has there the program says so and ends with exit code 120. Exit codes of
/// `build`: 0, 5 the program uses what has no native form, 1, 2 and 6 as for `check`.
#[derive(Args, Debug)]
pub(crate) struct BuildArgs {
    /// The sources in C and C++ that the set is of; a case names its own sources
    #[arg(
        value_name = "FILE",
        required_unless_present = "case",
        conflicts_with = "case"
    )]
    pub(crate) inputs: Vec<PathBuf>,
    /// The set, as `selvedge cover -o` has written it
    #[arg(long, value_name = "SCHEDULES", required_unless_present = "case")]
    pub(crate) schedules: Option<PathBuf>,
    /// A test case of `selvedge check --emit-tests`, or a saved finding. The program, in C or C++,
    /// runs on this schedule each time, and freely when it is over. A finding that a sanitizer
    /// shows is built with that
    #[arg(long, value_name = "CASE.json", conflicts_with = "schedules")]
    pub(crate) case: Option<PathBuf>,
    /// Do whatever the case asks for: pass any option to the compiler, and read files anywhere
    #[arg(long, requires = "case")]
    pub(crate) trust: bool,
    /// The program to write
    #[arg(short = 'o', long, value_name = "PROGRAM")]
    pub(crate) output: PathBuf,
    /// What the program does at an operation that no schedule has there, beside saying so: stop, or
    /// go on without schedules
    #[arg(
        long,
        default_value = "stop",
        value_name = "stop|free",
        conflicts_with = "case"
    )]
    pub(crate) on_deviation: Deviation,
    /// Leave out what makes programs faster, to measure that (docs/BENCHMARKS.md)
    #[arg(long, hide = true, value_name = "LIST", value_parser = Without::parse, conflicts_with = "case")]
    pub(crate) without: Option<Without>,
}

/// Collect a set of schedules, build the program that keeps to it, and run that.
///
/// What stands behind -- are the arguments of the program; without --symbolic-args the set is for
/// these. Options are those of `cover`. The exit code is the program's, or as for `cover` if there
/// is no set.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// What the program does at an operation that no schedule has there, beside saying so: stop, or
    /// go on without schedules
    #[arg(long, default_value = "stop", value_name = "stop|free")]
    pub(crate) on_deviation: Deviation,
    #[command(flatten)]
    pub(crate) stream: StreamArgs,
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

/// Requests from standard input, of `cover` and `run`.
#[derive(Args, Debug)]
pub(crate) struct StreamArgs {
    /// Standard input is a stream of requests of BYTES bytes, of any value: any number of them, or
    /// at most MOST. Each read() gets a whole one, or finds the end
    #[arg(
        long,
        env = "SELVEDGE_SYMBOLIC_REQUESTS",
        value_name = "BYTES[:MOST]",
        value_parser = requests,
        conflicts_with_all = ["stdin", "symbolic_stdin"]
    )]
    pub(crate) symbolic_requests: Option<Requests>,
    /// Divide executions where loops go round, and leave numbers open there, so that loops may be
    /// of any length: a set for all numbers of rounds
    #[arg(long, conflicts_with = "symbolic_requests")]
    pub(crate) epochs: bool,
    /// Leave out what keeps sets small, to measure that (docs/BENCHMARKS.md)
    #[arg(long, hide = true, value_name = "LIST", value_parser = Without::parse)]
    pub(crate) without: Option<Without>,
}

/// What a native program does off its schedules.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deviation {
    Stop,
    Free,
}
