//! The part of a report that one worker writes: counts, and faults in the order in which they were
//! found. Records are merged in this order.

use crate::kept::RecordState;
use crate::report::{Key, key};
use crate::{Config, Control, Found, Report, Statistics};
use rustc_hash::FxHashMap;
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use selvedge_model::{Choice, Fault, FaultKind, Limit, Notice, ObjectId, StopReason, Unsupported};
use std::collections::BTreeSet;

/// How what is unsupported begins if executions ended because of a fault whose property was not
/// asked for.
pub const NOT_ASKED_FOR: &str = "going on after a violation of a property that was not asked for";

/// The results so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub statistics: Statistics,
    faults: Vec<Found>,
    index: FxHashMap<Key, usize>,
    unsupported: BTreeSet<Unsupported>,
    limits: BTreeSet<Limit>,
    /// Faults that are none if there is a data race.
    unsure: Vec<Found>,
}

impl Record {
    /// Records the reports of a step. Returns true if there was a fault of a requested property.
    pub fn notice(&mut self, config: &Config, notices: &[Notice], choices: &[Choice]) -> bool {
        let mut faulty = false;
        for notice in notices {
            match notice {
                Notice::Fault(fault) if !config.properties.contains(&fault.kind.property()) => {
                    self.cut_short(fault)
                }
                Notice::Fault(fault) => faulty |= self.fault(config, fault.clone(), choices),
                Notice::AssertNoted(thread, position) => {
                    faulty |= self.fault(config, noted(*thread, *position), choices);
                }
                Notice::Unsupported(_) | Notice::Limit(_) => self.stays_open(std::slice::from_ref(notice)),
            }
        }
        faulty
    }

    /// Records only the reports that make the verdict unknown.
    pub fn stays_open(&mut self, notices: &[Notice]) {
        for notice in notices {
            match notice {
                Notice::Unsupported(what) if !self.unsupported.contains(what) => {
                    self.unsupported.insert(what.clone());
                }
                Notice::Limit(limit) => self.limit(limit),
                _ => {}
            }
        }
    }

    /// True if something unsupported was met.
    pub fn has_unsupported(&self) -> bool {
        !self.unsupported.is_empty()
    }

    /// Records a fault whose property was not requested. The fault parks its thread, so the
    /// thread's further actions are unknown, and the verdict is unknown, too. If the process has
    /// ended by the fault, there are no further actions.
    #[cold]
    fn cut_short(&mut self, fault: &Fault) {
        if fault.kind.ends_process() {
            return;
        }
        let what = format!("{NOT_ASKED_FOR} ({})", fault.kind.name());
        self.unsupported.insert(Unsupported {
            what,
            stmt: fault.stmt,
        });
    }

    /// Records that executions ended early, and no fault of a requested property.
    pub fn cut_short_by(&mut self, config: &Config, notices: &[Notice]) {
        for notice in notices {
            match notice {
                Notice::Fault(fault) if !config.properties.contains(&fault.kind.property()) => {
                    self.cut_short(fault);
                }
                _ => self.stays_open(std::slice::from_ref(notice)),
            }
        }
    }

    /// Records a limit that cut off an execution.
    pub fn limit(&mut self, limit: &Limit) {
        if !self.limits.contains(limit) {
            self.limits.insert(limit.clone());
        }
    }

    /// Records a fault. Returns true if its property was requested.
    pub fn fault(&mut self, config: &Config, fault: Fault, choices: &[Choice]) -> bool {
        if !config.properties.contains(&fault.kind.property()) {
            return false;
        }
        if self.found(fault, choices, 1)
            && let Some(found) = self.faults.last()
        {
            config.findings.add(found.clone());
        }
        true
    }

    /// Records faults that rest on it that the program has no data race. They are reported at the
    /// end, if no race was found.
    pub fn if_ordered(&mut self, config: &Config, faults: Vec<Fault>, choices: &[Choice]) {
        for fault in faults {
            let known = self.unsure.iter().any(|found| key(&found.fault) == key(&fault));
            if !known && config.properties.contains(&fault.kind.property()) {
                self.unsure.push(Found {
                    fault,
                    choices: choices.to_vec(),
                    count: 1,
                });
            }
        }
    }

    /// Records a fault. Returns true if it is new.
    fn found(&mut self, fault: Fault, choices: &[Choice], count: u64) -> bool {
        let next = self.faults.len();
        let at = *self.index.entry(key(&fault)).or_insert(next);
        if at == next {
            self.faults.push(Found {
                fault,
                choices: choices.to_vec(),
                count: 0,
            });
        }
        self.faults[at].count += count;
        at == next
    }

    /// Adds the results of another worker, which come after these.
    pub fn merge(&mut self, later: Record) {
        let (mine, theirs) = (&mut self.statistics, later.statistics);
        mine.executions += theirs.executions;
        mine.redundant_executions += theirs.redundant_executions;
        mine.bounded_executions += theirs.bounded_executions;
        mine.events += theirs.events;
        mine.choices += theirs.choices;
        mine.thread_choices.add(theirs.thread_choices);
        mine.necessary_choices.add(theirs.necessary_choices);
        mine.cut_executions += theirs.cut_executions;
        mine.unfolding_events += theirs.unfolding_events;
        mine.cutoffs += theirs.cutoffs;
        mine.states += theirs.states;
        mine.forgotten_states += theirs.forgotten_states;
        mine.max_depth = mine.max_depth.max(theirs.max_depth);
        mine.threads = mine.threads.max(theirs.threads);
        for found in later.faults {
            self.found(found.fault, &found.choices, found.count);
        }
        self.unsupported.extend(later.unsupported);
        self.limits.extend(later.limits);
        self.unsure.extend(later.unsure);
    }

    /// The record as data.
    pub fn state(&self) -> RecordState {
        let mut faults = self.faults.clone();
        for found in &mut faults {
            let fault = &mut found.fault;
            fault.context = ContextId(0);
            fault
                .related
                .iter_mut()
                .for_each(|related| related.2 = ContextId(0));
        }
        RecordState {
            statistics: self.statistics,
            faults,
            unsupported: self.unsupported.clone(),
            limits: self.limits.clone(),
        }
    }

    /// Restores a saved record, and reports its findings and counts.
    pub fn restored(state: &RecordState, config: &Config, control: &Control) -> Record {
        let RecordState {
            statistics,
            faults,
            unsupported,
            limits,
        } = state.clone();
        let mut record = Record {
            statistics,
            unsupported,
            limits,
            ..Record::default()
        };
        for found in faults {
            config.findings.add(found.clone());
            record.found(found.fault, &found.choices, found.count);
        }
        control.add(
            statistics.executions,
            statistics.redundant_executions,
            statistics.events,
            statistics.max_depth,
        );
        record
    }

    /// The report.
    pub fn finish(mut self, stop: StopReason) -> Report {
        let race = |found: &Found| found.fault.kind == FaultKind::DataRace;
        if stop != StopReason::Finding && !self.faults.iter().any(race) {
            for found in std::mem::take(&mut self.unsure) {
                self.found(found.fault, &found.choices, found.count);
            }
        }
        Report {
            statistics: self.statistics,
            faults: self.faults,
            unsupported: self.unsupported,
            limits: self.limits,
            stop,
            covered: None,
            unfolding: None,
        }
    }
}

/// A noted assertion of a toy, as a fault.
fn noted(thread: ThreadId, position: u32) -> Fault {
    Fault {
        kind: FaultKind::AssertionFailed,
        message: "assertion failed".to_owned(),
        stmt: StmtId((thread.index() as u32) << 16 | position),
        context: ContextId(0),
        related: Vec::new(),
        object: ObjectId::NONE,
    }
}
