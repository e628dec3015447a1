//! Which results depend on where the machine places objects.
//!
//! The report lists the statements that compute them (docs/semantics.md, "Assumptions"). The lowest
//! four bits of an address only show the alignment of an object, and all addresses have the same
//! bits from 46 on.
//!
//! Not seen: the addresses of functions and labels; and a stored pointer that is loaded as a number
//! or byte by byte, if the code has no cast of a pointer to a number.

use crate::code::{Inst, Op};
use crate::memory::slot_shift;

/// The bits of an address that depend on the placement of its object.
const PLACED: u64 = (1 << 46) - (1 << 4);

/// Whether a number looks like the address of an object.
#[inline(always)]
pub(super) fn is_address(bits: u64) -> bool {
    bits >> 46 == 1
}

/// Whether two numbers look like addresses of different objects.
#[inline(always)]
pub(super) fn are_apart(a: u64, b: u64) -> bool {
    is_address(a) && is_address(b) && differ_in_slot(a, b)
}

/// Whether an address computed from `base` lies outside of the slot of its object.
#[inline(always)]
pub(super) fn leaves(base: u64, address: u64) -> bool {
    is_address(base) && differ_in_slot(base, address)
}

#[inline(always)]
fn differ_in_slot(address: u64, other: u64) -> bool {
    (address ^ other) >> slot_shift(address) != 0
}

/// Whether one of two numbers looks like the address of an object. Most numbers are small.
#[inline(always)]
fn any_address(x: u64, y: u64) -> bool {
    (x | y) >> 46 != 0 && (is_address(x) | is_address(y))
}

/// Whether a sum depends on placement: of two addresses, or if it leaves the object of the one.
#[inline(always)]
pub(super) fn sum(x: u64, y: u64) -> bool {
    let sum = x.wrapping_add(y);
    any_address(x, y)
        && match (is_address(x), is_address(y)) {
            (true, false) => differ_in_slot(x, sum),
            (false, _) => differ_in_slot(y, sum),
            (true, true) => true,
        }
}

/// Whether a difference depends on placement. The distance of two addresses in one object does not.
#[inline(always)]
pub(super) fn difference(x: u64, y: u64) -> bool {
    any_address(x, y)
        && match (is_address(x), is_address(y)) {
            (true, true) => differ_in_slot(x, y),
            (true, false) => differ_in_slot(x, x.wrapping_sub(y)),
            (false, _) => true,
        }
}

/// Whether a mask has some of the bits that depend on placement, and not all of them.
#[inline(always)]
fn partial(mask: u64) -> bool {
    mask & PLACED != 0 && mask & PLACED != PLACED
}

/// Whether a conjunction or a disjunction depends on placement: it keeps or sets some of the bits
/// in question, not all.
#[inline(always)]
pub(super) fn mask(x: u64, y: u64) -> bool {
    any_address(x, y)
        && match (is_address(x), is_address(y)) {
            (true, true) => x != y,
            (true, false) => partial(y),
            (false, _) => partial(x),
        }
}

/// Whether results of an operation may depend on placement.
#[inline(always)]
pub(super) const fn concerns(op: Op) -> bool {
    matches!(
        op,
        Op::Ult
            | Op::Ule
            | Op::Ugt
            | Op::Uge
            | Op::Slt
            | Op::Sle
            | Op::Sgt
            | Op::Sge
            | Op::Add
            | Op::Sub
            | Op::And
            | Op::Or
            | Op::Mul
            | Op::Xor
            | Op::UDiv
            | Op::SDiv
            | Op::URem
            | Op::SRem
            | Op::Shl
            | Op::LShr
            | Op::AShr
            | Op::Trunc
    )
}

/// Whether a result depends on placement. An operand is `None` if it is no certain number.
pub(super) fn matters(inst: Inst, x: Option<u64>, y: Option<u64>) -> bool {
    let is_placed = |operand: Option<u64>| operand.is_some_and(is_address);
    let any = is_placed(x) || is_placed(y);
    let both = |relation: fn(u64, u64) -> bool| match (x, y) {
        (Some(x), Some(y)) => relation(x, y),
        _ => any,
    };
    match inst.op {
        Op::Ult | Op::Ule | Op::Ugt | Op::Uge | Op::Slt | Op::Sle | Op::Sgt | Op::Sge => {
            x.zip(y).is_some_and(|(x, y)| are_apart(x, y))
        }
        // The sum of an address and an unknown number is an address within its object, or a finding
        // where it is used.
        Op::Add => x.zip(y).is_some_and(|(x, y)| sum(x, y)),
        Op::Sub => x.zip(y).map_or(is_placed(y), |(x, y)| difference(x, y)),
        Op::And | Op::Or => both(mask),
        Op::Mul | Op::Xor => any,
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => is_placed(x),
        Op::Shl | Op::LShr | Op::AShr => is_placed(x) && y.is_none_or(|by| by < 47),
        Op::Trunc => inst.w > 4 && is_placed(x),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two addresses of different objects of 16 bytes.
    const A: u64 = 1 << 46 | 0x100;
    const B: u64 = 1 << 46 | 0x120;

    /// The operation that these functions answer for.
    type Operation = fn(u64, u64) -> u64;
    type Depends = fn(u64, u64) -> bool;

    /// A result depends on placement exactly if it moves otherwise than by the distance that the
    /// objects were moved, or if it moves at all and is no address any more.
    #[test]
    fn what_moves_with_its_object_does_not_depend_on_placement() {
        let cases: [(Depends, Operation); 4] = [
            (sum, u64::wrapping_add),
            (difference, u64::wrapping_sub),
            (mask, |x, y| x & y),
            (mask, |x, y| x | y),
        ];
        let numbers = [0, 1, 7, 15, !0, !7, !15, 0xfff, !0xfff, 0x30, 1 << 20, !0 >> 1];
        let distances = (4..46).map(|bit| 1u64 << bit);
        for (depends, operation) in cases {
            for number in numbers {
                for flipped in [false, true] {
                    let apply = |a: u64| match flipped {
                        false => operation(a, number),
                        true => operation(number, a),
                    };
                    let (x, y) = if flipped { (number, A) } else { (A, number) };
                    let stays = distances.clone().all(|d| apply(A + d) == apply(A));
                    let follows = distances
                        .clone()
                        .all(|d| apply(A + d) == apply(A).wrapping_add(d));
                    let is_harmless = stays || follows && !leaves(A, apply(A));
                    if is_harmless {
                        assert!(!depends(x, y), "{x:#x} {y:#x} is noted without need");
                    } else {
                        assert!(depends(x, y), "{x:#x} {y:#x} is not noted");
                    }
                }
            }
            assert!(!depends(3, 5) && !depends(!0, !0));
        }
    }

    #[test]
    fn two_addresses_are_harmless_within_one_object() {
        assert!(!difference(A, A + 8) && difference(A, B));
        assert!(sum(A, A) && !mask(A, A) && mask(A, B));
        assert!(!are_apart(A, A + 8) && are_apart(A, B));
    }
}
