//! Toys for detectors: names of what they report.

use super::machine::ToyMachine;
use crate::{Action, Describe, ObjectId};
use selvedge_base::{ContextId, Location, StmtId, ThreadId};

impl Describe for ToyMachine {
    fn location(&self, _: StmtId) -> Location {
        Location::default()
    }

    fn stack(&self, _: ContextId) -> Vec<Location> {
        Vec::new()
    }

    fn thread_name(&self, thread: ThreadId) -> String {
        self.toy_thread(thread).to_string()
    }

    fn object_name(&self, object: ObjectId) -> String {
        format!("{:x}", object.0)
    }

    fn action_text(&self, action: &Action) -> String {
        format!("{:?}", action.op)
    }

    fn locks_held(&self, _: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)> {
        Vec::new()
    }

    fn blocked_on(&self, _: ThreadId) -> String {
        String::new()
    }

    fn pending_context(&self, _: ThreadId) -> ContextId {
        ContextId(0)
    }

    fn output(&self) -> Vec<u8> {
        Vec::new()
    }
}
