//! Calls of functions.

use super::function::{FnLower, Lower};
use super::inst::is_vector;
use super::promote::lifetime;
use crate::llvm::{Ty, Value, ValueKind};
use selvedge_ir::{Callee, CastOp, FuncId, InstKind, Operand, Symbol, Type};
use smallvec::SmallVec;

/// The system call futex by its number, and as a function of the model library.
const FUTEX_NUMBER: Operand = Operand::Const(202, Type::I64);
const FUTEX: &str = "__selvedge_futex";
/// The parameters of that function. It takes no variable arguments, because an object for them
/// would be made in each call, and a loop around a wait would never come back to a known state.
const FUTEX_PARAMETERS: [Type; 7] = [
    Type::I64,
    Type::Ptr,
    Type::I32,
    Type::I32,
    Type::Ptr,
    Type::Ptr,
    Type::I32,
];

/// Arguments with their types.
#[derive(Default)]
pub(super) struct Args {
    pub(super) values: SmallVec<[Operand; 4]>,
    pub(super) types: SmallVec<[Type; 4]>,
}

impl<'m> FnLower<'_, 'm, '_> {
    /// Lowers a call or invoke of any callee.
    pub(super) fn call(&mut self, inst: Value<'m>) -> Lower<()> {
        let callee = inst.called().ok_or("a call of nothing")?;
        if callee.kind() == ValueKind::LLVMInlineAsmValueKind {
            return self.assembly(inst, callee);
        }
        if callee.is_intrinsic() {
            if let Some((starts, of)) = lifetime(inst) {
                return self.life(starts, of);
            }
            return self.intrinsic(inst, &callee.name());
        }
        let mut args = self.arguments(inst)?;
        let known = match callee.kind() {
            ValueKind::LLVMFunctionValueKind => Some(self.unit.symbol(callee)),
            _ => self
                .unit
                .linear(callee)
                .filter(|&(_, offset)| offset == 0)
                .and_then(|(symbol, _)| symbol),
        };
        let target = match known {
            Some(Symbol::Func(id)) if self.is_futex(id, &args) => {
                args = self.futex_arguments(&args)?;
                Callee::Direct(self.library_function(FUTEX, vec![Type::I64], &FUTEX_PARAMETERS)?)
            }
            Some(Symbol::Func(id)) => {
                self.refer(Symbol::Func(id));
                Callee::Direct(id)
            }
            _ => Callee::Indirect(self.part(callee)?),
        };
        let results = self.results(inst)?.into_iter().collect();
        self.note_made(inst, self.stmt);
        self.emit(InstKind::Call {
            results,
            callee: target,
            args: args.values,
            types: args.types,
        });
        Ok(())
    }

    /// Whether a call is the system call futex, which the model library has as a function.
    fn is_futex(&self, callee: FuncId, args: &Args) -> bool {
        let function = &self.unit.program.module.functions[callee];
        let number = args.values.first();
        !function.is_defined() && function.name == "syscall" && number == Some(&FUTEX_NUMBER)
    }

    /// The arguments of the system call futex, as its function takes them. What is not given is 0.
    fn futex_arguments(&mut self, given: &Args) -> Lower<Args> {
        let mut args = Args::default();
        for (i, &to) in FUTEX_PARAMETERS.iter().enumerate() {
            let value = match given.values.get(i) {
                None => Operand::Const(0, to),
                Some(&value) => self.as_word(value, to)?,
            };
            args.values.push(value);
            args.types.push(to);
        }
        Ok(args)
    }

    /// An integer or pointer as one of another type.
    fn as_word(&mut self, value: Operand, to: Type) -> Lower<Operand> {
        let from = self.type_of(value);
        if from == to {
            return Ok(value);
        }
        let word = match from {
            Type::Ptr => self.cast(CastOp::Bitcast, value, Type::I64),
            Type::Int(64) => value,
            Type::Int(bits) if bits < 64 => self.cast(CastOp::ZExt, value, Type::I64),
            _ => return Err("an argument of the system call futex that is no word".to_owned()),
        };
        Ok(match to {
            Type::Ptr => self.cast(CastOp::Bitcast, word, to),
            Type::I64 => word,
            _ => self.cast(CastOp::Trunc, word, to),
        })
    }

    /// The flattened arguments of a call.
    fn arguments(&mut self, inst: Value<'m>) -> Lower<Args> {
        let fixed = inst
            .called_type()
            .signature()
            .map_or(0, |(_, params, _)| params.len() as u32);
        let mut args = Args::default();
        for i in 0..inst.num_args() {
            let value = inst.operand(i).ok_or("a call without its argument")?;
            let mut parts = self.parts(value)?;
            if i >= fixed {
                if let Some(ty) = inst.arg_type_attribute(i, "byval") {
                    // A variable argument in memory: `va_arg` finds its bytes among the arguments,
                    // not its address.
                    let [address] = parts.as_slice() else {
                        return Err("an aggregate argument of unknown form".to_owned());
                    };
                    let address = *address;
                    self.words(address, ty, &mut args)?;
                    continue;
                }
                if is_vector(value.ty()) {
                    // `va_arg` finds the elements next to each other.
                    let packed = self.pack(&parts)?;
                    parts = SmallVec::from_slice(&[packed]);
                }
            }
            for part in parts {
                args.types.push(self.type_of(part));
                args.values.push(part);
            }
        }
        Ok(args)
    }

    /// Loads the bytes of an aggregate as arguments of eight bytes each.
    fn words(&mut self, address: Operand, ty: Ty<'m>, args: &mut Args) -> Lower<()> {
        let size = self.unit.layout.size(ty);
        if self.unit.layout.align(ty) > 8 {
            return Err(format!("a variable argument of type {}", ty.text()));
        }
        let mut at = 0;
        while at < size {
            let bytes = (size - at).min(8);
            let int = Type::Int((bytes * 8) as u8);
            let ptr = self.offset(address, at as i64);
            let dst = self.reg(int);
            self.emit(InstKind::Load {
                dst,
                ptr,
                ty: int,
                align: 1,
                volatile: false,
                order: None,
            });
            let word = if bytes < 8 {
                self.cast(CastOp::ZExt, Operand::Reg(dst), Type::I64)
            } else {
                Operand::Reg(dst)
            };
            args.values.push(word);
            args.types.push(Type::I64);
            at += bytes;
        }
        Ok(())
    }

    /// An address plus a constant, within the same object.
    pub(super) fn offset(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        let dst = self.reg(Type::Ptr);
        self.emit(InstKind::Gep {
            dst,
            base,
            offset,
            terms: SmallVec::new(),
            inbounds: true,
        });
        Operand::Reg(dst)
    }

    /// Lowers an intrinsic to a call of the library function that does the same.
    pub(super) fn call_library(&mut self, inst: Value<'m>, name: &str) -> Lower<()> {
        let args = self.arguments(inst)?;
        let returns = self.flat(inst.ty())?.into_iter().map(|(ty, _)| ty).collect();
        let id = self.library_function(name, returns, &args.types)?;
        let results = self.results(inst)?.into_iter().collect();
        self.emit(InstKind::Call {
            results,
            callee: Callee::Direct(id),
            args: args.values,
            types: args.types,
        });
        Ok(())
    }

    /// The address of the executing thread's own block, as the register `fs` has it.
    pub(super) fn thread_pointer(&mut self) -> Lower<Operand> {
        self.answer("__selvedge_thread_pointer", Type::Ptr)
    }

    /// What the processor's counter of cycles says.
    pub(super) fn cycles(&mut self) -> Lower<Operand> {
        self.answer("__selvedge_cycles", Type::I64)
    }

    /// What a library function without parameters returns.
    fn answer(&mut self, name: &str, ty: Type) -> Lower<Operand> {
        let id = self.library_function(name, vec![ty], &[])?;
        let dst = self.reg(ty);
        self.emit(InstKind::Call {
            results: SmallVec::from_slice(&[dst]),
            callee: Callee::Direct(id),
            args: SmallVec::new(),
            types: SmallVec::new(),
        });
        Ok(Operand::Reg(dst))
    }

    /// The function of a name that the program may not have declared.
    pub(super) fn library_function(
        &mut self,
        name: &str,
        returns: Vec<Type>,
        types: &[Type],
    ) -> Lower<FuncId> {
        let id = match self.unit.program.names.get(name) {
            Some(&Symbol::Func(id)) => id,
            Some(_) => return Err(format!("`{name}`, which is no function here")),
            None => {
                let id = self.unit.program.declare(name.to_owned());
                self.unit.program.names.insert(name.to_owned(), Symbol::Func(id));
                let function = &mut self.unit.program.module.functions[id];
                function.returns = returns;
                for &ty in types {
                    let reg = function.regs.push(selvedge_ir::RegInfo::unnamed(ty));
                    function.params.push(reg);
                }
                id
            }
        };
        self.refer(Symbol::Func(id));
        Ok(id)
    }
}
