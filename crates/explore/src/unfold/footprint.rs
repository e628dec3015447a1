//! What events touch in memory, for races that involve cutoffs.
//!
//! A footprint is the set of accesses that an event makes to memory, its own action included; equal
//! ones share a number. Two footprints of different threads may race if they overlap, one writes,
//! and not both accesses are atomic.

use super::weaken::Weaken;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, ForTests, ThreadId};
use selvedge_model::{Access, Action, MemoryOrder, Op};

/// An access to memory, without its place in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    address: u64,
    size: u32,
    write: bool,
    atomic: bool,
}

/// The bytes of a mutex.
const MUTEX: u64 = 40;

/// The number of a footprint, in the order in which they were met: no part of a state. 0: none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Footprint(pub u32);

/// What a thread did last: the operation and the footprint of its last event; if that was a signal,
/// also those of the event before, so that a signal right after its mutex was given back is told
/// from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// A hash of it and of whose it is.
    pub hash: Digest,
    /// How many signals it ends with.
    pub signals: u8,
}

/// So many signals after a mutex was given back are told apart.
pub const MOST_SIGNALS: u8 = 3;

/// An event as its thread's history has it: nothing that depends on the order of exploration.
pub struct Trace<'a> {
    /// What it did.
    pub action: &'a Action,
    /// What it touched; see [`Footprints::hash`].
    pub footprint: Digest,
    /// The hierarchical names of threads; see [`Store::name`](super::event::Store::name).
    pub name: &'a dyn Fn(ThreadId) -> Digest,
    /// What is done wrong on purpose.
    pub weaken: ForTests<Weaken>,
}

static HISTORY: Domain = Domain::new("history");
static FOOTPRINT: Domain = Domain::new("footprint");

impl History {
    /// The history after an event.
    pub fn after(self, event: &Trace<'_>) -> History {
        let Trace { action, name, .. } = *event;
        let [kind, low, high] = match (action.object.as_thread(), action.object.as_joinable()) {
            // Machines may have names of their own above this.
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
        let mut words = [
            own,
            own_high,
            action.op as u64,
            kind,
            low,
            high,
            touched,
            touched_high,
            0,
            0,
        ];
        let mut signals = 0;
        if matches!(action.op, Op::Signal | Op::Broadcast) {
            signals = (self.signals + 1).min(MOST_SIGNALS + 1);
            if signals <= MOST_SIGNALS && !event.weaken.is(Weaken::HistorySignals) {
                words[8..].copy_from_slice(&self.hash.words());
            }
        }
        let hash = match event.weaken.is(Weaken::History) {
            true => Digest::EMPTY,
            false => Digest::of_words(&HISTORY, &words),
        };
        History { hash, signals }
    }
}

fn with_kind(kind: u64, name: Digest) -> [u64; 3] {
    let [low, high] = name.words();
    [kind, low, high]
}

/// All footprints.
#[derive(Debug, Default)]
pub struct Footprints {
    index: FxHashMap<Box<[Touch]>, Footprint>,
    all: Vec<(Box<[Touch]>, Digest)>,
    buffer: Vec<Touch>,
}

impl Footprints {
    /// The footprint of an action and the accesses that came with it.
    pub fn of(&mut self, action: &Action, accesses: &[Access]) -> Footprint {
        self.buffer.clear();
        self.buffer.extend(accesses.iter().map(|a| Touch {
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
        } else if action.object.is_address() && action.object.0 != 0 {
            // Operations on an object count as atomic accesses to its bytes.
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

    /// What has one of two footprints, or both.
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

    /// The footprint of what is in the buffer.
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
        let hash = hash(&touches);
        self.all.push((touches.clone(), hash));
        let number = Footprint(self.all.len() as u32);
        self.index.insert(touches, number);
        number
    }

    /// A hash of what is touched.
    pub fn hash(&self, footprint: Footprint) -> Digest {
        match footprint.0.checked_sub(1) {
            Some(at) => self.all[at as usize].1,
            None => Digest::EMPTY,
        }
    }

    fn touches(&self, footprint: Footprint) -> &[Touch] {
        match footprint.0.checked_sub(1) {
            Some(at) => &self.all[at as usize].0,
            None => &[],
        }
    }

    /// Whether unordered events with these footprints race.
    pub fn may_race(&self, a: Footprint, b: Footprint) -> bool {
        self.touches(a).iter().any(|x| {
            self.touches(b).iter().any(|y| {
                (x.write || y.write)
                    && !(x.atomic && y.atomic)
                    && x.address < y.address + u64::from(y.size)
                    && y.address < x.address + u64::from(x.size)
            })
        })
    }
}

fn hash(touches: &[Touch]) -> Digest {
    let words = touches.iter().flat_map(|touch| {
        let kind = u64::from(touch.write) | u64::from(touch.atomic) << 1;
        [touch.address, u64::from(touch.size) << 2 | kind]
    });
    Digest::of_words(&FOOTPRINT, &words.collect::<Vec<u64>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_model::ObjectId;

    fn history(events: &[(u16, Op, u64, u32)], weaken: Weaken) -> History {
        let mut footprints = Footprints::default();
        // Numbers of footprints are no part of a history.
        let all: Vec<(Action, Footprint)> = events
            .iter()
            .map(|&(thread, op, object, size)| {
                let accesses: &[Access] = &[];
                let action = Action {
                    size,
                    ..Action::on(ThreadId(thread), op, ObjectId(object))
                };
                (action, footprints.of(&action, accesses))
            })
            .collect();
        all.iter()
            .fold(History::default(), |history, (action, footprint)| {
                history.after(&Trace {
                    action,
                    footprint: footprints.hash(*footprint),
                    name: &|thread| Digest::of_words(&HISTORY, &[u64::from(thread.0)]),
                    weaken: ForTests::new(weaken),
                })
            })
    }

    #[test]
    fn a_history_tells_what_was_touched_by_whom() {
        use Weaken::{HistoryFootprint, HistoryOwner, HistorySignals, Nothing};
        let write = [(1, Op::Write, 0x1000, 4)];
        let same = |a: &[_], b: &[_], weaken| history(a, weaken) == history(b, weaken);
        for (other, mistake) in [
            (&[(2, Op::Write, 0x1000, 4)][..], HistoryOwner),
            (&[(1, Op::Write, 0x1000, 8)], HistoryFootprint),
        ] {
            assert!(!same(&write, other, Nothing));
            assert!(same(&write, other, mistake));
        }
        let signal = |before| [(1, Op::Unlock, before, 0), (1, Op::Signal, 0x3000, 0)];
        assert!(!same(&signal(0x1000), &signal(0x2000), Nothing));
        assert!(same(&signal(0x1000), &signal(0x2000), HistorySignals));
        let yielded = |before| [(1, Op::Unlock, before, 0), (1, Op::Yield, 0, 0)];
        assert!(same(&yielded(0x1000), &yielded(0x2000), Nothing));
    }

    #[test]
    fn threads_as_objects_go_by_name() {
        let on = |object: ObjectId| history(&[(0, Op::Join, object.0, 0)], Weaken::Nothing);
        let [one, two, joinable] = [
            ObjectId::thread(ThreadId(1)),
            ObjectId::thread(ThreadId(2)),
            ObjectId::joinable(ThreadId(1)),
        ];
        assert_ne!(on(one), on(two));
        assert_ne!(on(one), on(joinable));
    }
}
