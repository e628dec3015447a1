//! Calls, jumps and the ends of blocks.

use super::{Compiler, is_landing};
use crate::code::{CallSite, Clause, NONE, Op, Pad, SwitchTable};
use crate::models;
use crate::program::Binding;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, Operand, Reg, Terminator, Type};

impl Compiler<'_> {
    pub(super) fn call(&mut self, results: &[Reg], callee: &Callee, (args, types): (&[Operand], &[Type])) {
        let address = match callee {
            Callee::Indirect(address) => self.word(*address),
            Callee::Direct(_) => NONE,
        };
        let mut site = CallSite {
            callee: Some(*callee),
            native: None,
            address,
            args: Vec::new(),
            types: Vec::new(),
            results: Vec::new(),
            result_types: results.iter().map(|&r| self.function.regs[r].ty).collect(),
            used: results.iter().any(|&r| self.slots.is_read(r)),
            fate: self.fate(results),
            pad: 0,
            landing: NONE,
        };
        for (arg, ty) in args.iter().zip(types) {
            let (low, high) = self.words(*arg);
            site.args.push(low);
            site.types.push(*ty);
            if high != NONE {
                site.args.push(high);
                site.types.push(*ty);
            }
        }
        for &r in results {
            let slot = self.slots.define(r);
            let bits = self.function.regs[r].ty.bits();
            site.results.push((slot, bits.min(64) as u8));
            if bits > 64 {
                site.results.push((slot + 1, (bits - 64) as u8));
            }
        }
        if let Callee::Direct(func) = *callee
            && !self.program.atomic[func.index()]
        {
            site.native = match self.program.bindings[func.index()] {
                Binding::Native(native) => Some(native),
                // The other body exists for its scheduling points.
                Binding::Other(_) if !self.visible_memory() => {
                    models::find(&self.program.module.functions[func].name)
                }
                _ => None,
            };
        }
        let landing = match *callee {
            Callee::Direct(func) => is_landing(self.program, func),
            Callee::Indirect(_) => false,
        };
        if landing {
            site.landing = self.slots.fresh(1);
            self.code.landings.push(self.code.insts.len() as u32);
        }
        let index = self.code.calls.len() as u32;
        self.code.calls.push(site);
        self.emit_long(Op::Call, 0, index);
    }

    pub(super) fn jump(&mut self, op: Op, a: u16, target: BlockId) {
        let at = self.emit_long(op, a, 0);
        self.patches.push((at, target));
    }

    /// Adds the landing pad of the call that was just compiled.
    fn pad(&mut self, unwind: BlockId, pad: &selvedge_ir::Pad) {
        let mut clauses = Vec::new();
        for clause in &pad.clauses {
            clauses.push(match clause {
                selvedge_ir::Clause::Catch { ty, selector } => {
                    let Some(ty) = self.type_address(*ty) else { return };
                    let selector = *selector;
                    Clause::Catch { ty, selector }
                }
                selvedge_ir::Clause::Filter { types, selector } => {
                    let types: Option<Vec<u64>> = types.iter().map(|&ty| self.type_address(ty)).collect();
                    let Some(types) = types else { return };
                    let selector = *selector;
                    Clause::Filter { types, selector }
                }
            });
        }
        self.code.pads.push(Pad {
            clauses,
            cleanup: pad.cleanup,
            target: unwind.index() as u32,
        });
        if let Some(call) = self.code.calls.last_mut() {
            call.pad = self.code.pads.len() as u32;
        }
    }

    /// The address of the type description that a clause of a landing pad names.
    fn type_address(&mut self, ty: Operand) -> Option<u64> {
        match ty {
            Operand::Const(bits, _) => Some(bits as u64),
            Operand::Global(global, offset) if !self.program.module.globals[global].thread_local => {
                Some(self.program.globals[global.index()].wrapping_add_signed(offset))
            }
            _ => {
                self.unsupported("a handler for a type that is no constant");
                None
            }
        }
    }

    pub(super) fn terminator(&mut self, block: BlockId, term: &Terminator) {
        match term {
            Terminator::Jump(target) => {
                if target.index() != block.index() + 1 {
                    self.jump(Op::Jump, 0, *target);
                }
            }
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.word(*cond);
                let (then, otherwise) = (self.way(*then, 0), self.way(*otherwise, 1));
                self.jump(Op::Branch, cond, then);
                if otherwise.index() != block.index() + 1 {
                    self.jump(Op::Jump, 0, otherwise);
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                ty,
            } => {
                if ty.is_wide() {
                    return self.unsupported("switch on a value of more than 64 bits");
                }
                let value = self.word(*value);
                let default = self.way(*default, 0).0;
                let ways = cases.iter().zip(1..);
                let mut table: Vec<(u64, u32)> = ways
                    .map(|((v, b), way)| (*v as u64, self.way(*b, way).0))
                    .collect();
                table.sort_unstable();
                let index = self.code.switches.len();
                self.code.switches.push(SwitchTable {
                    cases: table,
                    default,
                });
                self.emit(Op::Switch, 0, value, index as u16, 0);
            }
            Terminator::Indirect { address, .. } => {
                let address = self.word(*address);
                self.emit(Op::Switch, 1, address, 0, 0);
            }
            Terminator::Return(values) => {
                let mut words = Vec::new();
                for v in values {
                    let (low, high) = self.words(*v);
                    words.push(low);
                    if high != NONE {
                        words.push(high);
                    }
                }
                let index = self.code.returns.len();
                self.code.returns.push(words);
                self.emit(Op::Return, 0, 0, index as u16, 0);
            }
            Terminator::Invoke { normal, unwind, pad } => {
                self.pad(*unwind, pad);
                if normal.index() != block.index() + 1 {
                    self.jump(Op::Jump, 0, *normal);
                }
            }
            Terminator::Unreachable => {
                self.emit(Op::Unreachable, 0, 0, 0, 0);
            }
            Terminator::Trap => {
                self.emit(Op::Trap, 0, 0, 0, 0);
            }
        }
    }
}
