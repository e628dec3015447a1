//! Accesses of models within a step that is no action.

use super::{Cx, Flow, Stop};
use crate::memory::Kind;
use crate::visible;

impl Cx<'_> {
    /// Checks a range and records one access to all of it, within a step that is no action. Where
    /// accesses are actions, no other thread may see that, unless it is found as a data race. If
    /// one may, `what` is unsupported.
    pub(crate) fn access_in_a_step(
        &mut self,
        address: u64,
        size: u64,
        write: bool,
        what: &str,
    ) -> Result<(), Stop> {
        self.access(address, size, write)?;
        let options = &self.program.options;
        let are_actions = options.visibility.includes_plain() || options.points.is_some();
        if are_actions && !options.sees_races && !visible::runs_alone(self.state, self.thread) {
            let object = self.state.memory.object_at(address);
            if object.is_some_and(|(_, object)| object.kind != Kind::PrivateStack) {
                let what = format!("{what} that threads may share, under visibility memory");
                return Err(Flow::Unsupported(what));
            }
        }
        Ok(())
    }
}
