//! Waiting for an atomic variable in libstdc++ (`std::atomic::wait`, latches, barriers, semaphores
//! of C++20): whoever waits looks once before it sleeps.
//!
//! The library looks sixteen times, and lets others run in between (`bits/atomic_wait.h`). Each
//! look is a scheduling point, so this multiplies schedules. One look is enough, for the reasons
//! given in `polling.rs`: a look that fails has no effect, so an execution in which the k-th look
//! succeeds is one in which it is the only one, and after sixteen that fail the thread goes on as
//! after one.
//!
//! But not for semaphores. There a look is a compare-exchange, which fails also where another
//! thread takes or gives back a unit meanwhile, and the next look then succeeds. So whoever looks
//! sixteen times needs sixteen of these to give up, and whoever looks once only one: it would
//! sleep, or return, where the library does not.

use selvedge_ir::{Function, InstKind, Module, Operand};

/// How the function begins that looks: `std::__detail::__atomic_spin<…>`.
const SPIN: &str = "_ZNSt8__detail13__atomic_spinI";
/// Part of the name of one whose looks may fail although a later one would not.
const TRIES: &str = "__atomic_semaphore";
/// How often it looks.
const LOOKS: u128 = 16;

/// Lets each such function look once. (In optimised code it is a part of others, which stay as they
/// are.) Returns the number of functions.
pub fn look_once(module: &mut Module) -> usize {
    let functions = module.functions.iter_mut();
    let spins = functions.filter(|f| f.is_defined() && f.name.starts_with(SPIN) && !f.name.contains(TRIES));
    spins.map(limit).filter(|&changed| changed).count()
}

/// Changes the number of rounds, if there is one comparison with it.
fn limit(function: &mut Function) -> bool {
    let insts = function.blocks.iter_mut().flat_map(|block| &mut block.insts);
    let mut limits: Vec<&mut u128> = insts.filter_map(|inst| limit_of(&mut inst.kind)).collect();
    match limits.as_mut_slice() {
        [limit] => {
            **limit = 1;
            true
        }
        _ => false,
    }
}

fn limit_of(kind: &mut InstKind) -> Option<&mut u128> {
    match kind {
        InstKind::Cmp {
            b: Operand::Const(limit @ LOOKS, _),
            ..
        } => Some(limit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, IntPred, ModuleBuilder, Type};

    const NAME: &str = "_ZNSt8__detail13__atomic_spinIZNKSt6atomicIiE4waitEvEUlvE_EEbRT_T0_";

    /// How many functions are changed of a module with one that compares with these numbers.
    fn changed(name: &str, numbers: &[u64]) -> usize {
        let mut module = ModuleBuilder::new();
        let mut function = FunctionBuilder::new(name);
        let round = function.param(Type::I32);
        for &number in numbers {
            let limit = Operand::Const(number.into(), Type::I32);
            function.cmp(IntPred::Slt, Type::I32, Operand::Reg(round), limit);
        }
        function.ret(&[]);
        module.define(function);
        look_once(&mut module.finish())
    }

    #[test]
    fn only_the_number_of_looks_is_changed() {
        assert_eq!(changed(NAME, &[16, 12]), 1);
        assert_eq!(changed(NAME, &[12]), 0);
        assert_eq!(changed(NAME, &[16, 16]), 0);
        assert_eq!(changed("spin", &[16, 12]), 0);
        for tries in ["14_M_try_acquireEvEUlvE_", "10_M_acquireEvEUlvE_"] {
            let name = format!("{SPIN}ZNSt18__atomic_semaphore{tries}EEbRT_T0_");
            assert_eq!(changed(&name, &[16, 12]), 0);
        }
    }
}
