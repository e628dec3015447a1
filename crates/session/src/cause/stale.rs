//! Causes of wrong values: what a thread has read was changed by another thread before it acted on
//! it.

use super::{Cause, NamedAccess, VmTrace, place};
use crate::trace::Made;
use selvedge_model::{Access, Describe, MemoryOrder, ObjectId, Op};

/// Executions with more steps than this are not searched: the search takes quadratic time.
const MOST_STEPS: usize = 2000;

/// An access of a step.
#[derive(Clone, Copy)]
struct Use<'a> {
    step: usize,
    access: &'a Access,
}

/// What was changed between a thread's use of it and its next one; of several such variables, the
/// one that was used last before the fault.
pub(super) fn stale(trace: &VmTrace, at: usize) -> Option<Cause> {
    if trace.made.len() > MOST_STEPS {
        return None;
    }
    lost_update(trace, at).or_else(|| changed_between(trace, at))
}

/// A write that replaces what another thread has written since the writing thread read the
/// variable.
fn lost_update(trace: &VmTrace, at: usize) -> Option<Cause> {
    let made = &trace.made[..=at];
    for (step, this) in made.iter().enumerate().rev() {
        for access in this.accesses.iter().filter(|access| access.write) {
            let thread = this.action.thread;
            // This writes what it makes of the present value.
            if access.order != MemoryOrder::NotAtomic
                && matches!(this.action.op, Op::Rmw | Op::Add | Op::Claim)
            {
                continue;
            }
            let Some(read) = last(made, step, access, |made, access| {
                made.action.thread == thread && !access.write
            }) else {
                continue;
            };
            // A read in the writing step may be before the write.
            if reads(this, access) {
                continue;
            }
            let other = last(made, step, access, |made, access| {
                made.action.thread != thread && access.write
            });
            let own = last(made, step, access, |made, access| {
                made.action.thread == thread && access.write
            });
            let Some(other) = other.filter(|other| other.step > read.step) else {
                continue;
            };
            if own.is_some_and(|own| own.step > read.step) {
                continue;
            }
            // Whoever has joined the other thread knows what it wrote, and replaces it.
            let writer = made[other.step].action.thread;
            let joins = |made: &Made| {
                made.action.thread == thread
                    && made.action.op == Op::Join
                    && made.action.object.as_thread() == Some(writer)
            };
            if made[read.step..step].iter().any(joins) {
                continue;
            }
            let (name, by) = (name(trace, access), &made[other.step].step.thread);
            let text = format!(
                "lost update: thread {} reads {name} at {} and writes it at {}; what thread {by} wrote at {} in between is lost",
                this.step.thread,
                place(trace, read.access.stmt, read.access.context),
                place(trace, access.stmt, access.context),
                place(trace, other.access.stmt, other.access.context),
            );
            let accesses = named(trace, &[read, other, Use { step, access }]);
            return Some(Cause { text, accesses });
        }
    }
    None
}

/// A variable that the faulty thread uses in its last critical section, that it used in an earlier
/// one, too, and that another thread has written in between.
fn changed_between(trace: &VmTrace, at: usize) -> Option<Cause> {
    let made = &trace.made[..=at];
    let thread = made[at].action.thread;
    let begin = section(made, at);
    // Where nothing is locked, the order of sections says nothing.
    if made[at].held.is_empty() && made[begin].held.is_empty() {
        return None;
    }
    let own = (begin..=at)
        .rev()
        .filter(|&step| made[step].action.thread == thread);
    for step in own {
        for access in made[step].accesses.iter().rev() {
            let before = last(made, begin, access, |made, access| {
                made.action.thread == thread && !access.write && !made.held.is_empty()
            });
            let other = last(made, step, access, |made, access| {
                made.action.thread != thread && access.write
            });
            let (Some(before), Some(other)) = (before, other) else {
                continue;
            };
            if other.step < before.step {
                continue;
            }
            let name = name(trace, access);
            let text = format!(
                "thread {} uses {name} at {}, gives {} back, and uses it again at {}; in between thread {} has changed it at {}",
                made[at].step.thread,
                place(trace, before.access.stmt, before.access.context),
                made[before.step].held.join(", "),
                place(trace, access.stmt, access.context),
                made[other.step].step.thread,
                place(trace, other.access.stmt, other.access.context),
            );
            let accesses = named(trace, &[before, other, Use { step, access }]);
            return Some(Cause { text, accesses });
        }
    }
    None
}

/// Accesses in the words of a schedule, without those that are steps themselves.
fn named(trace: &VmTrace, uses: &[Use<'_>]) -> Vec<NamedAccess> {
    let inner = uses
        .iter()
        .filter(|used| trace.made[used.step].action.stmt != used.access.stmt);
    let named = inner.map(|used| NamedAccess {
        step: used.step,
        text: format!(
            "{} {}",
            if used.access.write { "writes" } else { "reads" },
            name(trace, used.access)
        ),
        stmt: used.access.stmt,
        context: used.access.context,
    });
    named.collect()
}

/// The step at which the thread of a step took the locks that it holds at it.
fn section(made: &[Made], at: usize) -> usize {
    let thread = made[at].action.thread;
    let own = (0..=at).rev().filter(|&step| made[step].action.thread == thread);
    let inside = own.take_while(|&step| !made[step].held.is_empty());
    inside.last().unwrap_or(at)
}

fn overlap(a: &Access, b: &Access) -> bool {
    a.address < b.address + u64::from(b.size) && b.address < a.address + u64::from(a.size)
}

fn reads(made: &Made, access: &Access) -> bool {
    let same = |other: &&Access| !other.write && overlap(other, access);
    made.accesses.iter().any(|other| same(&other))
}

/// The last use of the same bytes before a step that a test accepts.
fn last<'a>(
    made: &'a [Made],
    before: usize,
    access: &Access,
    accepts: impl Fn(&Made, &Access) -> bool,
) -> Option<Use<'a>> {
    made[..before].iter().enumerate().rev().find_map(|(step, made)| {
        let found = made.accesses.iter().rev();
        let mut found = found.filter(|other| overlap(other, access) && accepts(made, other));
        found.next().map(|access| Use { step, access })
    })
}

fn name(trace: &VmTrace, access: &Access) -> String {
    let bytes = u64::from(access.size);
    trace.machine.bytes_name(ObjectId(access.address), bytes)
}
