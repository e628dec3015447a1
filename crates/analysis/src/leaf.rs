//! Locks that cannot be part of a deadlock ("leaf locks"): whoever takes one does nothing that may
//! block, stop or act until it gives the lock back, in the same function.
//!
//! A class of locks is all that points-to sets do not tell apart. A class is a leaf if all of this
//! holds of each place where one of its locks is used:
//!
//! - it is taken by a plain lock and given back by an unlock of the same address, on each path,
//!   with no other lock between them; else it is only initialised (without attributes) or
//!   destroyed;
//! - what is done between them are computations, accesses to memory, calls of library functions
//!   that only work on memory ([`is_local`](crate::library::is_local)), and calls of functions that
//!   do no more than that; or the process ends there.
//!
//! So a thread that holds the lock gives it back, if its loops end and nothing faults. That its
//! section holds no scheduling point has to be seen when it runs.

use crate::address::{Address, Locals};
use crate::library;
use crate::slice::Statement;
use crate::{Cfg, Place, PointsTo};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, Module, Operand, Terminator};
use std::collections::BTreeSet;

/// The calls that use a class of leaf locks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct LeafClass {
    /// Those that take a lock or give it back.
    pub sections: BTreeSet<Statement>,
    /// Those that initialise or destroy one.
    pub lives: BTreeSet<Statement>,
}

impl LeafClass {
    /// All of them.
    pub fn calls(&self) -> impl Iterator<Item = Statement> {
        self.sections.iter().chain(&self.lives).copied()
    }
}

/// What a call does to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Takes,
    GivesBack,
    /// Initialises or destroys it.
    Begins,
}

fn use_by(name: &str, args: &[Operand]) -> Option<Use> {
    Some(match name {
        "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => Use::Takes,
        "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => Use::GivesBack,
        "pthread_mutex_destroy" | "mtx_destroy" | "pthread_spin_destroy" | "pthread_spin_init" => Use::Begins,
        "pthread_mutex_init" if matches!(args.get(1), Some(Operand::Const(0, _))) => Use::Begins,
        _ => return None,
    })
}

/// What holds before a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Held {
    Nothing,
    /// A lock whose address is each of these. Its class is refused if there is none.
    Lock {
        at: Statement,
        address: Vec<Address>,
    },
}

impl Held {
    /// What holds behind two paths; none if a lock is held behind one of them only.
    fn meet(&self, other: &Held) -> Option<Held> {
        match (self, other) {
            (Held::Nothing, Held::Nothing) => Some(Held::Nothing),
            (
                Held::Lock { at, address },
                Held::Lock {
                    at: as_well,
                    address: others,
                },
            ) if at == as_well => {
                let both = address.iter().filter(|form| others.contains(form));
                let address: Vec<Address> = both.cloned().collect();
                (!address.is_empty()).then_some(Held::Lock { at: *at, address })
            }
            _ => None,
        }
    }
}

/// All classes of leaf locks of a program.
pub fn leaf_locks(module: &Module, points_to: &PointsTo) -> Vec<LeafClass> {
    let mut locks = Locks {
        module,
        points_to,
        classes: Classes::default(),
        uses: FxHashMap::default(),
        refused: FxHashSet::default(),
        quiet: quiet(module, points_to),
    };
    let running = || {
        let all = module.functions.iter_ids();
        all.filter(|(id, f)| points_to.may_run(*id) && f.is_defined())
    };
    for (id, function) in running() {
        locks.collect(id, function);
    }
    for (id, function) in running() {
        locks.walk(id, function);
    }
    locks.leaves()
}

/// Objects by class.
#[derive(Default)]
struct Classes {
    parent: Vec<usize>,
    of_object: FxHashMap<u32, usize>,
}

impl Classes {
    fn of(&mut self, object: u32) -> usize {
        let next = self.parent.len();
        let class = *self.of_object.entry(object).or_insert(next);
        if class == next {
            self.parent.push(next);
        }
        self.root(class)
    }

    fn root(&self, mut class: usize) -> usize {
        while self.parent[class] != class {
            class = self.parent[class];
        }
        class
    }

    fn unite(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
        a.min(b)
    }
}

struct Locks<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    classes: Classes,
    /// Calls that take, give back, initialise or destroy: what they do, and to which class.
    uses: FxHashMap<Statement, (Use, usize)>,
    /// Classes of which something else happens; by any of their members.
    refused: FxHashSet<usize>,
    /// By function: whether it only computes and works on memory.
    quiet: Vec<bool>,
}

impl Locks<'_> {
    /// The class of all objects that an operand may point to; none if that is not known.
    fn class(&mut self, function: FuncId, operand: Operand) -> Option<usize> {
        let targets = self.points_to.of_operand(function, operand);
        let mut class = None;
        for target in targets {
            let one = self.classes.of(target.object.0);
            class = Some(class.map_or(one, |other| self.classes.unite(other, one)));
        }
        class
    }

    fn collect(&mut self, id: FuncId, function: &Function) {
        for (statement, callee, args) in calls(id, function) {
            let callees: Vec<FuncId> = self.points_to.callees(id, statement.1).collect();
            let direct = matches!(callee, Callee::Direct(_)) && callees.len() == 1;
            for &callee in &callees {
                let target = &self.module.functions[callee];
                if target.is_defined() || library::is_local(&target.name) {
                    continue;
                }
                let what = use_by(&target.name, args).filter(|_| direct);
                match (what, args.first()) {
                    (Some(what), Some(&lock)) => {
                        if let Some(class) = self.class(id, lock) {
                            self.uses.insert(statement, (what, class));
                        }
                    }
                    _ => self.refuse_all(id, args),
                }
            }
        }
    }

    /// Something else is done to what these point to.
    fn refuse_all(&mut self, id: FuncId, args: &[Operand]) {
        for &argument in args {
            if let Some(class) = self.class(id, argument) {
                self.refused.insert(class);
            }
        }
    }

    fn refuse(&mut self, statement: Statement) {
        if let Some(&(_, class)) = self.uses.get(&statement) {
            self.refused.insert(class);
        }
    }

    /// Follows which lock is held through a function.
    fn walk(&mut self, id: FuncId, function: &Function) {
        let uses_any = calls(id, function).any(|(statement, ..)| self.uses.contains_key(&statement));
        if !uses_any {
            return;
        }
        let locals = Locals::of(function);
        let cfg = Cfg::of(self.module, function, |_| false);
        let mut before: Vec<Option<Held>> = vec![None; function.blocks.len()];
        let mut work = vec![BlockId::from_index(0)];
        before[0] = Some(Held::Nothing);
        while let Some(block) = work.pop() {
            let Some(held) = before[block.index()].clone() else {
                continue;
            };
            let Some(after) = self.through(id, function, block, held, &locals) else {
                continue;
            };
            for next in cfg.successors(block) {
                match &before[next.index()] {
                    None => {
                        before[next.index()] = Some(after.clone());
                        work.push(next);
                    }
                    Some(other) if *other == after => {}
                    Some(other) => match other.meet(&after) {
                        Some(both) if both == *other => {}
                        Some(both) => {
                            before[next.index()] = Some(both);
                            work.push(next);
                        }
                        // Held on some paths only.
                        None => {
                            for held in [other.clone(), after.clone()] {
                                self.refuse_held(&held);
                            }
                        }
                    },
                }
            }
        }
    }

    fn refuse_held(&mut self, held: &Held) {
        if let Held::Lock { at, .. } = held {
            self.refuse(*at);
        }
    }

    /// What is held behind a block; none if nothing comes after it.
    fn through(
        &mut self,
        id: FuncId,
        function: &Function,
        block: BlockId,
        mut held: Held,
        locals: &Locals,
    ) -> Option<Held> {
        let what = &function.blocks[block];
        for (index, inst) in what.insts.iter().enumerate() {
            let place = Place {
                block: block.index() as u32,
                index: index as u32,
            };
            let statement = (id, place);
            match &inst.kind {
                InstKind::Call { args, .. } => {
                    let used = self.uses.get(&statement).map(|&(what, _)| what);
                    match (used, &held) {
                        (Some(Use::Takes), Held::Nothing) => {
                            let address = locals.forms(args[0], block, index);
                            match address.is_empty() {
                                true => self.refuse(statement),
                                false => {
                                    held = Held::Lock {
                                        at: statement,
                                        address,
                                    };
                                }
                            }
                        }
                        (Some(Use::GivesBack), Held::Lock { address, .. })
                            if locals
                                .forms(args[0], block, index)
                                .iter()
                                .any(|a| address.contains(a)) =>
                        {
                            held = Held::Nothing;
                        }
                        (Some(Use::Begins), Held::Nothing) => {}
                        (Some(_), _) => {
                            self.refuse(statement);
                            self.refuse_held(&held);
                        }
                        (None, Held::Lock { .. }) => match self.during(statement) {
                            During::Quiet => {}
                            During::Ends => return None,
                            During::Acts => self.refuse_held(&held),
                        },
                        (None, Held::Nothing) => {}
                    }
                }
                InstKind::Unsupported { .. } => self.refuse_held(&held),
                _ => {}
            }
            // The lock's address is computed once more where it is given back.
            if let Held::Lock { at, address } = &mut held {
                let at = *at;
                address.retain(|form| !locals.changes(&inst.kind, form));
                if address.is_empty() {
                    self.refuse(at);
                }
            }
        }
        match what.term {
            Terminator::Return(_)
            | Terminator::Unreachable
            | Terminator::Trap
            | Terminator::Indirect { .. } => {
                self.refuse_held(&held);
                None
            }
            _ => Some(held),
        }
    }

    /// What a call does that is no use of a lock of ours.
    fn during(&self, call: Statement) -> During {
        let callees: Vec<FuncId> = self.points_to.callees(call.0, call.1).collect();
        let ends = |f: &FuncId| {
            let function = &self.module.functions[*f];
            !function.is_defined() && library::ends_process(&function.name)
        };
        if !callees.is_empty() && callees.iter().all(ends) {
            return During::Ends;
        }
        match !callees.is_empty() && callees.iter().all(|f| self.quiet[f.index()]) {
            true => During::Quiet,
            false => During::Acts,
        }
    }

    fn leaves(self) -> Vec<LeafClass> {
        let refused: FxHashSet<usize> = self.refused.iter().map(|&c| self.classes.root(c)).collect();
        let mut classes: FxHashMap<usize, LeafClass> = FxHashMap::default();
        for (&statement, &(what, class)) in &self.uses {
            let root = self.classes.root(class);
            if refused.contains(&root) {
                continue;
            }
            let class = classes.entry(root).or_default();
            match what {
                Use::Begins => class.lives.insert(statement),
                Use::Takes | Use::GivesBack => class.sections.insert(statement),
            };
        }
        let mut classes: Vec<LeafClass> = classes.into_values().collect();
        classes.sort_unstable();
        classes
    }
}

/// What a call does while a lock is held.
enum During {
    /// It works on memory, and comes back.
    Quiet,
    /// It ends the process.
    Ends,
    /// Anything else.
    Acts,
}

/// The functions that only compute and work on memory, and come back.
fn quiet(module: &Module, points_to: &PointsTo) -> Vec<bool> {
    let mut quiet: Vec<bool> = module
        .functions
        .iter()
        .map(|f| f.is_defined() || library::is_local(&f.name))
        .collect();
    for (id, function) in module.functions.iter_ids() {
        let leaves = function.blocks.iter().any(|block| {
            matches!(block.term, Terminator::Unreachable | Terminator::Trap)
                || block
                    .insts
                    .iter()
                    .any(|inst| matches!(inst.kind, InstKind::Unsupported { .. }))
        });
        if leaves || function.name.starts_with("__VERIFIER_atomic_") {
            quiet[id.index()] = false;
        }
    }
    loop {
        let mut changed = false;
        for (id, function) in module.functions.iter_ids() {
            if !quiet[id.index()] || !function.is_defined() {
                continue;
            }
            let acts = calls(id, function).any(|(statement, ..)| {
                let mut callees = points_to.callees(id, statement.1).peekable();
                callees.peek().is_none() || callees.any(|f| !quiet[f.index()])
            });
            if acts {
                quiet[id.index()] = false;
                changed = true;
            }
        }
        if !changed {
            return quiet;
        }
    }
}

/// All calls of a function.
fn calls(id: FuncId, function: &Function) -> impl Iterator<Item = (Statement, Callee, &[Operand])> {
    function.blocks.iter_ids().flat_map(move |(block, what)| {
        what.insts
            .iter()
            .enumerate()
            .filter_map(move |(index, inst)| match &inst.kind {
                InstKind::Call { callee, args, .. } => {
                    let place = Place {
                        block: block.index() as u32,
                        index: index as u32,
                    };
                    Some(((id, place), *callee, &args[..]))
                }
                _ => None,
            })
    })
}
