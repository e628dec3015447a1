//! The hot loop: executes a concrete program between its visible actions, as fast as possible.
//!
//! It executes instructions that need only registers, constants and cached address translations. It
//! stops before the first instruction that needs more: a value that is not concrete, bytes that are
//! accessed for the first time in a step, a call, a fault. `single` executes that instruction,
//! whatever it is. So this loop calls nothing, and its data stays in processor registers.

use super::placement::{self, are_apart, is_address, leaves};
use super::window::Window;
use crate::arithmetic::float;
use crate::arithmetic::{divide, shift, signed};
use crate::code::Op;
use crate::memory::{Memory, Parts, slot_shift};
use crate::value::mask;
use crate::value::{Tags, Value};

/// Executes instructions from `ip` on. Returns where it stopped and `count` with the number of
/// instructions added. Jumps back are left to the caller as soon as `limit` instructions were
/// counted. `PLACED`: sums, differences and masks that depend on where objects are are left to the
/// caller, too.
#[inline(always)]
pub(super) fn run<const PLACED: bool>(
    memory: &mut Memory,
    w: Window,
    ip: u32,
    mut count: u64,
    limit: u64,
) -> (u32, u64) {
    let mut ip = ip as usize;
    macro_rules! binary {
        ($inst:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
            let (x, y) = (w.get($inst.b), w.get($inst.c));
            if x.tag.0 | y.tag.0 != 0 {
                break;
            }
            let ($a, $b, $width) = (x.bits, y.bits, $inst.w);
            w.set($inst.a, Value::new($result));
            ip += 1;
        }};
    }
    // A result that depends on where objects are is noted by `single`.
    macro_rules! placed {
        ($inst:expr, $depends:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
            let (x, y) = (w.get($inst.b), w.get($inst.c));
            if x.tag.0 | y.tag.0 != 0 || PLACED && $depends(x.bits, y.bits) {
                break;
            }
            let ($a, $b, $width) = (x.bits, y.bits, $inst.w);
            w.set($inst.a, Value::new($result));
            ip += 1;
        }};
    }
    // So is an address that becomes a number,
    macro_rules! number {
        ($inst:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
            let (x, y) = (w.get($inst.b), w.get($inst.c));
            if x.tag.0 | y.tag.0 != 0 || is_address(x.bits) || is_address(y.bits) {
                break;
            }
            let ($a, $b, $width) = (x.bits, y.bits, $inst.w);
            w.set($inst.a, Value::new($result));
            ip += 1;
        }};
    }
    // and a comparison of addresses of different objects.
    macro_rules! order {
        ($inst:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
            let (x, y) = (w.get($inst.b), w.get($inst.c));
            if x.tag.0 | y.tag.0 != 0 || are_apart(x.bits, y.bits) {
                break;
            }
            let ($a, $b, $width) = (x.bits, y.bits, $inst.w);
            w.set($inst.a, Value::new(u64::from($result)));
            ip += 1;
        }};
    }
    macro_rules! quotient {
        ($inst:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
            let (x, y) = (w.get($inst.b), w.get($inst.c));
            if x.tag.0 | y.tag.0 != 0 || y.bits == 0 || is_address(x.bits) {
                break;
            }
            let ($a, $b, $width) = (x.bits, y.bits, $inst.w);
            let Some(result) = $result else { break };
            w.set($inst.a, Value::new(result));
            ip += 1;
        }};
    }
    macro_rules! jump {
        ($target:expr) => {{
            let target = $target as usize;
            if target <= ip && count >= limit {
                break;
            }
            ip = target;
        }};
    }
    loop {
        let inst = w.inst(ip);
        match inst.op {
            Op::Mov => {
                w.set(inst.a, w.get(inst.b));
                ip += 1;
            }
            Op::Add => placed!(inst, placement::sum, |a, b, width| a.wrapping_add(b)
                & mask(width)),
            Op::Sub => placed!(inst, placement::difference, |a, b, width| a.wrapping_sub(b)
                & mask(width)),
            Op::Mul => number!(inst, |a, b, width| a.wrapping_mul(b) & mask(width)),
            Op::And => placed!(inst, placement::mask, |a, b, _width| a & b),
            Op::Or => placed!(inst, placement::mask, |a, b, _width| a | b),
            Op::Xor => number!(inst, |a, b, _width| a ^ b),
            Op::Shl | Op::LShr | Op::AShr => {
                let (x, y) = (w.get(inst.b), w.get(inst.c));
                if x.tag.0 | y.tag.0 != 0 || y.bits >= u64::from(inst.w) || is_address(x.bits) {
                    break;
                }
                w.set(inst.a, Value::new(shift(inst.op, inst.w, x.bits, y.bits)));
                ip += 1;
            }
            Op::UDiv => quotient!(inst, |a, b, _width| Some(a / b)),
            Op::URem => quotient!(inst, |a, b, _width| Some(a % b)),
            Op::SDiv => quotient!(inst, |a, b, width| divide(a, b, width).map(|(q, _)| q)),
            Op::SRem => quotient!(inst, |a, b, width| divide(a, b, width).map(|(_, r)| r)),
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => {
                binary!(inst, |a, b, width| float::binary(inst.op, width, a, b));
            }
            Op::Eq => binary!(inst, |a, b, _width| u64::from(a == b)),
            Op::Ne => binary!(inst, |a, b, _width| u64::from(a != b)),
            Op::Ult => order!(inst, |a, b, _width| a < b),
            Op::Ule => order!(inst, |a, b, _width| a <= b),
            Op::Ugt => order!(inst, |a, b, _width| a > b),
            Op::Uge => order!(inst, |a, b, _width| a >= b),
            Op::Slt => order!(inst, |a, b, width| signed(a, width) < signed(b, width)),
            Op::Sle => order!(inst, |a, b, width| signed(a, width) <= signed(b, width)),
            Op::Sgt => order!(inst, |a, b, width| signed(a, width) > signed(b, width)),
            Op::Sge => order!(inst, |a, b, width| signed(a, width) >= signed(b, width)),
            Op::Trunc => {
                let value = w.get(inst.b);
                if !value.is_concrete() || is_address(value.bits) {
                    break;
                }
                w.set(inst.a, Value::new(value.bits & mask(inst.w)));
                ip += 1;
            }
            Op::SExt => {
                let value = w.get(inst.b);
                if !value.is_concrete() {
                    break;
                }
                let bits = signed(value.bits, inst.w) as u64 & mask(inst.c as u8);
                w.set(inst.a, Value::new(bits));
                ip += 1;
            }
            Op::Select => {
                let cond = w.get(inst.b);
                if !cond.is_concrete() {
                    break;
                }
                let chosen = if cond.bits & 1 != 0 {
                    inst.c
                } else {
                    w.inst(ip + 1).a
                };
                w.set(inst.a, w.get(chosen));
                ip += 2;
            }
            Op::Offset => {
                let base = w.get(inst.b);
                let address = base.bits.wrapping_add(w.constant(inst.c).bits);
                if !base.is_concrete() || inst.w != 0 && leaves(base.bits, address) {
                    break;
                }
                w.set(inst.a, Value::new(address));
                ip += 1;
            }
            Op::Index => {
                let data = w.inst(ip + 1);
                let (base, index) = (w.get(inst.b), w.get(data.a));
                let (scaled, overflows) =
                    signed(index.bits, inst.c as u8).overflowing_mul(w.constant(data.b).bits as i64);
                let address = base
                    .bits
                    .wrapping_add_signed(scaled)
                    .wrapping_add(w.constant(data.c).bits);
                if base.tag.0 | index.tag.0 != 0 || inst.w != 0 && (overflows || leaves(base.bits, address)) {
                    break;
                }
                w.set(inst.a, Value::new(address));
                ip += 2;
            }
            Op::Load => {
                let pointer = w.get(inst.b);
                if !pointer.is_concrete() {
                    break;
                }
                // The size is a constant, so masks and bounds are known at compile time.
                let loaded = match inst.w {
                    1 => memory.load_fast(pointer.bits, 1),
                    2 => memory.load_fast(pointer.bits, 2),
                    4 => memory.load_fast(pointer.bits, 4),
                    8 => memory.load_fast(pointer.bits, 8),
                    _ => None,
                };
                let Some(bits) = loaded else { break };
                // An integer that is not whole bytes: stop if the bytes do not hold such an
                // integer.
                if bits & !mask(inst.c as u8) != 0 {
                    break;
                }
                w.set(inst.a, Value::new(bits));
                ip += 1;
            }
            Op::Store => {
                let (pointer, value) = (w.get(inst.a), w.get(inst.b));
                if pointer.tag.0 | value.tag.0 != 0 {
                    break;
                }
                let stored = match inst.w {
                    1 => memory.store_fast(pointer.bits, 1, value.bits),
                    2 => memory.store_fast(pointer.bits, 2, value.bits),
                    4 => memory.store_fast(pointer.bits, 4, value.bits),
                    8 => memory.store_fast(pointer.bits, 8, value.bits),
                    _ => false,
                };
                if !stored {
                    break;
                }
                ip += 1;
            }
            Op::Explain => {
                let pointer = w.get(inst.a);
                if !pointer.is_concrete() || !memory.is_known(inst.long(), pointer.bits) {
                    break;
                }
                ip += 1;
                continue;
            }
            Op::Jump => jump!(inst.long()),
            Op::Branch => {
                let cond = w.get(inst.a);
                if !cond.is_concrete() {
                    break;
                }
                if cond.bits & 1 != 0 {
                    jump!(inst.long());
                } else {
                    ip += 1;
                }
            }
            _ => break,
        }
        count += 1;
    }
    (ip as u32, count)
}

/// A pointer after an address computation from `base`: a stray one if an `inbounds` computation
/// left the slot of its object. (Within the slot the bounds check of the access finds it.)
pub(super) fn moved(tags: &Tags, base: Value, address: u64, inbounds: bool) -> Value {
    if !base.is_concrete() {
        return moved_stray(tags, base, address);
    }
    if inbounds && leaves(base.bits, address) {
        let home = Parts::of(base.bits).map_or(0, Parts::base);
        return tags.stray(address, home);
    }
    Value::new(address)
}

/// Moves an address that is already outside of its object; it may return.
#[cold]
fn moved_stray(tags: &Tags, base: Value, address: u64) -> Value {
    match tags.home(base.tag) {
        Some(home) if (address ^ home) >> slot_shift(home) == 0 => Value::new(address),
        Some(home) => tags.stray(address, home),
        None => base,
    }
}
