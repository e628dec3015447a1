//! For tests: the prediction at a state, to be compared with what happens.

use super::effects::Effects;
use super::prediction::Known;
use super::touch::Touch;
use super::weaken::Weaken;
use super::{Elements, Future};
use crate::program::Program;
use crate::vm::Vm;
use rustc_hash::FxHashSet;
use selvedge_base::{ForTests, ThreadId};
use std::sync::Arc;

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
        let mut foreseen = vm.foreseen.borrow_mut();
        let question = (still, (elements, None));
        let future = foreseen.predict(vm, question, ForTests::new(weaken));
        if weaken == Weaken::Nothing {
            let anew = super::Foreseen::default().predict(vm, question, ForTests::default());
            assert!(future.is_same(&anew), "remembered {future:?} instead of {anew:?}");
        }
        Foresight(future)
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

impl Future {
    /// True if both predict the same.
    fn is_same(&self, other: &Future) -> bool {
        match (&self.known, &other.known) {
            (Known::Accesses(a), Known::Accesses(b)) => {
                let touches = |of: &[Arc<Effects>]| -> FxHashSet<(usize, Touch)> {
                    let threads = of.iter().enumerate();
                    threads
                        .flat_map(|(n, effects)| effects.touches.iter().map(move |touch| (n, *touch)))
                        .collect()
                };
                let anywhere = |of: &[Arc<Effects>]| of.iter().any(|effects| effects.reads_anywhere);
                touches(a) == touches(b) && anywhere(a) == anywhere(b)
            }
            (Known::Nothing, Known::Nothing) | (Known::Reached(_), Known::Reached(_)) => true,
            _ => false,
        }
    }
}
