//! Addresses in registers and in symbolic values, as the searches for reachable objects see them.

use crate::memory::Kind;
use crate::program::Program;
use crate::state::State;
use crate::thread::Thread;
use crate::value::Value;
use rustc_hash::FxHashSet;
use selvedge_base::Id;
use selvedge_expr::{Expr, Node};

/// Calls `f` with the registers of a thread that contain variables or will be read.
pub(crate) fn each_register(program: &Program, thread: &Thread, f: &mut impl FnMut(Value)) {
    for index in 0..thread.core.depth as usize {
        let frame = thread.frame(index);
        let mut slot = |slot: usize| f(thread.regs[frame.base as usize + slot]);
        match program.live_slots(thread, index) {
            Some(live) => live.iter().for_each(|&s| slot(usize::from(s))),
            None => (0..program.code[frame.func.index()].slots as usize).for_each(slot),
        }
    }
}

/// True if a number has the form of an address.
const fn is_address(number: u64) -> bool {
    number >> 46 == 1
}

/// The address that a value is, or the address of the object from which it was computed.
pub(crate) fn certain_address(state: &State, value: Value) -> Option<u64> {
    let tags = &state.memory.tags;
    if value.is_concrete() {
        return Some(value.bits).filter(|&bits| is_address(bits));
    }
    match tags.symbol(value.tag) {
        Some(symbol) => Some(symbol.home).filter(|&home| home != 0),
        None => tags.home(value.tag),
    }
}

/// The addresses in expressions.
#[derive(Default)]
pub(crate) struct Expressions {
    seen: FxHashSet<Expr>,
}

impl Expressions {
    /// The addresses that a value may be if it is no certain address.
    pub(crate) fn addresses(&mut self, state: &State, value: Value) -> Vec<u64> {
        let arena = &state.memory.tags.arena;
        let Some(symbol) = state.memory.tags.symbol(value.tag) else {
            return Vec::new();
        };
        let mut addresses = self.constants(state, symbol.expr);
        // For parts of several addresses in one value: all addresses that have the certain bits.
        let (zeros, ones) = arena.known_bits(symbol.expr);
        let (zeros, ones) = (zeros as u64, ones as u64);
        if arena.width(symbol.expr) == 64 && is_address(ones) && is_address(!zeros) {
            let alike = |base: u64| {
                let slot = !(state.memory.slot_size(base) - 1);
                base & zeros & slot == 0 && !base & ones & slot == 0
            };
            let blocks = state.memory.live_objects().filter(|(_, o)| o.kind == Kind::Heap);
            addresses.extend(blocks.map(|(base, _)| base).filter(|&base| alike(base)));
        }
        addresses
    }

    /// The constants in an expression that are addresses, without parts that were examined before.
    pub(crate) fn constants(&mut self, state: &State, expr: Expr) -> Vec<u64> {
        let arena = &state.memory.tags.arena;
        let (mut found, mut left) = (Vec::new(), vec![expr]);
        while let Some(expr) = left.pop() {
            if !self.seen.insert(expr) {
                continue;
            }
            let node = arena.node(expr);
            match (node, arena.as_const(expr)) {
                (_, Some(bits)) => found.extend(u64::try_from(bits).ok().filter(|&bits| is_address(bits))),
                (Node::Select(table, _), _) => left.extend(arena.table(table).iter()),
                _ => {}
            }
            left.extend(node.children());
        }
        found
    }
}
