//! Addresses that a function computes, as far as two of them can be proved equal.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{BlockId, CastOp, Function, GlobalId, InstKind, LocalId, Operand, Reg, Type};

/// An address. Two equal addresses are of the same byte, if no part has changed in between.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    base: Base,
    offset: i64,
    terms: Vec<Term>,
}

/// An index, times a stride.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Term {
    index: Base,
    /// The conversions of the index, the last conversion first.
    casts: Vec<(CastOp, Type)>,
    bits: u8,
    stride: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    Global(GlobalId),
    /// The value of a register, which must not be assigned again.
    Register(Reg),
    /// The value of a local variable that is only read and written by name. The variable must not
    /// be written in between.
    Held(LocalId),
    /// A local variable.
    Local(LocalId),
}

/// The place where a register is assigned.
#[derive(Clone, Copy)]
struct Assignment<'a> {
    kind: &'a InstKind,
    block: BlockId,
    index: usize,
}

/// The assignments of the registers of a function.
pub(crate) struct Locals<'a> {
    function: &'a Function,
    /// For each register its only assignment; `None` if there are several. Parameters are not
    /// included.
    definitions: FxHashMap<Reg, Option<Assignment<'a>>>,
    /// Variables whose address is used only by loads and stores.
    private: FxHashSet<LocalId>,
}

impl<'a> Locals<'a> {
    pub(crate) fn of(function: &'a Function) -> Locals<'a> {
        let mut definitions: FxHashMap<Reg, Option<Assignment<'a>>> = FxHashMap::default();
        let mut addresses: FxHashMap<Reg, LocalId> = FxHashMap::default();
        for (block, what) in function.blocks.iter_ids() {
            for (index, inst) in what.insts.iter().enumerate() {
                let kind = &inst.kind;
                kind.for_each_result(|result| {
                    let one = Assignment { kind, block, index };
                    let entry = definitions.entry(result);
                    entry.and_modify(|only| *only = None).or_insert(Some(one));
                });
                if let InstKind::LocalAddr { dst, local } = kind {
                    addresses.insert(*dst, *local);
                }
            }
        }
        let mut private: FxHashSet<LocalId> = addresses.values().copied().collect();
        let mut shared = |operand: Operand| {
            if let Operand::Reg(register) = operand
                && let Some(local) = addresses.get(&register)
            {
                private.remove(local);
            }
        };
        for block in function.blocks.iter() {
            for inst in &block.insts {
                match &inst.kind {
                    InstKind::Load { .. } => {}
                    InstKind::Store { value, .. } => shared(*value),
                    kind => kind.for_each_operand(&mut shared),
                }
            }
            block.term.for_each_operand(&mut shared);
        }
        Locals {
            function,
            definitions,
            private,
        }
    }

    /// The address that an instruction uses, if it has a known form.
    pub(crate) fn address(&self, operand: Operand, block: BlockId, index: usize) -> Option<Address> {
        let plain = |base, offset| {
            let terms = Vec::new();
            Some(Address { base, offset, terms })
        };
        let register = match operand {
            Operand::Global(global, offset) => return plain(Base::Global(global), offset),
            Operand::Reg(register) => register,
            _ => return None,
        };
        match self.definitions.get(&register).copied().flatten().map(|d| d.kind) {
            Some(InstKind::Gep {
                base, offset, terms, ..
            }) => {
                let opaque = plain(Base::Register(register), 0);
                if self.varies(*base) {
                    return opaque;
                }
                let Some(mut below) = self.address(*base, block, index) else {
                    return opaque;
                };
                below.offset = below.offset.wrapping_add(*offset);
                for term in terms {
                    let Some((index, casts)) = self.number(term.index, block, index) else {
                        return opaque;
                    };
                    below.terms.push(Term {
                        index,
                        casts,
                        bits: term.bits,
                        stride: term.stride,
                    });
                }
                Some(below)
            }
            Some(InstKind::Copy { value, .. }) if !self.varies(*value) => self.address(*value, block, index),
            Some(InstKind::LocalAddr { local, .. }) => plain(Base::Local(*local), 0),
            _ => plain(self.value(register, block, index), 0),
        }
    }

    /// The address that an instruction uses, in all known forms: as it was computed, and as the
    /// register that holds it. Two equal forms are of the same byte, if no part has changed in
    /// between.
    pub(crate) fn forms(&self, operand: Operand, block: BlockId, index: usize) -> Vec<Address> {
        let mut forms: Vec<Address> = self.address(operand, block, index).into_iter().collect();
        if let Operand::Reg(register) = operand {
            forms.push(Address {
                base: Base::Register(register),
                offset: 0,
                terms: Vec::new(),
            });
        }
        forms.dedup();
        forms
    }

    /// The base and the conversions of an index.
    fn number(&self, operand: Operand, block: BlockId, index: usize) -> Option<(Base, Vec<(CastOp, Type)>)> {
        let Operand::Reg(mut register) = operand else {
            return None;
        };
        let mut casts = Vec::new();
        loop {
            if self.varies(Operand::Reg(register)) {
                return None;
            }
            match self.definitions.get(&register).copied().flatten().map(|d| d.kind) {
                Some(InstKind::Cast {
                    op,
                    a: Operand::Reg(of),
                    from,
                    ..
                }) => {
                    casts.push((*op, *from));
                    register = *of;
                }
                Some(InstKind::Copy {
                    value: Operand::Reg(of),
                    ..
                }) => register = *of,
                _ => return Some((self.value(register, block, index), casts)),
            }
        }
    }

    /// True if an operand may have another value now than when a value was computed from it.
    fn varies(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(register) if self.definitions.get(&register).is_some_and(Option::is_none))
    }

    /// The value of a register that an instruction uses. It is that of a local variable, if the
    /// variable is read in the same block and not written in between.
    fn value(&self, register: Reg, block: BlockId, index: usize) -> Base {
        let opaque = Base::Register(register);
        let Some(read) = self.definitions.get(&register).copied().flatten() else {
            return opaque;
        };
        let InstKind::Load { ptr, order: None, .. } = read.kind else {
            return opaque;
        };
        let Some(local) = self.variable(*ptr).filter(|local| self.private.contains(local)) else {
            return opaque;
        };
        if read.block != block || read.index >= index {
            return opaque;
        }
        let between = &self.function.blocks[block].insts[read.index + 1..index];
        let written = |kind: &InstKind| self.writes(kind, local);
        match between.iter().any(|inst| written(&inst.kind)) {
            true => opaque,
            false => Base::Held(local),
        }
    }

    /// The local variable whose address an operand is.
    fn variable(&self, operand: Operand) -> Option<LocalId> {
        let Operand::Reg(register) = operand else {
            return None;
        };
        match self.definitions.get(&register).copied().flatten()?.kind {
            InstKind::LocalAddr { local, .. } => Some(*local),
            _ => None,
        }
    }

    /// True if an instruction writes a private variable.
    fn writes(&self, kind: &InstKind, local: LocalId) -> bool {
        matches!(kind, InstKind::Store { ptr, .. } if self.variable(*ptr) == Some(local))
    }

    /// True if an instruction changes a part of an address.
    pub(crate) fn changes(&self, kind: &InstKind, address: &Address) -> bool {
        let indices = address.terms.iter().map(|term| term.index);
        let mut parts = std::iter::once(address.base).chain(indices);
        parts.any(|part| match part {
            Base::Global(_) | Base::Local(_) => false,
            Base::Register(register) => {
                let mut assigned = false;
                kind.for_each_result(|result| assigned |= result == register);
                assigned
            }
            Base::Held(local) => self.writes(kind, local),
        })
    }
}
