//! The places to which pointers may point, by points-to sets, as the machine checks it
//! (docs/algorithms.md, "Predicate dependence").
//!
//! Predicate dependence rests on points-to sets. They do not follow every way to make an address.
//! So the value of each pointer through which the program accesses memory, or calls a function, is
//! looked up in its set. If it is not there, what was explored is of no use
//! ([`Program::has_hidden_addresses`](crate::Program::has_hidden_addresses)).

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_analysis::pointsto::{Object, Offset};
use selvedge_analysis::{Place, Pointers, PointsTo};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{BlockId, FuncId, GlobalId, LocalId, Module, Operand};
use std::collections::BTreeMap;

/// What an object of the machine is, as far as points-to sets tell objects apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Origin {
    Global(GlobalId),
    Function(FuncId),
    Local(FuncId, LocalId),
    /// What a statement allocates.
    Made(StmtId),
    /// The variable arguments of a function.
    Arguments(FuncId),
    /// Objects of the library, and all others.
    Library,
}

/// Places in objects: the offsets from the start of each.
type Set = BTreeMap<Origin, Vec<Offset>>;

/// The places to which the pointers of a program may point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explained {
    sets: Vec<Set>,
    /// The pointers of each instruction, with their numbers.
    pointers: FxHashMap<(FuncId, Place), Vec<(Operand, u32)>>,
    /// The set of each pointer, by the pointer's number.
    set_of: Vec<u32>,
    /// Statements whose objects are told apart from those of the library.
    makers: FxHashSet<StmtId>,
}

impl Explained {
    /// Those of all functions that may run.
    pub fn of(module: &Module, points_to: &PointsTo) -> Explained {
        let mut all = Explained::default();
        let mut numbers: BTreeMap<Set, u32> = BTreeMap::new();
        for (_, object) in points_to.targets().iter() {
            if let Object::Allocated(function, place) = object {
                all.makers.extend(stmt_at(module, function, place));
            }
        }
        for (id, function) in module.functions.iter_ids().filter(|(_, f)| f.is_defined()) {
            // The bodies of models are called in place of functions that are known as such.
            if function.library && !points_to.may_run(id) {
                continue;
            }
            let pointers = Pointers::of(module, points_to, id);
            for (block, what) in function.blocks.iter_ids() {
                for (index, inst) in what.insts.iter().enumerate() {
                    let place = Place {
                        block: block.index() as u32,
                        index: index as u32,
                    };
                    for operand in pointers.of_instruction(place, &inst.kind) {
                        let set = set_of(module, points_to, (id, operand));
                        let next = numbers.len() as u32;
                        let set = *numbers.entry(set).or_insert(next);
                        let pointer = all.set_of.len() as u32;
                        all.set_of.push(set);
                        all.pointers
                            .entry((id, place))
                            .or_default()
                            .push((operand, pointer));
                    }
                }
            }
        }
        let mut sets: Vec<(Set, u32)> = numbers.into_iter().collect();
        sets.sort_by_key(|&(_, number)| number);
        all.sets = sets.into_iter().map(|(set, _)| set).collect();
        all
    }

    /// How many pointers are looked at.
    pub fn len(&self) -> usize {
        self.set_of.len()
    }

    /// Whether no pointer is looked at.
    pub fn is_empty(&self) -> bool {
        self.set_of.is_empty()
    }

    /// The pointers of an instruction that are looked at, each with its number.
    pub(crate) fn pointers(&self, function: FuncId, place: Place) -> &[(Operand, u32)] {
        self.pointers.get(&(function, place)).map_or(&[], Vec::as_slice)
    }

    /// Whether a statement's objects are told apart from those of the library.
    pub(crate) fn makes(&self, stmt: StmtId) -> bool {
        self.makers.contains(&stmt)
    }

    /// The offsets in an object to which a pointer may point.
    pub(crate) fn offsets(&self, pointer: u32, object: Origin) -> Option<&[Offset]> {
        let set = &self.sets[self.set_of[pointer as usize] as usize];
        set.get(&object).map(Vec::as_slice)
    }
}

fn set_of(module: &Module, points_to: &PointsTo, (function, operand): (FuncId, Operand)) -> Set {
    let mut set = Set::new();
    for target in points_to.of_operand(function, operand) {
        let origin = match points_to.targets().what(target.object) {
            Object::Global(global) => Origin::Global(global),
            Object::Function(function) => Origin::Function(function),
            Object::Local(function, local) => Origin::Local(function, local),
            Object::Arguments(function) => Origin::Arguments(function),
            Object::Library(_) => Origin::Library,
            Object::Allocated(function, place) => {
                stmt_at(module, function, place).map_or(Origin::Library, Origin::Made)
            }
        };
        set.entry(origin).or_default().push(target.offset);
    }
    for offsets in set.values_mut() {
        offsets.sort_unstable();
        offsets.dedup();
    }
    set
}

fn stmt_at(module: &Module, function: FuncId, place: Place) -> Option<StmtId> {
    let block = &module.functions[function].blocks[BlockId::from_index(place.block as usize)];
    block.insts.get(place.index as usize).map(|inst| inst.stmt)
}
