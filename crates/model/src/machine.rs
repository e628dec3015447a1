//! The traits that machines implement.

use crate::{Access, Action, Choice, Event, Input, Notice, ObjectId, Part, Waiters};
use selvedge_base::{ContextId, Digest, Location, StmtId, ThreadId};
use smallvec::SmallVec;

/// The threads for all of which another thread waits, in ascending order.
pub type WaitsFor = SmallVec<[ThreadId; 2]>;

/// Whether a thread can move, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It can move.
    Enabled,
    /// It waits for another thread.
    Blocked,
    /// It could move, but this is not explored, for one of three reasons. It has to leave the turn
    /// to an identical thread: an execution in which it moves is one in which that thread does, by
    /// another name ([`Machine::takes_turns`]). Or it would go once round a loop without an effect:
    /// what comes after that comes without it, too ([`Machine::may_wait`]). Or it is blocked, and
    /// would run the handler of a signal first: where the signal came earlier, it has. So it is no
    /// part of a deadlock, and an execution that ends like this has not come to its end.
    Held,
    /// It has ended.
    Finished,
    /// It will never move again, and this is no deadlock. The reason is a false assumption, a fault
    /// of its own, a limit, or something unsupported. The other threads go on.
    Parked,
}

/// The next visible action of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The action. For finished and parked threads it is the last action.
    pub action: Action,
    /// Whether the action can be taken.
    pub status: Status,
    /// The number of alternatives; at least 1 if the action is enabled.
    pub alternatives: u16,
}

impl Status {
    /// Whether the thread may do something yet: it is neither finished nor parked.
    #[inline]
    pub const fn is_alive(self) -> bool {
        matches!(self, Status::Enabled | Status::Blocked | Status::Held)
    }
}

impl Pending {
    /// True if the thread can move.
    #[inline]
    pub const fn is_enabled(&self) -> bool {
        matches!(self.status, Status::Enabled)
    }
}

/// The enabled and the blocked threads of at most 64 threads, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Standing {
    /// The enabled threads.
    pub enabled: u64,
    /// The threads that are blocked or held.
    pub blocked: u64,
}

impl Standing {
    /// Computes the sets from pending actions; `None` if there are more threads than bits.
    pub fn of(pending: &[Pending]) -> Option<Standing> {
        let bits = |is: fn(Status) -> bool| {
            let threads = pending.iter().enumerate();
            threads.fold(0, |bits, (i, p)| bits | u64::from(is(p.status)) << i)
        };
        (pending.len() <= 64).then(|| Standing {
            enabled: bits(|status| status == Status::Enabled),
            blocked: bits(|status| matches!(status, Status::Blocked | Status::Held)),
        })
    }
}

/// A concurrent system in one state. It is deterministic: the same choices from the initial state
/// give the same events, addresses and thread numbers.
pub trait Machine {
    /// For each thread created so far, by number, its next action.
    fn pending(&self) -> &[Pending];

    /// The enabled and blocked threads of [`pending`](Machine::pending), if the machine keeps these
    /// sets.
    #[inline]
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// Takes a step.
    ///
    /// # Panics
    /// If the chosen thread is not enabled or has no such alternative.
    fn step(&mut self, choice: Choice) -> Event;

    /// The accesses that the last step made to memory, without the action itself.
    fn accesses(&self) -> &[Access];

    /// The further visible actions within the last step, in order. A machine that returns any
    /// guarantees the properties of [`Part`]. It also guarantees that after a `Join` among them the
    /// thread does nothing on which other threads depend.
    fn parts(&self) -> &[Part] {
        &[]
    }

    /// The reports of the last step: faults, unsupported features, limits. After construction: the
    /// reports about the initial state.
    fn notices(&self) -> &[Notice];

    /// The members of a set of threads in an [`Outcome`](crate::Outcome).
    fn waiters(&self, set: Waiters) -> &[ThreadId];

    /// The decision of an alternative of a pending action, as a number that is the same wherever
    /// the same event occurs. It is 0 if the outcome determines the decision, but never 0 for data
    /// choices. The index of an alternative is not enough, because alternatives are numbered in
    /// each state anew.
    fn decision(&self, choice: Choice) -> u128 {
        u128::from(choice.alternative)
    }

    /// True if the thread's last action is incomplete until its pending data choice is taken. No
    /// other thread may run in between.
    fn is_incomplete(&self, _thread: ThreadId) -> bool {
        false
    }

    /// True if in every continuation, before the thread's next action is taken, no other thread
    /// performs an action that is dependent on it. Then {thread} is a persistent set (Godefroid
    /// 1996), and an explorer may consider this thread alone.
    fn goes_first(&self, thread: ThreadId) -> bool {
        self.pending()[selvedge_base::Id::index(thread)].action.is_local()
    }

    /// True if a release sequence goes on through read-modify-writes only, as in C++20 and Rust
    /// (P0982R1). Otherwise it goes on through other stores of its thread, too, as in C11.
    #[inline]
    fn has_short_release_sequences(&self) -> bool {
        false
    }

    /// True if an action is an access to an element of an array: its address was computed with an
    /// index, or lies in an array by the type of its object. Only statistics ask.
    fn is_of_element(&self, _action: &Action) -> bool {
        false
    }

    /// True if in some continuation another thread may make an access that conflicts with one of
    /// `accesses` before `thread` moves, or may access bytes of one of `operations` other than by
    /// an operation on a synchronisation object that exists.
    fn may_meet(&self, _thread: ThreadId, _accesses: &[Access], _operations: &[Access]) -> bool {
        true
    }

    /// True if the last step changed these bytes of memory. A machine that does not know returns
    /// true.
    fn has_changed(&self, _object: ObjectId, _size: u64) -> bool {
        true
    }

    /// True if a plain access that matters to other threads is an action of its own. If not,
    /// several may be part of one step, and nothing that explorations conclude about them holds
    /// where they are in a data race.
    fn interleaves_plain(&self) -> bool {
        false
    }

    /// True if the control flow of a thread's functions leads from its present position to its end.
    /// A thread that runs a server loop for ever has no such path. A machine that does not know
    /// returns true.
    fn may_end(&self, _thread: ThreadId) -> bool {
        true
    }

    /// True if a thread has looked, in its last step, at a time that the machine does not let pass.
    /// So it does not wait for ever where it comes back to the same state.
    fn waits_for_time(&self, _thread: ThreadId) -> bool {
        false
    }

    /// Whether a thread that is about to do this may have to leave the turn to identical threads
    /// ([`Status::Held`]). All actions of identical threads for which that holds are dependent on
    /// each other: they write one object, or take one lock.
    fn takes_turns(&self, _action: &Action) -> bool {
        false
    }

    /// Tells the machine that an explorer cannot decide something because a thread is held
    /// ([`Status::Held`]). The exploration has to be made again without that.
    fn refuse_turns(&self) {}

    /// Whether the next action of a thread may be held because it completes a round of a loop
    /// without an effect. This follows from the thread's own past. Whether it is held depends on
    /// the bytes that the action uses, and on nothing else that other threads may change.
    fn may_wait(&self, _thread: ThreadId) -> bool {
        false
    }

    /// The same where only threads that are held in loops are concerned
    /// ([`may_wait`](Machine::may_wait)).
    fn refuse_awaits(&self) {}

    /// Lets each thread that is held in a loop complete its round, and holds no such thread until
    /// an earlier mark is returned to. False if there is none; then nothing has changed.
    fn complete_rounds(&mut self) -> bool {
        false
    }

    /// Where no thread is enabled: whether each thread that is held in a loop goes round for ever
    /// if no other thread moves, or this was not found out. If one of them does not, it has read
    /// something old in its round, and executions without the round show what follows.
    fn goes_round_for_ever(&mut self) -> bool {
        false
    }

    /// Adds the machine's counts of its own work to the totals that outlive it, and resets them.
    fn publish_counts(&mut self) {}

    /// Drops the counts that [`publish_counts`](Machine::publish_counts) would add, because the
    /// same work was counted earlier.
    fn drop_counts(&mut self) {}

    /// The threads for which a blocked thread waits: it waits for *each* of them, because they hold
    /// what it needs or must end first. Empty if it is not blocked, or if any thread could unblock
    /// it. Used to find wait-for cycles.
    fn waits_for(&self, thread: ThreadId) -> WaitsFor;
}

/// A machine that can undo steps, as depth-first search needs.
pub trait Undo: Machine {
    /// A position in the undo log.
    type Mark: Copy;
    /// The present position in the undo log.
    fn mark(&mut self) -> Self::Mark;
    /// Returns to a mark taken earlier on this path. Marks taken after it become invalid.
    /// `accesses` and `notices` are empty afterwards.
    fn undo(&mut self, mark: Self::Mark);
}

/// A machine whose states can be saved and restored in any order: the oracle for `Undo`.
#[cfg(feature = "laboratory")]
pub trait Snapshot: Machine {
    /// A saved state. Copying it is cheap (copy-on-write).
    type State: Clone;
    /// Saves the present state.
    fn save(&mut self) -> Self::State;
    /// Restores a saved state. The undo log is empty afterwards.
    fn restore(&mut self, state: &Self::State);
}

/// A machine that hashes its state incrementally.
///
/// A fingerprint is the *sum* of the digests of the state's fragments. The change that an event
/// makes is a difference, and differences can be summed in any order. The sum is used rather than
/// XOR because several threads may contribute to one value: the sum of their contributions is that
/// value, whichever thread added which part.
pub trait Fingerprint: Machine {
    /// The hash of the present state. Equal states have equal fingerprints, however they were
    /// reached.
    fn fingerprint(&self) -> Digest;
    /// The event's contribution: the new minus the old hashes of all state fragments that the last
    /// step changed. It depends on the event alone (its action, its outcome, its causes), not on
    /// independent events that came before it.
    fn delta(&self) -> Digest;
    /// Tells the machine that fingerprints are not needed any more, so it need not update them.
    fn stop_fingerprints(&mut self) {}
    /// The value of `fingerprint`, computed from the whole state: the oracle of the incremental
    /// one.
    fn fingerprint_from_scratch(&self) -> Digest;
    /// True if the present state contains inputs that may have several values. Then
    /// [`without_names`](Self::without_names) is needed.
    fn has_inputs(&self) -> bool {
        false
    }
    /// The value to add to the fingerprint so that two states have the same sum if they differ only
    /// in the names of their inputs, or in inputs on which nothing depends any more. This value is
    /// not a sum of the events' contributions.
    fn without_names(&self) -> Digest {
        Digest::EMPTY
    }
}

/// Readable names, for reports.
pub trait Describe: Machine {
    /// The place of a statement.
    fn location(&self, stmt: StmtId) -> Location;
    /// The call stack of a context, innermost caller first, without the statement itself.
    fn stack(&self, context: ContextId) -> Vec<Location>;
    /// The innermost place in the program's own code from which a statement was executed: the place
    /// of the statement itself, unless that is in a system header.
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
    /// The name of a number of bytes at an object: the smallest part of the object that contains
    /// them.
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
