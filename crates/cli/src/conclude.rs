//! From the report of an exploration to findings, a verdict, and what is written.

use crate::args::{CheckArgs, StopAt, Strategy};
use crate::assumptions::assumptions;
use crate::exit::Exit;
use crate::finding::FoundBy;
use crate::plan::Plan;
use crate::program::Setup;
use crate::reasons::reasons;
use crate::watch::{Watch, peak_memory};
use crate::write::write;
use crate::{finding, unfolding};
use selvedge_explore::{Found, Report};
use selvedge_model::{Describe, Property, StopReason, Verdict};
use selvedge_report::{Covered, CoveredUnfolding, Layer, RunReport, Sources, Statistics, Turns};
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

/// Describes what was found, says what follows from it, and writes the report.
pub(crate) fn conclude(
    args: &CheckArgs,
    asked: &BTreeSet<Property>,
    outcome: Outcome,
    sources: &Sources,
    watch: &Watch,
) -> Exit {
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
    } = &explored;
    let is_asked = |found: &&Found| asked.contains(&found.fault.kind.property());
    // One step may show several faults; the first is what was asked for.
    let most = if args.stop == StopAt::First { 1 } else { usize::MAX };
    let mut findings = Vec::new();
    let by = match plan.strategy {
        Strategy::Unfold => FoundBy::Canonical,
        _ if plan.fuses(args) && !program.is_spoiled() => FoundBy::Fusing,
        _ => FoundBy::Plain,
    };
    for found in report.faults.iter().filter(is_asked).take(most) {
        match finding::describe(setup, program, found, by) {
            Ok(finding) => findings.push(finding),
            Err(error) => return Exit::internal(&error.to_string()),
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
    let counts = &report.statistics;
    let solver = program.solver_statistics();
    let coverage = args.given.coverage.as_ref().map(|_| program.coverage());
    let run = RunReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        inputs: args
            .inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        verdict,
        reasons,
        assumptions: assumptions(args, *plan, setup, program),
        strategy: plan.name(),
        also,
        dependence: args.dependence.clone(),
        visibility: plan.visibility_word().to_owned(),
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
            peak_memory_bytes: peak_memory(),
            ..Statistics::default()
        },
        layers: solver.layers.into_iter().map(layer).collect(),
        coverage,
        covered: covered(&explored),
        findings,
    };
    if let Ok(Some((file, form))) = unfolding::wanted(args)
        && let Err(message) = unfolding::write(program, report, file, form)
    {
        return Exit::internal(&message);
    }
    if let Err(message) = write(args, &run, sources) {
        return Exit::internal(&message);
    }
    match verdict {
        Verdict::Verified => Exit::Code(0),
        Verdict::Violated => Exit::Code(Exit::VIOLATED),
        Verdict::Unknown => Exit::Code(Exit::INCONCLUSIVE),
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
