//! The dependence relation: which actions must be explored in both orders (docs/algorithms.md,
//! "Operations, not outcomes"). All strategies use one relation. It has two levels.
//!
//! 1. *Tables* say which kinds of uses of one object may not commute. Strategies index past uses by
//!    these kinds. The outcome of an action is not known before the action is taken, so its uses
//!    have a *class* ([`OpClass`]). Two operations are independent only if no pair of their
//!    outcomes conflicts and neither changes the other's set of alternatives. The outcome of an
//!    event is known, so its uses have an *effect* ([`Effect`]), which is finer.
//! 2. *Refinement* decides a pair of uses that the tables relate, by their statements, objects and
//!    outcomes ([`Dependence::refine`]). A relation belongs here if it considers what a statement
//!    can influence, which value is written, or what a critical section contains.
//!
//! If a relation depends on states, it has to store what it needs, by statement or by object. It
//! must not change while an exploration runs. If it learns something, the exploration has to start
//! again.

use crate::{Action, Effect, Op, OpClass, Published};

/// A use of an object by an action or an event.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// The action.
    pub action: &'a Action,
    /// How the action ended. `None` if this is not known, because the action is pending, or if the
    /// answer must hold for every outcome.
    pub ended: Option<Ended>,
    /// The object, as named by [`Action::for_each_use`] and
    /// [`for_each_effect`](crate::for_each_effect).
    pub object: u64,
    /// The used bytes of the object, one bit each.
    pub bytes: u8,
}

/// How an action ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// True if the outcome was [`Outcome::Failed`](crate::Outcome::Failed).
    pub failed: bool,
    /// The decision, if the action had alternatives:
    /// [`Machine::decision`](crate::Machine::decision).
    pub decision: u128,
}

/// A relation that says which pairs of actions must be explored in both orders.
///
/// An implementation gives the tables and the refinement. The methods on whole actions are derived
/// from these, so they cannot disagree with them.
pub trait Dependence {
    /// The classes (as [`OpClass::bit`]s) whose uses of an object may not commute with a use in
    /// `class`. Symmetric.
    fn dependent_classes(&self, class: OpClass) -> u32;
    /// The subset of [`dependent_classes`](Self::dependent_classes) whose uses may be enabled in
    /// the same state as a use in `class`. Returning all dependent classes is always sound. Leaving
    /// out a class is sound only if the two uses are *never* enabled in the same state: the search
    /// does not reverse such a pair, so the order seen in an execution must be the only possible
    /// one.
    fn racing_classes(&self, class: OpClass) -> u32;
    /// The effects (as [`Effect::bit`]s) whose uses of an object by an event may not commute with a
    /// use that has this effect. Symmetric, and no coarser than the relation on classes.
    fn dependent_effects(&self, effect: Effect) -> u32;
    /// True if [`refine`](Self::refine) may return false. If it never does, strategies keep only
    /// the last use of each kind.
    fn refines(&self) -> bool {
        false
    }
    /// True if two uses are dependent. The uses are by different threads and share a byte, and the
    /// tables say that they may not commute. Symmetric. An answer for two pending actions must hold
    /// for all their outcomes; the answer may become finer when the outcomes are known. With
    /// cutoffs, an event's contribution to a state's fingerprint must not depend on events that are
    /// independent of it ([`Fingerprint::delta`](crate::Fingerprint::delta)).
    fn refine(&self, _a: &Use<'_>, _b: &Use<'_>) -> bool {
        true
    }

    /// True if the relation calls two writes of one object independent although a later read may
    /// tell their order ([`Unobserved`]). Then the search has to look at reads.
    fn leaves_writes_to_reads(&self) -> bool {
        false
    }

    /// The relation itself, if it is one by which searches keep to published rules that lose
    /// errors.
    #[inline(always)]
    fn published(&self) -> Option<&Published> {
        None
    }

    /// True if two actions of different threads may not commute. Symmetric.
    #[inline]
    fn dependent(&self, a: &Action, b: &Action) -> bool {
        shares_use(self, a, b, |class| self.dependent_classes(class))
    }
    /// True if two actions of different threads may not commute in a state in which both are
    /// enabled.
    #[inline]
    fn racing(&self, a: &Action, b: &Action) -> bool {
        shares_use(self, a, b, |class| self.racing_classes(class))
    }
}

/// True if the actions use a common object (for memory: a common byte) in classes that `classes`
/// relates, and the refinement does not exclude the pair.
#[inline]
fn shares_use<P: Dependence + ?Sized>(
    relation: &P,
    a: &Action,
    b: &Action,
    classes: impl Fn(OpClass) -> u32,
) -> bool {
    let mut found = false;
    let refines = relation.refines();
    if !refines && a.is_plain() && b.is_plain() {
        // The most frequent case, without loops: each action uses one object as a whole.
        return a.object.0 == b.object.0 && classes(a.op.class()) & b.op.class().bit() != 0;
    }
    if !refines && a.is_memory() && b.is_memory() {
        return a.overlaps(b) && classes(a.op.class()) & b.op.class().bit() != 0;
    }
    a.for_each_use(|object, bytes, class| {
        b.for_each_use(|other, other_bytes, other_class| {
            let use_of = |action, bytes| Use {
                action,
                ended: None,
                object,
                bytes,
            };
            found |= object == other
                && bytes & other_bytes != 0
                && classes(class) & other_class.bit() != 0
                && (!refines || relation.refine(&use_of(a, bytes), &use_of(b, other_bytes)));
        });
    });
    found
}

const ALL_BYTES: u8 = 0xff;

/// The relation `conflict`: two uses of one object are dependent unless both only read it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Conflict;

/// `conflict` without pairs of writes ([`Op::Write`]). The order of two writes matters only if a
/// later read sees the later one. That depends on the future, so this is no relation for strategies
/// with sleep sets.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unobserved;

impl Dependence for Unobserved {
    fn dependent_classes(&self, class: OpClass) -> u32 {
        Conflict.dependent_classes(class)
    }
    fn racing_classes(&self, class: OpClass) -> u32 {
        Conflict.racing_classes(class)
    }
    fn dependent_effects(&self, effect: Effect) -> u32 {
        Conflict.dependent_effects(effect)
    }
    fn refines(&self) -> bool {
        true
    }
    fn refine(&self, a: &Use<'_>, b: &Use<'_>) -> bool {
        !(a.action.op == Op::Write && b.action.op == Op::Write)
    }
    fn leaves_writes_to_reads(&self) -> bool {
        true
    }
}

impl Published {
    /// `classes`, which depend on `class`, with what concerns writes that are independent of each
    /// other.
    const fn with_pruned(class: OpClass, classes: u32) -> u32 {
        let pruned = Published::PRUNED.bit();
        match class {
            OpClass::Read | OpClass::Write | OpClass::Add => classes | pruned,
            Self::PRUNED => {
                (classes | OpClass::Read.bit() | OpClass::Write.bit() | OpClass::Add.bit()) & !pruned
            }
            _ => classes,
        }
    }
}

impl Dependence for Published {
    fn dependent_classes(&self, class: OpClass) -> u32 {
        Published::with_pruned(class, Conflict.dependent_classes(class))
    }
    fn racing_classes(&self, class: OpClass) -> u32 {
        Published::with_pruned(class, Conflict.racing_classes(class))
    }
    fn dependent_effects(&self, effect: Effect) -> u32 {
        Conflict.dependent_effects(effect)
    }
    fn published(&self) -> Option<&Published> {
        Some(self)
    }
}

impl Op {
    /// How the operation uses `Action::object`. The mutex of a wait (`object2`) is used as
    /// `class2`.
    #[inline]
    pub const fn class(self) -> OpClass {
        self.info().class
    }

    /// How the operation uses `Action::object2`.
    #[inline]
    pub const fn class2(self) -> OpClass {
        self.info().class2
    }
}

impl OpClass {
    /// The number of classes.
    pub const COUNT: usize = 22;

    /// All classes, in order.
    #[rustfmt::skip]
    pub const ALL: [OpClass; OpClass::COUNT] = {
        use OpClass::*;
        [Local, Read, Write, Add, Acquire, Release, Try, AcquireShared, ReleaseShared, Wait, Notified, Notify, Arrive, Leave, Post,
         Take, Value, Join, Exit, Cancel, Channel, Total]
    };

    /// The class as a one-bit set.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// True if two uses of one object in these classes may not commute.
    #[inline]
    pub const fn dependent(self, other: OpClass) -> bool {
        use OpClass::*;
        match (self, other) {
            (Local, _) | (_, Local) => false,
            (Read, Read) | (Add, Add) | (Value, Value) | (Post, Post) => false,
            (AcquireShared | ReleaseShared, AcquireShared | ReleaseShared) => false,
            // A notified thread is out of the wait set, so later notifications do not affect it.
            // The notification that woke it names it in its outcome and is ordered before it by
            // that. The same holds for the threads that a barrier releases.
            (Wait | Notified, Wait | Notified) | (Notified, Notify) | (Notify, Notified) => false,
            (Leave, Leave | Arrive) | (Arrive, Leave) => false,
            _ => true,
        }
    }

    /// True if two uses of one object in these classes may be enabled in the same state.
    #[inline]
    pub const fn may_be_coenabled(self, other: OpClass) -> bool {
        use OpClass::*;
        !matches!(
            (self, other),
            (Acquire, Release | ReleaseShared)
                | (Release | ReleaseShared, Acquire)
                | (AcquireShared, Release)
                | (Release, AcquireShared)
                | (Release, Release)
                | (Join, Exit)
                | (Exit, Join)
        )
    }
}

impl Action {
    /// Calls `f` with each object that the action uses, the used bytes, and the class of the use. A
    /// memory access uses the aligned 8-byte granules that it touches, with a mask of the bytes in
    /// each granule. Every other object is used as a whole. Two dependent actions of different
    /// threads share an object here, or one of them is the `Spawn` of the other's thread.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(u64, u8, OpClass)) {
        let class = self.op.class();
        if self.is_memory() {
            self.for_each_granule(self.object.0, class, &mut f);
            if self.object2.0 != 0 {
                f(self.object2.0, ALL_BYTES, OpClass::Read); // the heap object: a `free` of it is a Destroy of the same name
            }
        } else {
            if class as u8 != OpClass::Local as u8 {
                f(self.object.0, ALL_BYTES, class);
                if class as u8 == OpClass::Total as u8 && self.object.is_address() && self.object.0 & 7 != 0 {
                    // Futex words, the flags of once controls and objects under construction are
                    // read as memory, too.
                    f(self.object.0 & !7, ALL_BYTES, class);
                }
            }
            let class2 = self.op.class2();
            if matches!(self.op, Op::FutexWait | Op::WaitReleaseWord) {
                self.for_each_granule(self.object2.0, class2, &mut f);
            } else if class2 as u8 != OpClass::Local as u8 && self.object2.0 != 0 {
                f(self.object2.0, ALL_BYTES, class2);
            }
        }
        if matches!(self.op, Op::WaitRelease | Op::WaitTimeout) && self.object2.0 != 0 {
            self.for_each_binding(&mut f);
        }
        if self.cancelable {
            f(crate::ObjectId::thread(self.thread).0, ALL_BYTES, OpClass::Total);
        }
        if self.blocks.is_some() {
            f(crate::ObjectId::blocks(self.blocks).0, ALL_BYTES, OpClass::Read);
        }
        // This use comes last. A pending action does not have it, because `ends` is not known
        // before the step.
        if self.ends {
            f(crate::ObjectId::thread(self.thread).0, ALL_BYTES, OpClass::Exit);
        }
    }

    /// The granules of the bytes of memory from an address on that the action accesses.
    #[inline]
    fn for_each_granule(&self, address: u64, class: OpClass, f: &mut impl FnMut(u64, u8, OpClass)) {
        let mut granule = address & !7;
        let end = address + u64::from(self.size);
        while granule < end {
            let first = address.max(granule) - granule;
            let last = (end - granule).min(8);
            f(granule, ((0xffu16 << first) & !(0xffffu16 << last)) as u8, class);
            granule += 8;
        }
    }

    /// Two waits on a condition variable with the same mutex commute. Two waits with different
    /// mutexes do not commute, because whether both threads wait at the same time decides whether
    /// there is a misuse. This is encoded in two classes, each of which is independent only of
    /// itself. Each bit of the mutex's address has a byte of a hidden object. The wait uses this
    /// byte as a `Value` if the bit is set, and otherwise as a `Post`. So two waits are independent
    /// exactly if all bits are equal.
    #[inline]
    fn for_each_binding(&self, f: &mut impl FnMut(u64, u8, OpClass)) {
        let mutex = self.object2.0;
        let key = self.object.0 | BINDING;
        for (number, bits) in mutex.to_le_bytes().into_iter().take(ADDRESS_BYTES).enumerate() {
            let key = key ^ (number as u64) << ADDRESS_BITS;
            for (bits, class) in [(bits, OpClass::Value), (!bits, OpClass::Post)] {
                if bits != 0 {
                    f(key, bits, class);
                }
            }
        }
    }

    /// True if the action uses exactly one object, as a whole.
    #[inline]
    const fn is_plain(&self) -> bool {
        !self.is_memory()
            && self.object2.0 == 0
            && !self.cancelable
            && !self.blocks.is_some()
            && !self.ends
            && (self.object.0 & 7 == 0 || !matches!(self.op.class(), OpClass::Total))
    }

    /// The only object that the action uses, as [`Action::for_each_use`] gives it, without the use
    /// for the end of its thread. Nearly all actions have one use. `None` if the action uses
    /// several objects, or none.
    #[inline(always)]
    pub const fn single_use(&self) -> Option<(u64, u8, OpClass)> {
        let class = self.op.class();
        if self.object2.0 != 0
            || self.cancelable
            || self.blocks.is_some()
            || class as u8 == OpClass::Local as u8
        {
            return None;
        }
        let first = self.object.0 & 7;
        if self.is_memory() {
            if self.size == 0 || first + self.size as u64 > 8 {
                return None;
            }
            let bytes = (0xffu8 >> (8 - self.size)) << first;
            return Some((self.object.0 & !7, bytes, class));
        }
        let several = first != 0 && class as u8 == OpClass::Total as u8;
        if several {
            return None;
        }
        Some((self.object.0, ALL_BYTES, class))
    }

    /// True if the action's only use is a use of the given object as a whole in class
    /// [`OpClass::Release`]. The name and bytes are as [`Action::for_each_use`] gives them.
    #[inline(always)]
    pub const fn is_release_of(&self, key: u64, bytes: u8) -> bool {
        self.object.0 == key
            && bytes == ALL_BYTES
            && matches!(self.op.class(), OpClass::Release)
            && self.object2.0 == 0
            && !(self.cancelable | self.blocks.is_some() | self.ends)
    }

    /// True if two memory accesses share a byte.
    #[inline]
    pub const fn overlaps(&self, other: &Action) -> bool {
        self.object.0 < other.object.0 + other.size as u64
            && other.object.0 < self.object.0 + self.size as u64
    }
}

/// Marks the name of a condition variable's binding to a mutex.
const BINDING: u64 = 1 << 60;

/// The number of bits in an object's address; the bits above are free for use in names.
const ADDRESS_BITS: usize = 8 * ADDRESS_BYTES;
const ADDRESS_BYTES: usize = 6;

const fn table(racing: bool) -> [u32; OpClass::COUNT] {
    let mut table = [0; OpClass::COUNT];
    let mut i = 0;
    while i < OpClass::COUNT {
        let mut j = 0;
        while j < OpClass::COUNT {
            let (a, b) = (OpClass::ALL[i], OpClass::ALL[j]);
            if a.dependent(b) && (!racing || a.may_be_coenabled(b)) {
                table[i] |= b.bit();
            }
            j += 1;
        }
        i += 1;
    }
    table
}

static DEPENDENT: [u32; OpClass::COUNT] = table(false);
static RACING: [u32; OpClass::COUNT] = table(true);
static EFFECTS: [u32; Effect::COUNT] = Effect::table();

impl Dependence for Conflict {
    #[inline]
    fn dependent_classes(&self, class: OpClass) -> u32 {
        DEPENDENT[class as usize]
    }
    #[inline]
    fn racing_classes(&self, class: OpClass) -> u32 {
        RACING[class as usize]
    }
    #[inline]
    fn dependent_effects(&self, effect: Effect) -> u32 {
        EFFECTS[effect as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectId;
    use selvedge_base::{Id, ThreadId};

    #[test]
    fn a_release_is_told_as_by_its_uses() {
        let (thread, key) = (ThreadId::from_index(1), 7 << 40);
        let releases = [Op::Unlock, Op::SpinUnlock, Op::WrUnlock];
        let others = [
            Op::Lock,
            Op::Join,
            Op::RdUnlock,
            Op::BadUnlock,
            Op::WaitRelease,
            Op::Read,
        ];
        for op in releases.into_iter().chain(others) {
            let plain = Action {
                size: 8 * u32::from(op == Op::Read),
                ..Action::on(thread, op, ObjectId(key))
            };
            let variants = [
                plain,
                Action {
                    object2: ObjectId(8),
                    ..plain
                },
                Action {
                    cancelable: true,
                    ..plain
                },
                Action {
                    blocks: crate::BlockClass::FIRST,
                    ..plain
                },
                Action { ends: true, ..plain },
            ];
            for action in variants {
                let mut uses = Vec::new();
                action.for_each_use(|key, bytes, class| uses.push((key, bytes, class)));
                let alone = uses == [(key, ALL_BYTES, OpClass::Release)] && action.object2 == ObjectId::NONE;
                assert_eq!(action.is_release_of(key, ALL_BYTES), alone, "{action:?}");
                assert!(!action.is_release_of(key, 1) && !action.is_release_of(key + 8, ALL_BYTES));
            }
        }
    }

    #[test]
    fn waits_are_dependent_just_if_their_mutexes_differ() {
        let op = |thread| [Op::WaitRelease, Op::WaitTimeout][thread];
        let wait = |thread, condition: u64, mutex: u64| Action {
            object2: ObjectId(mutex),
            ..Action::on(ThreadId::from_index(thread), op(thread), ObjectId(condition))
        };
        let first = 1 << 46 | 64;
        let mut mutexes: Vec<u64> = (0..64).map(|n| first + 40 * n).collect();
        mutexes.extend((3..47).map(|bit| first ^ 1 << bit));
        mutexes.sort_unstable();
        mutexes.dedup();
        for &a in &mutexes {
            for &b in &mutexes {
                let (one, two) = (wait(0, 7 << 40, a), wait(1, 7 << 40, b));
                assert_eq!(Conflict.dependent(&one, &two), a != b, "{a:x} {b:x}");
                let other = wait(1, 6 << 40, b);
                assert!(
                    a == b || !Conflict.dependent(&one, &other),
                    "another condition variable"
                );
            }
        }
    }
}
