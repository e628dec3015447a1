//! `selvedge check`: what is asked for, a session, and what is written of it.

use crate::args::{CheckArgs, SearchOrder, When};
use crate::cluster;
use crate::exit::Exit;
use crate::last_words::{self, Words};
use crate::memory;
use crate::options::options;
use crate::output::{note, writable};
use crate::program;
use crate::unfolding;
use crate::watch::{self, Place, Watch};
use crate::write::{self, Saves, lcov_file, write};
use selvedge_cluster::Divider;
use selvedge_explore::unfold::Partial;
use selvedge_frontend::files;
use selvedge_model::{Input, LimitKind, Property, Verdict};
use selvedge_report::{Ktest, Reason, RunReport, Sources, Statistics};
use selvedge_session::{Checked, Error, Options, Plan, Strategy, known, properties, sources};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    let asked = match args
        .property
        .as_deref()
        .map_or_else(|| Ok(properties::default()), properties::parse)
    {
        Ok(asked) if asked.is_empty() => return Exit::usage("--property names no property"),
        Ok(asked) => asked,
        Err(message) => return Exit::usage(&message),
    };
    if let Some(output) = &args.output
        && output.is_dir()
    {
        return Exit::usage(&format!("-o {}: this is a directory", output.display()));
    }
    let interrupted = Arc::default();
    let mut options = options(args, asked, &interrupted);
    options.setup.frontend.stop = options.setup.vm.stop.clone();
    let dump = match unfolding::wanted(args, &options) {
        Ok(dump) => dump,
        Err(message) => return Exit::usage(&message),
    };
    if let Err(message) = options.verify() {
        return Exit::usage(&message);
    }
    if let Some(Err(message)) = args.witness.as_deref().map(crate::witness::form) {
        return Exit::usage(&message);
    }
    let written = [
        ("--checkpoint ", args.checkpoint.as_deref()),
        ("-o ", args.output.as_deref()),
        ("--html ", args.html.as_deref()),
        ("--witness ", args.witness.as_deref()),
        ("--coverage=", lcov_file(args)),
        ("--dump-unfolding ", dump),
    ];
    for (option, file) in written {
        if let Some(file) = file
            && let Err(error) = writable(file)
        {
            return Exit::usage(&format!("{option}{}: cannot be written: {error}", file.display()));
        }
    }
    let progress = match args.progress {
        When::Auto => std::io::stderr().is_terminal() && !args.quiet,
        When::Always => true,
        When::Never => false,
    };
    let report = known(&options);
    last_words::prepare(words(args, &report));
    let watch = Watch::new((args, &options), progress, interrupted, report);
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("watcher".to_owned());
        match thread.spawn_scoped(scope, || watch.run()) {
            Ok(watcher) => watch::hear(&watch, watcher.thread()),
            Err(error) => return Exit::output(&format!("no thread can be started: {error}")),
        }
        let _ends = Ends(&watch);
        if !args.quiet {
            unused(args, &options).iter().for_each(|text| note(text));
        }
        check(args, &options, &watch)
    })
}

/// Lets the watcher go, also after a panic.
pub(crate) struct Ends<'a>(pub(crate) &'a Watch<'a>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.enter(Place::Writing);
    }
}

/// What to say if there is no other way any more to say a verdict.
pub(crate) fn words(args: &CheckArgs, report: &RunReport) -> Words {
    let text = |kind: LimitKind, detail: &str| {
        let reasons = vec![Reason {
            limit: Some(kind),
            detail: detail.to_owned(),
            location: None,
        }];
        let report = RunReport {
            reasons,
            ..report.clone()
        };
        write::text(args, &report, &Default::default()).unwrap_or_else(|error| error)
    };
    Words {
        file: args.output.as_deref().and_then(last_words::name),
        memory: text(LimitKind::Memory, "out of memory"),
        interrupted: text(LimitKind::Interrupted, "interrupted by the user, twice"),
        code: Exit::INCONCLUSIVE.into(),
    }
}

/// What to say of options that the strategy has no use for.
fn unused(args: &CheckArgs, options: &Options) -> Vec<String> {
    let plan = Plan::first(options);
    let word = plan.strategy.word();
    let unfolds = plan.strategy == Strategy::Unfold;
    let ignored = |option: &str, given: bool| {
        let text = || format!("note: --{option} is for another strategy, and changes nothing for {word}");
        given.then(text)
    };
    let one_core = (unfolds || plan.strategy == Strategy::Stateful) && args.jobs.is_some_and(|jobs| jobs > 1);
    [
        ignored("k", !unfolds && args.k != Partial::Last(1)),
        ignored("search", !unfolds && args.search != SearchOrder::Dfs),
        ignored("cutoffs", !unfolds && !args.cutoffs.on()),
        ignored(
            "quarantine",
            args.quarantine.is_some() && plan.quarantine.is_none(),
        ),
        ignored(
            "sleep-sets",
            plan.strategy != Strategy::Dpor && !args.sleep_sets.on(),
        ),
        ignored(
            "write-write-pruning",
            !plan.prunes_writes(options) && args.write_write_pruning.on(),
        ),
        ignored("recall", !plan.fuses(options) && !args.recall.on()),
        one_core.then(|| format!("note: {word} uses one core, whatever --jobs says")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn check(args: &CheckArgs, options: &Options, watch: &Watch<'_>) -> Exit {
    let with_inputs;
    let mut options = options;
    if let Some(path) = &args.given.input {
        match read_inputs(path) {
            Ok(inputs) => {
                let mut all = options.clone();
                all.setup.vm.inputs = Some(inputs);
                with_inputs = all;
                options = &with_inputs;
            }
            Err(message) => return Exit::input(&message),
        }
    }
    if options.properties.contains(&Property::Termination) {
        return not_available(args, watch);
    }
    if let (Some(cases), Some(directory)) = (&options.test_cases, &args.given.emit_tests)
        && let Err(error) = cases.open()
    {
        return Exit::usage(&format!("--emit-tests {}: {error}", directory.display()));
    }
    watch.enter(Place::Loading);
    let loaded = match program::load(&options.setup, watch.max_memory) {
        Ok(loaded) => loaded,
        // What was interrupted says nothing about the inputs.
        Err(_) if watch.stop.is_set() => return without_exploration(args, watch),
        Err(error) => return program::exit(&error),
    };
    if !args.quiet {
        program::tell(&loaded);
    }
    let sources = sources(&loaded);
    if let Some(path) = &args.validate {
        return crate::validate::run(path, &loaded, options, watch);
    }
    let checked = match &args.cluster {
        None => selvedge_session::check(&loaded, options, watch),
        Some(url) => {
            let server = match cluster::connect(url, &args.access) {
                Ok(server) => server,
                Err(fault) => return Exit::output(&fault.to_string()),
            };
            let say = |text: &str| {
                if !args.quiet || !text.starts_with("note: ") {
                    cluster::tell(text);
                }
            };
            let names = args.inputs.iter().map(|path| path.display().to_string());
            let divider = Divider::new(&server, names.collect::<Vec<_>>().join(" "), &say);
            let checked = selvedge_session::check_apart(&loaded, options, watch, &divider);
            divider.finish();
            checked
        }
    };
    let checked = match checked {
        Ok(checked) => checked,
        Err(Error::Stopped) => return without_exploration(args, watch),
        Err(error) => return Exit::of(&error),
    };
    if let Some(cases) = &options.test_cases {
        if let Some(error) = cases.take_error() {
            return Exit::output(&format!("cannot write the test cases: {error}"));
        }
        if !args.quiet {
            note(&format!("test cases written: {}", cases.count()));
        }
    }
    conclude(args, checked, &sources, watch)
}

/// The report with what the run took.
pub(crate) fn measured(report: RunReport, watch: &Watch<'_>) -> RunReport {
    RunReport {
        statistics: Statistics {
            seconds: watch.started.elapsed().as_secs_f64(),
            peak_memory_bytes: memory::peak(),
            ..report.statistics
        },
        ..report
    }
}

/// Writes the report of a session.
fn conclude(args: &CheckArgs, mut checked: Checked, sources: &Sources, watch: &Watch<'_>) -> Exit {
    checked.report = measured(checked.report, watch);
    if !watch.writes() {
        watch.wait_for_end();
    }
    if let Some(file) = &args.dump_unfolding
        && let Err(message) = unfolding::write(&checked, file)
    {
        return Exit::output(&message);
    }
    let saves = match checked.confirmed {
        true => Saves::All,
        false => Saves::Nothing,
    };
    if let Err(message) = write(args, &checked.report, sources, saves) {
        return Exit::output(&message);
    }
    match checked.report.verdict {
        Verdict::Verified => Exit::Code(0),
        Verdict::Violated => Exit::Code(Exit::VIOLATED),
        Verdict::Unknown => Exit::Code(Exit::INCONCLUSIVE),
    }
}

/// Writes the report of a run that was told to end before there was anything to explore.
fn without_exploration(args: &CheckArgs, watch: &Watch<'_>) -> Exit {
    let reasons = watch.limit().map(|limit| Reason {
        limit: Some(limit.kind),
        detail: limit.detail,
        location: None,
    });
    let run = RunReport {
        reasons: reasons.into_iter().collect(),
        statistics: Statistics::default(),
        ..watch.report()
    };
    let run = measured(run, watch);
    if !watch.writes() {
        watch.wait_for_end();
    }
    match write(args, &run, &Sources::default(), Saves::Nothing) {
        Ok(()) => Exit::Code(Exit::INCONCLUSIVE),
        Err(message) => Exit::output(&message),
    }
}

/// Writes the report of a run that is asked for a property which no strategy can show.
fn not_available(args: &CheckArgs, watch: &Watch<'_>) -> Exit {
    let reason = Reason {
        limit: None,
        detail: "the property termination".to_owned(),
        location: None,
    };
    let run = RunReport {
        reasons: vec![reason],
        statistics: Statistics::default(),
        ..watch.report()
    };
    match write(args, &measured(run, watch), &Sources::default(), Saves::Nothing) {
        Ok(()) => Exit::Code(Exit::INCONCLUSIVE),
        Err(message) => Exit::output(&message),
    }
}

fn read_inputs(path: &Path) -> Result<Vec<Input>, String> {
    let bytes = files::read(path, files::LARGEST);
    let bytes = bytes.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ktest = Ktest::read(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(ktest.inputs)
}
