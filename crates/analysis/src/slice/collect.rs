//! What a slicer knows of single statements and functions: who may write an object, who calls a
//! function, and which functions may not come back.

use super::{Ending, Facts, Slicer, Statement, instructions};
use crate::cfg::{ControlDependence, Endless};
use crate::library::{Effect, Special};
use crate::pointsto::{Library, Object, ObjectId};
use crate::{Cfg, DefUse, Escape, LoopForest};
use rustc_hash::FxHashSet;
use selvedge_base::Id;
use selvedge_ir::{Callee, FuncId, Function, InstKind, Module, Operand, Terminator};

impl<'a> Slicer<'a> {
    pub(super) fn note(&mut self, statement: Statement, kind: &InstKind) {
        self.note_writes(statement, kind);
        let targets = self.points_to.targets();
        if let Some(object) = targets.find(Object::Allocated(statement.0, statement.1)) {
            self.writers.note(object, statement);
        }
        if matches!(kind, InstKind::Call { .. }) {
            self.note_call(statement);
        }
    }

    fn note_call(&mut self, statement: Statement) {
        for callee in self.points_to.callees(statement.0, statement.1) {
            self.callers.entry(callee).or_default().push(statement);
            let arguments = self.points_to.targets().find(Object::Arguments(callee));
            if let Some(object) = arguments {
                self.writers.note(object, statement);
            }
        }
        let effects: Vec<_> = self.effects(statement).collect();
        for (name, effect) in effects {
            if let Some(object) = self.points_to.targets().find(Object::Library(Library::Errno)) {
                self.writers.note(object, statement);
            }
            match effect.special {
                Special::Starts(..)
                | Special::StartsState
                | Special::Calls(_)
                | Special::CallsWith(..)
                | Special::CallsStored(_)
                | Special::CallsOnceCall
                | Special::MakesKey(_) => self.calling_back.push(statement),
                Special::EndsThread(_) => self.ends.push(statement),
                Special::Output(_) | Special::Prints => self.output.push(statement),
                Special::SetsKey(_) => self.keeping.push(statement),
                _ => {}
            }
            if name.contains("longjmp") {
                self.jumps.push(statement);
            }
            if matches!(name, "_Unwind_RaiseException" | "_Unwind_Resume") {
                self.throws.push(statement);
            }
        }
    }

    /// Behind which operands a statement writes, and how many bytes; none: any number.
    pub(super) fn written(&self, statement: Statement, kind: &InstKind) -> Vec<(Operand, Option<u64>)> {
        use InstKind as K;
        match kind {
            K::Store { ptr, ty, .. } | K::Rmw { ptr, ty, .. } | K::CompareExchange { ptr, ty, .. } => {
                vec![(*ptr, Some(u64::from(ty.bytes())))]
            }
            K::MemCopy { dst, .. } | K::MemSet { dst, .. } | K::VaCopy { dst, .. } => vec![(*dst, None)],
            K::VaStart { list } => vec![(*list, None)],
            K::Call { args, .. } => self.behind(statement, args, |effect| effect.writes),
            _ => Vec::new(),
        }
    }

    /// Behind which operands a statement reads.
    pub(super) fn read(&self, statement: Statement, kind: &InstKind) -> Vec<(Operand, Option<u64>)> {
        use InstKind as K;
        match kind {
            K::Load { ptr, ty, .. } | K::Rmw { ptr, ty, .. } | K::CompareExchange { ptr, ty, .. } => {
                vec![(*ptr, Some(u64::from(ty.bytes())))]
            }
            K::MemCopy { src, .. } | K::VaCopy { src, .. } => vec![(*src, None)],
            K::Call { args, .. } => self.behind(statement, args, |effect| effect.reads),
            _ => Vec::new(),
        }
    }

    fn behind(
        &self,
        call: Statement,
        args: &[Operand],
        which: impl Fn(&Effect) -> u16,
    ) -> Vec<(Operand, Option<u64>)> {
        let (mut mask, mut extent) = (0, Some(0));
        for (_, effect) in self.effects(call).filter(|(_, effect)| which(effect) != 0) {
            mask |= which(&effect);
            extent = extent.zip(effect.extent).map(|(a, b): (u64, u64)| a.max(b));
        }
        let among = |i: usize| mask >> i.min(15) & 1 == 1;
        let behind = args.iter().enumerate().filter(|(i, _)| among(*i));
        behind.map(|(_, &argument)| (argument, extent)).collect()
    }

    /// Functions that may not come back to their caller: they have a loop, or reach a library
    /// function that may not.
    pub(super) fn functions_that_leave(&self) -> Vec<bool> {
        let mut leaving = vec![false; self.module.functions.len()];
        let mut work: Vec<FuncId> = Vec::new();
        for (id, function) in self.module.functions.iter_ids() {
            let known = crate::SELF_CONTAINED
                .binary_search(&function.name.as_str())
                .is_ok();
            let unsupported =
                |(_, kind): (Statement, &InstKind)| matches!(kind, InstKind::Unsupported { .. });
            let ends =
                |block: &selvedge_ir::Block| matches!(block.term, Terminator::Unreachable | Terminator::Trap);
            if match function.is_defined() {
                true => {
                    instructions(id, function).any(unsupported)
                        || function.blocks.iter().any(ends)
                        || self.points_to.may_run(id) && has_loop(self.module, function)
                }
                false => !known,
            } {
                leaving[id.index()] = true;
                work.push(id);
            }
        }
        while let Some(function) = work.pop() {
            for call in self.callers.get(&function).into_iter().flatten() {
                if !std::mem::replace(&mut leaving[call.0.index()], true) {
                    work.push(call.0);
                }
            }
        }
        leaving
    }

    /// Variables whose address stays in their function, so that each call has its own.
    pub(super) fn own_variables(&self) -> FxHashSet<ObjectId> {
        let escape = Escape::at_calls(self.module);
        let mut own = FxHashSet::default();
        for (id, function) in self.module.functions.iter_ids() {
            let private = escape.private_locals(function);
            for (local, _) in private.iter_ids().filter(|(_, private)| **private) {
                own.extend(self.points_to.targets().find(Object::Local(id, local)));
            }
        }
        own
    }

    pub(super) fn may_leave(&self, call: Statement) -> bool {
        let mut callees = self.points_to.callees(call.0, call.1).peekable();
        callees.peek().is_none() || callees.any(|f| self.leaving[f.index()])
    }

    pub(super) fn facts(&mut self, id: FuncId) -> &Facts {
        if !self.facts.contains_key(&id) {
            let function = &self.module.functions[id];
            let leaving = |callee: Callee| match callee {
                Callee::Direct(callee) => self.leaving[callee.index()],
                Callee::Indirect(_) => true,
            };
            let cfg = Cfg::of(self.module, function, leaving);
            let endless = match self.ending {
                Ending::Possible => Endless::Possible,
                Ending::Excluded => Endless::Excluded,
            };
            let facts = Facts {
                uses: DefUse::of(function, &cfg),
                control: ControlDependence::of(&cfg, endless),
            };
            self.facts.insert(id, facts);
        }
        &self.facts[&id]
    }
}

/// Whether a function may go round in circles.
fn has_loop(module: &Module, function: &Function) -> bool {
    let cfg = Cfg::of(module, function, |_| false);
    LoopForest::of(&cfg).iter().next().is_some()
}
