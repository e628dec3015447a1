//! The traits that machines implement.

use crate::{Access, Action, Choice, Event, Input, Notice, ObjectId, Part, Waiters};
use selvedge_base::{ContextId, Digest, Location, StmtId, ThreadId};
use smallvec::SmallVec;

/// Threads for all of which another one waits, in ascending order.
pub type WaitsFor = SmallVec<[ThreadId; 2]>;

/// What stands in the way of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It can move.
    Enabled,
    /// It waits for another thread.
    Blocked,
    /// It has ended.
    Finished,
    /// It will never move again, and that is no deadlock: a false assumption, a fault of its own, a
    /// limit, or something unsupported. The others run on.
    Parked,
}

/// The next visible action of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The action; for finished and parked threads the last one.
    pub action: Action,
    /// Whether it can be taken.
    pub status: Status,
    /// How many alternatives it has: at least 1 if enabled.
    pub alternatives: u16,
}

impl Pending {
    /// Whether the thread can move.
    #[inline]
    pub const fn is_enabled(&self) -> bool {
        matches!(self.status, Status::Enabled)
    }
}

/// Which of the threads, of which there are at most 64, can move and which wait; one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Standing {
    /// Those that are enabled.
    pub enabled: u64,
    /// Those that are blocked.
    pub blocked: u64,
}

impl Standing {
    /// What pending actions say; `None` for more threads than there are bits.
    pub fn of(pending: &[Pending]) -> Option<Standing> {
        let bits = |status: Status| {
            let threads = pending.iter().enumerate();
            threads.fold(0, |bits, (i, p)| bits | u64::from(p.status == status) << i)
        };
        (pending.len() <= 64).then(|| Standing {
            enabled: bits(Status::Enabled),
            blocked: bits(Status::Blocked),
        })
    }
}

/// A concurrent system, standing at one state. Deterministic: the same choices from the initial
/// state give the same events, addresses and thread numbers.
pub trait Machine {
    /// Each thread created so far, by number, with its next action.
    fn pending(&self) -> &[Pending];

    /// What [`pending`](Machine::pending) says of all threads at once, if the machine has that at
    /// hand.
    #[inline]
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// Takes a step.
    ///
    /// # Panics
    /// If the chosen thread is not enabled or has no such alternative.
    fn step(&mut self, choice: Choice) -> Event;

    /// The accesses that the last step made to memory, not counting the action itself.
    fn accesses(&self) -> &[Access];

    /// The further visible actions within the last step, in their order. A machine that has any
    /// promises what [`Part`] says of them; and that the thread does nothing that others depend on
    /// after a `Join` among them.
    fn parts(&self) -> &[Part] {
        &[]
    }

    /// What the last step had to report: faults, unsupported things, limits. After construction:
    /// what the initial state reports.
    fn notices(&self) -> &[Notice];

    /// The members of a set in an [`Outcome`](crate::Outcome).
    fn waiters(&self, set: Waiters) -> &[ThreadId];

    /// What an alternative of a pending action decides, as a number that is the same wherever the
    /// same event is met; 0 where the outcome tells, for data choices never. Alternatives are
    /// numbered at each state anew: what is the third here may be the second elsewhere.
    fn decision(&self, choice: Choice) -> u128 {
        u128::from(choice.alternative)
    }

    /// Whether the last action of a thread, which now stands at a data choice, has its effect only
    /// with that choice: until then others must not come between.
    fn is_incomplete(&self, _thread: ThreadId) -> bool {
        false
    }

    /// Whether, in every continuation, no other thread does anything dependent on a thread's next
    /// action before it is taken: an explorer may consider that thread alone (a persistent set,
    /// Godefroid 1996).
    fn goes_first(&self, thread: ThreadId) -> bool {
        self.pending()[selvedge_base::Id::index(thread)].action.is_local()
    }

    /// Whether, in some continuation, another thread may make an access that conflicts with one of
    /// these before a thread moves.
    fn may_meet(&self, _thread: ThreadId, _accesses: &[Access]) -> bool {
        true
    }

    /// Whether the last step left some bytes of memory other than it found them. A machine that
    /// does not know says so.
    fn has_changed(&self, _object: ObjectId, _size: u64) -> bool {
        true
    }

    /// Whether the end of a thread can be reached from where it stands, as far as the control flow
    /// of its functions goes: a thread that serves for ever has none. A machine that does not know
    /// says that it can.
    fn may_end(&self, _thread: ThreadId) -> bool {
        true
    }

    /// Adds what the machine has counted of its own work since it was made, or since the last call,
    /// to the counts that outlive it.
    fn publish_counts(&mut self) {}

    /// Forgets what [`publish_counts`](Machine::publish_counts) would add: that work was counted
    /// before, when it was done first.
    fn drop_counts(&mut self) {}

    /// The threads for *each* of which a blocked thread waits: those that hold what it needs, or
    /// that must end first. Empty if it is not blocked, or anybody could let it go on. For wait-for
    /// cycles.
    fn waits_for(&self, thread: ThreadId) -> WaitsFor;
}

/// A machine that can go back: what depth-first search needs.
pub trait Undo: Machine {
    /// A position in the undo log.
    type Mark: Copy;
    /// The present position.
    fn mark(&mut self) -> Self::Mark;
    /// Goes back to a position taken earlier on this path. Marks taken after it become invalid.
    /// `accesses` and `notices` are empty afterwards.
    fn undo(&mut self, mark: Self::Mark);
}

/// A machine whose state can be kept and returned to in any order: the oracle of going back.
#[cfg(feature = "laboratory")]
pub trait Snapshot: Machine {
    /// A kept state; cheap (copy-on-write).
    type State: Clone;
    /// Keeps the present state.
    fn save(&mut self) -> Self::State;
    /// Returns to a kept state. The undo log is empty afterwards.
    fn restore(&mut self, state: &Self::State);
}

/// A machine that hashes its state incrementally.
///
/// A fingerprint is the *sum* of the digests of the state's fragments (not their XOR: so the shares
/// that several threads have in one value add up to that value, whoever added them). What an event
/// changes is a difference, and differences are summed in any order.
pub trait Fingerprint: Machine {
    /// Hash of the present state: equal states have equal fingerprints, in whatever order they were
    /// reached.
    fn fingerprint(&self) -> Digest;
    /// New minus old hashes of all state fragments that the last step changed: the event's
    /// contribution. It depends on the event alone (its action, its outcome, its causes), not on
    /// independent events that came before it.
    fn delta(&self) -> Digest;
    /// From now on nobody asks for fingerprints: the machine need not keep them up to date.
    fn stop_fingerprints(&mut self) {}
    /// The same as `fingerprint`, computed from the whole state: the oracle of the incremental one.
    fn fingerprint_from_scratch(&self) -> Digest;
    /// Whether the present state has inputs that may have any value: what
    /// [`without_names`](Self::without_names) is for.
    fn has_inputs(&self) -> bool {
        false
    }
    /// What has to be added to the fingerprint so that states that differ only in the names of
    /// their inputs, and in inputs on which nothing depends any more, have the same. Not the sum of
    /// what events contribute.
    fn without_names(&self) -> Digest {
        Digest::EMPTY
    }
}

/// Names for people: what reports need of a machine.
pub trait Describe: Machine {
    /// The place of a statement.
    fn location(&self, stmt: StmtId) -> Location;
    /// The call stack of a context, innermost caller first, without the statement itself.
    fn stack(&self, context: ContextId) -> Vec<Location>;
    /// The innermost place of the program itself from which a statement was executed: that of the
    /// statement, unless it is in a header of the system.
    fn own_location(&self, stmt: StmtId, context: ContextId) -> Location {
        let at = self.location(stmt);
        if !at.is_of_system() {
            return at;
        }
        let own = self
            .stack(context)
            .into_iter()
            .find(|place| !place.is_of_system());
        own.unwrap_or(at)
    }
    /// The hierarchical name of a thread: `0`, `0.2`.
    fn thread_name(&self, thread: ThreadId) -> String;
    /// The name of an object: `&lock`, `heap object allocated at file.c:12 + 8`.
    fn object_name(&self, object: ObjectId) -> String;
    /// The name of so many bytes at an object: of the smallest part that has them all.
    fn bytes_name(&self, object: ObjectId, _bytes: u64) -> String {
        self.object_name(object)
    }
    /// An action in one line: `pthread_mutex_lock(&lock)`.
    fn action_text(&self, action: &Action) -> String;
    /// The value of `size` bytes at an object now, as the source would write it; `None` if it is
    /// not known, or no single value.
    fn value(&self, _object: ObjectId, _size: u32) -> Option<String> {
        None
    }
    /// The function that a thread runs; empty if that is not known.
    fn routine(&self, _thread: ThreadId) -> String {
        String::new()
    }
    /// What the program calls a thread (`pthread_setname_np`); empty if it has not named it.
    fn label(&self, _thread: ThreadId) -> String {
        String::new()
    }
    /// The locks that a thread holds now, with the statement and context where each was taken.
    fn locks_held(&self, thread: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)>;
    /// Why a thread does not move, for people: `waits for mutex &lock, held by thread 0.1`.
    fn blocked_on(&self, thread: ThreadId) -> String;
    /// The calling context of the thread's pending action.
    fn pending_context(&self, thread: ThreadId) -> ContextId;
    /// What the program printed so far; what depends on inputs as [`inputs`](Self::inputs) has
    /// them.
    fn output(&self) -> Vec<u8>;
    /// The inputs of the present path, under an assignment that satisfies everything assumed and
    /// branched on so far: those of one thread in the order in which it asked for them. The same
    /// assignment for as long as the machine stays at this state.
    fn inputs(&self) -> Vec<Input> {
        Vec::new()
    }
    /// How many inputs were asked for on the present path.
    fn inputs_asked(&self) -> usize {
        self.inputs().len()
    }
    /// The code with which the process has exited (the low 8 bits count), once it has.
    fn exit_code(&self) -> Option<i32> {
        None
    }
}
