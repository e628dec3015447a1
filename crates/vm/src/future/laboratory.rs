//! For tests: what is foreseen at a state, to be compared with what happens.

use super::{Elements, Future};
use crate::program::Program;
use crate::vm::Vm;
use selvedge_base::ThreadId;

/// What others may do while a thread stands still.
#[derive(Debug)]
pub struct Foresight(Future);

impl Foresight {
    /// Whether threads of a program can be followed at all.
    pub fn is_possible(program: &Program) -> bool {
        super::can_follow(&program.module)
    }

    /// From a machine's present state.
    pub fn of(vm: &Vm, still: ThreadId, elements: Elements) -> Foresight {
        Foresight(Future::of(vm, still, elements))
    }

    /// Whether anything may happen: nothing is known.
    pub fn is_anything(&self) -> bool {
        self.0.shared.is_none()
    }

    /// Whether an access is foreseen: by a write, if it writes.
    pub fn expects(&self, address: u64, size: u64, write: bool) -> bool {
        self.0.conflicts(address, size, !write)
    }
}
