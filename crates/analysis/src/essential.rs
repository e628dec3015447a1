//! What the explorations of predicate dependence keep exact (Kusano and Wang, ASE 2014, there
//! "essential statements"; docs/algorithms.md, "Predicate dependence"): the slice of everything
//! that can fail an assertion, act on what threads share beside memory, block, or end.
//!
//! The slice takes for granted that calls come back and loops end ([`Ending::Excluded`]). The first
//! is right since each statement that may not come back is essential itself. Whether loops end is
//! to be seen in each execution; where threads that wait in loops for ever are asked for
//! ([`Waits::Matter`]), what decides about the ends of loops is essential, too.

use crate::cfg::{Cfg, LoopForest};
use crate::leaf::{LeafClass, leaf_locks};
use crate::library::{self, Special};
use crate::rounds::counts;
use crate::slice::{Callers, Criterion, Ending, Slice, Slicer, Statement};
use crate::unreached::never_reached;
use crate::{Place, Pointers, PointsTo};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, Module, Operand, Terminator};
use std::collections::BTreeSet;

/// Why there is no slice, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSlice(pub String);

/// Whether locks that cannot be part of a deadlock are left out, if what they guard matters to
/// nothing ([`mod@crate::leaf`]). That they are used rightly is taken for granted then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafLocks {
    /// They matter like all others.
    Matter,
    /// They are left out.
    LeftOut,
}

/// Whether names are kept exact that later steps get: the addresses of objects and the numbers of
/// inputs. An address that a statement outside the slice takes shifts those of later objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// Each execution may have its own.
    PerExecution,
    /// Whatever takes a name matters as an action: whether it is executed, and with which size.
    /// Explorers that compare events or states of different executions need that.
    Exact,
}

/// Whether it matters that a loop ends which observes memory: a thread that waits in a loop for
/// ever is a finding of the property `deadlock`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waits {
    /// What decides that loops are left is in the slice.
    Matter,
    /// Loops are taken to end.
    LeftOut,
}

/// What a slice is made for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Purpose {
    /// Statements that matter, whatever else follows from the program. A lock that one of them
    /// takes is not left out.
    pub also: BTreeSet<StmtId>,
    /// Whether locks that can be no part of a deadlock are left out.
    pub leaf: LeafLocks,
    /// Whether names are the same in all executions.
    pub names: Names,
    /// Whether it matters that loops end.
    pub waits: Waits,
}

/// What matters, as the machine is told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Essentials {
    /// The statements whose accesses to memory can matter to an assertion, to synchronisation or to
    /// what else threads share: whether one of them happens, on which object, and with which value.
    /// Those of the model library are all among them.
    pub accesses: BTreeSet<StmtId>,
    /// The statements that take and give back the locks that are left out.
    pub locks: BTreeSet<StmtId>,
}

/// What matters in a program.
///
/// # Errors
/// If the program does what slices do not follow.
pub fn essentials(module: &Module, points_to: &PointsTo, purpose: &Purpose) -> Result<Essentials, NoSlice> {
    let also = &purpose.also;
    let unknown: Vec<&str> = points_to
        .unknown()
        .map(|f| module.functions[f].name.as_str())
        .collect();
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        return Err(NoSlice(format!(
            "it is not known what these functions do: {names}"
        )));
    }
    let classes = match purpose.leaf {
        LeafLocks::Matter => Vec::new(),
        LeafLocks::LeftOut => leaf_locks(module, points_to),
    };
    let matters = |class: &LeafClass| class.calls().any(|at| also.contains(&stmt(module, at)));
    let (mut locks, mut lives) = (BTreeSet::new(), BTreeSet::new());
    for class in classes.iter().filter(|class| !matters(class)) {
        locks.extend(&class.sections);
        lives.extend(&class.lives);
    }
    let mut essential = Essential {
        locks: &locks,
        lives: &lives,
        module,
        points_to,
        names: purpose.names,
        waits: purpose.waits,
        only_standard_files: only_standard_files(module, points_to),
        criterion: Criterion::default(),
    };
    for (id, function) in module.functions.iter_ids() {
        if points_to.may_run(id) && function.is_defined() {
            essential.function(id, function, also)?;
        }
    }
    let slice =
        Slicer::new(module, points_to, Ending::Excluded, Callers::Merged).of_criterion(&essential.criterion);
    let accesses = accesses(module, points_to, &slice);
    let locks = locks.iter().map(|&at| stmt(module, at)).collect();
    Ok(Essentials { accesses, locks })
}

/// The statements of a slice, and those of the model library.
pub(crate) fn accesses(module: &Module, points_to: &PointsTo, slice: &Slice) -> BTreeSet<StmtId> {
    let mut accesses: BTreeSet<StmtId> = slice.keys().map(|&at| stmt(module, at)).collect();
    // The bodies of models are called in place of functions that the slice knows as such.
    let models = module.functions.iter_ids();
    for (id, function) in models.filter(|(id, f)| !points_to.may_run(*id) || is_model(f)) {
        for (block, what) in function.blocks.iter_ids() {
            accesses.extend((0..=what.insts.len()).map(|index| stmt(module, at(id, block, index))));
        }
    }
    accesses
}

/// Whether an instruction may get a value that another thread has written.
fn observes(kind: &InstKind) -> bool {
    use InstKind as K;
    matches!(
        kind,
        K::Load { .. } | K::Rmw { .. } | K::CompareExchange { .. } | K::Call { .. }
    )
}

/// Whether a function stands for one of the C library.
fn is_model(function: &Function) -> bool {
    function.library && function.name.starts_with("__selvedge_")
}

fn at(function: FuncId, block: BlockId, index: usize) -> Statement {
    let place = Place {
        block: block.index() as u32,
        index: index as u32,
    };
    (function, place)
}

fn stmt(module: &Module, (function, place): Statement) -> StmtId {
    let block = &module.functions[function].blocks[BlockId::from_index(place.block as usize)];
    let inst = block.insts.get(place.index as usize);
    inst.map_or(block.term_stmt, |inst| inst.stmt)
}

/// Whether no file and no pipe is opened, so that what is written is never read.
fn only_standard_files(module: &Module, points_to: &PointsTo) -> bool {
    let mut named = module
        .functions
        .iter_ids()
        .filter(|(id, f)| points_to.may_run(*id) && !f.is_defined() && library::makes_descriptors(&f.name));
    named.next().is_none()
}

/// Collects what is essential.
struct Essential<'a> {
    /// Calls that matter to nothing: they take and give back locks that are left out.
    locks: &'a BTreeSet<Statement>,
    /// Calls that initialise and destroy these locks. What they find there matters to nothing.
    lives: &'a BTreeSet<Statement>,
    module: &'a Module,
    points_to: &'a PointsTo,
    names: Names,
    waits: Waits,
    only_standard_files: bool,
    criterion: Criterion,
}

impl Essential<'_> {
    fn function(&mut self, id: FuncId, function: &Function, also: &BTreeSet<StmtId>) -> Result<(), NoSlice> {
        let cfg = Cfg::of(self.module, function, |_| false);
        let reached = cfg.reachable();
        let never = never_reached(function, &cfg);
        if self.names == Names::Exact && !function.locals.is_empty() {
            // Its objects get their addresses where it begins.
            self.criterion.executed.push(at(id, BlockId::from_index(0), 0));
        }
        let pointers = Pointers::of(self.module, self.points_to, id);
        for (block, what) in function.blocks.iter_ids().filter(|(b, _)| reached[b.index()]) {
            for (index, inst) in what.insts.iter().enumerate() {
                let statement = at(id, block, index);
                for pointer in pointers.of_instruction(statement.1, &inst.kind) {
                    if self.points_to.is_number(id, pointer) {
                        self.action(statement, &[pointer]);
                    }
                }
                if also.contains(&inst.stmt) {
                    self.criterion.whole.push(statement);
                }
                match &inst.kind {
                    InstKind::Call { callee, args, .. } => self.call(statement, *callee, args)?,
                    InstKind::Unsupported { .. } => self.criterion.whole.push(statement),
                    InstKind::Alloca { size, .. } if self.names == Names::Exact => {
                        self.action(statement, &[*size]);
                    }
                    InstKind::LifetimeStart { .. }
                    | InstKind::LifetimeEnd { .. }
                    | InstKind::StackSave { .. }
                    | InstKind::StackRestore { .. }
                        if self.names == Names::Exact =>
                    {
                        self.criterion.executed.push(statement);
                    }
                    _ => {}
                }
            }
            let ends = match what.term {
                Terminator::Unreachable => !never.contains(&block),
                Terminator::Trap => true,
                _ => false,
            };
            if ends || also.contains(&what.term_stmt) {
                self.criterion.whole.push(at(id, block, what.insts.len()));
            }
        }
        if self.waits == Waits::Matter {
            self.waits(id, function, &cfg);
        }
        Ok(())
    }

    /// The branches that leave loops in which something is observed. A loop that neither reads
    /// memory nor calls anything waits for nobody. One that [counts](counts) does more than wait:
    /// it is taken to end, as all other code outside the slice is.
    fn waits(&mut self, id: FuncId, function: &Function, cfg: &Cfg) {
        for each in LoopForest::of(cfg).iter() {
            if counts(function, each) {
                continue;
            }
            let blocks = each.blocks.iter().map(|&block| (block, &function.blocks[block]));
            if !blocks
                .clone()
                .any(|(_, what)| what.insts.iter().any(|inst| observes(&inst.kind)))
            {
                continue;
            }
            let inside = |block: BlockId| each.blocks.binary_search(&block).is_ok();
            for (block, what) in blocks {
                if cfg.successors(block).into_iter().any(|next| !inside(next)) {
                    self.criterion.whole.push(at(id, block, what.insts.len()));
                }
            }
        }
    }

    fn call(&mut self, statement: Statement, callee: Callee, args: &[Operand]) -> Result<(), NoSlice> {
        if self.locks.contains(&statement) {
            return Ok(());
        }
        let callees: Vec<FuncId> = self.points_to.callees(statement.0, statement.1).collect();
        if callees.is_empty() {
            // It calls what is no function, or nothing is known of it.
            self.criterion.whole.push(statement);
        }
        for callee in callees {
            let function = &self.module.functions[callee];
            let name = function.name.as_str();
            if matches!(name, "reach_error" | "__VERIFIER_error") || name.starts_with("__VERIFIER_atomic_") {
                self.criterion.whole.push(statement);
            }
            if function.is_defined() {
                if self.names == Names::Exact && function.varargs {
                    // The variable arguments are an object.
                    self.criterion.executed.push(statement);
                }
                continue;
            }
            if selvedge_ir::returns_twice(name) {
                return Err(NoSlice(format!("{name} may return twice")));
            }
            if self.names == Names::Exact && !self.takes_no_name(name) {
                self.criterion.whole.push(statement);
                continue;
            }
            if library::is_local(name) {
                continue;
            }
            let Some(effect) = library::effect(name) else {
                // Without a model, too: the verdict is unknown where it is called.
                self.criterion.whole.push(statement);
                continue;
            };
            match effect.special {
                // What the other thread gave matters only where it is used.
                Special::Joins(_) => self.action(statement, args),
                // Rightly used, the lock is free then; what had been done to it does not matter.
                _ if self.lives.contains(&statement) => self.action(statement, args),
                Special::Prints if self.only_standard_files => self.criterion.executed.push(statement),
                _ => self.criterion.whole.push(statement),
            }
        }
        if let Callee::Indirect(address) = callee {
            self.criterion.operands.push((statement, address));
        }
        Ok(())
    }

    /// Whether a library function makes no object and no input, whatever it finds. Others may make
    /// the thread's `errno`, or run a body of the model library, which has local variables.
    fn takes_no_name(&self, name: &str) -> bool {
        let model = format!("__selvedge_{name}");
        (library::only_touches(name) || self.acts(name)) && self.module.function(&model).is_none()
    }

    /// Whether a function has a rule of its own below, and makes no object and no input.
    fn acts(&self, name: &str) -> bool {
        library::effect(name).is_some_and(|effect| matches!(effect.special, Special::Joins(_)))
            || name.starts_with("pthread_mutex_")
    }

    /// A call that is an action whatever it finds in memory: it matters whether it is executed, and
    /// on what.
    fn action(&mut self, statement: Statement, args: &[Operand]) {
        self.criterion.executed.push(statement);
        let operands = args.iter().map(|&argument| (statement, argument));
        self.criterion.operands.extend(operands);
    }
}
