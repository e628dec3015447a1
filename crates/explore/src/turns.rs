//! What decides which thread moves in the strategy `ordered`: threads are taken to run side by
//! side, each on a core of its own.
//!
//! Each thread has a time at which it comes to its next operation, and the one with the earliest
//! moves. Time is counted in operations. What a thread computes after one takes as long as it did
//! in an earlier execution ([`Pace`]). So a producer fills its queue while consumers work on what
//! they took, and a thread that has much to do is not waited for by one that has little.
//!
//! All of it follows from the operations so far. So inputs whose operations are the same so far
//! have the same order. What a thread is about to do has no influence: otherwise a native program
//! would have to know it before another thread can move.

use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{Action, ObjectId, Op, Pending, Status};

/// An operation takes as long as so many instructions of the program. Fewer are nothing.
const OPERATION: u64 = 256;

/// What comes after an operation counts at most as so many operations. A thread that polls
/// meanwhile does not poll for longer.
const LONGEST: u64 = 1024;

/// Threads that are created within less time begin together.
const BETWEEN_THREADS: u64 = 8;

/// What a thread computes counts as long as it has not failed more often. Threads that back off for
/// longer and longer would otherwise stay side by side.
const MOST_FAILURES: u32 = 2;

/// Who does one operation more at the same place has done twice as much there, up to this.
const MOST_AT_A_PLACE: u32 = 64;

/// Operations that are taken to be alike: of a thread or all threads, on an object or on any.
type Alike = (Option<ThreadId>, Op, Option<ObjectId>);

/// How many instructions threads execute after their operations, as far as that is known: the
/// means of an earlier execution.
#[derive(Default, Debug)]
pub struct Pace {
    /// The sum and the number.
    known: FxHashMap<Alike, (u64, u64)>,
}

impl Pace {
    /// A thread executed so many instructions after an operation. `is_same`: its object is the same
    /// one in all executions.
    pub fn learn(&mut self, action: &Action, is_same: bool, instructions: u64) {
        let (thread, op) = (Some(action.thread), action.op);
        let object = is_same.then_some((thread, op, Some(action.object)));
        for key in [(thread, op, None), (None, op, None)].into_iter().chain(object) {
            let (sum, count) = self.known.entry(key).or_default();
            *sum = sum.saturating_add(instructions);
            *count += 1;
        }
    }

    /// How much time passes after an operation; 0 if that is not known.
    fn after(&self, action: &Action) -> u64 {
        let (thread, op) = (Some(action.thread), action.op);
        let keys = [
            (thread, op, Some(action.object)),
            (thread, op, None),
            (None, op, None),
        ];
        let known = keys.iter().find_map(|key| self.known.get(key));
        known.map_or(0, |&(sum, count)| (sum / count / OPERATION).min(LONGEST))
    }
}

/// What decides between threads that can move.
#[derive(Clone, Default)]
pub(crate) struct Turns {
    /// The time of the latest operation.
    now: u64,
    /// When each thread comes to its next operation, since the part began. A thread that had to
    /// wait for another one comes to it now.
    comes: Vec<u64>,
    /// When a thread begins that is created now. Threads that are created one right after another
    /// begin together, with the first of them.
    begins: u64,
    /// If a thread's last operation created another one, and it may create more: when these begin.
    spawned: Vec<Option<u64>>,
    /// The place of each thread in the order for equal times; those that are not in it come last,
    /// the oldest first.
    rank: Vec<usize>,
    /// The place of each thread's last operation, if it was at one, and what the next one at that
    /// place counts twice.
    places: Vec<Option<(u32, u32)>>,
    /// How often operations of each thread have failed since the part began.
    failures: Vec<u32>,
    /// The operations that each thread has come to since the part began.
    stands: Vec<(usize, Digest)>,
}

impl Turns {
    /// So many threads exist now.
    pub(crate) fn threads(&mut self, pace: &Pace, number: usize) {
        for thread in self.comes.len()..number {
            let start = Action::on(ThreadId::from_index(thread), Op::Start, ObjectId::NONE);
            self.comes.push(self.begins + pace.after(&start));
            self.places.push(None);
            self.spawned.push(None);
            self.failures.push(0);
        }
    }

    /// Counts an operation. A thread that comes to one place again and again may wait there for
    /// others, which are to come first then. So these operations count more and more.
    pub(crate) fn count(&mut self, pace: &Pace, action: &Action, stand: Option<Digest>) {
        let thread = action.thread.index();
        self.threads(pace, thread + 1);
        self.stands.extend(stand.map(|stand| (thread, stand)));
        let (last, place) = (self.places[thread], action.object.as_place());
        let (weight, at) = match (last, place) {
            (Some((known, weight)), Some(place)) if known == place => {
                let weight = (2 * weight).min(MOST_AT_A_PLACE);
                (weight, Some((place, weight)))
            }
            (_, place) => (1, place.map(|place| (place, 1))),
        };
        self.places[thread] = at;
        self.now = self.now.max(self.comes[thread]);
        let after = match self.failures[thread] {
            0..=MOST_FAILURES => pace.after(action),
            _ => 0,
        };
        let before = self.spawned[thread].filter(|_| action.op == Op::Spawn);
        self.begins = before.unwrap_or(self.now);
        let more_may_come = action.op == Op::Spawn && after < BETWEEN_THREADS;
        self.spawned[thread] = more_may_come.then_some(self.begins);
        self.comes[thread] = self.now + u64::from(weight) + after;
    }

    /// An operation of a thread has failed.
    pub(crate) fn fails(&mut self, thread: usize) {
        if let (Some(comes), Some(failures)) = (self.comes.get_mut(thread), self.failures.get_mut(thread)) {
            *comes += thread as u64;
            *failures += 1;
        }
    }

    /// A thread with a lesser value moves first. It is taken to have done so many operations more.
    pub(crate) fn of(&self, thread: usize, more: u32) -> (u64, usize) {
        let comes = self.comes.get(thread).copied().unwrap_or(self.now);
        let rank = self.rank.get(thread).copied().unwrap_or(thread);
        (comes + u64::from(more), rank)
    }

    /// Whether a thread has come to this operation since the part began.
    pub(crate) fn has_come_to(&self, thread: usize, stand: Digest) -> bool {
        self.stands.contains(&(thread, stand))
    }

    /// The order of threads for equal times.
    pub(crate) fn order(&self) -> Vec<u64> {
        self.rank.iter().map(|&rank| rank as u64).collect()
    }

    /// A part begins.
    pub(crate) fn begin_anew(&mut self, pending: &[Pending]) {
        let ended = |thread: usize| pending[thread].status == Status::Finished;
        let mut order: Vec<usize> = (0..pending.len()).collect();
        order.sort_by_key(|&thread| match ended(thread) {
            true => (true, (0, thread)),
            false => (false, self.of(thread, 0)),
        });
        let mut rank = vec![0; order.len()];
        for (place, thread) in order.into_iter().enumerate() {
            rank[thread] = place;
        }
        *self = Turns {
            rank,
            ..Turns::default()
        };
        // Those that are there have begun before.
        self.threads(&Pace::default(), pending.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(thread: usize, op: Op, object: u64) -> Action {
        Action::on(ThreadId::from_index(thread), op, ObjectId(object))
    }

    /// The order in which threads do so many operations each, on an object of their own.
    fn order(pace: &Pace, mut left: Vec<usize>) -> Vec<usize> {
        let mut turns = Turns::default();
        turns.threads(pace, left.len());
        let mut order = Vec::new();
        while let Some(thread) = (0..left.len())
            .filter(|&thread| left[thread] > 0)
            .min_by_key(|&thread| turns.of(thread, 0))
        {
            left[thread] -= 1;
            order.push(thread);
            turns.count(pace, &action(thread, Op::Lock, thread as u64), None);
        }
        order
    }

    #[test]
    fn threads_of_which_nothing_is_known_take_turns() {
        assert_eq!(order(&Pace::default(), vec![2, 2, 3]), [0, 1, 2, 0, 1, 2, 2]);
    }

    #[test]
    fn who_computes_for_long_comes_later() {
        let mut pace = Pace::default();
        pace.learn(&action(0, Op::Lock, 0), true, 2 * OPERATION);
        pace.learn(&action(0, Op::Lock, 9), true, 1000 * OPERATION);
        pace.learn(&action(1, Op::Lock, 1), true, 0);
        assert_eq!(order(&pace, vec![2, 5]), [0, 1, 1, 1, 0, 1, 1]);
    }

    #[test]
    fn a_thread_that_was_not_met_is_as_the_others() {
        let mut pace = Pace::default();
        pace.learn(&action(0, Op::Lock, 0), false, 10 * OPERATION);
        pace.learn(&action(0, Op::Lock, 0), false, 30 * OPERATION);
        pace.learn(&action(1, Op::Lock, 1), true, 2 * OPERATION);
        assert_eq!(pace.after(&action(0, Op::Lock, 5)), 20);
        assert_eq!(pace.after(&action(1, Op::Lock, 1)), 2);
        assert_eq!(pace.after(&action(2, Op::Lock, 1)), 14);
        assert_eq!(pace.after(&action(2, Op::Unlock, 1)), 0);
        pace.learn(&action(3, Op::Unlock, 1), true, u64::MAX);
        pace.learn(&action(3, Op::Unlock, 1), true, u64::MAX);
        assert_eq!(pace.after(&action(3, Op::Unlock, 1)), LONGEST);
    }

    #[test]
    fn threads_that_are_created_together_begin_together() {
        let mut pace = Pace::default();
        let create = action(0, Op::Spawn, 1);
        pace.learn(&create, false, 7 * OPERATION);
        let mut turns = Turns::default();
        for number in 2..=3 {
            turns.count(&pace, &create, None);
            turns.threads(&pace, number);
            turns.count(&pace, &action(number - 1, Op::Lock, 1), None);
        }
        assert_eq!((turns.of(1, 0), turns.of(2, 0)), ((1, 1), (9, 2)));
        assert_eq!(turns.of(0, 0), (16, 0));
        // Something came between.
        turns.count(&pace, &action(0, Op::Lock, 1), None);
        turns.count(&pace, &create, None);
        turns.threads(&pace, 4);
        assert_eq!((turns.of(3, 0), turns.of(0, 0)), ((17, 3), (25, 0)));
        // It takes 8 on average now.
        pace.learn(&create, false, 9 * OPERATION);
        turns.count(&pace, &create, None);
        turns.threads(&pace, 5);
        assert_eq!((turns.of(4, 0), turns.of(0, 0)), ((17, 4), (34, 0)));
        turns.count(&pace, &create, None);
        turns.threads(&pace, 6);
        assert_eq!(turns.of(5, 0), (34, 5));
        // It computes before its first operation.
        let start = Action::on(ThreadId::from_index(6), Op::Start, ObjectId::NONE);
        pace.learn(&start, false, 100 * OPERATION);
        turns.threads(&pace, 7);
        assert_eq!(turns.of(6, 0), (134, 6));
    }

    #[test]
    fn computing_counts_as_long_as_a_thread_seldom_fails() {
        let mut pace = Pace::default();
        let lock = action(1, Op::Lock, 7);
        pace.learn(&lock, true, 10 * OPERATION);
        let mut turns = Turns::default();
        turns.threads(&pace, 2);
        let mut takes = Vec::new();
        for _ in 0..10 {
            let before = turns.of(1, 0).0;
            turns.count(&pace, &lock, None);
            turns.fails(1);
            takes.push(turns.of(1, 0).0 - before);
        }
        assert_eq!(takes, [12, 12, 12, 2, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn new_threads_and_those_that_waited_begin_now() {
        let mut turns = Turns::default();
        turns.threads(&Pace::default(), 2);
        for _ in 0..3 {
            turns.count(&Pace::default(), &action(0, Op::Lock, 7), None);
        }
        turns.threads(&Pace::default(), 3);
        assert_eq!((turns.of(1, 0), turns.of(2, 0)), ((0, 1), (2, 2)));
        // Thread 1 could not move before.
        turns.count(&Pace::default(), &action(1, Op::Lock, 7), None);
        assert_eq!(turns.of(1, 0), (3, 1));
    }
}
