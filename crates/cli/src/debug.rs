//! `selvedge debug`: a saved finding in a debugger.

use crate::args::DebugArgs;
use crate::exit::Exit;
use crate::output::note;
use crate::program;
use crate::saved;
use crate::watch::MemoryLimit;
use selvedge_base::Location;
use selvedge_debug::{Debuggee, Ending, Served, serve};
use selvedge_model::Finding;
use selvedge_report::{FindingFile, FindingReport, harmless};
use selvedge_session::{Setup, replay_on, sources};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

/// Why a finding cannot be gone through. It was said on standard error.
struct Refused {
    exit: Exit,
    message: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Runs the command.
pub(crate) fn run(args: &DebugArgs) -> Exit {
    let (saved, setup) = match saved::read(&args.finding, args.trust) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let load = || load(&args.finding, &saved, setup);
    let served = match args.port {
        None => serve(io::stdin().lock(), io::stdout().lock(), load),
        Some(port) => {
            let client = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
                note(&format!("listening on {}", listener.local_addr()?));
                let (client, _) = listener.accept()?;
                Ok((BufReader::new(client.try_clone()?), client))
            });
            match client {
                Ok((input, output)) => serve(input, output, load),
                Err(error) => return Exit::input(&format!("cannot listen on port {port}: {error}")),
            }
        }
    };
    match served {
        Ok(Served::Ended) => Exit::Code(0),
        Ok(Served::NotLoaded(refused)) => refused.exit,
        // The same schedule was replayed before.
        Ok(Served::NotBegun(error)) => Exit::internal(&error.to_string()),
        Err(error) => Exit::input(&error.to_string()),
    }
}

/// Compiles the program of a finding, and replays it once.
fn load(finding: &Path, saved: &FindingFile, mut setup: Setup) -> Result<Debuggee, Refused> {
    setup.vm.coverage = true;
    setup.vm.variables = true;
    let loaded = program::load(&setup, MemoryLimit::new(None)).map_err(|error| Refused {
        exit: program::exit(&error),
        message: error.to_string(),
    })?;
    program::tell(&loaded);
    let sources = sources(&loaded);
    let texts = loaded.module.files.iter().zip(loaded.sources.iter());
    let texts: BTreeMap<String, String> = texts
        .filter_map(|(name, text)| Some((name.clone(), text.clone()?)))
        .collect();
    let paths = loaded.module.files.iter().zip(loaded.paths.iter());
    let paths: BTreeMap<String, PathBuf> = paths.map(|(name, path)| (name.clone(), path.into())).collect();
    let program = selvedge_session::program(&setup, loaded).map_err(|error| Refused {
        exit: Exit::of(&error),
        message: error.to_string(),
    })?;
    let files = saved::digests(&saved.schedule.inputs);
    let replay = replay_on(saved, &setup, &program, (&sources, &files));
    if replay.seen.is_none() && replay.failure.is_some() {
        let failure = replay.failure.as_deref().unwrap_or_default();
        return Err(Refused {
            message: format!("the schedule does not fit the program: {failure}"),
            exit: saved::not_seen(finding, &replay),
        });
    }
    saved::tell_changes(&replay);
    Ok(Debuggee {
        program,
        schedule: replay.schedule,
        steps: replay.steps,
        ending: replay.seen.as_ref().map(ending),
        paths,
        texts,
    })
}

/// The place of a finding and its callers, without those of a library before the program's own.
fn own_stack(finding: &Finding) -> Vec<Location> {
    let all = std::iter::once(&finding.location).chain(&finding.stack);
    let all: Vec<Location> = all.cloned().collect();
    let own = all.iter().position(|place| !place.is_of_system());
    all[own.unwrap_or(0)..].to_vec()
}

/// What a finding says in the end.
fn ending(report: &FindingReport) -> Ending {
    let finding = &report.finding;
    let related = finding.related.iter().map(|related| {
        let at = &related.location;
        let by = match related.thread.as_str() {
            "" => String::new(),
            thread => format!("thread {thread}: "),
        };
        harmless(&format!("{by}{} at {}:{}", related.message, at.file, at.line)).to_string()
    });
    Ending {
        kind: finding.kind.name().to_owned(),
        message: harmless(&finding.message).to_string(),
        cause: report.cause.as_ref().map(|cause| harmless(cause).to_string()),
        thread: finding.thread.clone(),
        stack: own_stack(finding),
        related: related.collect(),
    }
}
