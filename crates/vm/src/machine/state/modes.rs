//! How a machine behaves, as its explorer needs it.

use crate::future::Futures;

/// The modes of a machine; fixed when it is made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Modes {
    /// If true, visible actions whose order does not matter may be performed within the step before
    /// them.
    pub fuses: bool,
    /// If true, threads with other actions than local ones may [go
    /// first](selvedge_model::Machine::goes_first), too.
    pub left_movers: bool,
    /// If set, what other threads may still do is computed to decide whether a thread goes first.
    pub futures: Option<Futures>,
    /// If true, identical threads take turns ([`crate::turns`]).
    pub turns: bool,
    /// If true, threads that wait in loops are held ([`crate::awaits`]).
    pub awaits: bool,
    /// If true, what clocks say are expressions ([`crate::symbolic`]).
    pub relative_clocks: bool,
    /// If true, which decisions are data choices follows from the deciding thread's past alone.
    pub canonical: bool,
    /// If true, accesses of a thread whose fellows were all joined are scheduling points, too.
    pub lone: bool,
    /// The minimum number of dead slots that wait before one is reused. `None`: slots are never
    /// reused.
    pub quarantine: Option<u32>,
    /// Without it: so many dead slots are noted.
    pub many_dead: Option<u32>,
    /// If true, waits on condition variables may end without a signal.
    pub spurious_wakeups: bool,
    /// If true, a thread that failed spuriously, and returned to the same place in the same state,
    /// does not fail spuriously there again (`causeless`).
    pub bounded: bool,
}
