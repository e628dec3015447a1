//! Machines of a program, with the detectors that go with them.

use selvedge_detect::{DeadlockDetector, Detectors, LeakDetector, RaceDetector};
use selvedge_vm::{Program, Vm};
use std::sync::Arc;

/// A machine in the initial state that shows each visible action as an event, with its detectors.
/// It is for replays. Additions that nobody looks at acquire nothing in it: a replay makes them in
/// one order, and what an exploration has found may be a race in the other one.
///
/// # Panics
/// If the machine cannot be made. The caller has made one before, and nothing has changed since.
pub(crate) fn machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::new(Arc::clone(program)).map(Vm::with_all_counters))
}

/// A machine for explorers, with as few events as possible.
///
/// # Panics
/// As [`machine`].
pub(crate) fn fusing_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::fusing(Arc::clone(program)).map(Vm::bounded))
}

/// A machine for explorers, with each visible action as an event.
///
/// # Panics
/// As [`machine`].
pub(crate) fn stepping_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::new(Arc::clone(program)).map(Vm::bounded))
}

/// A machine for the unfolding: events do not depend on decisions of concurrent threads.
///
/// # Panics
/// As [`machine`].
pub(crate) fn canonical_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::canonical(Arc::clone(program)))
}

/// The same for classes by reads-from: the accesses of a thread that runs alone are events, too.
///
/// # Panics
/// As [`machine`].
pub(crate) fn reading_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    let (vm, detectors) = canonical_machine(program);
    (vm.with_lone_accesses(), detectors)
}

fn with_detectors(program: &Program, vm: Result<Vm, selvedge_vm::Error>) -> (Vm, Detectors) {
    match vm {
        Ok(vm) => {
            let races = program.options.record_accesses.then(RaceDetector::new);
            let leaks = program.options.leaks.then(LeakDetector::new);
            (vm, (races, (DeadlockDetector::new(), leaks)))
        }
        Err(error) => panic!("a machine could be made once and not again: {error}"),
    }
}
