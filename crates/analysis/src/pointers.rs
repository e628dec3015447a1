//! The operands through which a program touches memory or calls functions, as far as their values
//! need not be in their points-to sets ([`PointsTo`]).
//!
//! Points-to sets follow how addresses are computed. They do not follow an address that is made of
//! something else: of the outcomes of comparisons, of the address of a neighbour, of a number that
//! the program just knows. So each pointer that may have been made like that is listed here, and
//! the machine can look at its values. Left out are pointers whose value is known to be in the set:
//! the address of a variable, and what `inbounds` computations make of it. These stay in their
//! object, or the access is a fault.

use crate::library::{self, Arguments, Special};
use crate::{Place, PointsTo};
use selvedge_base::Id;
use selvedge_ir::{Callee, FuncId, Function, InstKind, Module, Operand, Reg, Type};

/// The pointers of a function that are looked at.
pub struct Pointers<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    function: FuncId,
    /// Of each register, whether each of its values is the address of a variable, or computed from
    /// one by steps that do not leave the object.
    sure: Vec<bool>,
}

impl<'a> Pointers<'a> {
    /// Those of a function that is defined.
    pub fn of(module: &'a Module, points_to: &'a PointsTo, function: FuncId) -> Pointers<'a> {
        let sure = sure(module, &module.functions[function]);
        Pointers {
            module,
            points_to,
            function,
            sure,
        }
    }

    /// The operands of an instruction that are looked at.
    pub fn of_instruction(&self, place: Place, kind: &InstKind) -> Vec<Operand> {
        use InstKind as K;
        let all: Vec<Operand> = match kind {
            K::Load { ptr, .. }
            | K::Store { ptr, .. }
            | K::Rmw { ptr, .. }
            | K::CompareExchange { ptr, .. } => vec![*ptr],
            K::MemCopy { dst, src, .. } | K::VaCopy { dst, src } => vec![*dst, *src],
            K::MemSet { dst, .. } => vec![*dst],
            K::VaStart { list } => vec![*list],
            K::Call {
                callee, args, types, ..
            } => {
                let mut all: Vec<Operand> = match callee {
                    Callee::Indirect(address) => vec![*address],
                    Callee::Direct(_) => Vec::new(),
                };
                let used = self.used_by_library(place);
                let among = |i: usize| used >> i.min(15) & 1 == 1;
                // Numbers that are too small for an address are none.
                let is_large = |ty: &Type| matches!(*ty, Type::Ptr | Type::I64);
                let used = args.iter().zip(types).enumerate();
                let used = used.filter(|(i, (_, ty))| among(*i) && is_large(ty));
                all.extend(used.map(|(_, (&argument, _))| argument));
                all
            }
            _ => Vec::new(),
        };
        let unsure = |operand: &Operand| !is_sure(self.module, &self.sure, *operand);
        all.into_iter().filter(unsure).collect()
    }

    /// The arguments of a call that library functions use as addresses.
    fn used_by_library(&self, place: Place) -> Arguments {
        let callees = self.points_to.callees(self.function, place);
        let functions = callees.map(|callee| &self.module.functions[callee]);
        let effects = functions
            .filter(|callee| !callee.is_defined())
            .filter_map(|callee| library::effect(&callee.name));
        effects.fold(0, |used, effect| {
            let called = match effect.special {
                Special::Starts(callee, _)
                | Special::Calls(callee)
                | Special::CallsWith(callee, _)
                | Special::MakesKey(callee)
                | Special::CallsStored(callee) => 1 << callee,
                _ => 0,
            };
            used | effect.reads | effect.writes | called
        })
    }
}

/// Whether an operand is the address of a variable, or of a function, or a number that is no
/// address.
fn is_sure(module: &Module, sure: &[bool], operand: Operand) -> bool {
    match operand {
        Operand::Reg(register) => sure[register.index()],
        Operand::Global(global, offset) => {
            let size = module.globals[global].size;
            offset == 0 || u64::try_from(offset).is_ok_and(|offset| offset < size)
        }
        // Small numbers are no addresses.
        Operand::Const(value, _) => value < 1 << 32,
        Operand::Func(_) | Operand::Block(..) | Operand::Undef(_) | Operand::Poison(_) => true,
    }
}

/// The registers whose values are all sure. The greatest solution is right: each value was made in
/// finitely many steps.
fn sure(module: &Module, function: &Function) -> Vec<bool> {
    let mut assigned = vec![false; function.regs.len()];
    let mut sure = vec![true; function.regs.len()];
    let unsure = |sure: &mut Vec<bool>, register: Reg| std::mem::replace(&mut sure[register.index()], false);
    for &parameter in &function.params {
        unsure(&mut sure, parameter);
    }
    let instructions = || function.blocks.iter().flat_map(|block| &block.insts);
    for inst in instructions() {
        inst.kind
            .for_each_result(|result| assigned[result.index()] = true);
    }
    for (sure, assigned) in sure.iter_mut().zip(assigned) {
        *sure &= assigned;
    }
    loop {
        let mut changed = false;
        for inst in instructions() {
            let from = match &inst.kind {
                InstKind::LocalAddr { .. } | InstKind::Alloca { .. } => true,
                InstKind::Copy { value, .. } => is_address(module, &sure, *value),
                InstKind::Select { a, b, .. } => {
                    is_address(module, &sure, *a) && is_address(module, &sure, *b)
                }
                InstKind::Gep {
                    base, inbounds: true, ..
                } => is_address(module, &sure, *base),
                _ => false,
            };
            if !from {
                inst.kind
                    .for_each_result(|result| changed |= unsure(&mut sure, result));
            }
        }
        if !changed {
            return sure;
        }
    }
}

/// Whether an operand is sure, and an address: `inbounds` steps from a number that is none may come
/// to any address.
fn is_address(module: &Module, sure: &[bool], operand: Operand) -> bool {
    !matches!(operand, Operand::Const(..)) && is_sure(module, sure, operand)
}
