//! What a user can ask of an exploration.

use crate::Findings;
use crate::unfold::Partial;
use selvedge_model::Property;
use std::collections::BTreeSet;

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stop {
    /// At the first fault, in depth-first order.
    #[default]
    First,
    /// Only at the end.
    Never,
}

/// In what order `unfold` opens the nodes of its tree. Each is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The last one found.
    #[default]
    DepthFirst,
    /// The first one found.
    BreadthFirst,
    /// Any.
    Random,
    /// One that leads to code that is new, if there is one.
    Coverage,
}

/// Options of all strategies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The properties asked for: faults of others are ignored.
    pub properties: BTreeSet<Property>,
    /// When to stop.
    pub stop: Stop,
    /// Whether executions that only repeat a class are cut off by sleep sets.
    pub sleep_sets: bool,
    /// At most this many executions, redundant ones included. Sampling strategies without it take
    /// 10,000. A bounded `dpor` uses one core, so that the executions are the first ones in
    /// depth-first order.
    pub max_executions: Option<u64>,
    /// At most this many events in one execution; longer ones are cut off, and the verdict is
    /// unknown.
    pub max_events: u32,
    /// How many cores to use.
    pub jobs: usize,
    /// For strategies that choose at random.
    pub seed: u64,
    /// How many disabled events an alternative of `unfold` must be in conflict with.
    pub partial: Partial,
    /// In what order `unfold` searches.
    pub order: Order,
    /// Whether `unfold` leaves out what comes after a state that is known from fewer events.
    pub cutoffs: bool,
    /// Whether `stateful` tells states by all that detectors remember, even where less would do.
    pub digests: bool,
    /// Whether the report of `unfold` has the unfolding, if that has no more events than this.
    pub dump: Option<u32>,
    /// Whether sampling strategies begin with short executions, and take longer ones later, up to
    /// [`max_events`](Config::max_events). A thread that polls for ever then leaves time for other
    /// executions.
    pub deepens: bool,
    /// The depth of bugs that `pct` looks for: one more than its priority change points.
    pub pct_depth: u32,
    /// Where findings are noted as soon as they are made.
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
            max_executions: None,
            max_events: 1_000_000,
            jobs: 1,
            seed: 0,
            partial: Partial::Last(1),
            order: Order::default(),
            cutoffs: true,
            digests: false,
            dump: None,
            deepens: false,
            pct_depth: 3,
            findings: Findings::new(),
        }
    }
}
