//! Reference counts of Rust's standard library that decide nothing a program could notice.
//!
//! Each owner of an `Arc` subtracts one from its count at its end. All orders of the owners are
//! explored, since the last one destroys what they have shared.
//!
//! *What belongs to threads.* The library shares data of its own between a thread and those that
//! have created it: the thread's name and state (`Inner`), and a scope's count (`ScopeData`). Their
//! destruction gives memory back, and does nothing else. Here they are never destroyed: nothing is
//! subtracted from these counts. So a program keeps some memory for each thread. Its own code
//! reaches nothing of it but the thread's name, so nothing is changed if it asks for a name. That
//! the last owner comes after what all others have done is promised by no documentation, so nobody
//! may rely on it; without it no race is hidden. A search for lost memory would find these objects,
//! so nothing is changed then. Nor is anything added where the library asks for the present thread:
//! a loop that parks would come to new states for ever. That needs that each place that could
//! destroy is known, but for one in the start of a thread: it subtracts an owner that the creator
//! of the thread has added. Without that owner the object would end too early: a finding that the
//! program does not have, and none that is hidden.
//!
//! *Weak references.* An `Arc` has a second count, of weak references, to which all owners together
//! add one. Where the program has no weak references, only the last owner subtracts from it, after
//! all others are gone. Nobody else accesses it any more, so these accesses need not be atomic.
//! Nothing is changed if the program has any function of weak references but their end, or if that
//! has another form than rustc gives it without optimisation.
//!
//! Both need code that is not optimised, so that no function has become part of another one: the
//! caller says so of sources that were compiled for that.

use super::rust_parking::{called, is_used};
use super::rust_start::plain_name;
use selvedge_ir::{
    BinOp, Block, BlockId, FuncId, Function, Inst, InstKind, Module, Operand, RegInfo, RmwOp, Terminator,
    Type,
};
use std::collections::BTreeSet;

/// The types, as `plain_name` has them.
const OF_THREADS: [&str; 2] = ["std::thread::thread::Inner", "std::thread::scoped::ScopeData"];
/// The functions of a thread's handle that lead into it.
const THREAD: &str = "std::thread::";
const LENDS: [&str; 3] = ["Thread::name", "Thread::into_raw", "Thread::as_raw"];
const ARC: &str = "alloc::sync::Arc";
const DESTROYS: &str = "::drop_slow";
const DROP: &str = "core::ptr::drop_in_place";

const WEAK: &str = "alloc::sync::Weak";
const ENDS: &str = " as core::ops::drop::Drop::drop";
/// The functions of `Arc` that make weak references.
const MAKES_WEAK: [&str; 2] = ["::downgrade", "::new_cyclic"];
/// The function through which unoptimised code has fences.
const FENCE: &str = "core::sync::atomic::fence";

/// The word of an `Arc`'s count.
const COUNT: Type = Type::I64;

/// Where the library makes a further owner of what belongs to the present thread.
const ASKS: [&str; 2] = ["std::thread::current::", "std::thread::functions::park"];

/// What a thread runs first.
const STARTS: &str = "::thread_start";

/// Leaves out what is subtracted from the counts of what belongs to threads, and what is added for
/// the present thread. Returns the number of places.
pub fn keep_for_threads(module: &mut Module) -> usize {
    let functions = module.functions.iter_ids();
    let destroy: BTreeSet<FuncId> = functions
        .filter(|(_, f)| destroys_for_threads(module, f))
        .map(|(id, _)| id)
        .collect();
    if destroy.is_empty() || is_used(module, lends) {
        return 0;
    }
    let (mut count, mut all) = (0, true);
    for function in module.functions.iter_mut() {
        let places: Vec<(BlockId, usize)> = subtractions(function, &destroy);
        // The start of a thread ends once, and its creator has made an owner for it.
        let once = usize::from(plain_name(function).ends_with(STARTS));
        all &= destroying(function, &destroy) <= places.len() + once;
        for &(block, at) in &places {
            leave_out(&mut function.blocks[block].insts[at].kind);
        }
        count += places.len();
    }
    if count > 0 && all {
        for function in module.functions.iter_mut().filter(|f| asks(f)) {
            let insts = function.blocks.iter_mut().flat_map(|block| &mut block.insts);
            let adds = insts.filter(|inst| adds_one(&inst.kind));
            adds.for_each(|inst| leave_out(&mut inst.kind));
        }
    }
    count
}

/// Leaves a count as it is. It says that there are others.
fn leave_out(kind: &mut InstKind) {
    if let InstKind::Rmw { dst, .. } = *kind {
        *kind = InstKind::Copy {
            dst,
            value: Operand::Const(2, COUNT),
        };
    }
}

/// Whether a function asks for the present thread.
fn asks(function: &Function) -> bool {
    function.is_defined() && function.name.contains("thread") && {
        let name = plain_name(function);
        ASKS.iter().any(|begin| name.starts_with(begin))
    }
}

/// How many blocks of a function call one of these functions.
fn destroying(function: &Function, destroy: &BTreeSet<FuncId>) -> usize {
    let calls = |block: &&Block| {
        let mut insts = block.insts.iter().filter_map(called);
        insts.any(|(callee, _)| destroy.contains(&callee))
    };
    function.blocks.iter().filter(calls).count()
}

/// Whether a function gives the program an address within what belongs to threads.
fn lends(function: &Function) -> bool {
    function.name.contains("Thread") && {
        let name = plain_name(function);
        name.starts_with(THREAD) && LENDS.iter().any(|end| name.ends_with(end))
    }
}

/// Whether a function destroys what belongs to threads, as the last owner does.
fn destroys_for_threads(module: &Module, function: &Function) -> bool {
    if !function.name.contains("drop_slow") {
        return false;
    }
    let name = plain_name(function);
    if !name.starts_with(ARC) || !name.ends_with(DESTROYS) {
        return false;
    }
    // The name says it, or that of the function that destroys the contents.
    let says = |rest: &str| {
        OF_THREADS
            .iter()
            .any(|of| rest.strip_prefix(of).is_some_and(ends_type))
    };
    if name
        .strip_prefix(ARC)
        .is_some_and(|rest| says(rest.trim_start_matches("::")))
    {
        return true;
    }
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| {
        called(inst).is_some_and(|(callee, _)| {
            let name = plain_name(&module.functions[callee]);
            let of = name.strip_prefix(DROP).unwrap_or_default();
            OF_THREADS.contains(&of.trim_start_matches("::"))
        })
    })
}

/// Whether a type's name ends before this.
fn ends_type(rest: &str) -> bool {
    rest.starts_with(", ") || rest.starts_with("::drop_slow")
}

/// Where a function subtracts one from the count of what one of these functions would destroy. The
/// block that calls it comes after one that subtracts and compares, and does nothing else then.
fn subtractions(function: &Function, destroy: &BTreeSet<FuncId>) -> Vec<(BlockId, usize)> {
    let destroys = |block: BlockId| {
        let mut insts = function.blocks[block].insts.iter().filter_map(called);
        insts.any(|(callee, _)| destroy.contains(&callee))
    };
    let found = function.blocks.iter_ids().filter_map(|(id, block)| {
        let Terminator::Branch { then, otherwise, .. } = block.term else {
            return None;
        };
        if destroys(then) == destroys(otherwise) {
            return None;
        }
        let at = block.insts.iter().rposition(|inst| subtracts_one(&inst.kind))?;
        let only_compares = |inst: &Inst| {
            matches!(
                inst.kind,
                InstKind::Copy { .. }
                    | InstKind::Cmp { .. }
                    | InstKind::Cast { .. }
                    | InstKind::LocalAddr { .. }
                    | InstKind::Load { order: None, .. }
                    | InstKind::Store { order: None, .. }
            )
        };
        block.insts[at + 1..]
            .iter()
            .all(only_compares)
            .then_some((id, at))
    });
    found.collect()
}

fn adds_one(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Rmw {
            op: RmwOp::Add,
            value: Operand::Const(1, _),
            ty: COUNT,
            ..
        }
    )
}

fn subtracts_one(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Rmw {
            op: RmwOp::Sub,
            value: Operand::Const(1, _),
            ty: COUNT,
            ..
        }
    )
}

/// Makes accesses of the last owner to the count of weak references plain, where there are none.
/// Returns the number of places.
pub fn end_weak_plainly(module: &mut Module) -> usize {
    let makes = |f: &Function| {
        let (weak, makes) = (f.name.contains("Weak"), f.name.contains("Arc"));
        (weak || makes) && {
            let name = plain_name(f);
            let of_weak = weak && name.starts_with(WEAK) && !name.ends_with(ENDS);
            of_weak || makes && name.starts_with(ARC) && MAKES_WEAK.iter().any(|end| name.ends_with(end))
        }
    };
    if module.functions.iter().any(makes) {
        return 0;
    }
    let ends = |f: &Function| {
        f.is_defined() && f.name.contains("Weak") && {
            let name = plain_name(f);
            name.starts_with(WEAK) && name.ends_with(ENDS)
        }
    };
    let functions = module.functions.iter_ids();
    let ends: Vec<FuncId> = functions.filter(|(_, f)| ends(f)).map(|(id, _)| id).collect();
    let mut places = Vec::new();
    for &id in &ends {
        let function = &module.functions[id];
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        let fences = insts().filter_map(called).any(|(callee, _)| {
            let callee = &module.functions[callee];
            callee.name.contains("fence") && plain_name(callee) == FENCE
        });
        let subtracts: Vec<(BlockId, usize)> = (function.blocks.iter_ids())
            .flat_map(|(block, body)| {
                let insts = body.insts.iter().enumerate();
                let found = insts.filter(|(_, inst)| subtracts_one(&inst.kind));
                found.map(move |(at, _)| (block, at))
            })
            .collect();
        match subtracts[..] {
            [(block, at)] if fences => places.push((id, block, at)),
            _ => return 0,
        }
    }
    for &(id, block, at) in &places {
        make_plain(&mut module.functions[id], block, at);
    }
    places.len()
}

/// Makes a subtraction two plain accesses.
fn make_plain(function: &mut Function, block: BlockId, at: usize) {
    let Inst { stmt, ref kind } = function.blocks[block].insts[at];
    let InstKind::Rmw {
        dst, ptr, value, ty, ..
    } = *kind
    else {
        return;
    };
    let less = function.regs.push(RegInfo::unnamed(ty));
    let (align, volatile, order) = (8, false, None);
    let load = InstKind::Load {
        dst,
        ptr,
        ty,
        align,
        volatile,
        order,
    };
    let subtract = InstKind::Bin {
        op: BinOp::Sub,
        dst: less,
        a: Operand::Reg(dst),
        b: value,
        nsw: false,
        nuw: false,
    };
    let store = InstKind::Store {
        ptr,
        value: Operand::Reg(less),
        ty,
        align,
        volatile,
        order,
    };
    let insts = [load, subtract, store].map(|kind| Inst { stmt, kind });
    function.blocks[block].insts.splice(at..=at, insts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, IntPred, ModuleBuilder, Reg};

    const OF_INNER: &str = "_RNvMsn_NtCslNYArtu3iFV_5alloc4syncINtB5_3ArcNtNtNtCsjrHSEGnQ3l9_3std6thread6thread5InnerNtNtBM_5alloc6SystemE9drop_slowBM_";
    const OF_SOMETHING: &str = "_ZN5alloc4sync16Arc$LT$T$C$A$GT$9drop_slow17h52ab91a2d1e1f288E";
    const DROPS_DATA: &str =
        "_ZN4core3ptr51drop_in_place$LT$std..thread..scoped..ScopeData$GT$17hc137acaccbb348b1E";
    const DROPS_OWN: &str =
        "_ZN4core3ptr51drop_in_place$LT$program..thread..scoped..ScopeData$GT$17hc137acaccbb348b1E";
    const ENDS_WEAK: &str = "_ZN72_$LT$alloc..sync..Weak$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h318ea33f41f4d9c9E";
    const UPGRADES: &str = "_ZN5alloc4sync17Weak$LT$T$C$A$GT$7upgrade17h52ab91a2d1e1f288E";
    const DOWNGRADES: &str = "_ZN5alloc4sync16Arc$LT$T$C$A$GT$9downgrade17h52ab91a2d1e1f288E";
    const FENCES: &str = "_ZN4core4sync6atomic5fence17h6fe5ebcd16be7371E";

    /// A function that subtracts one from a count, and calls another one if it was the last.
    fn subtracts(name: &str, by: u128, destroys: FuncId) -> FunctionBuilder {
        let mut function = FunctionBuilder::new(name);
        let count = function.param(Type::Ptr);
        let dst: Reg = function.reg(COUNT);
        function.emit(InstKind::Rmw {
            op: RmwOp::Sub,
            dst,
            ptr: Operand::Reg(count),
            value: Operand::Const(by, COUNT),
            ty: COUNT,
            order: AtomicOrder::Release,
        });
        let last = function.cmp(IntPred::Eq, COUNT, dst, Operand::Const(1, COUNT));
        let (ends, after) = (function.block(), function.block());
        function.branch(last, ends, after);
        function.switch_to(ends);
        function.call(destroys, &[(Operand::Reg(count), Type::Ptr)], &[]);
        function.jump(after);
        function.switch_to(after);
        function.ret(&[]);
        function
    }

    fn has_atomic(module: &Module, name: &str) -> bool {
        let function = &module.functions[module.function(name).expect("it is there")];
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        insts.any(|inst| matches!(inst.kind, InstKind::Rmw { .. }))
    }

    /// Whether a count is kept whose last owner calls a function of this name, which calls another
    /// one.
    fn is_kept(destroys: &str, drops: &str, by: u128) -> bool {
        let mut module = ModuleBuilder::new();
        let drops = module.declare(drops, &[Type::Ptr], &[]);
        let mut slow = FunctionBuilder::new(destroys);
        let of = slow.param(Type::Ptr);
        slow.call(drops, &[(Operand::Reg(of), Type::Ptr)], &[]);
        slow.ret(&[]);
        let slow = module.define(slow);
        module.define(subtracts("owner", by, slow));
        let mut module = module.finish();
        let count = keep_for_threads(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        assert_eq!(count == 1, !has_atomic(&module, "owner"));
        count == 1
    }

    #[test]
    fn what_belongs_to_threads_is_never_destroyed() {
        assert!(is_kept(OF_INNER, "other", 1));
        assert!(is_kept(OF_SOMETHING, DROPS_DATA, 1));
    }

    #[test]
    fn a_name_that_is_lent_keeps_its_owner() {
        let name = "_RNvMs_NtNtCsjrHSEGnQ3l9_3std6thread6threadNtB4_6Thread4name";
        for (user, kept) in [
            ("program", false),
            ("_ZN3std6thread5other17h35d5417276a9c1a5E", true),
        ] {
            let mut module = ModuleBuilder::new();
            let lends = module.declare(name, &[Type::Ptr], &[Type::Ptr]);
            let slow = module.declare(OF_INNER, &[Type::Ptr], &[]);
            module.define(subtracts("owner", 1, slow));
            let mut uses = FunctionBuilder::new(user);
            let of = uses.param(Type::Ptr);
            uses.call(lends, &[(Operand::Reg(of), Type::Ptr)], &[Type::Ptr]);
            uses.ret(&[]);
            module.define(uses);
            assert_eq!(keep_for_threads(&mut module.finish()) == 1, kept, "{user}");
        }
    }

    #[test]
    fn other_counts_are_as_they_are() {
        assert!(!is_kept(OF_SOMETHING, "other", 1));
        assert!(!is_kept(OF_SOMETHING, DROPS_OWN, 1));
        assert!(!is_kept("program", DROPS_DATA, 1));
        assert!(!is_kept(OF_INNER, "other", 2));
    }

    /// How many ends of weak references are plain, with a further function.
    fn plain_ends(further: &str, fence: &str) -> usize {
        let mut module = ModuleBuilder::new();
        let fence = module.declare(fence, &[Type::Ptr], &[]);
        module.declare(further, &[Type::Ptr], &[]);
        module.define(subtracts(ENDS_WEAK, 1, fence));
        let mut module = module.finish();
        let count = end_weak_plainly(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        assert_eq!(count == 0, has_atomic(&module, ENDS_WEAK));
        count
    }

    #[test]
    fn ends_of_weak_references_are_plain_where_there_are_none() {
        assert_eq!(plain_ends("other", FENCES), 1);
        for further in [UPGRADES, DOWNGRADES] {
            assert_eq!(plain_ends(further, FENCES), 0, "{further}");
        }
        // The code was optimised: the fence is part of it.
        assert_eq!(plain_ends("other", "inlined"), 0);
    }
}
