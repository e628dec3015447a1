//! Variables of the source, and the source's description of objects that calls allocate.

use super::FnLower;
use crate::debug;
use crate::llvm::{Opcode, TypeNode, Value};
use selvedge_base::StmtId;
use selvedge_ir::ShapeId;

/// A variable that debug information declares.
#[derive(Clone)]
pub(in crate::lower) struct Variable<'m> {
    pub(in crate::lower) name: String,
    ty: Option<TypeNode<'m>>,
}

impl<'m> FnLower<'_, 'm, '_> {
    /// Notes the variables that are declared at an instruction.
    pub(in crate::lower) fn note_variables(&mut self, inst: Value<'m>) {
        let layout = self.unit.layout;
        for (address, variable) in inst.declared_variables() {
            if let Some(name) = debug::variable_name(layout, variable) {
                let ty = TypeNode::of_variable(layout, variable);
                self.variables.insert(address, Variable { name, ty });
            }
        }
    }

    /// The name and shape of the variable at an address.
    pub(in crate::lower) fn variable(&mut self, address: Value<'m>) -> Option<(String, Option<ShapeId>)> {
        let variable = self.variables.get(&address)?.clone();
        Some((variable.name, self.unit.shape(variable.ty)))
    }

    /// Records what a call allocates. In C++ this is the type of the operator `new`, in C the type
    /// to which the variable points that gets the result. It does not matter whether the call
    /// really allocates.
    ///
    /// It must be certain whether it is an array, because memory for a larger type may be accessed
    /// through a pointer to the type of its first field.
    pub(in crate::lower) fn note_made(&mut self, call: Value<'m>, stmt: StmtId) {
        if self.unit.library {
            return;
        }
        let made = TypeNode::made_by(call);
        let shape = match made {
            Some(ty) => self.unit.shape(Some(ty)),
            None => {
                let pointer = call.users().into_iter().find_map(|user| {
                    let stored = user.opcode() == Some(Opcode::LLVMStore) && user.operand(0) == Some(call);
                    let address = user.operand(1).filter(|_| stored)?;
                    match self.variables.get(&address) {
                        Some(variable) => variable.ty,
                        None => TypeNode::of_variable(self.unit.layout, address.described()?),
                    }
                });
                pointer.and_then(|pointer| self.unit.pointee(pointer))
            }
        };
        let Some(shape) = shape else { return };
        let callee = call.called().map(|callee| callee.name()).unwrap_or_default();
        let is_array = match made {
            Some(_) if callee.starts_with("_Zna") => {
                // Before elements with destructors stands how many they are.
                let counts = |user: Value<'m>| {
                    user.opcode() == Some(Opcode::LLVMStore) && user.operand(1) == Some(call)
                };
                if call.users().into_iter().any(counts) {
                    return;
                }
                true
            }
            Some(_) => false,
            None => self.is_array(call, &callee, shape),
        };
        let shape = match is_array {
            true => self.unit.array(shape),
            false => shape,
        };
        self.unit.program.module.made.insert(stmt, shape);
    }

    /// Whether the size that a call is given is that of some elements, as the source says.
    fn is_array(&self, call: Value<'m>, callee: &str, of: ShapeId) -> bool {
        let size = u128::from(self.unit.program.module.shapes[of].size);
        let is_size = |value: Option<Value<'m>>| value.and_then(Value::int) == Some(size);
        match callee {
            "calloc" => is_size(call.operand(1)),
            "reallocarray" => is_size(call.operand(2)),
            _ => call
                .operand(u32::from(callee == "realloc"))
                .is_some_and(|bytes| match bytes.opcode() {
                    Some(Opcode::LLVMMul) => is_size(bytes.operand(0)) || is_size(bytes.operand(1)),
                    Some(Opcode::LLVMShl) => {
                        let shift = bytes.operand(1).and_then(Value::int);
                        shift.is_some_and(|shift| shift < 64 && 1 << shift == size)
                    }
                    _ => false,
                }),
        }
    }
}
