//! `check` for a caller in the same process: a program that is loaded already, and the report as
//! data.

use crate::args::{Cli, Command};
use crate::check::{Ends, explored};
use crate::conclude::{describe, known};
use crate::exit::Exit;
use crate::job::Stopped;
use crate::plan::Plan;
use crate::program::Setup;
use crate::properties;
use crate::watch::Watch;
use clap::Parser;
use selvedge_frontend::Loaded;
use selvedge_report::RunReport;
use std::thread;

/// Explores a program with options of `selvedge check` and says what follows, as the command does;
/// nothing is written. `arguments` are those behind `check`, with an input; it is not read.
///
/// # Errors
/// The exit code, if there is no report.
pub fn examine(arguments: &[&str], loaded: Loaded) -> Result<RunReport, u8> {
    let words = ["selvedge", "check"].iter().chain(arguments);
    let Ok(Cli {
        command: Command::Check(args),
    }) = Cli::try_parse_from(words)
    else {
        return Err(Exit::usage(&format!("{arguments:?}")).code());
    };
    let asked = args.property.as_deref();
    let asked = asked.map_or_else(|| Ok(properties::default()), properties::parse);
    let asked = asked.map_err(|message| Exit::usage(&message).code())?;
    let setup = Setup::new(&args, &asked);
    let report = known(&args, Plan::first(&args), &setup, None);
    let watch = Watch::new(&args, asked.clone(), false, report);
    thread::scope(|scope| {
        scope.spawn(|| watch.look_on());
        let _ends = Ends(&watch);
        let mut setup = setup;
        setup.vm.stop = watch.stop.clone();
        let outcome = explored(&args, &asked, setup, loaded, None, &watch);
        let outcome = outcome.map_err(|stopped| match stopped {
            Stopped::Told => Exit::INCONCLUSIVE,
            Stopped::With(exit) => exit.code(),
        })?;
        let (run, _) = describe(&args, &asked, &outcome, &watch).map_err(Exit::code)?;
        Ok(run)
    })
}
