//! Metadata: where instructions, functions and variables come from in the source.

use super::super::{api, copy_str};
use super::{Meta, Value};
use llvm_sys::debuginfo::LLVMMetadataKind as MetaKind;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDbgRecordKind, LLVMValueKind as ValueKind};
use std::marker::PhantomData;

impl<'m> Value<'m> {
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

    /// The description of a function in the debug information.
    pub(crate) fn subprogram(self) -> Option<Meta<'m>> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        // SAFETY: a function.
        Meta::wrap(unsafe { api::LLVMGetSubprogram(self.raw) })?
            .of_kind(|kind| matches!(kind, MetaKind::LLVMDISubprogramMetadataKind))
    }

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

impl<'m> Meta<'m> {
    fn wrap(raw: LLVMMetadataRef) -> Option<Meta<'m>> {
        (!raw.is_null()).then_some(Meta {
            raw,
            module: PhantomData,
        })
    }

    /// The node as a value, whose operands can be read.
    pub(in crate::llvm) fn as_value(self, context: LLVMContextRef) -> Value<'m> {
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

    /// Where the code of a debug location was put by inlining.
    pub(crate) fn inlined_at(self) -> Option<Meta<'m>> {
        // SAFETY: a debug location.
        Meta::wrap(unsafe { api::LLVMDILocationGetInlinedAt(self.raw) })?
            .of_kind(|kind| matches!(kind, MetaKind::LLVMDILocationMetadataKind))
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
    pub(in crate::llvm) fn of_kind(self, is: impl Fn(MetaKind) -> bool) -> Option<Meta<'m>> {
        // SAFETY: live metadata.
        is(unsafe { api::LLVMGetMetadataKind(self.raw) }).then_some(self)
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
