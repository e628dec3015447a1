//! Joins that surely wait for all threads of a kind that may be alive.
//!
//! The creation stores each handle in a cell of its own, a variable or an element of an array that
//! nothing else writes, and the joins read all these cells:
//!
//! - *one cell*: a thread is created, and the handle in that cell is joined;
//! - *many cells*: a loop that counts creates threads, with the handles in the elements that its
//!   index numbers, and a loop that counts over the same elements, or more, joins one in each
//!   iteration. When that loop ends at its bound, all are joined.
//!
//! The cell is a local variable of the function that creates and joins, so it belongs to the call
//! at hand, or a global variable if the first thread alone creates and joins. That no thread of the
//! kind is alive when the creation begins is checked by the caller ([`Joins::begins`]): a handle
//! that is overwritten would be lost. So no thread is created within the loop that joins, either:
//! it would be alive in the next iteration.
//!
//! The machine ends an execution with a fault where a join is wrong (of a thread that is joined,
//! detached, or none), so a join that returns has joined. That a cell has no other writer rests on
//! points-to sets with their assumptions.

use super::counted::{Code, Counted, block};
use super::{Begin, FIRST, Kind, KindId};
use crate::pointsto::{Object, Offset};
use crate::slice::{Callers, Ending, Slicer, Statement};
use crate::{Place, PointsTo};
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, FuncId, GlobalId, InstKind, LocalId, Module, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// A join of all threads of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Join {
    pub kind: KindId,
    /// The call.
    pub statement: Statement,
    /// All are joined when control goes along this edge; none: when the call returns.
    pub along: Option<(BlockId, BlockId)>,
}

/// The joins of a program.
#[derive(Default)]
pub(super) struct Joins {
    pub found: Vec<Join>,
    /// By kind: the statements from which control enters its creation. No thread of the kind may be
    /// alive there.
    pub begins: BTreeMap<KindId, Vec<Begin>>,
}

/// A variable with handles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variable {
    Own(LocalId),
    Global(GlobalId),
}

/// Cells in a variable at a regular distance, and the loop that runs over them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cells {
    variable: Variable,
    /// In bytes.
    offset: i64,
    stride: i64,
    counted: Option<Counted>,
}

/// The size of a handle in bytes.
const HANDLE: u64 = 8;

impl Cells {
    /// Where they begin, in bytes.
    fn offsets(&self) -> BTreeSet<i64> {
        match &self.counted {
            None => BTreeSet::from([self.offset]),
            Some(counted) => {
                let indices = counted.range.clone();
                indices.map(|index| self.offset + index * self.stride).collect()
            }
        }
    }
}

/// More cells are not looked at one by one.
const MOST: usize = 4096;

struct Search<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    codes: FxHashMap<FuncId, Code<'a>>,
    slicer: Slicer<'a>,
}

impl Joins {
    /// The joins of all kinds.
    pub fn of(module: &Module, points_to: &PointsTo, kinds: &[Kind], loose: &BTreeSet<FuncId>) -> Joins {
        let mut search = Search {
            module,
            points_to,
            codes: FxHashMap::default(),
            slicer: Slicer::new(module, points_to, Ending::Excluded, Callers::Merged),
        };
        let executors = |statement: Statement| -> Option<KindId> {
            let mut by = super::ids()
                .zip(kinds)
                .filter(|(_, kind)| kind.runs.contains(&statement.0));
            let one = by.next()?.0;
            (by.next().is_none() && !loose.contains(&statement.0)).then_some(one)
        };
        let joined = search.joined(kinds);
        let mut joins = Joins::default();
        for (id, kind) in super::ids().zip(kinds) {
            let Some(site) = kind.site else { continue };
            let Some(by) = executors(site) else { continue };
            let Some(cells) = search.created(site) else {
                continue;
            };
            if !search.are_written_only_by(site, &cells) {
                continue;
            }
            let wanted = cells.offsets();
            for (statement, read) in &joined {
                let own = matches!(cells.variable, Variable::Own(_)) && statement.0 == site.0;
                let whose = own || matches!(cells.variable, Variable::Global(_)) && by == FIRST;
                let fits = read.variable == cells.variable && wanted.is_subset(&read.offsets());
                if !whose || !fits || executors(*statement) != Some(by) {
                    continue;
                }
                let ends = |counted: &Counted| (counted.header, counted.after);
                let along = read.counted.as_ref().map(ends);
                joins.found.push(Join {
                    kind: id,
                    statement: *statement,
                    along,
                });
            }
            let begin = search.begin(site, &cells);
            joins.begins.entry(id).or_default().push(begin);
        }
        joins
    }
}

impl<'a> Search<'a> {
    fn code(&mut self, id: FuncId) -> &Code<'a> {
        let module = self.module;
        self.codes.entry(id).or_insert_with(|| Code::of(module, id))
    }

    /// The cells in which a creation stores handles. A loop is given only if it has the creation at
    /// most once in each iteration.
    fn created(&mut self, site: Statement) -> Option<Cells> {
        let code = self.code(site.0);
        let InstKind::Call { args, callee, .. } = code.kind(site.1).filter(|_| !code.lands)? else {
            return None;
        };
        let (&Callee::Direct(callee), &handle) = (callee, args.first()?) else {
            return None;
        };
        let name = self.module.functions[callee].name.as_str();
        if !matches!(name, "pthread_create" | "thrd_create") {
            return None;
        }
        let code = self.code(site.0);
        let cells = cells(code, site.1, handle)?;
        let once = cells.counted.as_ref().is_none_or(|counted| {
            let innermost = code
                .loops
                .innermost(block(site.1))
                .map(|id| &code.loops.get(id).headers);
            innermost.is_some_and(|headers| headers.as_slice() == [counted.header])
        });
        (once && is_small(&cells)).then_some(cells)
    }

    /// All joins whose handle comes from known cells, with these.
    fn joined(&mut self, kinds: &[Kind]) -> Vec<(Statement, Cells)> {
        let functions: BTreeSet<FuncId> = kinds.iter().flat_map(|kind| &kind.runs).copied().collect();
        let mut found = Vec::new();
        for id in functions
            .into_iter()
            .filter(|&f| self.module.functions[f].is_defined())
        {
            let function = &self.module.functions[id];
            for (number, what) in function.blocks.iter_ids() {
                for (index, inst) in what.insts.iter().enumerate() {
                    let InstKind::Call { callee, args, .. } = &inst.kind else {
                        continue;
                    };
                    let (&Callee::Direct(callee), Some(&handle)) = (callee, args.first()) else {
                        continue;
                    };
                    let name = self.module.functions[callee].name.as_str();
                    let place = Place {
                        block: number.index() as u32,
                        index: index as u32,
                    };
                    if matches!(name, "pthread_join" | "thrd_join")
                        && let Some(cells) = self.read(id, place, handle)
                    {
                        found.push(((id, place), cells));
                    }
                }
            }
        }
        found
    }

    /// The cells from which a join has its handle: it is read just before in the same block. A loop
    /// is given only if each of its iterations has the join.
    fn read(&mut self, id: FuncId, join: Place, handle: Operand) -> Option<Cells> {
        let code = self.code(id);
        let Operand::Reg(handle) = handle else { return None };
        let loaded = code.definition(join, handle).filter(|_| !code.lands)?;
        let Some(InstKind::Load { ptr, .. }) = code.kind(loaded) else {
            return None;
        };
        let insts = &code.function.blocks[block(join)].insts;
        let between = loaded.index as usize..join.index as usize;
        let near = loaded.block == join.block && loaded.index < join.index;
        if !near
            || insts[between]
                .iter()
                .any(|inst| matches!(inst.kind, InstKind::Call { .. }))
        {
            return None;
        }
        let cells = cells(code, loaded, *ptr)?;
        let each = cells
            .counted
            .as_ref()
            .is_none_or(|counted| code.once_per_iteration(counted.header, &counted.blocks, block(join)));
        (each && is_small(&cells)).then_some(cells)
    }

    /// Whether nothing but the creation writes the cells.
    fn are_written_only_by(&self, site: Statement, cells: &Cells) -> bool {
        let object = match cells.variable {
            Variable::Own(local) => Object::Local(site.0, local),
            Variable::Global(global) => Object::Global(global),
        };
        let Some(object) = self.points_to.targets().find(object) else {
            return false;
        };
        cells.offsets().into_iter().all(|at| {
            let at = Offset::exact(at);
            let writers = self.slicer.writers(object, at, HANDLE);
            writers.into_iter().all(|writer| {
                writer == site
                    || self.handle_of(writer).is_some_and(|handles| {
                        let mut handles = handles.into_iter().filter(|target| target.object == object);
                        handles.all(|target| !target.offset.overlaps(Some(HANDLE), at, Some(HANDLE)))
                    })
            })
        })
    }

    /// If a statement creates a thread, where it stores the handle, and nothing else.
    fn handle_of(&self, writer: Statement) -> Option<Vec<crate::pointsto::Target>> {
        let block = &self.module.functions[writer.0].blocks[block(writer.1)];
        let InstKind::Call { args, .. } = &block.insts.get(writer.1.index as usize)?.kind else {
            return None;
        };
        let handle = *args.first()?;
        let mut callees = self.points_to.callees(writer.0, writer.1);
        let creates = |f: FuncId| {
            let function = &self.module.functions[f];
            !function.is_defined() && matches!(function.name.as_str(), "pthread_create" | "thrd_create")
        };
        let known = !self.points_to.is_wide(writer.0, handle) && callees.all(creates);
        known.then(|| self.points_to.of_operand(writer.0, handle))
    }

    /// From where control enters the creation.
    fn begin(&mut self, site: Statement, cells: &Cells) -> Begin {
        let Some(counted) = &cells.counted else {
            return vec![site];
        };
        let code = self.code(site.0);
        let before = code.cfg.predecessors(counted.header).into_iter();
        let outside = before.filter(|block| !counted.blocks.contains(block));
        let ends = outside.map(|from| {
            let end = Place {
                block: from.index() as u32,
                index: code.function.blocks[from].insts.len() as u32,
            };
            (site.0, end)
        });
        ends.collect()
    }
}

fn is_small(cells: &Cells) -> bool {
    let count = cells
        .counted
        .as_ref()
        .map_or(1, |counted| counted.range.clone().count());
    let apart = cells.counted.is_none() || cells.stride.unsigned_abs() >= HANDLE;
    count <= MOST && apart
}

/// The cells that an address may be at a place. Those of a loop have the index of the iteration at
/// hand.
fn cells(code: &Code<'_>, at: Place, address: Operand) -> Option<Cells> {
    let register = match address {
        Operand::Global(global, offset) => return Some(one(Variable::Global(global), offset)),
        Operand::Reg(register) => register,
        _ => return None,
    };
    let place = code.definition(at, register)?;
    match code.kind(place)? {
        InstKind::LocalAddr { local, .. } => Some(one(Variable::Own(*local), 0)),
        InstKind::Copy { value, .. } => cells(code, place, *value).filter(|cells| cells.counted.is_none()),
        InstKind::Gep {
            base, offset, terms, ..
        } => {
            let mut cells = cells(code, place, *base).filter(|cells| cells.counted.is_none())?;
            cells.offset += offset;
            for term in terms {
                match term.index {
                    Operand::Const(index, _) => {
                        cells.offset += i64::try_from(index).ok()?.checked_mul(term.stride)?;
                    }
                    Operand::Reg(mut index) if cells.counted.is_none() => {
                        // The index, perhaps extended, of the same iteration.
                        let mut from = place;
                        let mut chain = vec![place];
                        if let Some(extended) = code.definition(place, index)
                            && let Some(InstKind::Cast { op, a, .. }) = code.kind(extended)
                        {
                            let extends = matches!(op, selvedge_ir::CastOp::SExt | selvedge_ir::CastOp::ZExt);
                            let &Operand::Reg(narrow) = a else { return None };
                            if !extends {
                                return None;
                            }
                            (index, from) = (narrow, extended);
                            chain.push(extended);
                        }
                        let counted = code.counted(from, index)?;
                        chain.insert(0, at);
                        let fresh = chain.windows(2).all(|pair| code.dominates(pair[1], pair[0]));
                        let inside = chain.iter().all(|place| counted.blocks.contains(&block(*place)));
                        if !fresh || !inside {
                            return None;
                        }
                        cells.stride = term.stride;
                        cells.counted = Some(counted);
                    }
                    _ => return None,
                }
            }
            Some(cells)
        }
        _ => None,
    }
}

fn one(variable: Variable, offset: i64) -> Cells {
    Cells {
        variable,
        offset,
        stride: 0,
        counted: None,
    }
}
