//! Bounded polling loops: loops that read one atomic variable until it has some value, and give up
//! after a fixed number of rounds. The futex locks of Rust's standard library begin with one:
//!
//! ```text
//! let mut rounds = 100;
//! loop {
//!     let state = futex.load(Relaxed);
//!     if state != LOCKED || rounds == 0 { return state; }
//!     spin_loop();
//!     rounds -= 1;
//! }
//! ```
//!
//! Each round is a scheduling point, so such a loop multiplies schedules by a hundred. One read is
//! enough. [`poll_once`] rewrites the loop: the first round reads, and a copy of the loop without
//! the read does the other rounds with the value of the first.
//!
//! # Why no behaviour is lost or added
//!
//! *Nothing is added.* An execution of the rewritten program in which the loop is left in the
//! first round is an execution of the original one. If the loop goes on, let the original loop do
//! all its reads at the moment of the one read. They read the same value, so the loop goes the
//! same way.
//!
//! *Nothing is lost.* Take an execution of the original program in which a thread reads k times
//! before it leaves the loop, while others run in between. The first k − 1 values keep the thread
//! in the loop and have no other effect. Remove the first k − 1 reads, and keep the last one where
//! it is. A read changes no state of other threads, so the others run as before. There are two
//! ways to leave the loop. If the value that was read decided it, the rewritten loop leaves in its
//! first round by the same exit, and nothing that is used there depends on the number of rounds.
//! If the number of rounds decided it, the copy of the loop counts up to the same number.
//!
//! *Data races.* Fewer acquiring reads mean fewer happens-before edges, so a race of two other
//! accesses stays one. For a race (or a fault) of the i-th read, take the execution up to that
//! read, and make it the only one.
//!
//! # Conditions
//!
//! For one round, from the read to the next read:
//!
//! - Control has one way back: each block has exactly one successor in the loop.
//! - There is one load. It is atomic and not volatile, and its address is the same in all rounds,
//!   or is computed right before it from what no round changes. A call counts as the load if its
//!   function computes on registers and loads at most once, without a loop (`polling/looks.rs`),
//!   and its arguments fulfil the condition for the address: the same value read gives the same
//!   results.
//! - All other instructions compute on registers and cannot fail, are calls of functions that do no
//!   more than that, or are barriers for the compiler.
//! - Registers that are kept from one round to the next do not depend on the value that was read.
//! - The condition of a branch depends on the value, on the round (on kept registers), or on both
//!   in the form *leave if one of the two says so*. Branches on the value come first.
//! - At an exit that the value decides, no register is live that depends on the round.
//! - Some exit is taken after some number of rounds, whatever was read (`polling/countdown.rs`).
//!   Otherwise a thread that waits for ever would be one that runs in the copy for ever.
//!
//! Kokologiannakis and Vafeiadis (*Dynamic Partial Order Reductions for Spinloops*, FMCAD 2021)
//! remove the repeated rounds of loops without a bound.

mod countdown;
mod looks;

use crate::cfg::{Cfg, Loop, LoopForest, successors};
use countdown::Countdown;
use looks::Looks;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::Id;
use selvedge_ir::{
    BinOp, Block, BlockId, FuncId, Function, Inst, InstKind, Module, Operand, Reg, RegInfo, Terminator, Type,
};
use std::collections::BTreeSet;

/// Rewrites all bounded polling loops of a module, so that each reads once. Returns their number.
pub fn poll_once(module: &mut Module) -> usize {
    let mut changed = 0;
    let looks = Looks::of(module);
    for function in module.functions.ids() {
        let rounds = rounds(module, function, &looks);
        changed += rounds.len();
        for round in rounds {
            round.rewrite(&mut module.functions[function]);
        }
    }
    changed
}

/// The bounded polling loops of a function.
fn rounds<'l>(module: &Module, id: FuncId, looks: &'l Looks) -> Vec<Round<'l>> {
    let function = &module.functions[id];
    let polls = |block: &Block| block.insts.iter().any(|inst| looks.polls(&inst.kind));
    if !function.blocks.iter().any(polls) {
        return Vec::new();
    }
    let loops = LoopForest::of(&Cfg::of(module, function, |_| false));
    let blocks = function.blocks.iter_ids().filter(|(_, block)| polls(block));
    let rounds = blocks.filter_map(|(id, _)| Round::of(function, id, loops.get(loops.innermost(id)?), looks));
    rounds
        .filter(|round| round.fulfils_conditions(function))
        .collect()
}

/// Whether an instruction is an atomic load that is not volatile.
const fn is_load(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Load {
            order: Some(_),
            volatile: false,
            ..
        }
    )
}

/// Whether an instruction computes on registers only, and cannot fail.
const fn only_computes(kind: &InstKind) -> bool {
    match kind {
        InstKind::Bin { op, .. } => !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem),
        InstKind::Copy { .. }
        | InstKind::Un { .. }
        | InstKind::Cast { .. }
        | InstKind::Cmp { .. }
        | InstKind::Select { .. }
        | InstKind::MinMax { .. }
        | InstKind::Gep { .. }
        | InstKind::Pause
        | InstKind::Fence {
            single_thread: true, ..
        } => true,
        _ => false,
    }
}

/// What a value depends on, within one round.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Depends {
    /// The value that the load of this round returned.
    value: bool,
    /// Registers that are kept from the round before.
    round: bool,
}

impl Depends {
    const fn or(self, other: Depends) -> Depends {
        Depends {
            value: self.value || other.value,
            round: self.round || other.round,
        }
    }
}

/// One round of a loop.
struct Round<'l> {
    looks: &'l Looks,
    /// The blocks of the loop in the order of control. The first one has the load.
    blocks: Vec<BlockId>,
    /// The index of the load, or of the call that loads, in the first block.
    load: usize,
}

impl<'l> Round<'l> {
    /// The only path through a loop from `first` back to it; `None` if there are several.
    fn of(function: &Function, first: BlockId, of: &Loop, looks: &'l Looks) -> Option<Round<'l>> {
        let mut blocks = vec![first];
        loop {
            let at = *blocks.last()?;
            let mut next: BTreeSet<BlockId> = BTreeSet::new();
            successors(&function.blocks[at].term, |to| {
                if of.blocks.contains(&to) {
                    next.insert(to);
                }
            });
            let mut next = next.into_iter();
            let (Some(to), None) = (next.next(), next.next()) else {
                return None;
            };
            if to == first {
                break;
            }
            if blocks.contains(&to) {
                return None;
            }
            blocks.push(to);
        }
        let mut insts = function.blocks[first].insts.iter();
        let load = insts.position(|inst| looks.polls(&inst.kind))?;
        Some(Round { looks, blocks, load })
    }

    /// The instructions of a round, the load first.
    fn insts<'f>(&self, function: &'f Function) -> impl Iterator<Item = &'f InstKind> {
        let of = |at: usize| function.blocks[self.blocks[at]].insts.iter();
        let mut all: Vec<&InstKind> = of(0).skip(self.load).map(|inst| &inst.kind).collect();
        for at in 1..self.blocks.len() {
            all.extend(of(at).map(|inst| &inst.kind));
        }
        all.extend(of(0).take(self.load).map(|inst| &inst.kind));
        all.into_iter()
    }

    /// Whether the conditions at the top of this file hold.
    fn fulfils_conditions(&self, function: &Function) -> bool {
        let (mut loads, mut others_compute) = (0, true);
        for kind in self.insts(function) {
            match self.looks.polls(kind) {
                true => loads += 1,
                false => others_compute &= self.looks.only_computes(kind),
            }
        }
        if loads != 1 || !others_compute {
            return false;
        }
        let Some(depends) = self.dependences(function) else {
            return false;
        };
        let on = |operand: Operand| match operand {
            Operand::Reg(reg) => depends.get(&reg).copied().unwrap_or_default(),
            _ => Depends::default(),
        };
        let mut address = Depends::default();
        let load = &function.blocks[self.blocks[0]].insts[self.load].kind;
        load.for_each_operand(|operand| address = address.or(on(operand)));
        if address != Depends::default() {
            return false;
        }
        // The branches, in the order in which a round comes to them.
        let inside: FxHashSet<BlockId> = self.blocks.iter().copied().collect();
        let (mut on_round, mut in_order, mut ends) = (false, true, false);
        let countdown = Countdown {
            insts: self.insts(function).collect(),
        };
        for &block in &self.blocks {
            let (cond, then, otherwise) = match function.blocks[block].term {
                Terminator::Jump(_) => continue,
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                } => (cond, then, otherwise),
                _ => return false,
            };
            let leaves = match (inside.contains(&then), inside.contains(&otherwise)) {
                (true, false) => otherwise,
                (false, true) => then,
                _ => return false,
            };
            let depends_on = on(cond);
            let when = leaves == then;
            let mut decides = cond;
            if depends_on.value && depends_on.round {
                match self.by_round(function, cond, when, &on) {
                    Some(by_round) => decides = by_round,
                    None => return false,
                }
            }
            if depends_on.value {
                in_order &= !on_round;
                // What is live there must not depend on the number of rounds.
                let live = live_in(function, leaves);
                if live.iter().any(|reg| depends.get(reg).is_some_and(|d| d.round)) {
                    return false;
                }
            }
            on_round |= depends_on.round;
            ends |= depends_on.round && countdown.comes_to(decides, when);
        }
        in_order && ends
    }

    /// Registers that have the same value at the load and behind it in all rounds: right before the
    /// load they are computed, and not read before, from what no round assigns. Unoptimised code
    /// computes the load's address so.
    fn computed_anew(&self, function: &Function) -> FxHashSet<Reg> {
        let mut assigned = FxHashSet::default();
        for kind in self.insts(function) {
            kind.for_each_result(|reg| {
                assigned.insert(reg);
            });
        }
        let (mut computed, mut read) = (FxHashSet::default(), FxHashSet::default());
        for inst in &function.blocks[self.blocks[0]].insts[..self.load] {
            let mut same = only_computes(&inst.kind);
            inst.kind.for_each_operand(|operand| {
                if let Operand::Reg(reg) = operand {
                    same &= computed.contains(&reg) || !assigned.contains(&reg);
                    read.insert(reg);
                }
            });
            inst.kind.for_each_result(|reg| {
                if same && !read.contains(&reg) {
                    computed.insert(reg);
                }
            });
        }
        computed
    }

    /// What each register depends on that a round assigns. `None` if a register that is kept from
    /// one round to the next depends on the value of the load. A register is kept if the next round
    /// reads it, or code behind an exit of that round, before the round assigns it.
    fn dependences(&self, function: &Function) -> Option<FxHashMap<Reg, Depends>> {
        let mut assigned: FxHashMap<Reg, Depends> = FxHashMap::default();
        for kind in self.insts(function) {
            kind.for_each_result(|reg| {
                assigned.insert(reg, Depends::default());
            });
        }
        let computed_anew = self.computed_anew(function);
        // A register that is read before the round assigns it is kept from the round before.
        let (mut done, mut kept) = (FxHashSet::default(), FxHashSet::default());
        let mut read = |operand: Operand, done: &FxHashSet<Reg>| {
            if let Operand::Reg(reg) = operand
                && assigned.contains_key(&reg)
                && !done.contains(&reg)
                && !computed_anew.contains(&reg)
            {
                kept.insert(reg);
            }
        };
        let steps = std::iter::once((0, true))
            .chain((1..self.blocks.len()).map(|at| (at, true)))
            .chain([(0, false)]);
        for (at, after) in steps {
            let block = &function.blocks[self.blocks[at]];
            let (from, to) = match (at, after) {
                (0, true) => (self.load, block.insts.len()),
                (0, false) => (0, self.load),
                _ => (0, block.insts.len()),
            };
            for inst in &block.insts[from..to] {
                inst.kind.for_each_operand(|operand| read(operand, &done));
                inst.kind.for_each_result(|reg| {
                    done.insert(reg);
                });
            }
            if after {
                block.term.for_each_operand(|operand| read(operand, &done));
                // Code behind an exit reads what is live there.
                successors(&block.term, |to| {
                    if !self.blocks.contains(&to) {
                        let live = live_in(function, to);
                        live.iter().for_each(|&reg| read(Operand::Reg(reg), &done));
                    }
                });
            }
        }
        for reg in &kept {
            assigned.insert(
                *reg,
                Depends {
                    value: false,
                    round: true,
                },
            );
        }
        loop {
            let before = assigned.clone();
            for kind in self.insts(function) {
                let mut depends = Depends {
                    value: self.looks.polls(kind),
                    round: false,
                };
                kind.for_each_operand(|operand| {
                    if let Operand::Reg(reg) = operand {
                        depends = depends.or(before.get(&reg).copied().unwrap_or_default());
                    }
                });
                kind.for_each_result(|reg| {
                    let all = assigned.entry(reg).or_default();
                    *all = all.or(depends);
                });
            }
            if assigned == before {
                break;
            }
        }
        let keeps_value = |reg: &Reg| assigned[reg].value;
        (!kept.iter().any(keeps_value)).then_some(assigned)
    }

    /// Of a branch that leaves the loop if one of two conditions holds, of which one depends on the
    /// value of the load and the other one on the round, but neither on both: the latter. `when`:
    /// the outcome of `cond`, and of the latter, for which the branch leaves.
    fn by_round(
        &self,
        function: &Function,
        cond: Operand,
        when: bool,
        on: &impl Fn(Operand) -> Depends,
    ) -> Option<Operand> {
        let Operand::Reg(cond) = cond else { return None };
        let mut made = self.insts(function).filter(|kind| {
            let mut makes = false;
            kind.for_each_result(|reg| makes |= reg == cond);
            makes
        });
        let (Some(made), None) = (made.next(), made.next()) else {
            return None;
        };
        let is = |operand: Operand, value: u128| matches!(operand, Operand::Const(c, _) if c & 1 == value);
        let (a, b) = match *made {
            InstKind::Select { cond, a, b, .. } if when && is(a, 1) => (cond, b),
            InstKind::Select { cond, a, b, .. } if !when && is(b, 0) => (cond, a),
            InstKind::Bin {
                op: BinOp::Or, a, b, ..
            } if when => (a, b),
            InstKind::Bin {
                op: BinOp::And, a, b, ..
            } if !when => (a, b),
            _ => return None,
        };
        match (on(a), on(b)) {
            (of_a, of_b) if of_a.value && of_a.round || of_b.value && of_b.round => None,
            (of_a, _) if of_a.round => Some(a),
            _ => Some(b),
        }
    }

    /// Whether an instruction of a round does nothing but let time pass.
    fn only_waits(&self, kind: &InstKind) -> bool {
        match kind {
            InstKind::Pause => true,
            InstKind::Call { results, .. } => results.is_empty() && self.looks.only_computes(kind),
            _ => false,
        }
    }

    /// Redirects the path behind the load into a copy of the loop without the load.
    fn rewrite(&self, function: &mut Function) {
        let first = self.blocks[0];
        let mut load = function.blocks[first].insts[self.load].clone();
        let types: Vec<Type> = function.regs.iter().map(|reg| reg.ty).collect();
        let stmt = load.stmt;
        let mut again: Vec<Inst> = Vec::new();
        let regs = &mut function.regs;
        let mut keep = |dst: &mut Reg, ty: Type| {
            let loaded = regs.push(RegInfo::unnamed(ty));
            again.push(Inst {
                stmt,
                kind: InstKind::Copy {
                    dst: *dst,
                    value: Operand::Reg(loaded),
                },
            });
            *dst = loaded;
        };
        match &mut load.kind {
            InstKind::Load { dst, ty, .. } => keep(dst, *ty),
            InstKind::Call { results, .. } => {
                for dst in results {
                    let ty = types[dst.index()];
                    keep(dst, ty);
                }
            }
            _ => return,
        }
        let place = &mut function.blocks[first].insts;
        place.splice(self.load..=self.load, [load].into_iter().chain(again));
        let from = function.blocks.len();
        let copy = |block: BlockId| {
            let at = self.blocks.iter().position(|&b| b == block);
            at.map(|at| BlockId::from_index(from + at))
        };
        for &id in &self.blocks {
            let mut block = function.blocks[id].clone();
            if id == first {
                block.insts.remove(self.load);
            }
            block.insts.retain(|inst| !self.only_waits(&inst.kind));
            // The copy stays within the copy.
            redirect(&mut block.term, |to| copy(to).unwrap_or(to));
            function.blocks.push(block);
        }
        // Only the first block leads to the copy: a thread that enters the loop behind the load has
        // not read yet.
        let next = self.blocks[1 % self.blocks.len()];
        redirect(&mut function.blocks[first].term, |to| match to == next {
            true => copy(to).unwrap_or(to),
            false => to,
        });
    }
}

/// Changes the targets of a jump or a branch.
fn redirect(term: &mut Terminator, to: impl Fn(BlockId) -> BlockId) {
    match term {
        Terminator::Jump(block) => *block = to(*block),
        Terminator::Branch { then, otherwise, .. } => {
            *then = to(*then);
            *otherwise = to(*otherwise);
        }
        _ => {}
    }
}

/// The registers that are live at the begin of a block.
fn live_in(function: &Function, block: BlockId) -> FxHashSet<Reg> {
    let mut live: Vec<FxHashSet<Reg>> = vec![FxHashSet::default(); function.blocks.len()];
    loop {
        let mut changed = false;
        for (id, block) in function.blocks.iter_ids() {
            let mut now: FxHashSet<Reg> = FxHashSet::default();
            successors(&block.term, |to| now.extend(&live[to.index()]));
            let read = |operand: Operand, now: &mut FxHashSet<Reg>| {
                if let Operand::Reg(reg) = operand {
                    now.insert(reg);
                }
            };
            block.term.for_each_operand(|operand| read(operand, &mut now));
            for inst in block.insts.iter().rev() {
                inst.kind.for_each_result(|reg| {
                    now.remove(&reg);
                });
                inst.kind.for_each_operand(|operand| read(operand, &mut now));
            }
            if now != live[id.index()] {
                live[id.index()] = now;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    live.swap_remove(block.index())
}
