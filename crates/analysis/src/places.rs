//! Places that a set of schedules orders.
//!
//! An atomic access, or a call of a library function, may depend on what other threads do, and is
//! no operation of a schedule by itself. [`order`] makes it one: a call of [`PLACE`] before it, and
//! one of [`BEHIND`] after it, both scheduling points without effect. Native programs get the same
//! calls around the same instructions (`crates/instrument/src/ordered.rs`).
//!
//! If an exception leaves a call, nothing is called behind it, here and in native programs: there
//! the place lasts until the next operation of the thread.

use crate::cfg::successors;
use rustc_hash::FxHashMap;
use selvedge_base::StmtId;
use selvedge_ir::{
    BEHIND, BlockId, Callee, FuncId, Inst, InstKind, Module, ModuleBuilder, Operand, PLACE, Terminator, Type,
};
use smallvec::{SmallVec, smallvec};

/// What an instruction of the program does that can be ordered: an atomic access, in the words of
/// native programs, or `call` and the name of a library function.
pub fn access(module: &Module, kind: &InstKind) -> Option<String> {
    Some(match kind {
        InstKind::Load { order: Some(_), .. } => "atomic read".to_owned(),
        InstKind::Store { order: Some(_), .. } => "atomic write".to_owned(),
        InstKind::Rmw { .. } | InstKind::CompareExchange { .. } => "rmw".to_owned(),
        InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } => {
            let function = &module.functions[*callee];
            if function.is_defined() && !function.library {
                return None;
            }
            // What the system call became (`crates/frontend/lib/futex.c`).
            let name = match function.name.as_str() {
                "__selvedge_futex" => "syscall",
                name => name,
            };
            format!("call {name}")
        }
        _ => return None,
    })
}

/// Whether a library function prints.
pub fn prints(name: &str) -> bool {
    // Of C++: what writes to an `ostream`, and `std::endl` and the like where they are called.
    const STREAMS: [&str; 7] = [
        "_ZNSo",
        "_ZNSt13basic_ostream",
        "_ZStls",
        "_ZSt16__ostream_insert",
        "_ZSt4endl",
        "_ZSt5flush",
        "_ZSt4ends",
    ];
    let standard = [
        "printf",
        "vprintf",
        "fprintf",
        "vfprintf",
        "dprintf",
        "vdprintf",
        "puts",
        "fputs",
        "putchar",
        "putc",
        "fputc",
        "fwrite",
        "putchar_unlocked",
        "putc_unlocked",
        "fputc_unlocked",
        "fputs_unlocked",
        "fwrite_unlocked",
        "fflush",
        "perror",
        "psignal",
        "write",
        "writev",
        "pwrite",
        "wprintf",
        "fwprintf",
        "putwchar",
        "fputws",
        "fputwc",
        "putwc",
    ];
    standard.contains(&name) || STREAMS.iter().any(|begin| name.starts_with(begin))
}

/// An instruction of the program's own code that can be ordered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// What [`access`] says.
    pub access: String,
    /// Its statement.
    pub stmt: StmtId,
    function: FuncId,
    block: BlockId,
    position: usize,
}

impl Site {
    /// Where it is: function, block, and number in the block.
    pub fn at(&self) -> (FuncId, BlockId, usize) {
        (self.function, self.block, self.position)
    }
}

/// All of them. Not those that are invoked and go on where something else goes on, too: nothing can
/// be called behind these only.
pub fn sites(module: &Module) -> Vec<Site> {
    let mut sites = Vec::new();
    for (id, function) in module.functions.iter_ids().filter(|(_, f)| !f.library) {
        let mut comes_from: FxHashMap<BlockId, u32> = FxHashMap::default();
        for block in function.blocks.iter() {
            successors(&block.term, |to| *comes_from.entry(to).or_default() += 1);
        }
        for (at, block) in function.blocks.iter_ids() {
            for (position, inst) in block.insts.iter().enumerate() {
                let shared = match block.term {
                    Terminator::Invoke { normal, .. } => comes_from.get(&normal).is_none_or(|&all| all > 1),
                    _ => false,
                };
                let last = position + 1 == block.insts.len();
                let Some(access) = access(module, &inst.kind).filter(|_| !(last && shared)) else {
                    continue;
                };
                sites.push(Site {
                    access,
                    stmt: inst.stmt,
                    function: id,
                    block: at,
                    position,
                });
            }
        }
    }
    sites
}

/// Orders the sites that have a number.
pub fn order(module: &mut Module, sites: &[Site], number: &dyn Fn(&Site) -> Option<u32>) {
    let place = declare(module, PLACE, &[Type::I32]);
    let behind = declare(module, BEHIND, &[]);
    // From the last to the first one, so that what was found stays where it is. What is put at the
    // begin of a block comes after all of them.
    let mut begins = Vec::new();
    for site in sites.iter().rev() {
        let Some(number) = number(site) else { continue };
        let block = &mut module.functions[site.function].blocks[site.block];
        match block.term {
            Terminator::Invoke { normal, .. } if site.position + 1 == block.insts.len() => {
                begins.push((site.function, normal, site.stmt));
            }
            _ => {
                let after = call(behind, site.stmt, SmallVec::new());
                block.insts.insert(site.position + 1, after);
            }
        }
        let number = smallvec![Operand::Const(number.into(), Type::I32)];
        block.insts.insert(site.position, call(place, site.stmt, number));
    }
    for (function, block, stmt) in begins {
        let insts = &mut module.functions[function].blocks[block].insts;
        insts.insert(0, call(behind, stmt, SmallVec::new()));
    }
}

fn declare(module: &mut Module, name: &str, params: &[Type]) -> FuncId {
    let mut builder = ModuleBuilder::new();
    let id = builder.declare(name, params, &[]);
    let function = builder.finish().functions[id].clone();
    module.functions.push(function)
}

fn call(callee: FuncId, stmt: StmtId, args: SmallVec<[Operand; 4]>) -> Inst {
    let types = args.iter().map(|_| Type::I32).collect();
    let kind = InstKind::Call {
        results: SmallVec::new(),
        callee: Callee::Direct(callee),
        args,
        types,
    };
    Inst { stmt, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, Block, FunctionBuilder};

    /// What a block does, in a word for each instruction.
    fn words(module: &Module, block: BlockId) -> Vec<String> {
        let (_, function) = module.functions.iter_ids().find(|(_, f)| f.name == "f").unwrap();
        let word = |inst: &Inst| match &inst.kind {
            InstKind::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } => format!("{}{}", module.functions[*callee].name, args.len()),
            InstKind::Load { order, .. } => format!("load {}", order.is_some()),
            _ => "other".to_owned(),
        };
        function.blocks[block].insts.iter().map(word).collect()
    }

    #[test]
    fn what_is_ordered_stands_between_two_calls() {
        let mut module = ModuleBuilder::new();
        let puts = module.declare("puts", &[Type::Ptr], &[Type::I32]);
        let mut function = FunctionBuilder::new("f");
        let ptr = Operand::Reg(function.param(Type::Ptr));
        function.atomic_load(Type::I32, ptr, AtomicOrder::SeqCst);
        function.load(Type::I32, ptr);
        function.call(puts, &[(ptr, Type::Ptr)], &[Type::I32]);
        function.ret(&[]);
        module.define(function);
        let mut module = module.finish();
        let found = sites(&module);
        let known: Vec<&str> = found.iter().map(|site| site.access.as_str()).collect();
        assert_eq!(known, ["atomic read", "call puts"]);
        order(&mut module, &found, &|site| {
            (site.access == "call puts").then_some(7)
        });
        selvedge_ir::verify(&module).unwrap();
        let around = [
            "load true",
            "load false",
            "__selvedge_place1",
            "puts1",
            "__selvedge_behind0",
        ];
        assert_eq!(words(&module, BlockId(0)), around);
    }

    #[test]
    fn a_call_that_is_invoked_ends_where_it_goes_on() {
        for others in [false, true] {
            let mut module = ModuleBuilder::new();
            let puts = module.declare("puts", &[Type::Ptr], &[Type::I32]);
            let mut function = FunctionBuilder::new("f");
            let ptr = Operand::Reg(function.param(Type::Ptr));
            function.call(puts, &[(ptr, Type::Ptr)], &[Type::I32]);
            function.ret(&[]);
            module.define(function);
            let mut module = module.finish();
            let id = module.function("f").unwrap();
            let blocks = &mut module.functions[id].blocks;
            let last = blocks[BlockId(0)].clone();
            let (normal, unwind) = (BlockId(1), BlockId(2));
            let ends = |term| Block {
                insts: Vec::new(),
                term,
                ..last.clone()
            };
            blocks.push(ends(last.term.clone()));
            blocks.push(ends(match others {
                true => Terminator::Jump(normal),
                false => last.term.clone(),
            }));
            blocks[BlockId(0)].term = Terminator::Invoke {
                normal,
                unwind,
                pad: selvedge_ir::Pad::default(),
            };
            let found = sites(&module);
            assert_eq!(found.len(), usize::from(!others));
            order(&mut module, &found, &|_| Some(0));
            if !others {
                assert_eq!(words(&module, BlockId(0)), ["__selvedge_place1", "puts1"]);
                assert_eq!(words(&module, normal), ["__selvedge_behind0"]);
                assert_eq!(words(&module, unwind), [""; 0]);
            }
        }
    }
}
