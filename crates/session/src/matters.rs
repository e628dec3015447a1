//! Which steps of a schedule matter to its finding: the others need not be read.
//!
//! A step is left out only if happens-before permits it. The search goes back from the steps that
//! the finding names. In the past of their threads every step counts that comes directly after a
//! step of another thread, and so does that other step; then the past of *its* thread is searched
//! in the same way. The places where the locks of the finding were taken count. So does every
//! atomic read of what another thread writes, with the write that it reads, because the value may
//! decide what follows.
//!
//! What is left out then orders nothing between the threads of the finding: a lock that nobody else
//! took in between, what a thread did that nobody waited for. What a thread computes from its own
//! memory is in no schedule.

use crate::immediate::predecessors;
use crate::trace::Made;
use fixedbitset::FixedBitSet;
use selvedge_base::ThreadId;
use selvedge_model::Op;

/// For each step the steps of other threads that it comes immediately after in the dependence
/// order; `None` for an execution that is too long.
pub(crate) fn order(made: &[Made]) -> Option<Vec<Vec<usize>>> {
    let mut immediate = predecessors(made)?;
    for (step, before) in immediate.iter_mut().enumerate() {
        before.retain(|&earlier| made[earlier].action.thread != made[step].action.thread);
    }
    Some(immediate)
}

/// The steps that matter, given those that the finding names and what [`order`] says. Of executions
/// that are too long for that, every step counts.
pub(crate) fn matters(made: &[Made], order: Option<&[Vec<usize>]>, named: &[usize]) -> FixedBitSet {
    let mut matter = FixedBitSet::with_capacity(made.len());
    let Some(order) = order else {
        matter.insert_range(..);
        return matter;
    };
    let writes: Vec<usize> = (0..made.len())
        .filter(|&step| made[step].action.writes_memory())
        .collect();
    // Up to which step the past of each thread was looked at.
    let mut looked_at: Vec<(ThreadId, usize)> = Vec::new();
    let mut left: Vec<usize> = named.to_vec();
    for &step in named {
        left.extend(locks_taken(made, step));
    }
    while let Some(step) = left.pop() {
        matter.insert(step);
        let thread = made[step].action.thread;
        let from = match looked_at.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, upto)) if *upto > step => continue,
            Some((_, upto)) => std::mem::replace(upto, step + 1),
            None => {
                looked_at.push((thread, step + 1));
                0
            }
        };
        for own in (from..=step).filter(|&own| made[own].action.thread == thread) {
            let written = written_before(made, &writes, own);
            let signal = signal_before(made, own);
            let counts = !order[own].is_empty()
                || written.is_some()
                || signal.is_some()
                || made[own].chosen
                || made[own].failed
                || made[own].step.alternative != 0
                || reads_shared(made, &writes, own);
            if counts {
                matter.insert(own);
                left.extend(&order[own]);
                left.extend(written);
                left.extend(signal);
            }
        }
    }
    // Nobody reads an unlock without its lock.
    let pairs: Vec<usize> = matter
        .ones()
        .flat_map(|step| taken_of_given_back(made, step))
        .collect();
    matter.extend(pairs);
    matter
}

/// Where the locks were taken that a step gives back.
fn taken_of_given_back(made: &[Made], step: usize) -> Vec<usize> {
    let thread = made[step].action.thread;
    let Some(last) = (0..step).rev().find(|&own| made[own].action.thread == thread) else {
        return Vec::new();
    };
    let given_back = made[last]
        .held
        .iter()
        .filter(|lock| !made[step].held.contains(lock));
    given_back.filter_map(|lock| taken(made, last, lock)).collect()
}

/// Where the locks were taken that the thread of a step holds at it.
fn locks_taken(made: &[Made], step: usize) -> impl Iterator<Item = usize> + '_ {
    made[step]
        .held
        .iter()
        .filter_map(move |lock| taken(made, step, lock))
}

/// Where a lock was taken that the thread of a step holds at it.
fn taken(made: &[Made], step: usize, lock: &String) -> Option<usize> {
    let thread = made[step].action.thread;
    let own = (0..=step).rev().filter(|&own| made[own].action.thread == thread);
    own.take_while(|&own| made[own].held.contains(lock)).last()
}

fn overlap(a: &Made, b: &Made) -> bool {
    let bytes = |made: &Made| {
        let first = made.action.object.0;
        first..first + u64::from(made.action.size.max(1))
    };
    let (a, b) = (bytes(a), bytes(b));
    a.start < b.end && b.start < a.end
}

/// The write of another thread that an atomic read has its value from.
fn written_before(made: &[Made], writes: &[usize], step: usize) -> Option<usize> {
    let read = &made[step];
    if !read.action.reads_memory() {
        return None;
    }
    let before = &writes[..writes.partition_point(|&write| write < step)];
    let last = before
        .iter()
        .copied()
        .rfind(|&write| overlap(&made[write], read))?;
    (made[last].action.thread != read.action.thread).then_some(last)
}

/// The signal that woke the thread of a step, if the step is the end of its wait.
fn signal_before(made: &[Made], step: usize) -> Option<usize> {
    let woken = &made[step];
    if woken.action.op != Op::WaitAcquire {
        return None;
    }
    let begin = made[..step]
        .iter()
        .rposition(|own| own.action.thread == woken.action.thread)?;
    let wakes = |other: &Made| other.woke.contains(&woken.action.thread);
    made[begin..step].iter().rposition(wakes).map(|at| begin + at)
}

/// Whether a step reads what another thread of the execution writes, before or after it.
fn reads_shared(made: &[Made], writes: &[usize], step: usize) -> bool {
    let read = &made[step];
    read.action.reads_memory()
        && writes
            .iter()
            .map(|&write| &made[write])
            .any(|write| write.action.thread != read.action.thread && overlap(write, read))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(thread: u16, op: Op, object: u64, held: &[&str]) -> Made {
        Made {
            held: held.iter().map(|&lock| lock.to_owned()).collect(),
            ..Made::example(thread, op, object)
        }
    }

    fn kept(made: &[Made], named: &[usize]) -> Vec<usize> {
        matters(made, order(made).as_deref(), named).ones().collect()
    }

    #[test]
    fn what_nobody_waited_for_is_left_out() {
        let steps = [
            made(0, Op::Lock, 0x100, &["a"]),
            made(0, Op::Unlock, 0x100, &[]),
            made(1, Op::Lock, 0x200, &["b"]),
            made(1, Op::Unlock, 0x200, &[]),
            made(0, Op::Lock, 0x300, &["c"]),
            made(1, Op::Write, 0x400, &[]),
        ];
        // The lock that thread 0 holds in the end was taken at that step.
        assert_eq!(kept(&steps, &[4, 5]), [4, 5]);
    }

    #[test]
    fn what_comes_directly_after_another_thread_is_kept_with_it() {
        let steps = [
            made(0, Op::Lock, 0x100, &["a"]),
            made(0, Op::Unlock, 0x100, &[]),
            made(0, Op::Lock, 0x100, &["a"]),
            made(0, Op::Unlock, 0x100, &[]),
            made(1, Op::Lock, 0x100, &["a"]),
            made(1, Op::Unlock, 0x100, &[]),
            made(1, Op::Lock, 0x100, &["a"]),
            made(1, Op::Unlock, 0x100, &[]),
            made(1, Op::Write, 0x400, &[]),
        ];
        assert_eq!(kept(&steps, &[8]), [2, 3, 4, 8]);
    }

    #[test]
    fn values_are_kept_with_where_they_come_from() {
        let steps = [
            made(0, Op::Write, 0x400, &[]),
            made(0, Op::Lock, 0x100, &["a"]),
            made(0, Op::Unlock, 0x100, &[]),
            made(1, Op::Lock, 0x100, &["a"]),
            made(1, Op::Read, 0x400, &["a"]),
            made(1, Op::Unlock, 0x100, &[]),
            made(1, Op::Write, 0x500, &[]),
        ];
        // The order of the locks has the write before the read already.
        assert_eq!(kept(&steps, &[6]), [0, 1, 2, 3, 4, 6]);
        // A read that comes too early is one that matters.
        let early = [
            made(1, Op::Read, 0x400, &[]),
            made(1, Op::Lock, 0x100, &["a"]),
            made(0, Op::Write, 0x400, &[]),
        ];
        assert_eq!(kept(&early, &[1]), [0, 1]);
    }

    #[test]
    fn who_was_woken_is_kept_with_the_signal() {
        let mut signal = made(0, Op::Signal, 0x200, &["a"]);
        signal.woke = vec![ThreadId(1)];
        let steps = [
            made(1, Op::WaitRelease, 0x200, &[]),
            made(0, Op::Lock, 0x100, &["a"]),
            signal,
            made(0, Op::Unlock, 0x100, &[]),
            made(1, Op::WaitAcquire, 0x200, &["a"]),
        ];
        assert!(kept(&steps, &[4]).contains(&2));
        // A signal that woke somebody else is not that of this wait.
        let mut other = steps;
        other[2].woke = vec![ThreadId(2)];
        assert_eq!(signal_before(&other, 4), None);
    }

    #[test]
    fn of_very_long_executions_everything_is_kept() {
        let steps: Vec<Made> = (0..30_000)
            .map(|i| made(i % 2, Op::Lock, 0x1000 + 8 * u64::from(i), &[]))
            .collect();
        assert_eq!(order(&steps), None);
        assert_eq!(kept(&steps, &[3]).len(), steps.len());
        assert_eq!(kept(&steps[..3000], &[3]), [3]);
    }
}
