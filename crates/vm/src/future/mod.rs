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
mod foreseen;
#[cfg(feature = "laboratory")]
mod laboratory;
mod options;
mod own;
mod prediction;
mod remembered;
mod run;
mod shared;
mod value;
mod weaken;

pub(crate) use foreseen::Foreseen;
#[cfg(feature = "laboratory")]
pub use laboratory::Foresight;
pub use options::{Elements, Futures};
pub(crate) use prediction::{Future, bytes};
pub(crate) use shared::Goal;
#[cfg(feature = "laboratory")]
pub use weaken::Weaken;

use crate::reach::Reached;
use crate::vm::Vm;
use prediction::Known;
use remembered::{Question, Remembered};
use run::{Followed, Run};
use selvedge_base::{ForTests, StmtId, ThreadId};
use selvedge_ir::{Module, Terminator};
use std::sync::Arc;
#[cfg(not(feature = "laboratory"))]
use weaken::Weaken;

/// What it costs to find a remembered prediction, and to make one without following anything, as a
/// number of instructions followed.
const FIND: u32 = 50;
const MAKE: u32 = 100;

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
    let future = foreseen.remembered.of(vm, question, ForTests::default());
    foreseen.learn(still, stmt, future);
}

impl Remembered {
    /// The prediction for an observed thread, made anew if no equal state is remembered.
    fn of(
        &mut self,
        vm: &Vm,
        (still, (elements, goal)): (ThreadId, (Elements, Option<Goal>)),
        weaken: ForTests<Weaken>,
    ) -> Future {
        let threads = vm.state.threads().len();
        if elements == Elements::Reachable {
            let is_one = |thread| thread != still && !weaken.is(Weaken::Reach);
            let reached = Reached::by(&vm.program, &vm.state, is_one);
            return Future {
                known: Known::Reached(Arc::new(reached)),
                followed: 0,
                threads,
                goal: None,
            };
        }
        let question = Question::of((&vm.program, &vm.state), still, (elements, goal), weaken);
        if let Some(mut future) = self.find(&vm.state, question, weaken) {
            future.followed = FIND;
            return future;
        }
        let Followed {
            shared,
            met,
            looks,
            instructions,
        } = Run::of(vm, still, (elements, goal), weaken);
        let mut future = Future {
            goal: goal.filter(|_| met),
            known: shared.map_or(Known::Nothing, |shared| Known::Accesses(Arc::new(shared))),
            followed: 0,
            threads,
        };
        self.add(&vm.state, question, (looks, future.clone()), weaken);
        future.followed = MAKE + instructions;
        future
    }
}

/// True if threads of a program do only what their code shows, so that they can be followed.
pub(crate) fn can_follow(module: &Module) -> bool {
    let uses = |name: &dyn Fn(&str) -> bool| module.functions.iter().any(|f| name(&f.name));
    let mut blocks = module.functions.iter().flat_map(|f| f.blocks.iter());
    // In this case the end of a thread runs destructors.
    let unwinds = blocks.any(|block| matches!(block.term, Terminator::Invoke { .. }));
    let ends = unwinds && uses(&|name| name == "pthread_exit");
    !ends && !uses(&run::is_elsewhere)
}
