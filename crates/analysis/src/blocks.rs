//! Classes of atomic blocks: which memory each block may touch, by points-to sets
//! (docs/algorithms.md, "Atomic blocks").
//!
//! Two blocks are in one class if there may be a global variable that both touch, or if both may
//! touch memory that is no global variable, or by a chain of such blocks. What a block may touch is
//! what the statements between its begin and its end may touch, and the functions that they call.
//!
//! The machine checks each block that it executes against its class. So these classes have to be
//! good, not right: what points-to sets do not cover costs a second exploration, and no verdict.

mod only;

use crate::cfg::successors;
use crate::library;
use crate::pointsto::Object;
use crate::{Place, PointsTo};
use rustc_hash::FxHashMap;
use selvedge_base::{Id, StmtId};
use selvedge_ir::{
    BlockId, Callee, FuncId, Function, GlobalId, Inst, InstKind, LocalId, Module, Operand, Terminator,
};
use std::collections::{BTreeMap, BTreeSet};

/// What begins a block, and what ends it.
pub(crate) const BEGIN: &str = "__VERIFIER_atomic_begin";
pub(crate) const END: &str = "__VERIFIER_atomic_end";
/// What the names of functions begin with whose calls are blocks.
pub(crate) const ATOMIC: &str = "__VERIFIER_atomic_";

/// The classes of a program's atomic blocks, numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockClasses {
    /// The global variables that blocks may touch, each with its class.
    pub globals: BTreeMap<GlobalId, u8>,
    /// The class of all other memory that threads may share; 0 if no block may touch any.
    pub rest: u8,
    /// The classes of blocks by the call that begins them.
    pub begins: BTreeMap<StmtId, u8>,
    /// The classes of functions whose calls are blocks.
    pub functions: BTreeMap<FuncId, u8>,
    /// Global variables that are touched in blocks only, and else while there is no other thread.
    pub only: BTreeSet<GlobalId>,
}

/// What a block may touch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Touched {
    Global(GlobalId),
    /// Memory that is no global variable.
    Rest,
    /// Blocks that touch nothing are a class, too.
    Nothing,
}

/// A block, by where it begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Begin {
    Call(StmtId),
    Function(FuncId),
}

/// The classes of the atomic blocks of a program that begins at `entry`. `is_private`: whether only
/// the function itself can reach a local variable of it.
///
/// # Errors
/// In words, why it is not known what some block may touch.
pub fn block_classes(
    module: &Module,
    points_to: &PointsTo,
    is_private: &dyn Fn(FuncId, LocalId) -> bool,
    entry: Option<FuncId>,
) -> Result<BlockClasses, String> {
    let unknown: Vec<&str> = points_to
        .unknown()
        .map(|f| &module.functions[f])
        // It runs where a thread ends, and no thread ends within a block.
        .filter(|f| !f.is_defined())
        .map(|f| f.name.as_str())
        .collect();
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        return Err(format!("it is not known what these functions do: {names}"));
    }
    let mut finder = Finder {
        module,
        points_to,
        is_private,
        known: FxHashMap::default(),
    };
    let mut blocks: Vec<(Begin, BTreeSet<Touched>)> = Vec::new();
    for (id, function) in module.functions.iter_ids() {
        if !function.is_defined() || !points_to.may_run(id) {
            continue;
        }
        if function.name.starts_with(ATOMIC) {
            blocks.push((Begin::Function(id), finder.of_calls([id])));
        }
        for (block, what) in function.blocks.iter_ids() {
            for (index, inst) in what.insts.iter().enumerate() {
                if finder.calls_any(id, block, index, inst, |name| name == BEGIN) {
                    let touched = finder.of_region(id, function, (block, index + 1))?;
                    blocks.push((Begin::Call(inst.stmt), touched));
                }
            }
        }
    }
    let mut classes = numbered(blocks);
    classes.only = only::only_in_blocks(&finder, classes.globals.keys().copied(), entry);
    Ok(classes)
}

/// Numbers the classes in the order of the blocks.
fn numbered(mut blocks: Vec<(Begin, BTreeSet<Touched>)>) -> BlockClasses {
    let mut class_of: BTreeMap<Touched, usize> = BTreeMap::new();
    let mut parent: Vec<usize> = Vec::new();
    fn root(parent: &[usize], mut class: usize) -> usize {
        while parent[class] != class {
            class = parent[class];
        }
        class
    }
    let mut first_of: Vec<usize> = Vec::new();
    // One statement may stand at several places: then what begins there has one class.
    let mut at_stmt: BTreeMap<StmtId, usize> = BTreeMap::new();
    for (begin, touched) in &mut blocks {
        if touched.is_empty() {
            touched.insert(Touched::Nothing);
        }
        let mut all: Vec<usize> = Vec::new();
        for &what in touched.iter() {
            all.push(*class_of.entry(what).or_insert_with(|| {
                parent.push(parent.len());
                parent.len() - 1
            }));
        }
        if let Begin::Call(stmt) = *begin {
            all.push(*at_stmt.entry(stmt).or_insert(all[0]));
        }
        for &other in &all[1..] {
            let (a, b) = (root(&parent, all[0]), root(&parent, other));
            parent[a.max(b)] = a.min(b);
        }
        first_of.push(all[0]);
    }
    let mut numbers: BTreeMap<usize, u8> = BTreeMap::new();
    let mut number = |class: usize| {
        let next = u8::try_from(numbers.len() + 1).unwrap_or(u8::MAX);
        *numbers.entry(root(&parent, class)).or_insert(next)
    };
    let mut classes = BlockClasses::default();
    for (&(begin, _), class) in blocks.iter().zip(first_of) {
        let number = number(class);
        match begin {
            Begin::Call(stmt) => {
                classes.begins.insert(stmt, number);
            }
            Begin::Function(function) => {
                classes.functions.insert(function, number);
            }
        }
    }
    for (what, class) in class_of {
        match what {
            Touched::Global(global) => {
                classes.globals.insert(global, number(class));
            }
            Touched::Rest => classes.rest = number(class),
            Touched::Nothing => {}
        }
    }
    classes
}

struct Finder<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    is_private: &'a dyn Fn(FuncId, LocalId) -> bool,
    /// What functions touch themselves, and which they call.
    known: FxHashMap<FuncId, (BTreeSet<Touched>, BTreeSet<FuncId>)>,
}

impl Finder<'_> {
    /// What a block touches that begins at a place and ends within the function.
    fn of_region(
        &mut self,
        id: FuncId,
        function: &Function,
        from: (BlockId, usize),
    ) -> Result<BTreeSet<Touched>, String> {
        let (mut touched, mut calls) = (BTreeSet::new(), BTreeSet::new());
        let mut begun = BTreeSet::from([(from.0.index(), from.1)]);
        let mut work = vec![from];
        'paths: while let Some((block, first)) = work.pop() {
            let what = &function.blocks[block];
            for (index, inst) in what.insts.iter().enumerate().skip(first) {
                if self.calls_any(id, block, index, inst, |name| name == END) {
                    continue 'paths;
                }
                self.instruction(id, (block, index), inst, &mut touched, &mut calls);
            }
            if let Terminator::Return(_) = what.term {
                return Err(format!("an atomic block goes on where {} ends", function.name));
            }
            successors(&what.term, |next| {
                if begun.insert((next.index(), 0)) {
                    work.push((next, 0));
                }
            });
        }
        touched.extend(self.of_calls(calls));
        Ok(touched)
    }

    /// What calls of functions touch, with all that these call.
    fn of_calls(&mut self, functions: impl IntoIterator<Item = FuncId>) -> BTreeSet<Touched> {
        let mut work: Vec<FuncId> = functions.into_iter().collect();
        let mut seen: BTreeSet<FuncId> = work.iter().copied().collect();
        let mut touched = BTreeSet::new();
        while let Some(function) = work.pop() {
            let (own, calls) = self.of_function(function);
            touched.extend(own);
            work.extend(calls.iter().filter(|&&callee| seen.insert(callee)));
        }
        touched
    }

    fn of_function(&mut self, id: FuncId) -> &(BTreeSet<Touched>, BTreeSet<FuncId>) {
        if !self.known.contains_key(&id) {
            let function = &self.module.functions[id];
            let (mut touched, mut calls) = (BTreeSet::new(), BTreeSet::new());
            // Its locals end with it, and so do its variable arguments.
            let shared = |(local, _)| !(self.is_private)(id, local);
            if function.varargs || function.locals.iter_ids().any(shared) {
                touched.insert(Touched::Rest);
            }
            for (block, what) in function.blocks.iter_ids() {
                for (index, inst) in what.insts.iter().enumerate() {
                    self.instruction(id, (block, index), inst, &mut touched, &mut calls);
                }
            }
            self.known.insert(id, (touched, calls));
        }
        &self.known[&id]
    }

    fn instruction(
        &self,
        id: FuncId,
        (block, index): (BlockId, usize),
        inst: &Inst,
        touched: &mut BTreeSet<Touched>,
        calls: &mut BTreeSet<FuncId>,
    ) {
        match &inst.kind {
            InstKind::Load { ptr, .. }
            | InstKind::Store { ptr, .. }
            | InstKind::Rmw { ptr, .. }
            | InstKind::CompareExchange { ptr, .. } => self.pointer(id, *ptr, touched),
            InstKind::MemCopy { dst, src, .. } | InstKind::VaCopy { dst, src } => {
                self.pointer(id, *dst, touched);
                self.pointer(id, *src, touched);
            }
            InstKind::MemSet { dst, .. } => self.pointer(id, *dst, touched),
            InstKind::VaStart { list } => self.pointer(id, *list, touched),
            InstKind::Alloca { .. } => {
                touched.insert(Touched::Rest);
            }
            InstKind::LifetimeStart { local } | InstKind::LifetimeEnd { local }
                if !(self.is_private)(id, *local) =>
            {
                touched.insert(Touched::Rest);
            }
            InstKind::Call { args, .. } => {
                for callee in self.callees(id, block, index) {
                    let function = &self.module.functions[callee];
                    if function.is_defined() {
                        calls.insert(callee);
                    } else if library::effect(&function.name)
                        .is_some_and(|effect| effect.reads | effect.writes != 0)
                    {
                        args.iter().for_each(|&arg| self.pointer(id, arg, touched));
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds what an operand may point to.
    fn pointer(&self, function: FuncId, operand: Operand, touched: &mut BTreeSet<Touched>) {
        for target in self.points_to.of_operand(function, operand) {
            let what = match self.points_to.targets().what(target.object) {
                Object::Function(_) => continue,
                Object::Local(owner, local) if (self.is_private)(owner, local) => continue,
                Object::Global(global) => match &self.module.globals[global] {
                    variable if variable.thread_local => Touched::Rest,
                    variable if variable.constant => continue,
                    _ => Touched::Global(global),
                },
                Object::Local(..) | Object::Allocated(..) | Object::Arguments(_) | Object::Library(_) => {
                    Touched::Rest
                }
            };
            touched.insert(what);
        }
    }

    fn callees(&self, id: FuncId, block: BlockId, index: usize) -> impl Iterator<Item = FuncId> + '_ {
        let place = Place {
            block: block.index() as u32,
            index: index as u32,
        };
        self.points_to.callees(id, place)
    }

    /// Whether an instruction is a call of a function without a body that has such a name.
    fn calls_any(
        &self,
        id: FuncId,
        block: BlockId,
        index: usize,
        inst: &Inst,
        is: impl Fn(&str) -> bool,
    ) -> bool {
        let named = |callee: FuncId| {
            let function = &self.module.functions[callee];
            !function.is_defined() && is(&function.name)
        };
        match &inst.kind {
            InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } => named(*callee),
            InstKind::Call { .. } => self.callees(id, block, index).any(named),
            _ => false,
        }
    }
}
