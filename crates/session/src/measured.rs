//! How many instructions threads execute after their operations, and before the first one, as a
//! detector of one execution.

use selvedge_base::{Id, ThreadId};
use selvedge_cover::is_ordered;
use selvedge_explore::ordered::Pace;
use selvedge_model::{Action, Detector, Event, Fault, Op};
use selvedge_vm::Vm;
use std::collections::BTreeMap;

/// Measures one execution. What is undone is not taken back.
pub(crate) struct Measured<'a> {
    pace: &'a mut Pace,
    /// The instructions of all threads so far.
    before: u64,
    /// The last operation of each thread, or its start, and the instructions after it.
    last: BTreeMap<usize, (Action, u64)>,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(vm: &Vm, pace: &'a mut Pace) -> Measured<'a> {
        Measured {
            pace,
            before: vm.instructions(),
            last: BTreeMap::new(),
        }
    }

    fn learn(&mut self, vm: &Vm, thread: ThreadId) {
        if let Some((action, instructions)) = self.last.remove(&thread.index()) {
            // The address of another object may depend on inputs.
            let is_same = action.object.as_place().is_some() || vm.global_of(action.object).is_some();
            self.pace.learn(&action, is_same, instructions);
        }
    }
}

impl Detector<Vm> for Measured<'_> {
    type Mark = ();

    fn mark(&mut self) {}

    fn undo(&mut self, (): ()) {}

    fn event(&mut self, vm: &Vm, event: &Event, _: &mut Vec<Fault>) {
        let action = event.action;
        let now = vm.instructions();
        let executed = now.saturating_sub(self.before);
        self.before = now;
        if is_ordered(&action) || action.op == Op::Start {
            self.learn(vm, action.thread);
            self.last.insert(action.thread.index(), (action, executed));
        } else if let Some((_, instructions)) = self.last.get_mut(&action.thread.index()) {
            *instructions += executed;
        }
    }

    fn end(&mut self, vm: &Vm, _: &mut Vec<Fault>) {
        while let Some((&thread, _)) = self.last.first_key_value() {
            self.learn(vm, ThreadId::from_index(thread));
        }
    }
}
