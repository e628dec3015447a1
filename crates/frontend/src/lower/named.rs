//! Variables of the source, and what the source says of the objects that calls make.

use super::function::FnLower;
use crate::debug;
use crate::llvm::{Opcode, TypeNode, Value};
use selvedge_base::StmtId;
use selvedge_ir::ShapeId;

/// A variable that debug information declares.
#[derive(Clone)]
pub(super) struct Variable<'m> {
    pub(super) name: String,
    ty: Option<TypeNode<'m>>,
}

impl<'m> FnLower<'_, 'm, '_> {
    /// Notes the variables that are declared at an instruction.
    pub(super) fn note_variables(&mut self, inst: Value<'m>) {
        let layout = self.unit.layout;
        for (address, variable) in inst.declared_variables() {
            if let Some(name) = debug::variable_name(layout, variable) {
                let ty = TypeNode::of_variable(layout, variable);
                self.variables.insert(address, Variable { name, ty });
            }
        }
    }

    /// The name and shape of the variable at an address.
    pub(super) fn variable(&mut self, address: Value<'m>) -> Option<(String, Option<ShapeId>)> {
        let variable = self.variables.get(&address)?.clone();
        Some((variable.name, self.unit.shape(variable.ty)))
    }

    /// Notes what a call makes: of C++ what the operator `new` stands for, of C what the variable
    /// points to that gets the result. It is of no matter whether the call allocates anything.
    pub(super) fn note_made(&mut self, call: Value<'m>, stmt: StmtId) {
        if self.unit.library {
            return;
        }
        let shape = match TypeNode::made_by(call) {
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
        if let Some(shape) = shape {
            self.unit.program.module.made.insert(stmt, shape);
        }
    }
}
