//! Developer tasks, as in rust-analyzer's `xtask`: the checks of CI, and tasks that would otherwise
//! be shell scripts. Nothing here is part of the product. Users need only two commands:
//! `make demo` and `make test`.

mod bench;
mod bless;
mod callgrind;
mod ci;
mod cycles;
mod deb;
mod demo;
mod fuzz;
mod hunt;
mod links;
mod memcheck;
mod mutate;
mod names;
mod nightly;
mod process;
mod site;
mod symbols;
mod test;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;

const HELP: &str = "usage: cargo xtask TASK

  ci           format, lints, tidiness, documents: what .ci/run checks besides the tests
  test [OPTION…]  all tests, as many programs at a time as there are cores; options go to cargo
  tidy         the edges between crates, file lengths, links, names in documents, forbidden words
  bless        accept new golden reports and show what changed
  bench        measure, and write docs/BENCHMARKS.md; --lockfree, --predicate, --first, --choices, --cover, --ablation: that section alone; --cluster: simulate many machines (docs/cluster.md)
  fuzz         start the command on odd input of every kind: [DOOR…] [--seconds N] (for each) [--seed N]
  hunt [OPTIONS]  check random programs against an enumerator (--help; docs/hunt.md)
  nightly [--seed N]  the tests at length, then the hunt and fuzzing, for hours; the site
  memcheck     run tests of the machine under valgrind
  mutate       run every test that plants a mistake and expects it to be noticed
  deb [SELVEDGE]  build the Debian package: target/selvedge_VERSION_amd64.deb
  site         the documents as a site: target/site
  man [FILE]   write the man page (to target/selvedge.1)
  demo         check the thread pool of zstd, the same with one deliberate mistake and by cutoffs, and the decoder of LZ4;
               last a set of schedules for all inputs, and the program that keeps to it";

fn main() -> ExitCode {
    match task() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn task() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = process::root()?;
    std::env::set_current_dir(&root)?;
    match arguments.first().map(String::as_str) {
        Some("ci") => ci::run(),
        Some("test") => test::run(&arguments[1..]),
        Some("tidy") => tidy::run(),
        Some("bless") => bless::run(),
        Some("bench") => bench::run(&arguments[1..]),
        Some("fuzz") => fuzz::run(&arguments[1..]),
        Some("hunt") => hunt::run(&arguments[1..]),
        Some("memcheck") => memcheck::run(),
        Some("mutate") => mutate::run(),
        Some("nightly") => nightly::run(&arguments[1..]),
        Some("man") => process::man(arguments.get(1).map_or("target/selvedge.1", String::as_str)),
        Some("deb") => deb::package(arguments.get(1).map(String::as_str)),
        Some("demo") => demo::run(),
        Some("site") => site::build(),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => bail!("no task named {other}\n{HELP}"),
        None => bail!("which task?\n{HELP}"),
    }
}
