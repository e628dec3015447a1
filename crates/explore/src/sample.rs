//! The common part of the sampling strategies: they run one execution after another, and a
//! [`Scheduler`] makes the choices.
//!
//! All executions begin with the same events, up to the first state in which there is something to
//! choose. These are executed once. A server reads its configuration and fills its tables there.

use crate::kept::{Kept, Misfit, SampleState, State};
use crate::record::Record;
use crate::stuck::waiting;
use crate::{Config, Control, Report, Stop};
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Choice, Detector, Limit, LimitKind, Op, Pending, StopReason, Undo};

/// The number of executions if the configuration gives none.
const DEFAULT_EXECUTIONS: u64 = 10_000;

/// The initial limit on the length of executions, in events after the common ones, of a sample that
/// deepens.
const SHORT: usize = 128;

/// The approximate number of executions of each length in a sample that deepens.
const OF_EACH_LENGTH: u64 = 64;

/// From this number on, each execution whose number is a power of two is a long one in a sample
/// that deepens: large programs may fail only after many events, and for small ones that wait in
/// loops a few long executions are little more work.
const FIRST_LONG: u64 = 32;

/// The limit on the length of a long execution, in events for each execution before it.
const OF_LONG: u64 = 2048;

/// Decides which thread moves.
pub(crate) trait Scheduler {
    /// Begins a new execution.
    fn begin(&mut self);
    /// Chooses one of the enabled threads (there is at least one).
    fn thread(&mut self, pending: &[Pending]) -> usize;
    /// Chooses one of a thread's alternatives.
    fn alternative(&mut self, alternatives: u16) -> u16;
    /// The data that determines the later choices, between two executions.
    fn state(&self) -> Vec<u64>;
    /// Restores this data. Returns true if it belongs to such a scheduler.
    fn restore(&mut self, state: &[u64]) -> bool;
}

/// Runs executions until a limit is reached. The result is never complete.
pub(crate) fn explore<M, D>(
    mut made: (M, D),
    scheduler: &mut impl Scheduler,
    config: &Config,
    control: &Control,
    kept: Kept<'_>,
) -> Result<Report, Misfit>
where
    M: Undo,
    D: Detector<M>,
{
    let report = explore_with(&mut made, scheduler, config, control, kept);
    control.free(made);
    report
}

/// [`explore`], which frees the machine when all is done.
fn explore_with<M, D>(
    (machine, detector): &mut (M, D),
    scheduler: &mut impl Scheduler,
    config: &Config,
    control: &Control,
    kept: Kept<'_>,
) -> Result<Report, Misfit>
where
    M: Undo,
    D: Detector<M>,
{
    let mut record = Record::default();
    let (mut choices, mut faults) = (Vec::new(), Vec::new());
    let faulty = record.notice(config, machine.notices(), &choices);
    if faulty && config.stop == Stop::First {
        return Ok(record.finish(StopReason::Finding));
    }
    let mut start = (machine.mark(), detector.mark());
    // The number of events that all executions have in common, and whether more may follow.
    let (mut common, mut alone) = (0, true);
    // An exploration that goes on elsewhere has counted them already.
    let mut counts = true;
    let most = config.max_executions.unwrap_or(DEFAULT_EXECUTIONS);
    let mut done = 0;
    let longest = config.max_events as usize;
    let mut length = if config.deepens {
        longest.min(SHORT)
    } else {
        longest
    };
    let mut of_length = 0;
    if let Some(from) = kept.from {
        let State::Sample(state) = from else {
            return Err(Misfit("it is one of another strategy"));
        };
        if !scheduler.restore(&state.scheduler) {
            return Err(Misfit("what decides who moves is of another strategy"));
        }
        record = Record::restored(&state.record, config, control);
        done = state.done;
        counts = done == 0;
        length = usize::try_from(state.length).map_or(longest, |length| length.min(longest));
        of_length = state.of_length;
        machine.drop_counts();
    }
    while done < most {
        if let Some(keeper) = kept.keeper
            && keeper.is_due()
        {
            machine.publish_counts();
            keeper.keep(State::Sample(SampleState {
                done,
                length: length as u64,
                of_length,
                scheduler: scheduler.state(),
                record: record.state(),
            }));
        }
        scheduler.begin();
        let long = done >= FIRST_LONG && done.is_power_of_two();
        let most_events = match long {
            true => length.max(usize::try_from(done * OF_LONG).unwrap_or(longest)),
            false => length,
        };
        let stepped = record.statistics.events;
        loop {
            let only = only_choice(machine.pending()).filter(|_| alone && choices.len() < longest);
            if alone && only.is_none() {
                if !counts {
                    machine.drop_counts();
                }
                (alone, counts) = (false, true);
                common = choices.len();
                start = (machine.mark(), detector.mark());
            }
            let limit = match alone {
                true => longest,
                false => longest.min(common.saturating_add(most_events)),
            };
            let over = is_over(machine, choices.len(), (limit, longest), &mut record);
            let mut faulty = false;
            if over {
                if !machine.pending().iter().any(Pending::is_enabled) {
                    detector.end(machine, &mut faults);
                } else {
                    for waiting in waiting(machine).into_iter().filter(|w| w.firm) {
                        detector.stuck(machine, waiting.thread, &mut faults);
                    }
                }
            } else {
                let choice = only.unwrap_or_else(|| choose(machine.pending(), scheduler));
                let alternatives = machine.pending()[choice.thread.index()].alternatives;
                let event = machine.step(choice);
                choices.push(choice);
                detector.event(machine, &event, &mut faults);
                if counts {
                    record.statistics.events += 1;
                    record.statistics.choices += u64::from(alternatives > 1);
                    faulty = record.notice(config, machine.notices(), &choices);
                } else {
                    faults.clear();
                }
            }
            for fault in faults.drain(..) {
                faulty |= record.fault(config, fault, &choices);
            }
            if faulty && config.stop == Stop::First {
                return Ok(record.finish(StopReason::Finding));
            }
            if control.is_stopped() {
                return Ok(record.finish(StopReason::Limit(control.limit())));
            }
            if over {
                break;
            }
        }
        let depth = choices.len() as u64;
        let own = choices.len().saturating_sub(common) as u64;
        record.statistics.max_depth = record.statistics.max_depth.max(depth);
        control.add(1, 0, record.statistics.events - stepped, depth);
        done += 1;
        // A sample that goes on as long as others do has no end to be near to.
        if most < u64::MAX {
            control.set_part(done as f64 / most as f64);
        }
        of_length += if long { 0 } else { own };
        if length < longest && of_length >= OF_EACH_LENGTH * length as u64 {
            length = longest.min(2 * length);
            of_length = 0;
        }
        machine.undo(start.0);
        detector.undo(start.1);
        choices.truncate(common);
    }
    let detail = format!("a sample of {done} executions");
    Ok(record.finish(StopReason::Limit(Limit {
        kind: LimitKind::Executions,
        detail,
        stmt: StmtId(0),
    })))
}

/// The choice, if there is only one.
fn only_choice(pending: &[Pending]) -> Option<Choice> {
    let mut enabled = pending.iter().enumerate().filter(|(_, p)| p.is_enabled());
    let (thread, only) = enabled.next()?;
    (only.alternatives <= 1 && enabled.next().is_none()).then(|| Choice {
        thread: ThreadId::from_index(thread),
        alternative: 0,
    })
}

/// A choice of the scheduler's. There is an enabled thread.
fn choose(pending: &[Pending], scheduler: &mut impl Scheduler) -> Choice {
    // A data choice belongs to the transition before it.
    let choosing = |p: &Pending| p.is_enabled() && p.action.op == Op::Choose;
    let thread = match pending.iter().position(choosing) {
        Some(thread) => thread,
        None => scheduler.thread(pending),
    };
    Choice {
        thread: ThreadId::from_index(thread),
        alternative: scheduler.alternative(pending[thread].alternatives),
    }
}

/// True if the execution ends in the present state; then it is counted. `length`: the present limit
/// on its events. `longest`: the limit in the configuration.
fn is_over<M: Undo>(
    machine: &M,
    depth: usize,
    (length, longest): (usize, usize),
    record: &mut Record,
) -> bool {
    let statistics = &mut record.statistics;
    statistics.threads = statistics.threads.max(machine.pending().len() as u64);
    if !machine.pending().iter().any(Pending::is_enabled) {
        statistics.executions += 1;
        true
    } else if depth >= length {
        statistics.bounded_executions += 1;
        if length == longest {
            record.limit(&Limit {
                kind: LimitKind::Depth,
                detail: format!("an execution of more than {longest} events"),
                stmt: StmtId(0),
            });
        }
        true
    } else {
        false
    }
}
