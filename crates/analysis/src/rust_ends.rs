//! Who gives up an end of a channel of Rust's standard library learns nothing unless it is the last.
//!
//! The senders and the receivers of a channel (`std::sync::mpsc`) are counted. Each end subtracts
//! one, with an order that acquires and releases; the last one disconnects the channel. So each end
//! is ordered after the ends before it, and all orders of the ends are states of their own, although
//! nobody uses what only the last one needs to know. Here the subtraction releases, and the last end
//! acquires by a fence after it, as the library itself does for `Arc`.
//!
//! *Why no race is hidden, and none is added that a program may rely on not to be one.* Fewer pairs
//! of accesses are ordered, so no race is lost. What is no longer ordered is what one thread did
//! before it gave up its end, and what another one did after it gave up its own and was not the
//! last. No documentation promises that order, and the second thread cannot know that the first one
//! has come before it: that it was not the last does not say who is gone.

use super::cfg::successors;
use super::rust_start::plain_name;
use selvedge_ir::{
    AtomicOrder, BlockId, Function, Inst, InstKind, IntPred, Module, Operand, RmwOp, Terminator, Type,
};

/// The functions that give up an end.
const ENDS: [&str; 2] = [
    "std::sync::mpmc::counter::SenderC::release",
    "std::sync::mpmc::counter::ReceiverC::release",
];

/// Where a function subtracts from the count, and the block that follows for the last end.
struct Place {
    block: BlockId,
    at: usize,
    last: BlockId,
}

/// Makes only the last end acquire. Returns the number of places.
pub fn acquire_last(module: &mut Module) -> usize {
    let mut count = 0;
    for function in module.functions.iter_mut() {
        let is_end = function.name.contains("release") && {
            let name = plain_name(function);
            ENDS.contains(&name.as_str())
        };
        let Some(Place { block, at, last }) = is_end.then(|| place(function)).flatten() else {
            continue;
        };
        let inst = &mut function.blocks[block].insts[at];
        let stmt = inst.stmt;
        if let InstKind::Rmw { order, .. } = &mut inst.kind {
            *order = AtomicOrder::Release;
        }
        let kind = InstKind::Fence {
            order: AtomicOrder::Acquire,
            single_thread: false,
        };
        function.blocks[last].insts.insert(0, Inst { stmt, kind });
        count += 1;
    }
    count
}

/// `None` if the function has another form than rustc gives it without optimisation.
fn place(function: &Function) -> Option<Place> {
    let subtracts = |inst: &Inst| {
        matches!(
            inst.kind,
            InstKind::Rmw {
                op: RmwOp::Sub,
                value: Operand::Const(1, Type::I64),
                ty: Type::I64,
                order: AtomicOrder::AcqRel,
                ..
            }
        )
    };
    let mut found = function.blocks.iter_ids().flat_map(|(id, block)| {
        let insts = block.insts.iter().enumerate();
        let places = insts.filter(|(_, inst)| subtracts(inst));
        places.map(move |(at, _)| (id, at))
    });
    let (id, at) = found.next()?;
    found.next().is_none().then_some(())?;
    let block = &function.blocks[id];
    let InstKind::Rmw { dst: old, .. } = block.insts[at].kind else {
        return None;
    };
    let Terminator::Branch {
        cond: Operand::Reg(cond),
        then,
        otherwise,
        ..
    } = block.term
    else {
        return None;
    };
    let mut equal = None;
    for inst in &block.insts[at + 1..] {
        match inst.kind {
            InstKind::Cmp {
                pred: pred @ (IntPred::Eq | IntPred::Ne),
                a: Operand::Reg(a),
                b: Operand::Const(1, _),
                dst,
                ..
            } if a == old && dst == cond => equal = Some(pred == IntPred::Eq),
            InstKind::Copy { .. } | InstKind::LocalAddr { .. } => {}
            _ => return None,
        }
    }
    let last = if equal? { then } else { otherwise };
    // Nobody else comes there.
    let mut ways = 0;
    for block in &function.blocks {
        successors(&block.term, |to| ways += usize::from(to == last));
    }
    (ways == 1).then_some(Place { block: id, at, last })
}
