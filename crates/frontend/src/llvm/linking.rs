//! What decides how modules are linked: linkage and visibility of symbols, and the order of
//! constructors.

use super::value::{Value, ValueKind};
use super::{Linkage, Module, api};
use llvm_sys::LLVMVisibility;

/// The attribute of constructors and destructors of shared libraries; its value is the library.
const LIBRARY: &str = "selvedge-library";

impl<'m> Value<'m> {
    /// Gives a global value another linkage.
    pub(crate) fn set_linkage(self, linkage: Linkage) {
        // SAFETY: callers pass global values only, and definitions where the linkage is one of
        // definitions. One that is local is visible to nobody.
        unsafe {
            if linkage == Linkage::LLVMInternalLinkage {
                api::LLVMSetVisibility(self.raw, LLVMVisibility::LLVMDefaultVisibility);
            }
            api::LLVMSetLinkage(self.raw, linkage);
        }
    }

    /// Whether other files cannot refer to a global value.
    pub(crate) fn is_hidden(self) -> bool {
        // SAFETY: callers pass global values only.
        unsafe { api::LLVMGetVisibility(self.raw) == LLVMVisibility::LLVMHiddenVisibility }
    }

    /// The number of the shared library whose constructor this function is.
    pub(crate) fn library(self) -> Option<u32> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        self.own_attribute(LIBRARY)?.parse().ok()
    }
}

impl Module<'_> {
    /// Notes of the functions that run before and after the program that they are those of a shared
    /// library.
    pub(crate) fn note_constructors(&self, library: u32) {
        let lists = self.globals().into_iter();
        let lists = lists.filter(|g| matches!(g.name().as_str(), "llvm.global_ctors" | "llvm.global_dtors"));
        for list in lists.filter_map(Value::initializer) {
            for n in 0..list.ty().elements() as u32 {
                let entry = list.element(n);
                let function = entry.and_then(|entry| entry.element(1));
                if let Some(function) = function.filter(|f| f.kind() == ValueKind::LLVMFunctionValueKind) {
                    function.add_attribute_value(LIBRARY, &library.to_string());
                }
            }
        }
    }
}
