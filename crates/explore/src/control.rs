//! What another thread may see of, and say to, a running exploration.

use selvedge_base::StmtId;
use selvedge_model::{Limit, LimitKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Live counters, and the request to stop. Shared by reference or in an `Arc`.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    why: Mutex<Option<Limit>>,
    saves: AtomicBool,
    executions: AtomicU64,
    redundant: AtomicU64,
    events: AtomicU64,
    depth: AtomicU64,
    /// The bits of an `f64`.
    part: AtomicU64,
}

/// How far an exploration is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Executions finished.
    pub executions: u64,
    /// Executions cut off as redundant.
    pub redundant_executions: u64,
    /// Events stepped.
    pub events: u64,
    /// Depth of the last execution.
    pub depth: u64,
    /// The part explored, from 0 to 1, as far as the search tree is known by now (Knuth's estimator along the current
    /// branch).
    pub part: f64,
}

impl Control {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        Control::default()
    }

    /// Asks the exploration to stop soon; the first request counts.
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

    /// Whether a stop was requested.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Asks the exploration to give up from now on what it can compute again.
    pub fn request_saving(&self) {
        self.saves.store(true, Relaxed);
    }

    /// Whether memory is to be saved at the cost of time.
    #[inline]
    pub(crate) fn is_saving(&self) -> bool {
        self.saves.load(Relaxed)
    }

    /// The counters now; they lag behind by up to a few hundred executions.
    pub fn progress(&self) -> Progress {
        Progress {
            executions: self.executions.load(Relaxed),
            redundant_executions: self.redundant.load(Relaxed),
            events: self.events.load(Relaxed),
            depth: self.depth.load(Relaxed),
            part: f64::from_bits(self.part.load(Relaxed)),
        }
    }

    /// Why it was stopped.
    pub(crate) fn limit(&self) -> Limit {
        let why = self.why.lock().ok().and_then(|why| why.clone());
        why.unwrap_or(Limit {
            kind: LimitKind::Interrupted,
            detail: "stopped".to_owned(),
            stmt: StmtId(0),
        })
    }

    pub(crate) fn add(&self, executions: u64, redundant: u64, events: u64, depth: u64) {
        self.executions.fetch_add(executions, Relaxed);
        self.redundant.fetch_add(redundant, Relaxed);
        self.events.fetch_add(events, Relaxed);
        self.depth.store(depth, Relaxed);
    }

    pub(crate) fn set_part(&self, part: f64) {
        self.part.store(part.to_bits(), Relaxed);
    }
}
