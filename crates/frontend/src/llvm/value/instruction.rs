//! What instructions have beside their operands. Each accessor needs an instruction of its kind.

use super::super::{IntPredicate, Opcode, Ordering, RealPredicate, RmwKind, Ty, api, copy_str};
use super::{Block, Value, type_of_attribute};
use llvm_sys::{LLVMInlineAsmDialect, LLVMValueKind as ValueKind};

impl<'m> Value<'m> {
    /// The predicate of `icmp`.
    pub(crate) fn int_predicate(self) -> IntPredicate {
        // SAFETY: an `icmp`.
        unsafe { api::LLVMGetICmpPredicate(self.raw) }
    }

    /// The predicate of `fcmp`.
    pub(crate) fn real_predicate(self) -> RealPredicate {
        // SAFETY: an `fcmp`.
        unsafe { api::LLVMGetFCmpPredicate(self.raw) }
    }

    /// Whether a load, store, `atomicrmw` or `cmpxchg` is volatile.
    pub(crate) fn volatile(self) -> bool {
        // SAFETY: one of these.
        unsafe { api::LLVMGetVolatile(self.raw) != 0 }
    }

    /// The order of a load, store, fence or `atomicrmw`.
    pub(crate) fn ordering(self) -> Ordering {
        // SAFETY: one of these.
        unsafe { api::LLVMGetOrdering(self.raw) }
    }

    /// Orders of a `cmpxchg` when it succeeds and when it fails.
    pub(crate) fn cmpxchg_orderings(self) -> (Ordering, Ordering) {
        // SAFETY: a `cmpxchg`.
        unsafe {
            (
                api::LLVMGetCmpXchgSuccessOrdering(self.raw),
                api::LLVMGetCmpXchgFailureOrdering(self.raw),
            )
        }
    }

    /// Whether a `cmpxchg` may fail spuriously.
    pub(crate) fn weak(self) -> bool {
        // SAFETY: a `cmpxchg`.
        unsafe { api::LLVMGetWeak(self.raw) != 0 }
    }

    /// Whether an atomic instruction orders only with its own thread.
    pub(crate) fn single_thread(self) -> bool {
        // SAFETY: an atomic instruction.
        unsafe { api::LLVMIsAtomicSingleThread(self.raw) != 0 }
    }

    /// The operation of an `atomicrmw`.
    pub(crate) fn rmw(self) -> RmwKind {
        // SAFETY: an `atomicrmw`.
        unsafe { api::LLVMGetAtomicRMWBinOp(self.raw) }
    }

    /// What an alloca allocates (one of).
    pub(crate) fn allocated_type(self) -> Ty<'m> {
        // SAFETY: an alloca.
        unsafe { Ty::new(api::LLVMGetAllocatedType(self.raw)) }
    }

    /// The type a `getelementptr` steps through.
    pub(crate) fn gep_source(self) -> Ty<'m> {
        // SAFETY: a `getelementptr`, instruction or constant.
        unsafe { Ty::new(api::LLVMGetGEPSourceElementType(self.raw)) }
    }

    /// Whether a `getelementptr` must stay in its object.
    pub(crate) fn inbounds(self) -> bool {
        // SAFETY: a `getelementptr`, instruction or constant.
        unsafe { api::LLVMIsInBounds(self.raw) != 0 }
    }

    /// The indices of `extractvalue` or `insertvalue`.
    pub(crate) fn indices(self) -> &'m [u32] {
        // SAFETY: one of these; the indices are owned by the instruction.
        unsafe {
            let count = api::LLVMGetNumIndices(self.raw) as usize;
            let first = api::LLVMGetIndices(self.raw);
            if count == 0 || first.is_null() {
                &[]
            } else {
                std::slice::from_raw_parts(first, count)
            }
        }
    }

    /// The mask of `shufflevector`; `None` for an undefined lane.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<usize>> {
        // SAFETY: a `shufflevector`; indices below the count.
        unsafe {
            (0..api::LLVMGetNumMaskElements(self.raw))
                .map(|i| usize::try_from(api::LLVMGetMaskValue(self.raw, i)).ok())
                .collect()
        }
    }

    /// The incoming values of a φ with their blocks.
    pub(crate) fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        if self.opcode() != Some(Opcode::LLVMPHI) {
            return Vec::new();
        }
        // SAFETY: a φ; indices below the count.
        unsafe {
            (0..api::LLVMCountIncoming(self.raw))
                .filter_map(|i| {
                    Value::wrap(api::LLVMGetIncomingValue(self.raw, i))
                        .zip(Block::wrap(api::LLVMGetIncomingBlock(self.raw, i)))
                })
                .collect()
        }
    }

    /// The successors of a terminator.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: a terminator; indices below the count.
        unsafe {
            (0..api::LLVMGetNumSuccessors(self.raw))
                .filter_map(|i| Block::wrap(api::LLVMGetSuccessor(self.raw, i)))
                .collect()
        }
    }

    /// The condition of a branch, if it has one.
    pub(crate) fn condition(self) -> Option<Value<'m>> {
        // SAFETY: a branch.
        unsafe {
            if api::LLVMIsConditional(self.raw) == 0 {
                return None;
            }
            Value::wrap(api::LLVMGetCondition(self.raw))
        }
    }

    /// The value for which a switch goes to its successor `index` (from 1; 0 is the default).
    pub(crate) fn case(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: a switch with such a successor.
        Value::wrap(unsafe { api::LLVMGetSwitchCaseValue(self.raw, index) })
    }

    /// Where an invoke continues.
    pub(crate) fn normal_dest(self) -> Option<Block<'m>> {
        // SAFETY: an invoke.
        Block::wrap(unsafe { api::LLVMGetNormalDest(self.raw) })
    }

    /// Where an invoke goes on with an exception; none for a call.
    pub(crate) fn unwind_dest(self) -> Option<Block<'m>> {
        if self.opcode() != Some(Opcode::LLVMInvoke) {
            return None;
        }
        // SAFETY: an invoke.
        Block::wrap(unsafe { api::LLVMGetUnwindDest(self.raw) })
    }

    /// Of a landing pad its clauses, and whether it cleans up; none for anything else.
    pub(crate) fn landing_pad(self) -> Option<(Vec<Value<'m>>, bool)> {
        if self.opcode() != Some(Opcode::LLVMLandingPad) {
            return None;
        }
        // SAFETY: a landing pad, and one of its clauses.
        unsafe {
            let clauses = (0..api::LLVMGetNumClauses(self.raw))
                .filter_map(|i| Value::wrap(api::LLVMGetClause(self.raw, i)))
                .collect();
            Some((clauses, api::LLVMIsCleanup(self.raw) != 0))
        }
    }

    /// What a call calls.
    pub(crate) fn called(self) -> Option<Value<'m>> {
        // SAFETY: a call or invoke.
        Value::wrap(unsafe { api::LLVMGetCalledValue(self.raw) })
    }

    /// The function type of a call.
    pub(crate) fn called_type(self) -> Ty<'m> {
        // SAFETY: a call or invoke.
        unsafe { Ty::new(api::LLVMGetCalledFunctionType(self.raw)) }
    }

    /// How many arguments a call has.
    pub(crate) fn num_args(self) -> u32 {
        // SAFETY: a call or invoke.
        unsafe { api::LLVMGetNumArgOperands(self.raw) }
    }

    /// The type that attribute `name` gives argument `index` (from 0) of a call.
    pub(crate) fn arg_type_attribute(self, index: u32, name: &str) -> Option<Ty<'m>> {
        // SAFETY: a call or invoke; attribute indices count from 1 for arguments.
        unsafe {
            let kind = api::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            type_of_attribute(api::LLVMGetCallSiteEnumAttribute(self.raw, index + 1, kind))
        }
    }

    /// The text and constraints of inline assembly, and whether it is in Intel's syntax.
    pub(crate) fn asm(self) -> Option<(String, String, bool)> {
        if self.kind() != ValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        // SAFETY: inline assembly; the strings are owned by it.
        unsafe {
            let mut len = 0;
            let text = api::LLVMGetInlineAsmAsmString(self.raw, &mut len);
            let text = copy_str(text, len);
            let constraints = api::LLVMGetInlineAsmConstraintString(self.raw, &mut len);
            let intel =
                api::LLVMGetInlineAsmDialect(self.raw) == LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel;
            Some((text, copy_str(constraints, len), intel))
        }
    }
}
