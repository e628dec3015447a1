//! `selvedge cover`: a set of schedules for all inputs, written as a file and shown to people.

use crate::args::{CheckArgs, CoverArgs, Format, StrategyOption, StreamArgs};
use crate::check::{Ends, measured, words};
use crate::cover_compare;
use crate::cover_page::{inputs, page, way};
use crate::exit::Exit;
use crate::last_words;
use crate::native_sources::{Refusal, Texts, Warnings};
use crate::options::options;
use crate::output::{note, print};
use crate::program;
use crate::watch::{self, Place, Watch};
use crate::write::{Saves, write};
use selvedge_cover::Without;
use selvedge_instrument::{Native, OnDeviation};
use selvedge_model::{Property, Verdict};
use selvedge_report::{FindingReport, harmless, inputs_text};
use selvedge_schedule::cover::Cover;
use selvedge_session::{
    Avoided, Covered, Covering, Dependence, Error, Options, Visibility, known, properties, sources,
    write_file,
};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// What a set is collected for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Purpose<'a> {
    /// The schedules are printed.
    pub(crate) show: bool,
    /// Where something goes wrong another order is tried.
    pub(crate) avoid: bool,
    /// The report says what `build` refuses.
    pub(crate) looks: bool,
    /// A set whose witnesses are run again.
    pub(crate) claimed: Option<&'a Cover>,
}

/// A set that was collected.
pub(crate) struct Collected {
    pub(crate) cover: Cover,
    /// See [`Covered::witnessed`].
    witnessed: Vec<Result<Vec<usize>, String>>,
}

/// Runs the command.
pub(crate) fn run(args: CoverArgs) -> Exit {
    let of_program = |without: &Without| without.iter().find(|one| one.is_of_program());
    if let Some(one) = args.stream.without.as_ref().and_then(of_program) {
        return Exit::usage(&format!("--without {} is for `build` and `run`", one.word()));
    }
    let quiet = args.check.quiet;
    let purpose = Purpose {
        show: args.show,
        avoid: args.avoid,
        looks: true,
        claimed: None,
    };
    let done = match &args.verify {
        None => collect(args.check, &args.stream, &purpose).map(|_| Exit::Code(0)),
        Some(file) => read(file).and_then(|set| {
            let claimed = Some(&set);
            let own = collect(args.check, &args.stream, &Purpose { claimed, ..purpose })?;
            verified(&set, &own, quiet)
        }),
    };
    match done {
        Ok(exit) | Err(exit) => exit,
    }
}

/// Says whether a set is the one of a program.
fn verified(set: &Cover, own: &Collected, quiet: bool) -> Result<Exit, Exit> {
    let printed = |text: &str| print(text).map_err(|error| Exit::output(&format!("cannot write: {error}")));
    let same = match cover_compare::matched(set, &own.cover) {
        Ok(same) => same,
        Err(difference) => {
            printed(&format!(
                "unknown(the set is not the one of this program: {difference})\n"
            ))?;
            return Ok(Exit::Code(Exit::INCONCLUSIVE));
        }
    };
    let mut text = String::new();
    let mut first = None;
    // Names of inputs are those of the file.
    let line = |text: &str| harmless(&text.replace(['\n', '\r'], " ")).into_owned() + "\n";
    for (index, order) in set.schedules.iter().enumerate() {
        let (number, way, inputs) = (index + 1, way(set, order), inputs(order));
        if order.from > 0 && is_general(set) {
            text.push_str(&line(&format!(
                "schedule {number}{way}: explored, with no run of its own: it begins where a loop goes round"
            )));
            continue;
        }
        let Some(why) = cover_compare::unwitnessed(&same, index, &own.witnessed) else {
            text.push_str(&line(&format!("schedule {number}{way}: run for {inputs}")));
            continue;
        };
        text.push_str(&line(&format!(
            "schedule {number}{way}: not run for {inputs}: {why}"
        )));
        let says = || format!("the inputs of its schedule {number} do not lead along it: {why}");
        first.get_or_insert_with(says);
    }
    let (code, last) = match first {
        None => {
            let all = match is_general(set) {
                true => "verified: the set is the one of this program; each schedule was explored again",
                false => {
                    "verified: the set is the one of this program; each schedule was run for all its inputs"
                }
            };
            (0, all.to_owned())
        }
        Some(why) => (
            Exit::INCONCLUSIVE,
            format!("unknown(a wrong witness in the set: {why})"),
        ),
    };
    if quiet {
        text.clear();
    }
    if !quiet || code != 0 {
        printed(&(text + &line(&last)))?;
    }
    Ok(Exit::Code(code))
}

/// Whether parts of a set begin at general states.
fn is_general(set: &Cover) -> bool {
    set.options.iter().any(|(name, _)| name == "epochs")
}

/// Collects a set, writes it where that was asked for, and says what it is.
///
/// # Errors
/// How the command ends if there is no set.
pub(crate) fn collect(
    mut args: CheckArgs,
    stream: &StreamArgs,
    purpose: &Purpose<'_>,
) -> Result<Collected, Exit> {
    if let Some(option) = useless(&args) {
        return Err(Exit::usage(&format!("{option} is not for `cover`")));
    }
    let asked = match args.property.as_deref() {
        None => properties::default(),
        Some(text) => properties::parse(text).map_err(|message| Exit::usage(&message))?,
    };
    let without = stream.without.clone().unwrap_or_default();
    let file = args.output.take();
    let interrupted = Arc::default();
    let mut options = options(&args, asked, &interrupted);
    options.setup.frontend.stop = options.setup.vm.stop.clone();
    options.setup.frontend.asks_guards = true;
    // A native program goes round its loops as often as it is written there.
    options.setup.frontend.poll_once = false;
    options.setup.vm.requests = stream.symbolic_requests;
    options.setup.epochs = stream.epochs;
    let report = known(&options);
    last_words::prepare(words(&args, &report));
    let watch = Watch::new((&args, &options), false, interrupted, report);
    let covered = thread::scope(|scope| {
        let thread = thread::Builder::new().name("watcher".to_owned());
        match thread.spawn_scoped(scope, || watch.run()) {
            Ok(watcher) => watch::hear(&watch, watcher.thread()),
            Err(error) => return Err(Exit::output(&format!("no thread can be started: {error}"))),
        }
        let _ends = Ends(&watch);
        covered((&args, &options), (purpose, &without), &watch)
    })?;
    let Some(cover) = covered.cover else {
        return Err(Exit::internal("a complete exploration without a set"));
    };
    let refused = match purpose.looks {
        true => refused(&args.inputs, &cover)?,
        false => Vec::new(),
    };
    if let Some(file) = &file {
        let mut text = cover.to_string();
        for what in &refused {
            let _ = writeln!(text, "# `build` refuses: {}", harmless(what));
        }
        write_file(file, text)
            .map_err(|error| Exit::output(&format!("cannot write {}: {error}", file.display())))?;
    }
    if let Some(file) = &args.html {
        write_file(file, page(&cover, &refused))
            .map_err(|error| Exit::output(&format!("cannot write {}: {error}", file.display())))?;
    }
    let classes: u64 = cover.schedules.iter().map(|order| order.classes).sum();
    let mut text = match purpose.show {
        true => shown(&cover),
        false => String::new(),
    };
    let plural =
        |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let inputs = match cover.parts.len() as u64 {
        0 => format!("{} of inputs", plural(classes, "class", "classes")),
        parts if stream.epochs => {
            format!(
                "any number of rounds of loops, in {}",
                plural(parts, "part", "parts")
            )
        }
        parts => format!("any number of requests, in {}", plural(parts, "part", "parts")),
    };
    let _ = writeln!(
        text,
        "covered: {} for {inputs}; nothing found along {}",
        plural(cover.schedules.len() as u64, "schedule", "schedules"),
        if cover.schedules.len() == 1 { "it" } else { "them" },
    );
    if covered.left_out > 0 {
        let left = plural(covered.left_out, "class", "classes");
        let _ = writeln!(text, "left out: {left} of inputs, by assumptions of the program");
    }
    avoided(&covered.avoided, covered.more_avoided, &mut text);
    if !refused.is_empty() {
        text.push_str("note: there is no native program of this set; `build` and `run` refuse:\n");
        for what in &refused {
            let _ = writeln!(text, "  {}", harmless(what));
        }
    }
    proven(
        &options,
        refused.is_empty(),
        &covered.report.assumptions,
        &mut text,
    );
    if !args.quiet {
        print(&text).map_err(|error| Exit::output(&format!("cannot write: {error}")))?;
    }
    Ok(Collected {
        cover,
        witnessed: covered.witnessed,
    })
}

/// What `build` refuses of a set, each in one line: the same texts, made in the same way.
///
/// # Errors
/// How the command ends if that cannot be found out.
fn refused(inputs: &[PathBuf], cover: &Cover) -> Result<Vec<String>, Exit> {
    let native = Native {
        on: OnDeviation::Stop,
        without: &Without::default(),
    };
    match Texts::of(inputs, cover, &native, Warnings::Hidden) {
        Ok(_) => Ok(Vec::new()),
        Err(refusal @ Refusal::Unsupported(_)) => Ok(refusal.lines()),
        Err(other) => Err(other.exit()),
    }
}

/// The set with what was found; an exit if there is none.
fn covered(
    (args, options): (&CheckArgs, &Options),
    (purpose, without): (&Purpose<'_>, &Without),
    watch: &Watch<'_>,
) -> Result<Covered, Exit> {
    watch.enter(Place::Loading);
    let loaded = program::load(&options.setup, watch.max_memory).map_err(|error| program::exit(&error))?;
    if !args.quiet {
        program::tell(&loaded);
    }
    let sources = sources(&loaded);
    let covering = Covering {
        avoid: purpose.avoid,
        claimed: purpose.claimed,
        without,
    };
    let covered = selvedge_session::cover(&loaded, options, covering, watch);
    let mut covered = covered.map_err(|error| match error {
        Error::Stopped => {
            note("interrupted before anything was explored");
            Exit::Code(Exit::INCONCLUSIVE)
        }
        error => Exit::of(&error),
    })?;
    covered.report = measured(covered.report, watch);
    if !watch.writes() {
        watch.wait_for_end();
    }
    let code = match covered.report.verdict {
        Verdict::Verified => return Ok(covered),
        Verdict::Violated => Exit::VIOLATED,
        Verdict::Unknown => Exit::INCONCLUSIVE,
    };
    let saves = match covered.report.findings.is_empty() {
        true => Saves::Nothing,
        false => Saves::All,
    };
    write(args, &covered.report, &sources, saves).map_err(|message| Exit::output(&message))?;
    let races = |report: &FindingReport| report.finding.kind.property() == Property::DataRace;
    if covered.report.findings.iter().any(races) {
        note(
            "note: the race is one by the program's own synchronisation; whether a schedule would keep the accesses apart was not looked at",
        );
    }
    Err(Exit::Code(code))
}

/// An option of `check` that means nothing here.
fn useless(args: &CheckArgs) -> Option<&'static str> {
    let options = [
        ("--strategy", !matches!(args.strategy, StrategyOption::Auto)),
        ("--dependence predicate", args.dependence == Dependence::Predicate),
        (
            "--dependence predicate-published",
            args.dependence == Dependence::PredicatePublished,
        ),
        ("--visibility memory", args.visibility == Visibility::Memory),
        ("--emit-tests", args.given.emit_tests.is_some()),
        ("--input", args.given.input.is_some()),
        ("--coverage", args.given.coverage.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--dump-unfolding", args.dump_unfolding.is_some()),
        ("--format", args.format != Format::Human),
    ];
    options.into_iter().find(|option| option.1).map(|option| option.0)
}

/// What other orders were given up for.
fn avoided(avoided: &[Avoided], more: usize, text: &mut String) {
    for Avoided { finding, is_shown } in avoided {
        let (kind, at) = (finding.finding.kind.name(), &finding.finding.location);
        let how = match is_shown {
            true => "in another order",
            false => "perhaps, in another order (no run shows it)",
        };
        let _ = writeln!(text, "avoided: {kind} at {}:{}, {how}", at.file, at.line);
        text.push_str(&inputs_text(&finding.inputs));
    }
    if more > 0 {
        let _ = writeln!(text, "avoided: {more} more orders in which something goes wrong");
    }
}

/// What is known along the schedules, and of the program that is built of the set, and under which
/// assumptions.
fn proven(options: &Options, is_built: bool, assumptions: &[String], text: &mut String) {
    let asked = options.properties.iter().copied();
    let asked: BTreeSet<Property> = asked.chain([Property::DataRace, Property::Deadlock]).collect();
    let asked: Vec<&str> = asked.into_iter().map(absent).collect();
    text.push_str(match is_built {
        true => {
            "proven of the program that `build` makes of this set:\n  \
             for each declared input that it does not exclude it does the operations of a schedule, in its order, or stops with exit code 120\n"
        }
        false => "proven of the schedules:\n",
    });
    let _ = writeln!(
        text,
        "  along the schedules there is no {}\n  \
         the program's own synchronisation alone orders all accesses that could race; what only the schedules keep apart would be a finding",
        asked.join(", no ")
    );
    let _ = writeln!(
        text,
        "not proven: anything about other orders (`check` does that)"
    );
    let _ = writeln!(text, "assuming that:");
    for own in OF_BUILDING.iter().filter(|_| is_built) {
        let _ = writeln!(text, "  {own}");
    }
    if is_built && options.setup.vm.symbolic_stdin.is_some() {
        let _ = writeln!(text, "  {OF_PIECES}");
    }
    let requests = options.setup.vm.requests;
    if requests.is_some_and(|requests| requests.most.is_none()) {
        let patience = selvedge_explore::ordered::PATIENCE.to_string();
        for own in OF_REQUESTS.map(|text| text.replace("PATIENCE", &patience)) {
            let _ = writeln!(text, "  {own}");
        }
    }
    let says_so = assumptions.iter().any(|text| text.starts_with(SAME_STATES));
    if options.setup.epochs {
        let _ = writeln!(text, "  {LEAVES}");
    }
    if options.setup.epochs && !says_so {
        let _ = writeln!(text, "  {SAME_STATES}");
    }
    for assumption in assumptions
        .iter()
        .filter(|text| !text.starts_with(FIXED_BY_THE_SET))
    {
        let _ = writeln!(text, "  {assumption}");
    }
}

/// What is not there where a property holds.
const fn absent(property: Property) -> &'static str {
    match property {
        Property::Assertion => "failed assertion",
        Property::ErrorCall => "call of an error function",
        Property::Deadlock => "deadlock",
        Property::DataRace => "data race",
        Property::Deref => "invalid access to memory",
        Property::Free => "invalid free",
        Property::Memory => "use of an uninitialised value",
        Property::Leak => "memory that no pointer leads to",
        Property::Cleanup => "memory that is not freed at the end",
        Property::Pthread => "misuse of the threading API",
        Property::Arithmetic => "invalid division or shift",
        Property::Overflow => "signed overflow",
        Property::Termination => "execution without end",
    }
}

/// What a statement on a native program rests on beside the assumptions of `check`.
const OF_BUILDING: [&str; 4] = [
    "the source, its headers and the options are those that the set was made of",
    "the compiler, the C library and the runtime are right",
    "what a thread does between two operations ends",
    "nothing else decides by what the machine fixes and the system does not: the order of addresses, clocks, names that nobody has given to threads",
];

/// What it rests on beside where standard input is an input: it may come in pieces.
const OF_PIECES: &str = "standard input is read with `read(0, ...)`, which waits for all that it asks for or the end, or by the C library";

/// What it rests on beside where requests have no end.
const OF_REQUESTS: [&str; 2] = [
    "requests come without an answer to an earlier one, if it takes more than PATIENCE operations one after another (one that fails counts as several) or a time-out",
    SAME_STATES,
];

/// What epochs rest on.
const LEAVES: &str = "a loop that can be left is left";

/// What parts rest on.
const SAME_STATES: &str = "states with the same fingerprint of 128 bits are the same";

/// Whether timed waits end is the set's: the runtime keeps to it.
const FIXED_BY_THE_SET: &str = "timed waits ";

/// A set for people.
fn shown(cover: &Cover) -> String {
    let mut text = String::new();
    for (number, part) in cover.parts.iter().enumerate() {
        let stands = part.stands.iter();
        let stands: Vec<String> = stands
            .map(|(thread, label)| format!("{thread} before {}", cover.text(label)))
            .collect();
        let _ = writeln!(text, "part {}: {}", number + 1, stands.join(", "));
    }
    for (index, order) in cover.schedules.iter().enumerate() {
        let _ = writeln!(
            text,
            "schedule {}{}: {}",
            index + 1,
            way(cover, order),
            inputs(order)
        );
        for step in &order.steps {
            let outcome = match step.outcome {
                selvedge_schedule::cover::Outcome::Done => "",
                selvedge_schedule::cover::Outcome::Failed => ", which fails",
                selvedge_schedule::cover::Outcome::Serial => ", the last one",
            };
            let what = format!("{}{outcome}", cover.text(&step.label));
            let _ = write!(text, "  {:<8} {what:<24}", step.thread);
            if !step.after.is_empty() {
                let after: Vec<String> = step.after.iter().map(|(t, n)| format!("{t}:{n}")).collect();
                let _ = write!(text, " after {:<12}", after.join(" "));
            }
            let _ = writeln!(text, " {}", step.place);
        }
    }
    text
}

/// Reads a set.
///
/// # Errors
/// How the command ends if it cannot be read.
pub(crate) fn read(file: &Path) -> Result<Cover, Exit> {
    let longest = selvedge_frontend::files::LARGEST;
    let text = selvedge_frontend::files::read_text(file, longest)
        .map_err(|error| Exit::input(&format!("cannot read {}: {error}", file.display())))?;
    text.parse()
        .map_err(|error| Exit::input(&format!("{}: {error}", file.display())))
}
