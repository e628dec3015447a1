//! Ground truth: every state that a program can reach when every access to shared memory is a
//! scheduling point, without any reduction. States are remembered by fingerprint, so the cost is
//! the number of states, not of interleavings.
//!
//! Data races are decided by what they mean under sequential consistency, not by clocks: two
//! accesses to common bytes, at least one a write and not both atomic, are pending in one state.

use selvedge_base::{ContextId, Digest, Id, ThreadId};
use selvedge_detect::{DeadlockDetector, LeakDetector, RaceDetector, RecallingRaces};
use selvedge_explore::{Config, Control, Report, Stop, dpor, unfold};
use selvedge_model::{
    Allocates, Choice, Describe, Detector, Event, Fault, FaultKind, Fingerprint, Machine, MemoryOrder,
    Notice, Op, Outcome, Pending, Property, Status, StopReason, Undo,
};
use selvedge_vm::{Program, Recalling, Vm};
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};

/// How an execution can end: the state's fingerprint, without the names of inputs, and what was
/// printed.
pub type End = (Digest, String);

/// What there is to know about a program.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Kinds and lines of what goes wrong, but races and deadlocks.
    pub faults: BTreeSet<(&'static str, u32)>,
    /// All threads can be stuck.
    pub stuck: bool,
    /// Some threads can wait for each other when the rest is gone.
    pub partial: bool,
    /// Lines that allocate what is lost, of executions without faults; none unless that is asked
    /// for.
    pub lost: BTreeSet<u32>,
    /// The process can end before all memory is freed.
    pub left: bool,
    /// Whether it can is not known.
    pub left_open: bool,
    /// Two lines that race.
    pub race: Option<(u32, u32)>,
    /// Two threads can be about to free one object: the later one is at fault, and is not reported
    /// as a race.
    pub freed_by_both: bool,
    /// Final states.
    pub ends: BTreeSet<End>,
    /// What the machine cannot do, and limits.
    pub unknown: bool,
    /// Some of that it cannot do under visibility `memory` only.
    pub unknown_here: bool,
    /// States seen.
    pub states: usize,
}

impl Truth {
    /// What the executions print.
    pub fn outputs(&self) -> BTreeSet<&str> {
        self.ends.iter().map(|(_, output)| output.as_str()).collect()
    }
}

/// All states of a program with fingerprints, as such a machine has them; `None` if there are more
/// than `limit`. Races are those of two visible accesses, so all of them only with visibility
/// `memory`.
pub fn all_states(program: &Arc<Program>, machine: Make, limit: usize) -> Option<Truth> {
    // A program of its own: what it leaves open says nothing about explorations.
    let program = Program::new(program.module.clone(), program.options.clone());
    let mut vm = program.and_then(machine).unwrap_or_else(|e| panic!("{e}"));
    let mut truth = Truth::default();
    let mut seen = HashSet::new();
    let complete = walk(&mut vm, &mut truth, &mut seen, limit, (0, false));
    truth.states = seen.len();
    complete.then_some(truth)
}

/// A state, with what a fingerprint leaves out: output, what threads are about to do, whether there
/// was a fault.
type Key = (Digest, End, Vec<(ThreadId, Op, u64, u8)>, bool);

fn key(vm: &Vm, faulty: bool) -> Key {
    let pending = vm
        .pending()
        .iter()
        .map(|p| (p.action.thread, p.action.op, p.action.object.0, p.status));
    (
        vm.fingerprint(),
        end_of(vm),
        pending.map(|(t, o, x, s)| (t, o, x, s as u8)).collect(),
        faulty,
    )
}

fn line(vm: &Vm, stmt: selvedge_base::StmtId) -> u32 {
    vm.location(stmt).line
}

fn walk(
    vm: &mut Vm,
    truth: &mut Truth,
    seen: &mut HashSet<Key>,
    limit: usize,
    (depth, faulty): (usize, bool),
) -> bool {
    if !seen.insert(key(vm, faulty)) {
        return true;
    }
    if seen.len() > limit || depth > 400 {
        return false;
    }
    races(vm, truth);
    // At each state, not only at the last: what is lost stays lost.
    if vm.program().options.leaks && !faulty {
        let allocated = vm.allocated();
        truth.lost.extend(allocated.lost.iter().map(|b| line(vm, b.stmt)));
        truth.left |= !allocated.left.is_empty();
    }
    let choices: Vec<Choice> = choices(vm).collect();
    if choices.is_empty() {
        ended(vm, truth);
        return true;
    }
    for choice in choices {
        let mark = vm.mark();
        let before = vm.pending().to_vec();
        let event = vm.step(choice);
        others_stay(vm, &before, &event);
        let mut faulty = faulty;
        for notice in vm.notices() {
            match notice {
                Notice::Fault(fault) => {
                    faulty = true;
                    truth.faults.insert((fault.kind.name(), line(vm, fault.stmt)));
                }
                notice => {
                    truth.unknown = true;
                    truth.unknown_here |= matches!(notice, Notice::Unsupported(what) if what.what.ends_with("under visibility memory"));
                }
            }
        }
        let complete = walk(vm, truth, seen, limit, (depth + 1, faulty));
        vm.undo(mark);
        if !complete {
            return false;
        }
    }
    true
}

/// What a machine promises of an operation that does not change pending actions: the other threads'
/// stay.
fn others_stay(vm: &Vm, before: &[Pending], event: &Event) {
    if event.action.op.info().changes_pending {
        return;
    }
    for (before, now) in before.iter().zip(vm.pending()) {
        let other = before.action.thread != event.action.thread
            && event.outcome != Outcome::Thread(before.action.thread);
        assert!(
            !other || before.action == now.action,
            "{:?} makes {:?} of {:?}",
            event.action,
            now.action,
            before.action
        );
    }
}

fn choices(vm: &Vm) -> impl Iterator<Item = Choice> {
    let mut enabled: Vec<_> = vm.pending().iter().enumerate().collect();
    enabled.retain(|(_, p)| p.is_enabled());
    // No thread runs between an action that has begun and the decision that it takes effect with.
    let is_amid = |&&(i, p): &&(usize, &Pending)| {
        p.action.op == Op::Choose && vm.is_incomplete(ThreadId::from_index(i))
    };
    if let Some(&amid) = enabled.iter().find(is_amid) {
        enabled = vec![amid];
    }
    let enabled = enabled.into_iter();
    enabled.flat_map(|(i, p)| {
        (0..p.alternatives).map(move |alternative| Choice {
            thread: ThreadId::from_index(i),
            alternative,
        })
    })
}

/// Whether two pending accesses are a race.
fn race(one: &Pending, two: &Pending) -> bool {
    let (a, b) = (&one.action, &two.action);
    if !one.is_enabled() || !two.is_enabled() {
        return false;
    }
    if a.op == Op::Destroy && a.object.as_heap().is_some() {
        return b.is_memory() && b.object2 == a.object;
    }
    if b.op == Op::Destroy && b.object.as_heap().is_some() {
        return a.is_memory() && a.object2 == b.object;
    }
    let plain = a.order == MemoryOrder::NotAtomic || b.order == MemoryOrder::NotAtomic;
    // A compare-and-swap that fails only reads.
    let doubtful = |x: Op, y: Op| x == Op::Rmw && y == Op::Read;
    a.is_memory()
        && b.is_memory()
        && plain
        && (a.op != Op::Read || b.op != Op::Read)
        && !doubtful(a.op, b.op)
        && !doubtful(b.op, a.op)
        && a.overlaps(b)
}

/// Whoever is at fault with its access (the object is dead, say) does not come as far as a race.
fn races(vm: &mut Vm, truth: &mut Truth) {
    let pending = vm.pending().to_vec();
    for (i, one) in pending.iter().enumerate() {
        for two in &pending[i + 1..] {
            let frees = one.action.op == Op::Destroy && two.action.op == Op::Destroy;
            truth.freed_by_both |=
                frees && one.action.object.as_heap().is_some() && one.action.object == two.action.object;
            if truth.race.is_none() && race(one, two) && !faulty(vm, one) && !faulty(vm, two) {
                truth.race = Some((line(vm, one.action.stmt), line(vm, two.action.stmt)));
            }
        }
    }
}

/// Whether a pending access is a fault of its thread.
fn faulty(vm: &mut Vm, pending: &Pending) -> bool {
    let mark = vm.mark();
    vm.step(Choice {
        thread: pending.action.thread,
        alternative: 0,
    });
    let place = pending.action.stmt;
    let fault = |notice: &Notice| matches!(notice, Notice::Fault(fault) if fault.stmt == place);
    let faulty = vm.notices().iter().any(fault);
    vm.undo(mark);
    faulty
}

fn ended(vm: &Vm, truth: &mut Truth) {
    let pending = vm.pending();
    truth.ends.insert(end_of(vm));
    let exited = pending
        .iter()
        .any(|p| p.action.op == Op::ProcessExit && p.status == Status::Finished);
    let parked = pending.iter().any(|p| p.status == Status::Parked);
    if exited || parked {
        truth.partial |= (0..pending.len()).any(|t| in_cycle(vm, ThreadId::from_index(t)));
    } else {
        truth.stuck |= pending.iter().any(|p| p.status == Status::Blocked);
    }
}

/// Whether a chain of threads, each of which waits for the next one, leads from a thread back to
/// it.
fn in_cycle(vm: &Vm, thread: ThreadId) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![thread]);
    while let Some(at) = open.pop() {
        for next in vm.waits_for(at) {
            if next == thread {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

fn end_of(vm: &Vm) -> End {
    let prints = if vm.program().options.fingerprints {
        vm.fingerprint()
            .with(vm.without_names())
            .with(vm.without_bounds())
            .with(vm.without_counters())
    } else {
        Digest::EMPTY
    };
    (prints, sorted(&String::from_utf8_lossy(vm.state.output())))
}

/// Lines of output in alphabetical order: in which order threads print is not explored, since no
/// program can tell.
pub fn sorted(output: &str) -> String {
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// Notes where executions end.
struct Ends(Arc<Mutex<BTreeSet<End>>>);

impl Detector<Vm> for Ends {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    fn event(&mut self, _: &Vm, _: &Event, _: &mut Vec<Fault>) {}
    fn end(&mut self, vm: &Vm, _: &mut Vec<Fault>) {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .insert(end_of(vm));
    }
}

/// How a machine is made.
pub type Make = fn(Arc<Program>) -> Result<Vm, selvedge_vm::Error>;

/// A machine with few events, and rounds that change nothing are not repeated: as `dpor` has it.
pub fn fusing(program: Arc<Program>) -> Result<Vm, selvedge_vm::Error> {
    Vm::fusing(program).map(Vm::bounded).map(Vm::with_counters)
}

/// The same with each visible action as an event.
pub fn stepping(program: Arc<Program>) -> Result<Vm, selvedge_vm::Error> {
    Vm::new(program).map(Vm::bounded).map(Vm::with_counters)
}

/// What an exploration with reduction says, in the same words; and its report.
pub fn explored(
    program: &Arc<Program>,
    machine: Make,
    sleep_sets: bool,
    jobs: usize,
    max: u64,
) -> Option<(Truth, Report)> {
    let config = Config {
        sleep_sets,
        jobs,
        max_executions: (jobs == 1).then_some(max),
        ..config()
    };
    loop {
        let wrong = program.wrongly_counted();
        let (spoiled, said) = said(program, machine, &config, false);
        if spoiled {
            return explored(program, stepping, sleep_sets, jobs, max);
        }
        if program.wrongly_counted() == wrong {
            return said;
        }
    }
}

/// The same from the unfolding, for programs with fingerprints. `confined`: accesses to variables
/// that are taken to be confined are no actions, until that turns out to be wrong.
pub fn unfolded(program: &Arc<Program>, config: &Config, confined: bool) -> Option<(Truth, Report)> {
    let plain: Make = |program| Vm::canonical(program).map(Vm::with_counters);
    let bounded: Make = |program| Vm::canonical(program).map(|vm| vm.bounded().with_counters());
    let confining: Make = |program| Vm::canonical(program).map(|vm| vm.with_counters().with_confined());
    let both: Make = |program| Vm::canonical(program).map(|vm| vm.bounded().with_counters().with_confined());
    let machine = match (config.cutoffs, confined) {
        (true, false) => plain,
        (false, false) => bounded,
        (true, true) => confining,
        (false, true) => both,
    };
    loop {
        let wrong = || (program.wrongly_confined(), program.wrongly_counted());
        let before = wrong();
        let said = said(program, machine, config, true).1;
        if wrong() == before {
            return said;
        }
    }
}

/// What the reduced exploration reports of a machine that makes few events, and of one that also
/// recalls them.
pub fn reports(program: &Arc<Program>, jobs: usize) -> [Report; 2] {
    let config = Config {
        jobs,
        max_executions: (jobs == 1).then_some(2_000),
        ..config()
    };
    let vm = || fusing(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"));
    let leaks = || program.options.leaks.then(LeakDetector::new);
    let detectors = || (RaceDetector::new(), (DeadlockDetector::new(), leaks()));
    let races = || (RecallingRaces::checked(), (DeadlockDetector::new(), leaks()));
    let recall = || (Recalling::checked(vm()), races());
    let mut both = loop {
        let wrong = program.wrongly_counted();
        let direct = dpor::explore(&|| (vm(), detectors()), &config, &Control::new());
        let both = [direct, dpor::explore(&recall, &config, &Control::new())];
        if program.wrongly_counted() == wrong {
            break both;
        }
    };
    // Calling contexts are numbered as they are met, and a machine that recalls its steps meets
    // them later.
    for found in both.iter_mut().flat_map(|report| &mut report.faults) {
        found.fault.context = ContextId(0);
        let related = found.fault.related.iter_mut();
        related.for_each(|(_, _, context)| *context = ContextId(0));
    }
    both
}

/// Everything is asked for, and is explored to the end.
pub fn config() -> Config {
    let mut config = Config {
        stop: Stop::Never,
        max_events: 2000,
        ..Config::default()
    };
    config
        .properties
        .extend([Property::Leak, Property::Cleanup, Property::Overflow]);
    config
}

/// Whether parts of events turned out to be of no use, and what an exploration that came to its end
/// says.
fn said(
    program: &Arc<Program>,
    machine: Make,
    config: &Config,
    unfolding: bool,
) -> (bool, Option<(Truth, Report)>) {
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    let leaks = program.options.leaks;
    let make = || {
        let vm = machine(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"));
        (
            vm,
            (
                (
                    Some(RaceDetector::new()),
                    (DeadlockDetector::new(), leaks.then(LeakDetector::new)),
                ),
                Ends(Arc::clone(&ends)),
            ),
        )
    };
    let report = if unfolding {
        unfold::explore(&make, config, &Control::new())
    } else {
        dpor::explore(&make, config, &Control::new())
    };
    let spoiled = make().0.is_spoiled() && make().0.is_fusing();
    if report.stop != StopReason::Complete {
        return (spoiled, None);
    }
    let mut truth = Truth {
        unknown: !report.unsupported.is_empty() || !report.limits.is_empty(),
        left_open: !program.open_questions().is_empty(),
        ..Truth::default()
    };
    let vm = Vm::new(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"));
    for found in &report.faults {
        let fault = &found.fault;
        let line = line(&vm, fault.stmt);
        match fault.kind {
            FaultKind::DataRace => {
                truth.race = Some((line, fault.related.first().map_or(0, |r| self::line(&vm, r.1))))
            }
            FaultKind::Deadlock | FaultKind::LostWakeup => truth.stuck = true,
            FaultKind::PartialDeadlock => truth.partial = true,
            FaultKind::Leak => {
                truth.lost.insert(line);
            }
            FaultKind::NotFreed => truth.left = true,
            kind => {
                truth.faults.insert((kind.name(), line));
            }
        }
    }
    truth.ends = std::mem::take(&mut *ends.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    truth.states = report.statistics.executions as usize;
    (spoiled, Some((truth, report)))
}
