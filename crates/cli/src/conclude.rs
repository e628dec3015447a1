//! From the report of an exploration to findings, a verdict, and what is written.

use crate::args::{CheckArgs, StopAt, Strategy};
use crate::assumptions::assumptions;
use crate::exit::Exit;
use crate::finding::FoundBy;
use crate::memory;
use crate::plan::Plan;
use crate::program::Setup;
use crate::reasons::reasons;
use crate::watch::{Place, Watch};
use crate::write::{Saves, write};
use crate::{finding, unfolding};
use selvedge_explore::{Found, Report};
use selvedge_model::{Describe, Property, StopReason, Verdict};
use selvedge_report::{Covered, CoveredUnfolding, Layer, Reason, RunReport, Sources, Statistics, Turns};
use selvedge_vm::{LayerStatistics, Program, Vm};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An exploration with what it was an exploration of.
pub(crate) struct Explored {
    pub(crate) plan: Plan,
    pub(crate) setup: Setup,
    pub(crate) program: Arc<Program>,
    pub(crate) report: Report,
    /// The part of the search tree that was done, as far as it was known.
    pub(crate) part: f64,
}

/// What an exploration, or the first of several, came to.
pub(crate) struct Outcome {
    /// What decides.
    pub(crate) decided: Explored,
    /// What ran beside it.
    pub(crate) also: Vec<Turns>,
}

impl Outcome {
    /// Of the only exploration.
    pub(crate) fn alone(decided: Explored) -> Outcome {
        Outcome {
            decided,
            also: Vec::new(),
        }
    }
}

/// Says what follows from what was explored, and writes the report.
pub(crate) fn conclude(
    args: &CheckArgs,
    asked: &BTreeSet<Property>,
    outcome: &Outcome,
    sources: &Sources,
    watch: &Watch<'_>,
) -> Exit {
    let (run, saves) = match describe(args, asked, outcome, watch) {
        Ok(described) => described,
        Err(exit) => return exit,
    };
    if !watch.writes() {
        watch.wait_for_end();
    }
    let explored = &outcome.decided;
    if let Ok(Some((file, form))) = unfolding::wanted(args)
        && let Err(message) = unfolding::write(&explored.program, &explored.report, file, form)
    {
        return Exit::output(&message);
    }
    if let Err(message) = write(args, &run, sources, saves) {
        return Exit::output(&message);
    }
    match run.verdict {
        Verdict::Verified => Exit::Code(0),
        Verdict::Violated => Exit::Code(Exit::VIOLATED),
        Verdict::Unknown => Exit::Code(Exit::INCONCLUSIVE),
    }
}

/// Describes what was found and says what follows from it; and what of that may be saved.
pub(crate) fn describe(
    args: &CheckArgs,
    asked: &BTreeSet<Property>,
    outcome: &Outcome,
    watch: &Watch<'_>,
) -> Result<(RunReport, Saves), Exit> {
    watch.enter(Place::Concluding);
    let Outcome {
        decided: explored,
        also,
    } = outcome;
    let Explored {
        plan,
        setup,
        program,
        report,
        ..
    } = explored;
    let is_asked = |found: &&Found| asked.contains(&found.fault.kind.property());
    let mut findings = Vec::new();
    let by = match plan.strategy {
        Strategy::Unfold => FoundBy::Canonical,
        _ if plan.fuses(args) && !program.is_spoiled() => FoundBy::Fusing,
        _ => FoundBy::Plain,
    };
    let mut saves = Saves::All;
    for found in report.faults.iter().filter(is_asked).take(most_findings(args)) {
        match finding::describe(setup, program, found, by) {
            Ok(finding) => findings.push(finding),
            // The replay was cut short: it says nothing about what was found.
            Err(_) if watch.stop.is_set() => {
                saves = Saves::Nothing;
                findings.push(finding::unconfirmed(program, found));
            }
            Err(error) => return Err(Exit::internal(&error.to_string())),
        }
    }
    let reasons = reasons(asked, explored);
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
    let counts = &report.statistics;
    let solver = program.solver_statistics();
    let coverage = args.given.coverage.as_ref().map(|_| program.coverage());
    let run = RunReport {
        verdict,
        reasons,
        also: also.clone(),
        statistics: Statistics {
            executions: counts.executions,
            redundant_executions: counts.redundant_executions,
            cut_executions: counts.cut_executions,
            events: counts.events,
            unfolding_events: counts.unfolding_events,
            cutoffs: counts.cutoffs,
            states: counts.states,
            max_depth: counts.max_depth,
            threads: counts.threads,
            choices: counts.choices,
            branches_explored: solver.branches,
            solver_queries: solver.queries,
            solver_seconds: solver.seconds,
            instructions: explored.program.executed(),
            seconds: watch.started.elapsed().as_secs_f64(),
            peak_memory_bytes: memory::peak(),
            ..Statistics::default()
        },
        layers: solver.layers.into_iter().map(layer).collect(),
        coverage,
        covered: covered(explored),
        findings,
        ..known(args, *plan, setup, Some(program))
    };
    Ok((run, saves))
}

/// How many findings are reported: one step may show several faults, and the first is what was
/// asked for.
pub(crate) fn most_findings(args: &CheckArgs) -> usize {
    if args.stop == StopAt::First { 1 } else { usize::MAX }
}

/// The report of a run of which nothing is known yet but how it is made.
pub(crate) fn known(args: &CheckArgs, plan: Plan, setup: &Setup, program: Option<&Program>) -> RunReport {
    RunReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        inputs: args
            .inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        verdict: Verdict::Unknown,
        reasons: Vec::new(),
        assumptions: assumptions(args, plan, setup, program),
        strategy: plan.name(),
        also: Vec::new(),
        dependence: args.dependence.clone(),
        visibility: plan.visibility_word().to_owned(),
        statistics: Statistics::default(),
        layers: Vec::new(),
        coverage: None,
        covered: None,
        findings: Vec::new(),
    }
}

/// Writes the report of a run that was told to end before there was anything to explore.
pub(crate) fn without_exploration(args: &CheckArgs, watch: &Watch<'_>) -> Exit {
    let reasons = watch.limit().map(|limit| Reason {
        limit: Some(limit.kind),
        detail: limit.detail,
        location: None,
    });
    let run = RunReport {
        reasons: reasons.into_iter().collect(),
        statistics: Statistics {
            seconds: watch.started.elapsed().as_secs_f64(),
            peak_memory_bytes: memory::peak(),
            ..Statistics::default()
        },
        ..watch.report()
    };
    if !watch.writes() {
        watch.wait_for_end();
    }
    match write(args, &run, &Sources::default(), Saves::Nothing) {
        Ok(()) => Exit::Code(Exit::INCONCLUSIVE),
        Err(message) => Exit::output(&message),
    }
}

/// What was covered by a run that a limit ended, of a strategy that would have covered everything.
fn covered(explored: &Explored) -> Option<Covered> {
    let Explored {
        plan,
        program,
        report,
        part,
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
        part: (plan.strategy == Strategy::Dpor).then_some(*part),
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
