//! The options of an exploration.

use crate::Findings;
use crate::unfold::Partial;
use selvedge_model::Property;
use std::collections::BTreeSet;

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stop {
    /// At the first fault in depth-first order.
    #[default]
    First,
    /// Only at the end.
    Never,
}

/// The order in which `unfold` opens the nodes of its tree. Each order is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The node found last.
    #[default]
    DepthFirst,
    /// The node found first.
    BreadthFirst,
    /// A random node.
    Random,
    /// A node that leads to code that was not executed yet, if there is one.
    Coverage,
}

/// Options of all strategies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The requested properties. Faults of other properties are ignored.
    pub properties: BTreeSet<Property>,
    /// When to stop.
    pub stop: Stop,
    /// True if sleep sets cut off executions that only repeat a class.
    pub sleep_sets: bool,
    /// True if `dpor` explores two sections of one mutex in both orders only if what they do is
    /// dependent. It needs sleep sets, and machines in which each access to memory that matters is
    /// an action. Where a search is saved or goes on from a saved one, it changes nothing.
    pub peek: bool,
    /// The maximum number of executions, including redundant ones. Without it, sampling strategies
    /// take 10,000. A bounded `dpor` uses one core, so that the executions are the first ones in
    /// depth-first order.
    pub max_executions: Option<u64>,
    /// The maximum number of events in one execution. Longer executions are cut off, and the
    /// verdict is unknown.
    pub max_events: u32,
    /// The number of cores.
    pub jobs: usize,
    /// The seed of strategies that choose at random.
    pub seed: u64,
    /// The number of disabled events with which an alternative of `unfold` must be in conflict.
    pub partial: Partial,
    /// The search order of `unfold`.
    pub order: Order,
    /// True if `unfold` does not explore what comes after a state that is known from fewer events.
    pub cutoffs: bool,
    /// True if `stateful` includes everything that detectors remember in its keys, even if less
    /// would be enough.
    pub digests: bool,
    /// True if `stateful` counts thread choices: the states of which more than one thread is taken.
    pub counts_choices: bool,
    /// True if `stateful` decides by brute force which of the counted choices are necessary.
    pub necessary_choices: bool,
    /// If set, the report of `unfold` contains the unfolding, unless that has more events than
    /// this.
    pub dump: Option<u32>,
    /// True if sampling strategies begin with short executions and allow longer ones later, up to
    /// [`max_events`](Config::max_events). Then a thread that polls for ever leaves time for other
    /// executions.
    pub deepens: bool,
    /// The depth of the bugs that `pct` looks for: one more than the number of its priority change
    /// points.
    pub pct_depth: u32,
    /// True if executions of one event are the same only in what matters (predicate dependence).
    /// `unfold` records then what a step reports in each of them.
    pub only_similar: bool,
    /// Only values count, and nobody asks what happens before what. Then a store of the value that
    /// is there is a read (`dpor`).
    pub values_only: bool,
    /// The list to which findings are added as soon as they are made.
    pub findings: Findings,
}

impl Default for Config {
    fn default() -> Self {
        use Property::*;
        Config {
            properties: [
                Assertion, ErrorCall, Deadlock, DataRace, Deref, Free, Memory, Pthread, Arithmetic,
            ]
            .into(),
            stop: Stop::First,
            sleep_sets: true,
            peek: false,
            max_executions: None,
            max_events: 1_000_000,
            jobs: 1,
            seed: 0,
            partial: Partial::Last(1),
            order: Order::default(),
            cutoffs: true,
            digests: false,
            counts_choices: false,
            necessary_choices: false,
            dump: None,
            deepens: false,
            pct_depth: 3,
            only_similar: false,
            values_only: false,
            findings: Findings::new(),
        }
    }
}
