//! Checks that variables that were taken to be confined ([`crate::confined`]) are.

use super::vm::Vm;
use crate::confined::variables::{Confined, MOST_IN_A_STEP};
use selvedge_base::ThreadId;
use selvedge_model::{Action, MemoryOrder, Op};
use std::rc::Rc;

impl Vm {
    /// Leaves out actions that are accesses to confined variables, if there are some. An
    /// exploration may rely on that as long as none turned out to be shared
    /// ([`Program::wrongly_confined`](crate::Program::wrongly_confined)).
    pub fn with_confined(mut self) -> Vm {
        self.confined = self.program.0.confined().map(Rc::new);
        self
    }

    /// Whether there are variables whose accesses are no actions.
    pub fn confines(&self) -> bool {
        self.confined.is_some()
    }

    /// The number of accesses to confined variables that the last step made and that would have
    /// been actions.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// Whether an access need not be an action, because its variable is confined. In a long step it
    /// is one, as the instructions of a step are limited.
    #[inline]
    pub(crate) fn is_confined(
        &self,
        thread: ThreadId,
        order: MemoryOrder,
        (address, size): (u64, u64),
        write: bool,
    ) -> bool {
        let Some(confined) = &self.confined else {
            return false;
        };
        order != MemoryOrder::NotAtomic
            && self.left_out < MOST_IN_A_STEP
            && !self.long_step.is_long()
            && confined
                .whole(address, size)
                .is_some_and(|how| how.allows(thread, write))
    }

    /// Looks whether a step used a confined variable in another way. `unjoined`: the number of
    /// other threads before the step.
    pub(crate) fn check_confined(&mut self, action: &Action, unjoined: u32) {
        let Some(confined) = self.confined.clone() else {
            return;
        };
        let thread = action.thread;
        let strays = |address: u64, size: u64, write: bool| {
            let mut uses = confined.uses(address, size);
            uses.any(|how| !how.allows(thread, write))
        };
        let among = self.beside_others(action, unjoined).iter();
        let mut stray = among
            .filter(|access| !access.is_fence())
            .find(|access| strays(access.address, u64::from(access.size), access.write))
            .map(|access| (access.address, u64::from(access.size)));
        if stray.is_none() {
            stray = Self::own_stray(&confined, action, strays);
        }
        if let Some((address, size)) = stray {
            self.program.refuse_confined(address, size);
        }
    }

    /// What the action itself uses otherwise. What is more than an access counts as a write.
    fn own_stray(
        confined: &Confined,
        action: &Action,
        strays: impl Fn(u64, u64, bool) -> bool,
    ) -> Option<(u64, u64)> {
        let size = u64::from(action.size).max(1);
        let writes = !matches!(action.op, Op::Read);
        let objects = [action.object, action.object2];
        let mut objects = objects.iter().filter(|object| object.is_address());
        let found = objects
            .find(|object| confined.uses(object.0, size).next().is_some() && strays(object.0, size, writes));
        found.map(|object| (object.0, size))
    }
}
