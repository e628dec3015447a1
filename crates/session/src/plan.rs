//! The parameters of one exploration that the command line leaves open, and those of the next
//! exploration if the first shows that it has to be repeated in another way.

use crate::options::{Dependence, Options, Strategy, Visibility};
use crate::symmetry;
use selvedge_explore::{Order, Report};
use selvedge_model::{FaultKind, Limit, LimitKind, Property};
use selvedge_vm::{Elements, Futures};

/// The default number of dead objects up to which no memory is reused. It is so large that
/// programs that end hardly ever have more. If one does, the exploration is repeated with
/// [`FEW`].
const MANY: u32 = 256;

/// The number for programs that run for ever: so small that they return to known states soon.
const FEW: u32 = 4;

/// The parameters of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The strategy.
    pub strategy: Strategy,
    /// Which actions are scheduling points.
    pub visibility: selvedge_vm::Visibility,
    /// If set, a thread is explored alone if its next action conflicts with nothing that other
    /// threads may still do. The value says how precisely accesses are distinguished.
    pub futures: Option<Futures>,
    /// Which pairs of actions are explored in both orders.
    pub dependence: Dependence,
    /// True if identical threads take turns, if the program has any.
    pub turns: bool,
    /// True if threads that wait in loops are held until what they read changes (`unfold`,
    /// `dpor`, `reads-from`).
    pub awaits: bool,
    /// True if accesses to atomic variables that turn out to be confined are no actions (`unfold`,
    /// `stateful`).
    pub confined: bool,
    /// True if atomic additions whose result nobody looks at acquire nothing, and commute (for
    /// `unfold`, `stateful` and `dpor`).
    pub additions: bool,
    /// The search order of `unfold`.
    pub search: Order,
    /// The number of dead objects that wait before their memory is reused; or, if no memory is, up
    /// to which none has to be. `None` where states are not compared.
    pub quarantine: Option<u32>,
    /// True if no memory is reused. Where there are many dead objects, the exploration is of no
    /// use.
    pub keeps_dead: bool,
}

impl Plan {
    /// The first plan.
    pub fn first(options: &Options) -> Plan {
        if slices(options) {
            return Plan::sliced(options);
        }
        Plan::conflict(options)
    }

    /// The first plan under predicate dependence.
    pub(crate) fn sliced(options: &Options) -> Plan {
        Plan::sliced_with(options, options.strategy.unwrap_or(Strategy::Dpor))
    }

    /// The plan of a strategy under predicate dependence.
    pub(crate) fn sliced_with(options: &Options, strategy: Strategy) -> Plan {
        Plan {
            dependence: match options.dependence {
                Dependence::PredicatePublished => Dependence::PredicatePublished,
                _ => Dependence::Predicate,
            },
            turns: false,
            awaits: false,
            confined: false,
            additions: false,
            ..Plan::of(options, strategy, selvedge_vm::Visibility::Memory)
        }
    }

    /// The first plan under conflict dependence.
    pub(crate) fn conflict(options: &Options) -> Plan {
        let visibility = match options.visibility {
            Visibility::Auto | Visibility::Sync => selvedge_vm::Visibility::Sync,
            Visibility::Memory | Visibility::Reachable | Visibility::Fields | Visibility::Hybrid => {
                selvedge_vm::Visibility::Memory
            }
        };
        Plan::with(options, visibility)
    }

    fn with(options: &Options, visibility: selvedge_vm::Visibility) -> Plan {
        let strategy = match options.strategy {
            Some(strategy) => strategy,
            // Each execution gets a test case of its own.
            None if options.test_cases.is_some() => Strategy::Dpor,
            // Only the state of `dpor` can be saved, or divided.
            None if options.checkpoints.are_wanted() || options.apart => Strategy::Dpor,
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
            Visibility::Reachable => Some((Elements::Reachable, false)),
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
            awaits: options.awaits
                && match strategy {
                    Strategy::Dpor => options.sleep_sets,
                    Strategy::ReadsFrom => true,
                    _ => cuts_off,
                }
                && !visibility.includes_plain()
                && symmetry::holds(options, strategy),
            // Counts of thread choices are to be those of the program's accesses.
            additions: options.additions && !slices(options),
            confined: options.confined
                && strategy.matches_states()
                && !options.counts_choices
                && !options.necessary_choices,
            search: options.search,
            quarantine: cuts_off.then(|| options.quarantine.unwrap_or(MANY)),
            keeps_dead: cuts_off && options.quarantine.is_none(),
        }
    }

    /// The plan after an exploration that reused dead objects' memory; `None` if its result is
    /// final.
    pub(crate) fn after_reuse(self) -> Option<Plan> {
        self.keeps_dead.then_some(Plan {
            quarantine: Some(FEW),
            keeps_dead: false,
            ..self
        })
    }

    /// The plan after an exploration that its strategy does not cover.
    pub(crate) fn after_uncovered(self, options: &Options) -> Option<Plan> {
        let reads = self.strategy == Strategy::ReadsFrom;
        reads.then(|| Plan::of(options, Strategy::Unfold, self.visibility))
    }

    /// True if an exploration with this report has found races that were not requested, so that all
    /// accesses have to be visible.
    pub(crate) fn is_refuted(self, options: &Options, report: &Report) -> bool {
        let race = |found: &selvedge_explore::Found| found.fault.kind == FaultKind::DataRace;
        self.may_repeat(options) && report.faults.iter().any(race)
    }

    /// True if a thread in an exploration with this report goes round for ever in a loop that reads
    /// plain variables, which may be a deadlock.
    pub(crate) fn leaves_a_wait(self, options: &Options, report: &Report) -> bool {
        let asked =
            options.visibility == Visibility::Auto && options.properties.contains(&Property::Deadlock);
        let explores = self.strategy.matches_states() && !self.visibility.includes_plain();
        let found =
            |found: &selvedge_explore::Found| options.properties.contains(&found.fault.kind.property());
        let endless = |limit: &Limit| limit.kind == LimitKind::Endless;
        asked && explores && !report.faults.iter().any(found) && report.limits.iter().any(endless)
    }

    /// The plan in which all accesses are visible.
    pub(crate) fn with_all_accesses(options: &Options) -> Plan {
        Plan::with(options, selvedge_vm::Visibility::Memory)
    }

    /// True if races that were not requested would make the exploration start again with all
    /// accesses visible.
    fn may_repeat(self, options: &Options) -> bool {
        options.visibility == Visibility::Auto
            && !self.visibility.includes_plain()
            && !options.properties.contains(&Property::DataRace)
    }

    /// The strategy and the order as text: `unfold (coverage)`.
    pub(crate) fn name(self) -> String {
        let word = self.strategy.word();
        match (self.strategy, self.search) {
            (Strategy::Unfold, Order::Coverage) => format!("{word} (coverage)"),
            _ => word.to_owned(),
        }
    }

    /// `sync`, `memory`, or the subset of the accesses of `memory`.
    pub(crate) fn visibility_word(self) -> &'static str {
        match (self.visibility, self.futures.map(|f| f.elements)) {
            (selvedge_vm::Visibility::Sync, _) => "sync",
            (selvedge_vm::Visibility::Memory, None) => "memory",
            (selvedge_vm::Visibility::Memory, Some(Elements::Reachable)) => "reachable",
            (selvedge_vm::Visibility::Memory, Some(Elements::Together)) => "fields",
            (selvedge_vm::Visibility::Memory, Some(Elements::Apart)) => "hybrid",
        }
    }

    /// True if it takes samples, so that it never verifies.
    pub(crate) fn samples(self) -> bool {
        matches!(self.strategy, Strategy::Random | Strategy::Pct)
    }

    /// True if known states are not explored again.
    pub(crate) fn cuts_off(self) -> bool {
        self.quarantine.is_some()
    }

    /// True if the exploration begins with machines that make as few events as possible.
    pub fn fuses(self, options: &Options) -> bool {
        self.strategy == Strategy::Dpor && options.test_cases.is_none() && !self.is_published()
    }

    /// True if it keeps to the published rules of predicate dependence, which lose errors.
    pub fn is_published(self) -> bool {
        self.dependence == Dependence::PredicatePublished
    }

    /// True if sections are explored in both orders only if what they do is dependent. Under
    /// predicate dependence each access that matters is an action, and no race detector runs.
    pub fn peeks(self, options: &Options) -> bool {
        if self.is_published() {
            return options.peek;
        }
        self.strategy == Strategy::Dpor
            && self.dependence == Dependence::Predicate
            && options.sleep_sets
            && options.peek
            && !self.prunes_writes(options)
            && !options.checkpoints.are_wanted()
    }

    /// True if two writes are explored in both orders only if a read tells their order. Machines
    /// record their accesses then, for reads that are no actions.
    pub fn prunes_writes(self, options: &Options) -> bool {
        if self.is_published() {
            return options.write_write_pruning;
        }
        self.strategy == Strategy::Dpor
            && self.dependence == Dependence::Predicate
            && self.fuses(options)
            && options.write_write_pruning
            && !options.checkpoints.are_wanted()
    }

    /// True if machines look up known steps.
    pub(crate) fn recalls(self, options: &Options) -> bool {
        self.fuses(options) && options.recall
    }
}

/// Whether predicate dependence is asked for.
pub(crate) fn slices(options: &Options) -> bool {
    matches!(
        options.dependence,
        Dependence::Predicate | Dependence::PredicatePublished
    )
}
