//! Options that say how the inputs become a program, and the commands that need no others: `facts`
//! and `slice`.

use super::Switch;
use super::values::{directory, file_flags, language};
use clap::{ArgAction, Args, ValueEnum};
use selvedge_frontend::Language;
use std::path::PathBuf;

/// How the inputs become a program.
#[derive(Args, Debug)]
#[command(next_help_heading = "Compilation")]
pub(crate) struct SourceArgs {
    /// The function to start with
    #[arg(long, env = "SELVEDGE_ENTRY", default_value = "main", value_name = "NAME")]
    pub(crate) entry: String,
    /// Further arguments for the compiler, separated by white space
    #[arg(
        long,
        env = "SELVEDGE_CFLAGS",
        value_name = "FLAGS",
        allow_hyphen_values = true
    )]
    pub(crate) cflags: Option<String>,
    /// Directory for headers
    #[arg(short = 'I', long = "include", env = "SELVEDGE_INCLUDE", value_name = "DIR", value_delimiter = ':', action = ArgAction::Append, value_parser = directory)]
    pub(crate) include: Vec<PathBuf>,
    /// Macro for the compiler
    #[arg(short = 'D', long = "define", env = "SELVEDGE_DEFINE", value_name = "NAME[=VALUE]", action = ArgAction::Append, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) define: Vec<String>,
    /// Language standard, such as c11 or c++17 (also -std=c11)
    #[arg(long, env = "SELVEDGE_STD", value_name = "NAME")]
    pub(crate) std: Option<String>,
    /// Language of all sources on the command line, whatever their names
    #[arg(short = 'x', long, env = "SELVEDGE_LANGUAGE", value_name = "c|c++", value_parser = language)]
    pub(crate) language: Option<Language>,
    /// Further arguments for the compiler for one source
    #[arg(long, env = "SELVEDGE_FILE_CFLAGS", value_name = "FILE=FLAGS", action = ArgAction::Append, value_parser = file_flags, allow_hyphen_values = true)]
    pub(crate) file_cflags: Vec<(PathBuf, Vec<String>)>,
    /// Take C as gcc 13 does: -fcommon; implicit int, implicit declarations of functions and
    /// conversions between pointers and integers are warnings
    #[arg(long, env = "SELVEDGE_LENIENT", default_value = "off", value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    pub(crate) lenient: Switch,
    /// All sources that a compile_commands.json has for this target of CMake or Meson are part of
    /// the program; a list
    #[arg(long, env = "SELVEDGE_TARGET", value_name = "NAME", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) target: Vec<String>,
    /// Pass any option of a compile_commands.json to the compiler, also one that may run code
    #[arg(long, env = "SELVEDGE_TRUST", value_parser = clap::builder::BoolishValueParser::new())]
    pub(crate) trust: bool,
}

impl SourceArgs {
    /// What the front end is to do.
    pub(crate) fn frontend(&self) -> selvedge_frontend::Options {
        let flags = self.cflags.as_deref().unwrap_or("").split_whitespace();
        selvedge_frontend::Options {
            cflags: flags.map(str::to_owned).collect(),
            include: self.include.clone(),
            define: self.define.clone(),
            std: self.std.clone(),
            language: self.language,
            file_flags: self.file_cflags.clone(),
            lenient: self.lenient.on(),
            targets: self.target.clone(),
            trust: self.trust,
            entry: self.entry.clone(),
            ..Default::default()
        }
    }
}

/// Prints facts about each function of the program, those of the model library left out.
#[derive(Args, Debug)]
pub(crate) struct FactsArgs {
    /// C, C++, Rust or LLVM files, as for `check`
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Which facts: cfg (blocks, where control goes, which branches decide), loops, calls (who may
    /// run whom), definitions (which assignments a use may see), pointsto (which objects an access
    /// may touch), threads (which threads there may be, and which run in parallel with a
    /// statement), locks (which locks are surely held at an access or a call)
    #[arg(
        long,
        default_value = "cfg,loops,calls",
        value_name = "LIST",
        value_delimiter = ','
    )]
    pub(crate) what: Vec<Fact>,
    /// Only this function, by its name in the source or its linkage name
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// As JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Prints the lines that may decide what a line does and whether it is executed, each with the line
/// that it is there for. In which order threads run is no part of it.
#[derive(Args, Debug)]
pub(crate) struct SliceArgs {
    /// C, C++, Rust or LLVM files, as for `check`
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The line; without it, the failing assertions and calls of error functions
    #[arg(long, value_name = "[FILE:]LINE")]
    pub(crate) at: Option<String>,
    /// Also write a page with the whole source, the slice marked
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// As JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// What `facts` prints.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    Cfg,
    Loops,
    Calls,
    Definitions,
    Pointsto,
    Threads,
    Locks,
}
