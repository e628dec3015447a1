//! The schedule of a finding, for display.

use crate::shorten::predecessors;
use crate::step_text::routine;
use crate::trace::{Made, Trace};
use fixedbitset::FixedBitSet;
use selvedge_base::{Id, ThreadId};
use selvedge_detect::{Detectors, split_thread};
use selvedge_model::{Describe, Fault, Machine, Op, Property, Status};
use selvedge_report::{Row, RowKind};
use selvedge_vm::Vm;

/// The start functions of an execution's threads, by their names.
pub(crate) fn routines(vm: &Vm) -> Vec<(String, String)> {
    let threads = (0..vm.pending().len()).map(ThreadId::from_index);
    threads
        .map(|thread| (vm.thread_name(thread), routine(vm, thread)))
        .collect()
}

/// The steps of a trace, with the finding's remarks on some of them: the accesses, the fault, and
/// what the threads wait for at the end. `at`: the step that shows the fault.
pub(crate) fn rows(trace: &Trace<Vm, Detectors>, at: Option<usize>, fault: &Fault) -> Vec<Row> {
    let vm = &trace.machine;
    let related = related_steps(trace, at, fault);
    let order = order(&trace.made);
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
            after: order[i].iter().map(|&before| row_of[before]).collect(),
            ..row(kind, &made.text, place)
        });
        for &(_, number) in related.iter().filter(|&&(step, _)| step == i) {
            let (text, stmt, context) = &fault.related[number];
            let place = vm.own_location(*stmt, *context);
            rows.push(row(RowKind::Related, split_thread(text).1, place));
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

/// The maximum number of steps whose order is drawn: computing it takes quadratic time.
const MOST_ORDERED: usize = 1000;

/// For each step, the steps of other threads that immediately precede it in the dependence order.
fn order(made: &[Made]) -> Vec<Vec<usize>> {
    if made.len() > MOST_ORDERED {
        return vec![Vec::new(); made.len()];
    }
    let before = predecessors(made);
    // For each step, the steps before it, including itself.
    let mut past: Vec<FixedBitSet> = Vec::with_capacity(made.len());
    let mut immediate = Vec::with_capacity(made.len());
    for (step, before) in before.iter().enumerate() {
        let mut all = FixedBitSet::with_capacity(made.len());
        let mut own = Vec::new();
        for &earlier in before.iter().rev() {
            if !all.contains(earlier) {
                own.push(earlier);
                all.union_with(&past[earlier]);
            }
        }
        own.retain(|&earlier| made[earlier].action.thread != made[step].action.thread);
        all.insert(step);
        past.push(all);
        immediate.push(own);
    }
    immediate
}

/// The fault in a few words.
fn short(fault: &Fault) -> String {
    let message = fault.message.as_str();
    match message.strip_prefix("data race: ") {
        Some(access) => access.split(" by thread ").next().unwrap_or_default().to_owned(),
        // A message of the program itself may contain any characters.
        None if message.contains('"') => message.to_owned(),
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
        }
    })
}
