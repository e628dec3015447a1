//! The calls of a thread, folded like in reports: the stack begins at the program's own innermost
//! call, and several calls within a library become one entry.

use selvedge_base::{Id, Location, ThreadId};
use selvedge_model::{Describe, Machine, Status};
use selvedge_vm::Vm;
use selvedge_vm::inspect::FrameView;

/// An entry of a stack.
pub(crate) struct Call {
    /// The function, or a text for several calls.
    pub(crate) name: String,
    /// The entry represents several calls.
    pub(crate) is_several: bool,
    /// Its location.
    pub(crate) location: Location,
    /// The frame with its variables, if there is one.
    pub(crate) frame: Option<usize>,
    /// It is not part of the program itself.
    pub(crate) of_library: bool,
}

/// The stack of a thread, innermost call first.
pub(crate) fn calls(vm: &Vm, thread: ThreadId) -> Vec<Call> {
    let frames = vm.frames(thread);
    let of_library = |frame: &FrameView| vm.program().is_of_library(frame);
    // Begin at the program's own innermost call, if there is one.
    let first = frames.iter().position(|frame| !of_library(frame)).unwrap_or(0);
    let mut calls = Vec::new();
    for run in frames[first..].chunk_by(|a, b| of_library(a) && of_library(b)) {
        match run {
            [one] => calls.push(call(vm, one, of_library(one))),
            many => calls.push(Call {
                name: format!("through {} functions of a library", many.len()),
                is_several: true,
                location: Location::default(),
                frame: None,
                of_library: true,
            }),
        }
    }
    if calls.is_empty() {
        calls.extend(beginning(vm, thread));
    }
    calls
}

fn call(vm: &Vm, frame: &FrameView, of_library: bool) -> Call {
    Call {
        name: vm.program().module.functions[frame.func].display.clone(),
        is_several: false,
        location: vm.location(frame.stmt),
        frame: Some(frame.index),
        of_library,
    }
}

/// The entry for a thread that has not begun.
fn beginning(vm: &Vm, thread: ThreadId) -> Option<Call> {
    let pending = vm.pending().get(thread.index())?;
    if pending.status == Status::Finished {
        return None;
    }
    let function = vm.begins_with(thread)?;
    let function = &vm.program().module.functions[function];
    Some(Call {
        name: format!("{} (not begun)", function.display),
        is_several: false,
        location: vm.own_location(pending.action.stmt, vm.created_in(thread)),
        frame: None,
        of_library: false,
    })
}

/// The name of a thread, as in reports.
pub(crate) fn thread_name(vm: &Vm, thread: ThreadId) -> String {
    let mut name = format!("thread {}", vm.thread_name(thread));
    match vm.label(thread) {
        label if label.is_empty() => {}
        label => name.push_str(&format!(" {label:?}")),
    }
    match vm.routine(thread) {
        _ if thread.index() == 0 => name.push_str(" (main)"),
        routine if routine.is_empty() => {}
        routine => name.push_str(&format!(" ({routine})")),
    }
    name
}
