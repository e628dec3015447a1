//! Events by canonical name ⟨action, causes⟩. They are interned, so the same event found on
//! different paths has the same number.
//!
//! The causes of an event are never stored as a set. A causally closed set without conflicts is
//! determined by its last event of each thread (a [`Clock`]). The events of one thread form a
//! forest: each event stores its predecessor in its thread and one distant ancestor (skew-binary
//! jump pointers: Myers 1983; `ancestors.rs`). So "is e' a cause of e" takes O(log n) steps
//! (Nguyen, Rodríguez, Sousa, Coti and Petrucci, CAV 2018, Section 6). Within one configuration it
//! is one comparison.

use super::footprint::{Footprint, Footprints};
use super::label::{Label, Labels};
use super::past::Past;
use super::relation::Relation;
use super::weaken::Weaken;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use selvedge_base::{Digest, Domain, ForTests, Id, ThreadId};
use selvedge_model::{Notice, Op};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

selvedge_base::id_type! {
    /// An event of the unfolding.
    pub struct EventId(u32), "e";
}

impl EventId {
    /// No event.
    pub const NONE: EventId = EventId(u32::MAX);

    /// True if it is an event.
    pub const fn is_some(self) -> bool {
        self.0 != u32::MAX
    }
}

/// The last event of a thread in a set, with its position in the thread. Of two values in one
/// configuration, the later event is the larger number. 0 if the thread has no event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Last(u64);

impl Last {
    /// An event at this depth of its thread, from 1.
    pub const fn new(event: EventId, depth: u32) -> Last {
        Last((depth as u64) << 32 | event.0 as u64)
    }

    /// The number of events of the thread.
    pub const fn depth(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The event, if there is one.
    pub const fn event(self) -> EventId {
        if self.0 == 0 {
            EventId::NONE
        } else {
            EventId(self.0 as u32)
        }
    }
}

/// A configuration: the last event of each thread, by the thread's number. Missing entries at the
/// end mean no event.
pub type Clock = SmallVec<[Last; 8]>;

/// Adds another configuration to a configuration. Both must lie in a common one.
#[inline]
pub fn join(clock: &mut Clock, other: &[Last]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), Last::default());
    }
    for (mine, &theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(theirs);
    }
}

/// The last event of a thread.
#[inline]
pub fn last(clock: &[Last], thread: ThreadId) -> Last {
    clock.get(thread.index()).copied().unwrap_or_default()
}

/// What is known of an event from its name, before and after its execution.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its label: the action and how it ended.
    pub what: Rc<Label>,
    /// Its thread.
    pub thread: ThreadId,
    /// The alternative with which it was first taken.
    pub alternative: u16,
    /// Its position within its thread, from 1.
    pub depth: u32,
    /// The number of events in its local configuration, including itself.
    pub size: u32,
    /// The number of threads that its thread has created, including by this event, without those
    /// that were begun again.
    pub spawned: u32,
    /// Its predecessor in its thread. For a thread's first event, the event that created the
    /// thread; where a thread is begun again, the end of the old one.
    pub parent: EventId,
    /// A more distant earlier event of its thread.
    pub(super) jump: EventId,
    /// Its local configuration.
    pub clock: Box<[Last]>,
    /// The state of the mutex that it locks or unlocks; see [`Level`].
    pub mutex: Level,
    /// The previous event that locked or unlocked the same mutex.
    pub before: EventId,
    /// The event that woke its thread for it, or created the thread.
    pub waker: EventId,
    /// Known events in immediate conflict with it.
    pub conflicts: SmallVec<[EventId; 4]>,
    /// The memory that it accesses, if footprints are kept.
    pub footprint: Footprint,
    /// A digest of the counted accesses and their statements.
    pub touched: Digest,
    /// A digest of its thread's last action, as far as later races may depend on it; see
    /// [`history`](super::footprint::history). Empty if this does not count.
    pub history: Digest,
    /// For each other thread, the number of its events that happen before this event by
    /// synchronisation, together with all their accesses.
    pub knows: Box<[u32]>,
    /// The length of the longest chain of causes that ends with it.
    pub level: u32,
    /// The sum of the weights of its thread's events, up to this one.
    pub weights: u128,
    /// The sum of the changes to the fingerprint that its thread's events made, up to this one.
    pub print: Digest,
    /// True if it was executed.
    pub executed: bool,
    /// True if `print` is known. It is computed only on a path that maintains fingerprints.
    pub printed: bool,
    /// True if its thread can do nothing else after its causes alone.
    pub sole: bool,
    /// True if it was decided whether it is a cutoff.
    pub judged: bool,
    /// True if another event with the same state has a smaller configuration. What comes after this
    /// event is not explored.
    pub cutoff: bool,
    /// True if it is a cutoff because it ends the process by a fault while other threads could go
    /// on. No other event has its state.
    pub ends_all: bool,
    /// True if its conflicting extensions that do not depend on the rest of the configuration are
    /// known.
    pub extended: bool,
    /// True if it takes effect only with the data choice that follows it.
    pub incomplete: bool,
    /// True if it is a wait that may end without being woken.
    pub timed: bool,
    /// True if its thread's next action may be held
    /// ([`may_wait`](selvedge_model::Machine::may_wait)).
    pub waits: bool,
}

impl Event {
    /// True if its thread ends with it.
    pub fn ends_thread(&self) -> bool {
        self.action.op == Op::Exit || self.action.ends
    }

    /// An event with a label and nothing else.
    fn blank(what: &Rc<Label>) -> Event {
        Event {
            what: Rc::clone(what),
            thread: what.action.thread,
            alternative: 0,
            depth: 0,
            size: 0,
            spawned: 0,
            parent: EventId::NONE,
            jump: EventId::NONE,
            clock: Box::default(),
            mutex: Level::Unknown,
            before: EventId::NONE,
            waker: EventId::NONE,
            conflicts: SmallVec::new(),
            footprint: Footprint::default(),
            touched: Digest::EMPTY,
            history: Digest::EMPTY,
            knows: Box::default(),
            level: 0,
            weights: 0,
            print: Digest::EMPTY,
            executed: false,
            printed: false,
            sole: false,
            judged: false,
            cutoff: false,
            ends_all: false,
            extended: false,
            incomplete: false,
            timed: false,
            waits: false,
        }
    }
}

impl Deref for Event {
    type Target = Label;
    #[inline]
    fn deref(&self) -> &Label {
        &self.what
    }
}

/// The state of a mutex after an event that uses it exclusively.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// Not known: the object is no mutex, or it is used in a way that only the machine models
    /// (recursion, robust recovery).
    #[default]
    Unknown,
    /// No thread holds it.
    Free,
    /// It is held, and was locked once.
    Taken,
}

/// All known events.
#[derive(Debug, Default)]
pub struct Store {
    events: Vec<Event>,
    index: HashTable<(u32, EventId)>,
    threads: FxHashMap<(ThreadId, u32), ThreadId>,
    /// For each thread a digest of its hierarchical name.
    names: Vec<Digest>,
    /// The dependence relation.
    pub relation: Relation,
    /// The labels of events.
    pub labels: Labels,
    /// The number of known pairs in immediate conflict.
    pub links: u64,
    /// How many of these are of two writes that read nothing.
    pub unread: u64,
    /// True if there are incomplete events.
    pub some_incomplete: bool,
    /// The footprints of events.
    pub footprints: Footprints,
    /// True if footprints are kept.
    pub keeps_footprints: bool,
    /// True if `notices` is kept: what a step reports may differ between executions of one event.
    pub keeps_notices: bool,
    /// What steps reported, in any execution of their events.
    pub notices: Vec<Notice>,
    /// True if an event was another one when it was executed again.
    pub strayed: bool,
    /// The part of the past that belongs to states.
    pub past: Past,
    /// If set, races are searched for pairs of all cutoffs.
    pub pairs_all: ForTests<bool>,
    /// A deliberate mistake.
    pub weaken: ForTests<Weaken>,
    /// If true, work that would find nothing new is done all the same, and its result is checked.
    /// This is for tests with systems in which a thread's actions follow from its causes. In
    /// programs with data races they need not.
    pub compares: bool,
}

static NAME: Domain = Domain::new("thread name");

/// The creator of threads that exist from the start.
const NOBODY: ThreadId = ThreadId(u16::MAX);

impl std::ops::Index<EventId> for Store {
    type Output = Event;
    #[inline]
    fn index(&self, event: EventId) -> &Event {
        &self.events[event.index()]
    }
}

impl std::ops::IndexMut<EventId> for Store {
    #[inline]
    fn index_mut(&mut self, event: EventId) -> &mut Event {
        &mut self.events[event.index()]
    }
}

impl Store {
    /// The number of known events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// All events.
    pub fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len() as u32).map(EventId)
    }

    /// The number of a thread, given its creator and the number of threads that the creator had
    /// created before. It is the same on every path.
    pub fn thread(&mut self, parent: Option<ThreadId>, ordinal: u32) -> ThreadId {
        let next = ThreadId::from_index(self.threads.len());
        let known = *self
            .threads
            .entry((parent.unwrap_or(NOBODY), ordinal))
            .or_insert(next);
        if known == next {
            let [low, high] = parent.map_or(Digest::EMPTY, |parent| self.name(parent)).words();
            self.names
                .push(Digest::of_words(&NAME, &[low, high, u64::from(ordinal)]));
        }
        known
    }

    /// Whether a thread is the one that `parent` created after `ordinal` others.
    pub fn is_child(&self, thread: ThreadId, parent: ThreadId, ordinal: u32) -> bool {
        self.threads.get(&(parent, ordinal)) == Some(&thread)
    }

    /// A digest of a thread's hierarchical name. Unlike the thread's number, it does not depend on
    /// the order of exploration.
    pub fn name(&self, thread: ThreadId) -> Digest {
        match self.names.get(thread.index()) {
            Some(&name) => name,
            None => Digest::of_words(&NAME, &[u64::from(thread.0)]),
        }
    }

    /// The hierarchical names of the threads, by number: `0`, and `0.2` for the second thread that
    /// thread `0` created.
    pub fn thread_names(&self) -> Vec<String> {
        let mut makers = vec![(NOBODY, 0); self.threads.len()];
        for (&maker, &thread) in &self.threads {
            makers[thread.index()] = maker;
        }
        let mut names: Vec<String> = Vec::with_capacity(makers.len());
        for (maker, ordinal) in makers {
            // A creator has a smaller number than the threads that it creates.
            let name = match names.get(maker.index()) {
                Some(maker) => format!("{maker}.{}", ordinal + 1),
                None => ordinal.to_string(),
            };
            names.push(name);
        }
        names
    }

    /// For each thread its creator, if any, and the number of threads that the creator had created
    /// before.
    pub fn creators(&self) -> Vec<(Option<ThreadId>, u32)> {
        let mut creators = vec![(None, 0); self.threads.len()];
        for (&(creator, ordinal), thread) in &self.threads {
            creators[thread.index()] = (Some(creator).filter(|&c| c != NOBODY), ordinal);
        }
        creators
    }

    /// The event with this label and the causes `clock`, whose last event of the same thread is the
    /// predecessor. Also returns true if the event is new; then nothing else is known of it.
    pub fn intern(&mut self, parent: EventId, what: &Rc<Label>, clock: &[Last]) -> (EventId, bool) {
        let thread = what.action.thread;
        let hash = name_hash(parent, what, clock);
        let known = self.index.find(spread(hash), |&(h, e)| {
            let event = &self.events[e.index()];
            h == hash
                && event.parent == parent
                && event.thread == thread
                && (Rc::ptr_eq(&event.what, what) || event.what.same_name(what))
                && same_causes(&event.clock, clock, thread)
        });
        if let Some(&(_, event)) = known {
            return (event, false);
        }
        let id = EventId::from_index(self.events.len());
        let before = last(clock, thread);
        let depth = before.depth() + 1;
        let mut own: Clock = SmallVec::from_slice(clock);
        if own.len() <= thread.index() {
            own.resize(thread.index() + 1, Last::default());
        }
        own[thread.index()] = Last::new(id, depth);
        while own.last().is_some_and(|l| l.depth() == 0) {
            own.pop();
        }
        let above = match before.event() {
            event if event.is_some() => self[event].weights,
            _ => 0,
        };
        let causes = clock.iter().map(|l| l.event()).filter(|e| e.is_some());
        let event = Event {
            parent,
            depth,
            size: own.iter().map(|l| l.depth()).sum(),
            clock: own.as_slice().into(),
            weights: above + u128::from(what.weight),
            level: 1 + causes.map(|e| self[e].level).max().unwrap_or(0),
            jump: self.jump(before.event()),
            ..Event::blank(what)
        };
        self.events.push(event);
        self.index
            .insert_unique(spread(hash), (hash, id), |&(h, _)| spread(h));
        (id, true)
    }

    /// True if two events are dependent, by their labels or because one names the thread of the
    /// other.
    pub fn dependent(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (&self[a], &self[b]);
        a.thread == b.thread
            || self.relation.labels_depend(&a.what, &b.what)
            || a.ending.named.contains(&b.thread)
            || b.ending.named.contains(&a.thread)
    }

    /// The event that began the action of an [incomplete](Event::incomplete) event: the event
    /// itself, or for a data choice the event that it continues.
    pub fn begun_by(&self, incomplete: EventId) -> EventId {
        let mut at = incomplete;
        while self[at].action.op == Op::Choose && self[at].depth > 1 && self[self[at].parent].incomplete {
            at = self[at].parent;
        }
        at
    }

    /// Records an immediate conflict between two events.
    pub fn link(&mut self, a: EventId, b: EventId) {
        let (older, newer) = (a.min(b), a.max(b));
        if !self[newer].conflicts.contains(&older) {
            self[newer].conflicts.push(older);
            if !self.weaken.is(Weaken::OneSided) {
                self[older].conflicts.push(newer);
            }
            let writes = |event: EventId| self[event].action.op == Op::Write;
            self.unread += u64::from(writes(a) && writes(b));
            self.links += 1;
        }
    }
}

/// The causes of an event, without the event.
pub fn causes(store: &Store, event: EventId) -> Clock {
    let event = &store[event];
    let mut clock: Clock = SmallVec::from_slice(&event.clock);
    let before = if event.depth > 1 {
        Last::new(event.parent, event.depth - 1)
    } else {
        Last::default()
    };
    clock[event.thread.index()] = before;
    while clock.last().is_some_and(|l| l.depth() == 0) {
        clock.pop();
    }
    clock
}

fn same_causes(mine: &[Last], clock: &[Last], thread: ThreadId) -> bool {
    (0..mine.len().max(clock.len())).all(|t| {
        let t = ThreadId::from_index(t);
        t == thread || last(mine, t) == last(clock, t)
    })
}

fn name_hash(parent: EventId, what: &Label, clock: &[Last]) -> u32 {
    let mut hasher = FxHasher::default();
    (parent, what.hash).hash(&mut hasher);
    for (t, last) in clock.iter().enumerate() {
        if t != what.action.thread.index() && last.depth() != 0 {
            (t, last).hash(&mut hasher);
        }
    }
    (hasher.finish() >> 32) as u32
}

/// Spreads a stored hash over 64 bits, because the table uses both ends of it.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
