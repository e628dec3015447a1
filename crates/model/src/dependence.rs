//! The dependence relation: what must be tried in both orders (design: semantics, "Dependence", and
//! algorithms 1). One relation for all strategies; it is asked in two steps.
//!
//! 1. *Tables*: which kinds of uses of one object may not commute. Strategies keep what was done by
//!    these kinds. Before an action is taken its outcome is not known, and its uses are of a
//!    *class* ([`OpClass`]): two operations are independent only if no pair of their outcomes
//!    conflicts and neither changes the other's set of alternatives. Of an event the outcome is
//!    known, and its uses have an *effect* ([`Effect`]), which is finer.
//! 2. *Refinement* of a pair of uses that the tables relate: by the statements, the objects and the
//!    outcomes ([`Dependence::refine`]). That is where a relation belongs that asks what a
//!    statement can influence, which value is written, or what a critical section holds.
//!
//! What a relation knows of states it has to keep itself, by statement or by object, and it must
//! not change while an exploration runs: one that learns is asked from the start again.

use crate::{Action, Effect, Op, OpClass};

/// A use of an object by an action or an event.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// The action.
    pub action: &'a Action,
    /// How it ended; none if that is not known: it is pending, or is treated whatever its outcome.
    pub ended: Option<Ended>,
    /// The object, as [`Action::for_each_use`] and [`for_each_effect`](crate::for_each_effect) name
    /// it.
    pub object: u64,
    /// Which of its bytes.
    pub bytes: u8,
}

/// How an action ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// It failed: [`Outcome::Failed`](crate::Outcome::Failed).
    pub failed: bool,
    /// What was decided, if there was a choice: [`Machine::decision`](crate::Machine::decision).
    pub decision: u128,
}

/// Which pairs of actions need both orders.
///
/// A relation is given by its tables and its refinement; the methods on whole actions follow from
/// them, so that they can never disagree.
pub trait Dependence {
    /// The classes (as [`OpClass::bit`]s) whose uses of an object may not commute with a use in
    /// `class`. Symmetric.
    fn dependent_classes(&self, class: OpClass) -> u32;
    /// Those of them that may be enabled in one state with a use in `class`. All of them is always
    /// sound; leaving one out is sound only if the two are *never* enabled together: an order that
    /// the execution shows between two events and that is not tried the other way round must be a
    /// necessary one.
    fn racing_classes(&self, class: OpClass) -> u32;
    /// The effects (as [`Effect::bit`]s) whose uses of an object, by an event, may not commute with
    /// a use that has this one. Symmetric, and no coarser than the classes.
    fn dependent_effects(&self, effect: Effect) -> u32;
    /// Whether [`refine`](Self::refine) may say no. If not, strategies keep only the last uses of
    /// each kind.
    fn refines(&self) -> bool {
        false
    }
    /// Whether two uses of a common byte by different threads, of which the tables say that they
    /// may not commute, are dependent. Symmetric. An answer that holds for two pending actions must
    /// hold for all their outcomes; it may become finer once these are known. With cutoffs, what an
    /// event adds to a state's fingerprint must not depend on events that it is independent of
    /// ([`Fingerprint::delta`](crate::Fingerprint::delta)).
    fn refine(&self, _a: &Use<'_>, _b: &Use<'_>) -> bool {
        true
    }

    /// Whether two actions, of different threads, may not commute. Symmetric.
    #[inline]
    fn dependent(&self, a: &Action, b: &Action) -> bool {
        shares_use(self, a, b, |class| self.dependent_classes(class))
    }
    /// Whether two actions, of different threads, may not commute in a state where both are
    /// enabled.
    #[inline]
    fn racing(&self, a: &Action, b: &Action) -> bool {
        shares_use(self, a, b, |class| self.racing_classes(class))
    }
}

/// Whether the actions use a common object (for memory: a common byte) in classes that `classes`
/// relates, and the relation's refinement does, too.
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
        // The overwhelming case, without loops: each uses one object, and not by granules.
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

/// The relation `conflict`: two uses of one object, unless both only read it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Conflict;

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
    /// How many classes there are.
    pub const COUNT: usize = 20;

    /// All classes, in order.
    #[rustfmt::skip]
    pub const ALL: [OpClass; OpClass::COUNT] = {
        use OpClass::*;
        [Local, Read, Write, Acquire, Release, Try, AcquireShared, ReleaseShared, Wait, Notified, Notify, Arrive, Leave, Post, Take,
         Value, Join, Exit, Cancel, Total]
    };

    /// The class as a member of a set of classes.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Whether two uses of one object in these classes may not commute.
    #[inline]
    pub const fn dependent(self, other: OpClass) -> bool {
        use OpClass::*;
        match (self, other) {
            (Local, _) | (_, Local) => false,
            (Read, Read) | (Value, Value) | (Post, Post) => false,
            (AcquireShared | ReleaseShared, AcquireShared | ReleaseShared) => false,
            // Who was notified is out of the wait set: later notifications do not concern it. The
            // one that concerns it names it in its outcome, and is ordered before it by that; the
            // same for the threads a barrier releases.
            (Wait | Notified, Wait | Notified) | (Notified, Notify) | (Notify, Notified) => false,
            (Leave, Leave | Arrive) | (Arrive, Leave) => false,
            _ => true,
        }
    }

    /// Whether two uses of one object in these classes may be enabled in one state.
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
    /// Calls `f` with each object that the action uses, which of its bytes, and how. Memory
    /// accesses use the aligned 8-byte granules they touch, with a mask of their bytes in it;
    /// everything else is used as a whole. Two dependent actions of different threads share an
    /// object here, or one is the `Spawn` of the other's thread.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(u64, u8, OpClass)) {
        let class = self.op.class();
        if self.is_memory() {
            let mut granule = self.object.0 & !7;
            let end = self.object.0 + u64::from(self.size);
            while granule < end {
                let first = self.object.0.max(granule) - granule;
                let last = (end - granule).min(8);
                f(granule, ((0xffu16 << first) & !(0xffffu16 << last)) as u8, class);
                granule += 8;
            }
            if self.object2.0 != 0 {
                f(self.object2.0, ALL_BYTES, OpClass::Read); // the heap object: a `free` of it is a Destroy of the same name
            }
        } else {
            if class as u8 != OpClass::Local as u8 {
                f(self.object.0, ALL_BYTES, class);
                if class as u8 == OpClass::Total as u8 && self.object.is_address() && self.object.0 & 7 != 0 {
                    // Futex words, once flags and objects under construction are read as memory,
                    // too.
                    f(self.object.0 & !7, ALL_BYTES, class);
                }
            }
            let class2 = self.op.class2();
            if class2 as u8 != OpClass::Local as u8 && self.object2.0 != 0 {
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
        // The last one: a pending action does not have it yet.
        if self.ends {
            f(crate::ObjectId::thread(self.thread).0, ALL_BYTES, OpClass::Exit);
        }
    }

    /// Waiting with one mutex commutes with waiting with the same mutex, not with another one:
    /// whether both wait at once decides whether the program misuses the condition variable.
    /// Expressed with two classes of which each is independent only of itself, and a byte of a
    /// hidden object for each bit of the mutex's address: it is used as a `Value` where the bit is
    /// set, else as a `Post`. So two waits are independent if and only if all bits are equal.
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

    /// Whether the action uses exactly one object, as a whole.
    #[inline]
    const fn is_plain(&self) -> bool {
        !self.is_memory()
            && self.object2.0 == 0
            && !self.cancelable
            && !self.blocks.is_some()
            && !self.ends
            && (self.object.0 & 7 == 0 || !matches!(self.op.class(), OpClass::Total))
    }

    /// The only object that the action uses, as [`Action::for_each_use`] would give it, but for the
    /// thread's end: what nearly all actions have. None if it uses several, or none.
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

    /// Whether all that the action uses is one object, as a whole, in class [`OpClass::Release`],
    /// and its name and bytes, as [`Action::for_each_use`] would give them, are these.
    #[inline(always)]
    pub const fn is_release_of(&self, key: u64, bytes: u8) -> bool {
        self.object.0 == key
            && bytes == ALL_BYTES
            && matches!(self.op.class(), OpClass::Release)
            && self.object2.0 == 0
            && !(self.cancelable | self.blocks.is_some() | self.ends)
    }

    /// Whether two memory accesses touch a common byte.
    #[inline]
    pub const fn overlaps(&self, other: &Action) -> bool {
        self.object.0 < other.object.0 + other.size as u64
            && other.object.0 < self.object.0 + self.size as u64
    }
}

/// Marks the name of a condition variable's binding to a mutex.
const BINDING: u64 = 1 << 60;

/// Addresses of objects are shorter than this: above there is room in a name.
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
