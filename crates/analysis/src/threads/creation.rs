//! Where threads are created, which functions they begin with, and which functions the library may
//! call at any time.

use super::KindId;
use crate::library::{self, Special};
use crate::pointsto::Object;
use crate::slice::Statement;
use crate::{Cfg, LoopForest, Place, PointsTo};
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{BlockId, FuncId, InstKind, Module, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// What creates threads and calls functions besides the calls of the program.
#[derive(Default)]
pub(super) struct Creation {
    /// The statements that create threads, and the functions that these may begin with.
    pub sites: BTreeMap<Statement, BTreeSet<FuncId>>,
    /// Functions that the library may call in any thread at any time: handlers of `atexit`,
    /// destructors of thread-specific data and of globals.
    pub loose: BTreeSet<FuncId>,
    /// Functions that a call runs in its own thread before it returns.
    pub runs: FxHashMap<Statement, Vec<FuncId>>,
    /// The statements of calls that may run a function, by function.
    pub callers: FxHashMap<FuncId, Vec<Statement>>,
    /// The functions that each function may call in its own thread.
    pub callees: FxHashMap<FuncId, BTreeSet<FuncId>>,
}

impl Creation {
    pub fn of(module: &Module, points_to: &PointsTo, first: &BTreeSet<FuncId>) -> Creation {
        let mut found = Creation::default();
        let by_library: BTreeSet<FuncId> = points_to.called_by_library().collect();
        let mut known: BTreeSet<FuncId> = first.clone();
        for (id, function) in module
            .functions
            .iter_ids()
            .filter(|(id, _)| points_to.may_run(*id))
        {
            let blocks = function.blocks.iter_ids();
            let insts = blocks.flat_map(|(block, what)| {
                let insts = what.insts.iter().enumerate();
                insts.map(move |(index, inst)| (block.index() as u32, index as u32, &inst.kind))
            });
            for (block, index, kind) in insts {
                let InstKind::Call { args, .. } = kind else {
                    continue;
                };
                let statement = (id, Place { block, index });
                for callee in points_to.callees(id, statement.1) {
                    found.call(statement, callee);
                    let called = &module.functions[callee];
                    let Some(effect) = library::effect(&called.name).filter(|_| !called.is_defined()) else {
                        continue;
                    };
                    // A pointer whose functions are not known may lead to all that the library
                    // calls.
                    let behind = |number: u8| {
                        let functions = args
                            .get(usize::from(number))
                            .map(|&o| functions(points_to, id, o));
                        functions.flatten().unwrap_or_else(|| by_library.clone())
                    };
                    match effect.special {
                        Special::Starts(start, _) => {
                            known.extend(behind(start));
                            found.sites.entry(statement).or_default().extend(behind(start));
                        }
                        Special::StartsState => {
                            let any = by_library.difference(first);
                            found.sites.entry(statement).or_default().extend(any);
                        }
                        Special::Calls(number) if called.name != "atexit" => {
                            for callee in behind(number) {
                                known.insert(callee);
                                found.runs.entry(statement).or_default().push(callee);
                                found.call(statement, callee);
                            }
                        }
                        Special::Calls(number)
                        | Special::CallsWith(number, _)
                        | Special::MakesKey(number) => {
                            found.loose.extend(behind(number));
                        }
                        _ => {}
                    }
                }
            }
        }
        // What is called in a way that is not told apart here, and destructors.
        let started: BTreeSet<FuncId> = found.sites.values().flatten().copied().collect();
        let other = by_library
            .iter()
            .filter(|f| !known.contains(f) && !started.contains(f));
        found.loose.extend(other);
        found.loose.extend(module.destructors.iter().copied());
        found
    }

    fn call(&mut self, statement: Statement, callee: FuncId) {
        self.callers.entry(callee).or_default().push(statement);
        self.callees.entry(statement.0).or_default().insert(callee);
    }

    /// The functions that a thread may run that begins with these.
    pub fn reached(&self, from: impl IntoIterator<Item = FuncId>) -> BTreeSet<FuncId> {
        let mut work: Vec<FuncId> = from.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(id) = work.pop() {
            if reached.insert(id) {
                work.extend(self.callees.get(&id).into_iter().flatten());
            }
        }
        reached
    }

    /// The functions that may be called more than once in an execution.
    pub fn repeated(&self, module: &Module, first: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
        let mut repeated: BTreeSet<FuncId> = self.loose.clone();
        let mut entries: FxHashMap<FuncId, Vec<Statement>> = self.callers.clone();
        for (&site, starts) in &self.sites {
            for &start in starts {
                entries.entry(start).or_default().push(site);
            }
        }
        let mut inner: FxHashMap<FuncId, LoopForest> = FxHashMap::default();
        for (&id, calls) in &entries {
            let twice = calls.len() + usize::from(first.contains(&id)) > 1;
            if twice || calls.iter().any(|&call| in_loop(module, call, &mut inner)) {
                repeated.insert(id);
            }
        }
        let mut work: Vec<FuncId> = repeated.iter().copied().collect();
        while let Some(id) = work.pop() {
            let started = self.sites.iter().filter(|(site, _)| site.0 == id);
            let started = started.flat_map(|(_, starts)| starts);
            let called = self.callees.get(&id).into_iter().flatten();
            for &next in called.chain(started) {
                if repeated.insert(next) {
                    work.push(next);
                }
            }
        }
        repeated
    }

    /// The kinds of threads that these functions may create themselves. `number`: of a site.
    pub fn created(
        &self,
        functions: &BTreeSet<FuncId>,
        number: &BTreeMap<Statement, KindId>,
    ) -> BTreeSet<KindId> {
        let sites = self.sites.keys().filter(|site| functions.contains(&site.0));
        sites.map(|site| number[site]).collect()
    }
}

/// Whether a statement lies in a loop of its function.
pub(super) fn in_loop(
    module: &Module,
    statement: Statement,
    known: &mut FxHashMap<FuncId, LoopForest>,
) -> bool {
    let forest = known.entry(statement.0).or_insert_with(|| {
        let function = &module.functions[statement.0];
        LoopForest::of(&Cfg::of(module, function, |_| false))
    });
    let block = BlockId::from_index(statement.1.block as usize);
    forest.innermost(block).is_some()
}

/// The functions that an operand points to; none if it may be anything.
fn functions(points_to: &PointsTo, id: FuncId, operand: Operand) -> Option<BTreeSet<FuncId>> {
    if points_to.is_wide(id, operand) {
        return None;
    }
    let targets = points_to.of_operand(id, operand).into_iter();
    let functions = targets.filter_map(|target| match points_to.targets().what(target.object) {
        Object::Function(function) => Some(function),
        _ => None,
    });
    Some(functions.collect())
}
