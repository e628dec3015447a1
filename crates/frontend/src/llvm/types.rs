//! Types.

use super::api;
pub(crate) use llvm_sys::LLVMTypeKind as TyKind;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ty<'m> {
    pub(super) raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Ty<'m> {
    /// # Safety
    /// `raw` is a type of a context that lives for `'m`.
    pub(super) unsafe fn new(raw: LLVMTypeRef) -> Ty<'m> {
        Ty {
            raw,
            module: PhantomData,
        }
    }

    /// Which kind of type.
    pub(crate) fn kind(self) -> TyKind {
        // SAFETY: a live type.
        unsafe { api::LLVMGetTypeKind(self.raw) }
    }

    /// Whether it has a size that is known now: no type without contents, and nothing scalable in
    /// it, whose size LLVM refuses to tell.
    pub(crate) fn is_sized(self) -> bool {
        // SAFETY: a live type.
        unsafe { api::LLVMTypeIsSized(self.raw) != 0 && !self.is_scalable() }
    }

    fn is_scalable(self) -> bool {
        match self.kind() {
            TyKind::LLVMScalableVectorTypeKind | TyKind::LLVMTargetExtTypeKind => true,
            TyKind::LLVMStructTypeKind => (0..self.fields())
                .filter_map(|i| self.element(i))
                .any(Ty::is_scalable),
            TyKind::LLVMArrayTypeKind => self.element(0).is_some_and(Ty::is_scalable),
            _ => false,
        }
    }

    /// Width of an integer type; 0 for others.
    pub(crate) fn int_bits(self) -> u32 {
        if self.kind() != TyKind::LLVMIntegerTypeKind {
            return 0;
        }
        // SAFETY: an integer type.
        unsafe { api::LLVMGetIntTypeWidth(self.raw) }
    }

    /// Number of fields of a struct, elements of an array or a vector; 0 for others.
    pub(crate) fn elements(self) -> u64 {
        // SAFETY: the kind is checked.
        unsafe {
            match self.kind() {
                TyKind::LLVMStructTypeKind => u64::from(api::LLVMCountStructElementTypes(self.raw)),
                TyKind::LLVMArrayTypeKind => api::LLVMGetArrayLength2(self.raw),
                TyKind::LLVMVectorTypeKind => u64::from(api::LLVMGetVectorSize(self.raw)),
                _ => 0,
            }
        }
    }

    /// Number of fields of a struct; 0 for others.
    pub(crate) fn fields(self) -> u32 {
        if self.kind() == TyKind::LLVMStructTypeKind {
            self.elements() as u32
        } else {
            0
        }
    }

    /// The type of element `index` of a struct, array or vector.
    pub(crate) fn element(self, index: u32) -> Option<Ty<'m>> {
        // SAFETY: the kind and index are checked.
        unsafe {
            match self.kind() {
                TyKind::LLVMStructTypeKind if index < api::LLVMCountStructElementTypes(self.raw) => {
                    Some(Ty::new(api::LLVMStructGetTypeAtIndex(self.raw, index)))
                }
                TyKind::LLVMArrayTypeKind | TyKind::LLVMVectorTypeKind => {
                    Some(Ty::new(api::LLVMGetElementType(self.raw)))
                }
                _ => None,
            }
        }
    }

    /// Result, parameters and whether more may follow, of a function type.
    pub(crate) fn signature(self) -> Option<(Ty<'m>, Vec<Ty<'m>>, bool)> {
        if self.kind() != TyKind::LLVMFunctionTypeKind {
            return None;
        }
        // SAFETY: a function type; the buffer has room for all parameters.
        unsafe {
            let count = api::LLVMCountParamTypes(self.raw) as usize;
            let mut raw = vec![std::ptr::null_mut(); count];
            api::LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            Some((
                Ty::new(api::LLVMGetReturnType(self.raw)),
                raw.into_iter().map(|t| Ty::new(t)).collect(),
                api::LLVMIsFunctionVarArg(self.raw) != 0,
            ))
        }
    }

    /// As LLVM writes it.
    pub(crate) fn text(self) -> String {
        // SAFETY: a live type; the message is freed by `take_message`.
        unsafe { super::take_message(api::LLVMPrintTypeToString(self.raw)) }
    }
}
