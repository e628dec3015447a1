//! The schedule of a finding, for display.

use crate::cause::{NamedAccess, before};
use crate::matters::{matters, order};
use crate::step_text::routine;
use crate::trace::{Made, Trace};
use selvedge_base::{Id, ThreadId};
use selvedge_detect::{Detectors, split_thread};
use selvedge_model::{Describe, Fault, FaultKind, Machine, Op, Property, Status};
use selvedge_report::{Row, RowKind, ThreadReport};
use selvedge_vm::Vm;

/// The threads of an execution.
pub(crate) fn threads(vm: &Vm) -> Vec<ThreadReport> {
    let threads = (0..vm.pending().len()).map(ThreadId::from_index);
    let report = |thread| ThreadReport {
        name: vm.thread_name(thread),
        runs: routine(vm, thread),
        label: vm.label(thread),
    };
    threads.map(report).collect()
}

/// The steps of a trace, with the finding's remarks on some of them: the accesses, the fault, and
/// what the threads wait for at the end. `at`: the step that shows the fault. `accesses`: those
/// that the cause names; their steps matter, too.
pub(crate) fn rows(
    trace: &Trace<Vm, Detectors>,
    at: Option<usize>,
    fault: &Fault,
    accesses: &[NamedAccess],
) -> Vec<Row> {
    let vm = &trace.machine;
    let related = related_steps(trace, at, fault);
    let order = order(&trace.made);
    let mut named = named(trace, at, fault, &related);
    named.extend(accesses.iter().map(|access| access.step));
    let matter = matters(&trace.made, order.as_deref(), &named);
    let mut rows: Vec<Row> = Vec::with_capacity(trace.made.len());
    let mut row_of = Vec::with_capacity(trace.made.len());
    for (i, made) in trace.made.iter().enumerate() {
        let row = |kind, text: &str, location| Row {
            thread: made.step.thread.clone(),
            text: text.to_owned(),
            location,
            kind,
            held: Vec::new(),
            after: Vec::new(),
            step: None,
            matters: true,
            created: None,
            asked: 0,
        };
        let shown = at == Some(i);
        let is_fault = shown && made.action.stmt == fault.stmt;
        let kind = if is_fault { RowKind::Fault } else { RowKind::Step };
        // A thread begins where it was created, before it has a context of its own.
        let context = match made.action.op {
            Op::Start => vm.created_in(made.action.thread),
            _ => made.context,
        };
        let place = vm.own_location(made.action.stmt, context);
        row_of.push(rows.len());
        rows.push(Row {
            held: made.held.clone(),
            after: order
                .iter()
                .flat_map(|order| &order[i])
                .map(|&before| row_of[before])
                .collect(),
            step: Some(i),
            matters: matter.contains(i),
            created: made.created.map(|thread| vm.thread_name(thread)),
            asked: made.asked,
            ..row(kind, &made.text, place)
        });
        for &(_, number) in related.iter().filter(|&&(step, _)| step == i) {
            let (text, stmt, context) = &fault.related[number];
            let place = vm.own_location(*stmt, *context);
            rows.push(row(RowKind::Related, split_thread(text).1, place));
        }
        for access in accesses.iter().filter(|access| access.step == i) {
            let place = vm.own_location(access.stmt, access.context);
            rows.push(row(RowKind::Related, &access.text, place));
        }
        if shown && !is_fault {
            let place = vm.own_location(fault.stmt, fault.context);
            rows.push(row(RowKind::Fault, &short(fault), place));
        }
    }
    if fault.kind.property() == Property::Deadlock {
        rows.extend(waiting(vm));
    }
    rows
}

/// The steps that the finding names: that of the fault, those of what else it tells of, and what
/// the threads did last that wait in the end. Of a fault of the execution's end that is no
/// deadlock: what each thread did last.
fn named(
    trace: &Trace<Vm, Detectors>,
    at: Option<usize>,
    fault: &Fault,
    related: &[(usize, usize)],
) -> Vec<usize> {
    let mut named: Vec<usize> = at.into_iter().collect();
    named.extend(related.iter().map(|&(step, _)| step));
    for (text, stmt, _) in &fault.related {
        let thread = split_thread(text).0;
        let is_it =
            |made: &Made| made.action.stmt == *stmt && (thread.is_empty() || made.step.thread == thread);
        named.extend(trace.made.iter().rposition(is_it));
    }
    if let Some(at) = at {
        if fault.kind.property() == Property::Pthread {
            named.extend(before(&trace.made, at, fault.object));
        }
        return named;
    }
    for (thread, pending) in trace.machine.pending().iter().enumerate() {
        let waits = pending.status == Status::Blocked || fault.kind.property() != Property::Deadlock;
        let is_last = |made: &Made| made.action.thread.index() == thread;
        if waits {
            named.extend(trace.made.iter().rposition(is_last));
        }
    }
    // Who holds what they wait for need not wait: it may have ended.
    for thread in (0..trace.machine.pending().len()).map(ThreadId::from_index) {
        for held in trace.machine.waits_for(thread) {
            named.extend(trace.made.iter().rposition(|made| made.action.thread == held));
        }
    }
    named
}

/// The fault in a few words.
fn short(fault: &Fault) -> String {
    let message = fault.message.as_str();
    match message.strip_prefix("data race: ") {
        Some(access) => access.split(" by thread ").next().unwrap_or_default().to_owned(),
        // A message of the program itself may contain any characters.
        None if message.contains('"') || fault.kind == FaultKind::Abort => message.to_owned(),
        None => message.split(';').next().unwrap_or_default().to_owned(),
    }
}

/// The steps that contain the other actions that the finding names, if these are no steps of their
/// own.
fn related_steps(trace: &Trace<Vm, Detectors>, at: Option<usize>, fault: &Fault) -> Vec<(usize, usize)> {
    let end = at.map_or(trace.made.len(), |at| at + 1);
    let mut steps = Vec::new();
    if fault.kind.property() == Property::Deadlock {
        // What threads wait for at the end has rows of its own.
        return steps;
    }
    for (number, (text, stmt, _)) in fault.related.iter().enumerate() {
        let thread = split_thread(text).0;
        let step = trace.made[..end].iter().rposition(|made| {
            made.touched.contains(stmt) && (thread.is_empty() || made.step.thread == thread)
        });
        if let Some(step) = step.filter(|&step| trace.made[step].action.stmt != *stmt) {
            steps.push((step, number));
        }
    }
    steps
}

/// What each blocked thread waits for.
fn waiting(vm: &Vm) -> impl Iterator<Item = Row> {
    let blocked = vm.pending().iter().enumerate();
    let blocked = blocked.filter(|(_, pending)| pending.status == Status::Blocked);
    blocked.map(|(i, pending)| {
        let thread = ThreadId::from_index(i);
        Row {
            thread: vm.thread_name(thread),
            text: vm.blocked_on(thread),
            location: vm.own_location(pending.action.stmt, vm.pending_context(thread)),
            kind: RowKind::Waits,
            held: Vec::new(),
            after: Vec::new(),
            step: None,
            matters: true,
            created: None,
            asked: 0,
        }
    })
}
