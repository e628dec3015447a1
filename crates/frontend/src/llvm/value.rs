//! Values: constants, instructions, functions, blocks; and metadata.

use super::api;
use super::{IntPredicate, Linkage, Opcode, Ordering, RealPredicate, RmwKind, Ty, copy_str, take_message};
use llvm_sys::LLVMDbgRecordKind;
pub(crate) use llvm_sys::LLVMValueKind as ValueKind;
use llvm_sys::debuginfo::LLVMMetadataKind as MetaKind;
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
        // The C API has no reader for wider ones: their text is `i128 -5`.
        let text = self.text();
        let digits = text.rsplit(' ').next()?;
        let value = match digits.strip_prefix('-') {
            Some(magnitude) => magnitude.parse::<u128>().ok()?.wrapping_neg(),
            None => digits.parse::<u128>().ok()?,
        };
        Some(if bits == 128 {
            value
        } else {
            value & ((1u128 << bits) - 1)
        })
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

    /// The description of a global variable in the debug information.
    pub(crate) fn described(self) -> Option<Meta<'m>> {
        if self.kind() != ValueKind::LLVMGlobalVariableValueKind {
            return None;
        }
        // SAFETY: a global variable; the copied list is freed; the kind of each node is checked.
        unsafe {
            let mut count = 0;
            let entries = api::LLVMGlobalCopyAllMetadata(self.raw, &mut count);
            if entries.is_null() {
                return None;
            }
            let nodes: Vec<LLVMMetadataRef> = (0..count as u32)
                .map(|i| api::LLVMValueMetadataEntriesGetMetadata(entries, i))
                .collect();
            api::LLVMDisposeValueMetadataEntries(entries);
            let expression = nodes.into_iter().find(|&node| {
                matches!(
                    api::LLVMGetMetadataKind(node),
                    MetaKind::LLVMDIGlobalVariableExpressionMetadataKind
                )
            })?;
            Meta::wrap(api::LLVMDIGlobalVariableExpressionGetVariable(expression))?
                .of_kind(|kind| matches!(kind, MetaKind::LLVMDIGlobalVariableMetadataKind))
        }
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

    /// The description of a function in the debug information.
    pub(crate) fn subprogram(self) -> Option<Meta<'m>> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        // SAFETY: a function.
        Meta::wrap(unsafe { api::LLVMGetSubprogram(self.raw) })?
            .of_kind(|kind| matches!(kind, MetaKind::LLVMDISubprogramMetadataKind))
    }

    // ---- instructions; the caller knows the opcode

    /// Where the instruction comes from.
    pub(crate) fn debug_loc(self) -> Option<Meta<'m>> {
        if self.kind() != ValueKind::LLVMInstructionValueKind {
            return None;
        }
        // SAFETY: an instruction.
        Meta::wrap(unsafe { api::LLVMInstructionGetDebugLoc(self.raw) })?
            .of_kind(|kind| matches!(kind, MetaKind::LLVMDILocationMetadataKind))
    }

    /// Variables that debug records before this instruction declare: (address, variable).
    pub(crate) fn declared_variables(self) -> Vec<(Value<'m>, Meta<'m>)> {
        let mut all = Vec::new();
        // SAFETY: a list owned by the instruction; the kind of record is checked.
        unsafe {
            let mut at = api::LLVMGetFirstDbgRecord(self.raw);
            while !at.is_null() {
                if api::LLVMDbgRecordGetKind(at) == LLVMDbgRecordKind::LLVMDbgRecordDeclare {
                    let address = Value::wrap(api::LLVMDbgVariableRecordGetValue(at, 0));
                    let variable = Meta::wrap(api::LLVMDbgVariableRecordGetVariable(at));
                    all.extend(address.zip(variable));
                }
                at = api::LLVMGetNextDbgRecord(at);
            }
        }
        all
    }

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

    /// The text and constraints of inline assembly.
    pub(crate) fn asm(self) -> Option<(String, String)> {
        if self.kind() != ValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        // SAFETY: inline assembly; the strings are owned by it.
        unsafe {
            let mut len = 0;
            let text = api::LLVMGetInlineAsmAsmString(self.raw, &mut len);
            let text = copy_str(text, len);
            let constraints = api::LLVMGetInlineAsmConstraintString(self.raw, &mut len);
            Some((text, copy_str(constraints, len)))
        }
    }

    // ---- metadata seen as values

    /// The metadata that this is a view of.
    pub(crate) fn as_meta(self) -> Option<Meta<'m>> {
        if self.kind() != ValueKind::LLVMMetadataAsValueValueKind {
            return None;
        }
        // SAFETY: a view of metadata.
        Meta::wrap(unsafe { api::LLVMValueAsMetadata(self.raw) })
    }

    /// The operands of a metadata node; none of anything else.
    pub(crate) fn meta_operands(self) -> Vec<Option<Value<'m>>> {
        if self.kind() != ValueKind::LLVMMetadataAsValueValueKind {
            return Vec::new();
        }
        // SAFETY: a metadata node; the buffer has room for all operands.
        unsafe {
            let count = api::LLVMGetMDNodeNumOperands(self.raw);
            let mut all = vec![std::ptr::null_mut(); count as usize];
            api::LLVMGetMDNodeOperands(self.raw, all.as_mut_ptr());
            all.into_iter().map(Value::wrap).collect()
        }
    }

    /// An operand of a metadata node.
    pub(crate) fn meta_operand(self, index: u32) -> Option<Value<'m>> {
        self.meta_operands().get(index as usize).copied().flatten()
    }

    /// The text of a metadata string.
    pub(crate) fn meta_string(self) -> Option<String> {
        if self.kind() != ValueKind::LLVMMetadataAsValueValueKind {
            return None;
        }
        let mut len = 0;
        // SAFETY: metadata; LLVM answers null if it is no string.
        unsafe {
            let text = api::LLVMGetMDString(self.raw, &mut len);
            (!text.is_null()).then(|| copy_str(text, len as usize))
        }
    }
}

/// Whether a node can be asked for its file.
fn is_scope(kind: MetaKind) -> bool {
    matches!(
        kind,
        MetaKind::LLVMDIFileMetadataKind
            | MetaKind::LLVMDICompileUnitMetadataKind
            | MetaKind::LLVMDISubprogramMetadataKind
            | MetaKind::LLVMDILexicalBlockMetadataKind
            | MetaKind::LLVMDILexicalBlockFileMetadataKind
            | MetaKind::LLVMDINamespaceMetadataKind
            | MetaKind::LLVMDIModuleMetadataKind
            | MetaKind::LLVMDICommonBlockMetadataKind
    )
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

impl<'m> Meta<'m> {
    fn wrap(raw: LLVMMetadataRef) -> Option<Meta<'m>> {
        (!raw.is_null()).then_some(Meta {
            raw,
            module: PhantomData,
        })
    }

    /// The node as a value, whose operands can be read.
    pub(super) fn as_value(self, context: LLVMContextRef) -> Value<'m> {
        Value {
            // SAFETY: live metadata of the context.
            raw: unsafe { api::LLVMMetadataAsValue(context, self.raw) },
            module: PhantomData,
        }
    }

    /// Line and column of a debug location.
    pub(crate) fn line_column(self) -> (u32, u32) {
        // SAFETY: a debug location.
        unsafe {
            (
                api::LLVMDILocationGetLine(self.raw),
                api::LLVMDILocationGetColumn(self.raw),
            )
        }
    }

    /// File and line of a global variable.
    pub(crate) fn variable_place(self) -> Option<(Meta<'m>, u32)> {
        let is_global = |kind| matches!(kind, MetaKind::LLVMDIGlobalVariableMetadataKind);
        let variable = self.of_kind(is_global)?.raw;
        // SAFETY: a global variable.
        unsafe {
            let file = Meta::wrap(api::LLVMDIVariableGetFile(variable))?;
            Some((file, api::LLVMDIVariableGetLine(variable)))
        }
    }

    /// The scope of a debug location.
    pub(crate) fn scope(self) -> Option<Meta<'m>> {
        // SAFETY: a debug location.
        Meta::wrap(unsafe { api::LLVMDILocationGetScope(self.raw) })?.of_kind(is_scope)
    }

    /// The line of a subprogram.
    pub(crate) fn subprogram_line(self) -> u32 {
        // SAFETY: a subprogram.
        unsafe { api::LLVMDISubprogramGetLine(self.raw) }
    }

    /// Directory and name of the file of a scope.
    pub(crate) fn scope_file(self) -> Option<(String, String)> {
        // SAFETY: a scope and then a file; LLVM itself does not look what the operands of a scope
        // are. The strings are owned by the context.
        unsafe {
            let scope = self.of_kind(is_scope)?;
            let file = Meta::wrap(api::LLVMDIScopeGetFile(scope.raw))?
                .of_kind(|kind| matches!(kind, MetaKind::LLVMDIFileMetadataKind))?
                .raw;
            let mut len = 0;
            let directory = api::LLVMDIFileGetDirectory(file, &mut len);
            let directory = copy_str(directory, len as usize);
            let name = api::LLVMDIFileGetFilename(file, &mut len);
            Some((directory, copy_str(name, len as usize)))
        }
    }

    /// This node, if it is of such a kind. A module may have any node in any place: debug
    /// information is not verified when it is read.
    pub(super) fn of_kind(self, is: impl Fn(MetaKind) -> bool) -> Option<Meta<'m>> {
        // SAFETY: live metadata.
        is(unsafe { api::LLVMGetMetadataKind(self.raw) }).then_some(self)
    }
}
