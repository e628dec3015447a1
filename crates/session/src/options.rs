//! The options of a session.

use crate::checkpoint::Checkpoints;
use crate::emit::TestCases;
use crate::properties;
use crate::setup::Setup;
use selvedge_explore::unfold::Partial;
use selvedge_explore::{Order, Stop};
use selvedge_model::Property;
use std::collections::BTreeSet;

/// The exploration strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// All classes of executions, on all cores.
    Dpor,
    /// The unfolding with cutoffs.
    Unfold,
    /// Every state, depth first.
    Stateful,
    /// Each class of executions in which reads read from the same writes, once.
    ReadsFrom,
    /// Samples, uniformly at each step.
    Random,
    /// Samples, by random priorities.
    Pct,
}

impl Strategy {
    /// True if executions end at known states.
    pub(crate) fn matches_states(self) -> bool {
        matches!(self, Strategy::Unfold | Strategy::Stateful)
    }

    /// True if its machines make events that do not depend on independent events.
    pub(crate) fn is_canonical(self) -> bool {
        self.matches_states() || self == Strategy::ReadsFrom
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Strategy::Dpor => "dpor",
            Strategy::Unfold => "unfold",
            Strategy::Stateful => "stateful",
            Strategy::ReadsFrom => "reads-from",
            Strategy::Random => "random",
            Strategy::Pct => "pct",
        }
    }
}

/// Which actions are scheduling points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Like [`Sync`](Visibility::Sync). If this shows a race and races were not requested, then
    /// like [`Memory`](Visibility::Memory).
    Auto,
    /// Synchronisation and atomics.
    Sync,
    /// Every access to memory that another thread may reach.
    Memory,
    /// Like [`Memory`](Visibility::Memory), but only accesses to objects that another thread
    /// reaches.
    Reachable,
    /// Like [`Memory`](Visibility::Memory), but only accesses that conflict with what another
    /// thread may still do. Objects and fields are distinguished; all elements of an array are
    /// treated as one.
    Fields,
    /// Like [`Fields`](Visibility::Fields), with elements distinguished by index.
    Hybrid,
}

impl Visibility {
    /// Its name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Visibility::Auto => "auto",
            Visibility::Sync => "sync",
            Visibility::Memory => "memory",
            Visibility::Reachable => "reachable",
            Visibility::Fields => "fields",
            Visibility::Hybrid => "hybrid",
        }
    }
}

/// Which pairs of actions need both orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// Like [`Conflict`](Dependence::Conflict); `auto` also tries `Predicate` where it is allowed.
    Auto,
    /// Two uses of one object, unless both only read it.
    Conflict,
    /// Of accesses to memory, only those that can affect a requested property.
    Predicate,
    /// The same by the rules as published, for the run counts of the paper: errors are missed, and
    /// nothing is verified.
    PredicatePublished,
}

impl Dependence {
    /// Its name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Dependence::Auto => "auto",
            Dependence::Conflict => "conflict",
            Dependence::Predicate => "predicate",
            Dependence::PredicatePublished => "predicate-published",
        }
    }
}

/// Whether executions that differ only in which of several identical threads does what are
/// explored once.
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

/// What to check, and how. The default is the default of the command.
#[derive(Clone, Debug)]
pub struct Options {
    /// Everything that decides what the program does under a given schedule. Two machine options
    /// are set by the session, whatever this field says: the checked properties, and whether
    /// reached places are recorded.
    pub setup: Setup,
    /// The requested properties.
    pub properties: BTreeSet<Property>,
    /// `None`: the strategy, or several in turns, that suits the other options.
    pub strategy: Option<Strategy>,
    /// Which pairs of actions are explored in both orders.
    pub dependence: Dependence,
    /// Whether executions that differ only in identical threads are explored once.
    pub symmetry: Symmetry,
    /// True if threads that wait in loops are held until what they read changes.
    pub awaits: bool,
    /// True if accesses to atomic variables that turn out to be confined are no actions.
    pub confined: bool,
    /// True if atomic additions commute whose result nobody looks at.
    pub additions: bool,
    /// True if sleep sets cut off executions that only repeat others.
    pub sleep_sets: bool,
    /// True if `dpor` under predicate dependence explores two sections of one mutex in both orders
    /// only if what they do is dependent. Where a search is saved or goes on from a saved one, it
    /// changes nothing.
    pub peek: bool,
    /// True if `dpor` under predicate dependence explores two writes in both orders only if a read
    /// tells their order. Then there are no sleep sets, and [`peek`](Self::peek) changes nothing.
    /// Where a search is saved or goes on from a saved one, it changes nothing.
    pub write_write_pruning: bool,
    /// True if `dpor` looks known steps up instead of executing them.
    pub recall: bool,
    /// Which actions are scheduling points.
    pub visibility: Visibility,
    /// True if thread choices are counted (`stateful`).
    pub counts_choices: bool,
    /// True if it is decided by brute force which thread choices are necessary (`stateful`, with
    /// `counts_choices`).
    pub necessary_choices: bool,
    /// The search order of `unfold`.
    pub search: Order,
    /// True if `unfold` does not explore what comes after a known state.
    pub cutoffs: bool,
    /// The number of disabled events with which an alternative of `unfold` must be in conflict.
    pub partial: Partial,
    /// The number of dead objects of one thread and size that wait before their memory is reused.
    pub quarantine: Option<u32>,
    /// True if the events of the unfolding are kept, for [`unfolding`](crate::Checked::unfolding).
    pub dump_unfolding: bool,
    /// The maximum number of executions.
    pub max_executions: Option<u64>,
    /// The maximum number of visible steps in one execution.
    pub max_events: Option<u32>,
    /// When to stop.
    pub stop: Stop,
    /// The number of cores; `None` means all.
    pub jobs: Option<usize>,
    /// The seed of strategies that choose at random.
    pub seed: u64,
    /// True if the report says which lines and branches were reached.
    pub coverage: bool,
    /// Where to write a test case for each execution.
    pub test_cases: Option<TestCases>,
    /// True if the exploration is made in parts, by workers without common memory
    /// ([`check_apart`](crate::check_apart)). With it, the default strategy is `dpor`.
    pub apart: bool,
    /// Where to save checkpoints, and where to continue from. With it, the default strategy is
    /// `dpor`.
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
            awaits: true,
            confined: true,
            additions: true,
            sleep_sets: true,
            peek: true,
            write_write_pruning: false,
            recall: true,
            visibility: Visibility::Auto,
            counts_choices: false,
            necessary_choices: false,
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
            apart: false,
            checkpoints: Checkpoints::default(),
        }
    }
}
