//! A set of schedules for all inputs (docs/cover.md): the exploration that collects one, and what
//! it found on the way.

use crate::conclude::report_before;
use crate::error::Error;
use crate::explored::{Estimate, Explored};
use crate::finding::{self, FoundBy};
use crate::job::Job;
use crate::machines::stepping_machine;
use crate::measured::Measured;
use crate::observer::{Observer, Stage};
use crate::options::{Options, Strategy};
use crate::places::Places;
use crate::plan::Plan;
use crate::reasons::reasons;
use crate::rounds::Rounds;
use crate::setup::Setup;
use crate::witnessed::{Again, Known};
use selvedge_base::{ContextId, StmtId};
use selvedge_cover::{Collected, Collector, Gap, Global, Names, Optimisation, Recorder, Without, is_ordered};
use selvedge_explore::ordered::{self, Begins, Choosing, Decisions, Junctions, Pace, Parts};
use selvedge_explore::{Config, Control, Report, Stop};
use selvedge_frontend::Loaded;
use selvedge_ir::FuncId;
use selvedge_model::{ObjectId, Property, Unsupported, Verdict};
use selvedge_report::{FindingReport, RunReport, Statistics};
use selvedge_schedule::cover::Cover;
use selvedge_vm::memory::Life;
use selvedge_vm::{Program, Vm};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What came of it.
pub struct Covered {
    /// What was found, or why there is no set. `Verified` means that the set is complete, and that
    /// nothing was found along its schedules; it says nothing about other orders.
    pub report: RunReport,
    /// The set, if it is complete.
    pub cover: Option<Cover>,
    /// How many classes of inputs were left out, because the program assumes that it does not get
    /// them.
    pub left_out: u64,
    /// What would have gone wrong in orders that were given up for that, in the order of these.
    pub avoided: Vec<Avoided>,
    /// How many more such orders there were than are described.
    pub more_avoided: usize,
    /// For each schedule of the set that was claimed, the schedules that its inputs lead along; or
    /// why they lead along none. Empty if there is no set, or none was claimed.
    pub witnessed: Vec<Result<Vec<usize>, String>>,
}

/// What would have gone wrong in an order that was given up for that.
pub struct Avoided {
    /// What was found.
    pub finding: FindingReport,
    /// A run shows it. Otherwise it comes from a general state, which may stand for more than the
    /// program comes to.
    pub is_shown: bool,
}

/// So many orders are given up for what goes wrong in them.
const MOST_AVOIDED: usize = 10_000;

/// Until states of one shape are decided alike the exploration begins again, at most so many times.
const MOST_UNSETTLED: usize = 1000;

/// So many of them are described.
const MOST_DESCRIBED: usize = 20;

/// With general states, so many executions are run without them, to see what schedules need.
const MOST_PLAIN: u64 = 64;

/// With general states, the first execution is followed so far to see what schedules need.
const MOST_PLAIN_EVENTS: u32 = 20_000;

/// How long threads compute after operations.
enum Paced<'a> {
    By(&'a Pace),
    /// It is measured.
    Measured(&'a mut Pace),
}

/// What a recorder asks of the machine.
struct OfVm {
    /// Other names for variables that several sources have, each its own.
    renamed: BTreeMap<String, String>,
    places: Places,
}

impl OfVm {
    /// `names`: those of all global variables of the linked program. The linker adds a number to
    /// the later ones of several variables with one name, and each number is greater than those
    /// before.
    fn new<'a>(names: impl Iterator<Item = &'a str>, sources: usize, places: Places) -> OfVm {
        let names: BTreeSet<&str> = names.collect();
        let mut later: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for name in names.iter().filter(|_| sources > 1) {
            if let Some((plain, number)) = name.rsplit_once('.')
                && let Ok(number) = number.parse()
                && names.contains(plain)
            {
                later.entry(plain).or_default().push(number);
            }
        }
        let mut renamed = BTreeMap::default();
        for (plain, mut numbers) in later {
            numbers.sort_unstable();
            let all = numbers.len() + 1;
            renamed.insert(plain.to_owned(), format!("{plain}#1/{all}"));
            for (place, number) in numbers.into_iter().enumerate() {
                let place = place + 2;
                renamed.insert(format!("{plain}.{number}"), format!("{plain}#{place}/{all}"));
            }
        }
        OfVm { renamed, places }
    }
}

impl Names<Vm> for OfVm {
    fn global(&self, vm: &Vm, object: ObjectId) -> Option<Global> {
        let (name, offset) = vm.global_of(object)?;
        Some((self.renamed.get(&name).cloned().unwrap_or(name), offset))
    }

    fn is_live(&self, vm: &Vm, object: ObjectId) -> bool {
        let found = vm.state.memory.object_at(object.0);
        found.is_some_and(|(_, found)| found.life == Life::Live)
    }

    fn own(&self, vm: &Vm, stmt: StmtId, context: ContextId) -> StmtId {
        vm.outside_library(stmt, context).0
    }

    fn place(&self, number: u32) -> Option<String> {
        self.places.name(number).map(str::to_owned)
    }

    fn prints(&self, number: u32) -> bool {
        self.places.prints(number)
    }

    fn by_place(&self, stmt: StmtId) -> Option<String> {
        self.places.naming(stmt).map(str::to_owned)
    }

    fn printed(&self, vm: &Vm) -> usize {
        vm.state.output().len()
    }
}

/// How a set is collected.
#[derive(Clone, Copy)]
pub struct Covering<'a> {
    /// Where something goes wrong along a schedule, another order is tried.
    pub avoid: bool,
    /// A set whose witnesses are run again.
    pub claimed: Option<&'a Cover>,
    /// What is left out to measure what it is good for.
    pub without: &'a Without,
}

/// Collects one schedule for each class of inputs. Of the options only what decides what the
/// program does counts, what is asked for, and the limits.
///
/// # Errors
/// As [`check`](crate::check()).
pub fn cover(
    loaded: &Loaded,
    options: &Options,
    covering: Covering<'_>,
    observer: &dyn Observer,
) -> Result<Covered, Error> {
    let Covering {
        avoid,
        claimed,
        without,
    } = covering;
    let mut setup = options.setup.clone();
    setup.absent.clone_from(&loaded.absent);
    let named = |(&id, place): (&FuncId, &String)| {
        let name = &loaded.module.functions[id].display;
        (id, format!("{name} in {place}"))
    };
    setup.vm.visible_setup = true;
    setup.vm.must_end = true;
    // So do native programs.
    setup.vm.futexes_poll = true;
    // Nobody here begins anew if an atomic block leaves its class.
    setup.one_block_class = true;
    setup.machine_code = loaded.machine_code.iter().map(named).collect();
    observer.enter(Stage::Preparing);
    let control = Arc::new(Control::new());
    // Only its visibility counts: every synchronisation is an event, and races are looked for.
    let plan = Plan {
        turns: false,
        awaits: false,
        ..Plan::of(options, Strategy::Dpor, selvedge_vm::Visibility::Sync)
    };
    let mut properties = options.properties.clone();
    properties.insert(Property::DataRace);
    properties.insert(Property::Deadlock);
    let mut config = Config {
        properties,
        stop: Stop::First,
        max_executions: options.max_executions,
        ..Config::default()
    };
    if let Some(events) = options.max_events {
        config.max_events = events;
    }
    let globals = loaded.module.globals.iter();
    let mut names = OfVm::new(
        globals.map(|global| global.name.as_str()),
        setup.schedule().inputs.len(),
        Places::of(&loaded.module),
    );
    if without.has(Optimisation::Places) {
        names.places.fill_all();
    }
    // Without a limit, what follows a request has to be known from an earlier one.
    let requests = setup.vm.requests.map(|requests| match requests.most {
        None => Parts::Joined,
        Some(_) => Parts::None,
    });
    // With rounds also: whether nothing more is generalised.
    let explore = |(program, names): (&Arc<Program>, &OfVm),
                   rounds: Option<(&mut Rounds, bool)>,
                   config: &Config,
                   (collector, decisions): (&Collector, &mut Decisions),
                   pace: Paced<'_>| {
        let limits = (config, &*control);
        let mut report = if let (Some((rounds, is_fixed)), Paced::By(pace)) = (rounds, &pace) {
            let choosing = (collector, decisions, *pace);
            rounds.explore((program, names), choosing, limits, is_fixed)
        } else {
            let (mut vm, detectors) = stepping_machine(program);
            let detectors = (detectors, Recorder::new(collector, names));
            let mut junctions =
                requests.map(|parts| Junctions::new(Begins::Requests(&Vm::reads_request), parts));
            let unknown = Pace::default();
            let (pace, measured) = match pace {
                Paced::By(pace) => (pace, None),
                Paced::Measured(pace) => (&unknown, Some(Measured::new(&vm, pace))),
            };
            let choosing = Choosing {
                decisions,
                junctions: junctions.as_mut(),
                pace,
            };
            let mut detectors = (detectors, measured);
            ordered::explore((&mut vm, &mut detectors), &is_ordered, choosing, limits)
        };
        crate::explore::settle(&mut report, &control);
        report
    };
    let program_of = |places: &Places| {
        let module = places.module(&loaded.module);
        let job = Job::new(options, (&setup, &module), (observer, &control), (None, None));
        job.begin(plan)
    };
    let mut program = program_of(&names.places)?;
    observer.finds(&program, &config.findings);
    // What schedules lack is looked for also behind what goes wrong: with all that they need the
    // order is another one. One execution shows most of it.
    let all = Config {
        stop: Stop::Never,
        max_executions: match setup.epochs {
            true => Some(config.max_executions.unwrap_or(MOST_PLAIN).min(MOST_PLAIN)),
            false => config.max_executions,
        },
        ..config.clone()
    };
    let first = Config {
        max_executions: Some(1),
        max_events: match setup.epochs {
            true => config.max_events.min(MOST_PLAIN_EVENTS),
            false => config.max_events,
        },
        ..all.clone()
    };
    // Parts of a set without end compare the names of objects.
    let fillable = |gaps: &BTreeSet<Gap>| -> BTreeSet<Gap> {
        let without_end = requests == Some(Parts::Joined) || setup.epochs;
        let can = |gap: &&Gap| !(without_end && matches!(gap, Gap::Unnamed(_)));
        gaps.iter().filter(can).copied().collect()
    };
    let mut failed = Vec::new();
    let mut decisions;
    // Whether states of one shape are decided alike, also where who can move differs.
    let mut alike = false;
    let mut pace;
    let (mut report, collected, left_out, rounds) = loop {
        pace = Pace::default();
        let mut explored = None;
        let mut gaps = BTreeSet::new();
        let mut threads = 0;
        observer.explores(&control, &mut || {
            let collector = Collector::default();
            let collecting = (&collector, &mut Decisions::default());
            let measured = Paced::Measured(&mut pace);
            let report = explore((&program, &names), None, &first, collecting, measured);
            threads = report.statistics.threads as usize;
            gaps = collector.gaps();
        });
        if names.places.fill(&fillable(&gaps)) {
            program = program_of(&names.places)?;
            continue;
        }
        // What others did while a request was answered is counted in operations.
        if requests.is_some() || without.has(Optimisation::Time) {
            pace = Pace::default();
        }
        failed.clear();
        decisions = match alike {
            true => Decisions::alike(),
            false => Decisions::default(),
        };
        let mut unsettled = 0;
        let mut rounds = None;
        observer.explores(&control, &mut || {
            loop {
                let collector = Collector::new(without.clone());
                // In another order states are others, so nothing of the general ones is kept.
                rounds = setup.epochs.then(|| Rounds::new(&program, threads, without));
                let now = rounds.as_mut().map(|rounds| (rounds, false));
                let collecting = (&collector, &mut decisions);
                let report = explore((&program, &names), now, &config, collecting, Paced::By(&pace));
                if decisions.is_unsettled() && unsettled < MOST_UNSETTLED && !control.is_stopped() {
                    unsettled += 1;
                    continue;
                }
                let more = avoid && failed.len() < MOST_AVOIDED && !control.is_stopped();
                match report.faults.first() {
                    Some(found) if more && decisions.avoid() => failed.push(found.clone()),
                    _ => {
                        explored = Some((report, collector));
                        return;
                    }
                }
            }
        });
        let (mut report, collector) = explored.ok_or(Error::Stopped)?;
        let wrong = !report.faults.is_empty() || !failed.is_empty();
        if wrong && !control.is_stopped() {
            observer.explores(&control, &mut || {
                let collector = Collector::default();
                let collecting = (&collector, &mut Decisions::default());
                explore((&program, &names), None, &all, collecting, Paced::By(&pace));
                gaps = collector.gaps();
            });
            if names.places.fill(&fillable(&gaps)) {
                program = program_of(&names.places)?;
                continue;
            }
        }
        let mut left_out = collector.left_out();
        let mut collected = collector.finish();
        if report.verdict() == Verdict::Verified
            && let Collected::Again(collector) = &collected
        {
            observer.explores(&control, &mut || {
                let now = rounds.as_mut().map(|rounds| (rounds, true));
                let collecting = (&**collector, &mut decisions);
                report = explore((&program, &names), now, &config, collecting, Paced::By(&pace));
            });
            left_out = collector.left_out();
        }
        if let Collected::Again(collector) = collected {
            collected = collector.finish();
        }
        if report.faults.is_empty()
            && !control.is_stopped()
            && let Collected::Set(_, _, gaps) = &collected
        {
            if names.places.fill(&fillable(gaps)) {
                program = program_of(&names.places)?;
                continue;
            }
            // Only now: where a program knows which state it is in, orders may differ.
            if !alike && gaps.contains(&Gap::Order) {
                alike = true;
                continue;
            }
        }
        break (report, collected, left_out, rounds);
    };
    // What goes wrong from a general state on is a finding only if a run of the program shows it.
    if rounds.as_ref().is_some_and(Rounds::are_general) {
        candidates(&setup, &program, &mut report);
    }
    observer.enter(Stage::Concluding);
    let (set, refused) = match collected {
        Collected::Set(set, refused, _) => (set, refused),
        Collected::Again(_) => return Err(Error::Internal("schedules lead to several parts".to_owned())),
    };
    report.unsupported.extend(refused);
    // Of an exploration that ends early, parts have no schedules.
    if report.verdict() == Verdict::Verified
        && let Err(why) = selvedge_cover::Plan::of(&set)
    {
        report.unsupported.insert(Unsupported {
            what: format!("a set of schedules that is inconsistent: {why}"),
            stmt: StmtId(0),
        });
    }
    if report.verdict() == Verdict::Verified
        && let Some((thread, label)) = selvedge_cover::waits_for_ever(&set)
    {
        let what = format!(
            "others may go round for ever while thread {thread} waits before this: {}",
            set.text(label)
        );
        let stmt = StmtId(0);
        report.unsupported.insert(Unsupported { what, stmt });
    }
    let asked = config.properties.clone();
    let estimate = Estimate {
        part: 1.0,
        error: None,
    };
    let explored = Explored {
        plan,
        setup,
        program,
        report,
        estimate,
    };
    let Explored {
        setup,
        program,
        report,
        ..
    } = &explored;
    let mut avoided: Vec<Avoided> = Vec::new();
    for found in failed.iter().take(MOST_DESCRIBED) {
        let described = finding::describe(setup, program, found, FoundBy::Plain);
        let is_shown = described.is_ok();
        let described =
            described.map_or_else(|_| finding::unconfirmed(program, found), |(finding, _)| finding);
        let known = |other: &Avoided| {
            let Avoided { finding: other, .. } = other;
            (other.finding.kind, &other.finding.location, &other.inputs)
                == (
                    described.finding.kind,
                    &described.finding.location,
                    &described.inputs,
                )
        };
        if !avoided.iter().any(known) {
            avoided.push(Avoided {
                finding: described,
                is_shown,
            });
        }
    }
    let mut findings = Vec::new();
    for found in report.faults.iter().take(1) {
        findings.push(match finding::describe(setup, program, found, FoundBy::Plain) {
            Ok((finding, _)) => finding,
            Err(_) if options.setup.vm.stop.is_set() => finding::unconfirmed(program, found),
            Err(error) => return Err(Error::Internal(error.to_string())),
        });
    }
    let reasons = reasons(&asked, &explored);
    let complete = findings.is_empty() && reasons.is_empty() && report.verdict() == Verdict::Verified;
    let verdict = match (complete, findings.is_empty()) {
        (true, _) => Verdict::Verified,
        (false, false) => Verdict::Violated,
        (false, true) => Verdict::Unknown,
    };
    let mut witnessed = Vec::new();
    if let Some(claimed) = claimed.filter(|_| complete) {
        let again = Again {
            program,
            names: &names,
            config: &config,
            control: &control,
            rounds: rounds.as_ref().map(|rounds| rounds.threads),
            pace: &pace,
        };
        let known = Known::of(&set);
        observer.explores(&control, &mut || {
            let along = |order| known.along(again, &mut decisions, order);
            witnessed = claimed.schedules.iter().map(along).collect();
        });
    }
    let counts = &report.statistics;
    let run = RunReport {
        verdict,
        reasons,
        strategy: "ordered".to_owned(),
        statistics: Statistics {
            executions: counts.executions,
            events: counts.events,
            max_depth: counts.max_depth,
            threads: counts.threads,
            choices: counts.choices,
            instructions: program.executed(),
            ..Statistics::default()
        },
        findings,
        ..report_before(options, plan, setup, Some(program))
    };
    let described = setup.schedule();
    Ok(Covered {
        report: run,
        cover: complete.then_some(Cover {
            inputs: described.inputs,
            options: described.options,
            ..set
        }),
        left_out,
        avoided,
        more_avoided: failed.len().saturating_sub(MOST_DESCRIBED),
        witnessed,
    })
}

/// Takes faults out of a report that no run of the program confirms: they were found in general
/// states, which stand for more than the program comes to.
fn candidates(setup: &Setup, program: &Arc<Program>, report: &mut Report) {
    for found in std::mem::take(&mut report.faults) {
        match finding::describe(setup, program, &found, FoundBy::Plain) {
            Ok(_) => report.faults.push(found),
            Err(_) => {
                let what = format!(
                    "a general state from which this may come, and no run that shows it: {}",
                    found.fault.message
                );
                let stmt = found.fault.stmt;
                report.unsupported.insert(Unsupported { what, stmt });
            }
        }
    }
}
