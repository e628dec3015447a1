//! The `selvedge` command: arguments, output, limits of the process, and what becomes of errors.
//! What it does between them is `selvedge-session`.
//!
//! A library only for the differential hunt (`crates/hunt`), which checks thousands of programs in
//! one process ([`examine()`]).

mod args;
mod build;
mod cc;
mod check;
mod cluster;
mod config;
mod cover;
mod cover_compare;
mod cover_page;
mod debug;
mod examine;
mod exit;
mod facts;
mod last_words;
mod lsp;
mod memory;
mod native;
mod native_case;
mod native_replay;
mod native_schedule;
mod native_sources;
mod observe;
mod options;
mod output;
mod program;
mod progress;
mod replay;
mod saved;
mod slice;
mod solve;
mod unfolding;
mod validate;
mod watch;
mod witness;
mod write;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
pub use examine::examine;
use exit::Exit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// The command: reads the arguments of the process, and says how it ends.
pub fn main() -> ExitCode {
    // A panic is our mistake; it is said once, with its place, and never as a backtrace of some
    // worker.
    std::panic::set_hook(Box::new(|info| {
        output::note(&format!("selvedge panicked: {info}"));
    }));
    let exit = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Exit::internal("a panic"));
    ExitCode::from(exit.code())
}

fn run() -> Exit {
    let given: Vec<_> = std::env::args_os().collect();
    // What the process that loads a program starts: it is no command for people.
    if given.get(1).is_some_and(|word| word == program::READ) {
        return Exit::Code(selvedge_frontend::serve());
    }
    // All further words are for the compiler, also those that we would understand.
    match given.get(1).and_then(|word| word.to_str()) {
        Some("cc") => return cc::run(&given[2..], false),
        Some("c++") => return cc::run(&given[2..], true),
        _ => {}
    }
    let from_file = if given.get(1).is_some_and(|word| word == "check") {
        let directory = std::env::current_dir().unwrap_or_default();
        if let Some(word) = config::ambiguous(&given) {
            let word = word.display();
            return Exit::usage(&format!(
                "`{word}` is both an option and the name of a file here; for the file, write ./{word}"
            ));
        }
        let named = config::named(&given);
        if let Some(text) = config::unread(&directory, named.as_deref()) {
            output::note(&text);
        }
        match config::arguments(&directory, named.as_deref()) {
            Ok(arguments) => arguments,
            Err(error) => return Exit::usage(&error.to_string()),
        }
    } else {
        Vec::new()
    };
    match Cli::try_parse_from(config::complete(given, from_file)) {
        Ok(Cli {
            command: Command::Check(args),
        }) => check::run(&args),
        Ok(Cli {
            command: Command::Replay(args),
        }) => replay::run(&args),
        Ok(Cli {
            command: Command::Debug(args),
        }) => debug::run(&args),
        Ok(Cli {
            command: Command::Lsp(args),
        }) => lsp::run(&args),
        Ok(Cli {
            command: Command::Worker(args),
        }) => cluster::worker(&args),
        Ok(Cli {
            command: Command::Cluster(args),
        }) => cluster::run(&args),
        Ok(Cli {
            command: Command::Solve(args),
        }) => solve::run(&args),
        Ok(Cli {
            command: Command::Facts(args),
        }) => facts::run(&args),
        Ok(Cli {
            command: Command::Slice(args),
        }) => slice::run(&args),
        Ok(Cli {
            command: Command::Cover(args),
        }) => cover::run(*args),
        Ok(Cli {
            command: Command::Build(args),
        }) => build::run(&args),
        Ok(Cli {
            command: Command::Run(args),
        }) => native::run(*args),
        Ok(Cli {
            command: Command::Cc(args),
        }) => cc::run(&args.words, false),
        Ok(Cli {
            command: Command::Cxx(args),
        }) => cc::run(&args.words, true),
        Ok(Cli {
            command: Command::Runtime,
        }) => match output::print(native::RUNTIME) {
            Ok(()) => Exit::Code(0),
            Err(error) => Exit::output(&format!("cannot write the file: {error}")),
        },
        Ok(Cli {
            command: Command::Man,
        }) => man(),
        Ok(Cli {
            command: Command::Completions { shell },
        }) => completions(shell),
        Err(error) => {
            if let Some(message) = args::not_yet(&error) {
                return Exit::usage(&message);
            }
            let _ = error.print(); // a closed pipe is nobody's mistake
            Exit::Code(u8::from(error.use_stderr()))
        }
    }
}

/// What completes the command in a shell.
fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "selvedge", &mut script);
    match output::print(&String::from_utf8_lossy(&script)) {
        Ok(()) => Exit::Code(0),
        Err(error) => Exit::output(&format!("cannot write the completions: {error}")),
    }
}

/// The man page, from the same text as `--help`.
fn man() -> Exit {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    let render = |command: clap::Command, page: &mut Vec<u8>| clap_mangen::Man::new(command).render(page);
    let commands: Vec<clap::Command> = command
        .get_subcommands()
        .filter(|c| !c.is_hide_set() && c.get_name() != "help")
        .cloned()
        .collect();
    let mut result = render(command, &mut page);
    for sub in commands {
        let name = format!("selvedge {}", sub.get_name());
        let mut part = Vec::new();
        let man = clap_mangen::Man::new(sub.display_name(name.clone()).bin_name(name.clone()));
        result = result.and_then(|()| {
            part.extend(format!(".SH \"{}\"\n", name.to_uppercase()).bytes());
            man.render_synopsis_section(&mut part)?;
            man.render_description_section(&mut part)?;
            man.render_options_section(&mut part)
        });
        // The parts of one page: their headings are one level lower.
        let text = String::from_utf8_lossy(&part)
            .replace(".SH SYNOPSIS", ".SS SYNOPSIS")
            .replace(".SH DESCRIPTION", ".SS DESCRIPTION")
            .replace(".SH OPTIONS", ".SS OPTIONS");
        page.extend(text.bytes());
    }
    match result.and_then(|()| output::print(&String::from_utf8_lossy(&page))) {
        Ok(()) => Exit::Code(0),
        Err(error) => Exit::output(&format!("cannot write the man page: {error}")),
    }
}
