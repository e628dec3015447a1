//! What one exploration is made with, where the command line leaves it open; and what to make the
//! next one with, if that shows that it has to be done in another way.

use crate::options::{Dependence, Options, Strategy, Visibility};
use crate::predicate;
use crate::symmetry;
use selvedge_explore::{Order, Report};
use selvedge_model::{FaultKind, Property};
use selvedge_vm::{Elements, Futures};

/// Dead objects that wait before their memory is used again, if that is not said: so many that
/// programs that end hardly ever use it again. If one does, the exploration is done again with
/// [`FEW`].
const MANY: u32 = 256;

/// The same, for programs that go on and on: so few that they come back to old states soon.
const FEW: u32 = 4;

/// Strategy, visibility and memory's use of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How it searches.
    pub strategy: Strategy,
    /// Which actions are scheduling points.
    pub visibility: selvedge_vm::Visibility,
    /// Where a thread is explored alone if its next action conflicts with nothing that others may
    /// still do: how far they are told apart.
    pub futures: Option<Futures>,
    /// Which of their pairs need both orders.
    pub dependence: Dependence,
    /// Whether identical threads take turns, if the program has any.
    pub turns: bool,
    /// In which order `unfold` searches.
    pub search: Order,
    /// `Options::quarantine` of the machine.
    pub quarantine: Option<u32>,
    /// Whether the exploration is of no use if a dead object's memory is used again.
    pub keeps_dead: bool,
}

impl Plan {
    /// What to begin with.
    pub fn first(options: &Options) -> Plan {
        if predicate::suits(options) {
            return predicate::plan(options);
        }
        Plan::conflict(options)
    }

    /// The same under conflict dependence.
    pub(crate) fn conflict(options: &Options) -> Plan {
        let visibility = match options.visibility {
            Visibility::Auto | Visibility::Sync => selvedge_vm::Visibility::Sync,
            Visibility::Memory | Visibility::Fields | Visibility::Hybrid => selvedge_vm::Visibility::Memory,
        };
        Plan::with(options, visibility)
    }

    fn with(options: &Options, visibility: selvedge_vm::Visibility) -> Plan {
        let strategy = match options.strategy {
            Some(strategy) => strategy,
            // Each execution gets a test case of its own.
            None if options.test_cases.is_some() => Strategy::Dpor,
            // Its work can be kept.
            None if options.checkpoints.are_wanted() => Strategy::Dpor,
            None => Strategy::Unfold,
        };
        Plan::of(options, strategy, visibility)
    }

    /// The plan of a strategy.
    pub(crate) fn of(options: &Options, strategy: Strategy, visibility: selvedge_vm::Visibility) -> Plan {
        let cuts_off = match strategy {
            Strategy::Unfold => options.cutoffs,
            _ => strategy.matches_states(),
        };
        let futures = match options.visibility {
            _ if strategy != Strategy::Stateful => None,
            Visibility::Memory => None,
            Visibility::Fields => Some((Elements::Together, false)),
            Visibility::Hybrid => Some((Elements::Apart, false)),
            Visibility::Auto | Visibility::Sync => Some((Elements::Apart, true)),
        };
        let futures = futures.map(|(elements, sparing)| Futures { elements, sparing });
        Plan {
            strategy,
            visibility,
            futures,
            dependence: Dependence::Conflict,
            turns: symmetry::suits(options, strategy),
            search: options.search,
            quarantine: cuts_off.then(|| options.quarantine.unwrap_or(MANY)),
            keeps_dead: cuts_off && options.quarantine.is_none(),
        }
    }

    /// What to go on with after an exploration that used dead objects' memory again; `None`: it
    /// stands as it is.
    pub(crate) fn after_reuse(self) -> Option<Plan> {
        self.keeps_dead.then_some(Plan {
            quarantine: Some(FEW),
            keeps_dead: false,
            ..self
        })
    }

    /// What to go on with after an exploration that found what it found; `None`: it stands as it
    /// is.
    pub(crate) fn after(self, options: &Options, report: &Report) -> Option<Plan> {
        let race = |found: &selvedge_explore::Found| found.fault.kind == FaultKind::DataRace;
        let repeats = self.may_repeat(options) && report.faults.iter().any(race);
        repeats.then(|| Plan::with(options, selvedge_vm::Visibility::Memory))
    }

    /// Whether races, about which nobody asked, would make it begin anew with all accesses visible.
    fn may_repeat(self, options: &Options) -> bool {
        options.visibility == Visibility::Auto
            && self.visibility == selvedge_vm::Visibility::Sync
            && !options.properties.contains(&Property::DataRace)
    }

    /// Strategy and order in words: `unfold (coverage)`.
    pub(crate) fn name(self) -> String {
        let word = self.strategy.word();
        match (self.strategy, self.search) {
            (Strategy::Unfold, Order::Coverage) => format!("{word} (coverage)"),
            _ => word.to_owned(),
        }
    }

    /// `sync`, `memory`, or which of the accesses of `memory`.
    pub(crate) fn visibility_word(self) -> &'static str {
        match (self.visibility, self.futures.map(|f| f.elements)) {
            (selvedge_vm::Visibility::Sync, _) => "sync",
            (selvedge_vm::Visibility::Memory, None) => "memory",
            (selvedge_vm::Visibility::Memory, Some(Elements::Together)) => "fields",
            (selvedge_vm::Visibility::Memory, Some(Elements::Apart)) => "hybrid",
        }
    }

    /// Whether it takes samples, and so never verifies.
    pub(crate) fn samples(self) -> bool {
        matches!(self.strategy, Strategy::Random | Strategy::Pct)
    }

    /// Whether states that are known again are not explored again.
    pub(crate) fn cuts_off(self) -> bool {
        self.quarantine.is_some()
    }

    /// Whether the exploration begins with machines that make as few events as they can.
    pub fn fuses(self, options: &Options) -> bool {
        self.strategy == Strategy::Dpor && options.test_cases.is_none()
    }

    /// Whether machines look up steps that they know.
    pub(crate) fn recalls(self, options: &Options) -> bool {
        self.fuses(options) && options.recall
    }
}
