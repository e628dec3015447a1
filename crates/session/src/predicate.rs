//! Predicate dependence (Kusano and Wang, ASE 2014; docs/algorithms.md, "Predicate dependence"):
//! accesses to memory that can matter to nothing that is asked for are no scheduling points.

use crate::explored::Explored;
use crate::options::{Dependence, Options, Strategy, Visibility};
use crate::plan::Plan;
use crate::setup::Setup;
use selvedge_analysis::essential::{self, LeafLocks, Names, Purpose, Waits};
use selvedge_analysis::{PointsTo, published, scheduling};
use selvedge_base::StmtId;
use selvedge_explore::{Report, unfold};
use selvedge_ir::Module;
use selvedge_model::{Limit, LimitKind, Property, StopReason};
use selvedge_report::AssertionReport;
use selvedge_vm::{Explained, Points, Program, models};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a slice is made for, for what is asked and for a strategy.
pub(crate) fn purpose(options: &Options, plan: Plan, also: BTreeSet<StmtId>) -> Purpose {
    Purpose {
        also,
        leaf: match options.properties.contains(&Property::Pthread) {
            true => LeafLocks::Matter,
            false => LeafLocks::LeftOut,
        },
        names: match plan.strategy {
            Strategy::Unfold => Names::Exact,
            _ => Names::PerExecution,
        },
        waits: match options.properties.contains(&Property::Deadlock) {
            true => Waits::Matter,
            false => Waits::LeftOut,
        },
    }
}

/// How often an exploration may begin again since more matters than it was made with.
pub(crate) const ROUNDS: u32 = 8;

/// What is said when `unfold` cannot go on.
pub(crate) const STRAYED: &str =
    "note: an event was another one when it was executed again: going on with --strategy dpor";

/// What is said when it has begun again that often.
pub(crate) const GIVEN_UP: &str =
    "note: more and more statements turn out to matter: going on with --dependence conflict";

/// What is said when a pointer points to what its points-to set does not have.
pub(crate) const HIDDEN: &str = "note: the program makes an address in a way that slices do not follow: going on with --dependence conflict";

/// Why nothing is verified by the published rules.
pub(crate) const PUBLISHED: &str = "predicate-published loses errors: its slice, critical section peeking and write-write pruning are as printed";

/// What slices are made for.
pub(crate) const PROPERTIES: [Property; 4] = [
    Property::Assertion,
    Property::ErrorCall,
    Property::Deadlock,
    Property::Pthread,
];

/// Programs with more statements are not sliced unless that is asked for.
const MOST_STATEMENTS: usize = 100_000;

/// Whether `auto` may try it, beside others: it answers what is asked, and the slice takes no long
/// time.
pub(crate) fn may_pay(options: &Options, module: &Module) -> bool {
    options.dependence == Dependence::Auto
        && options.visibility != Visibility::Sync
        && options.properties.iter().all(|p| PROPERTIES.contains(p))
        && module.stmts.len() <= MOST_STATEMENTS
}

/// The options of machines in which only accesses that can matter are scheduling points, if the
/// setup says so.
///
/// # Errors
/// In words, why it is not known which these are.
pub(crate) fn machine_options(setup: &Setup, module: &Module) -> Result<selvedge_vm::Options, String> {
    let mut options = setup.vm.clone();
    if let Some(purpose) = &setup.predicate {
        let entry = module.function(&options.entry);
        let root = entry.or_else(|| module.function("LLVMFuzzerTestOneInput"));
        let modelled = |name: &str| models::find(name).is_some();
        let points_to = PointsTo::of(module, root, &modelled);
        let found = essential::essentials(module, &points_to, purpose).map_err(|why| why.0)?;
        options.points = Some(Arc::new(Points {
            accesses: found.accesses,
            locks: found.locks,
        }));
        options.explained = Some(Arc::new(Explained::of(module, &points_to)));
    }
    Ok(options)
}

/// The slice of the published rules before any execution.
pub(crate) fn published_slice(program: &Program, options: &Options) -> BTreeSet<StmtId> {
    let module = &program.module;
    let modelled = |name: &str| models::find(name).is_some();
    let points_to = PointsTo::of(module, module.function(&program.options.entry), &modelled);
    let deadlocks = options.properties.contains(&Property::Deadlock);
    published::slice(module, &points_to, deadlocks)
}

/// To which assertions of a program the order of threads may matter, if its relation was looked at.
pub(crate) fn assertions(explored: &Explored) -> Option<Vec<AssertionReport>> {
    let asked = explored.setup.predicate.is_some() && explored.plan.dependence == Dependence::Predicate;
    let (program, module) = (&explored.program, &explored.program.module);
    let entry = asked.then(|| module.function(&program.options.entry))?;
    let modelled = |name: &str| models::find(name).is_some();
    let found = scheduling::assertions(module, &PointsTo::of(module, entry, &modelled), entry).ok()?;
    let mut reports: Vec<AssertionReport> = found
        .iter()
        .map(|assertion| AssertionReport {
            location: program.location(assertion.stmt),
            by_order: assertion.by_order,
        })
        .collect();
    let place = |report: &AssertionReport| {
        let at = &report.location;
        (at.file.clone(), at.line, at.column)
    };
    reports.sort_by_key(place);
    Some(reports)
}

/// True if `unfold` met an event that was another one when it was executed again: the slice, or
/// what an event is named by, was too small.
pub(crate) fn strays(report: &Report) -> bool {
    let differs = |limit: &Limit| limit.detail == unfold::DIFFERS;
    let halted = matches!(&report.stop, StopReason::Limit(limit) if differs(limit));
    halted || report.limits.iter().any(differs)
}

/// The statements at which executions ended early, and that were taken not to matter: what comes
/// after them was not explored for other values of what decides about them.
pub(crate) fn found_essential(report: &Report, options: &selvedge_vm::Options) -> BTreeSet<StmtId> {
    let points = options.points.as_deref();
    if report.stop != StopReason::Complete && !strays(report) {
        return BTreeSet::new();
    }
    let unsupported = report.unsupported.iter().map(|what| what.stmt);
    // Other bounds are no fault of the statement at which they are reached.
    let in_one_step = |limit: &&Limit| {
        matches!(
            limit.kind,
            LimitKind::Steps
                | LimitKind::Endless
                | LimitKind::Unroll
                | LimitKind::Recursion
                | LimitKind::Memory
        )
    };
    let limits = report.limits.iter().filter(in_one_step).map(|limit| limit.stmt);
    let ended = unsupported.chain(limits);
    ended
        .filter(|stmt| {
            points.is_some_and(|points| points.locks.contains(stmt) || !points.accesses.contains(stmt))
        })
        .collect()
}
