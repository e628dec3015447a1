//! The memory that events access, for races that involve cutoffs.
//!
//! A footprint is the set of memory accesses of an event, including its own action. Equal
//! footprints share a number. Two footprints of different threads may race if they have overlapping
//! accesses of which one writes and not both are atomic.

use super::weaken::Weaken;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, ForTests, ThreadId};
use selvedge_model::{Access, Action, MemoryOrder, Op, Places};
use smallvec::SmallVec;
use std::ops::Range;

/// A memory access without its statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    address: u64,
    size: u32,
    write: bool,
    atomic: bool,
}

impl Touch {
    /// Its bytes.
    pub const fn bytes(&self) -> Range<u64> {
        self.address..self.address.saturating_add(self.size as u64)
    }

    /// The bytes that both access.
    pub fn common(&self, other: &Touch) -> Range<u64> {
        let (mine, theirs) = (self.bytes(), other.bytes());
        mine.start.max(theirs.start)..mine.end.min(theirs.end)
    }

    /// True if two such accesses race when they are unordered.
    pub const fn races_with(&self, other: &Touch) -> bool {
        (self.write || other.write)
            && !(self.atomic && other.atomic)
            && self.begins_below_end_of(other)
            && other.begins_below_end_of(self)
    }

    /// True if its first byte lies below the end of the other access.
    pub const fn begins_below_end_of(&self, other: &Touch) -> bool {
        self.address < other.address + other.size as u64
    }
}

/// The size of a mutex in bytes.
const MUTEX: u64 = 40;

/// The number of a footprint, in the order in which they were found; it must not be part of a
/// state. 0: no access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Footprint(pub u32);

/// The data of an event for its thread's history. None of it depends on the order of exploration.
pub struct Trace<'a> {
    /// The action.
    pub action: &'a Action,
    /// The accesses; see [`Event::touched`](super::event::Event::touched).
    pub footprint: Digest,
    /// The hierarchical names of threads; see [`Store::name`](super::event::Store::name).
    pub name: &'a dyn Fn(ThreadId) -> Digest,
    /// A deliberate mistake.
    pub weaken: ForTests<Weaken>,
}

static HISTORY: Domain = Domain::new("history");
static FOOTPRINT: Domain = Domain::new("footprint");
static STATEMENTS: Domain = Domain::new("footprint statements");

/// A digest of a thread's last action: the thread, the operation and the footprint.
pub fn history(event: &Trace<'_>) -> Digest {
    let Trace { action, name, .. } = *event;
    let [kind, low, high] = match (action.object.as_thread(), action.object.as_joinable()) {
        // Machines may use names above this for their own purposes.
        (Some(thread), _) if thread.0 < 0x8000 => with_kind(1, name(thread)),
        (_, Some(thread)) => with_kind(2, name(thread)),
        _ => [0, action.object.0, 0],
    };
    let [own, own_high] = match event.weaken.is(Weaken::HistoryOwner) {
        true => [0, 0],
        false => name(action.thread).words(),
    };
    let [touched, touched_high] = match event.weaken.is(Weaken::HistoryFootprint) {
        true => [0, 0],
        false => event.footprint.words(),
    };
    let op = action.op as u64;
    match event.weaken.is(Weaken::History) {
        true => Digest::EMPTY,
        false => Digest::of_words(
            &HISTORY,
            &[own, own_high, op, kind, low, high, touched, touched_high],
        ),
    }
}

fn with_kind(kind: u64, name: Digest) -> [u64; 3] {
    let [low, high] = name.words();
    [kind, low, high]
}

/// All footprints.
#[derive(Debug, Default)]
pub struct Footprints {
    /// The bytes whose accesses count for cutoffs.
    places: Places,
    index: FxHashMap<Box<[Touch]>, Footprint>,
    /// For each footprint its accesses, whether one of them counts, and a digest of the accesses
    /// that count.
    all: Vec<(Box<[Touch]>, bool, Digest)>,
    buffer: Vec<Touch>,
}

impl Footprints {
    /// No footprints yet. Accesses to these bytes count for cutoffs.
    pub fn new(places: Places) -> Self {
        Footprints {
            places,
            ..Footprints::default()
        }
    }

    /// The footprint of an action and of the accesses that came with it.
    pub fn of(&mut self, action: &Action, accesses: &[Access]) -> Footprint {
        self.buffer.clear();
        let bytes = accesses.iter().filter(|access| !access.is_fence());
        self.buffer.extend(bytes.map(|a| Touch {
            address: a.address,
            size: a.size,
            write: a.write,
            atomic: a.order != MemoryOrder::NotAtomic,
        }));
        if action.is_memory() {
            self.buffer.push(Touch {
                address: action.object.0,
                size: action.size,
                write: action.op != Op::Read,
                atomic: action.order != MemoryOrder::NotAtomic,
            });
        } else if matches!(action.op, Op::FutexWait | Op::WaitReleaseWord) {
            self.buffer.push(Touch {
                address: action.object2.0,
                size: action.size,
                write: action.op == Op::WaitReleaseWord,
                atomic: true,
            });
        } else if action.object.is_address() && action.object.0 != 0 {
            // An operation on an object counts as an atomic access to the object's bytes.
            let mut touch = |address: u64, size: u64| {
                self.buffer.push(Touch {
                    address,
                    size: size as u32,
                    write: true,
                    atomic: true,
                });
            };
            if action.object_size() != 0 {
                touch(action.object.0, action.object_size());
            }
            if matches!(action.op, Op::WaitRelease | Op::WaitAcquire) {
                touch(action.object2.0, MUTEX);
            }
        }
        self.number()
    }

    /// The union of two footprints.
    pub fn union(&mut self, a: Footprint, b: Footprint) -> Footprint {
        if a == Footprint::default() || a == b {
            return b;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend_from_slice(self.touches(a));
        buffer.extend_from_slice(self.touches(b));
        self.buffer = buffer;
        self.number()
    }

    /// The number of the footprint in the buffer.
    fn number(&mut self) -> Footprint {
        if self.buffer.is_empty() {
            return Footprint::default();
        }
        self.buffer.sort_unstable();
        self.buffer.dedup();
        if let Some(&known) = self.index.get(self.buffer.as_slice()) {
            return known;
        }
        let touches: Box<[Touch]> = self.buffer.as_slice().into();
        let mut counting = touches.iter().filter(|t| self.places.meets(t.bytes())).peekable();
        let counts = counting.peek().is_some();
        let hash = match counts {
            true => hash(counting),
            false => Digest::EMPTY,
        };
        self.all.push((touches.clone(), counts, hash));
        let number = Footprint(self.all.len() as u32);
        self.index.insert(touches, number);
        number
    }

    /// True if one of its accesses counts.
    pub fn count(&self, footprint: Footprint) -> bool {
        let at = footprint.0.checked_sub(1);
        at.is_some_and(|at| self.all[at as usize].1)
    }

    /// A digest of the accesses that count, and of their statements.
    pub fn hash(&self, footprint: Footprint, accesses: &[Access]) -> Digest {
        match footprint.0.checked_sub(1) {
            Some(at) if self.all[at as usize].1 => self.all[at as usize].2.with(self.statements(accesses)),
            _ => Digest::EMPTY,
        }
    }

    /// A digest of the statements of accesses that count.
    fn statements(&self, accesses: &[Access]) -> Digest {
        let counts = |a: &&Access| {
            self.places
                .meets(a.address..a.address.saturating_add(u64::from(a.size)))
        };
        let statements = accesses.iter().filter(counts).map(|a| u64::from(a.stmt.0));
        let mut all: SmallVec<[u64; 16]> = statements.collect();
        if all.is_empty() {
            return Digest::EMPTY;
        }
        all.sort_unstable();
        all.dedup();
        Digest::of_words(&STATEMENTS, &all)
    }

    /// Its accesses, sorted.
    pub fn touches(&self, footprint: Footprint) -> &[Touch] {
        match footprint.0.checked_sub(1) {
            Some(at) => &self.all[at as usize].0,
            None => &[],
        }
    }

    /// True if unordered events with these footprints race.
    pub fn may_race(&self, a: Footprint, b: Footprint) -> bool {
        let theirs = self.touches(b);
        self.touches(a)
            .iter()
            .any(|x| theirs.iter().any(|y| x.races_with(y)))
    }
}

fn hash<'a>(touches: impl Iterator<Item = &'a Touch>) -> Digest {
    let words = touches.flat_map(|touch| {
        let kind = u64::from(touch.write) | u64::from(touch.atomic) << 1;
        [touch.address, u64::from(touch.size) << 2 | kind]
    });
    Digest::of_words(&FOOTPRINT, &words.collect::<Vec<u64>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_model::ObjectId;

    fn print(thread: u16, op: Op, object: ObjectId, size: u32, weaken: Weaken) -> Digest {
        let mut footprints = Footprints::new(Places::All);
        let action = Action {
            size,
            ..Action::on(ThreadId(thread), op, object)
        };
        // Numbers of footprints are no part of a history.
        let footprint = footprints.of(&action, &[]);
        history(&Trace {
            action: &action,
            footprint: footprints.hash(footprint, &[]),
            name: &|thread| Digest::of_words(&HISTORY, &[u64::from(thread.0)]),
            weaken: ForTests::new(weaken),
        })
    }

    #[test]
    fn a_history_tells_what_was_touched_by_whom() {
        use Weaken::{HistoryFootprint, HistoryOwner, Nothing};
        let write = |thread, size, weaken| print(thread, Op::Write, ObjectId(0x1000), size, weaken);
        for (thread, size, mistake) in [(2, 4, HistoryOwner), (1, 8, HistoryFootprint)] {
            assert_ne!(write(1, 4, Nothing), write(thread, size, Nothing));
            assert_eq!(write(1, 4, mistake), write(thread, size, mistake));
        }
    }

    #[test]
    fn threads_as_objects_go_by_name() {
        let on = |object: ObjectId| print(0, Op::Join, object, 0, Weaken::Nothing);
        let [one, two, joinable] = [
            ObjectId::thread(ThreadId(1)),
            ObjectId::thread(ThreadId(2)),
            ObjectId::joinable(ThreadId(1)),
        ];
        assert_ne!(on(one), on(two));
        assert_ne!(on(one), on(joinable));
    }
}
