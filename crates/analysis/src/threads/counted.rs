//! Loops that count: their index runs over all whole numbers between two constants.

use crate::cfg::{Dominators, lands};
use crate::{Cfg, DefUse, Definition, LoopForest, Place};
use selvedge_base::Id;
use selvedge_ir::{BinOp, BlockId, FuncId, Function, InstKind, IntPred, Module, Operand, Reg, Terminator};
use std::ops::Range;

/// No index goes further than this.
const FURTHEST: i64 = 1 << 20;

/// Control flow and definitions of one function.
pub(super) struct Code<'a> {
    pub function: &'a Function,
    pub cfg: Cfg,
    pub uses: DefUse,
    pub loops: LoopForest,
    /// True if `longjmp` may lead to it, in the middle of a block.
    pub lands: bool,
    dominators: Dominators,
}

/// A loop that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Counted {
    /// Its first block, which compares the index.
    pub header: BlockId,
    /// All its blocks.
    pub blocks: Vec<BlockId>,
    /// Where it leads to when the index is at the end.
    pub after: BlockId,
    /// The values of the index in its body. It has each of them once, if the loop is left only from
    /// its header.
    pub range: Range<i64>,
}

impl<'a> Code<'a> {
    pub fn of(module: &'a Module, id: FuncId) -> Code<'a> {
        let function = &module.functions[id];
        let cfg = Cfg::of(module, function, |_| false);
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        Code {
            lands: insts.any(|inst| lands(module, &inst.kind)),
            function,
            uses: DefUse::of(function, &cfg),
            loops: LoopForest::of(&cfg),
            dominators: Dominators::of(&cfg),
            cfg,
        }
    }

    pub fn kind(&self, place: Place) -> Option<&'a InstKind> {
        let block = &self.function.blocks[block(place)];
        block.insts.get(place.index as usize).map(|inst| &inst.kind)
    }

    /// The only place that assigns what is read at another place.
    pub fn definition(&self, at: Place, register: Reg) -> Option<Place> {
        match *self.uses.definitions(at, register) {
            [Definition::At(place)] => Some(place),
            _ => None,
        }
    }

    /// True if each way to `b` leads through `a`. Within a loop that has both and is entered only
    /// at its header, each iteration that comes to `b` has come through `a`: the way from the
    /// entry to the header and then that iteration is one way to `b`.
    pub fn dominates(&self, a: Place, b: Place) -> bool {
        match a.block == b.block {
            true => a.index < b.index,
            false => self.dominators.dominates(a.block as usize, b.block as usize),
        }
    }

    /// True if each iteration of a loop that is not left before its end comes through a block
    /// exactly once.
    pub fn once_per_iteration(&self, header: BlockId, within: &[BlockId], which: BlockId) -> bool {
        let innermost = self.loops.innermost(which).map(|id| &self.loops.get(id).headers);
        let is_innermost = innermost.is_some_and(|headers| headers.as_slice() == [header]);
        let back = self.cfg.predecessors(header);
        let mut back = back.iter().filter(|before| within.contains(before));
        is_innermost && back.all(|before| self.dominators.dominates(which.index(), before.index()))
    }

    /// The loop whose index is what a register has at a place in it. The place must come before
    /// the index is increased.
    pub fn counted(&self, at: Place, index: Reg) -> Option<Counted> {
        let within = self.loops.get(self.loops.innermost(block(at))?);
        let &[header] = within.headers.as_slice() else {
            return None;
        };
        let inside = |block: BlockId| {
            within
                .blocks
                .binary_search_by_key(&block.index(), |b| b.index())
                .is_ok()
        };
        let end = &self.function.blocks[header];
        let compares = Place {
            block: header.index() as u32,
            index: end.insts.len() as u32,
        };
        let Terminator::Branch {
            cond: Operand::Reg(cond),
            then,
            otherwise,
        } = end.term
        else {
            return None;
        };
        let compared = self.definition(compares, cond)?;
        let Some(&InstKind::Cmp {
            pred,
            a: Operand::Reg(a),
            b,
            ty,
            ..
        }) = self.kind(compared)
        else {
            return None;
        };
        // In the header, the index may be at the end. In narrow types, constants may be negative.
        if block(at) == header || ty.bits() < 32 {
            return None;
        }
        let ways = (inside(then), inside(otherwise));
        if compared.block != compares.block || a != index || ways != (true, false) {
            return None;
        }
        // One assignment before the loop and one in it reach the comparison, and the place: so the
        // index is increased after both in an iteration.
        let definitions = self.uses.definitions(compared, index);
        if definitions.len() != 2 || !same(definitions, self.uses.definitions(at, index)) {
            return None;
        }
        let mut places = definitions.iter().map(|definition| match definition {
            Definition::At(place) => Some(*place),
            _ => None,
        });
        let (one, other) = (places.next()??, places.next()??);
        let (start, step) = match (inside(block(one)), inside(block(other))) {
            (false, true) => (one, other),
            (true, false) => (other, one),
            _ => return None,
        };
        let low = match self.kind(start)? {
            InstKind::Copy { value, .. } => constant(*value)?,
            _ => return None,
        };
        if !self.adds_one(step, index, definitions)
            || !self.once_per_iteration(header, &within.blocks, block(step))
        {
            return None;
        }
        let bound = constant(b)?;
        let high = match pred {
            IntPred::Slt | IntPred::Ult => bound,
            IntPred::Ne if low <= bound => bound,
            IntPred::Sle | IntPred::Ule => bound + 1,
            _ => return None,
        };
        Some(Counted {
            header,
            blocks: within.blocks.clone(),
            after: otherwise,
            range: low..high.max(low),
        })
    }

    /// True if a place assigns an index its value of this iteration and one, perhaps by a copy.
    fn adds_one(&self, place: Place, index: Reg, definitions: &[Definition]) -> bool {
        match self.kind(place) {
            Some(&InstKind::Bin {
                op: BinOp::Add,
                a: Operand::Reg(a),
                b,
                ..
            }) => {
                a == index && constant(b) == Some(1) && same(definitions, self.uses.definitions(place, index))
            }
            Some(&InstKind::Copy {
                value: Operand::Reg(from),
                ..
            }) => {
                let sum = self.definition(place, from);
                let sum = sum.filter(|sum| sum.block == place.block && sum.index < place.index);
                sum.is_some_and(|sum| {
                    !matches!(self.kind(sum), Some(InstKind::Copy { .. }))
                        && self.adds_one(sum, index, definitions)
                })
            }
            _ => false,
        }
    }
}

pub(super) fn block(place: Place) -> BlockId {
    BlockId::from_index(place.block as usize)
}

/// A constant that is not negative and not very large.
fn constant(operand: Operand) -> Option<i64> {
    match operand {
        Operand::Const(value, _) => i64::try_from(value).ok().filter(|value| *value < FURTHEST),
        _ => None,
    }
}

fn same(a: &[Definition], b: &[Definition]) -> bool {
    a.len() == b.len() && a.iter().all(|definition| b.contains(definition))
}
