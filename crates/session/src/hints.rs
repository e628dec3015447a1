//! What else a user may try if a limit has ended the run.

use crate::explored::Explored;
use crate::options::Strategy;
use crate::plan::Plan;
use crate::setup::Setup;
use selvedge_explore::NOT_ASKED_FOR;
use selvedge_model::{LimitKind, StopReason};
use selvedge_vm::Program;

/// A clock that goes on so far is probably read in a loop without an end.
const LONG: u64 = 32;

/// What may have made the program too large to be explored, and the option that leaves it out; and
/// how to see what was not asked for.
pub(crate) fn hints(explored: &Explored) -> Vec<String> {
    let Explored {
        plan,
        setup,
        program,
        report,
        ..
    } = explored;
    let is_about_size = |kind| {
        matches!(
            kind,
            LimitKind::Time | LimitKind::Memory | LimitKind::Depth | LimitKind::Events
        )
    };
    let stop = match &report.stop {
        StopReason::Limit(limit) => Some(limit.kind),
        _ => None,
    };
    let mut kinds = report.limits.iter().map(|limit| limit.kind).chain(stop);
    let mut hints = match kinds.any(is_about_size) {
        true => of_options(*plan, setup, program),
        false => Vec::new(),
    };
    let mut unsupported = report.unsupported.iter();
    if unsupported.any(|found| found.what.starts_with(NOT_ASKED_FOR)) {
        hints.push(
            "hint: something goes wrong that --property does not ask for; without --property it is a finding"
                .to_owned(),
        );
    }
    hints
}

fn of_options(plan: Plan, setup: &Setup, program: &Program) -> Vec<String> {
    let mut hints = Vec::new();
    if setup.vm.timeouts && program.has_timed_out() {
        hints.push(
            "hint: waits may time out at any moment; --timeouts off explores the program without that"
                .to_owned(),
        );
    }
    let samples = matches!(plan.strategy, Strategy::Random | Strategy::Pct);
    if setup.vm.clock_steps.is_none() && program.longest_time() >= LONG && !samples {
        hints.push(format!(
            "hint: a thread's clock went on by {} s in an execution; if a loop reads it, --clock-steps \
             lets the loop come back to the same state (docs/semantics.md, Time)",
            program.longest_time()
        ));
    }
    if setup.vm.weak_failures && program.has_weak_exchanges() {
        hints.push(
            "hint: weak compare-exchanges may fail at any moment; --weak-cas-failures off leaves that out"
                .to_owned(),
        );
    }
    let waits_in_rounds = setup.vm.spurious_wakeups && program.waits();
    if setup.vm.quarantine != Some(0) && plan.quarantine.is_some() && waits_in_rounds {
        hints.push(
            "hint: dead objects keep their memory for long, so that a loop around a wait may not come back to \
             the same state; --quarantine 0 lets others have it at once"
                .to_owned(),
        );
    }
    if waits_in_rounds {
        hints.push("hint: waits may end without a signal; --spurious-wakeups off leaves that out".to_owned());
    }
    hints
}
