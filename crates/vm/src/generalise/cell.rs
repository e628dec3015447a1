//! Cells: the parts of a state that hold one number each, and what they contain.

use crate::memory::{Content, Memory};
use crate::vm::Vm;
use selvedge_base::Id;
use selvedge_expr::{Assignment, BinOp, Expr, Node, eval};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A part of the state that holds a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Cell {
    /// So many bytes at an address, at most 8.
    Bytes(u64, u8),
    /// A register, by the region of its thread, the number of the frame and the slot. It has a
    /// number of so many bits.
    Register((u32, u32, u16), u8),
}

impl Cell {
    /// Whether another cell is the same, or a part of it.
    pub(super) fn contains(self, other: Cell) -> bool {
        match (self, other) {
            (Cell::Bytes(at, size), Cell::Bytes(other, length)) => {
                at <= other && other + u64::from(length) <= at + u64::from(size)
            }
            (Cell::Register(register, _), Cell::Register(other, _)) => register == other,
            _ => false,
        }
    }

    /// Bytes of one aligned word of four bytes, and each register, have one value.
    pub(super) const fn word(self) -> (u64, Option<(u32, u32, u16)>) {
        match self {
            Cell::Bytes(address, _) => (address & !3, None),
            Cell::Register(register, _) => (0, Some(register)),
        }
    }

    /// Its width in bits.
    pub(super) const fn width(self) -> u8 {
        match self {
            Cell::Bytes(_, size) => 8 * size,
            Cell::Register(_, bits) => bits,
        }
    }
}

/// All numbers of a state, and the condition of its path.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    /// The bytes that differ from those of a new object.
    bytes: BTreeMap<u64, Content>,
    /// The registers that are live.
    registers: BTreeMap<(u32, u32, u16), Content>,
    pub(super) constraints: Vec<Expr>,
    /// Inputs that lead to the state.
    model: Rc<Assignment>,
}

/// A number that has the form of an address, as in [`Memory::each_word`].
const fn is_address(number: u128) -> bool {
    number >> 46 == 1
}

/// A number that may be a float: 0, or one of no uncommon magnitude.
fn is_float(bits: u64) -> bool {
    let magnitude = f64::from_bits(bits).abs();
    bits == 0 || (1e-20..1e20).contains(&magnitude)
}

impl Contents {
    /// What the present state contains.
    pub(super) fn of(vm: &Vm) -> Contents {
        let mut bytes = BTreeMap::new();
        vm.state.memory.each_content(&mut |address, content| {
            bytes.insert(address, content);
        });
        let mut registers = BTreeMap::new();
        for thread in vm.state.threads() {
            for index in 0..thread.core.depth as usize {
                let frame = thread.frame(index);
                let all: Vec<u16>;
                let live = match vm.program.live_slots(thread, index) {
                    Some(live) => live,
                    None => {
                        all = (0..vm.program.code[frame.func.index()].slots as u16).collect();
                        &all
                    }
                };
                for &slot in live {
                    let value = thread.regs[frame.base as usize + usize::from(slot)];
                    let content = vm.state.memory.content_of(value);
                    registers.insert((thread.region, index as u32, slot), content);
                }
            }
        }
        Contents {
            bytes,
            registers,
            constraints: vm.state.path().constraints().to_vec(),
            model: vm.state.path().model().clone(),
        }
    }

    /// The contents without what is generalised.
    pub(super) fn without(&self, cells: &BTreeSet<Cell>) -> Contents {
        let mut rest = self.clone();
        for cell in cells {
            match *cell {
                Cell::Bytes(address, size) => {
                    for at in 0..u64::from(size) {
                        rest.bytes.remove(&(address + at));
                    }
                }
                Cell::Register(register, _) => _ = rest.registers.remove(&register),
            }
        }
        rest.constraints.clear();
        rest.model = Rc::default();
        rest
    }

    /// The bytes and registers that are expressions.
    pub(super) fn symbolic(&self, memory: &Memory) -> Vec<(Cell, Expr)> {
        let symbolic = |content: &Content| match *content {
            Content::Number(expr) => memory.tags.arena.as_const(expr).is_none().then_some(expr),
            Content::Other(_) => None,
        };
        let bytes = self.bytes.iter();
        let bytes = bytes.filter_map(|(&at, content)| Some((Cell::Bytes(at, 1), symbolic(content)?)));
        let registers = self.registers.iter();
        let registers =
            registers.filter_map(|(&at, content)| Some((Cell::Register(at, 64), symbolic(content)?)));
        bytes.chain(registers).collect()
    }

    /// Whether two states have the same numbers and conditions.
    pub(super) fn is_like(&self, other: &Contents) -> bool {
        self.bytes == other.bytes
            && self.registers == other.registers
            && self.constraints == other.constraints
    }

    fn byte(&self, memory: &Memory, address: u64) -> Content {
        let known = self.bytes.get(&address).copied();
        known.unwrap_or_else(|| memory.fresh_content(address))
    }

    /// The number in a cell; `None` if it is none, or too large for the cell.
    pub(super) fn number(&self, memory: &Memory, cell: Cell) -> Option<Expr> {
        let arena = &memory.tags.arena;
        match cell {
            Cell::Bytes(address, size) => {
                let mut whole: Option<Expr> = None;
                for at in 0..u64::from(size) {
                    let Content::Number(byte) = self.byte(memory, address + at) else {
                        return None;
                    };
                    whole = Some(match whole {
                        None => byte,
                        Some(low) => arena.concat(byte, low),
                    });
                }
                whole
            }
            Cell::Register(register, bits) => match *self.registers.get(&register)? {
                Content::Number(number) if bits == 64 || arena.range(number).1 >> bits == 0 => {
                    Some(memory.tags.fit(number, bits))
                }
                _ => None,
            },
        }
    }
}

/// The cells in which states of one shape differ or that have an expression in some of them, with a
/// number in all of them.
pub(super) fn differing(memory: &Memory, states: &[Contents]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let arena = &memory.tags.arena;
    let is_open = |content: &Content| matches!(*content, Content::Number(e) if arena.as_const(e).is_none());
    let differs = |address: u64| {
        let mut all = states.iter().map(|state| state.byte(memory, address));
        let first = all.next();
        first.is_some_and(|first| is_open(&first) || all.any(|other| other != first))
    };
    // A byte of text, which is an input of its own.
    let is_text = |address: u64| {
        let mut all = states.iter().map(|state| state.byte(memory, address));
        all.any(|content| match content {
            Content::Number(e) => matches!(arena.node(e), Node::Input(_)),
            Content::Other(_) => false,
        })
    };
    let addresses: BTreeSet<u64> = states
        .iter()
        .flat_map(|state| state.bytes.keys().copied())
        .collect();
    let mut words: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for address in addresses.into_iter().filter(|&address| differs(address)) {
        words.entry(address & !7).or_default().push(address);
    }
    for (word, bytes) in words {
        let has = |cell: Cell, state: &Contents| state.number(memory, cell);
        let within = |address: u64, size: u64| {
            let object = memory.live_at(bytes[0]);
            object.is_some_and(|(base, object)| base <= address && address + size <= base + object.size)
        };
        let all = |cell: Cell| states.iter().all(|state| has(cell, state).is_some());
        let pointer = |state: &Contents| {
            let number = has(Cell::Bytes(word, 8), state).and_then(|e| memory.tags.arena.as_const(e));
            number.is_some_and(is_address)
        };
        if within(word, 8) && states.iter().any(pointer) {
            continue;
        }
        let halves: BTreeSet<u64> = bytes.iter().map(|&byte| byte & !3).collect();
        let float = |state: &Contents| {
            example(memory, state, Cell::Bytes(word, 8)).is_some_and(|bits| is_float(bits as u64))
        };
        let wide = halves.len() == 2 || states.iter().all(float);
        let text = bytes.iter().any(|&byte| is_text(byte));
        if wide && !text && within(word, 8) && all(Cell::Bytes(word, 8)) {
            cells.push(Cell::Bytes(word, 8));
            continue;
        }
        for half in halves {
            let text = bytes.iter().any(|&byte| byte & !3 == half && is_text(byte));
            if !text && within(half, 4) && all(Cell::Bytes(half, 4)) {
                cells.push(Cell::Bytes(half, 4));
                continue;
            }
            let own = bytes.iter().filter(|&&byte| byte & !3 == half);
            cells.extend(own.map(|&byte| Cell::Bytes(byte, 1)).filter(|&cell| all(cell)));
        }
    }
    let Some(first) = states.first() else {
        return cells;
    };
    for (&register, content) in &first.registers {
        let mut all = states.iter().map(|state| state.registers.get(&register));
        if !is_open(content) && all.clone().all(|other| other == Some(content)) {
            continue;
        }
        let fits = |bits: u8| {
            let cell = Cell::Register(register, bits);
            let has = |state: &Contents| state.number(memory, cell);
            states.iter().all(|state| has(state).is_some()).then_some(cell)
        };
        let pointer = |content: Option<&Content>| match content {
            Some(&Content::Number(number)) => memory.tags.arena.as_const(number).is_some_and(is_address),
            _ => false,
        };
        if !all.any(pointer) {
            cells.extend(fits(32).or_else(|| fits(64)));
        }
    }
    cells
}

/// Whether a cell has an expression in some state.
pub(super) fn is_open(memory: &Memory, states: &[Contents], cell: Cell) -> bool {
    let mut numbers = states.iter().filter_map(|state| state.number(memory, cell));
    numbers.any(|number| memory.tags.arena.as_const(number).is_none())
}

/// How many different numbers a cell has in some states.
pub(super) fn variety(memory: &Memory, states: &[Contents], cell: Cell) -> usize {
    let numbers: BTreeSet<Option<Expr>> = states.iter().map(|state| state.number(memory, cell)).collect();
    numbers.len()
}

/// By how much the number of a cell is greater than that of another one, modulo 2^width, if that is
/// the same in all states.
pub(super) fn difference(memory: &Memory, states: &[Contents], first: Cell, other: Cell) -> Option<u128> {
    if first.width() != other.width() {
        return None;
    }
    let arena = &memory.tags.arena;
    let by = |state: &Contents| {
        let (one, two) = (state.number(memory, first)?, state.number(memory, other)?);
        arena.as_const(arena.binary(BinOp::Sub, two, one))
    };
    let mut all = states.iter().map(by);
    let common = all.next()??;
    all.all(|other| other == Some(common)).then_some(common)
}

/// The number of a cell in a state; if it has several, the one with the inputs that are known to
/// lead there.
pub(super) fn example(memory: &Memory, state: &Contents, cell: Cell) -> Option<u128> {
    Some(eval(
        &memory.tags.arena,
        state.number(memory, cell)?,
        &state.model,
    ))
}
