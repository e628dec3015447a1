//! From a fault that an explorer found to a finding for the report: replayed, shortened, with names
//! and places.

use crate::cause::cause;
use crate::machines::{canonical_machine, fusing_machine, machine, reading_machine};
use crate::rows;
use crate::setup::Setup;
use crate::shorten::{has_fewest_switches, shorten};
use crate::sites::sites;
use crate::switches::switches;
use crate::trace::{self, At, Made, Move, Trace, same};
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_detect::{Detectors, split_thread};
use selvedge_explore::Found;
use selvedge_model::{
    Action, Choice, Describe, Fault, FaultKind, Finding, Input, Machine, Op, Related, Status,
};
use selvedge_report::{AccessSite, FindingReport};
use selvedge_schedule::{Schedule, Step};
use selvedge_vm::{Program, Vm};
use std::sync::Arc;

/// The reason why a fault is not confirmed. This is an internal error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("a finding could not be replayed ({0}): {1}")]
    Replay(trace::Error, String),
    #[error("a finding was not seen again when its schedule was replayed: {0}")]
    NotSeen(String),
}

type VmTrace = Trace<Vm, Detectors>;

/// The kind of machines with which a fault was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FoundBy {
    /// Those of replays.
    Plain,
    /// [`Vm::fusing`].
    Fusing,
    /// [`Vm::canonical`].
    Canonical,
    /// The same with [`Vm::with_confined`].
    Confining,
    /// The same with [`Vm::with_lone_accesses`].
    Reading,
}

/// Replays a fault and describes it with a short schedule. Also returns the fault that is
/// described: it may differ from the fault that was found, see [`stand_in`].
pub(crate) fn describe(
    setup: &Setup,
    program: &Arc<Program>,
    found: &Found,
    by: FoundBy,
) -> Result<(FindingReport, Fault), Error> {
    let fault = &found.fault;
    let (vm, detectors) = machine(program);
    let mut trace = Trace::new(vm, detectors, places(fault));
    let choices = match by {
        FoundBy::Plain => found.choices.clone(),
        FoundBy::Fusing => every_action(program, &found.choices),
        FoundBy::Canonical => open_decisions(program, canonical_machine(program).0, &found.choices),
        FoundBy::Confining => {
            let canonical = canonical_machine(program).0.with_confined();
            open_decisions(program, canonical, &found.choices)
        }
        FoundBy::Reading => open_decisions(program, reading_machine(program).0, &found.choices),
    };
    for choice in choices {
        trace
            .choose(choice)
            .map_err(|error| Error::Replay(error, fault.message.clone()))?;
    }
    trace.finish();
    let seen = trace.faults.iter().find(|(_, seen)| same(seen, fault));
    let seen = seen.or_else(|| stand_in(&trace, found).filter(|_| by != FoundBy::Plain));
    let Some((at, fault)) = seen.cloned() else {
        return Err(Error::NotSeen(fault.message.clone()));
    };
    let mut inputs = trace.machine.inputs();
    if let Some(given) = &setup.vm.inputs {
        inputs.clone_from(given);
    } else if !inputs.is_empty()
        && let Some(fixed) = with_fixed_inputs(setup, program, &trace, &inputs, &fault)
    {
        let (setup, program, at, trace) = fixed;
        let report = shortest(&setup, &program, trace, at, &fault, found.count, inputs);
        return Ok((report, fault));
    }
    let report = shortest(setup, program, trace, at, &fault, found.count, inputs);
    Ok((report, fault))
}

/// A race that a trace shows instead of a race that it does not show: of the same two threads, with
/// one of the two statements. There are two reasons. A step ends at a decision in a canonical
/// machine, and continues here if only one outcome is possible. Of several accesses to the same
/// bytes within one step, only the first is recorded. So here the first access has the race that
/// the second access has there. And an addition may acquire there, and not here (see [`machine`]).
/// Then a thread's second access has a new time there, and is recorded; here it is subsumed.
fn stand_in<'a>(trace: &'a VmTrace, found: &Found) -> Option<&'a At> {
    let other = |fault: &Fault| {
        let (text, stmt, _) = fault.related.first()?;
        Some((split_thread(text).0.to_owned(), *stmt))
    };
    let fault = &found.fault;
    let (thread, stmt) = other(fault).filter(|_| fault.kind == FaultKind::DataRace)?;
    let acting = trace.machine.thread_name(found.choices.last()?.thread);
    trace.faults.iter().find(|(at, seen)| {
        seen.kind == fault.kind
            && at.is_some_and(|at| trace.made[at].step.thread == acting)
            && other(seen).is_some_and(|(with, at)| with == thread && (at == stmt || seen.stmt == fault.stmt))
    })
}

/// The statements that a fault names besides its own.
fn places(fault: &Fault) -> Vec<StmtId> {
    fault.related.iter().map(|related| related.1).collect()
}

/// Describes a fault without a replay, because there was no time for one.
pub(crate) fn unconfirmed(program: &Program, found: &Found) -> FindingReport {
    let fault = &found.fault;
    let related = fault.related.iter().map(|(text, stmt, _)| {
        let (thread, message) = split_thread(text);
        Related {
            message: message.to_owned(),
            location: program.location(*stmt),
            stack: Vec::new(),
            thread: thread.to_owned(),
        }
    });
    FindingReport {
        finding: Finding {
            kind: fault.kind,
            message: format!(
                "{} (found as the run ended: not replayed, not saved)",
                fault.message
            ),
            location: program.location(fault.stmt),
            stack: Vec::new(),
            thread: String::new(),
            related: related.collect(),
            choices: Vec::new(),
            count: found.count,
        },
        inputs: Vec::new(),
        schedule: Schedule::default(),
        cause: None,
        fewest_switches: false,
        rows: Vec::new(),
        threads: Vec::new(),
        sites: Vec::new(),
        output: String::new(),
    }
}

/// The choices of an explorer whose machines choose at each decision, without the choices at
/// decisions that are none here because only one outcome is possible. The thread is then further
/// ahead here, and may be at a later decision. So decisions are compared by name. Accesses of a
/// thread that runs alone are none of its steps here: it has made them before. Accesses to confined
/// variables are steps of their own here. A second fence in one step is a step, so which fences are
/// depends on which accesses are.
fn open_decisions(program: &Arc<Program>, canonical: Vm, choices: &[Choice]) -> Vec<Choice> {
    // Actions are compared with those of a machine for replays.
    let mut canonical = canonical.with_all_counters();
    let (mut plain, _) = machine(program);
    let mut all = Vec::with_capacity(choices.len());
    for &choice in choices {
        if !offers(&canonical, choice) {
            all.push(choice); // the replay reports what is wrong with it
            break;
        }
        let chooses = |vm: &Vm| {
            let pending = vm.pending().get(choice.thread.index());
            pending.is_some_and(|p| p.is_enabled() && p.action.op == Op::Choose)
        };
        let stands_at = |vm: &Vm| vm.pending().get(choice.thread.index()).map(|p| p.action);
        let of_memory =
            |action: Action| action.is_memory() || matches!(action.op, Op::Destroy | Op::Hidden | Op::Yield);
        let yields = |vm: &Vm| stands_at(vm).is_some_and(|action| action.op == Op::Yield);
        while yields(&plain) && !yields(&canonical) {
            let alone = Choice {
                alternative: 0,
                ..choice
            };
            all.push(alone);
            if !offers(&plain, alone) {
                break;
            }
            plain.step(alone);
        }
        if stands_at(&canonical).is_some_and(of_memory) && stands_at(&canonical) != stands_at(&plain) {
            canonical.step(choice);
            catch_up(&mut plain, &canonical, choice, &mut all);
            continue;
        }
        let mut step = choice;
        if chooses(&canonical) {
            let decision = canonical.decision(choice);
            canonical.step(choice);
            if !chooses(&plain) {
                catch_up(&mut plain, &canonical, choice, &mut all);
                continue;
            }
            let alternatives = plain.pending()[choice.thread.index()].alternatives;
            let same = (0..alternatives).find(|&alternative| {
                plain.decision(Choice {
                    alternative,
                    ..choice
                }) == decision
            });
            let Some(alternative) = same else { continue };
            step.alternative = alternative;
        } else {
            canonical.step(choice);
        }
        all.push(step);
        if !offers(&plain, step) {
            break;
        }
        plain.step(step);
        catch_up(&mut plain, &canonical, choice, &mut all);
    }
    all
}

/// Lets a plain machine make the accesses to confined variables that the other one has made within
/// its step.
fn catch_up(plain: &mut Vm, canonical: &Vm, step: Choice, all: &mut Vec<Choice>) {
    let access = Choice {
        thread: step.thread,
        alternative: 0,
    };
    for _ in 0..canonical.left_out() {
        all.push(access);
        if !offers(plain, access) {
            break;
        }
        plain.step(access);
    }
}

/// Whether a choice can be made now.
fn offers(vm: &Vm, choice: Choice) -> bool {
    let pending = vm.pending().get(choice.thread.index());
    pending.is_some_and(|p| p.is_enabled() && choice.alternative < p.alternatives)
}

/// The explorer's choices, with one more choice for each action that was a part of another event.
fn every_action(program: &Arc<Program>, choices: &[Choice]) -> Vec<Choice> {
    let ((mut fusing, _), (mut plain, _)) = (fusing_machine(program), machine(program));
    let mut all = Vec::with_capacity(choices.len());
    for &choice in choices {
        let status = |vm: &Vm, thread: ThreadId| vm.pending().get(thread.index()).map(|p| p.status);
        if !offers(&fusing, choice) {
            all.push(choice); // the replay reports what is wrong with it
            break;
        }
        fusing.step(choice);
        let parts = fusing.parts().iter().map(|part| Choice {
            thread: part.action.thread,
            alternative: 0,
        });
        for step in std::iter::once(choice).chain(parts) {
            // After a join among the parts, the end of a thread is an event. Otherwise it is part
            // of the join's event.
            if status(&plain, step.thread) == Some(Status::Finished) {
                continue;
            }
            all.push(step);
            if offers(&plain, step) {
                plain.step(step);
            }
        }
    }
    all
}

/// Describes a trace that shows the fault at a step, or a shorter trace.
fn shortest(
    setup: &Setup,
    program: &Arc<Program>,
    trace: VmTrace,
    at: Option<usize>,
    fault: &Fault,
    count: u64,
    inputs: Vec<Input>,
) -> FindingReport {
    // Before it becomes shorter: the more is known, the better.
    let sites = sites(&trace, fault);
    let needed = other_access(&trace.made, at, fault, &trace);
    let shorter = shorten(&trace.made, at, &needed).and_then(|moves| replay(program, &moves, fault));
    let best = match shorter {
        Some(short) if cost(&short.made) <= cost(&trace.made) => short,
        _ => trace,
    };
    // If inputs are not fixed, another order of the steps may belong to other inputs.
    let inputs = match &setup.vm.inputs {
        Some(_) => inputs,
        None => best.machine.inputs(),
    };
    report(setup, best, fault, count, (inputs, sites))
}

/// A program with fixed inputs, and its trace that shows the fault at a step.
type Fixed = (Setup, Arc<Program>, Option<usize>, VmTrace);

/// The same execution of the program with its inputs fixed, without data choices. `None` if it does
/// not show the fault: the ends of steps differ, and so may, in a program with data races, what
/// another thread reads.
fn with_fixed_inputs(
    setup: &Setup,
    program: &Program,
    trace: &VmTrace,
    inputs: &[Input],
    fault: &Fault,
) -> Option<Fixed> {
    let mut setup = setup.clone();
    setup.vm = program.options.clone();
    setup.vm.inputs = Some(inputs.to_vec());
    let program = Program::new(Arc::clone(&program.module), setup.vm.clone()).ok()?;
    let moves = trace.made.iter().filter(|made| !made.chosen);
    let moves: Vec<Move> = moves.map(|made| made.step.clone()).collect();
    let trace = replay(&program, &moves, fault)?;
    let at = position(&trace, fault)?;
    Some((setup, program, at, trace))
}

/// Runs moves by name. Returns the trace if they show the fault.
pub(crate) fn replay(program: &Arc<Program>, moves: &[Move], fault: &Fault) -> Option<VmTrace> {
    let (vm, detectors) = machine(program);
    let mut trace = Trace::new(vm, detectors, places(fault));
    for step in moves {
        trace.make(step).ok()?;
    }
    trace.finish();
    position(&trace, fault).map(|_| trace)
}

/// The step at which a trace shows a fault.
fn position(trace: &VmTrace, fault: &Fault) -> Option<Option<usize>> {
    trace
        .faults
        .iter()
        .find(|(_, seen)| same(seen, fault))
        .map(|(at, _)| *at)
}

fn cost(made: &[Made]) -> (usize, usize) {
    (switches(made.iter()), made.len())
}

/// The step with the other access of a race, which need not be in the causal past of the second
/// access.
fn other_access(made: &[Made], at: Option<usize>, fault: &Fault, trace: &VmTrace) -> Vec<usize> {
    let seen = trace.faults.iter().find(|(_, seen)| same(seen, fault));
    let (Some(at), Some((_, seen))) = (at, seen) else {
        return Vec::new();
    };
    let Some((text, ..)) = seen.related.first().filter(|_| fault.kind == FaultKind::DataRace) else {
        return Vec::new();
    };
    let (thread, _) = split_thread(text);
    // The statements of interest are the explorer's. They are the same in this trace, because it is
    // the same execution.
    made[..at]
        .iter()
        .rposition(|m| m.step.thread == thread && !m.touched.is_empty())
        .into_iter()
        .collect()
}

/// The finding with all names resolved, from a trace that shows it.
pub(crate) fn report(
    setup: &Setup,
    trace: VmTrace,
    fault: &Fault,
    count: u64,
    (inputs, sites): (Vec<Input>, Vec<AccessSite>),
) -> FindingReport {
    let (at, seen) = match trace.faults.iter().find(|(_, seen)| same(seen, fault)) {
        Some((at, seen)) => (*at, seen),
        None => (None, fault),
    };
    let vm = &trace.machine;
    let related = seen.related.iter().map(|(text, stmt, context)| {
        let (thread, message) = split_thread(text);
        let (stmt, context) = vm.outside_library(*stmt, *context);
        Related {
            message: message.to_owned(),
            location: vm.location(stmt),
            stack: vm.stack(context),
            thread: thread.to_owned(),
        }
    });
    let (stmt, context) = vm.outside_library(seen.stmt, seen.context);
    let finding = Finding {
        kind: seen.kind,
        message: seen.message.clone(),
        location: vm.location(stmt),
        stack: vm.stack(context),
        thread: at
            .map(|at| trace.made[at].step.thread.clone())
            .unwrap_or_default(),
        related: related.collect(),
        choices: Vec::new(),
        count,
    };
    let mut schedule = setup.schedule();
    for made in &trace.made {
        schedule.steps.push(Step {
            thread: made.step.thread.clone(),
            alternative: made.step.alternative,
            note: made.text.clone(),
        });
    }
    let cause = cause(&trace, at, seen, &sites);
    let named = cause.as_ref().map_or(&[][..], |cause| &cause.accesses);
    FindingReport {
        finding,
        inputs,
        schedule,
        rows: rows::rows(&trace, at, seen, named),
        cause: cause.map(|cause| cause.text),
        fewest_switches: has_fewest_switches(&trace.made, at),
        sites,
        threads: rows::threads(vm),
        output: String::from_utf8_lossy(&vm.output()).into_owned(),
    }
}
