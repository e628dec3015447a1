//! What becomes of the values in the registers of a function: whether anything can depend on them.

use selvedge_base::IdVec;
use selvedge_ir::{BinOp, CastOp, Function, InstKind, Operand, Reg, Terminator};

/// What becomes of a value. The later ones include the earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Fate {
    /// Nothing depends on it.
    Unread,
    /// Only what the function returns depends on it.
    Returned,
    /// Anything may depend on it.
    #[default]
    Read,
}

/// For each register of a function what becomes of the values in it, whichever instruction set
/// them. Instructions that only compute hand the fate of their results on to their operands, as
/// long as no value makes them a fault.
pub fn fates(function: &Function) -> IdVec<Reg, Fate> {
    let mut fates: IdVec<Reg, Fate> = function.regs.iter().map(|_| Fate::Unread).collect();
    let mut handed: Vec<(Reg, Reg)> = Vec::new();
    for block in function.blocks.iter() {
        for inst in &block.insts {
            let result = computed(&inst.kind);
            inst.kind.for_each_operand(|operand| {
                let Operand::Reg(reg) = operand else { return };
                match result {
                    Some(result) => handed.push((reg, result)),
                    None => fates[reg] = Fate::Read,
                }
            });
        }
        let how = match block.term {
            Terminator::Return(_) => Fate::Returned,
            _ => Fate::Read,
        };
        block.term.for_each_operand(|operand| {
            if let Operand::Reg(reg) = operand {
                fates[reg] = fates[reg].max(how);
            }
        });
    }
    let mut again = true;
    while again {
        again = false;
        for &(operand, result) in &handed {
            if fates[operand] < fates[result] {
                fates[operand] = fates[result];
                again = true;
            }
        }
    }
    fates
}

/// The result of an instruction that does nothing but compute it.
const fn computed(kind: &InstKind) -> Option<Reg> {
    match kind {
        InstKind::Copy { dst, .. } | InstKind::Cmp { dst, .. } | InstKind::Select { dst, .. } => Some(*dst),
        InstKind::Bin {
            op: BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor,
            dst,
            nsw: false,
            nuw: false,
            ..
        }
        | InstKind::Cast {
            op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast,
            dst,
            ..
        } => Some(*dst),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fate, fates};
    use selvedge_base::Id;
    use selvedge_ir::Reg;

    /// What becomes of r1 in a function with these instructions, which returns r3.
    fn of(body: &[&str]) -> Fate {
        let body: String = body.iter().map(|line| format!("  s0 {line}\n")).collect();
        let text = format!(
            "func \"f\" (r0, r1) -> (i32) {{\n  regs r0: ptr, r1: i32, r2: i32, r3: i32, r4: i1\nb0:\n{body}  s0 return r3\n}}\n"
        );
        let module = selvedge_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        fates(module.functions.iter().next().expect("the function"))[Reg::from_index(1)]
    }

    #[test]
    fn a_value_is_unread_if_only_unread_values_depend_on_it() {
        assert_eq!(of(&[]), Fate::Unread);
        assert_eq!(of(&["r2 = add r1, 1:i32", "r2 = copy r2"]), Fate::Unread);
        assert_eq!(of(&["r4 = cmp eq i32 r1, 0:i32"]), Fate::Unread);
    }

    #[test]
    fn a_value_may_come_out_by_the_return() {
        assert_eq!(of(&["r3 = copy r1"]), Fate::Returned);
        assert_eq!(of(&["r2 = add r1, 1:i32", "r3 = sub 0:i32, r2"]), Fate::Returned);
    }

    #[test]
    fn what_may_fail_or_reaches_memory_reads() {
        assert_eq!(of(&["store i32 r1, r0, align 4"]), Fate::Read);
        assert_eq!(of(&["r2 = udiv 1:i32, r1"]), Fate::Read);
        assert_eq!(of(&["r2 = add nsw r1, 1:i32"]), Fate::Read);
        assert_eq!(
            of(&["r3 = copy r1", "r2 = rmw add acq_rel i32 r0, r3"]),
            Fate::Read
        );
    }
}
