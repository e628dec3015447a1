//! What a user may choose about the machine.

/// Which actions are scheduling points (design: semantics, "Visibility").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// Synchronisation and atomics only; plain accesses are recorded for the race detector.
    #[default]
    Sync,
    /// Every access to memory that another thread may reach.
    Memory,
}

/// Options of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which actions are scheduling points.
    pub visibility: Visibility,
    /// Timed operations may time out.
    pub timeouts: bool,
    /// Waits on condition variables may end without a signal.
    pub spurious_wakeups: bool,
    /// `argv[1..]`.
    pub args: Vec<String>,
    /// The function to start with.
    pub entry: String,
    /// Instructions a thread may execute without a visible action before it is parked.
    pub max_steps: u64,
    /// Calls that may be active in one thread.
    pub max_depth: u32,
    /// Times one loop (its backward jump) may be taken within one step; `None`: only `max_steps` counts.
    pub unroll: Option<u64>,
    /// Record plain accesses, for race detection.
    pub record_accesses: bool,
    /// Report signed overflow.
    pub check_overflow: bool,
    /// Keep fingerprints up to date at each step.
    pub fingerprints: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            visibility: Visibility::Sync,
            timeouts: true,
            spurious_wakeups: false,
            args: Vec::new(),
            entry: "main".into(),
            max_steps: 100_000_000,
            max_depth: 10_000,
            unroll: None,
            record_accesses: true,
            check_overflow: false,
            fingerprints: false,
        }
    }
}
