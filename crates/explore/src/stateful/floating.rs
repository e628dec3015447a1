//! The part of the past that counts for data races if every dependence is synchronisation: for each
//! thread, only the accesses since its last action from which other threads can acquire. These
//! accesses *float*: no other thread knows of them by happens-before.
//!
//! Let a and b be a race of an execution, with b as early as possible, and let D be all events
//! before a or b by happens-before. Assume that whatever an event needs of others comes before it
//! by happens-before: the write that it reads from, the unlock before its lock, the posts that it
//! takes. Then D is an execution as well (Boehm and Adve, PLDI 2008, for locks and sequentially
//! consistent atomics). At its end a floats and b is the next step, because an action of a's thread
//! from which others can acquire, or a join of that thread, would not be in D. So a state together
//! with its floating accesses is all that races need. It need not be distinguished which thread
//! knows which earlier access, as [`Detector::digest`] does.
//!
//! [`Synchronised::follow`] checks each event for something that it needs and does not know by
//! happens-before: a relaxed access, a try that fails, a wait that times out.
//! All states of the machine are visited, whatever detectors remember. So if such an event exists
//! anywhere, it is found, and the search starts again with digests.
//!
//! *Operations on synchronisation objects* need the initialisation of the object, and an
//! initialisation or destruction needs all operations before it. Nobody learns of these by the
//! operations themselves. So where an object is set up beside other threads, its operations float,
//! too, until the next action from which others can acquire. An operation and a set-up of which
//! neither knows the other are like a race: if there is such a pair, then in some execution the
//! first one floats when the second one comes, and that is seen. The same holds of operations on
//! bytes that are also accessed plainly (`synchronised.rs`).
//!
//! *Signals.* A signal in D may find other waiters than in the execution: some wait in D although
//! another signal has woken them, because that signal is not in D; some do not wait in D. If it
//! wakes a thread that does something after it in D, that thread waits in D, or was woken already.
//! If it has to wake another thread t instead, then t either does nothing more in D, or is woken
//! later in the execution, by a signal in D. So t is ready earlier than it needs to be. It may now
//! know what the earlier signal's thread knows; but that signal is in D, so it comes before a or b,
//! and its thread does not know of a. Nothing in D finds out who waits, except for waits that time
//! out.
//!
//! If a thread goes first, its floating accesses must not be lost before other threads had their
//! turn. Actions from which others can acquire go first only if nothing of the thread floats, or if
//! no thread accesses what floats until the thread has moved ([`Floating::goes_first`]).
//!
//! [`Detector::digest`]: selvedge_model::Detector::digest

use selvedge_base::{Digest, Domain, Id, StmtId, ThreadId};
use selvedge_model::{Access, Action, Event, Machine, MemoryOrder, Op, Outcome, Pending};
use smallvec::SmallVec;

static ACCESS: Domain = Domain::new("floating access");
static THREAD: Domain = Domain::new("floating thread");

/// What floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// An access to memory.
    Access,
    /// An operation on a synchronisation object.
    Operation,
    /// The beginning or the end of such an object.
    SetUp,
}

/// A floating access, with its digest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Float {
    digest: Digest,
    access: Access,
    by: By,
}

impl Float {
    fn new(access: Access, by: By) -> Float {
        let kind = (by as u64) << 40 | u64::from(access.write) << 32 | access.order as u64;
        let numbers = [
            access.address,
            u64::from(access.size),
            kind,
            u64::from(access.stmt.0),
        ];
        Float {
            digest: Digest::of_words(&ACCESS, &numbers),
            access,
            by,
        }
    }

    /// An operation on these bytes of a synchronisation object.
    pub(super) fn operation(event: &Event, (address, size): (u64, u64), by: By) -> Float {
        let access = Access {
            address,
            context: event.context,
            stmt: StmtId(0), // no report needs it
            size: size as u32,
            write: true,
            order: MemoryOrder::SeqCst,
        };
        Float::new(access, by)
    }

    /// True if both are operations on an object, one of them sets it up, and they have a byte in
    /// common.
    pub(super) fn sets_up(&self, other: &Float) -> bool {
        let ends = |a: &Access| a.address.saturating_add(u64::from(a.size));
        let (a, b) = (&self.access, &other.access);
        self.by != By::Access
            && other.by != By::Access
            && (self.by == By::SetUp || other.by == By::SetUp)
            && a.address < ends(b)
            && b.address < ends(a)
    }
}

/// The floating accesses of each thread, by ascending digests.
#[derive(Debug, Default)]
pub(super) struct Floating {
    of: Vec<Vec<Float>>,
    /// The changes: the number of steps before the change, the thread, and the old value.
    log: Vec<(usize, ThreadId, Vec<Float>)>,
    /// For each join and each creation that begins a joined thread again, the number of steps
    /// before it, the joined thread, and who has joined it; none after it is begun again.
    joins: Vec<(usize, ThreadId, Option<ThreadId>)>,
}

/// True if other threads can acquire from this action of a thread.
fn releases(action: &Action) -> bool {
    match action.op {
        Op::Start | Op::Choose | Op::Assume | Op::Yield | Op::Join | Op::CancelPoint => false,
        _ => !action.is_memory() || action.order != MemoryOrder::NotAtomic,
    }
}

impl Floating {
    /// Returns to the state after this number of steps.
    pub(super) fn undo(&mut self, steps: usize) {
        while let Some((_, thread, before)) = self.log.pop_if(|(at, ..)| *at > steps) {
            self.of[thread.index()] = before;
        }
        while self.joins.pop_if(|(at, ..)| *at > steps).is_some() {}
    }

    /// True if a thread knows all actions of other threads, because it has joined all of them.
    pub(super) fn knows_all<M: Machine>(&self, machine: &M, thread: ThreadId) -> bool {
        let others = (0..machine.pending().len()).map(ThreadId::from_index);
        others
            .filter(|&other| other != thread)
            .all(|other| self.joiner(other) == Some(thread))
    }

    /// Who has joined a thread, if it was not begun again since.
    fn joiner(&self, thread: ThreadId) -> Option<ThreadId> {
        let mut latest = self.joins.iter().rev();
        latest.find(|(_, joined, _)| *joined == thread)?.2
    }

    fn replace(&mut self, steps: usize, thread: ThreadId, by: Vec<Float>) {
        if self.of.len() <= thread.index() {
            self.of.resize(thread.index() + 1, Vec::new());
        }
        let before = std::mem::replace(&mut self.of[thread.index()], by);
        self.log.push((steps, thread, before));
    }

    fn is_none(&self, thread: ThreadId) -> bool {
        self.of.get(thread.index()).is_none_or(Vec::is_empty)
    }

    /// What floats in other threads than this one.
    pub(super) fn of_others(&self, thread: ThreadId) -> impl Iterator<Item = &Float> {
        let others = self.of.iter().enumerate();
        others
            .filter(move |(other, _)| *other != thread.index())
            .flat_map(|(_, of)| of)
    }

    /// Follows an event, which is the last of `steps` steps. `operations`: what it does to
    /// synchronisation objects, as far as this floats.
    pub(super) fn follow<M: Machine>(
        &mut self,
        machine: &M,
        event: &Event,
        operations: &[Float],
        steps: usize,
    ) {
        let action = &event.action;
        let mut now = match self.of.get(action.thread.index()) {
            Some(before) if !releases(action) || event.outcome == Outcome::Incomplete => before.clone(),
            _ => Vec::new(),
        };
        let failed = event.outcome == Outcome::Failed;
        let own = (action.is_memory() && !failed).then(|| Access {
            address: action.object.0,
            context: event.context,
            stmt: action.stmt,
            size: action.size,
            write: action.op != Op::Read,
            order: action.order,
        });
        let accesses = own.iter().chain(machine.accesses());
        now.extend(accesses.map(|access| Float::new(*access, By::Access)));
        now.extend(operations);
        now.sort_unstable_by_key(|float| float.digest);
        now.dedup_by_key(|float| float.digest);
        if !now.is_empty() || !self.is_none(action.thread) {
            self.replace(steps, action.thread, now);
        }
        if action.op == Op::Join
            && event.outcome == Outcome::Done
            && let Some(ended) = action.object.as_thread()
        {
            self.joins.push((steps, ended, Some(action.thread)));
            if !self.is_none(ended) {
                self.replace(steps, ended, Vec::new());
            }
        }
        if action.op == Op::Spawn
            && let Outcome::Thread(new) = event.outcome
            && self.joiner(new).is_some()
        {
            self.joins.push((steps, new, None));
        }
    }

    /// True if a thread that may go first according to the machine may do so without losing
    /// floating accesses: either none floats, or other threads access none of them before the
    /// thread has moved.
    pub(super) fn goes_first<M: Machine>(&self, machine: &M, pending: &Pending) -> bool {
        let action = &pending.action;
        let whose = match action.op {
            Op::Join => action.object.as_thread(),
            _ => Some(action.thread).filter(|_| releases(action)),
        };
        whose.is_none_or(|whose| {
            let floats = self.of.get(whose.index()).map_or(&[][..], Vec::as_slice);
            let of = |operations: bool| -> SmallVec<[Access; 8]> {
                let kind = floats.iter().filter(|f| (f.by == By::Operation) == operations);
                kind.map(|float| float.access).collect()
            };
            floats.is_empty() || !machine.may_meet(action.thread, &of(false), &of(true))
        })
    }

    /// The digest of all floating accesses, with names of threads that do not depend on the
    /// interleaving.
    pub(super) fn digest(&self, name: impl Fn(ThreadId) -> ThreadId) -> Digest {
        let threads = self.of.iter().enumerate().filter(|(_, of)| !of.is_empty());
        let parts = threads.map(|(thread, of)| {
            let [low, high] = of.iter().map(|float| float.digest).sum::<Digest>().words();
            let name = name(ThreadId::from_index(thread));
            Digest::of_words(&THREAD, &[u64::from(name.0), low, high])
        });
        parts.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{A, B, action, event, pending, wrote};
    use super::*;
    use selvedge_model::ObjectId;

    fn digest(floating: &Floating) -> Digest {
        floating.digest(|thread| thread)
    }

    #[test]
    fn an_access_floats_until_others_may_learn_of_it() {
        let mut floating = Floating::default();
        let none = digest(&floating);
        let follow = |floating: &mut Floating, op, addresses: &[u64], steps| {
            floating.follow(
                &wrote(addresses),
                &event(action(A, op), Outcome::Done),
                &[],
                steps,
            );
            digest(floating)
        };
        let one = follow(&mut floating, Op::Lock, &[8], 1);
        assert_ne!(one, none);
        // Nobody learns from a yield; what was accessed twice floats once.
        assert_eq!(follow(&mut floating, Op::Yield, &[], 2), one);
        assert_eq!(follow(&mut floating, Op::Yield, &[8], 3), one);
        let two = follow(&mut floating, Op::Choose, &[16], 4);
        assert_ne!(two, one);
        assert_eq!(follow(&mut floating, Op::Unlock, &[], 5), none);
        floating.undo(4);
        assert_eq!(digest(&floating), two);
        floating.undo(3);
        assert_eq!(digest(&floating), one);
        floating.undo(0);
        assert_eq!(digest(&floating), none);
    }

    #[test]
    fn an_incomplete_action_teaches_nobody() {
        let mut floating = Floating::default();
        floating.follow(&wrote(&[8]), &event(action(A, Op::Lock), Outcome::Done), &[], 1);
        let one = digest(&floating);
        floating.follow(
            &wrote(&[]),
            &event(action(A, Op::Unlock), Outcome::Incomplete),
            &[],
            2,
        );
        assert_eq!(digest(&floating), one);
    }

    #[test]
    fn who_joins_a_thread_learns_what_it_floated() {
        let mut floating = Floating::default();
        let none = digest(&floating);
        floating.follow(&wrote(&[8]), &event(action(A, Op::Lock), Outcome::Done), &[], 1);
        let one = digest(&floating);
        assert!(!floating.goes_first(&wrote(&[]), &pending(action(B, Op::Join))));
        floating.follow(&wrote(&[]), &event(action(B, Op::Join), Outcome::Done), &[], 2);
        assert_eq!(digest(&floating), none);
        assert!(floating.goes_first(&wrote(&[]), &pending(action(B, Op::Join))));
        floating.undo(1);
        assert_eq!(digest(&floating), one);
    }

    #[test]
    fn what_others_learn_from_goes_first_only_if_nothing_floats() {
        let mut floating = Floating::default();
        let first =
            |floating: &Floating, thread, op| floating.goes_first(&wrote(&[]), &pending(action(thread, op)));
        assert!(first(&floating, A, Op::Unlock));
        floating.follow(&wrote(&[8]), &event(action(A, Op::Lock), Outcome::Done), &[], 1);
        for op in [Op::Unlock, Op::Spawn, Op::Exit] {
            assert!(!first(&floating, A, op), "{op:?}");
            assert!(first(&floating, B, op), "{op:?}");
        }
        assert!(first(&floating, A, Op::Yield));
    }

    #[test]
    fn who_has_joined_all_knows_all() {
        const C: ThreadId = ThreadId(0);
        let (mut floating, machine) = (Floating::default(), wrote(&[]));
        assert!(!floating.knows_all(&machine, B));
        let join = |of: ThreadId| Action {
            object: ObjectId::thread(of),
            ..action(B, Op::Join)
        };
        floating.follow(&machine, &event(join(A), Outcome::Done), &[], 1);
        assert!(!floating.knows_all(&machine, B));
        floating.follow(&machine, &event(join(A), Outcome::Done), &[], 2);
        assert!(!floating.knows_all(&machine, B), "twice the same one");
        floating.follow(&machine, &event(join(C), Outcome::Done), &[], 3);
        assert!(floating.knows_all(&machine, B));
        assert!(!floating.knows_all(&machine, A));
        floating.follow(&machine, &event(action(B, Op::Spawn), Outcome::Thread(C)), &[], 4);
        assert!(!floating.knows_all(&machine, B), "one is begun again");
        floating.undo(3);
        assert!(floating.knows_all(&machine, B));
        floating.undo(2);
        assert!(!floating.knows_all(&machine, B));
    }
}
