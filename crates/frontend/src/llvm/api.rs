//! The functions of LLVM's C API that this crate calls, looked up in the library at run time.
//!
//! LLVM is not linked: only the process that reads modules loads it (see [`crate::isolate`]), the
//! first time that it makes a context. The others start without it; relocating it alone takes ten
//! milliseconds.
//!
//! `unsafe`: the signatures are those of `llvm-sys`, whose version is that of the library: [`load`]
//! refuses any other.
#![expect(non_snake_case, reason = "the functions have the names that LLVM gives them")]

use libloading::Library;
use llvm_sys::error::LLVMErrorRef;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMTargetDataRef;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use llvm_sys::transforms::pass_builder::LLVMPassBuilderOptionsRef;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMAttributeIndex, LLVMDbgRecordKind, LLVMDiagnosticHandler,
    LLVMDiagnosticSeverity, LLVMInlineAsmDialect, LLVMIntPredicate, LLVMLinkage, LLVMOpcode,
    LLVMRealPredicate, LLVMTypeKind, LLVMValueKind, LLVMVisibility, analysis::LLVMVerifierFailureAction,
    debuginfo::LLVMMetadataKind,
};
use std::ffi::{c_char, c_double, c_int, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

#[expect(non_camel_case_types, reason = "the name that C gives it")]
type size_t = usize;

/// Where the library is: by its name, or where the packages of LLVM put it.
const NAMES: [&str; 3] = [
    "libLLVM.so.22.1",
    "/usr/lib/llvm-22/lib/libLLVM.so.22.1",
    "/usr/lib/llvm-22/lib/libLLVM.so",
];
/// The only version whose functions have these signatures.
const MAJOR: c_uint = 22;

static API: OnceLock<Result<Api, String>> = OnceLock::new();

/// Loads the library, if that has not been done.
///
/// # Errors
/// Why there is none.
pub(crate) fn load() -> Result<(), String> {
    API.get_or_init(open).as_ref().map(|_| ()).map_err(Clone::clone)
}

fn open() -> Result<Api, String> {
    let mut reasons = Vec::new();
    for name in NAMES {
        // SAFETY: the library's initialisers are LLVM's.
        let library = match unsafe { Library::new(name) } {
            Ok(library) => library,
            Err(error) => {
                reasons.push(error.to_string());
                continue;
            }
        };
        // SAFETY: the signatures of LLVM's C API.
        let api = unsafe { Api::of(&library) }.map_err(|error| error.to_string())?;
        // Never unloaded: LLVM registers what runs at the end of the process.
        std::mem::forget(library);
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: three places to write to.
        unsafe { (api.LLVMGetVersion)(&mut major, &mut minor, &mut patch) };
        if major == MAJOR {
            return Ok(api);
        }
        reasons.push(format!("{name} is LLVM {major}.{minor}.{patch}"));
    }
    Err(reasons.join("; "))
}

fn api() -> &'static Api {
    match API.get() {
        Some(Ok(api)) => api,
        _ => panic!("LLVM is used only by what a context owns, and a context loads it"),
    }
}

/// Makes the table of functions, and for each a function of its name that calls it.
macro_rules! functions {
    ($(fn $name:ident($($param:ident: $ty:ty),* $(,)?) $(-> $result:ty)?;)+) => {
        /// The addresses of the functions.
        struct Api {
            $($name: unsafe extern "C" fn($($ty),*) $(-> $result)?,)+
        }

        impl Api {
            /// Looks up all functions.
            ///
            /// # Safety
            /// The library's functions of these names have these signatures.
            unsafe fn of(library: &Library) -> Result<Api, libloading::Error> {
                // SAFETY: the caller's.
                unsafe {
                    Ok(Api { $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)+ })
                }
            }
        }

        $(
            /// LLVM's function of this name, under its conditions.
            #[allow(dead_code, reason = "the version is asked before the table is in place")]
            pub(super) unsafe fn $name($($param: $ty),*) $(-> $result)? {
                // SAFETY: the caller's.
                unsafe { (api().$name)($($param),*) }
            }
        )+
    };
}

functions! {
    fn LLVMABIAlignmentOfType(td: LLVMTargetDataRef, ty: LLVMTypeRef) -> c_uint;
    fn LLVMABISizeOfType(td: LLVMTargetDataRef, ty: LLVMTypeRef) -> c_ulonglong;
    fn LLVMAddAttributeAtIndex(f: LLVMValueRef, idx: LLVMAttributeIndex, a: LLVMAttributeRef);
    fn LLVMAliasGetAliasee(alias: LLVMValueRef) -> LLVMValueRef;
    fn LLVMConstIntGetZExtValue(constant_val: LLVMValueRef) -> c_ulonglong;
    fn LLVMConstRealGetDouble(constant_val: LLVMValueRef, loses_info: *mut LLVMBool) -> c_double;
    fn LLVMContextCreate() -> LLVMContextRef;
    fn LLVMContextDispose(c: LLVMContextRef);
    fn LLVMContextSetDiagnosticHandler(
        c: LLVMContextRef,
        handler: LLVMDiagnosticHandler,
        diagnostic_context: *mut c_void,
    );
    fn LLVMCountIncoming(phi_node: LLVMValueRef) -> c_uint;
    fn LLVMCountParamTypes(function_ty: LLVMTypeRef) -> c_uint;
    fn LLVMCountStructElementTypes(struct_ty: LLVMTypeRef) -> c_uint;
    fn LLVMCreateFunctionPassManagerForModule(m: LLVMModuleRef) -> LLVMPassManagerRef;
    fn LLVMCreateMemoryBufferWithMemoryRange(
        input_data: *const c_char,
        input_data_length: size_t,
        buffer_name: *const c_char,
        requires_null_terminator: LLVMBool,
    ) -> LLVMMemoryBufferRef;
    fn LLVMCreatePassBuilderOptions() -> LLVMPassBuilderOptionsRef;
    fn LLVMCreateStringAttribute(
        c: LLVMContextRef,
        k: *const c_char,
        k_length: c_uint,
        v: *const c_char,
        v_length: c_uint,
    ) -> LLVMAttributeRef;
    fn LLVMDIFileGetDirectory(file: LLVMMetadataRef, len: *mut c_uint) -> *const c_char;
    fn LLVMDIFileGetFilename(file: LLVMMetadataRef, len: *mut c_uint) -> *const c_char;
    fn LLVMDIGlobalVariableExpressionGetVariable(gve: LLVMMetadataRef) -> LLVMMetadataRef;
    fn LLVMDILocationGetColumn(location: LLVMMetadataRef) -> c_uint;
    fn LLVMDILocationGetInlinedAt(location: LLVMMetadataRef) -> LLVMMetadataRef;
    fn LLVMDILocationGetLine(location: LLVMMetadataRef) -> c_uint;
    fn LLVMDILocationGetScope(location: LLVMMetadataRef) -> LLVMMetadataRef;
    fn LLVMDIScopeGetFile(scope: LLVMMetadataRef) -> LLVMMetadataRef;
    fn LLVMDISubprogramGetLine(subprogram: LLVMMetadataRef) -> c_uint;
    fn LLVMDITypeGetFlags(ty: LLVMMetadataRef) -> c_int;
    fn LLVMDITypeGetName(ty: LLVMMetadataRef, len: *mut size_t) -> *const c_char;
    fn LLVMDITypeGetOffsetInBits(ty: LLVMMetadataRef) -> u64;
    fn LLVMDITypeGetSizeInBits(ty: LLVMMetadataRef) -> u64;
    fn LLVMDIVariableGetFile(var: LLVMMetadataRef) -> LLVMMetadataRef;
    fn LLVMDIVariableGetLine(var: LLVMMetadataRef) -> c_uint;
    fn LLVMDbgRecordGetKind(rec: LLVMDbgRecordRef) -> LLVMDbgRecordKind;
    fn LLVMDbgVariableRecordGetValue(rec: LLVMDbgRecordRef, op_idx: c_uint) -> LLVMValueRef;
    fn LLVMDbgVariableRecordGetVariable(rec: LLVMDbgRecordRef) -> LLVMMetadataRef;
    fn LLVMDisposeErrorMessage(message: *mut c_char);
    fn LLVMDisposeMemoryBuffer(mem_buf: LLVMMemoryBufferRef);
    fn LLVMDisposeMessage(message: *mut c_char);
    fn LLVMDisposeModule(m: LLVMModuleRef);
    fn LLVMDisposePassBuilderOptions(options: LLVMPassBuilderOptionsRef);
    fn LLVMDisposePassManager(pm: LLVMPassManagerRef);
    fn LLVMDisposeValueMetadataEntries(entries: *mut LLVMValueMetadataEntry);
    fn LLVMGetAggregateElement(c: LLVMValueRef, idx: c_uint) -> LLVMValueRef;
    fn LLVMGetAlignment(v: LLVMValueRef) -> c_uint;
    fn LLVMGetAllocatedType(alloca: LLVMValueRef) -> LLVMTypeRef;
    fn LLVMGetArrayLength2(array_ty: LLVMTypeRef) -> u64;
    fn LLVMGetAtomicRMWBinOp(atomic_rmwinst: LLVMValueRef) -> LLVMAtomicRMWBinOp;
    fn LLVMGetBitcodeModuleInContext2(
        context_ref: LLVMContextRef,
        mem_buf: LLVMMemoryBufferRef,
        out_m: *mut LLVMModuleRef,
    ) -> LLVMBool;
    fn LLVMGetBlockAddressBasicBlock(block_addr: LLVMValueRef) -> LLVMBasicBlockRef;
    fn LLVMGetBlockAddressFunction(block_addr: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetCallSiteEnumAttribute(
        c: LLVMValueRef,
        idx: LLVMAttributeIndex,
        kind_id: c_uint,
    ) -> LLVMAttributeRef;
    fn LLVMGetCalledFunctionType(c: LLVMValueRef) -> LLVMTypeRef;
    fn LLVMGetCalledValue(instr: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetCmpXchgFailureOrdering(cmp_xchg_inst: LLVMValueRef) -> LLVMAtomicOrdering;
    fn LLVMGetCmpXchgSuccessOrdering(cmp_xchg_inst: LLVMValueRef) -> LLVMAtomicOrdering;
    fn LLVMGetCondition(branch: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetConstOpcode(constant_val: LLVMValueRef) -> LLVMOpcode;
    fn LLVMGetDINodeTag(md: LLVMMetadataRef) -> u16;
    fn LLVMGetDiagInfoDescription(di: LLVMDiagnosticInfoRef) -> *mut c_char;
    fn LLVMGetDiagInfoSeverity(di: LLVMDiagnosticInfoRef) -> LLVMDiagnosticSeverity;
    fn LLVMGetElementType(ty: LLVMTypeRef) -> LLVMTypeRef;
    fn LLVMGetEnumAttributeAtIndex(
        f: LLVMValueRef,
        idx: LLVMAttributeIndex,
        kind_id: c_uint,
    ) -> LLVMAttributeRef;
    fn LLVMGetEnumAttributeKindForName(name: *const c_char, slen: size_t) -> c_uint;
    fn LLVMGetEnumAttributeValue(a: LLVMAttributeRef) -> u64;
    fn LLVMGetErrorMessage(error: LLVMErrorRef) -> *mut c_char;
    fn LLVMGetExact(div_or_shr_inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetFCmpPredicate(inst: LLVMValueRef) -> LLVMRealPredicate;
    fn LLVMGetFirstBasicBlock(function: LLVMValueRef) -> LLVMBasicBlockRef;
    fn LLVMGetFirstDbgRecord(inst: LLVMValueRef) -> LLVMDbgRecordRef;
    fn LLVMGetFirstFunction(m: LLVMModuleRef) -> LLVMValueRef;
    fn LLVMGetFirstGlobal(m: LLVMModuleRef) -> LLVMValueRef;
    fn LLVMGetFirstGlobalAlias(m: LLVMModuleRef) -> LLVMValueRef;
    fn LLVMGetFirstInstruction(bb: LLVMBasicBlockRef) -> LLVMValueRef;
    fn LLVMGetFirstParam(function: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetFirstUse(val: LLVMValueRef) -> LLVMUseRef;
    fn LLVMGetGEPSourceElementType(gep: LLVMValueRef) -> LLVMTypeRef;
    fn LLVMGetGlobalParent(global: LLVMValueRef) -> LLVMModuleRef;
    fn LLVMGetICmpPredicate(inst: LLVMValueRef) -> LLVMIntPredicate;
    fn LLVMGetICmpSameSign(inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetIncomingBlock(phi_node: LLVMValueRef, index: c_uint) -> LLVMBasicBlockRef;
    fn LLVMGetIncomingValue(phi_node: LLVMValueRef, index: c_uint) -> LLVMValueRef;
    fn LLVMGetIndices(inst: LLVMValueRef) -> *const c_uint;
    fn LLVMGetInitializer(global_var: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetInlineAsmAsmString(inline_asm_val: LLVMValueRef, len: *mut size_t) -> *const c_char;
    fn LLVMGetInlineAsmConstraintString(inline_asm_val: LLVMValueRef, len: *mut size_t) -> *const c_char;
    fn LLVMGetInlineAsmDialect(inline_asm_val: LLVMValueRef) -> LLVMInlineAsmDialect;
    fn LLVMGetInstructionOpcode(inst: LLVMValueRef) -> LLVMOpcode;
    fn LLVMGetInstructionParent(inst: LLVMValueRef) -> LLVMBasicBlockRef;
    fn LLVMGetIntTypeWidth(integer_ty: LLVMTypeRef) -> c_uint;
    fn LLVMGetIntrinsicID(function: LLVMValueRef) -> c_uint;
    fn LLVMGetIsDisjoint(inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetLinkage(global: LLVMValueRef) -> LLVMLinkage;
    fn LLVMGetMDKindIDInContext(c: LLVMContextRef, name: *const c_char, slen: c_uint) -> c_uint;
    fn LLVMGetMDNodeNumOperands(v: LLVMValueRef) -> c_uint;
    fn LLVMGetMDNodeOperands(v: LLVMValueRef, dest: *mut LLVMValueRef);
    fn LLVMGetMDString(v: LLVMValueRef, len: *mut c_uint) -> *const c_char;
    fn LLVMGetMaskValue(shuffle_vector_inst: LLVMValueRef, elt: c_uint) -> c_int;
    fn LLVMGetMetadata(val: LLVMValueRef, kind_id: c_uint) -> LLVMValueRef;
    fn LLVMGetMetadataKind(metadata: LLVMMetadataRef) -> LLVMMetadataKind;
    fn LLVMGetModuleDataLayout(m: LLVMModuleRef) -> LLVMTargetDataRef;
    fn LLVMGetNNeg(non_neg_inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetNSW(arith_inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetNUW(arith_inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetNextBasicBlock(bb: LLVMBasicBlockRef) -> LLVMBasicBlockRef;
    fn LLVMGetNextDbgRecord(dbg_record: LLVMDbgRecordRef) -> LLVMDbgRecordRef;
    fn LLVMGetNextFunction(function: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetNextGlobal(global_var: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetNextGlobalAlias(ga: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetNextInstruction(inst: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetNextParam(arg: LLVMValueRef) -> LLVMValueRef;
    fn LLVMGetNextUse(u: LLVMUseRef) -> LLVMUseRef;
    fn LLVMGetNormalDest(invoke_inst: LLVMValueRef) -> LLVMBasicBlockRef;
    fn LLVMGetNumArgOperands(instr: LLVMValueRef) -> c_uint;
    fn LLVMGetClause(landing_pad: LLVMValueRef, index: c_uint) -> LLVMValueRef;
    fn LLVMGetNumClauses(landing_pad: LLVMValueRef) -> c_uint;
    fn LLVMGetNumIndices(inst: LLVMValueRef) -> c_uint;
    fn LLVMGetNumMaskElements(shuffle_vector_inst: LLVMValueRef) -> c_uint;
    fn LLVMGetNumOperands(val: LLVMValueRef) -> c_int;
    fn LLVMGetNumSuccessors(term: LLVMValueRef) -> c_uint;
    fn LLVMGetOperand(val: LLVMValueRef, index: c_uint) -> LLVMValueRef;
    fn LLVMGetOrdering(memory_access_inst: LLVMValueRef) -> LLVMAtomicOrdering;
    fn LLVMGetParamTypes(function_ty: LLVMTypeRef, dest: *mut LLVMTypeRef);
    fn LLVMGetRawDataValues(c: LLVMValueRef, size_in_bytes: usize) -> *const c_char;
    fn LLVMGetReturnType(function_ty: LLVMTypeRef) -> LLVMTypeRef;
    fn LLVMGetStringAttributeAtIndex(
        f: LLVMValueRef,
        idx: LLVMAttributeIndex,
        k: *const c_char,
        k_len: c_uint,
    ) -> LLVMAttributeRef;
    fn LLVMGetStringAttributeValue(a: LLVMAttributeRef, length: *mut c_uint) -> *const c_char;
    fn LLVMGetSubprogram(func: LLVMValueRef) -> LLVMMetadataRef;
    fn LLVMGetSuccessor(term: LLVMValueRef, i: c_uint) -> LLVMBasicBlockRef;
    fn LLVMGetSwitchCaseValue(switch_instr: LLVMValueRef, i: c_uint) -> LLVMValueRef;
    fn LLVMGetTarget(m: LLVMModuleRef) -> *const c_char;
    fn LLVMGetTypeAttributeValue(a: LLVMAttributeRef) -> LLVMTypeRef;
    fn LLVMGetTypeContext(ty: LLVMTypeRef) -> LLVMContextRef;
    fn LLVMGetTypeKind(ty: LLVMTypeRef) -> LLVMTypeKind;
    fn LLVMGetUnwindDest(invoke_inst: LLVMValueRef) -> LLVMBasicBlockRef;
    fn LLVMGetUser(u: LLVMUseRef) -> LLVMValueRef;
    fn LLVMGetValueKind(val: LLVMValueRef) -> LLVMValueKind;
    fn LLVMGetValueName2(val: LLVMValueRef, length: *mut size_t) -> *const c_char;
    fn LLVMGetVectorSize(vector_ty: LLVMTypeRef) -> c_uint;
    fn LLVMGetVersion(major: *mut c_uint, minor: *mut c_uint, patch: *mut c_uint);
    fn LLVMGetVisibility(global: LLVMValueRef) -> LLVMVisibility;
    fn LLVMGetVolatile(inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGetWeak(cmp_xchg_inst: LLVMValueRef) -> LLVMBool;
    fn LLVMGlobalCopyAllMetadata(
        value: LLVMValueRef,
        num_entries: *mut size_t,
    ) -> *mut LLVMValueMetadataEntry;
    fn LLVMGlobalGetValueType(global: LLVMValueRef) -> LLVMTypeRef;
    fn LLVMInstructionGetDebugLoc(inst: LLVMValueRef) -> LLVMMetadataRef;
    fn LLVMIsAUser(val: LLVMValueRef) -> LLVMValueRef;
    fn LLVMIsAtomicSingleThread(atomic_inst: LLVMValueRef) -> LLVMBool;
    fn LLVMIsCleanup(landing_pad: LLVMValueRef) -> LLVMBool;
    fn LLVMIsConditional(branch: LLVMValueRef) -> LLVMBool;
    fn LLVMIsDeclaration(global: LLVMValueRef) -> LLVMBool;
    fn LLVMIsFunctionVarArg(function_ty: LLVMTypeRef) -> LLVMBool;
    fn LLVMIsGlobalConstant(global_var: LLVMValueRef) -> LLVMBool;
    fn LLVMIsInBounds(gep: LLVMValueRef) -> LLVMBool;
    fn LLVMIsThreadLocal(global_var: LLVMValueRef) -> LLVMBool;
    fn LLVMIsTypeAttribute(a: LLVMAttributeRef) -> LLVMBool;
    fn LLVMLinkModules2(dest: LLVMModuleRef, src: LLVMModuleRef) -> LLVMBool;
    fn LLVMMetadataAsValue(c: LLVMContextRef, md: LLVMMetadataRef) -> LLVMValueRef;
    fn LLVMOffsetOfElement(td: LLVMTargetDataRef, struct_ty: LLVMTypeRef, element: c_uint) -> c_ulonglong;
    fn LLVMParseBitcodeInContext2(
        context_ref: LLVMContextRef,
        mem_buf: LLVMMemoryBufferRef,
        out_module: *mut LLVMModuleRef,
    ) -> LLVMBool;
    fn LLVMParseIRInContext2(
        context_ref: LLVMContextRef,
        mem_buf: LLVMMemoryBufferRef,
        out_m: *mut LLVMModuleRef,
        out_message: *mut *mut c_char,
    ) -> LLVMBool;
    fn LLVMPrintTypeToString(val: LLVMTypeRef) -> *mut c_char;
    fn LLVMPrintValueToString(val: LLVMValueRef) -> *mut c_char;
    fn LLVMRunFunctionPassManager(fpm: LLVMPassManagerRef, f: LLVMValueRef) -> LLVMBool;
    fn LLVMRunPasses(
        m: LLVMModuleRef,
        passes: *const c_char,
        tm: LLVMTargetMachineRef,
        options: LLVMPassBuilderOptionsRef,
    ) -> LLVMErrorRef;
    fn LLVMSetDataLayout(m: LLVMModuleRef, data_layout_str: *const c_char);
    fn LLVMSetLinkage(global: LLVMValueRef, linkage: LLVMLinkage);
    fn LLVMSetTarget(m: LLVMModuleRef, triple: *const c_char);
    fn LLVMSetVisibility(global: LLVMValueRef, viz: LLVMVisibility);
    fn LLVMStructGetTypeAtIndex(struct_ty: LLVMTypeRef, i: c_uint) -> LLVMTypeRef;
    fn LLVMTypeIsSized(ty: LLVMTypeRef) -> LLVMBool;
    fn LLVMTypeOf(val: LLVMValueRef) -> LLVMTypeRef;
    fn LLVMValueAsMetadata(val: LLVMValueRef) -> LLVMMetadataRef;
    fn LLVMValueMetadataEntriesGetMetadata(
        entries: *mut LLVMValueMetadataEntry,
        index: c_uint,
    ) -> LLVMMetadataRef;
    fn LLVMVerifyModule(
        m: LLVMModuleRef,
        action: LLVMVerifierFailureAction,
        out_message: *mut *mut c_char,
    ) -> LLVMBool;
}
