//! `selvedge worker`, `selvedge cluster`, and the server of `check --cluster`.

use crate::args::{AccessArgs, ClusterArgs, ClusterCommand, PartArgs, WorkerArgs};
use crate::exit::Exit;
use crate::output::{note, print};
use selvedge_cluster::nats::{self, Access, Fault, RunState, Server};
use selvedge_cluster::{Left, Workers};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// For how long workers are listened to: each shows itself every second.
const LISTENS: Duration = Duration::from_millis(1_500);

/// Connects to a server.
pub(crate) fn connect(url: &str, args: &AccessArgs) -> Result<Server, Fault> {
    let certificate = args.cluster_cert.clone().zip(args.cluster_key.clone());
    let access = Access {
        credentials: args.cluster_credentials.clone(),
        authority: args.cluster_ca.clone(),
        certificate,
    };
    let server = Server::connect(url, &access, usize::from(args.cluster_replicas));
    server.map_err(|fault| Fault(format!("--cluster {}: {fault}", nats::shown(url))))
}

/// A text with words that others have chosen, for the terminal. Control characters would be orders
/// to it.
fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() && c != '\n' { '?' } else { c };
    text.chars().map(plain).collect()
}

/// Notes a line with words that others have chosen.
pub(crate) fn tell(text: &str) {
    note(&plain(text).replace('\n', " "));
}

/// Runs `selvedge worker`.
pub(crate) fn worker(args: &WorkerArgs) -> Exit {
    let stop = Arc::new(AtomicBool::new(false));
    let (stops, main) = (Arc::clone(&stop), std::thread::current());
    let handler = move || {
        // Who asks twice does not want to wait.
        if stops.swap(true, Ordering::Relaxed) {
            std::process::exit(0);
        }
        main.unpark();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        note(&format!("warning: Ctrl-C will not end this cleanly: {error}"));
    }
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(all, usize::from);
    let server = match connect(&args.cluster, &args.access) {
        Ok(server) => server,
        Err(fault) => return Exit::output(&fault.to_string()),
    };
    note(&format!("{jobs} workers begin"));
    match Workers::new(&server, jobs, &stop, &tell).work() {
        Ok(()) => Exit::Code(0),
        Err(fault) => Exit::output(&fault.to_string()),
    }
}

/// Runs `selvedge cluster`.
pub(crate) fn run(args: &ClusterArgs) -> Exit {
    let done = match &args.command {
        ClusterCommand::Status(args) => {
            connect(&args.cluster, &args.access).and_then(|server| status(&server))
        }
        ClusterCommand::Part(args) => return part(args),
        ClusterCommand::Cancel(args) => {
            let cancelled = connect(&args.cluster, &args.access).and_then(|server| server.cancel(&args.run));
            match cancelled {
                Ok(true) => return Exit::Code(0),
                Ok(false) => return Exit::usage(&format!("there is no run {}", args.run)),
                Err(fault) => Err(fault),
            }
        }
    };
    shown(done)
}

/// Explores a part that was left out, or removes it.
fn part(args: &PartArgs) -> Exit {
    if !args.part.contains("-part-") {
        return Exit::usage(&format!("{} is not the name of a part", args.part));
    }
    let server = match connect(&args.cluster, &args.access) {
        Ok(server) => server,
        Err(fault) => return Exit::output(&fault.to_string()),
    };
    if args.remove {
        server.forget(&args.part);
        return Exit::Code(0);
    }
    let left = server.stored(&args.part).map_err(|fault| fault.to_string());
    let left = left.and_then(|bytes| Left::read(&bytes).map_err(|error| error.to_string()));
    let explored = match left.map(|left| left.explore()) {
        Ok(Ok(explored)) => explored,
        Ok(Err(error)) => return Exit::of(&error),
        Err(error) => return Exit::output(&error),
    };
    let record = explored.record;
    let counts = record.statistics;
    let mut text = format!("{} executions, {} events\n", counts.executions, counts.events);
    for found in &record.faults {
        let _ = writeln!(text, "{}: {}", found.fault.kind.name(), found.fault.message);
    }
    for unsupported in &record.unsupported {
        let _ = writeln!(text, "not complete: {} is not supported", unsupported.what);
    }
    for limit in &record.limits {
        let _ = writeln!(text, "not complete: {}", limit.detail);
    }
    if !explored.is_whole {
        text.push_str("not complete: parts that it had given away are not explored here\n");
    }
    shown(Ok(text))
}

/// Prints what a command has to say.
fn shown(done: Result<String, Fault>) -> Exit {
    match done.map(|text| print(&plain(&text))) {
        Ok(Ok(())) => Exit::Code(0),
        Ok(Err(error)) => Exit::output(&format!("cannot write: {error}")),
        Err(fault) => Exit::output(&fault.to_string()),
    }
}

/// Runs and workers, as text.
fn status(server: &Server) -> Result<String, Fault> {
    let runs = server.runs()?;
    let mut beats = server.beats_within(LISTENS)?;
    beats.reverse();
    beats.sort_by(|a, b| a.worker.cmp(&b.worker));
    beats.dedup_by(|a, b| a.worker == b.worker);
    let mut text = String::new();
    for (run, record) in &runs {
        let state = match record.state {
            RunState::Running => "running",
            RunState::Stopped => "stopped",
            RunState::Done => "done",
            RunState::Cancelled => "cancelled",
        };
        let _ = writeln!(
            text,
            "run {run} {state}: {}; {} executions, {} events, {} parts open; divided by {}",
            record.program, record.executions, record.events, record.open, record.coordinator
        );
        for beat in &beats {
            if let Some((of, _)) = &beat.has
                && of == run
            {
                let seconds = Duration::from_millis(beat.since).as_secs_f64();
                let _ = writeln!(text, "  {} since {seconds:.1} s", beat.worker);
            }
        }
    }
    let idle = beats.iter().filter(|beat| beat.has.is_none());
    for beat in idle {
        let other = match beat.tool == env!("CARGO_PKG_VERSION") {
            true => String::new(),
            false => format!(", version {}", beat.tool),
        };
        let _ = writeln!(text, "worker {}: nothing to do{other}", beat.worker);
    }
    if runs.is_empty() && beats.is_empty() {
        text.push_str("no runs and no workers\n");
    }
    Ok(text)
}
