//! A fixed order of threads, and all data choices: one execution for each class of inputs.
//! Input-covering schedules are made of these (BCG13).
//!
//! Which thread moves is a function of the operations so far and of the pending operations. Actions
//! that are no *operations* of a schedule are taken first, so they do not influence it. Then comes
//! the enabled thread that would come to its operation first if all ran side by side; of several,
//! the oldest. So parallel work is not serialised. An operation takes some time, and what is
//! computed after it as long as it did in an earlier execution ([`Pace`]). One that fails
//! (`trylock`) takes longer, and for younger threads more so than for older ones: threads that take
//! two locks in opposite orders, and give one back if they do not get the other, would fail side by
//! side for ever. So does one at the place of the thread's last one, which may be a loop that waits
//! for others.
//!
//! If something goes wrong in that order, [`Decisions::avoid`] changes the order for the next
//! exploration.
//!
//! Requests that a program reads without end divide executions into parts ([`Junctions`]). A read
//! comes last: when no other thread can move, or each that can has had its share ([`PATIENCE`]). So
//! what a request asks for is done before the next one is needed, no thread waits for ever because
//! requests are read, and the reader waits for no thread that never stops.
//!
//! So do loops that go round ([`Begins::Rounds`]), where such parts are asked for. A thread that
//! has come round comes last, so in each part every thread that can move goes round once, and none
//! runs ahead.
//!
//! Choices that no input decides are fixed once, where a native program can be kept to them:
//! nobody wakes without a signal, a signal wakes the first waiting thread, and who waits for a
//! limited time (for a condition variable, a lock or a semaphore) gives up only if no other thread
//! can move, and a weak compare-and-swap fails only if it has to. All other such choices are
//! unsupported.

pub use crate::decisions::Decisions;
pub use crate::junctions::{Begins, Generalise, Junctions, Parts, Reads};
use crate::junctions::{Comes, narrow};
use crate::record::Record;
pub use crate::turns::Pace;
use crate::turns::Turns;
use crate::{Config, Control, Report, Stop};
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{
    Action, Choice, Detector, Fault, Fingerprint, Limit, LimitKind, Notice, Op, Outcome, Pending, StopReason,
    Undo, Unsupported,
};

/// A data choice with alternatives that were not taken yet.
struct Open<A, B> {
    machine: A,
    detector: B,
    depth: usize,
    choice: Choice,
    alternatives: u16,
    turns: Turns,
}

/// Before a request is read, the other threads have the time of so many operations.
pub const PATIENCE: u32 = 256;

/// A thread goes round if it has taken so many actions, one behind another, that only look at
/// memory: it may wait for another thread, which does not move.
pub const ROUNDS: u32 = 10_000;

/// Whether an action is of some kind.
type Is<'a> = &'a dyn Fn(&Action) -> bool;

/// A step that was made: the choice, and whether it was an operation.
type Made = (Choice, bool);

/// What chooses the thread that moves.
pub struct Choosing<'a, 'b, M> {
    /// What is decided otherwise.
    pub decisions: &'a mut Decisions,
    /// Where executions are divided into parts.
    pub junctions: Option<&'a mut Junctions<'b, M>>,
    /// How long threads compute after operations.
    pub pace: &'a Pace,
}

/// Explores all data choices. `is_operation`: true for actions that schedules order. The machine
/// is left in any state.
pub fn explore<M, D>(
    (machine, detector): (&mut M, &mut D),
    is_operation: &dyn Fn(&Action) -> bool,
    choosing: Choosing<'_, '_, M>,
    (config, control): (&Config, &Control),
) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    let Choosing {
        decisions,
        mut junctions,
        pace,
    } = choosing;
    let mut record = Record::default();
    let mut path: Vec<Made> = Vec::new();
    let mut turns = Turns::default();
    let mut open: Vec<Open<M::Mark, D::Mark>> = Vec::new();
    if record.notice(config, machine.notices(), &[]) && config.stop == Stop::First {
        return record.finish(StopReason::Finding);
    }
    let most = config.max_executions.unwrap_or(u64::MAX);
    let mut stepped = 0;
    // The steps of the last thread that only look at memory.
    let mut rounds = (ThreadId::from_index(0), 0);
    decisions.begin();
    loop {
        let mut faults = Vec::new();
        let next = match path.len() >= config.max_events as usize || rounds.1 >= ROUNDS {
            true => None,
            false => {
                let in_vain = in_vain(machine);
                let reads = |action: &Action| {
                    junctions
                        .as_deref()
                        .is_some_and(|junctions| junctions.reads(machine, action))
                };
                let kinds = (is_operation, &reads as Is<'_>);
                let pending = machine.pending();
                let last = |thread: usize| {
                    junctions
                        .as_deref()
                        .is_some_and(|junctions| junctions.comes_round(machine, thread, &turns))
                };
                next(pending, (&in_vain, &last), &turns, kinds)
            }
        };
        let (next, ranked) = match &next {
            None => (None, None),
            Some(Next::Must(thread)) => (Some(*thread), None),
            Some(Next::Best(ranked)) => (ranked.first().copied(), Some(ranked)),
        };
        let mut comes = Comes::On;
        if let (Some(thread), Some(junctions)) = (next, junctions.as_deref_mut())
            && junctions.begins(machine, thread, &turns)
        {
            comes = junctions.meet(machine, detector, &mut turns);
            if matches!(comes, Comes::TooMany) {
                let limit = junctions.too_many(&mut record, &machine.pending()[thread].action);
                return record.finish(StopReason::Limit(limit));
            }
            if matches!(comes, Comes::Narrow) {
                return record.finish(StopReason::Limit(narrow(&machine.pending()[thread].action)));
            }
            if junctions.parts() != Parts::None {
                decisions.part(path.len(), machine.pending(), &turns.order());
            }
        }
        let Some(thread) = next.filter(|_| matches!(comes, Comes::On)) else {
            match comes {
                Comes::Known => {
                    record.statistics.cut_executions += 1;
                    detector.cut(machine, &mut faults);
                }
                Comes::Parked => {
                    record.statistics.executions += 1;
                    detector.end(machine, &mut faults);
                }
                _ if rounds.1 >= ROUNDS => {
                    record.statistics.bounded_executions += 1;
                    let pending = machine.pending()[rounds.0.index()];
                    record.stays_open(&[Notice::Unsupported(Unsupported {
                        what: "a thread that goes round for long and only looks at memory, perhaps until another thread \
                               does something"
                            .to_owned(),
                        stmt: pending.action.stmt,
                    })]);
                    detector.goes_round(machine, rounds.0);
                }
                _ => end(machine, detector, &mut faults, &mut record, config),
            }
            rounds.1 = 0;
            control.add(1, 0, path.len() as u64 - stepped, path.len() as u64);
            if found(&mut record, config, faults, &path) {
                return record.finish(StopReason::Finding);
            }
            // The last data choice that has another alternative.
            let Some(mut last) = open.pop() else {
                return record.finish(StopReason::Complete);
            };
            let counts = &record.statistics;
            if counts.executions + counts.cut_executions + counts.bounded_executions >= most {
                return record.finish(StopReason::Limit(executions(most)));
            }
            machine.undo(last.machine);
            detector.undo(last.detector);
            path.truncate(last.depth);
            decisions.truncate(last.depth);
            turns.clone_from(&last.turns);
            stepped = path.len() as u64;
            last.choice.alternative += 1;
            let choice = last.choice;
            if choice.alternative + 1 < last.alternatives {
                last.machine = machine.mark();
                last.detector = detector.mark();
                open.push(last);
            }
            let made = (choice, false);
            if step(machine, detector, made, &mut path, &mut record, config).ends {
                return record.finish(StopReason::Finding);
            }
            continue;
        };
        if control.is_stopped() {
            return record.finish(StopReason::Limit(control.limit()));
        }
        let thread = match ranked {
            None => thread,
            Some(ranked) => decisions
                .decide(path.len(), machine.pending(), ranked)
                .unwrap_or(thread),
        };
        let pending = machine.pending()[thread];
        let choice = Choice {
            thread: ThreadId::from_index(thread),
            alternative: 0,
        };
        if pending.alternatives > 1 {
            record.statistics.choices += 1;
            if pending.action.op == Op::Choose {
                open.push(Open {
                    machine: machine.mark(),
                    detector: detector.mark(),
                    depth: path.len(),
                    choice,
                    alternatives: pending.alternatives,
                    turns: turns.clone(),
                });
            } else if !matches!(
                pending.action.op,
                Op::Signal | Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait | Op::Rmw
            ) {
                record.stays_open(&[Notice::Unsupported(Unsupported {
                    what: format!(
                        "a schedule in which this may end in several ways: {}",
                        pending.action.op.info().text
                    ),
                    stmt: pending.action.stmt,
                })]);
            }
        }
        let reads = junctions
            .as_deref()
            .is_some_and(|junctions| junctions.reads(machine, &pending.action));
        let made = (choice, is_operation(&pending.action));
        if made.1 || reads {
            let stand = junctions
                .as_deref()
                .and_then(|junctions| junctions.stand(machine, thread));
            turns.count(pace, &pending.action, stand);
        }
        if made.1 {
            decisions.operation(path.len(), &pending.action);
        }
        let taken = step(machine, detector, made, &mut path, &mut record, config);
        if taken.ends {
            return record.finish(StopReason::Finding);
        }
        turns.threads(pace, machine.pending().len());
        rounds = match taken.changes {
            true => (choice.thread, 0),
            false if rounds.0 == choice.thread => (choice.thread, rounds.1 + 1),
            false => (choice.thread, 1),
        };
        if made.1 && taken.failed {
            turns.fails(thread);
        }
    }
}

/// What came of a step.
struct Taken {
    /// The exploration ends with it.
    ends: bool,
    /// It has tried something in vain.
    failed: bool,
    /// It may have done more than to look at memory.
    changes: bool,
}

/// The threads that would give up if they moved now. What has a deadline is tried, and undone.
fn in_vain<M: Undo>(machine: &mut M) -> Vec<usize> {
    let threads = 0..machine.pending().len();
    let gives_up = |&thread: &usize| {
        let pending = machine.pending()[thread];
        match pending.action.op {
            _ if !pending.is_enabled() => false,
            Op::WaitTimeout => true,
            op if op.has_deadline() => {
                let mark = machine.mark();
                let choice = Choice {
                    thread: ThreadId::from_index(thread),
                    alternative: 0,
                };
                let failed = machine.step(choice).outcome == Outcome::Failed;
                machine.undo(mark);
                failed
            }
            _ => false,
        }
    };
    threads.filter(gives_up).collect()
}

/// Who moves.
enum Next {
    /// This thread, whatever is to be avoided.
    Must(usize),
    /// One of these threads, the best one first.
    Best(Vec<usize>),
}

/// The thread that moves; `None` at the end.
fn next(
    pending: &[Pending],
    (in_vain, comes_round): (&[usize], &dyn Fn(usize) -> bool),
    turns: &Turns,
    (is_operation, reads_request): (Is<'_>, Is<'_>),
) -> Option<Next> {
    let enabled = || pending.iter().enumerate().filter(|(_, p)| p.is_enabled());
    // A data choice belongs to the transition before it.
    if let Some((thread, _)) = enabled().find(|(_, p)| p.action.op == Op::Choose) {
        return Some(Next::Must(thread));
    }
    let between = |p: &Pending| !is_operation(&p.action) && !reads_request(&p.action);
    if let Some((thread, _)) = enabled().find(|(_, p)| between(p)) {
        return Some(Next::Must(thread));
    }
    let gives_up = |thread: usize| in_vain.contains(&thread);
    let mut ranked: Vec<usize> = enabled().map(|(thread, _)| thread).collect();
    // Nobody gives up where somebody else can move, whatever is to be avoided.
    if ranked.iter().any(|&thread| !gives_up(thread)) {
        ranked.retain(|&thread| !gives_up(thread));
    }
    let reads = |thread: usize| reads_request(&pending[thread].action);
    ranked.sort_by_key(|&thread| {
        let patience = if reads(thread) { PATIENCE } else { 0 };
        (comes_round(thread), turns.of(thread, patience))
    });
    // So is where parts begin: a client may wait for an answer before it sends another request, and
    // no thread goes round twice in one part.
    let begins = |thread: usize| (reads(thread), comes_round(thread));
    let first = begins(*ranked.first()?);
    ranked.retain(|&thread| begins(thread) == first);
    Some(Next::Best(ranked))
}

/// Takes a step.
fn step<M, D>(
    machine: &mut M,
    detector: &mut D,
    made: Made,
    path: &mut Vec<Made>,
    record: &mut Record,
    config: &Config,
) -> Taken
where
    M: Undo,
    D: Detector<M>,
{
    let mut faults = Vec::new();
    let event = machine.step(made.0);
    path.push(made);
    record.statistics.events += 1;
    detector.event(machine, &event, &mut faults);
    let choices: Vec<Choice> = match machine.notices().is_empty() {
        true => Vec::new(),
        false => path.iter().map(|made| made.0).collect(),
    };
    let faulty = record.notice(config, machine.notices(), &choices);
    let faulty = faulty && config.stop == Stop::First;
    Taken {
        ends: found(record, config, faults, path) || faulty,
        failed: event.outcome == Outcome::Failed,
        changes: !matches!(event.as_used(true).op, Op::Read | Op::Yield | Op::Choose),
    }
}

/// Records faults. Returns true if the exploration ends with them.
fn found(record: &mut Record, config: &Config, faults: Vec<Fault>, path: &[Made]) -> bool {
    let mut faulty = false;
    for fault in faults {
        let choices: Vec<Choice> = path.iter().map(|made| made.0).collect();
        faulty |= record.fault(config, fault, &choices);
    }
    faulty && config.stop == Stop::First
}

/// Handles the end of an execution, or the limit on its length.
fn end<M, D>(machine: &M, detector: &mut D, faults: &mut Vec<Fault>, record: &mut Record, config: &Config)
where
    M: Undo,
    D: Detector<M>,
{
    let statistics = &mut record.statistics;
    statistics.threads = statistics.threads.max(machine.pending().len() as u64);
    if machine.pending().iter().any(Pending::is_enabled) {
        statistics.bounded_executions += 1;
        record.limit(&Limit {
            kind: LimitKind::Depth,
            detail: format!("an execution of more than {} events", config.max_events),
            stmt: StmtId(0),
        });
        return;
    }
    statistics.executions += 1;
    detector.end(machine, faults);
}

fn executions(most: u64) -> Limit {
    Limit {
        kind: LimitKind::Executions,
        detail: format!("more than {most} executions"),
        stmt: StmtId(0),
    }
}
