//! The access of other threads to a running exploration: its counters and the request to stop.

use crate::Budget;
use crate::estimate::History;
use selvedge_base::StmtId;
use selvedge_model::{Limit, LimitKind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Live counters, and the request to stop. Shared by reference or in an `Arc`.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    why: Mutex<Option<Limit>>,
    saves: AtomicBool,
    leaves: AtomicBool,
    executions: AtomicU64,
    redundant: AtomicU64,
    events: AtomicU64,
    depth: AtomicU64,
    /// The bits of an `f64`.
    part: AtomicU64,
    /// Its name for people, and that of the exploration whose estimate is the latest.
    name: &'static str,
    latest: Mutex<&'static str>,
    estimates: Mutex<History>,
    /// The control of the enclosing exploration: it can stop this one, and gets its counts.
    parent: Option<Arc<Control>>,
    /// The budget that limits its work, and the cost of an event in units.
    budget: Option<(Arc<Budget>, u32)>,
}

/// The progress of an exploration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Executions finished.
    pub executions: u64,
    /// Executions cut off as redundant.
    pub redundant_executions: u64,
    /// Steps taken.
    pub events: u64,
    /// Depth of the last execution.
    pub depth: u64,
    /// The explored part, from 0 to 1, as an estimate from the search tree known so far
    /// (`estimate.rs`); of several explorations, that of the one that moved last.
    pub part: f64,
    /// The name of that exploration; empty if there is no estimate yet.
    pub strategy: &'static str,
}

impl Control {
    /// A control with all counters 0.
    pub fn new() -> Self {
        Control::default()
    }

    /// For one exploration among several: it stops with the parent, and adds to the parent's
    /// counters.
    pub fn within(parent: &Arc<Control>) -> Self {
        Control {
            parent: Some(Arc::clone(parent)),
            ..Control::default()
        }
    }

    /// Like [`within`](Self::within), for an exploration that waits when its budget is used up. An
    /// event costs `cost` units. Such an exploration must use one thread.
    pub fn paced(parent: &Arc<Control>, budget: &Arc<Budget>, cost: u32) -> Self {
        Control {
            budget: Some((Arc::clone(budget), cost)),
            ..Control::within(parent)
        }
    }

    /// With a name for people.
    pub fn named(self, name: &'static str) -> Self {
        Control { name, ..self }
    }

    /// How wrong the estimates of the explored part were, now that the exploration is complete: the
    /// mean distance from the part of the work that was done by then, and how many estimates there
    /// were. `None` if there were too few.
    pub fn estimate_error(&self) -> Option<(f64, usize)> {
        let events = self.events.load(Relaxed);
        self.estimates.lock().ok()?.error(events)
    }

    /// Asks the exploration to stop soon. Only the first request counts.
    pub fn request_stop(&self, kind: LimitKind, detail: impl Into<String>) {
        if let Ok(mut why) = self.why.lock() {
            why.get_or_insert_with(|| Limit {
                kind,
                detail: detail.into(),
                stmt: StmtId(0),
            });
        }
        self.stop.store(true, Relaxed);
    }

    /// True if a stop was requested. Each exploration asks once for each event. An exploration with
    /// a budget pays for the event here, and waits if necessary.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        if let Some((budget, cost)) = &self.budget {
            budget.spend(*cost);
        }
        self.is_stop_requested()
    }

    /// Pays for work besides events, if there is a budget.
    pub fn pay(&self, units: u64) {
        if let Some((budget, _)) = &self.budget {
            budget.spend(u32::try_from(units).unwrap_or(u32::MAX));
        }
    }

    /// True if a stop was requested. Does not spend budget.
    #[inline]
    pub fn is_stop_requested(&self) -> bool {
        self.stop.load(Relaxed)
            || self
                .parent
                .as_ref()
                .is_some_and(|parent| parent.stop.load(Relaxed))
            || self.budget.as_ref().is_some_and(|(budget, _)| budget.is_closed())
    }

    /// The budget that limits the exploration's work, if any.
    #[inline]
    pub fn budget(&self) -> Option<&Budget> {
        self.budget.as_ref().map(|(budget, _)| &**budget)
    }

    /// Asks the exploration to drop data that it can compute again.
    pub fn request_saving(&self) {
        self.saves.store(true, Relaxed);
    }

    /// True if memory has to be saved at the cost of time.
    #[inline]
    pub fn is_saving(&self) -> bool {
        self.saves.load(Relaxed)
            || self
                .parent
                .as_ref()
                .is_some_and(|parent| parent.saves.load(Relaxed))
    }

    /// The process ends once the exploration has stopped: what it holds need not be freed.
    pub fn leave_memory(&self) {
        self.leaves.store(true, Relaxed);
    }

    /// Frees what an exploration holds, if there is a reason to. To free some gigabytes of small
    /// objects takes longer than a run has left after its time limit, and the system does it at
    /// once when the process ends.
    pub fn free<T>(&self, holds: T) {
        if self.leaves.load(Relaxed)
            || self
                .parent
                .as_ref()
                .is_some_and(|parent| parent.leaves.load(Relaxed))
        {
            std::mem::forget(holds);
        }
    }

    /// The counters. They may lag behind by a few hundred executions.
    pub fn progress(&self) -> Progress {
        Progress {
            executions: self.executions.load(Relaxed),
            redundant_executions: self.redundant.load(Relaxed),
            events: self.events.load(Relaxed),
            depth: self.depth.load(Relaxed),
            part: f64::from_bits(self.part.load(Relaxed)),
            strategy: self.latest.lock().map_or("", |latest| *latest),
        }
    }

    /// The reason for the stop.
    pub fn limit(&self) -> Limit {
        let why = |control: &Control| control.why.lock().ok().and_then(|why| why.clone());
        let inherited = || self.parent.as_deref().and_then(why);
        why(self).or_else(inherited).unwrap_or(Limit {
            kind: LimitKind::Interrupted,
            detail: "stopped".to_owned(),
            stmt: StmtId(0),
        })
    }

    /// Adds to the counters what was done since the last time, here or elsewhere. `depth` is that
    /// of the last execution.
    pub fn add(&self, executions: u64, redundant: u64, events: u64, depth: u64) {
        self.executions.fetch_add(executions, Relaxed);
        self.redundant.fetch_add(redundant, Relaxed);
        self.events.fetch_add(events, Relaxed);
        self.depth.store(depth, Relaxed);
        if let Some(parent) = &self.parent {
            parent.add(executions, redundant, events, depth);
        }
    }

    /// Sets the explored part of the search, from 0 to 1.
    pub fn set_part(&self, part: f64) {
        if let Ok(mut estimates) = self.estimates.lock() {
            estimates.note(self.events.load(Relaxed), part);
        }
        self.tell_part(part, self.name);
    }

    fn tell_part(&self, part: f64, name: &'static str) {
        self.part.store(part.to_bits(), Relaxed);
        if let Ok(mut latest) = self.latest.lock() {
            *latest = name;
        }
        if let Some(parent) = &self.parent {
            parent.tell_part(part, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn memory_is_freed_unless_the_process_ends() {
        let whole = Arc::new(Control::new());
        let part = Control::within(&whole);
        let value = Rc::new(());
        part.free(Rc::clone(&value));
        assert_eq!(Rc::strong_count(&value), 1);
        part.request_stop(LimitKind::Memory, "another search needs it");
        part.free(Rc::clone(&value));
        assert_eq!(Rc::strong_count(&value), 1);
        whole.leave_memory();
        part.free(Rc::clone(&value));
        assert_eq!(Rc::strong_count(&value), 2);
    }
}
