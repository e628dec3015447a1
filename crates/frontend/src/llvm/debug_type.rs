//! Types in the debug information.

use super::{Layout, Meta, Value, api, copy_str};
use llvm_sys::debuginfo::LLVMMetadataKind as MetaKind;

// The operands of nodes, of which the C API has no accessors. Of a type: file, scope, name, size,
// offset, and these; of a variable: scope, name, file, and its type.
const BASE: u32 = 5;
const ELEMENTS: u32 = 6;
const IDENTIFIER: u32 = 9;
const VARIABLE_TYPE: u32 = 3;
/// Of a bit-field: where the bytes begin that it shares with others, in bits.
const STORAGE: u32 = 6;

// Flags of nodes (`DIFlag…` in LLVM's C API).
const VIRTUAL: i32 = 1 << 5;
const STATIC_MEMBER: i32 = 1 << 12;
const BIT_FIELD: i32 = 1 << 19;

/// A node that describes a type, or a member of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TypeNode<'m>(Meta<'m>);

/// What a node describes (DWARF 5, section 7.5.3: tags).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeKind {
    Array,
    /// A class or structure.
    Record,
    Enumeration,
    Union,
    /// A pointer or reference.
    Pointer,
    /// An integer, a floating-point number, a character.
    Base,
    /// Another name for a type.
    Typedef,
    /// A type with a qualifier.
    Qualified,
    Member,
    /// A base class.
    Inheritance,
    Other,
}

impl<'m> TypeNode<'m> {
    fn new(meta: Meta<'m>) -> Option<TypeNode<'m>> {
        let is_type = |kind| {
            matches!(
                kind,
                MetaKind::LLVMDIBasicTypeMetadataKind
                    | MetaKind::LLVMDIDerivedTypeMetadataKind
                    | MetaKind::LLVMDICompositeTypeMetadataKind
            )
        };
        meta.of_kind(is_type).map(TypeNode)
    }

    /// The type of a variable (`DILocalVariable`, `DIGlobalVariable`).
    pub(crate) fn of_variable(layout: Layout<'m>, variable: Meta<'m>) -> Option<TypeNode<'m>> {
        let is_variable = |kind| {
            matches!(
                kind,
                MetaKind::LLVMDILocalVariableMetadataKind | MetaKind::LLVMDIGlobalVariableMetadataKind
            )
        };
        variable.of_kind(is_variable)?;
        operand(layout, variable, VARIABLE_TYPE)
    }

    /// What an operator `new` makes, which the call says.
    pub(crate) fn made_by(call: Value<'m>) -> Option<TypeNode<'m>> {
        TypeNode::new(call.metadata("heapallocsite")?.as_meta()?)
    }

    pub(crate) fn kind(self) -> TypeKind {
        // SAFETY: a node of debug information.
        match unsafe { api::LLVMGetDINodeTag(self.0.raw) } {
            0x01 => TypeKind::Array,
            0x02 | 0x13 => TypeKind::Record,
            0x04 => TypeKind::Enumeration,
            0x17 => TypeKind::Union,
            0x0f | 0x10 | 0x42 => TypeKind::Pointer,
            0x24 => TypeKind::Base,
            0x16 => TypeKind::Typedef,
            0x26 | 0x35 | 0x37 | 0x47 => TypeKind::Qualified,
            0x0d => TypeKind::Member,
            0x1c => TypeKind::Inheritance,
            _ => TypeKind::Other,
        }
    }

    pub(crate) fn name(self) -> String {
        let mut len = 0;
        // SAFETY: a type; the string is owned by the context.
        unsafe {
            let name = api::LLVMDITypeGetName(self.0.raw, &mut len);
            copy_str(name, len)
        }
    }

    /// Size in bytes.
    pub(crate) fn size(self) -> u64 {
        // SAFETY: a type.
        unsafe { api::LLVMDITypeGetSizeInBits(self.0.raw) }.div_ceil(8)
    }

    /// Where a member or base class begins, in bytes; of a bit-field the bytes that it shares.
    pub(crate) fn offset(self, layout: Layout<'m>) -> u64 {
        let storage = layout.meta_value(self.0).meta_operand(STORAGE);
        if self.has(BIT_FIELD)
            && let Some(bits) = storage.and_then(|offset| u64::try_from(offset.int()?).ok())
        {
            return bits / 8;
        }
        // SAFETY: a type.
        unsafe { api::LLVMDITypeGetOffsetInBits(self.0.raw) / 8 }
    }

    /// Whether a base class lies where only the object knows.
    pub(crate) fn is_virtual(self) -> bool {
        self.has(VIRTUAL)
    }

    /// Whether a member is static: no part of an object.
    pub(crate) fn is_static(self) -> bool {
        self.has(STATIC_MEMBER)
    }

    fn has(self, flag: i32) -> bool {
        // SAFETY: a type.
        unsafe { api::LLVMDITypeGetFlags(self.0.raw) & flag != 0 }
    }

    /// The type that this one is made of: of an array its elements', of a member its own.
    pub(crate) fn base(self, layout: Layout<'m>) -> Option<TypeNode<'m>> {
        self.0
            .of_kind(|kind| !matches!(kind, MetaKind::LLVMDIBasicTypeMetadataKind))?;
        operand(layout, self.0, BASE)
    }

    /// Members and base classes.
    pub(crate) fn members(self, layout: Layout<'m>) -> Vec<TypeNode<'m>> {
        self.elements(layout)
            .filter_map(|node| TypeNode::new(node.as_meta()?))
            .collect()
    }

    /// The sizes of an array in each dimension; `None`: not known.
    pub(crate) fn dimensions(self, layout: Layout<'m>) -> Vec<Option<u64>> {
        self.elements(layout)
            .map(|range| u64::try_from(range.meta_operand(0)?.int()?).ok())
            .collect()
    }

    /// Whether a type has a name that holds for the whole program, as in C++.
    pub(crate) fn has_identifier(self, layout: Layout<'m>) -> bool {
        let composite = self
            .0
            .of_kind(|kind| matches!(kind, MetaKind::LLVMDICompositeTypeMetadataKind));
        let name = composite.and_then(|node| layout.meta_value(node).meta_operand(IDENTIFIER));
        name.is_some_and(|name| name.meta_string().is_some())
    }

    fn elements(self, layout: Layout<'m>) -> impl Iterator<Item = Value<'m>> {
        let composite = self
            .0
            .of_kind(|kind| matches!(kind, MetaKind::LLVMDICompositeTypeMetadataKind));
        let list = composite.and_then(|node| layout.meta_value(node).meta_operand(ELEMENTS));
        let nodes = list.map(Value::meta_operands).unwrap_or_default();
        nodes.into_iter().flatten()
    }
}

/// An operand of a node that is a type.
fn operand<'m>(layout: Layout<'m>, node: Meta<'m>, index: u32) -> Option<TypeNode<'m>> {
    TypeNode::new(layout.meta_value(node).meta_operand(index)?.as_meta()?)
}
