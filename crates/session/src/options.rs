//! What can be asked of a session.

use crate::checkpoint::{self, Checkpoints};
use crate::emit::TestCases;
use crate::predicate;
use crate::properties;
use crate::setup::Setup;
use selvedge_explore::unfold::Partial;
use selvedge_explore::{Order, Stop};
use selvedge_model::Property;
use std::collections::BTreeSet;

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// All classes of executions, on all cores.
    Dpor,
    /// The unfolding with cutoffs.
    Unfold,
    /// Every state, depth first.
    Stateful,
    /// Samples, uniformly at each step.
    Random,
    /// Samples, by random priorities.
    Pct,
}

impl Strategy {
    /// Whether executions end at states that are known.
    pub(crate) fn matches_states(self) -> bool {
        matches!(self, Strategy::Unfold | Strategy::Stateful)
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Strategy::Dpor => "dpor",
            Strategy::Unfold => "unfold",
            Strategy::Stateful => "stateful",
            Strategy::Random => "random",
            Strategy::Pct => "pct",
        }
    }
}

/// Which actions are scheduling points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// As [`Sync`](Visibility::Sync), and as [`Memory`](Visibility::Memory) if that shows a race
    /// about which nobody asked.
    Auto,
    /// Synchronisation and atomics.
    Sync,
    /// Every access to memory that another thread may reach.
    Memory,
    /// Of these the ones that conflict with what another thread may still do, by objects and
    /// fields: elements of an array are one.
    Fields,
    /// The same, with elements told apart by index.
    Hybrid,
}

impl Visibility {
    /// Its name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Visibility::Auto => "auto",
            Visibility::Sync => "sync",
            Visibility::Memory => "memory",
            Visibility::Fields => "fields",
            Visibility::Hybrid => "hybrid",
        }
    }
}

/// Which pairs of actions need both orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// As [`Conflict`](Dependence::Conflict); `auto` also tries the other one where it may be used.
    Auto,
    /// Two uses of one object, unless both only read it.
    Conflict,
    /// Of accesses to memory, only those that can matter to what is asked for.
    Predicate,
}

impl Dependence {
    /// Its name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Dependence::Auto => "auto",
            Dependence::Conflict => "conflict",
            Dependence::Predicate => "predicate",
        }
    }
}

/// Whether executions that differ only in which of several identical threads does what are explored
/// once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Where it is known at little cost that threads are identical.
    Auto,
    /// Where that is known; else a note says why it is not.
    On,
    /// No.
    Off,
}

impl Symmetry {
    /// Its name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Symmetry::Auto => "auto",
            Symmetry::On => "on",
            Symmetry::Off => "off",
        }
    }
}

/// What to check, and how. The default is that of the command.
#[derive(Clone, Debug)]
pub struct Options {
    /// What decides what the program does under a given schedule. Which properties the machine
    /// checks, and whether it notes what is reached, follows from the other options, whatever
    /// stands here.
    pub setup: Setup,
    /// What is asked for.
    pub properties: BTreeSet<Property>,
    /// `None`: the one, or several in turns, that suit the other options.
    pub strategy: Option<Strategy>,
    /// Which pairs of actions need both orders.
    pub dependence: Dependence,
    /// Whether identical threads are told apart.
    pub symmetry: Symmetry,
    /// Whether executions that only repeat others are cut off.
    pub sleep_sets: bool,
    /// Whether `dpor` looks known steps up instead of executing them.
    pub recall: bool,
    /// Which actions are scheduling points.
    pub visibility: Visibility,
    /// In what order `unfold` searches.
    pub search: Order,
    /// Whether `unfold` leaves out what comes after a state that it knows.
    pub cutoffs: bool,
    /// How many of the events left out an alternative of `unfold` must be in conflict with.
    pub partial: Partial,
    /// How many dead objects of one thread and size wait before their memory is used again.
    pub quarantine: Option<u32>,
    /// Whether the events of the unfolding are kept, for [`unfolding`](crate::Checked::unfolding).
    pub dump_unfolding: bool,
    /// At most so many executions.
    pub max_executions: Option<u64>,
    /// At most so many visible steps in one execution.
    pub max_events: Option<u32>,
    /// When to stop.
    pub stop: Stop,
    /// How many cores to use; `None`: all.
    pub jobs: Option<usize>,
    /// For strategies that choose at random.
    pub seed: u64,
    /// Whether to tell which lines and branches were reached.
    pub coverage: bool,
    /// Where to write a test case for each execution.
    pub test_cases: Option<TestCases>,
    /// Where to keep what another process goes on from, and where to go on from. With it, the
    /// strategy that suits is `dpor`.
    pub checkpoints: Checkpoints,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            setup: Setup::default(),
            properties: properties::default(),
            strategy: None,
            dependence: Dependence::Auto,
            symmetry: Symmetry::Auto,
            sleep_sets: true,
            recall: true,
            visibility: Visibility::Auto,
            search: Order::DepthFirst,
            cutoffs: true,
            partial: Partial::Last(1),
            quarantine: None,
            dump_unfolding: false,
            max_executions: None,
            max_events: None,
            stop: Stop::First,
            jobs: None,
            seed: 0,
            coverage: false,
            test_cases: None,
            checkpoints: Checkpoints::default(),
        }
    }
}

impl Options {
    fn stateful_conflict(&self) -> Option<&'static str> {
        let stateful = self.strategy == Some(Strategy::Stateful);
        if stateful && self.test_cases.is_some() {
            return Some(
                "--strategy stateful has no execution of its own for each test case: use dpor or unfold",
            );
        }
        if !stateful && matches!(self.visibility, Visibility::Fields | Visibility::Hybrid) {
            return Some("--visibility fields and hybrid are available with --strategy stateful only");
        }
        None
    }

    /// What is asked for that does not go together, in words.
    ///
    /// # Errors
    /// The words.
    pub fn verify(&self) -> Result<(), String> {
        let conflict = checkpoint::conflict(self)
            .or_else(|| predicate::conflict(self))
            .or_else(|| self.stateful_conflict());
        conflict.map_or(Ok(()), |what| Err(what.to_owned()))
    }
}
