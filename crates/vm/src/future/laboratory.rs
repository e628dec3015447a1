//! For tests: the prediction at a state, to be compared with what happens.

use super::foreseen::Known;
use super::weaken::Weaken;
use super::{Elements, Future};
use crate::program::Program;
use crate::vm::Vm;
use selvedge_base::{ForTests, ThreadId};

/// What other threads may do before a thread moves.
#[derive(Debug)]
pub struct Foresight(Future);

impl Foresight {
    /// True if threads of a program can be followed at all.
    pub fn is_possible(program: &Program) -> bool {
        super::can_follow(&program.module)
    }

    /// The prediction in a machine's present state.
    pub fn of(vm: &Vm, still: ThreadId, elements: Elements) -> Foresight {
        Foresight::weakened(vm, still, elements, Weaken::Nothing)
    }

    /// [`Foresight::of`] with a deliberate mistake.
    pub fn weakened(vm: &Vm, still: ThreadId, elements: Elements, weaken: Weaken) -> Foresight {
        Foresight(super::of(vm, still, (elements, None), ForTests::new(weaken)))
    }

    /// True if anything may happen: nothing is known.
    pub fn is_anything(&self) -> bool {
        matches!(self.0.known, Known::Nothing)
    }

    /// True if an access is predicted; a write must be predicted as a write.
    pub fn expects(&self, vm: &Vm, address: u64, size: u64, write: bool) -> bool {
        self.0.conflicts(&vm.state, address, size, !write)
    }
}
