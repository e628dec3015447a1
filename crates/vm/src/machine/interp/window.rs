//! Registers, constants and instructions of the current frame, through raw pointers.
//!
//! The only `unsafe` of the interpreter. Argument: the compiler emits only slots below
//! `Code::slots` and constants below `Code::consts.len()`; a frame's registers are exactly
//! `regs[base..base + slots]`; every block ends in a terminator, and jump targets are blocks of the
//! function; and the window is made anew after everything that may move or resize the register
//! stack (calls, returns, models).

#![expect(unsafe_code, reason = "the interpreter's registers")]

use crate::code::{CONST, Code, Inst};
use crate::value::Value;

/// Registers, constants and instructions of the current frame.
#[derive(Clone, Copy)]
pub(super) struct Window {
    regs: *mut Value,
    /// `CONST` before the first: a constant's operand, which has that bit set, is its index from
    /// here.
    consts: *const Value,
    insts: *const Inst,
}

impl Window {
    /// On a frame of a function with these registers (and those of no other frame above).
    #[inline(always)]
    pub fn on(code: &Code, regs: &mut [Value]) -> Window {
        Window {
            regs: regs.as_mut_ptr(),
            consts: code.consts.as_ptr().wrapping_sub(CONST as usize),
            insts: code.insts.as_ptr(),
        }
    }

    #[inline(always)]
    pub fn get(self, operand: u16) -> Value {
        let base = if operand & CONST != 0 {
            self.consts
        } else {
            self.regs.cast_const()
        };
        // SAFETY: the module's argument.
        unsafe { *base.wrapping_add(operand as usize) }
    }

    /// The same where the operand is known to be a constant.
    #[inline(always)]
    pub fn constant(self, operand: u16) -> Value {
        debug_assert!(operand & CONST != 0);
        // SAFETY: the module's argument.
        unsafe { *self.consts.wrapping_add(operand as usize) }
    }

    #[inline(always)]
    pub fn set(self, slot: u16, value: Value) {
        // SAFETY: the module's argument; destinations are never constants.
        unsafe { *self.regs.add(slot as usize) = value }
    }

    #[inline(always)]
    pub fn inst(self, ip: usize) -> Inst {
        // SAFETY: the module's argument.
        unsafe { *self.insts.add(ip) }
    }
}
