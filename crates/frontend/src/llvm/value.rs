//! Values: constants, functions, blocks, and what all values have.

mod instruction;
mod meta;

use super::{Linkage, Opcode, Ty, api, copy_str, take_message};
pub(crate) use llvm_sys::LLVMValueKind as ValueKind;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    pub(super) raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Meta<'m> {
    pub(super) raw: LLVMMetadataRef,
    module: PhantomData<&'m ()>,
}

/// Follows a linked list.
///
/// # Safety
/// `first` is null or a live value, `next` yields null or a live value.
pub(super) unsafe fn chain<'m>(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef,
) -> Vec<Value<'m>> {
    let mut all = Vec::new();
    let mut at = first;
    while !at.is_null() {
        all.push(Value {
            raw: at,
            module: PhantomData,
        });
        at = next(at);
    }
    all
}

impl<'m> Value<'m> {
    pub(super) fn wrap(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value {
            raw,
            module: PhantomData,
        })
    }

    /// Which kind of value.
    pub(crate) fn kind(self) -> ValueKind {
        // SAFETY: a live value.
        unsafe { api::LLVMGetValueKind(self.raw) }
    }

    /// Its type.
    pub(crate) fn ty(self) -> Ty<'m> {
        // SAFETY: a live value.
        unsafe { Ty::new(api::LLVMTypeOf(self.raw)) }
    }

    /// Its name, or nothing.
    pub(crate) fn name(self) -> String {
        // SAFETY: a string owned by the value.
        unsafe {
            let mut len = 0;
            let text = api::LLVMGetValueName2(self.raw, &mut len);
            copy_str(text, len)
        }
    }

    /// As LLVM writes it.
    pub(crate) fn text(self) -> String {
        // SAFETY: a live value; the message is freed.
        unsafe { take_message(api::LLVMPrintValueToString(self.raw)) }
    }

    /// The opcode of an instruction or constant expression.
    pub(crate) fn opcode(self) -> Option<Opcode> {
        // SAFETY: the kind is checked.
        unsafe {
            match self.kind() {
                ValueKind::LLVMInstructionValueKind => Some(api::LLVMGetInstructionOpcode(self.raw)),
                ValueKind::LLVMConstantExprValueKind => Some(api::LLVMGetConstOpcode(self.raw)),
                _ => None,
            }
        }
    }

    /// How many operands an instruction or constant has.
    pub(crate) fn num_operands(self) -> u32 {
        // SAFETY: 0 for values without operands is checked here: the C function requires a user.
        unsafe {
            if api::LLVMIsAUser(self.raw).is_null() {
                return 0;
            }
            api::LLVMGetNumOperands(self.raw) as u32
        }
    }

    /// An operand.
    pub(crate) fn operand(self, index: u32) -> Option<Value<'m>> {
        if index >= self.num_operands() {
            return None;
        }
        // SAFETY: the index is checked.
        Value::wrap(unsafe { api::LLVMGetOperand(self.raw, index) })
    }

    /// Everything that uses the value, once a use.
    pub(crate) fn users(self) -> Vec<Value<'m>> {
        let mut users = Vec::new();
        // SAFETY: a list owned by the value.
        unsafe {
            let mut at = api::LLVMGetFirstUse(self.raw);
            while !at.is_null() {
                users.extend(Value::wrap(api::LLVMGetUser(at)));
                at = api::LLVMGetNextUse(at);
            }
        }
        users
    }

    /// The block an instruction is in.
    pub(crate) fn parent(self) -> Option<Block<'m>> {
        if self.kind() != ValueKind::LLVMInstructionValueKind {
            return None;
        }
        // SAFETY: an instruction.
        Block::wrap(unsafe { api::LLVMGetInstructionParent(self.raw) })
    }

    // ---- constants

    /// The bits of an integer constant of at most 128 bits.
    pub(crate) fn int(self) -> Option<u128> {
        if self.kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let bits = self.ty().int_bits();
        if bits <= 64 {
            // SAFETY: an integer constant that fits.
            return Some(u128::from(unsafe { api::LLVMConstIntGetZExtValue(self.raw) }));
        }
        if bits > 128 {
            return None;
        }
        let value = match self.wide_int()? {
            (magnitude, true) => magnitude.wrapping_neg(),
            (magnitude, false) => magnitude,
        };
        Some(if bits == 128 {
            value
        } else {
            value & ((1u128 << bits) - 1)
        })
    }

    /// The halves of a constant integer of 256 bits, the low one first, if its magnitude has at
    /// most 128 bits.
    pub(crate) fn double_int(self) -> Option<[u128; 2]> {
        if self.kind() != ValueKind::LLVMConstantIntValueKind || self.ty().int_bits() != 256 {
            return None;
        }
        Some(match self.wide_int()? {
            (0, _) => [0, 0],
            (magnitude, true) => [magnitude.wrapping_neg(), u128::MAX],
            (magnitude, false) => [magnitude, 0],
        })
    }

    /// The magnitude of a constant integer of more than 64 bits, and whether it is negative; `None`
    /// if the magnitude has more than 128 bits.
    fn wide_int(self) -> Option<(u128, bool)> {
        // The C API has no reader for wide ones: their text is `i128 -5`.
        let text = self.text();
        let digits = text.rsplit(' ').next()?;
        match digits.strip_prefix('-') {
            Some(magnitude) => Some((magnitude.parse().ok()?, true)),
            None => Some((digits.parse().ok()?, false)),
        }
    }

    /// The value of a `float` or `double` constant.
    pub(crate) fn double(self) -> Option<f64> {
        if self.kind() != ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let mut lossy = 0;
        // SAFETY: a floating-point constant.
        Some(unsafe { api::LLVMConstRealGetDouble(self.raw, &mut lossy) })
    }

    /// An element of a constant aggregate or vector.
    pub(crate) fn element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: LLVM answers null if there is none.
        Value::wrap(unsafe { api::LLVMGetAggregateElement(self.raw, index) })
    }

    /// The raw bytes of a constant array or vector of simple elements.
    pub(crate) fn raw_data(self) -> Option<&'m [u8]> {
        match self.kind() {
            ValueKind::LLVMConstantDataArrayValueKind | ValueKind::LLVMConstantDataVectorValueKind => {}
            _ => return None,
        }
        let mut len: usize = 0;
        // SAFETY: constant data. The binding declares the second parameter as an integer, the C
        // function takes the address of one.
        unsafe {
            let data = api::LLVMGetRawDataValues(self.raw, (&raw mut len) as usize);
            if data.is_null() {
                return None;
            }
            Some(std::slice::from_raw_parts(data as *const u8, len))
        }
    }

    /// Function and block of a block address.
    pub(crate) fn block_address(self) -> Option<(Value<'m>, Block<'m>)> {
        if self.kind() != ValueKind::LLVMBlockAddressValueKind {
            return None;
        }
        // SAFETY: a block address.
        unsafe {
            Some((
                Value::wrap(api::LLVMGetBlockAddressFunction(self.raw))?,
                Block::wrap(api::LLVMGetBlockAddressBasicBlock(self.raw))?,
            ))
        }
    }

    // ---- globals

    /// How a global, function or alias links.
    pub(crate) fn linkage(self) -> Linkage {
        // SAFETY: callers pass global values only.
        unsafe { api::LLVMGetLinkage(self.raw) }
    }

    /// Whether a global or function has no definition.
    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: callers pass global values only.
        unsafe { api::LLVMIsDeclaration(self.raw) != 0 }
    }

    /// Reads the body of a function whose module is read when it is needed. Before, the function
    /// has no blocks.
    pub(crate) fn read_body(self) {
        // SAFETY: callers pass functions only. A manager without passes reads the body, and changes
        // nothing.
        unsafe {
            let manager = api::LLVMCreateFunctionPassManagerForModule(api::LLVMGetGlobalParent(self.raw));
            api::LLVMRunFunctionPassManager(manager, self.raw);
            api::LLVMDisposePassManager(manager);
        }
    }

    /// The type of a global's contents, or of a function.
    pub(crate) fn value_type(self) -> Ty<'m> {
        // SAFETY: callers pass global values only.
        unsafe { Ty::new(api::LLVMGlobalGetValueType(self.raw)) }
    }

    /// The initialiser of a global variable.
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        if self.kind() != ValueKind::LLVMGlobalVariableValueKind {
            return None;
        }
        // SAFETY: a global variable.
        Value::wrap(unsafe { api::LLVMGetInitializer(self.raw) })
    }

    /// Whether a global variable is thread-local.
    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: the kind is checked.
        self.kind() == ValueKind::LLVMGlobalVariableValueKind
            && unsafe { api::LLVMIsThreadLocal(self.raw) != 0 }
    }

    /// Whether a global variable is never written.
    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: the kind is checked.
        self.kind() == ValueKind::LLVMGlobalVariableValueKind
            && unsafe { api::LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Option<Value<'m>> {
        if self.kind() != ValueKind::LLVMGlobalAliasValueKind {
            return None;
        }
        // SAFETY: an alias.
        Value::wrap(unsafe { api::LLVMAliasGetAliasee(self.raw) })
    }

    /// The alignment of a global, alloca or memory access; 0 if none is stated.
    pub(crate) fn align(self) -> u32 {
        // SAFETY: callers pass values that have one.
        unsafe { api::LLVMGetAlignment(self.raw) }
    }

    // ---- functions

    /// The parameters of a function.
    pub(crate) fn params(self) -> Vec<Value<'m>> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return Vec::new();
        }
        // SAFETY: a list owned by the function.
        unsafe { chain(api::LLVMGetFirstParam(self.raw), |p| api::LLVMGetNextParam(p)) }
    }

    /// The blocks of a function.
    pub(crate) fn blocks(self) -> Vec<Block<'m>> {
        let mut all = Vec::new();
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return all;
        }
        // SAFETY: a list owned by the function.
        unsafe {
            let mut at = api::LLVMGetFirstBasicBlock(self.raw);
            while let Some(block) = Block::wrap(at) {
                all.push(block);
                at = api::LLVMGetNextBasicBlock(at);
            }
        }
        all
    }

    /// Whether the function is an intrinsic of LLVM.
    pub(crate) fn is_intrinsic(self) -> bool {
        // SAFETY: the kind is checked.
        self.kind() == ValueKind::LLVMFunctionValueKind && unsafe { api::LLVMGetIntrinsicID(self.raw) != 0 }
    }

    /// The type that attribute `name` gives parameter `index` (from 0) of a function.
    pub(crate) fn param_type_attribute(self, index: u32, name: &str) -> Option<Ty<'m>> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        // SAFETY: a function; attribute indices count from 1 for parameters.
        unsafe {
            let kind = api::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = api::LLVMGetEnumAttributeAtIndex(self.raw, index + 1, kind);
            type_of_attribute(attribute)
        }
    }

    /// The value of attribute `name` (`align`) of parameter `index` (from 0) of a function.
    pub(crate) fn param_int_attribute(self, index: u32, name: &str) -> Option<u64> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        // SAFETY: as above.
        unsafe {
            let kind = api::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = api::LLVMGetEnumAttributeAtIndex(self.raw, index + 1, kind);
            (!attribute.is_null()).then(|| api::LLVMGetEnumAttributeValue(attribute))
        }
    }

    // ---- instructions; the caller knows the opcode

    // ---- metadata seen as values
}

/// # Safety
/// `attribute` is null or live.
unsafe fn type_of_attribute<'m>(attribute: LLVMAttributeRef) -> Option<Ty<'m>> {
    // SAFETY: it is live unless it is null, and of a type if it says so.
    unsafe {
        if attribute.is_null() || api::LLVMIsTypeAttribute(attribute) == 0 {
            return None;
        }
        let ty = api::LLVMGetTypeAttributeValue(attribute);
        (!ty.is_null()).then(|| Ty::new(ty))
    }
}

impl<'m> Block<'m> {
    fn wrap(raw: LLVMBasicBlockRef) -> Option<Block<'m>> {
        (!raw.is_null()).then_some(Block {
            raw,
            module: PhantomData,
        })
    }

    /// The instructions in order, the terminator last.
    pub(crate) fn instructions(self) -> Vec<Value<'m>> {
        // SAFETY: a list owned by the block.
        unsafe {
            chain(api::LLVMGetFirstInstruction(self.raw), |i| {
                api::LLVMGetNextInstruction(i)
            })
        }
    }
}
