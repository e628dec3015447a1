//! The mapping of LLVM types to registers: structs, arrays and vectors are flattened into their
//! scalars, in order.

use crate::llvm::{Layout, Ty, TyKind};
use selvedge_ir::Type;
use smallvec::{SmallVec, smallvec};

/// The scalars of a type with their byte offsets in memory.
pub(crate) type Flat = SmallVec<[(Type, u64); 2]>;

/// The maximum number of registers for one value (compilers do not emit arrays as values).
const MOST: u64 = 4096;

/// The register type of a scalar type.
///
/// # Errors
/// With the name of the type, if no register can hold it.
pub(crate) fn scalar(ty: Ty<'_>) -> Result<Type, String> {
    match ty.kind() {
        TyKind::LLVMIntegerTypeKind if ty.int_bits() <= 128 => Ok(Type::Int(ty.int_bits() as u8)),
        TyKind::LLVMFloatTypeKind => Ok(Type::F32),
        TyKind::LLVMDoubleTypeKind => Ok(Type::F64),
        TyKind::LLVMPointerTypeKind => Ok(Type::Ptr),
        _ => Err(format!("values of type {}", ty.text())),
    }
}

/// The registers of a type; none for `void`.
///
/// # Errors
/// As [`scalar`].
pub(crate) fn flatten<'m>(layout: Layout<'m>, ty: Ty<'m>) -> Result<Flat, String> {
    match ty.kind() {
        TyKind::LLVMVoidTypeKind => Ok(Flat::new()),
        TyKind::LLVMStructTypeKind | TyKind::LLVMArrayTypeKind | TyKind::LLVMVectorTypeKind => {
            let mut flat = Flat::new();
            add(layout, ty, 0, &mut flat)?;
            Ok(flat)
        }
        _ => Ok(smallvec![(scalar(ty)?, 0)]),
    }
}

fn add<'m>(layout: Layout<'m>, ty: Ty<'m>, at: u64, flat: &mut Flat) -> Result<(), String> {
    let kind = ty.kind();
    let count = ty.elements();
    if count > MOST || flat.len() as u64 > MOST {
        return Err(format!("values of type {}", ty.text()));
    }
    match kind {
        TyKind::LLVMStructTypeKind => {
            for i in 0..count as u32 {
                let field = ty.element(i).ok_or("a struct without its field")?;
                add(layout, field, at + layout.offset(ty, i), flat)?;
            }
        }
        TyKind::LLVMArrayTypeKind => {
            let element = ty.element(0).ok_or("an array without elements")?;
            let stride = layout.size(element);
            for i in 0..count {
                add(layout, element, at + i * stride, flat)?;
            }
        }
        TyKind::LLVMVectorTypeKind => {
            let element = scalar(ty.element(0).ok_or("a vector without elements")?)?;
            // Elements of vectors are packed; those that are no whole bytes never come to memory
            // through registers.
            let stride = u64::from(element.bits()) / 8;
            for i in 0..count {
                flat.push((element, at + i * stride));
            }
        }
        _ => flat.push((scalar(ty)?, at)),
    }
    Ok(())
}

/// Whether a value of the type can be moved between registers and memory scalar by scalar.
pub(crate) fn in_memory(ty: Ty<'_>) -> Result<(), String> {
    if ty.kind() == TyKind::LLVMVectorTypeKind {
        let element = scalar(ty.element(0).ok_or("a vector without elements")?)?;
        if element.bits() % 8 != 0 {
            return Err(format!("{} in memory", ty.text()));
        }
    }
    Ok(())
}

/// The registers before element `indices` of an aggregate type, and that element's type.
pub(crate) fn select<'m>(layout: Layout<'m>, ty: Ty<'m>, indices: &[u32]) -> Result<(usize, Ty<'m>), String> {
    let mut skip = 0;
    let mut at = ty;
    for &index in indices {
        if at.kind() == TyKind::LLVMStructTypeKind {
            for i in 0..index {
                let field = at.element(i).ok_or("a struct without its field")?;
                skip += flatten(layout, field)?.len();
            }
        } else {
            let element = at.element(0).ok_or("an array without elements")?;
            skip += flatten(layout, element)?.len() * index as usize;
        }
        at = at.element(index).ok_or("an aggregate without its element")?;
    }
    Ok((skip, at))
}
