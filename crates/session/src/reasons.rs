//! The reasons why a verdict is not final.

use crate::explored::Explored;
use crate::options::Strategy;
use crate::predicate;
use crate::setup::Setup;
use selvedge_model::{Describe, FaultKind, LimitKind, Property, StopReason};
use selvedge_report::Reason;
use selvedge_vm::Vm;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All reasons why the verdict is not final.
pub(crate) fn reasons(asked: &BTreeSet<Property>, explored: &Explored) -> Vec<Reason> {
    let report = &explored.report;
    let vm = Vm::new(Arc::clone(&explored.program)).ok();
    let place = |stmt| {
        vm.as_ref()
            .map(|vm| vm.location(stmt))
            .filter(|l| !l.file.is_empty() || !l.function.is_empty())
    };
    let mut reasons = Vec::new();
    for what in &report.unsupported {
        reasons.push(Reason {
            limit: None,
            detail: without_bitcode(&explored.setup, &what.what).unwrap_or_else(|| what.what.clone()),
            location: place(what.stmt),
        });
    }
    for limit in &report.limits {
        let whole_run = matches!(
            limit.kind,
            LimitKind::Time
                | LimitKind::Executions
                | LimitKind::Events
                | LimitKind::Depth
                | LimitKind::Interrupted
        );
        let location = if whole_run { None } else { place(limit.stmt) };
        reasons.push(Reason {
            limit: Some(limit.kind),
            detail: limit.detail.clone(),
            location,
        });
    }
    if let StopReason::Limit(limit) = &report.stop {
        reasons.push(Reason {
            limit: Some(limit.kind),
            detail: limit.detail.clone(),
            location: None,
        });
    }
    if let Some(race) = report.faults.iter().find(|f| f.fault.kind == FaultKind::DataRace)
        && !asked.contains(&Property::DataRace)
    {
        let detail =
            "the program has data races, so visibility `sync` is not enough (use auto or memory)".to_owned();
        reasons.push(Reason {
            limit: None,
            detail,
            location: place(race.fault.stmt),
        });
    }
    for (property, what) in explored.program.open_questions() {
        if asked.contains(&property) {
            reasons.push(Reason {
                limit: None,
                detail: what.what.clone(),
                location: place(what.stmt),
            });
        }
    }
    if explored.plan.is_published() {
        reasons.push(Reason {
            limit: None,
            detail: predicate::PUBLISHED.to_owned(),
            location: None,
        });
    }
    let samples = matches!(explored.plan.strategy, Strategy::Random | Strategy::Pct);
    if samples && reasons.is_empty() && report.faults.is_empty() {
        let detail = format!(
            "the strategy {} samples executions",
            explored.plan.strategy.word()
        );
        reasons.push(Reason {
            limit: Some(LimitKind::Executions),
            detail,
            location: None,
        });
    }
    reasons
}

/// The reason that an unsupported function is machine code of an input.
fn without_bitcode(setup: &Setup, what: &str) -> Option<String> {
    let name = format!("{} in ", what.strip_prefix("function ")?);
    let mut named = setup.machine_code.values();
    let named = named.find(|named| named.starts_with(&name))?;
    Some(format!("function {named}, which has no bitcode of it"))
}
