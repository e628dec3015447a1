//! Scopes of Rust's standard library (`std::thread::scope`): how the end of a scope waits for its
//! threads is left out.
//!
//! A scope counts its threads. Each of them subtracts one at its end; the last one unparks the
//! thread that has made the scope. That thread reads the count, and parks as long as it is not 0.
//! What comes of it is one thing: at some moment the count was 0, and the thread goes on. Nobody
//! adds to the count then: only the threads of the scope, and the one that has made it, create
//! further ones. So the thread *claims* the count ([`selvedge_ir::CLAIM`]) before it reads it: a
//! step that is possible once the count is 0. Nobody is parked then, so nobody is unparked.
//!
//! *Parking.* The last thread's `unpark` may come when the other one does not wait any more. Then
//! its next `park` returns at once. So programs that park themselves have the library as it is. The
//! library's own code that parks looks again whenever it goes on.
//!
//! *When.* All scopes, or none: a thread that parks has to be unparked. So nothing is changed if a
//! scope has another form than rustc gives it without optimisation, or has become part of another
//! function, which then parks.

use super::cfg::successors;
use super::rust_locks::{Claim, FREE, declare};
use super::rust_parking::{called, parks, parks_itself};
use super::rust_start::plain_name;
use selvedge_ir::{BlockId, CLAIM, FuncId, Function, InstKind, Module, Operand, RmwOp, Terminator, Type};
use smallvec::SmallVec;

/// The function that a scope is.
const SCOPE: &str = "std::thread::scoped::scope";
/// What else parks threads in the library begins so.
const OTHERS: [&str; 3] = [
    "std::sync::mp",
    "std::thread::park",
    "std::thread::functions::park",
];
/// The function that subtracts one from the count, and unparks.
const DECREMENT: &str = "std::thread::scoped::ScopeData::decrement_num_running_threads";
/// The function through which unoptimised code reads an atomic variable.
const LOAD: &str = "core::sync::atomic::atomic_load";

/// Where a scope reads the count of its threads.
struct Wait {
    function: FuncId,
    block: BlockId,
    at: usize,
    count: Operand,
}

/// Makes scopes claim the count of their threads. Returns their number.
pub fn claim(module: &mut Module) -> usize {
    let named = |part: &str, whole: &str| {
        let functions = module.functions.iter_ids();
        let mut found = functions
            .filter(|(_, f)| f.is_defined() && f.name.contains(part) && plain_name(f) == whole)
            .map(|(id, _)| id);
        (found.next(), found.next())
    };
    let (Some(decrement), None) = named("decrement_num_running_threads", DECREMENT) else {
        return 0;
    };
    let Some(unparks) = unparks(&module.functions[decrement]) else {
        return 0;
    };
    let Some(waits) = waits(module) else { return 0 };
    if waits.is_empty() || parks_itself(module) {
        return 0;
    }
    let function = &mut module.functions[decrement];
    function.blocks[unparks.0].term = Terminator::Jump(unparks.1);
    let claim = Claim {
        callee: declare(module, CLAIM, &[Type::Ptr, Type::I32, Type::I32]),
        // The lower half of the count.
        numbers: SmallVec::from_slice(&[FREE, FREE]),
    };
    for wait in &waits {
        let function = &mut module.functions[wait.function];
        let stmt = function.blocks[wait.block].insts[wait.at].stmt;
        let call = claim.call(function, wait.count, stmt);
        function.blocks[wait.block].insts.insert(wait.at, call);
    }
    waits.len()
}

/// The block of [`DECREMENT`] that decides whether its thread is the last one, and where it goes on
/// if not.
fn unparks(function: &Function) -> Option<(BlockId, BlockId)> {
    let mut found = function.blocks.iter_ids().filter_map(|(id, block)| {
        let subtracts = block
            .insts
            .iter()
            .any(|inst| matches!(inst.kind, InstKind::Rmw { op: RmwOp::Sub, .. }));
        let Terminator::Branch { then, otherwise, .. } = block.term else {
            return None;
        };
        let returns = |id: &BlockId| {
            let target = &function.blocks[*id];
            target.insts.is_empty() && matches!(target.term, Terminator::Return(_))
        };
        let next = [then, otherwise].into_iter().find(returns)?;
        subtracts.then_some((id, next))
    });
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Where all scopes read the counts of their threads. `None` if one has another form.
fn waits(module: &Module) -> Option<Vec<Wait>> {
    let mut found = Vec::new();
    for (id, function) in module.functions.iter_ids() {
        let calls = function.blocks.iter().flat_map(|block| &block.insts);
        let mut parking = calls
            .filter_map(called)
            .filter(|&(callee, _)| parks(&module.functions[callee]));
        if parking.next().is_none() {
            continue;
        }
        let name = plain_name(function);
        if name == SCOPE {
            found.push(wait(module, id, function)?);
        } else if !OTHERS.iter().any(|other| name.starts_with(other)) {
            // A scope may have become part of it.
            return None;
        }
    }
    Some(found)
}

/// Where a scope reads the count of its threads: in the block to which it returns after it was
/// parked.
fn wait(module: &Module, id: FuncId, function: &Function) -> Option<Wait> {
    let parks_in = |block: BlockId| {
        let insts = function.blocks[block].insts.iter().filter_map(called);
        insts
            .filter(|&(callee, _)| parks(&module.functions[callee]))
            .count()
    };
    let mut parking = function.blocks.ids().filter(|&block| parks_in(block) > 0);
    let (block, None) = (parking.next()?, parking.next()) else {
        return None;
    };
    let next = |block: BlockId| match function.blocks[block].term {
        Terminator::Jump(next) | Terminator::Invoke { normal: next, .. } => Some(next),
        _ => None,
    };
    let mut back = block;
    let looks = loop {
        let next = next(back)?;
        if !function.blocks[next].insts.is_empty() {
            break next;
        }
        if next == block {
            return None;
        }
        back = next;
    };
    let insts = function.blocks[looks].insts.iter().enumerate();
    let mut loads = insts.filter_map(|(at, inst)| match (&inst.kind, called(inst)) {
        (
            &InstKind::Load {
                ptr, order: Some(_), ..
            },
            _,
        ) => Some((at, ptr)),
        (_, Some((callee, Some(ptr)))) if plain_name(&module.functions[callee]) == LOAD => Some((at, ptr)),
        _ => None,
    });
    let ((at, count), None) = (loads.next()?, loads.next()) else {
        return None;
    };
    // The loop ends, or the thread parks.
    let mut decides = looks;
    for _ in 0..function.blocks.len() {
        decides = next(decides).unwrap_or(decides);
    }
    let mut leads = false;
    successors(&function.blocks[decides].term, |next| leads |= next == block);
    leads.then_some(Wait {
        function: id,
        block: looks,
        at,
        count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, IntPred, ModuleBuilder, Reg};

    const WAITS: &str = "_ZN3std6thread6scoped5scope17h35d5417276a9c1a5E";
    const PARK: &str = "_RNvMs_NtNtCsjrHSEGnQ3l9_3std6thread6threadNtB4_6Thread4park";
    const ENDS: &str =
        "_RNvMNtNtCsjrHSEGnQ3l9_3std6thread6scopedNtB2_9ScopeData29decrement_num_running_threads";
    const READS: &str = "_ZN4core4sync6atomic11atomic_load17h9c11a92a77d1aad4E";

    /// What a module has otherwise than the library's.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum But {
        Nothing,
        /// The program parks a thread.
        Parks,
        /// A scope is part of another function of scopes.
        IsElsewhere,
        /// A scope reads two variables before it parks.
        ReadsTwice,
        /// A scope does not look again after it was parked.
        GoesOn,
        /// What ends a thread has another form.
        EndsOtherwise,
    }

    fn scope(name: &str, but: But, (read, park): (FuncId, FuncId)) -> FunctionBuilder {
        let mut scope = FunctionBuilder::new(name);
        let count = scope.param(Type::Ptr);
        let (looks, parked, after) = (scope.block(), scope.block(), scope.block());
        scope.jump(looks);
        scope.switch_to(looks);
        let mut left = Vec::new();
        for _ in 0..if but == But::ReadsTwice { 2 } else { 1 } {
            left = scope.call(read, &[(Operand::Reg(count), Type::Ptr)], &[Type::I64]);
        }
        let none = scope.cmp(IntPred::Eq, Type::I64, left[0], Operand::Const(0, Type::I64));
        scope.branch(none, after, parked);
        scope.switch_to(parked);
        scope.call(park, &[(Operand::Reg(count), Type::Ptr)], &[]);
        scope.jump(if but == But::GoesOn { after } else { looks });
        scope.switch_to(after);
        scope.ret(&[]);
        scope
    }

    fn module(but: But) -> Module {
        let mut module = ModuleBuilder::new();
        let read = module.declare(READS, &[Type::Ptr], &[Type::I64]);
        let park = module.declare(PARK, &[Type::Ptr], &[]);
        let wake = module.declare("wake", &[], &[]);
        module.define(scope(WAITS, but, (read, park)));
        if but == But::IsElsewhere {
            let name = "_ZN3std6thread6scoped5other17h35d5417276a9c1a5E";
            module.define(scope(name, But::Nothing, (read, park)));
        }
        if but == But::Parks {
            module.define(scope("program", But::Nothing, (read, park)));
        }
        let mut ends = FunctionBuilder::new(ENDS);
        let count = ends.param(Type::Ptr);
        let dst: Reg = ends.reg(Type::I64);
        ends.emit(InstKind::Rmw {
            op: if but == But::EndsOtherwise {
                RmwOp::Add
            } else {
                RmwOp::Sub
            },
            dst,
            ptr: Operand::Reg(count),
            value: Operand::Const(1, Type::I64),
            ty: Type::I64,
            order: AtomicOrder::Release,
        });
        let last = ends.cmp(IntPred::Eq, Type::I64, dst, Operand::Const(1, Type::I64));
        let (unparks, after) = (ends.block(), ends.block());
        ends.branch(last, unparks, after);
        ends.switch_to(unparks);
        ends.call(wake, &[], &[]);
        ends.jump(after);
        ends.switch_to(after);
        ends.ret(&[]);
        module.define(ends);
        module.finish()
    }

    /// How many scopes claim, and whether the last thread still wakes.
    fn result(but: But) -> (usize, bool) {
        let mut module = module(but);
        let count = claim(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let function = &module.functions[module.function(ENDS).expect("it is there")];
        let decides = |term: &Terminator| matches!(term, Terminator::Branch { .. });
        let wakes = function.blocks.iter().any(|block| decides(&block.term));
        let of_scope = &module.functions[module.function(WAITS).expect("it is there")];
        let calls = of_scope.blocks.iter().flat_map(|block| &block.insts);
        let names = calls.filter_map(called);
        let claims = names.filter(|&(callee, _)| module.functions[callee].name == CLAIM);
        assert_eq!(claims.count(), count);
        (count, wakes)
    }

    #[test]
    fn a_scope_claims_the_count_of_its_threads() {
        assert_eq!(result(But::Nothing), (1, false));
    }

    #[test]
    fn all_scopes_are_changed_or_none() {
        for but in [
            But::Parks,
            But::IsElsewhere,
            But::ReadsTwice,
            But::GoesOn,
            But::EndsOtherwise,
        ] {
            assert_eq!(result(but), (0, true), "{but:?}");
        }
    }
}
