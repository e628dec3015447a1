//! From the report of an exploration to findings and a verdict.

use crate::assumptions::assumptions;
use crate::error::Error;
use crate::explored::{Explored, Outcome};
use crate::finding::{self, FoundBy};
use crate::hints::hints;
use crate::machines::canonical_machine;
use crate::observer::{Observer, Stage};
use crate::options::{Options, Strategy};
use crate::plan::Plan;
use crate::predicate;
use crate::reasons::reasons;
use crate::setup::Setup;
use crate::trace::same;
use crate::unfolding::{self, Form};
use selvedge_explore::{Findings, Found, Stop};
use selvedge_model::{Describe, Fault, FaultKind, StopReason, Verdict};
use selvedge_report::{Covered, CoveredUnfolding, FindingReport, Layer, RunReport, Statistics};
use selvedge_vm::{LayerStatistics, Program, Vm};
use std::sync::Arc;

/// Said of a program that was verified because nothing of it could go on.
const NO_END: &str = "warning: no execution came to the end of the program: in each of them a thread stopped at an \
                      assumption that does not hold (__VERIFIER_assume, klee_assume, __CPROVER_assume)";

/// The result of a session.
pub struct Checked {
    /// The report. Its time is zero and its memory unknown: the caller of the session measures
    /// them.
    pub report: RunReport,
    /// True if each finding was replayed. If the session was told to end, there was no time for
    /// replays, and findings have no schedule to be saved.
    pub confirmed: bool,
    explored: Explored,
}

impl Checked {
    /// The events that `unfold` found, as text, if they were requested; `None` if there are too
    /// many.
    ///
    /// # Errors
    /// If an event cannot be executed again.
    pub fn unfolding(&self, form: Form) -> Result<Option<String>, Error> {
        let Explored {
            program,
            report,
            plan,
            ..
        } = &self.explored;
        let (vm, _) = canonical_machine(program);
        let vm = if plan.additions { vm.with_counters() } else { vm };
        let vm = if plan.confined { vm.with_confined() } else { vm };
        unfolding::text(vm, report, form).map_err(Error::Output)
    }
}

/// Describes the findings and draws the conclusions.
pub(crate) fn describe(
    options: &Options,
    outcome: Outcome,
    observer: &dyn Observer,
) -> Result<Checked, Error> {
    observer.enter(Stage::Concluding);
    let asked = &options.properties;
    let Outcome {
        decided: explored,
        also,
        all,
    } = outcome;
    let Explored {
        plan,
        setup,
        program,
        report,
        ..
    } = &explored;
    let is_asked = |found: &&Found| asked.contains(&found.fault.kind.property());
    let (mut findings, mut faults) = (Vec::<FindingReport>::new(), Vec::<Fault>::new());
    let by = match plan.strategy {
        Strategy::Unfold | Strategy::Stateful if plan.confined => FoundBy::Confining,
        Strategy::Unfold | Strategy::Stateful => FoundBy::Canonical,
        Strategy::ReadsFrom => FoundBy::Reading,
        _ if plan.fuses(options) && !program.is_spoiled() => FoundBy::Fusing,
        _ => FoundBy::Plain,
    };
    let mut confirmed = true;
    for found in report.faults.iter().filter(is_asked).take(most_findings(options)) {
        match finding::describe(setup, program, found, by) {
            // Two races that were found may be the same race in their descriptions.
            Ok((finding, fault)) => match faults.iter().position(|known| is_same_race(known, &fault)) {
                Some(known) => findings[known].finding.count += finding.finding.count,
                None => {
                    findings.push(finding);
                    faults.push(fault);
                }
            },
            // The replay was interrupted, so it says nothing about the finding.
            Err(_) if options.setup.vm.stop.is_set() => {
                confirmed = false;
                findings.push(finding::unconfirmed(program, found));
            }
            Err(error) => return Err(Error::Internal(error.to_string())),
        }
    }
    let reasons = reasons(asked, &explored);
    let verdict = if !findings.is_empty() {
        Verdict::Violated
    } else if reasons.is_empty()
        && report.stop == StopReason::Complete
        && report.verdict() == Verdict::Verified
    {
        Verdict::Verified
    } else {
        Verdict::Unknown
    };
    name_absent_peers(setup, program, observer);
    if verdict == Verdict::Verified && program.has_assumed() && !program.has_ended() {
        observer.note(NO_END);
    }
    if verdict == Verdict::Unknown {
        hints(&explored).iter().for_each(|hint| observer.note(hint));
    }
    let counts = &report.statistics;
    // What is not complete has no truth to compare an estimate with.
    let complete = report.stop == StopReason::Complete;
    let error = explored.estimate.error.filter(|_| complete && !plan.samples());
    let solver = program.solver_statistics();
    let coverage = options.coverage.then(|| program.coverage());
    let run = RunReport {
        verdict,
        reasons,
        also,
        statistics: Statistics {
            executions: counts.executions,
            redundant_executions: counts.redundant_executions,
            cut_executions: counts.cut_executions,
            events: counts.events,
            unfolding_events: counts.unfolding_events,
            cutoffs: counts.cutoffs,
            states: counts.states,
            forgotten_states: counts.forgotten_states,
            max_depth: counts.max_depth,
            threads: counts.threads,
            all_executions: all.map_or(0, |all| all.executions),
            all_events: all.map_or(0, |all| all.events),
            estimates: error.map_or(0, |(_, count)| count as u64),
            estimate_error: error.map_or(0.0, |(error, _)| error),
            choices: counts.choices,
            thread_choices: counts.thread_choices.all(),
            field_choices: counts.thread_choices.fields,
            element_choices: counts.thread_choices.elements,
            other_choices: counts.thread_choices.other,
            necessary_choices: counts.necessary_choices.all(),
            necessary_field_choices: counts.necessary_choices.fields,
            necessary_element_choices: counts.necessary_choices.elements,
            necessary_other_choices: counts.necessary_choices.other,
            branches_explored: solver.branches,
            solver_queries: solver.queries,
            solver_seconds: solver.seconds,
            instructions: program.executed(),
            ..Statistics::default()
        },
        layers: solver.layers.into_iter().map(layer).collect(),
        coverage,
        covered: covered(&explored),
        assertions: predicate::assertions(&explored),
        findings,
        ..report_before(options, *plan, setup, Some(program))
    };
    Ok(Checked {
        report: run,
        confirmed,
        explored,
    })
}

/// The maximum number of findings in the report. One step may show several faults, and only the
/// first is requested.
fn most_findings(options: &Options) -> usize {
    if options.stop == Stop::First {
        1
    } else {
        usize::MAX
    }
}

/// The report of a session before anything is known except its options.
pub fn known(options: &Options) -> RunReport {
    report_before(options, Plan::first(options), &options.setup, None)
}

/// The report when there is a program to be explored by a plan.
pub(crate) fn report_before(
    options: &Options,
    plan: Plan,
    setup: &Setup,
    program: Option<&Program>,
) -> RunReport {
    RunReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        inputs: options
            .setup
            .inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        verdict: Verdict::Unknown,
        reasons: Vec::new(),
        assumptions: assumptions(options, plan, setup, program),
        strategy: plan.name(),
        also: Vec::new(),
        dependence: plan.dependence.word().to_owned(),
        visibility: plan.visibility_word().to_owned(),
        statistics: Statistics::default(),
        layers: Vec::new(),
        coverage: None,
        covered: None,
        assertions: None,
        findings: Vec::new(),
    }
}

/// Whether two faults are the same race.
fn is_same_race(a: &Fault, b: &Fault) -> bool {
    a.kind == FaultKind::DataRace && same(a, b)
}

/// The findings of an exploration so far whose properties were requested, without a replay.
pub fn unconfirmed(options: &Options, program: &Program, findings: &Findings) -> Vec<FindingReport> {
    let found = findings.so_far();
    let asked = found
        .iter()
        .filter(|found| options.properties.contains(&found.fault.kind.property()));
    asked
        .take(most_findings(options))
        .map(|found| finding::unconfirmed(program, found))
        .collect()
}

/// What a run that a limit ended has covered, for a strategy that would have covered everything.
fn covered(explored: &Explored) -> Option<Covered> {
    let Explored {
        plan,
        program,
        report,
        estimate,
        ..
    } = explored;
    let bounded = matches!(report.stop, StopReason::Limit(_)) || report.covered.is_some();
    if !bounded || matches!(plan.strategy, Strategy::Random | Strategy::Pct) {
        return None;
    }
    let vm = Vm::new(Arc::clone(program)).ok()?;
    let unfolding = report.covered.as_ref().map(|covered| CoveredUnfolding {
        cut: covered.cut,
        open: covered.open,
        undecided: covered.undecided,
        threads: covered.threads.clone(),
        not_taken: covered
            .not_taken
            .iter()
            .map(|(&stmt, &count)| (vm.location(stmt), count))
            .collect(),
    });
    Some(Covered {
        executions: report.statistics.executions,
        part: (plan.strategy == Strategy::Dpor).then_some(estimate.part),
        unfolding,
    })
}

fn layer(counts: LayerStatistics) -> Layer {
    Layer {
        name: counts.name,
        queries: counts.queries,
        answered: counts.answered,
        seconds: counts.seconds,
    }
}

/// Tells the user which peers never had a connection, so that the results say nothing of them.
fn name_absent_peers(setup: &Setup, program: &Program, observer: &dyn Observer) {
    for (index, peer) in setup.given.peers.iter().enumerate() {
        let (option, text) = &peer.text;
        let why = match *option {
            "server" => {
                "never had a connection: where the exploration came, the program did not connect to it"
            }
            _ => "never connected: where the exploration came, the program did not listen for it",
        };
        if !program.has_begun(index) {
            observer.note(&format!("note: the peer of --{option} {text} {why}"));
        }
    }
}
