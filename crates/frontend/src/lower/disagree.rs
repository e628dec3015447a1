//! Calls that disagree with the function that they name: two files declare it differently.

use selvedge_base::Id;
use selvedge_ir::{Callee, Function, InstKind, Module, Operand, Reg, Type};

/// The parameters and results of a function.
struct Signature {
    params: Vec<Type>,
    returns: Vec<Type>,
    varargs: bool,
}

impl Signature {
    fn of(function: &Function) -> Option<Signature> {
        function.is_defined().then(|| Signature {
            params: types(function, &function.params),
            returns: function.returns.clone(),
            varargs: function.varargs,
        })
    }

    fn allows(&self, args: &[Type], results: &[Type]) -> bool {
        let count = args.len() == self.params.len() || self.varargs && args.len() > self.params.len();
        count && self.params.iter().zip(args).all(|(p, a)| p == a) && self.returns == results
    }
}

fn types(function: &Function, registers: &[Reg]) -> Vec<Type> {
    registers.iter().map(|&r| function.regs[r].ty).collect()
}

/// Turns each call that does not agree with the function that it names into a call through the
/// function's address. The mismatch is found when the call is executed.
pub(super) fn call_by_address(module: &mut Module) {
    let signatures: Vec<Option<Signature>> = module.functions.iter().map(Signature::of).collect();
    for function in module.functions.iter_mut() {
        let mut blocks = std::mem::take(&mut function.blocks);
        for inst in blocks.iter_mut().flat_map(|block| &mut block.insts) {
            if let InstKind::Call {
                results,
                callee,
                types: args,
                ..
            } = &mut inst.kind
                && let Callee::Direct(id) = *callee
                && let Some(signature) = &signatures[id.index()]
                && !signature.allows(args, &types(function, results))
            {
                *callee = Callee::Indirect(Operand::Func(id));
            }
        }
        function.blocks = blocks;
    }
}
