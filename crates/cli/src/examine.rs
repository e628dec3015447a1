//! `check` for a caller in the same process: a program that is loaded already, and the report as
//! data.

use crate::args::{Cli, Command};
use crate::check::{Ends, measured};
use crate::exit::Exit;
use crate::options::options;
use crate::watch::Watch;
use clap::Parser;
use selvedge_frontend::Loaded;
use selvedge_report::RunReport;
use selvedge_session::{Error, known, properties};
use std::sync::Arc;
use std::thread;

/// Explores a program with options of `selvedge check` and says what follows, as the command does;
/// nothing is written. `arguments` are those behind `check`, with an input; it is not read.
///
/// # Errors
/// The exit code, if there is no report.
pub fn examine(arguments: &[&str], loaded: &Loaded) -> Result<RunReport, u8> {
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
    let interrupted = Arc::default();
    let options = options(&args, asked, &interrupted);
    let watch = Watch::new((&args, &options), false, interrupted, known(&options));
    thread::scope(|scope| {
        scope.spawn(|| watch.look_on());
        let _ends = Ends(&watch);
        match selvedge_session::check(loaded, &options, &watch) {
            Ok(checked) => Ok(measured(checked.report, &watch)),
            Err(Error::Stopped) => Err(Exit::INCONCLUSIVE),
            Err(error) => Err(Exit::of(&error).code()),
        }
    })
}
