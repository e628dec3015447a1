//! A small safe view of LLVM's C API: exactly what the lowering reads.
//!
//! All `unsafe` code of the front end is in this folder. Its argument: every handle (`Module`,
//! `Value`, `Ty`, `Block`, `Meta`) carries the lifetime of the [`Context`] that owns what it points
//! to; a context is neither moved between threads nor disposed of while a handle lives; nothing is
//! modified after linking, except that the C API itself wraps metadata in values owned by the
//! context. Accessors that LLVM defines for one kind of value only (an opcode, a predicate, …)
//! check the kind first where the caller cannot know it, and their documentation says what they
//! need otherwise. The bitcode may be malformed, and LLVM's readers may crash on it: this code runs
//! in a process of its own (see [`crate::isolate`]).

#![expect(unsafe_code, reason = "LLVM's C interface")]

mod api;
mod coroutines;
mod debug_type;
mod flags;
mod linking;
mod types;
mod value;

pub(crate) use api::load;
pub(crate) use debug_type::{TypeKind, TypeNode};
pub(crate) use types::{Ty, TyKind};
pub(crate) use value::{Block, Meta, Value, ValueKind};

pub(crate) use llvm_sys::{
    LLVMAtomicOrdering as Ordering, LLVMAtomicRMWBinOp as RmwKind, LLVMIntPredicate as IntPredicate,
    LLVMLinkage as Linkage, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
};

use llvm_sys::analysis::LLVMVerifierFailureAction;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMTargetDataRef;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;

/// The processor that is modelled.
const TRIPLE: &CStr = c"x86_64-pc-linux-gnu";
/// Sizes and alignments on it: those of clang 22.
const DATA_LAYOUT: &CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Owns types, constants and metadata of the modules made in it, and collects LLVM's diagnostics.
pub(crate) struct Context {
    raw: LLVMContextRef,
    /// Boxed: LLVM keeps its address.
    errors: Box<RefCell<Vec<String>>>,
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, to: *mut c_void) {
    // SAFETY: `to` is the address of the boxed cell of the context that reports, which outlives the
    // report.
    unsafe {
        if api::LLVMGetDiagInfoSeverity(info) != llvm_sys::LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let message = take_message(api::LLVMGetDiagInfoDescription(info));
        let cell = &*(to as *const RefCell<Vec<String>>);
        if let Ok(mut errors) = cell.try_borrow_mut() {
            errors.push(message);
        }
    }
}

/// Copies and frees a message that LLVM allocated.
///
/// # Safety
/// `message` is null or a string to be freed by `LLVMDisposeMessage`.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: a string, by the caller's promise, which is freed once.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        api::LLVMDisposeMessage(message);
        text
    }
}

/// Copies a counted string that LLVM owns.
///
/// # Safety
/// `text` is null or points to `len` readable bytes.
unsafe fn copy_str(text: *const c_char, len: usize) -> String {
    if text.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: readable bytes, by the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(text as *const u8, len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The attribute of functions that no optimiser has seen.
pub(crate) const AS_WRITTEN: &str = "selvedge-as-written";

impl Context {
    /// A fresh context; loads LLVM before the first one.
    ///
    /// # Errors
    /// If there is no LLVM 22.
    pub(crate) fn new() -> Result<Context, String> {
        load()?;
        let errors = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the handler's argument is the boxed cell, dropped after the context.
        let raw = unsafe {
            let raw = api::LLVMContextCreate();
            api::LLVMContextSetDiagnosticHandler(
                raw,
                Some(collect),
                &*errors as *const RefCell<Vec<String>> as *mut c_void,
            );
            raw
        };
        Ok(Context { raw, errors })
    }

    /// The errors reported since the last call, one a line.
    pub(crate) fn take_errors(&self) -> String {
        self.errors.take().join("\n")
    }

    /// Reads a module from bitcode.
    pub(crate) fn parse(&self, bitcode: &[u8]) -> Result<Module<'_>, String> {
        // SAFETY: the reader copies nothing lazily: it has read everything when it returns, so the
        // buffer may go.
        unsafe {
            let buffer = memory_buffer(bitcode, false);
            let mut raw = ptr::null_mut();
            let failed = api::LLVMParseBitcodeInContext2(self.raw, buffer, &mut raw);
            api::LLVMDisposeMemoryBuffer(buffer);
            self.module(failed, raw)
        }
    }

    /// A module of which each definition is read from the bitcode when it is linked, or by
    /// [`Value::read_body`].
    pub(crate) fn parse_when_needed<'c>(&'c self, bitcode: &'c [u8]) -> Result<Module<'c>, String> {
        // SAFETY: the bytes live as long as the context, and so as the module. The module owns the
        // buffer if there is one.
        unsafe {
            let buffer = memory_buffer(bitcode, false);
            let mut raw = ptr::null_mut();
            let failed = api::LLVMGetBitcodeModuleInContext2(self.raw, buffer, &mut raw);
            if failed != 0 {
                api::LLVMDisposeMemoryBuffer(buffer);
            }
            self.module(failed, raw)
        }
    }

    /// Reads a module from text.
    pub(crate) fn parse_text(&self, text: &[u8]) -> Result<Module<'_>, String> {
        let mut terminated = text.to_vec();
        terminated.push(0);
        // SAFETY: the buffer ends with the zero that the reader needs, and may go when it returns,
        // as above.
        unsafe {
            let buffer = memory_buffer(&terminated, true);
            let (mut raw, mut message) = (ptr::null_mut(), ptr::null_mut());
            let failed = api::LLVMParseIRInContext2(self.raw, buffer, &mut raw, &mut message);
            api::LLVMDisposeMemoryBuffer(buffer);
            let message = take_message(message);
            self.module(failed, raw).map_err(|reported| match reported {
                _ if !message.is_empty() => message,
                reported => reported,
            })
        }
    }

    /// What a reader returned.
    fn module(&self, failed: LLVMBool, raw: LLVMModuleRef) -> Result<Module<'_>, String> {
        if failed != 0 || raw.is_null() {
            return Err(self.take_errors());
        }
        Ok(Module { raw, context: self })
    }
}

/// A buffer of LLVM's over bytes that stay ours. `terminated`: the last byte is a zero, and not
/// part of it.
///
/// # Safety
/// The bytes outlive the buffer.
unsafe fn memory_buffer(bytes: &[u8], terminated: bool) -> LLVMMemoryBufferRef {
    let length = bytes.len() - usize::from(terminated);
    let start = bytes.as_ptr() as *const c_char;
    // SAFETY: the bytes, and the zero behind them if one is promised.
    unsafe {
        api::LLVMCreateMemoryBufferWithMemoryRange(start, length, c"module".as_ptr(), i32::from(terminated))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is used any more. LLVM frees those that were
        // not disposed of.
        unsafe { api::LLVMContextDispose(self.raw) }
    }
}

/// A module, disposed of when dropped.
pub(crate) struct Module<'c> {
    raw: LLVMModuleRef,
    context: &'c Context,
}

impl<'c> Module<'c> {
    /// Moves everything of `other` into this module.
    pub(crate) fn link(&mut self, other: Module<'c>) -> Result<(), String> {
        let source = other.raw;
        std::mem::forget(other);
        // SAFETY: the linker consumes the source module.
        if unsafe { api::LLVMLinkModules2(self.raw, source) } != 0 {
            return Err(self.context.take_errors());
        }
        Ok(())
    }

    /// Notes of all functions of the module that no optimiser has seen them: they do what the
    /// programmer wrote, in that order.
    pub(crate) fn mark_as_written(&self) {
        for function in self.functions() {
            function.add_attribute(AS_WRITTEN);
        }
    }

    /// The target triple, or nothing.
    pub(crate) fn triple(&self) -> String {
        // SAFETY: a string owned by the module.
        unsafe {
            let text = api::LLVMGetTarget(self.raw);
            if text.is_null() {
                return String::new();
            }
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }

    /// Gives the module the triple and the data layout of the processor that is modelled, as a
    /// compiler does.
    pub(crate) fn retarget(&mut self) {
        // SAFETY: a live module and two strings, which LLVM copies.
        unsafe {
            api::LLVMSetTarget(self.raw, TRIPLE.as_ptr());
            api::LLVMSetDataLayout(self.raw, DATA_LAYOUT.as_ptr());
        }
    }

    /// Checks LLVM's own rules for well-formed modules.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is alive; the message is ours to free.
        unsafe {
            let broken = api::LLVMVerifyModule(
                self.raw,
                LLVMVerifierFailureAction::LLVMReturnStatusAction,
                &mut message,
            );
            let text = take_message(message);
            if broken != 0 { Err(text) } else { Ok(()) }
        }
    }

    /// All functions in order.
    pub(crate) fn functions(&self) -> Vec<Value<'_>> {
        // SAFETY: a list owned by the module.
        unsafe {
            let first = api::LLVMGetFirstFunction(self.raw);
            value::chain(first, |f| api::LLVMGetNextFunction(f))
        }
    }

    /// All global variables in order.
    pub(crate) fn globals(&self) -> Vec<Value<'_>> {
        // SAFETY: a list owned by the module.
        unsafe {
            let first = api::LLVMGetFirstGlobal(self.raw);
            value::chain(first, |g| api::LLVMGetNextGlobal(g))
        }
    }

    /// All aliases in order.
    pub(crate) fn aliases(&self) -> Vec<Value<'_>> {
        // SAFETY: a list owned by the module.
        unsafe {
            let first = api::LLVMGetFirstGlobalAlias(self.raw);
            value::chain(first, |g| api::LLVMGetNextGlobalAlias(g))
        }
    }

    /// Sizes, alignments and offsets.
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout {
            // SAFETY: owned by the module.
            raw: unsafe { api::LLVMGetModuleDataLayout(self.raw) },
            context: self.context.raw,
            module: PhantomData,
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing refers to the module any more: all handles borrow it.
        unsafe { api::LLVMDisposeModule(self.raw) }
    }
}

/// The data layout of a module.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'m> {
    raw: LLVMTargetDataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Layout<'m> {
    /// Bytes between two elements of an array of the (sized) type.
    pub(crate) fn size(self, ty: Ty<'m>) -> u64 {
        if ty.is_sized() {
            // SAFETY: a live type.
            unsafe { api::LLVMABISizeOfType(self.raw, ty.raw) }
        } else {
            0
        }
    }

    /// Its alignment in bytes.
    pub(crate) fn align(self, ty: Ty<'m>) -> u32 {
        if ty.is_sized() {
            // SAFETY: a live type.
            unsafe { api::LLVMABIAlignmentOfType(self.raw, ty.raw) }
        } else {
            1
        }
    }

    /// Where a field of a struct begins, in bytes.
    pub(crate) fn offset(self, structure: Ty<'m>, field: u32) -> u64 {
        if structure.kind() != TyKind::LLVMStructTypeKind
            || field >= structure.fields()
            || !structure.is_sized()
        {
            return 0;
        }
        // SAFETY: a struct type with this field.
        unsafe { api::LLVMOffsetOfElement(self.raw, structure.raw, field) }
    }

    /// A value view of metadata.
    pub(crate) fn meta_value(self, meta: Meta<'m>) -> Value<'m> {
        meta.as_value(self.context)
    }
}
