//! Liveness of frame slots. A fingerprint includes only the live slots of a frame.
//!
//! This is a backward data-flow analysis over the compiled code, slot by slot. Its results are
//! stored for the instructions at which a thread can be between two steps (calls, accesses that are
//! actions, and other complex instructions), and for each call site while the call is active. A
//! result slot counts as assigned by its instruction, since an instruction that does not finish
//! parks its thread.
//!
//! An operand of arithmetic is live only if the result is live (strongly live variables; Giegerich,
//! Möncke and Wilhelm 1981). So a counter that influences nothing else does not distinguish states.
//!
//! A call may end in a `longjmp` to a `setjmp` of the same frame. Therefore the slots that are live
//! after each `setjmp` are live at all calls of its function, whatever they call. So is the flag
//! that records that the `setjmp` was called. The slots that are live at the landing pad of a call
//! are live while that call is active.
//!
//! When leak checking is on, three things differ:
//!
//! - A variable is always live, whether it is read later or not, because memory that it points to
//!   is not lost.
//! - Liveness is computed at every instruction. Without it, all slots would count as live, and a
//!   pointer that is never read again would hide a leak.
//! - Every slot that is read is live, even by arithmetic without a live result, because a pointer
//!   may be on its way to a variable that is never read.

use crate::code::{CONST, Code, Inst, NONE, Op};
use std::ops::Range;

/// Live slots of one function.
#[derive(Clone, Default, Debug)]
pub(crate) struct Liveness {
    slots: Vec<u16>,
    /// For each instruction, a range of `slots`; `None` where no thread can be between two steps.
    standing: Vec<Option<Range<u32>>>,
    /// For each call site, the range of `slots` while the call is active.
    suspended: Vec<Range<u32>>,
    /// For each block: its first instruction, and the range of `slots` there.
    entries: Vec<(u32, Range<u32>)>,
}

impl Liveness {
    /// The slots that are live just before an instruction. `None` if liveness was not computed
    /// there.
    pub fn standing(&self, ip: u32) -> Option<&[u16]> {
        let range = self.standing.get(ip as usize)?.as_ref()?;
        self.slots.get(range.start as usize..range.end as usize)
    }

    /// The slots that are live while a call is active, without its results.
    pub fn suspended(&self, call: u32) -> Option<&[u16]> {
        let range = self.suspended.get(call as usize)?;
        self.slots.get(range.start as usize..range.end as usize)
    }

    /// The slots that are live at the start of a block. `None` if no block starts there.
    pub fn entering(&self, ip: u32) -> Option<&[u16]> {
        let at = self.entries.binary_search_by_key(&ip, |&(start, _)| start).ok()?;
        let range = &self.entries[at].1;
        self.slots.get(range.start as usize..range.end as usize)
    }

    /// Computes liveness. `everywhere`: for all instructions, not only for those at which a thread
    /// can be between two steps. Then every slot that is read is live.
    pub fn of(code: &Code, everywhere: bool) -> Liveness {
        let words = code.slots as usize / 64 + 1;
        let mut entries = vec![vec![0u64; words]; code.blocks.len()];
        let mut landed = vec![0u64; words];
        for &ip in &code.landings {
            let flag = code.calls[code.insts[ip as usize].long() as usize].landing;
            landed[usize::from(flag) / 64] |= 1 << (flag % 64);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..code.blocks.len()).rev() {
                let mut live = vec![0; words];
                let mut behind = landed.clone();
                let note = |ip: usize, _: &[u64], after: &[u64]| {
                    if code.landings.contains(&(ip as u32)) {
                        let behind = behind.iter_mut();
                        behind
                            .zip(without_results(code, ip, after))
                            .for_each(|(b, a)| *b |= a);
                    }
                };
                walk(code, &entries, &landed, block, !everywhere, &mut live, note);
                if entries[block] != live || landed != behind {
                    entries[block] = live;
                    landed = behind;
                    changed = true;
                }
            }
        }
        let mut variables = vec![0u64; words];
        for &slot in &code.variables {
            variables[usize::from(slot) / 64] |= 1 << (slot % 64);
        }
        let kept = |live: &[u64]| -> Vec<u64> { live.iter().zip(&variables).map(|(l, v)| l | v).collect() };
        let mut result = Liveness {
            slots: Vec::new(),
            standing: vec![None; code.insts.len()],
            suspended: vec![0..0; code.calls.len()],
            entries: Vec::new(),
        };
        for block in 0..code.blocks.len() {
            let mut live = vec![0; words];
            let note = |ip: usize, live: &[u64], after: &[u64]| {
                let inst = code.insts[ip];
                if inst.op == Op::Call {
                    let mut after = without_results(code, ip, after);
                    after.iter_mut().zip(&landed).for_each(|(a, l)| *a |= l);
                    if let Some(pad) = pad_of(code, ip) {
                        join(code, &entries, &mut after, pad);
                    }
                    result.suspended[inst.long() as usize] = result.push(&kept(&after));
                }
                let stands = matches!(
                    inst.op,
                    Op::Call | Op::Complex | Op::VisibleLoad | Op::VisibleStore
                );
                if stands || everywhere {
                    result.standing[ip] = Some(result.push(&kept(live)));
                }
            };
            walk(code, &entries, &landed, block, !everywhere, &mut live, note);
            let range = result.push(&kept(&live));
            result.entries.push((code.blocks[block], range));
        }
        result
    }

    fn push(&mut self, live: &[u64]) -> Range<u32> {
        let start = self.slots.len() as u32;
        for (i, &word) in live.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                self.slots.push((i * 64) as u16 + rest.trailing_zeros() as u16);
                rest &= rest - 1;
            }
        }
        start..self.slots.len() as u32
    }
}

/// Adds the slots that are live at the start of a block.
fn join(code: &Code, entries: &[Vec<u64>], live: &mut [u64], target: u32) {
    let at = code.blocks.partition_point(|&b| b < target);
    // An empty block begins at the same instruction as the next one. All of them have the same
    // entry.
    if let Some(entry) = entries.get(at) {
        live.iter_mut().zip(entry).for_each(|(l, e)| *l |= e);
    }
}

/// The landing pad of a call, if it has one.
fn pad_of(code: &Code, ip: usize) -> Option<u32> {
    let pad = code.calls[code.insts[ip].long() as usize].pad;
    Some(code.pads[pad.checked_sub(1)? as usize].target)
}

/// The slots that are live after a call, except its results.
fn without_results(code: &Code, ip: usize, after: &[u64]) -> Vec<u64> {
    let mut live = after.to_vec();
    for &(slot, _) in &code.calls[code.insts[ip].long() as usize].results {
        live[slot as usize / 64] &= !(1 << (slot % 64));
    }
    live
}

/// Walks backwards through a block. Calls `f` with each instruction and the slots that are live
/// before and after it. At the end, `live` holds the slots that are live before the first
/// instruction. The slots in `landed` are live at each call. `strongly`: operands of arithmetic are
/// live only if the result is.
fn walk(
    code: &Code,
    entries: &[Vec<u64>],
    landed: &[u64],
    block: usize,
    strongly: bool,
    live: &mut [u64],
    mut f: impl FnMut(usize, &[u64], &[u64]),
) {
    let mut after = live.to_vec();
    let start = code.blocks[block] as usize;
    let end = code
        .blocks
        .get(block + 1)
        .map_or(code.insts.len(), |&b| b as usize);
    if let Some(next) = entries.get(block + 1) {
        live.copy_from_slice(next);
    }
    for ip in (start..end).rev() {
        let inst = code.insts[ip];
        after.copy_from_slice(live);
        let join = |live: &mut [u64], target: u32| join(code, entries, live, target);
        match inst.op {
            Op::Jump => {
                live.fill(0);
                join(live, inst.long());
            }
            Op::Branch => join(live, inst.long()),
            Op::Switch => {
                live.fill(0);
                if inst.w == 1 {
                    code.blocks.iter().for_each(|&b| join(live, b));
                } else {
                    let table = &code.switches[inst.b as usize];
                    table.cases.iter().for_each(|c| join(live, c.1));
                    join(live, table.default);
                }
            }
            Op::Return | Op::Unreachable | Op::Trap => live.fill(0),
            _ => {}
        }
        for_each_slot(code, ip, inst, |slot, write| {
            if slot & CONST == 0 && slot != NONE && write {
                live[slot as usize / 64] &= !(1 << (slot % 64));
            }
        });
        let counts = !strongly || !is_arithmetic(inst.op) || {
            let slot = usize::from(inst.a);
            after[slot / 64] & 1 << (slot % 64) != 0
        };
        for_each_slot(code, ip, inst, |slot, write| {
            if counts && slot & CONST == 0 && slot != NONE && !write {
                live[slot as usize / 64] |= 1 << (slot % 64);
            }
        });
        if inst.op == Op::Call {
            live.iter_mut().zip(landed).for_each(|(l, b)| *l |= b);
            if let Some(pad) = pad_of(code, ip) {
                join(live, pad);
            }
        }
        f(ip, live, &after);
    }
}

/// Whether an instruction only computes a value for slot `a` and cannot fail.
const fn is_arithmetic(op: Op) -> bool {
    matches!(
        op,
        Op::Mov | Op::Trunc | Op::SExt | Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor
    )
}

/// Calls `f` with each operand that an instruction reads (including constants) and each slot that
/// it writes.
fn for_each_slot(code: &Code, ip: usize, inst: Inst, mut f: impl FnMut(u16, bool)) {
    let data = || code.insts.get(ip + 1).copied();
    match inst.op {
        Op::Mov | Op::Trunc | Op::SExt | Op::Load | Op::VisibleLoad => {
            f(inst.a, true);
            f(inst.b, false);
        }
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::UDiv
        | Op::SDiv
        | Op::URem
        | Op::SRem
        | Op::Shl
        | Op::LShr
        | Op::AShr
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::Eq
        | Op::Ne
        | Op::Ult
        | Op::Ule
        | Op::Ugt
        | Op::Uge
        | Op::Slt
        | Op::Sle
        | Op::Sgt
        | Op::Sge
        | Op::Offset => {
            f(inst.a, true);
            f(inst.b, false);
            f(inst.c, false);
        }
        Op::Select => {
            f(inst.a, true);
            f(inst.b, false);
            f(inst.c, false);
            if let Some(data) = data() {
                f(data.a, false);
            }
        }
        Op::Index => {
            f(inst.a, true);
            f(inst.b, false);
            if let Some(data) = data() {
                [data.a, data.b, data.c].into_iter().for_each(|o| f(o, false));
            }
        }
        Op::Store | Op::VisibleStore => {
            f(inst.a, false);
            f(inst.b, false);
        }
        Op::Branch | Op::Switch | Op::Explain => f(inst.a, false),
        Op::Call => {
            let call = &code.calls[inst.long() as usize];
            call.results.iter().for_each(|r| f(r.0, true));
            call.args.iter().for_each(|&a| f(a, false));
            f(call.address, false);
        }
        Op::Return => code.returns[inst.b as usize].iter().for_each(|&o| f(o, false)),
        Op::Complex => {
            let operands = &code.operands[inst.long() as usize];
            for (slot, ty) in &operands.results {
                f(*slot, true);
                if ty.is_wide() {
                    f(*slot + 1, true);
                }
            }
            for &(low, high) in &operands.operands {
                f(low, false);
                f(high, false);
            }
        }
        Op::ThreadLocal => f(inst.a, true),
        Op::Enter => f(code.locals[inst.b as usize].slot, true),
        Op::Begin | Op::Leave => f(inst.b, false),
        Op::Jump | Op::Cover | Op::Unreachable | Op::Trap | Op::Data => {}
    }
}
