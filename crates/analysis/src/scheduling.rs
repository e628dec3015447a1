//! Whether the order of threads can affect an assertion at all (docs/analysis.md).
//!
//! It cannot if each read of the assertion's slice sees the same write in all schedules, and the
//! slice asks for nothing else that threads share. A read sees the same write if none of the
//! statements that may write what it reads runs in parallel with it or with another one of them
//! ([`Threads`]). Then creations and joins order all of them and the read; and which of them are
//! executed, with which values, is decided by the slice, for which the same holds. Locks do not
//! order anything here.
//!
//! The slice assumes that calls return and loops end ([`Ending::Excluded`]). So the result is about
//! the assertion *when it is reached*. The result "it can" means only that it is possible.

use crate::essential::NoSlice;
use crate::library::{self, Special};
use crate::pointsto::{Object, ObjectId};
use crate::slice::{Callers, Ending, Slicer, Statement};
use crate::threads::{Meetings, Threads};
use crate::{Place, PointsTo};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, Module, Operand, Terminator};
use std::collections::BTreeSet;
use std::rc::Rc;

/// One assertion of a program, by the statement that fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Assertion {
    /// The call that reports the failure.
    pub stmt: StmtId,
    /// True if the order of threads may decide whether it fails.
    pub by_order: bool,
}

/// All assertions that a program may reach from its entry, in the order of their statements.
///
/// # Errors
/// If the program does something that slices do not support.
pub fn assertions(
    module: &Module,
    points_to: &PointsTo,
    entry: Option<FuncId>,
) -> Result<Vec<Assertion>, NoSlice> {
    if let Some(unknown) = points_to.unknown().next() {
        let name = &module.functions[unknown].name;
        return Err(NoSlice(format!("it is not known what {name} does")));
    }
    let meetings = Rc::new(Meetings::of(Threads::of(module, points_to, entry)));
    let mut slicer = Slicer::new(module, points_to, Ending::Excluded, Callers::ToldApart);
    let parallel = Rc::clone(&meetings);
    slicer.with_strong_updates(move |one, other| parallel.may_meet(one, other));
    let mut order = Order {
        module,
        points_to,
        slicer,
        shared: shared(module, points_to),
        meetings,
    };
    let mut found = Vec::new();
    for (id, function) in module.functions.iter_ids() {
        if !points_to.may_run(id) {
            continue;
        }
        for (statement, inst) in statements(id, function) {
            let InstKind::Call { .. } = inst.1 else { continue };
            let mut callees = points_to.callees(id, statement.1);
            if callees.any(|f| fails(&module.functions[f].name)) {
                let by_order = order.decides(statement);
                found.push(Assertion {
                    stmt: inst.0,
                    by_order,
                });
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Functions that report a failed assertion, or are an assertion.
fn fails(name: &str) -> bool {
    matches!(
        name,
        "__assert_fail"
            | "__assert"
            | "__assert_perror_fail"
            | "reach_error"
            | "__VERIFIER_error"
            | "__VERIFIER_assert"
            | "__CPROVER_assert"
    )
}

struct Order<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    slicer: Slicer<'a>,
    /// Objects that more than one thread may reach.
    shared: FxHashSet<ObjectId>,
    meetings: Rc<Meetings<'a>>,
}

/// If more statements may write what a statement reads, the order of threads may matter.
const MOST_WRITERS: usize = 200;

impl<'a> Order<'a> {
    fn decides(&mut self, assertion: Statement) -> bool {
        let slice = self.slicer.of([assertion]);
        let mut others = slice.keys().filter(|&&statement| statement != assertion);
        others.any(|&statement| self.depends(statement))
    }

    fn kind(&self, statement: Statement) -> Option<&'a InstKind> {
        let block = BlockId::from_index(statement.1.block as usize);
        let insts = &self.module.functions[statement.0].blocks[block].insts;
        insts.get(statement.1.index as usize).map(|inst| &inst.kind)
    }

    /// True if the value of a statement in a slice may itself depend on the order of threads.
    fn depends(&mut self, statement: Statement) -> bool {
        let Some(kind) = self.kind(statement) else {
            return false;
        };
        match kind {
            InstKind::Unsupported { .. } => return true,
            InstKind::Call { .. } => {
                let mut callees = self.points_to.callees(statement.0, statement.1).peekable();
                if callees.peek().is_none() || callees.any(|f| self.asks_threads(f)) {
                    return true;
                }
            }
            _ => {}
        }
        let mut writers: BTreeSet<(ObjectId, Statement)> = BTreeSet::new();
        self.slicer.any_writer(statement, kind, |object, writer| {
            if self.shared.contains(&object) {
                writers.insert((object, writer));
            }
            writers.len() > MOST_WRITERS
        }) || self.meet(statement, &writers)
    }

    /// True if the statements that may write what a statement reads may run in parallel with it or
    /// with each other.
    fn meet(&self, reader: Statement, writers: &BTreeSet<(ObjectId, Statement)>) -> bool {
        let meet = |one: Statement, other: Statement| self.meetings.may_meet(one, other);
        writers.iter().any(|&(object, writer)| {
            let mut same = writers.iter().filter(|(of, _)| *of == object);
            meet(writer, reader) || same.any(|&(_, other)| meet(writer, other))
        })
    }

    /// True if the result of a function may depend on other threads, apart from memory. The
    /// argument with which a thread is started does not.
    fn asks_threads(&self, callee: FuncId) -> bool {
        let function = &self.module.functions[callee];
        let name = function.name.as_str();
        if selvedge_ir::returns_twice(name) || name.starts_with("__VERIFIER_atomic_") {
            return true;
        }
        if function.is_defined() || fails(name) {
            return false;
        }
        let starts = library::effect(name)
            .is_some_and(|effect| matches!(effect.special, Special::Starts(..) | Special::StartsState));
        let names_threads = matches!(name, "pthread_self" | "thrd_current");
        !starts && (names_threads || !library::is_local(name))
    }
}

/// The objects that more than one thread may reach: all objects except local variables whose
/// addresses are stored only in such variables, and passed only to functions of the program.
fn shared(module: &Module, points_to: &PointsTo) -> FxHashSet<ObjectId> {
    let targets = points_to.targets();
    let local = |object: ObjectId| matches!(targets.what(object), Object::Local(..));
    let mut work: Vec<ObjectId> = targets.iter().map(|(id, _)| id).filter(|&o| !local(o)).collect();
    // For each object, the objects that are reachable if it is.
    let mut holds: FxHashMap<ObjectId, Vec<ObjectId>> = FxHashMap::default();
    let objects = |function: FuncId, operand: Operand| {
        let targets = points_to.of_operand(function, operand);
        targets.into_iter().map(|target| target.object)
    };
    let from_outside: FxHashSet<FuncId> = points_to.called_by_library().collect();
    for (id, function) in module
        .functions
        .iter_ids()
        .filter(|(id, _)| points_to.may_run(*id))
    {
        for (statement, (_, kind)) in statements(id, function) {
            let mut holding = |holder: Operand, held: Operand| {
                for holder in objects(id, holder) {
                    holds.entry(holder).or_default().extend(objects(id, held));
                }
            };
            match kind {
                InstKind::Store { ptr, value, .. } | InstKind::Rmw { ptr, value, .. } => {
                    holding(*ptr, *value);
                }
                InstKind::CompareExchange { ptr, new, .. } => holding(*ptr, *new),
                InstKind::MemCopy { dst, src, .. } | InstKind::VaCopy { dst, src } => {
                    holding(*dst, *src);
                }
                InstKind::Call { callee, args, .. } => {
                    let mut callees = points_to.callees(id, statement.1).peekable();
                    let kept = |f: FuncId| {
                        let callee = &module.functions[f];
                        callee.is_defined() && !callee.varargs
                    };
                    let known = callees.peek().is_some() && callees.all(kept);
                    let indirect = matches!(callee, Callee::Indirect(_));
                    if !known || indirect {
                        work.extend(args.iter().flat_map(|&argument| objects(id, argument)));
                    }
                }
                InstKind::VaStart { .. } | InstKind::Unsupported { .. } => {
                    kind.for_each_operand(|operand| work.extend(objects(id, operand)));
                }
                _ => {}
            }
        }
        if from_outside.contains(&id) {
            for block in function.blocks.iter() {
                if let Terminator::Return(values) = &block.term {
                    work.extend(values.iter().flat_map(|&value| objects(id, value)));
                }
            }
        }
    }
    let mut shared = FxHashSet::default();
    while let Some(object) = work.pop() {
        if shared.insert(object) {
            work.extend(holds.get(&object).into_iter().flatten());
        }
    }
    shared
}

/// All instructions of a function, with their statements.
fn statements(id: FuncId, function: &Function) -> impl Iterator<Item = (Statement, (StmtId, &InstKind))> {
    function.blocks.iter_ids().flat_map(move |(block, what)| {
        what.insts.iter().enumerate().map(move |(index, inst)| {
            let place = Place {
                block: block.index() as u32,
                index: index as u32,
            };
            ((id, place), (inst.stmt, &inst.kind))
        })
    })
}
