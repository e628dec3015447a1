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
//! [`Synchronised::holds`] checks each event for something that it needs and does not know by
//! happens-before: a relaxed access, a try that fails, a wait that times out.
//! All states of the machine are visited, whatever detectors remember. So if such an event exists
//! anywhere, it is found, and the search starts again with digests.
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

use rustc_hash::FxHashSet;
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_model::{Access, Action, Event, Machine, MemoryOrder, ObjectId, Op, Outcome, Pending, Status};
use smallvec::SmallVec;

static ACCESS: Domain = Domain::new("floating access");
static THREAD: Domain = Domain::new("floating thread");

/// A floating access, with its digest.
type Float = (Digest, Access);

/// The floating accesses of each thread, by ascending digests.
#[derive(Debug, Default)]
pub(super) struct Floating {
    of: Vec<Vec<Float>>,
    /// The changes: the number of steps before the change, the thread, and the old value.
    log: Vec<(usize, ThreadId, Vec<Float>)>,
    /// For each join, the number of steps before it and the joining thread.
    joins: Vec<(usize, ThreadId)>,
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
        while self.joins.pop_if(|(at, _)| *at > steps).is_some() {}
    }

    /// True if a thread knows all actions of other threads, because it has joined all of them.
    pub(super) fn knows_all<M: Machine>(&self, machine: &M, thread: ThreadId) -> bool {
        let joined = self.joins.iter().filter(|(_, joiner)| *joiner == thread).count();
        joined + 1 == machine.pending().len()
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

    /// Follows an event, which is the last of `steps` steps.
    pub(super) fn follow<M: Machine>(&mut self, machine: &M, event: &Event, steps: usize) {
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
        now.extend(own.iter().chain(machine.accesses()).map(|access| {
            let kind = u64::from(access.write) << 32 | access.order as u64;
            let numbers = [
                access.address,
                u64::from(access.size),
                kind,
                u64::from(access.stmt.0),
            ];
            (Digest::of_words(&ACCESS, &numbers), *access)
        }));
        now.sort_unstable_by_key(|(digest, _)| *digest);
        now.dedup_by_key(|(digest, _)| *digest);
        if !now.is_empty() || !self.is_none(action.thread) {
            self.replace(steps, action.thread, now);
        }
        if action.op == Op::Join
            && event.outcome == Outcome::Done
            && let Some(ended) = action.object.as_thread()
        {
            self.joins.push((steps, action.thread));
            if !self.is_none(ended) {
                self.replace(steps, ended, Vec::new());
            }
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
            let floats: SmallVec<[Access; 8]> = floats.iter().map(|(_, access)| *access).collect();
            floats.is_empty() || !machine.may_meet(action.thread, &floats)
        })
    }

    /// The digest of all floating accesses, with names of threads that do not depend on the
    /// interleaving.
    pub(super) fn digest(&self, name: impl Fn(ThreadId) -> ThreadId) -> Digest {
        let threads = self.of.iter().enumerate().filter(|(_, of)| !of.is_empty());
        let parts = threads.map(|(thread, of)| {
            let [low, high] = of.iter().map(|(digest, _)| *digest).sum::<Digest>().words();
            let name = name(ThreadId::from_index(thread));
            Digest::of_words(&THREAD, &[u64::from(name.0), low, high])
        });
        parts.sum()
    }
}

/// The places used by synchronisation (including atomic accesses), and the places accessed plainly,
/// by address divided by 8. Accesses of synchronisation operations do not float: other threads may
/// have learned of them through these operations themselves.
#[derive(Debug, Default)]
pub(super) struct Synchronised {
    used: FxHashSet<u64>,
    plain: FxHashSet<u64>,
}

impl Synchronised {
    /// True if everything that the event needs of other threads comes before it by happens-before.
    pub(super) fn holds<M: Machine>(&mut self, machine: &M, event: &Event) -> bool {
        let (action, failed) = (&event.action, event.outcome == Outcome::Failed);
        let reads = action.order.acquires();
        let writes = action.order.releases();
        let plain = action.order == MemoryOrder::NotAtomic;
        let told = match action.op {
            Op::Start | Op::Spawn | Op::Exit | Op::Choose | Op::Assume | Op::Yield => true,
            // It needs the creation only. Whether another thread may still join or detach then is
            // a question of misuse, which stops the other one.
            Op::Detach => true,
            Op::Join
            | Op::Lock
            | Op::Unlock
            | Op::SpinLock
            | Op::SpinUnlock
            | Op::RdLock
            | Op::RdUnlock
            | Op::WrLock
            | Op::WrUnlock
            | Op::TryLock
            | Op::TimedLock
            | Op::SpinTryLock
            | Op::TryRdLock
            | Op::TimedRdLock
            | Op::TryWrLock
            | Op::TimedWrLock
            | Op::SemPost
            | Op::SemWait
            | Op::SemTryWait
            | Op::SemTimedWait => !failed,
            // A thread that leaves knows of all arrivals, and so does the last one that arrives. So
            // D has each round as a whole, or none of its arrivals.
            Op::BarrierArrive | Op::BarrierLeave => !failed,
            // Which threads wait at a signal need not come before it: see above.
            Op::WaitRelease | Op::WaitAcquire | Op::Signal | Op::Broadcast => true,
            Op::OnceEnter | Op::OnceDone => true,
            Op::Init | Op::Destroy => {
                let mut threads = machine.pending().iter().enumerate();
                threads.all(|(i, p)| i == action.thread.index() || p.status == Status::Finished)
            }
            Op::Read => plain || reads,
            Op::Write => plain || writes,
            // It needs nothing of others, and who reads the sum acquires from all that released.
            Op::Add => writes,
            // A compare-and-swap that failed is a read: its first access.
            Op::Rmw if failed => machine
                .accesses()
                .first()
                .is_some_and(|read| read.order.acquires()),
            Op::Rmw => reads && writes,
            Op::ProcessExit => machine.accesses().is_empty(),
            _ => false,
        };
        told && !action.cancelable
            && !action.blocks.is_some()
            && machine.parts().is_empty()
            && self.is_apart(machine, event)
    }

    /// True if no place was both used by synchronisation and accessed plainly.
    fn is_apart<M: Machine>(&mut self, machine: &M, event: &Event) -> bool {
        let action = &event.action;
        let mut apart = true;
        let mut touch = |address: u64, size: u64, plain: bool| {
            let (mine, others) = match plain {
                true => (&mut self.plain, &self.used),
                false => (&mut self.used, &self.plain),
            };
            for place in address >> 3..=(address + size.max(1) - 1) >> 3 {
                mine.insert(place);
                apart &= !others.contains(&place);
            }
        };
        if action.object.is_address() && action.object != ObjectId::NONE {
            let plain = action.is_memory() && action.order == MemoryOrder::NotAtomic;
            touch(action.object.0, action.object_size(), plain);
        }
        for access in machine.accesses() {
            let plain = access.order == MemoryOrder::NotAtomic;
            touch(access.address, u64::from(access.size), plain);
        }
        apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_base::{ContextId, StmtId};
    use selvedge_model::{Action, Choice, Notice, Waiters};

    /// So many threads that can move, and what the last step accessed.
    struct Fake {
        pending: Vec<Pending>,
        accesses: Vec<Access>,
    }

    impl Machine for Fake {
        fn pending(&self) -> &[Pending] {
            &self.pending
        }
        fn step(&mut self, _: Choice) -> Event {
            unreachable!("nothing is executed")
        }
        fn accesses(&self) -> &[Access] {
            &self.accesses
        }
        fn notices(&self) -> &[Notice] {
            &[]
        }
        fn waiters(&self, _: Waiters) -> &[ThreadId] {
            &[]
        }
        fn waits_for(&self, _: ThreadId) -> selvedge_model::WaitsFor {
            selvedge_model::WaitsFor::new()
        }
    }

    const A: ThreadId = ThreadId(1);
    const B: ThreadId = ThreadId(2);

    fn action(thread: ThreadId, op: Op) -> Action {
        let object = match op {
            Op::Join => ObjectId::thread(A),
            _ => ObjectId(0x1000),
        };
        Action::on(thread, op, object)
    }

    fn event(action: Action, outcome: Outcome) -> Event {
        Event {
            action,
            context: ContextId(0),
            alternative: 0,
            alternatives: 1,
            outcome,
            completes: false,
            silent: selvedge_model::Silent::No,
        }
    }

    fn pending(action: Action) -> Pending {
        Pending {
            action,
            status: Status::Enabled,
            alternatives: 1,
        }
    }

    /// Three threads, after a step that wrote there.
    fn wrote(addresses: &[u64]) -> Fake {
        let access = |&address: &u64| Access {
            address,
            context: ContextId(0),
            stmt: StmtId(7),
            size: 4,
            write: true,
            order: MemoryOrder::NotAtomic,
        };
        Fake {
            pending: vec![pending(action(A, Op::Yield)); 3],
            accesses: addresses.iter().map(access).collect(),
        }
    }

    fn digest(floating: &Floating) -> Digest {
        floating.digest(|thread| thread)
    }

    #[test]
    fn an_access_floats_until_others_may_learn_of_it() {
        let mut floating = Floating::default();
        let none = digest(&floating);
        let follow = |floating: &mut Floating, op, addresses: &[u64], steps| {
            floating.follow(&wrote(addresses), &event(action(A, op), Outcome::Done), steps);
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
        floating.follow(&wrote(&[8]), &event(action(A, Op::Lock), Outcome::Done), 1);
        let one = digest(&floating);
        floating.follow(&wrote(&[]), &event(action(A, Op::Unlock), Outcome::Incomplete), 2);
        assert_eq!(digest(&floating), one);
    }

    #[test]
    fn who_joins_a_thread_learns_what_it_floated() {
        let mut floating = Floating::default();
        let none = digest(&floating);
        floating.follow(&wrote(&[8]), &event(action(A, Op::Lock), Outcome::Done), 1);
        let one = digest(&floating);
        assert!(!floating.goes_first(&wrote(&[]), &pending(action(B, Op::Join))));
        floating.follow(&wrote(&[]), &event(action(B, Op::Join), Outcome::Done), 2);
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
        floating.follow(&wrote(&[8]), &event(action(A, Op::Lock), Outcome::Done), 1);
        for op in [Op::Unlock, Op::Spawn, Op::Exit] {
            assert!(!first(&floating, A, op), "{op:?}");
            assert!(first(&floating, B, op), "{op:?}");
        }
        assert!(first(&floating, A, Op::Yield));
    }

    #[test]
    fn who_has_joined_all_knows_all() {
        let (mut floating, machine) = (Floating::default(), wrote(&[]));
        assert!(!floating.knows_all(&machine, B));
        floating.follow(&machine, &event(action(B, Op::Join), Outcome::Done), 1);
        assert!(!floating.knows_all(&machine, B));
        floating.follow(&machine, &event(action(B, Op::Join), Outcome::Done), 2);
        assert!(floating.knows_all(&machine, B));
        assert!(!floating.knows_all(&machine, A));
        floating.undo(1);
        assert!(!floating.knows_all(&machine, B));
    }

    /// Whether an event is one of which everything needed is known.
    fn holds(op: Op, order: MemoryOrder, outcome: Outcome) -> bool {
        let action = Action {
            order,
            size: 4,
            ..action(A, op)
        };
        Synchronised::default().holds(&wrote(&[]), &event(action, outcome))
    }

    #[test]
    fn what_is_needed_and_not_known_is_seen() {
        use MemoryOrder::{AcqRel, Acquire, NotAtomic, Relaxed, Release, SeqCst};
        let done = |op, order| holds(op, order, Outcome::Done);
        for (op, order) in [
            (Op::Read, Acquire),
            (Op::Read, SeqCst),
            (Op::Read, NotAtomic),
            (Op::Write, Release),
            (Op::Write, SeqCst),
            (Op::Rmw, AcqRel),
            (Op::Lock, NotAtomic),
            (Op::TryLock, NotAtomic),
            (Op::SemWait, NotAtomic),
            (Op::Signal, NotAtomic),
            (Op::Broadcast, NotAtomic),
            (Op::BarrierArrive, NotAtomic),
            (Op::TimedLock, NotAtomic),
        ] {
            assert!(done(op, order), "{op:?} {order:?}");
        }
        for (op, order) in [
            (Op::Read, Relaxed),
            (Op::Write, Relaxed),
            (Op::Rmw, Acquire),
            (Op::Rmw, Release),
            (Op::Rmw, Relaxed),
            (Op::WaitTimeout, NotAtomic),
            (Op::BadUnlock, NotAtomic),
            (Op::SemGetValue, NotAtomic),
            (Op::Cancel, NotAtomic),
            (Op::AtomicBlock, NotAtomic),
            (Op::Hidden, NotAtomic),
            // Others are there.
            (Op::Init, NotAtomic),
            (Op::Destroy, NotAtomic),
        ] {
            assert!(!done(op, order), "{op:?} {order:?}");
        }
        for op in [
            Op::TryLock,
            Op::TimedLock,
            Op::TryRdLock,
            Op::SpinTryLock,
            Op::SemTryWait,
            Op::SemPost,
        ] {
            assert!(!holds(op, NotAtomic, Outcome::Failed), "{op:?}");
        }
        // Which order a failed compare-and-swap has, its access says.
        assert!(!holds(Op::Rmw, SeqCst, Outcome::Failed));
    }

    #[test]
    fn places_of_synchronisation_that_are_accessed_plainly_are_seen() {
        let post = event(action(A, Op::SemPost), Outcome::Done);
        let (near, far) = (wrote(&[0x1004]), wrote(&[0x2000]));
        let none = wrote(&[]);
        let mut synchronised = Synchronised::default();
        assert!(synchronised.holds(&none, &post));
        assert!(synchronised.holds(&far, &event(action(B, Op::Yield), Outcome::Done)));
        assert!(!synchronised.holds(&near, &event(Action::new(B, Op::Yield), Outcome::Done)));
        let mut other_order = Synchronised::default();
        assert!(other_order.holds(&near, &event(Action::new(B, Op::Yield), Outcome::Done)));
        assert!(!other_order.holds(&none, &post));
    }
}
