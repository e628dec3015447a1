//! Functions that look once: each call computes on registers, and loads at most one atomic variable
//! at a place that follows from its arguments. So a call with the same arguments that finds the
//! same value returns the same.
//!
//! Unoptimised code of C++ has such functions around each load of a `std::atomic`.

use super::{is_load, only_computes};
use crate::blocks::ATOMIC;
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, Module, Terminator, UnOp};

/// The largest number of blocks of such a function.
const MOST_BLOCKS: usize = 64;

/// What a call of such a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Look {
    /// The most loads on a path through it: 0 or 1.
    loads: usize,
    params: usize,
    returns: usize,
}

/// The functions of a module that look once, or only compute.
pub(super) struct Looks {
    of: FxHashMap<FuncId, Option<Look>>,
}

impl Looks {
    pub fn of(module: &Module) -> Looks {
        let mut looks = Looks {
            of: FxHashMap::default(),
        };
        for id in module.functions.ids() {
            looks.find(module, id);
        }
        looks
    }

    /// Whether an instruction is a load that a polling loop may have, or a call that makes one and
    /// returns something.
    pub fn polls(&self, kind: &InstKind) -> bool {
        is_load(kind)
            || self
                .called(kind)
                .is_some_and(|look| look.loads == 1 && look.returns > 0)
    }

    /// Whether an instruction computes on registers only, and cannot fail.
    pub fn only_computes(&self, kind: &InstKind) -> bool {
        only_computes(kind) || self.called(kind).is_some_and(|look| look.loads == 0)
    }

    fn called(&self, kind: &InstKind) -> Option<Look> {
        let InstKind::Call {
            results,
            callee: Callee::Direct(callee),
            args,
            ..
        } = kind
        else {
            return None;
        };
        let look = self.of.get(callee).copied().flatten()?;
        (look.params == args.len() && look.returns == results.len()).then_some(look)
    }

    fn find(&mut self, module: &Module, id: FuncId) {
        if self.of.contains_key(&id) {
            return;
        }
        // A call on the way back to the same function meets this.
        self.of.insert(id, None);
        let function = &module.functions[id];
        // Blocks that are one action, and names that mean something else than the body.
        let has_meaning = function.name.starts_with(ATOMIC)
            || function.name.starts_with("__VERIFIER")
            || function.name == "reach_error";
        if !function.is_defined() || function.varargs || has_meaning || function.blocks.len() > MOST_BLOCKS {
            return;
        }
        let mut most = vec![Most::Unknown; function.blocks.len()];
        let Some(loads) = self.most(module, function, BlockId::from_index(0), &mut most) else {
            return;
        };
        let look = Look {
            loads,
            params: function.params.len(),
            returns: function.returns.len(),
        };
        self.of.insert(id, (loads <= 1).then_some(look));
    }

    /// The most loads on a path from a block to the end of its function; `None` if there is a loop
    /// or something else than computing.
    fn most(
        &mut self,
        module: &Module,
        function: &Function,
        id: BlockId,
        known: &mut [Most],
    ) -> Option<usize> {
        match known[id.index()] {
            Most::Known(most) => return Some(most),
            Most::OnTheWay => return None,
            Most::Unknown => known[id.index()] = Most::OnTheWay,
        }
        let block = &function.blocks[id];
        let mut own = 0;
        for inst in &block.insts {
            if let InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } = inst.kind
            {
                self.find(module, callee);
            }
            own += match &inst.kind {
                // Each call would be an input of its own.
                InstKind::Un { op: UnOp::Freeze, .. } => return None,
                kind if is_load(kind) => 1,
                kind if only_computes(kind) => 0,
                kind => self.called(kind)?.loads,
            };
        }
        let next: Vec<BlockId> = match &block.term {
            Terminator::Jump(to) => vec![*to],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => {
                let cases = cases.iter().map(|case| case.1);
                cases.chain([*default]).collect()
            }
            // What only computes throws nothing.
            Terminator::Invoke { normal, .. } => vec![*normal],
            Terminator::Return(_) => Vec::new(),
            Terminator::Indirect { .. } | Terminator::Unreachable | Terminator::Trap => return None,
        };
        let mut behind = 0;
        for to in next {
            behind = behind.max(self.most(module, function, to, known)?);
        }
        known[id.index()] = Most::Known(own + behind);
        Some(own + behind)
    }
}

/// What is known of the loads from a block on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Most {
    Unknown,
    OnTheWay,
    Known(usize),
}
