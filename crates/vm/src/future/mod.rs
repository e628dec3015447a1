//! What other threads may still do before a thread moves, computed from the live state (Parízek,
//! VMCAI 2016, "hybrid analysis"), by abstract interpretation instead of a static summary for each
//! function.
//!
//! The question is whether a thread may go first: whether {its action} is a persistent set. So only
//! executions count in which this thread, the *observed* one, does not move. In these executions:
//!
//! - Registers and memory have their present values, except for changes by the other threads. What
//!   those store is found by following them. What they load is the present contents of memory, or
//!   what may be stored. Both are computed together, until nothing is added. This begins with
//!   nothing stored, and is still sound: consider the first step of an execution that was not
//!   predicted. Everything loaded before it was predicted, so the step was predicted, too.
//! - As long as each branch of a thread is decided, the thread is followed on one path, and knows
//!   what it has stored itself (`own.rs`).
//! - No thread takes a lock that the observed thread holds, no barrier opens for which the observed
//!   thread is needed, and no thread joins it. What would come after that does not happen.
//! - An object that does not exist yet is not used by the observed thread's next action. The end of
//!   an object's life is a write of all of it.
//!
//! With [`Elements::Reachable`] no thread is followed: what other threads reach, they may access.
//!
//! Code that is not followed may do anything: a call through an unknown pointer, an unknown library
//! function, deep recursion, the exit of the process, too many instructions.

mod address;
mod comparison;
mod effects;
mod foreseen;
#[cfg(feature = "laboratory")]
mod laboratory;
mod options;
mod others;
mod own;
mod prediction;
mod remembered;
mod rounds;
mod run;
mod shared;
mod stores;
mod touch;
mod value;
mod weaken;

pub(crate) use foreseen::Foreseen;
#[cfg(feature = "laboratory")]
pub use laboratory::Foresight;
pub use options::{Elements, Futures};
pub(crate) use prediction::{Future, bytes};
pub(crate) use touch::Goal;
#[cfg(feature = "laboratory")]
pub use weaken::Weaken;

use crate::reach::Reached;
use crate::vm::Vm;
use prediction::Known;
use rounds::predict;
use selvedge_base::{ForTests, StmtId, ThreadId};
use selvedge_ir::{Module, Terminator};
use std::sync::Arc;
#[cfg(not(feature = "laboratory"))]
use weaken::Weaken;

/// Follows the other threads. The observed thread is before a statement.
/// With a goal, nothing is known of other accesses if another thread may conflict with this one.
pub(crate) fn look(
    foreseen: &mut Foreseen,
    vm: &Vm,
    (still, stmt): (ThreadId, StmtId),
    elements: Elements,
    goal: Option<Goal>,
) {
    let question = (still, (elements, goal));
    let future = foreseen.predict(vm, question, ForTests::default());
    foreseen.learn(still, stmt, future);
}

impl Foreseen {
    /// The prediction for an observed thread.
    fn predict(
        &mut self,
        vm: &Vm,
        (still, (elements, goal)): (ThreadId, (Elements, Option<Goal>)),
        weaken: ForTests<Weaken>,
    ) -> Future {
        if elements == Elements::Reachable {
            let is_one = |thread| thread != still && !weaken.is(Weaken::Reach);
            let reached = Reached::by(&vm.program, &vm.state, is_one);
            return Future {
                known: Known::Reached(Arc::new(reached)),
                followed: 0,
                creations: vm.state.creations(),
                goal: None,
            };
        }
        predict(&mut self.remembered, vm, still, (elements, goal), weaken)
    }
}

/// True if threads of a program do only what their code shows, so that they can be followed.
pub fn can_follow(module: &Module) -> bool {
    let uses = |name: &dyn Fn(&str) -> bool| module.functions.iter().any(|f| name(&f.name));
    let mut blocks = module.functions.iter().flat_map(|f| f.blocks.iter());
    // In this case the end of a thread runs destructors.
    let unwinds = blocks.any(|block| matches!(block.term, Terminator::Invoke { .. }));
    let ends = unwinds && uses(&|name| name == "pthread_exit");
    !ends && !uses(&run::is_elsewhere)
}
