//! Arithmetic on values of up to 128 bits, with what is rare on narrower ones: overflow,
//! saturation, conversions of floats.

use super::placement::{self, is_address};
use super::stop::Trouble;
use crate::arithmetic as arith;
use crate::arithmetic::float;
use crate::arithmetic::partly::{
    DISTANCE, DIVIDEND, OVERFLOWING, Partly, may_leave, may_not_divide, may_overflow,
};
use crate::code::{ComplexOperands, NONE, Op};
use crate::memory::Site;
use crate::native::undefined_fault;
use crate::value::{Poison, Value};
use crate::vm::Vm;
use selvedge_base::ThreadId;
use selvedge_ir::{BinOp, CastOp, OverflowOp, SatOp, Type, UnOp};
use selvedge_model::FaultKind;

/// A value of up to 128 bits; `tagged` if any part is not concrete.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub bits: u128,
    pub tagged: Option<Value>,
}

pub(super) const fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

pub(super) const fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

impl Vm {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn binary(
        &mut self,
        thread: ThreadId,
        op: BinOp,
        nsw: bool,
        operands: &ComplexOperands,
        a: Wide,
        b: Wide,
        site: Site,
    ) -> Result<(), Trouble> {
        let width = operands.results[0].1.bits();
        if operands.results[0].1.is_float() {
            let bits = float::rare(op, width, a.bits as u64, b.bits as u64).unwrap_or(0);
            self.set_both(thread, operands, u128::from(bits), &[a, b]);
            return Ok(());
        }
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        if divides {
            if let Some(value) = b.tagged {
                return Err(undefined_fault(value, "the divisor", site).into());
            }
            if b.bits == 0 {
                return Err(self.fault_at(FaultKind::DivisionByZero, "division by zero", site));
            }
        }
        if shifts && b.tagged.is_none() && b.bits >= u128::from(width) {
            let text = format!("shift of a {width}-bit value by {}", signed(b.bits, width));
            return Err(self.fault_at(FaultKind::ShiftOutOfRange, text, site));
        }
        if let Some(value) = a.tagged.or(b.tagged)
            && let Some(what) = self.needs(
                op,
                nsw,
                width,
                [0, 1].map(|i| self.wide_partly(thread, operands, i)),
            )
        {
            return Err(undefined_fault(value, what, site).into());
        }
        self.note_wide_addresses(op, a, b, site);
        let (x, y) = (signed(a.bits, width), signed(b.bits, width));
        if self.program.options.check_overflow && nsw && a.tagged.is_none() && b.tagged.is_none() {
            let exact = match op {
                BinOp::Add => x.checked_add(y),
                BinOp::Sub => x.checked_sub(y),
                BinOp::Mul => x.checked_mul(y),
                BinOp::Shl => {
                    let shifted = signed(a.bits << y & mask(width), width);
                    (shifted >> y == x).then_some(shifted)
                }
                _ => Some(0),
            };
            if exact.is_none_or(|r| signed(r as u128 & mask(width), width) != r) {
                let word = match op {
                    BinOp::Add => "addition",
                    BinOp::Sub => "subtraction",
                    _ => "multiplication",
                };
                let text = match op {
                    BinOp::Shl => format!("signed shift of {x} by {y} overflows {width} bits"),
                    _ => format!("signed {word} of {x} and {y} overflows {width} bits"),
                };
                return Err(self.fault_at(FaultKind::SignedOverflow, text, site));
            }
        }
        if width <= 64
            && (a.tagged.is_some() || b.tagged.is_some())
            && let Some(simple) = simple_op(op)
        {
            // Narrow operations come here only to be checked for overflow: undefined bits as on the
            // fast path.
            let (a, b) = (
                self.slot(thread, operands.operands[0].0),
                self.slot(thread, operands.operands[1].0),
            );
            let value = arith::tagged(&self.state.memory.tags, simple, width as u8, a, b);
            self.set_slot(thread, operands.results[0].0, value);
            return Ok(());
        }
        let bits = match op {
            BinOp::Add => a.bits.wrapping_add(b.bits),
            BinOp::Sub => a.bits.wrapping_sub(b.bits),
            BinOp::Mul => a.bits.wrapping_mul(b.bits),
            BinOp::UDiv => a.bits / b.bits,
            BinOp::URem => a.bits % b.bits,
            BinOp::SDiv | BinOp::SRem => {
                let least = i128::MIN >> (128 - width);
                if x == least && y == -1 {
                    let text = "division of the least integer by -1 overflows";
                    return Err(self.fault_at(self.program.options.division_overflow(), text, site));
                }
                (if op == BinOp::SDiv { x / y } else { x % y }) as u128
            }
            BinOp::Shl => a.bits.checked_shl(b.bits as u32).unwrap_or(0),
            BinOp::LShr => a.bits.checked_shr(b.bits as u32).unwrap_or(0),
            BinOp::AShr => (x >> (b.bits as u32).min(127)) as u128,
            BinOp::And => a.bits & b.bits,
            BinOp::Or => a.bits | b.bits,
            BinOp::Xor => a.bits ^ b.bits,
            _ => {
                return Err(Trouble::Unsupported(
                    "floating-point arithmetic on integers".into(),
                ));
            }
        };
        self.set_both(thread, operands, bits, &[a, b]);
        Ok(())
    }

    /// A number of at most 64 bits, if it is no expression.
    pub(super) fn partly(&self, value: Value) -> Partly {
        let value = value.as_number();
        Partly {
            bits: u128::from(value.bits),
            undefined: u128::from(self.state.memory.tags.undefined_bits(value.tag)),
        }
    }

    fn wide_partly(&self, thread: ThreadId, operands: &ComplexOperands, i: usize) -> Partly {
        let (low, high) = operands.operands[i];
        let mut number = self.partly(self.slot(thread, low));
        if high != NONE {
            let above = self.partly(self.slot(thread, high));
            number.bits |= above.bits << 64;
            number.undefined |= above.undefined << 64;
        }
        number
    }

    /// The operand on whose undefined bits it depends whether an operation goes wrong, if there is
    /// one. Then these bits have to be known: the operation uses them.
    fn needs(&self, op: BinOp, nsw: bool, width: u32, [a, b]: [Partly; 2]) -> Option<&'static str> {
        match op {
            BinOp::Shl | BinOp::LShr | BinOp::AShr if b.undefined != 0 && may_leave(width, b) => {
                Some(DISTANCE)
            }
            BinOp::SDiv | BinOp::SRem if may_not_divide(width, a, b) => Some(DIVIDEND),
            _ if self.program.options.check_overflow && nsw && may_overflow(op, width, a, b) => {
                Some(OVERFLOWING)
            }
            _ => None,
        }
    }

    /// Records if the result depends on where the machine places objects: half by half where the
    /// operation keeps the halves apart.
    fn note_wide_addresses(&mut self, op: BinOp, a: Wide, b: Wide, site: Site) {
        let halves = |bits: u128| [bits as u64, (bits >> 64) as u64];
        let (x, y) = (halves(a.bits), halves(b.bits));
        let any = |halves: [u64; 2]| halves.into_iter().any(is_address);
        let by_half = |relation: fn(u64, u64) -> bool| relation(x[0], y[0]) || relation(x[1], y[1]);
        let matters = match op {
            BinOp::Add => by_half(placement::sum),
            BinOp::Sub => by_half(placement::difference),
            BinOp::And | BinOp::Or => by_half(placement::mask),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => any(x) && b.bits < 47,
            BinOp::Mul | BinOp::Xor => any(x) || any(y),
            _ => any(x),
        };
        if matters {
            self.note_address_use(site.stmt);
        }
    }
}

fn simple_op(op: BinOp) -> Option<Op> {
    Some(match op {
        BinOp::Add => Op::Add,
        BinOp::Sub => Op::Sub,
        BinOp::Mul => Op::Mul,
        BinOp::Shl => Op::Shl,
        BinOp::LShr => Op::LShr,
        BinOp::AShr => Op::AShr,
        BinOp::And => Op::And,
        BinOp::Or => Op::Or,
        BinOp::Xor => Op::Xor,
        _ => return None,
    })
}

pub(super) fn integer_unary(op: UnOp, width: u32, a: u128) -> u128 {
    match op {
        UnOp::Ctpop => u128::from(a.count_ones()),
        UnOp::Ctlz => u128::from(a.leading_zeros() - (128 - width)),
        UnOp::Cttz => u128::from(a.trailing_zeros().min(width)),
        UnOp::Bswap => a.swap_bytes() >> (128 - width),
        UnOp::BitReverse => a.reverse_bits() >> (128 - width),
        UnOp::Abs => signed(a, width).wrapping_abs() as u128,
        _ => a,
    }
}

pub(super) fn overflowing(op: OverflowOp, width: u32, a: u128, b: u128) -> (u128, bool) {
    let (x, y) = (signed(a, width), signed(b, width));
    let fits = |r: Option<i128>| r.is_some_and(|r| signed(r as u128 & mask(width), width) == r);
    let fits_unsigned = |r: Option<u128>| r.is_some_and(|r| r & mask(width) == r);
    let (bits, fits) = match op {
        OverflowOp::SAdd => (a.wrapping_add(b), fits(x.checked_add(y))),
        OverflowOp::SSub => (a.wrapping_sub(b), fits(x.checked_sub(y))),
        OverflowOp::SMul => (a.wrapping_mul(b), fits(x.checked_mul(y))),
        OverflowOp::UAdd => (a.wrapping_add(b), fits_unsigned(a.checked_add(b))),
        OverflowOp::USub => (a.wrapping_sub(b), b <= a),
        OverflowOp::UMul => (a.wrapping_mul(b), fits_unsigned(a.checked_mul(b))),
    };
    (bits & mask(width), !fits)
}

pub(super) fn saturating(op: SatOp, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(a, width), signed(b, width));
    let (least, most) = (i128::MIN >> (128 - width), i128::MAX >> (128 - width));
    let clamp = |r: Option<i128>, negative: bool| match r {
        Some(r) => r.clamp(least, most) as u128,
        None => (if negative { least } else { most }) as u128,
    };
    let bits = match op {
        SatOp::SAdd => clamp(x.checked_add(y), x < 0),
        SatOp::SSub => clamp(x.checked_sub(y), x < 0),
        SatOp::UAdd => a.checked_add(b).map_or(mask(width), |r| r.min(mask(width))),
        SatOp::USub => a.saturating_sub(b),
        SatOp::UShl => {
            let by = b as u32;
            if a == 0 || (by < width && a.leading_zeros() >= by + (128 - width)) {
                a << by.min(127)
            } else {
                mask(width)
            }
        }
        SatOp::SShl => {
            let by = (b as u32).min(127);
            let r = x << by;
            if r >> by == x && r >= least && r <= most {
                r as u128
            } else {
                clamp(None, x < 0)
            }
        }
    };
    bits & mask(width)
}

pub(super) fn cast(op: CastOp, from: Type, to: Type, a: Wide) -> Wide {
    let keep = |bits: u128| Wide {
        bits,
        tagged: a.tagged,
    };
    let poison = || Wide {
        bits: 0,
        tagged: Some(Value::poison(0, Poison::FloatToInt)),
    };
    let width = to.bits();
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::Bitcast => keep(a.bits & mask(width)),
        CastOp::SExt => keep(signed(a.bits, from.bits()) as u128 & mask(width)),
        CastOp::FToU | CastOp::FToS | CastOp::FToUSat | CastOp::FToSSat => {
            let value = float::widen(from.bits(), a.bits as u64).trunc();
            let is_signed = matches!(op, CastOp::FToS | CastOp::FToSSat);
            let saturate = matches!(op, CastOp::FToUSat | CastOp::FToSSat);
            if is_signed {
                let (least, most) = (i128::MIN >> (128 - width), i128::MAX >> (128 - width));
                let integer = value as i128;
                // 2^(width-1) is exact in a double; the cast of Rust saturates.
                let fits =
                    value >= least as f64 && value < (most as f64 + if width < 53 { 1.0 } else { 0.0 });
                if !fits && !saturate && a.tagged.is_none() {
                    return poison();
                }
                return keep(integer.clamp(least, most) as u128 & mask(width));
            }
            let integer = value as u128;
            let fits = value >= 0.0 && (width == 128 || value < 2f64.powi(width as i32));
            if !fits && !saturate && a.tagged.is_none() {
                return poison();
            }
            keep(integer.min(mask(width)))
        }
        CastOp::UToF => keep(u128::from(from_integer(a.bits, false, width))),
        CastOp::SToF => keep(u128::from(from_integer(
            signed(a.bits, from.bits()) as u128,
            true,
            width,
        ))),
        CastOp::FTrunc => keep(u128::from((f64::from_bits(a.bits as u64) as f32).to_bits())),
        CastOp::FExt => keep(u128::from(f64::from(f32::from_bits(a.bits as u32)).to_bits())),
    }
}

fn from_integer(bits: u128, is_signed: bool, width: u32) -> u64 {
    match (is_signed, width) {
        (false, 32) => u64::from((bits as f32).to_bits()),
        (false, _) => (bits as f64).to_bits(),
        (true, 32) => u64::from((bits as i128 as f32).to_bits()),
        (true, _) => (bits as i128 as f64).to_bits(),
    }
}
