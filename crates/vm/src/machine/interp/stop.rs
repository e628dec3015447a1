//! Why a thread stops, and why an instruction could not be executed.

use crate::value::Value;
use selvedge_ir::AtomicOrder;
use selvedge_model::{Action, Fault, MemoryOrder};

/// Why a thread stopped running.
pub(crate) enum Stop {
    /// It is before this visible action.
    Visible(Action),
    /// Its last frame is gone.
    Bottom,
    /// It was parked; a notice says why, unless the reason is a false assumption.
    Parked,
}

/// The reason why an instruction could not be executed.
pub(crate) enum Trouble {
    /// The program is at fault.
    Fault(Box<Fault>),
    /// The machine does not support it.
    Unsupported(String),
    /// It is a scheduling point.
    Visible(Action),
    /// The thread was parked.
    Parked,
    /// A symbolic value is needed as a number, for this purpose.
    Symbolic(Value, &'static str),
    /// A decision on a symbolic value is open, or one was a fault.
    Stop(Stop),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Trouble::Fault(Box::new(fault))
    }
}

/// The order of an access, with plain ones for `None`.
pub(super) fn order_or_plain(order: Option<AtomicOrder>) -> MemoryOrder {
    order.map_or(MemoryOrder::NotAtomic, order_of)
}

/// The model's name of an order.
pub(super) const fn order_of(order: AtomicOrder) -> MemoryOrder {
    match order {
        AtomicOrder::Relaxed => MemoryOrder::Relaxed,
        AtomicOrder::Acquire => MemoryOrder::Acquire,
        AtomicOrder::Release => MemoryOrder::Release,
        AtomicOrder::AcqRel => MemoryOrder::AcqRel,
        AtomicOrder::SeqCst => MemoryOrder::SeqCst,
    }
}
