//! The message of a panic: Rust's library tells it to the machine, so that a report can say it.
//!
//! A panic that the library cannot catch ends in `abort`, which knows nothing of it. The library
//! reads the panic's payload (`get` of `PanicPayload`) for the hook that prints the message, in one
//! function. There the payload is given to the library's own `payload_as_str`, and the text that it
//! returns to [`selvedge_ir::PANICS`]. The payload has its text by then, so no code of the program
//! is executed that would not be executed otherwise.
//!
//! If another release has these functions in another form, a report says that `abort` was called.

use super::rust_locks::declare;
use super::rust_start::plain_name;
use selvedge_ir::{
    Block, BlockId, Callee, FuncId, Function, Inst, InstKind, Module, Operand, PANICS, Reg, RegInfo,
    Terminator, Type,
};
use smallvec::smallvec;

/// The function that calls the hook; older releases have another name for it.
const WITH_HOOK: [&str; 2] = [
    "std::panicking::panic_with_hook",
    "std::panicking::rust_panic_with_hook",
];
/// The function that returns the text of a payload.
const AS_TEXT: &str = "std::panicking::payload_as_str";

/// Makes panics tell their messages. Returns the number of places.
pub fn tell(module: &mut Module) -> usize {
    let named = |part: &str, whole: &[&str]| {
        let functions = module.functions.iter_ids();
        let mut found = functions
            .filter(|(_, f)| f.is_defined() && f.name.contains(part))
            .filter(|(_, f)| whole.contains(&plain_name(f).as_str()));
        found.next().map(|(id, _)| id)
    };
    let (Some(caller), Some(as_text)) = (
        named("panic_with_hook", &WITH_HOOK),
        named("payload_as_str", &[AS_TEXT]),
    ) else {
        return 0;
    };
    let text = &module.functions[as_text];
    if !has_types(text, (&[Type::Ptr, Type::Ptr], &[Type::Ptr, Type::I64])) {
        return 0;
    }
    let reads = reads(&module.functions[caller]);
    if reads.is_empty() {
        return 0;
    }
    let panics = declare(module, PANICS, &[Type::Ptr, Type::I64]);
    for read in &reads {
        insert(&mut module.functions[caller], read, (as_text, panics));
    }
    reads.len()
}

fn has_types(function: &Function, (params, returns): (&[Type], &[Type])) -> bool {
    let types = function.params.iter().map(|&param| function.regs[param].ty);
    types.eq(params.iter().copied()) && function.returns[..] == *returns
}

/// Where a function reads a payload: a call through a table whose results are a reference to a
/// trait object.
struct Read {
    block: BlockId,
    at: usize,
    payload: [Reg; 2],
}

fn reads(function: &Function) -> Vec<Read> {
    let mut found = Vec::new();
    for (block, contents) in function.blocks.iter_ids() {
        for (at, inst) in contents.insts.iter().enumerate() {
            let InstKind::Call {
                results,
                callee: Callee::Indirect(_),
                ..
            } = &inst.kind
            else {
                continue;
            };
            if let &[data, table] = &results[..]
                && [data, table]
                    .iter()
                    .all(|&reg| function.regs[reg].ty == Type::Ptr)
            {
                found.push(Read {
                    block,
                    at,
                    payload: [data, table],
                });
            }
        }
    }
    // From the back, so that places in the same block stay where they are.
    found.reverse();
    found
}

/// Inserts the two calls behind a read.
fn insert(function: &mut Function, read: &Read, (as_text, panics): (FuncId, FuncId)) {
    let mut reg = |ty| function.regs.push(RegInfo::unnamed(ty));
    let (text, length, answer) = (reg(Type::Ptr), reg(Type::I64), reg(Type::I32));
    let stmt = function.blocks[read.block].insts[read.at].stmt;
    let calls = [
        InstKind::Call {
            results: smallvec![text, length],
            callee: Callee::Direct(as_text),
            args: read.payload.iter().map(|&reg| Operand::Reg(reg)).collect(),
            types: smallvec![Type::Ptr, Type::Ptr],
        },
        InstKind::Call {
            results: smallvec![answer],
            callee: Callee::Direct(panics),
            args: smallvec![Operand::Reg(text), Operand::Reg(length)],
            types: smallvec![Type::Ptr, Type::I64],
        },
    ];
    let calls = calls.map(|kind| Inst { stmt, kind });
    let block = &function.blocks[read.block];
    let is_last = read.at + 1 == block.insts.len();
    if let Terminator::Invoke { normal, .. } = block.term
        && is_last
    {
        let between = function.blocks.push(Block {
            insts: calls.into(),
            term: Terminator::Jump(normal),
            term_stmt: stmt,
        });
        if let Terminator::Invoke { normal, .. } = &mut function.blocks[read.block].term {
            *normal = between;
        }
    } else {
        let behind = read.at + 1;
        function.blocks[read.block].insts.splice(behind..behind, calls);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, ModuleBuilder, verify};

    const HOOK: &str = "_RNvNtCsjrHSEGnQ3l9_3std9panicking15panic_with_hook";
    const OTHER: &str = "_RNvNtCsjrHSEGnQ3l9_7program9panicking15panic_with_hook";
    const TEXT: &str = "_RNvNtCsjrHSEGnQ3l9_3std9panicking14payload_as_str";

    /// A module with a function that reads a payload with a call that may unwind, or with one that
    /// may not, and one that returns `returned` of a payload.
    fn module(name: &str, returned: &[Type], unwinds: bool) -> Module {
        let mut module = ModuleBuilder::new();
        let mut text = FunctionBuilder::new(TEXT);
        let [data, _] = [Type::Ptr; 2].map(|ty| text.param(ty));
        text.returns(returned);
        let values: Vec<Operand> = match returned {
            [_, second] => vec![data.into(), Operand::Const(3, *second)],
            _ => vec![data.into()],
        };
        text.ret(&values);
        module.define(text);
        let mut function = FunctionBuilder::new(name);
        let [data, get] = [Type::Ptr; 2].map(|ty| function.param(ty));
        let [next, pad] = [(); 2].map(|()| function.block());
        // Others that are called through tables give other results.
        function.call_indirect(get.into(), &[(data.into(), Type::Ptr)], &[Type::Ptr, Type::I64]);
        function.call_indirect(get.into(), &[(data.into(), Type::Ptr)], &[Type::Ptr, Type::Ptr]);
        if unwinds {
            function.terminate(Terminator::Invoke {
                normal: next,
                unwind: pad,
                pad: selvedge_ir::Pad {
                    cleanup: true,
                    clauses: Vec::new(),
                },
            });
        } else {
            function.jump(next);
        }
        function.switch_to(pad);
        function.terminate(Terminator::Unreachable);
        function.switch_to(next);
        function.ret(&[]);
        module.define(function);
        module.finish()
    }

    /// The functions called directly in each block of the function that reads a payload.
    fn calls(module: &Module) -> Vec<Vec<&str>> {
        let called = |inst: &Inst| match inst.kind {
            InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } => Some(module.functions[callee].name.as_str()),
            _ => None,
        };
        let function = module.functions.iter().find(|f| f.name == HOOK);
        let blocks = function.into_iter().flat_map(|f| f.blocks.iter());
        blocks
            .map(|block| block.insts.iter().filter_map(called).collect())
            .collect()
    }

    #[test]
    fn the_payload_is_told_behind_the_read() {
        let mut plain = module(HOOK, &[Type::Ptr, Type::I64], false);
        assert_eq!(tell(&mut plain), 1);
        assert_eq!(calls(&plain), [vec![TEXT, PANICS], vec![], vec![]]);
        verify(&plain).unwrap();
        let mut unwinds = module(HOOK, &[Type::Ptr, Type::I64], true);
        assert_eq!(tell(&mut unwinds), 1);
        assert_eq!(calls(&unwinds), [vec![], vec![], vec![], vec![TEXT, PANICS]]);
        verify(&unwinds).unwrap();
    }

    #[test]
    fn functions_of_another_form_are_left_as_they_are() {
        for (name, returned) in [
            (OTHER, &[Type::Ptr, Type::I64][..]),
            (HOOK, &[Type::Ptr, Type::I32]),
            (HOOK, &[Type::Ptr]),
        ] {
            let mut module = module(name, returned, false);
            let before = module.clone();
            assert_eq!(tell(&mut module), 0);
            assert_eq!(module, before);
        }
    }
}
