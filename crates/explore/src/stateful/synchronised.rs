//! Whether everything that an event needs of other threads comes before it by happens-before. Then
//! the accesses that float are all of the past that counts for data races (`floating.rs`).

use super::floating::{By, Float, Floating};
use rustc_hash::FxHashSet;
use selvedge_model::{Access, Action, Event, Machine, MemoryOrder, ObjectId, Op, Outcome};
use smallvec::SmallVec;

/// Places in memory, by address divided by 8.
pub(super) type Places = FxHashSet<u64>;

/// What an event does to synchronisation objects, as far as this floats.
pub(super) type Operations = SmallVec<[Float; 2]>;

/// Why floating accesses are not enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lacks {
    /// Operations on these objects should have floated.
    Operations,
    /// Of an operation on an object and a set-up of it, neither knows the other.
    Order,
    /// An event needs something else that it does not know.
    Knowledge,
}

impl Lacks {
    /// True if this event lacks something because objects begin and end beside other threads.
    pub(super) fn is_of_set_up(self, event: &Event) -> bool {
        match self {
            Lacks::Order => true,
            Lacks::Operations => matches!(event.action.op, Op::Init | Op::Destroy),
            Lacks::Knowledge => false,
        }
    }
}

/// What the events of a search access.
#[derive(Debug, Default)]
pub(super) struct Synchronised {
    /// Where objects were used by operations that did not float.
    used: Places,
    /// Where objects were used by operations that floated.
    watched: Places,
    /// Where memory was accessed plainly, or objects were set up, beside other threads. Operations
    /// there float.
    mixed: Places,
    /// Where memory was accessed atomically.
    atomic: Places,
}

/// The places of these bytes.
fn places(address: u64, size: u64) -> std::ops::RangeInclusive<u64> {
    address >> 3..=address.saturating_add(size.max(1) - 1) >> 3
}

fn any(set: &Places, (address, size): (u64, u64)) -> bool {
    !set.is_empty() && places(address, size).any(|place| set.contains(&place))
}

/// The objects in memory on which an action operates: address and size.
fn objects(action: &Action) -> SmallVec<[(u64, u64); 2]> {
    let mut objects = SmallVec::new();
    if action.is_memory() {
        return objects;
    }
    let in_memory = |object: ObjectId| object.is_address() && object != ObjectId::NONE;
    if in_memory(action.object) {
        objects.push((action.object.0, action.object_size().max(1)));
    }
    let waits = matches!(action.op, Op::WaitRelease | Op::WaitAcquire);
    if waits && in_memory(action.object2) {
        objects.push((action.object2.0, MUTEX_SIZE));
    }
    objects
}

/// The size of a mutex in bytes, on x86-64 Linux.
const MUTEX_SIZE: u64 = 40;

impl Synchronised {
    /// Nothing was accessed yet. Operations on objects in these places float.
    pub(super) fn watching(mixed: Places) -> Self {
        Synchronised {
            mixed,
            ..Self::default()
        }
    }

    /// The places where operations have to float if those so far should have floated.
    pub(super) fn places(&self) -> Places {
        &self.mixed | &self.used
    }

    /// Follows an event before it is added to what floats. Returns what floats of it besides its
    /// accesses, or why this is not enough.
    pub(super) fn follow<M: Machine>(
        &mut self,
        machine: &M,
        event: &Event,
        floating: &Floating,
    ) -> Result<Operations, Lacks> {
        if !knows_what_it_needs(machine, event) {
            return Err(Lacks::Knowledge);
        }
        let action = &event.action;
        if action.is_memory() {
            let plain = action.order == MemoryOrder::NotAtomic;
            self.access(action.object.0, action.object_size(), plain)?;
        }
        for access in machine.accesses().iter().filter(|a| !a.is_fence()) {
            let plain = access.order == MemoryOrder::NotAtomic;
            self.access(access.address, u64::from(access.size), plain)?;
        }
        let by = match action.op {
            Op::Init | Op::Destroy => By::SetUp,
            _ => By::Operation,
        };
        let mut operations = Operations::new();
        for object in objects(action) {
            let float = Float::operation(event, object, by);
            if floating
                .of_others(action.thread)
                .any(|other| other.sets_up(&float))
            {
                return Err(Lacks::Order);
            }
            if self.operate(object, by)? {
                operations.push(float);
            }
        }
        Ok(operations)
    }

    /// An access to memory. It floats, and races with operations on the same bytes.
    fn access(&mut self, address: u64, size: u64, plain: bool) -> Result<(), Lacks> {
        let bytes = (address, size);
        if !plain {
            self.atomic.extend(places(address, size));
            return match any(&self.used, bytes) || any(&self.watched, bytes) {
                true => Err(Lacks::Knowledge), // the detector looks for no race of these
                false => Ok(()),
            };
        }
        self.mixed.extend(places(address, size));
        match any(&self.used, bytes) {
            true => Err(Lacks::Operations),
            false => Ok(()),
        }
    }

    /// An operation on an object. Returns true if it floats.
    fn operate(&mut self, object: (u64, u64), by: By) -> Result<bool, Lacks> {
        let (address, size) = object;
        if any(&self.atomic, object) {
            return Err(Lacks::Knowledge);
        }
        if by == By::SetUp {
            self.mixed.extend(places(address, size));
            if any(&self.used, object) {
                return Err(Lacks::Operations);
            }
        }
        let floats = any(&self.mixed, object);
        let set = match floats {
            true => &mut self.watched,
            false => &mut self.used,
        };
        set.extend(places(address, size));
        Ok(floats)
    }
}

/// True if everything that the event needs of other threads comes before it by happens-before,
/// apart from the life of the object on which it operates.
fn knows_what_it_needs<M: Machine>(machine: &M, event: &Event) -> bool {
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
        // Which threads wait at a signal need not come before it: see `floating.rs`.
        Op::WaitRelease | Op::WaitAcquire | Op::Signal | Op::Broadcast => true,
        Op::OnceEnter | Op::OnceDone => true,
        // The operations before it are looked for among what floats. The end of allocated memory
        // writes all of it.
        Op::Init | Op::Destroy => true,
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
        // It acquires from all blocks of its class before it.
        Op::AtomicBlock => machine.accesses().iter().all(is_known),
        Op::ProcessExit => machine.accesses().is_empty(),
        _ => false,
    };
    told && !action.cancelable && machine.parts().is_empty()
}

/// True if an access acquires from what it reads, or releases what it writes.
fn is_known(access: &Access) -> bool {
    match access.write {
        _ if access.order == MemoryOrder::NotAtomic => true,
        true => access.order.releases(),
        false => access.order.acquires(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{A, B, action, event, wrote};
    use super::*;
    use selvedge_base::ThreadId;

    /// Whether an event is one of which everything needed is known.
    fn holds(op: Op, order: MemoryOrder, outcome: Outcome) -> bool {
        let action = Action {
            order,
            size: 4,
            ..action(A, op)
        };
        let nothing = Floating::default();
        Synchronised::default()
            .follow(&wrote(&[]), &event(action, outcome), &nothing)
            .is_ok()
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
            (Op::AtomicBlock, NotAtomic),
            (Op::Init, NotAtomic),
            (Op::Destroy, NotAtomic),
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
            (Op::Hidden, NotAtomic),
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

    /// Follows events one after the other: what came of each.
    fn follow(events: &[(ThreadId, Op, &[u64])], mixed: &[u64]) -> Vec<Result<usize, Lacks>> {
        let mut synchronised = Synchronised::watching(mixed.iter().copied().collect());
        let mut floating = Floating::default();
        let events = events.iter().enumerate();
        events
            .map(|(steps, &(thread, op, addresses))| {
                let (machine, event) = (wrote(addresses), event(action(thread, op), Outcome::Done));
                let operations = synchronised.follow(&machine, &event, &floating)?;
                floating.follow(&machine, &event, &operations, steps + 1);
                Ok(operations.len())
            })
            .collect()
    }

    #[test]
    fn operations_float_where_memory_is_accessed_plainly_too() {
        let (near, far) = (&[0x1004][..], &[0x2000][..]);
        let post = (A, Op::SemPost, &[][..]);
        assert_eq!(
            follow(&[post, (B, Op::Yield, far), (B, Op::Yield, near)], &[]),
            [Ok(0), Ok(0), Err(Lacks::Operations)]
        );
        assert_eq!(follow(&[(B, Op::Yield, near), post], &[]), [Ok(0), Ok(1)]);
        assert_eq!(
            follow(&[post, (B, Op::Yield, near)], &[0x1000 >> 3]),
            [Ok(1), Ok(0)]
        );
    }

    #[test]
    fn operations_float_where_objects_are_set_up() {
        let (lock, unlock) = ((A, Op::Lock, &[][..]), (A, Op::Unlock, &[][..]));
        let (init, destroy) = ((A, Op::Init, &[][..]), (A, Op::Destroy, &[][..]));
        assert_eq!(follow(&[init, lock, unlock, destroy], &[]), [Ok(1); 4]);
        assert_eq!(
            follow(&[lock, unlock, destroy], &[]),
            [Ok(0), Ok(0), Err(Lacks::Operations)]
        );
    }

    #[test]
    fn who_does_not_know_of_a_set_up_is_found() {
        let unordered = Err(Lacks::Order);
        let of = |thread, op| (thread, op, &[][..]);
        assert_eq!(
            follow(&[of(A, Op::Init), of(B, Op::Lock)], &[]),
            [Ok(1), unordered]
        );
        let others = [of(A, Op::Init), of(A, Op::Lock), of(B, Op::Destroy)];
        assert_eq!(follow(&others, &[]), [Ok(1), Ok(1), unordered]);
        // Operations of which neither sets anything up need no order.
        let posts = [of(A, Op::SemPost), of(B, Op::SemPost)];
        assert_eq!(follow(&posts, &[0x1000 >> 3]), [Ok(1), Ok(1)]);
    }

    #[test]
    fn objects_whose_bytes_are_accessed_atomically_are_seen() {
        let mut access = wrote(&[0x1004]);
        access.accesses[0].order = MemoryOrder::SeqCst;
        let (post, other) = (
            event(action(A, Op::SemPost), Outcome::Done),
            event(action(B, Op::Yield), Outcome::Done),
        );
        let nothing = Floating::default();
        for mixed in [Places::default(), [0x1000 >> 3].into_iter().collect()] {
            let mut synchronised = Synchronised::watching(mixed);
            assert!(synchronised.follow(&wrote(&[]), &post, &nothing).is_ok());
            assert!(synchronised.follow(&access, &other, &nothing).is_err());
        }
        let mut synchronised = Synchronised::default();
        assert!(synchronised.follow(&access, &other, &nothing).is_ok());
        assert!(synchronised.follow(&wrote(&[]), &post, &nothing).is_err());
    }
}
