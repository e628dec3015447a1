//! Points-to sets: the places whose address each register, and each value in memory, may be.
//!
//! Inclusion-based (Andersen, *Program Analysis and Specialization for the C Programming Language*,
//! 1994): flow- and context-insensitive. Fields are distinguished by byte offsets; elements of an
//! array are not. A heap object represents everything that one instruction allocates. Functions
//! called through pointers, by new threads and by the library are found while solving.

mod build;
mod object;
mod offset;
mod solve;

pub use object::{Library, Object, ObjectId, Target, TargetId, Targets};
pub use offset::Offset;
pub use solve::{Constraint, Limits, Solver, VarId};

use crate::Place;
use build::Builder;
use selvedge_base::Id;
use selvedge_ir::{FuncId, Module, Operand, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// The points-to facts of a program.
pub struct PointsTo {
    solver: Solver,
    /// The variable of each operand that is an address or computed from one.
    registers: Vec<VarId>,
    callees: BTreeMap<(FuncId, Place), BTreeSet<FuncId>>,
    called_by_library: BTreeSet<FuncId>,
    reached: Vec<bool>,
    unknown: BTreeSet<FuncId>,
    /// Of each variable, whether it may be a number that is an address by chance.
    numbers: Vec<bool>,
}

impl PointsTo {
    /// The facts of a linked program whose execution starts with these functions, as `main`;
    /// constructors and destructors run, too. `modelled`: whether the machine has a model of a
    /// library function. A call to a function without a body and without a model ends the analysed
    /// execution, and has no effect here.
    pub fn of(
        module: &Module,
        roots: impl IntoIterator<Item = FuncId>,
        modelled: &dyn Fn(&str) -> bool,
    ) -> PointsTo {
        PointsTo::within(Limits::default(), module, roots, modelled)
    }

    /// The same within other bounds than usual.
    pub fn within(
        limits: Limits,
        module: &Module,
        roots: impl IntoIterator<Item = FuncId>,
        modelled: &dyn Fn(&str) -> bool,
    ) -> PointsTo {
        let mut builder = Builder::new(module, modelled, limits);
        let always = module.constructors.iter().chain(&module.destructors);
        for root in roots.into_iter().chain(always.copied()) {
            builder.root(root);
        }
        builder.solve();
        let first = |f| builder.register(f, Reg::from_index(0));
        PointsTo {
            registers: module.functions.ids().map(first).collect(),
            callees: builder.callees,
            called_by_library: builder.called_by_library,
            reached: builder.reached,
            unknown: builder.unknown,
            numbers: builder.solver.flow(&builder.numbers),
            solver: builder.solver,
        }
    }

    /// Library functions that may be called, are modelled, and have no row in the table of effects.
    /// If there are any, no set needs to be complete.
    pub fn unknown(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.unknown.iter().copied()
    }

    /// True if a function may run.
    pub fn may_run(&self, function: FuncId) -> bool {
        self.reached[function.index()]
    }

    /// The functions that a call may run, in order.
    pub fn callees(&self, function: FuncId, call: Place) -> impl Iterator<Item = FuncId> + '_ {
        self.callees.get(&(function, call)).into_iter().flatten().copied()
    }

    /// The functions that the library may call, in order: `main`, start functions of threads,
    /// handlers.
    pub fn called_by_library(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.called_by_library.iter().copied()
    }

    /// The objects of the wide set, which pointers to very many objects have in common.
    pub fn wide(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let set = self.solver.wide_set().into_iter().flatten();
        set.map(|t| self.solver.targets.place(TargetId::from_index(t as usize)).object)
    }

    /// Whether an operand has the wide set.
    pub fn is_wide(&self, function: FuncId, operand: Operand) -> bool {
        let Operand::Reg(register) = operand else {
            return false;
        };
        let first = self.registers[function.index()].index();
        self.solver.is_wide(VarId::from_index(first + register.index()))
    }

    /// The places whose address an operand of a function may be, in no particular order.
    pub fn of_operand(&self, function: FuncId, operand: Operand) -> Vec<Target> {
        let one = |object, offset| {
            let object = self.solver.targets.find(object);
            object.map(|object| Target { object, offset })
        };
        match operand {
            Operand::Reg(register) => {
                let first = self.registers[function.index()].index();
                let set = self.solver.set(VarId::from_index(first + register.index()));
                set.iter()
                    .map(|t| self.solver.targets.place(TargetId::from_index(t as usize)))
                    .collect()
            }
            Operand::Global(global, offset) => one(Object::Global(global), Offset::exact(offset))
                .into_iter()
                .collect(),
            Operand::Func(function) => one(Object::Function(function), Offset::START)
                .into_iter()
                .collect(),
            Operand::Const(..) | Operand::Block(..) | Operand::Undef(_) | Operand::Poison(_) => Vec::new(),
        }
    }

    /// Whether an operand may be a number that points-to sets do not follow. If it is an address,
    /// it need not be in its set. Other operands are in their sets in each execution in which no
    /// number has led to another place, and no access has left its object.
    pub fn is_number(&self, function: FuncId, operand: Operand) -> bool {
        match operand {
            Operand::Reg(register) => {
                self.numbers[self.registers[function.index()].index() + register.index()]
            }
            Operand::Const(value, _) => build::is_address(value),
            _ => false,
        }
    }

    /// Objects and places.
    pub fn targets(&self) -> &Targets {
        &self.solver.targets
    }

    /// How many constraints and variables there are.
    pub fn size(&self) -> (usize, usize) {
        (self.solver.len(), self.solver.variables())
    }
}
