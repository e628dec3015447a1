//! Where the strategy `ordered` comes to states that it knows: the junctions of a set of schedules.
//!
//! A *junction* is a state in which a thread is about to read a request, and all others stand
//! before operations. An execution that comes to a junction with the key of an earlier one, on any
//! path, ends there. What follows was explored from the earlier one, or will be.
//!
//! *Why that is enough.* What follows a state is a function of the machine's state, of what
//! detectors remember, and of what decides which thread moves. The last is [`Turns`]: how many
//! operations each thread has done *since the junction*, and an order of the threads for equal
//! numbers. The key has all three. So two junctions with one key have the same futures, up to the
//! names of inputs.
//!
//! *The order of threads* at a junction is that of their turns: who has done fewer operations comes
//! first. With the oldest thread first at each junction, one that does few operations for each
//! request would always move, and the others never.
//!
//! A read counts as an operation of its thread. So each part has one.

use crate::record::Record;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain};
use selvedge_model::{Action, Detector, Fingerprint, Limit, LimitKind, Notice, Pending, Status, Unsupported};

/// More states at which a part begins are not explored: the program's state does not return.
const MOST_JUNCTIONS: usize = 1000;

static TURNS: Domain = Domain::new("turns");

/// Tells whether an action reads a request.
pub type Reads<'a, M> = &'a dyn Fn(&M, &Action) -> bool;

/// What an exploration has to know of requests.
pub struct Junctions<'a, M> {
    /// Whether an action reads a request.
    pub reads: Reads<'a, M>,
    /// Whether executions end at known states. If not, only turns begin anew.
    pub joins: bool,
    known: FxHashMap<Digest, usize>,
}

/// What decides between threads that can move.
#[derive(Clone, Default)]
pub(crate) struct Turns {
    /// The operations of each thread since the part began.
    done: Vec<u32>,
    /// The place of each thread in the order for equal numbers; those that are not in it come last,
    /// the oldest first.
    rank: Vec<usize>,
    /// The place of each thread's last operation, if it was at one, and what the next one at that
    /// place counts twice.
    places: Vec<Option<(u32, u32)>>,
}

/// Who does one operation more at the same place has done twice as much there, up to this.
const MOST_AT_A_PLACE: u32 = 64;

/// What comes at a junction.
pub(crate) enum Comes {
    /// The exploration goes on.
    On,
    /// This execution has come to where all that follows is known.
    Known,
    /// This execution is not followed, since a thread has stopped.
    Parked,
    /// There are too many junctions.
    TooMany,
}

impl<'a, M> Junctions<'a, M> {
    /// None are known yet.
    pub fn new(reads: Reads<'a, M>, joins: bool) -> Self {
        Junctions {
            reads,
            joins,
            known: FxHashMap::default(),
        }
    }

    /// A thread is about to read a request, and all others stand before operations.
    pub(crate) fn meet<D>(&mut self, machine: &M, detector: &mut D, turns: &mut Turns) -> Comes
    where
        M: Fingerprint,
        D: Detector<M>,
    {
        let pending = machine.pending();
        if pending.iter().any(|p| p.status == Status::Parked) {
            return Comes::Parked;
        }
        turns.begin_anew(pending);
        if !self.joins {
            detector.junction(machine, None);
            return Comes::On;
        }
        let key = self.key(machine, detector, turns);
        let next = self.known.len() + 1;
        let part = *self.known.entry(key).or_insert(next);
        detector.junction(machine, Some(part));
        match part == next {
            false => Comes::Known,
            true if next > MOST_JUNCTIONS => Comes::TooMany,
            true => Comes::On,
        }
    }

    fn key<D>(&self, machine: &M, detector: &D, turns: &Turns) -> Digest
    where
        M: Fingerprint,
        D: Detector<M>,
    {
        let mut key = machine.fingerprint();
        if machine.has_inputs() {
            key = key.with(machine.without_names());
        }
        key = key.with(detector.digest(machine).unwrap_or_default());
        let rank: Vec<u64> = turns.rank.iter().map(|&rank| rank as u64).collect();
        key.with(Digest::of_words(&TURNS, &rank))
    }
}

impl Turns {
    /// Counts an operation. A thread that comes to one place again and again may wait there for
    /// others, which are to come first then. So these operations count more and more.
    pub(crate) fn count(&mut self, thread: usize, action: &Action) {
        let most = self.done.len().max(thread + 1);
        self.done.resize(most, 0);
        self.places.resize(most, None);
        let (last, place) = (self.places[thread], action.object.as_place());
        let (weight, now) = match (last, place) {
            (Some((known, weight)), Some(place)) if known == place => {
                let weight = (2 * weight).min(MOST_AT_A_PLACE);
                (weight, Some((place, weight)))
            }
            (_, place) => (1, place.map(|place| (place, 1))),
        };
        self.done[thread] = self.done[thread].saturating_add(weight);
        self.places[thread] = now;
    }

    /// An operation of a thread has failed.
    pub(crate) fn fails(&mut self, thread: usize) {
        let more = u32::try_from(thread).unwrap_or(u32::MAX);
        if let Some(done) = self.done.get_mut(thread) {
            *done = done.saturating_add(more);
        }
    }

    /// A thread with a lesser value moves first.
    pub(crate) fn of(&self, thread: usize) -> (u32, usize) {
        let done = self.done.get(thread).copied().unwrap_or(0);
        (done, self.rank.get(thread).copied().unwrap_or(thread))
    }

    fn begin_anew(&mut self, pending: &[Pending]) {
        let ended = |thread: usize| pending[thread].status == Status::Finished;
        let mut order: Vec<usize> = (0..pending.len()).collect();
        order.sort_by_key(|&thread| match ended(thread) {
            true => (true, (0, thread)),
            false => (false, self.of(thread)),
        });
        let mut rank = vec![0; order.len()];
        for (place, thread) in order.into_iter().enumerate() {
            rank[thread] = place;
        }
        self.rank = rank;
        self.done.clear();
        self.places.clear();
    }
}

/// Says that there are too many junctions.
pub(crate) fn too_many(record: &mut Record, action: &Action) -> Limit {
    record.stays_open(&[Notice::Unsupported(Unsupported {
        what: format!(
            "requests without end in a program that does not return to a state of before \
             ({MOST_JUNCTIONS} states at which it reads one)"
        ),
        stmt: action.stmt,
    })]);
    Limit {
        kind: LimitKind::Executions,
        detail: format!("more than {MOST_JUNCTIONS} states at which a request is read"),
        stmt: action.stmt,
    }
}
