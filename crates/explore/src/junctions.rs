//! Where the strategy `ordered` comes to states that it knows: the junctions of a set of schedules.
//!
//! A *junction* is a state in which a thread is about to read a request, and all others stand
//! before operations; or one in which a loop of a thread begins anew ([`Begins::Rounds`]). An
//! execution that comes to a junction with the key of an earlier one, on any
//! path, ends there. What follows was explored from the earlier one, or will be.
//!
//! *Why that is enough.* What follows a state is a function of the machine's state, of what
//! detectors remember, and of what decides which thread moves. The last is [`Turns`]: the times of
//! threads *since the junction*, at which all are 0, and an order of the threads for equal
//! times. The key has all three. So two junctions with one key have the same futures, up to the
//! names of inputs.
//!
//! *The order of threads* at a junction is that of their turns: who would have moved first comes
//! first. With the oldest thread first at each junction, one that does few operations for each
//! request would always move, and the others never.
//!
//! A read counts as an operation of its thread. So each part has one.

use crate::record::Record;
use crate::turns::Turns;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_model::{Action, Detector, Fingerprint, Limit, LimitKind, Notice, Status, Unsupported};

/// More states at which a part begins are not explored: the program's state does not return.
const MOST_JUNCTIONS: usize = 1000;

static TURNS: Domain = Domain::new("turns");
static UNKNOWN: Domain = Domain::new("a state without a fingerprint");

/// Tells whether an action reads a request.
pub type Reads<'a, M> = &'a dyn Fn(&M, &Action) -> bool;

/// Where a part begins.
pub enum Begins<'a, M> {
    /// Where a thread is about to read a request, which these actions do.
    Requests(Reads<'a, M>),
    /// Where each thread that can move has come to an operation again that it has come to in the
    /// part before.
    Rounds {
        /// What the operation is that a thread is about to do, as far as schedules say it.
        stand: &'a dyn Fn(&M, ThreadId) -> Digest,
        /// No part begins before there are so many threads. If more come later, the exploration has
        /// to begin again with that number.
        threads: usize,
    },
}

/// Puts general states in the place of those that are instances of them.
pub trait Generalise<M> {
    /// Puts the general state in the place of a state, if there is one. False: it does not stand
    /// for this state. It will, when the exploration begins again.
    fn arrive(&mut self, machine: &mut M) -> bool;
    /// The state that arrived last is a new one. False: numbers in such states are left open when
    /// the exploration begins again.
    fn add(&mut self, machine: &M) -> bool;
}

/// What begins at a junction. Turns begin anew at each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// No part: the schedule goes on.
    None,
    /// A part of its own at each junction of an execution.
    Each,
    /// One part at all junctions with the same key. Executions end at those that are known.
    Joined,
}

/// The junctions of an exploration.
pub struct Junctions<'a, M> {
    begins: Begins<'a, M>,
    parts: Parts,
    /// How many parts have begun, with [`Parts::Each`].
    begun: usize,
    general: Option<&'a mut dyn Generalise<M>>,
    narrow: bool,
    known: FxHashMap<Digest, usize>,
}

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
    /// A general state does not stand for this one. The exploration has to begin again.
    Narrow,
}

impl<'a, M> Junctions<'a, M> {
    /// None are known yet.
    pub fn new(begins: Begins<'a, M>, parts: Parts) -> Self {
        Junctions {
            begins,
            parts,
            begun: 0,
            general: None,
            narrow: false,
            known: FxHashMap::default(),
        }
    }

    /// States are generalised.
    #[must_use]
    pub fn generalised(mut self, general: &'a mut dyn Generalise<M>) -> Self {
        self.general = Some(general);
        self
    }

    /// Whether the exploration has to begin again: a general state did not stand for one, or there
    /// are more threads than expected.
    pub const fn is_narrow(&self) -> bool {
        self.narrow
    }

    /// From how many threads on parts begin.
    pub const fn threads(&self) -> usize {
        match self.begins {
            Begins::Requests(_) => 0,
            Begins::Rounds { threads, .. } => threads,
        }
    }

    /// What begins at a junction.
    pub(crate) const fn parts(&self) -> Parts {
        self.parts
    }

    /// Whether an action reads a request.
    pub(crate) fn reads(&self, machine: &M, action: &Action) -> bool {
        matches!(self.begins, Begins::Requests(reads) if reads(machine, action))
    }

    /// See [`Begins::Rounds`].
    pub(crate) fn stand(&self, machine: &M, thread: usize) -> Option<Digest> {
        match self.begins {
            Begins::Requests(_) => None,
            Begins::Rounds { stand, .. } => Some(stand(machine, ThreadId::from_index(thread))),
        }
    }

    /// Whether a thread has come to an operation again, so that it comes last.
    pub(crate) fn comes_round(&self, machine: &M, thread: usize, turns: &Turns) -> bool
    where
        M: Fingerprint,
    {
        matches!(self.begins, Begins::Rounds { .. }) && self.begins(machine, thread, turns)
    }

    /// Whether a part begins with the next action of a thread. The strategy takes one that has come
    /// round only if all others that can move have, too.
    pub(crate) fn begins(&self, machine: &M, thread: usize, turns: &Turns) -> bool
    where
        M: Fingerprint,
    {
        let pending = machine.pending();
        match self.begins {
            Begins::Requests(reads) => reads(machine, &pending[thread].action),
            Begins::Rounds { threads, .. } => {
                pending.len() >= threads
                    && self
                        .stand(machine, thread)
                        .is_some_and(|stand| turns.has_come_to(thread, stand))
            }
        }
    }

    /// A part begins: all threads stand before operations, or one is about to read a request.
    pub(crate) fn meet<D>(&mut self, machine: &mut M, detector: &mut D, turns: &mut Turns) -> Comes
    where
        M: Fingerprint,
        D: Detector<M>,
    {
        if machine.pending().iter().any(|p| p.status == Status::Parked) {
            return Comes::Parked;
        }
        let now = machine.pending().len();
        if let Begins::Rounds { threads, .. } = &mut self.begins
            && now > *threads
            && self.parts == Parts::Joined
        {
            *threads = now;
            self.narrow = true;
            return Comes::Narrow;
        }
        turns.begin_anew(machine.pending());
        match self.parts {
            Parts::None => {
                detector.junction(machine, None);
                return Comes::On;
            }
            Parts::Each => {
                self.begun += 1;
                detector.junction(machine, Some(self.begun));
                return Comes::On;
            }
            Parts::Joined => {}
        }
        if let Some(general) = &mut self.general
            && !general.arrive(machine)
        {
            self.narrow = true;
            return Comes::Narrow;
        }
        let key = self.key(machine, detector, turns);
        let next = self.known.len() + 1;
        let part = *self.known.entry(key).or_insert(next);
        if part == next
            && let Some(general) = &mut self.general
            && !general.add(machine)
        {
            self.narrow = true;
            return Comes::Narrow;
        }
        detector.junction(machine, Some(part));
        match part == next {
            false => Comes::Known,
            true if next > MOST_JUNCTIONS => Comes::TooMany,
            true => Comes::On,
        }
    }

    /// Says that there are too many junctions.
    pub(crate) fn too_many(&self, record: &mut Record, action: &Action) -> Limit {
        let (what, detail) = match self.begins {
            Begins::Requests(_) => (
                format!(
                    "requests without end in a program that does not return to a state of before \
                     ({MOST_JUNCTIONS} states at which it reads one)"
                ),
                format!("more than {MOST_JUNCTIONS} states at which a request is read"),
            ),
            Begins::Rounds { .. } => (
                format!(
                    "a loop that does not return to a state of before, also if numbers are left open \
                     ({MOST_JUNCTIONS} states at which it begins anew)"
                ),
                format!("more than {MOST_JUNCTIONS} states at which a loop begins anew"),
            ),
        };
        record.stays_open(&[Notice::Unsupported(Unsupported {
            what,
            stmt: action.stmt,
        })]);
        Limit {
            kind: LimitKind::Executions,
            detail,
            stmt: action.stmt,
        }
    }

    fn key<D>(&self, machine: &M, detector: &D, turns: &Turns) -> Digest
    where
        M: Fingerprint,
        D: Detector<M>,
    {
        let mut key = machine.fingerprint();
        if key == Digest::EMPTY {
            // A machine that keeps no fingerprints: no two states are known to be the same.
            return Digest::of_words(&UNKNOWN, &[self.known.len() as u64]);
        }
        if machine.has_inputs() {
            key = key.with(machine.without_names());
        }
        key = key.with(detector.digest(machine).unwrap_or_default());
        key.with(Digest::of_words(&TURNS, &turns.order()))
    }
}

/// The limit of an exploration in which a general state does not stand for one.
pub(crate) fn narrow(action: &Action) -> Limit {
    Limit {
        kind: LimitKind::Executions,
        detail: "a general state that does not stand for all states".to_owned(),
        stmt: action.stmt,
    }
}
