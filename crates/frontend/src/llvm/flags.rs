//! Flags of instructions, attributes of functions, metadata: what is said of a value beside what
//! computes it.

use super::value::ValueKind;
use super::{Opcode, Value, api, copy_str};

/// The index of a function's own attributes.
const LLVM_FUNCTION: u32 = u32::MAX;

impl<'m> Value<'m> {
    /// Whether a function has an attribute without a value.
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return false;
        }
        // SAFETY: a function; the index is that of its own attributes.
        unsafe {
            let kind = api::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !api::LLVMGetEnumAttributeAtIndex(self.raw, LLVM_FUNCTION, kind).is_null()
        }
    }

    /// Whether a function has an attribute that only we know.
    pub(crate) fn has_own_attribute(self, name: &str) -> bool {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return false;
        }
        // SAFETY: a function; the index is that of its own attributes.
        unsafe {
            let len = name.len() as u32;
            !api::LLVMGetStringAttributeAtIndex(self.raw, LLVM_FUNCTION, name.as_ptr().cast(), len).is_null()
        }
    }

    /// Gives a function an attribute that only we know.
    pub(crate) fn add_attribute(self, name: &str) {
        self.add_attribute_value(name, "");
    }

    /// The value of an attribute that only we know.
    pub(crate) fn own_attribute(self, name: &str) -> Option<String> {
        if !self.has_own_attribute(name) {
            return None;
        }
        // SAFETY: a function that has the attribute; LLVM owns the text.
        unsafe {
            let len = name.len() as u32;
            let attribute =
                api::LLVMGetStringAttributeAtIndex(self.raw, LLVM_FUNCTION, name.as_ptr().cast(), len);
            let mut length = 0;
            let text = api::LLVMGetStringAttributeValue(attribute, &mut length);
            Some(copy_str(text, length as usize))
        }
    }

    /// Gives a function an attribute that only we know, with a value.
    pub(super) fn add_attribute_value(self, name: &str, value: &str) {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return;
        }
        // SAFETY: a function and its context.
        unsafe {
            let context = api::LLVMGetTypeContext(api::LLVMTypeOf(self.raw));
            let len = name.len() as u32;
            let (text, length) = (value.as_ptr().cast(), value.len() as u32);
            let attribute = api::LLVMCreateStringAttribute(context, name.as_ptr().cast(), len, text, length);
            api::LLVMAddAttributeAtIndex(self.raw, LLVM_FUNCTION, attribute);
        }
    }

    /// The metadata of a kind that an instruction has.
    pub(super) fn metadata(self, kind: &str) -> Option<Value<'m>> {
        if self.kind() != ValueKind::LLVMInstructionValueKind {
            return None;
        }
        // SAFETY: an instruction and its context.
        unsafe {
            let context = api::LLVMGetTypeContext(api::LLVMTypeOf(self.raw));
            let kind = api::LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            Value::wrap(api::LLVMGetMetadata(self.raw, kind))
        }
    }

    /// Whether an instruction has metadata of a kind.
    pub(crate) fn has_metadata(self, kind: &str) -> bool {
        self.metadata(kind).is_some()
    }

    /// The ranges `[from, to)` in which a loaded integer lies; none if it is not said.
    pub(crate) fn ranges(self) -> Vec<(u128, u128)> {
        let Some(node) = self.metadata("range") else {
            return Vec::new();
        };
        let number = |i| node.meta_operand(i)?.int();
        (0..)
            .map_while(|i| number(2 * i).zip(number(2 * i + 1)))
            .collect()
    }

    /// `exact` of a division or shift to the right.
    pub(crate) fn exact(self) -> bool {
        let divides = matches!(
            self.instruction_opcode(),
            Some(Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMLShr | Opcode::LLVMAShr)
        );
        // SAFETY: only these opcodes.
        divides && unsafe { api::LLVMGetExact(self.raw) != 0 }
    }

    /// `disjoint` of an `or`.
    pub(crate) fn disjoint(self) -> bool {
        // SAFETY: only this opcode.
        self.instruction_opcode() == Some(Opcode::LLVMOr) && unsafe { api::LLVMGetIsDisjoint(self.raw) != 0 }
    }

    /// `nneg` of `zext` and `uitofp`.
    pub(crate) fn nneg(self) -> bool {
        let converts = matches!(
            self.instruction_opcode(),
            Some(Opcode::LLVMZExt | Opcode::LLVMUIToFP)
        );
        // SAFETY: only these opcodes.
        converts && unsafe { api::LLVMGetNNeg(self.raw) != 0 }
    }

    /// `samesign` of `icmp`.
    pub(crate) fn same_sign(self) -> bool {
        // SAFETY: only this opcode.
        self.instruction_opcode() == Some(Opcode::LLVMICmp)
            && unsafe { api::LLVMGetICmpSameSign(self.raw) != 0 }
    }

    /// The opcode of an instruction; none of a constant expression.
    fn instruction_opcode(self) -> Option<Opcode> {
        (self.kind() == ValueKind::LLVMInstructionValueKind)
            .then(|| self.opcode())
            .flatten()
    }

    /// `nsw` of add, sub, mul, shl, trunc.
    pub(crate) fn nsw(self) -> bool {
        // SAFETY: only these opcodes.
        self.overflows() && unsafe { api::LLVMGetNSW(self.raw) != 0 }
    }

    /// `nuw` of add, sub, mul, shl, trunc.
    pub(crate) fn nuw(self) -> bool {
        // SAFETY: only these opcodes.
        self.overflows() && unsafe { api::LLVMGetNUW(self.raw) != 0 }
    }

    fn overflows(self) -> bool {
        matches!(
            self.instruction_opcode(),
            Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl | Opcode::LLVMTrunc)
        )
    }
}
