//! Edges between blocks: terminators, and φ-nodes as copies on the edges.

use super::{FnLower, Lower};
use crate::llvm::{self, Opcode, Value};
use crate::lower::phi::Phis;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{Block, BlockId, Operand, Reg, Terminator};
use smallvec::SmallVec;
use std::rc::Rc;

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn terminator(&mut self, inst: Value<'m>) -> Lower<Terminator> {
        let successors = inst.successors();
        let skipped = inst
            .parent()
            .and_then(|block| self.shift_checks.skips.get(&block));
        if let Some(&after) = skipped {
            return Ok(Terminator::Jump(self.last_edge(inst, after)?));
        }
        match inst.opcode() {
            Some(Opcode::LLVMRet) => {
                let mut parts = SmallVec::new();
                if inst.num_operands() > 0 {
                    parts.extend(self.operands(inst, 0)?);
                }
                Ok(Terminator::Return(parts))
            }
            Some(Opcode::LLVMBr) => match (inst.condition(), successors.as_slice()) {
                (None, &[next]) => Ok(Terminator::Jump(self.last_edge(inst, next)?)),
                (Some(_), &[then, otherwise]) if then == otherwise => {
                    // Still a branch on the condition: an undefined one is a fault.
                    let cond = self.operand(inst, 0)?;
                    let next = self.edge(inst, then)?;
                    Ok(Terminator::Branch {
                        cond,
                        then: next,
                        otherwise: next,
                    })
                }
                (Some(condition), &[then, otherwise]) => {
                    let cond = self.part(condition)?;
                    let then = self.edge(inst, then)?;
                    let otherwise = self.edge(inst, otherwise)?;
                    Ok(Terminator::Branch {
                        cond,
                        then,
                        otherwise,
                    })
                }
                _ => Err("a branch of unknown form".to_owned()),
            },
            Some(Opcode::LLVMSwitch) => self.switch(inst, &successors),
            Some(Opcode::LLVMIndirectBr) => {
                let address = self.operand(inst, 0)?;
                let mut targets = Vec::new();
                for next in successors {
                    if next.instructions().first().and_then(|i| i.opcode()) == Some(Opcode::LLVMPHI) {
                        return Err("computed goto into a block with φ-nodes".to_owned());
                    }
                    targets.push(self.block_id(next)?);
                }
                Ok(Terminator::Indirect { address, targets })
            }
            Some(Opcode::LLVMInvoke) => self.invoke(inst),
            Some(Opcode::LLVMResume) => self.resume(inst),
            Some(Opcode::LLVMUnreachable) => Ok(Terminator::Unreachable),
            Some(Opcode::LLVMCallBr) => Err("inline assembly that jumps (asm goto)".to_owned()),
            Some(Opcode::LLVMCatchRet | Opcode::LLVMCleanupRet | Opcode::LLVMCatchSwitch) => {
                Err("an exception handler of another kind than landing pads".to_owned())
            }
            _ => Err(format!("terminator {}", inst.text())),
        }
    }

    fn switch(&mut self, inst: Value<'m>, successors: &[llvm::Block<'m>]) -> Lower<Terminator> {
        let value = self.operand(inst, 0)?;
        let ty = self.type_of(value);
        let (&first, rest) = successors.split_first().ok_or("a switch without default")?;
        let mut edges: FxHashMap<llvm::Block<'m>, BlockId> = FxHashMap::default();
        let default = self.edge(inst, first)?;
        edges.insert(first, default);
        let mut cases = Vec::new();
        for (i, &next) in rest.iter().enumerate() {
            let case = inst
                .case(i as u32 + 1)
                .and_then(|c| c.int())
                .ok_or("a wide switch")?;
            let target = match edges.get(&next) {
                Some(&known) => known,
                None => {
                    let new = self.edge(inst, next)?;
                    edges.insert(next, new);
                    new
                }
            };
            cases.push((case, target));
        }
        Ok(Terminator::Switch {
            value,
            ty,
            cases,
            default,
        })
    }

    fn block_id(&self, block: llvm::Block<'m>) -> Lower<BlockId> {
        self.blocks
            .get(&block)
            .copied()
            .ok_or_else(|| "a jump to another function".to_owned())
    }

    /// The only edge out of a block: its copies come before the jump.
    pub(in crate::lower) fn last_edge(&mut self, from: Value<'m>, to: llvm::Block<'m>) -> Lower<BlockId> {
        self.phi_copies(from, to)?;
        self.block_id(to)
    }

    /// One of several edges out of a block: copies get a block of their own.
    pub(in crate::lower) fn edge(&mut self, from: Value<'m>, to: llvm::Block<'m>) -> Lower<BlockId> {
        let before = std::mem::take(&mut self.insts);
        let copies = self.phi_copies(from, to);
        let insts = std::mem::replace(&mut self.insts, before);
        copies?;
        let target = self.block_id(to)?;
        if insts.is_empty() {
            return Ok(target);
        }
        Ok(self.function.blocks.push(Block {
            insts,
            term: Terminator::Jump(target),
            term_stmt: self.stmt,
        }))
    }

    /// Assigns the φ-nodes of a block as they are when entered from here, all at once.
    fn phi_copies(&mut self, from: Value<'m>, to: llvm::Block<'m>) -> Lower<()> {
        let Some(here) = from.parent() else { return Ok(()) };
        let mut copies: Vec<(Reg, Operand)> = Vec::new();
        let phis = Rc::clone(self.phis.entry(to).or_insert_with(|| Rc::new(Phis::of(to))));
        let values = phis.values.get(&here).map_or(&[][..], Vec::as_slice);
        if values.len() < phis.nodes.len() {
            return Err("a φ-node without this edge".to_owned());
        }
        for (&phi, &value) in phis.nodes.iter().zip(values) {
            let dst = self.results(phi)?;
            let src = self.parts(value)?;
            copies.extend(dst.into_iter().zip(src));
        }
        copies.retain(|&(dst, src)| src != Operand::Reg(dst));
        let mut read_later: FxHashSet<Reg> = FxHashSet::default();
        let clobbers = copies.iter().rev().any(|&(dst, src)| {
            let clobbers = read_later.contains(&dst);
            if let Operand::Reg(src) = src {
                read_later.insert(src);
            }
            clobbers
        });
        if clobbers {
            for (_, src) in &mut copies {
                let ty = self.type_of(*src);
                let saved = self.reg(ty);
                self.copy(saved, *src);
                *src = Operand::Reg(saved);
            }
        }
        for (dst, src) in copies {
            self.copy(dst, src);
        }
        Ok(())
    }
}
