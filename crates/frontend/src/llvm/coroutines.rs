//! Coroutines: LLVM's passes that split them into functions.
//!
//! A compiler leaves a coroutine as one function with intrinsics where it is suspended
//! (`llvm.coro.*`), and every pipeline of passes, also that of `-O0`, splits it: into the part that
//! runs at once, and functions that resume and destroy it. Its locals become fields of its frame.

use super::{Module, api};
use std::ffi::CStr;
use std::ptr;

/// What every pipeline does to coroutines, without removing what is not used.
const PASSES: &CStr = c"coro-early,cgscc(coro-split),coro-cleanup";

impl Module<'_> {
    /// Splits all coroutines of a well-formed module.
    ///
    /// # Errors
    /// LLVM's message.
    pub(crate) fn split_coroutines(&mut self) -> Result<(), String> {
        let mut functions = self.functions().into_iter();
        if !functions.any(|function| function.name().starts_with("llvm.coro.")) {
            return Ok(());
        }
        // SAFETY: a live module, which no handle borrows, since it is borrowed exclusively. The
        // passes need no machine. The message of an error is freed once, by its own function.
        unsafe {
            let options = api::LLVMCreatePassBuilderOptions();
            let error = api::LLVMRunPasses(self.raw, PASSES.as_ptr(), ptr::null_mut(), options);
            api::LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = api::LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            api::LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }
}
