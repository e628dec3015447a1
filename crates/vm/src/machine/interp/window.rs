//! Registers, constants and instructions of the current frame, through raw pointers.
//!
//! The only `unsafe` of the interpreter. Argument: the compiler emits only slots below
//! `Code::slots` and constants below `Code::consts.len()`; a frame's registers are exactly
//! `regs[base..base + slots]`; every block ends in a terminator, and jump targets are blocks of the
//! function; and the window is made anew after everything that may move or resize the register
//! stack (calls, returns, models).
//!
//! Builds with the feature `laboratory`, which all tests are, check the bounds of each use. That no
//! window outlives a move of the stack is what `cargo xtask memcheck` looks for.

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
    /// The numbers of registers, constants and instructions.
    #[cfg(feature = "laboratory")]
    counts: [usize; 3],
}

impl Window {
    /// On a frame of a function with these registers (and those of no other frame above).
    #[inline(always)]
    pub fn on(code: &Code, regs: &mut [Value]) -> Window {
        assert!(!cfg!(feature = "laboratory") || regs.len() >= code.slots as usize);
        Window {
            regs: regs.as_mut_ptr(),
            consts: code.consts.as_ptr().wrapping_sub(CONST as usize),
            insts: code.insts.as_ptr(),
            #[cfg(feature = "laboratory")]
            counts: [code.slots as usize, code.consts.len(), code.insts.len()],
        }
    }

    /// Panics if an index is not below the bound with this number.
    #[inline(always)]
    fn check(self, index: usize, bound: usize) {
        #[cfg(feature = "laboratory")]
        assert!(index < self.counts[bound], "{index} is outside of the window");
        #[cfg(not(feature = "laboratory"))]
        let _ = (index, bound);
    }

    #[inline(always)]
    fn check_operand(self, operand: u16) {
        match operand & CONST {
            0 => self.check(operand as usize, 0),
            _ => self.check((operand ^ CONST) as usize, 1),
        }
    }

    #[inline(always)]
    pub fn get(self, operand: u16) -> Value {
        self.check_operand(operand);
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
        assert!(!cfg!(feature = "laboratory") || operand & CONST != 0);
        self.check_operand(operand);
        // SAFETY: the module's argument.
        unsafe { *self.consts.wrapping_add(operand as usize) }
    }

    #[inline(always)]
    pub fn set(self, slot: u16, value: Value) {
        self.check(slot as usize, 0);
        // SAFETY: the module's argument; destinations are never constants.
        unsafe { *self.regs.add(slot as usize) = value }
    }

    #[inline(always)]
    pub fn inst(self, ip: usize) -> Inst {
        self.check(ip, 2);
        // SAFETY: the module's argument.
        unsafe { *self.insts.add(ip) }
    }
}
