//! The state of inline assembly: registers that hold operands, and memory.
//!
//! Of a register only the low bits are known, as many as were written. The bits above them, and
//! registers that were never written, are unknown. An unknown value can be moved; every other use
//! of it is unsupported.

mod flags;

pub(super) use flags::{Flags, is_condition};

use super::text::{Address, Name, Place, REGISTER_COUNT};
use crate::lower::function::FnLower;
use selvedge_ir::{AtomicOrder, BinOp, CastOp, GepTerm, InstKind, IntPred, Operand, Reg, Type};
use smallvec::SmallVec;

/// One operand of the assembly, as its constraint describes it.
pub(super) struct Slot {
    /// Letters of the constraint: `r`, `m`, `{ax}`, `{@ccz}`.
    pub(super) class: String,
    /// The number of the processor's register, if the constraint names one.
    pub(super) physical: Option<usize>,
    /// The input: a value, or the address of one if `indirect`.
    pub(super) input: Option<Operand>,
    pub(super) indirect: bool,
    /// The type of the memory at an indirect operand.
    pub(super) memory: Option<Type>,
    /// The destination of an output.
    pub(super) output: Option<Reg>,
    /// The output that an input shares its register with.
    pub(super) tied: Option<usize>,
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Held {
    /// An unknown value; equal numbers are equal values.
    Unknown(usize),
    /// Low bits, as many as the operand's type has, and whether those above them are zero.
    Known(Operand, bool),
}

/// Where an operand of an instruction is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Location {
    /// A register, and the width if the text says it.
    Register(usize, Option<u8>),
    /// Memory, and its type if that is known.
    Memory(Operand, Option<Type>),
    /// A constant, of as many bits as needed.
    Constant(i64),
}

/// One piece of inline assembly while it is lowered.
pub(super) struct Machine<'f, 'u, 'm, 'p> {
    pub(super) lower: &'f mut FnLower<'u, 'm, 'p>,
    pub(super) slots: &'f [Slot],
    /// The processor's registers, then one for each slot that is in none of these.
    pub(super) registers: Vec<Held>,
    /// What was pushed.
    pub(super) stack: Vec<Held>,
    pub(super) flags: Flags,
}

impl<'f, 'u, 'm, 'p> Machine<'f, 'u, 'm, 'p> {
    /// A machine whose registers hold the inputs.
    pub(super) fn new(lower: &'f mut FnLower<'u, 'm, 'p>, slots: &'f [Slot]) -> Self {
        let count = REGISTER_COUNT + slots.len();
        let mut machine = Machine {
            lower,
            slots,
            registers: (0..count).map(Held::Unknown).collect(),
            stack: Vec::new(),
            flags: Flags::Unknown,
        };
        for (index, slot) in slots.iter().enumerate() {
            if let Some(value) = slot.input
                && !slot.indirect
            {
                let register = machine.register_of(index);
                machine.registers[register] = Held::Known(value, false);
            }
        }
        machine
    }

    /// The register that a slot is in.
    pub(super) fn register_of(&self, slot: usize) -> usize {
        let home = self.slots[slot].tied.unwrap_or(slot);
        match self.slots.get(home).and_then(|s| s.physical) {
            Some(number) => number,
            None => REGISTER_COUNT + home,
        }
    }

    /// Where an operand of the text is.
    pub(super) fn locate(&mut self, place: &Place) -> Option<Location> {
        match place {
            Place::Slot(index, width) => {
                let slot = self.slots.get(*index)?;
                if slot.indirect {
                    return Some(Location::Memory(slot.input?, slot.memory));
                }
                if let Some(constant) = self.constant(*index) {
                    return Some(Location::Constant(constant));
                }
                let ty = slot
                    .output
                    .map(|reg| self.lower.reg_type(reg))
                    .or_else(|| slot.input.map(|value| self.lower.type_of(value)));
                let width = width.or_else(|| ty.map(|ty| ty.bits() as u8));
                Some(Location::Register(self.register_of(*index), width))
            }
            Place::Register(number, width) => Some(Location::Register(*number, Some(*width))),
            Place::Immediate(value) => Some(Location::Constant(*value)),
            Place::Memory(address) => {
                let pointer = self.address(address)?;
                Some(Location::Memory(pointer, None))
            }
            Place::ThreadPointer | Place::Other => None,
        }
    }

    /// The constant that a slot represents in the text, unless its value in more bits depends on
    /// its sign.
    fn constant(&self, slot: usize) -> Option<i64> {
        let slot = &self.slots[slot];
        let immediate = slot.physical.is_none()
            && slot
                .class
                .contains(['i', 'n', 'e', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'Z']);
        match slot.input {
            Some(Operand::Const(bits, Type::Int(64))) if immediate => Some(bits as i64),
            Some(Operand::Const(bits, ty @ Type::Int(8 | 16 | 32))) if immediate => {
                (bits >> (ty.bits() - 1) == 0).then_some(bits as i64)
            }
            _ => None,
        }
    }

    /// The address that a memory operand denotes.
    pub(super) fn address(&mut self, address: &Address) -> Option<Operand> {
        let base = self.named(address.base)?;
        let base = match self.lower.type_of(base) {
            Type::Ptr => base,
            _ => self.lower.cast(CastOp::Bitcast, base, Type::Ptr),
        };
        let constant = match address.constant {
            Some(slot) => match self.slots.get(slot)?.input? {
                Operand::Const(..) => self.constant(slot)?,
                _ => return None,
            },
            None => 0,
        };
        let mut terms = SmallVec::new();
        if let Some((index, stride)) = address.index {
            let index = self.named(index)?;
            let index = self.integer(index);
            terms.push(GepTerm {
                index,
                bits: 64,
                stride,
            });
        }
        let offset = address.displacement.wrapping_add(constant);
        if offset == 0 && terms.is_empty() {
            return Some(base);
        }
        Some(self.moved(base, offset, terms))
    }

    /// An address plus an offset.
    pub(super) fn moved(&mut self, base: Operand, offset: i64, terms: SmallVec<[GepTerm; 1]>) -> Operand {
        let dst = self.lower.reg(Type::Ptr);
        self.lower.emit(InstKind::Gep {
            dst,
            base,
            offset,
            terms,
            inbounds: false,
        });
        Operand::Reg(dst)
    }

    /// All 64 bits of a register, as what they are.
    fn named(&mut self, name: Name) -> Option<Operand> {
        let register = match name {
            Name::Slot(slot) if !self.slots.get(slot)?.indirect => self.register_of(slot),
            Name::Slot(_) => return None,
            Name::Physical(number) => number,
        };
        match self.registers[register] {
            Held::Known(value, _) if self.lower.type_of(value).bits() == 64 => Some(value),
            _ => self.register(register, 64),
        }
    }

    /// The same bits as an integer.
    pub(super) fn integer(&mut self, value: Operand) -> Operand {
        let ty = self.lower.type_of(value);
        match ty {
            Type::Int(_) => value,
            _ => self
                .lower
                .cast(CastOp::Bitcast, value, Type::Int(ty.bits() as u8)),
        }
    }

    /// The low bits of a register.
    pub(super) fn register(&mut self, register: usize, width: u8) -> Option<Operand> {
        let Held::Known(value, zero_above) = self.registers[register] else {
            return None;
        };
        let to = Type::Int(width);
        let value = self.integer(value);
        let bits = self.lower.type_of(value).bits();
        match bits.cmp(&u32::from(width)) {
            std::cmp::Ordering::Equal => Some(value),
            std::cmp::Ordering::Greater => Some(match value {
                Operand::Const(n, _) => constant(n as i64, width),
                _ => self.lower.cast(CastOp::Trunc, value, to),
            }),
            std::cmp::Ordering::Less => zero_above.then(|| self.lower.cast(CastOp::ZExt, value, to)),
        }
    }

    /// Writes the low bits of a register. As the processor does, 32 bits make those above them
    /// zero, and fewer leave them.
    pub(super) fn set_register(&mut self, register: usize, value: Operand) {
        let bits = self.lower.type_of(value).bits();
        let merged = match self.registers[register] {
            Held::Known(old, zero_above) if bits < 32 && self.lower.type_of(old).bits() > bits => {
                let old = self.integer(old);
                let ty = self.lower.type_of(old);
                let low = Operand::Const((1 << bits) - 1, ty);
                let all = Operand::Const(u128::MAX >> (128 - ty.bits()), ty);
                let above = self.lower.bin(BinOp::Xor, low, all);
                let above = self.lower.bin(BinOp::And, old, above);
                let wide = self.lower.cast(CastOp::ZExt, value, ty);
                Held::Known(self.lower.bin(BinOp::Or, above, wide), zero_above)
            }
            _ => Held::Known(value, bits == 32),
        };
        self.registers[register] = merged;
    }

    /// The width that an instruction works with: that of its suffix, of a register, or of memory.
    pub(super) fn width(suffix: Option<u8>, locations: &[Location]) -> Option<u8> {
        let register = || {
            locations.iter().find_map(|l| match l {
                Location::Register(_, width) => *width,
                _ => None,
            })
        };
        let memory = || {
            locations.iter().find_map(|l| match l {
                Location::Memory(_, ty) => ty.map(|ty| ty.bits() as u8),
                _ => None,
            })
        };
        let width = suffix.or_else(register).or_else(memory)?;
        matches!(width, 8 | 16 | 32 | 64).then_some(width)
    }

    /// Reads an operand. From memory this is one indivisible access, as aligned accesses are.
    pub(super) fn read(&mut self, location: Location, width: u8) -> Option<Operand> {
        match location {
            Location::Register(register, _) => self.register(register, width),
            Location::Memory(ptr, _) => Some(self.load(ptr, Type::Int(width), AtomicOrder::Acquire)),
            Location::Constant(value) => Some(constant(value, width)),
        }
    }

    /// Writes an operand.
    pub(super) fn write(&mut self, location: Location, value: Operand) -> Option<()> {
        match location {
            Location::Register(register, _) => self.set_register(register, value),
            Location::Memory(ptr, _) => {
                let ty = self.lower.type_of(value);
                self.lower.emit(InstKind::Store {
                    ptr,
                    value,
                    ty,
                    align: ty.bits() / 8,
                    volatile: false,
                    order: Some(AtomicOrder::Release),
                });
            }
            Location::Constant(_) => return None,
        }
        Some(())
    }

    /// An atomic load.
    pub(super) fn load(&mut self, ptr: Operand, ty: Type, order: AtomicOrder) -> Operand {
        let dst = self.lower.reg(ty);
        self.lower.emit(InstKind::Load {
            dst,
            ptr,
            ty,
            align: ty.bits() / 8,
            volatile: false,
            order: Some(order),
        });
        Operand::Reg(dst)
    }

    /// A comparison.
    pub(super) fn compare(&mut self, pred: IntPred, a: Operand, b: Operand) -> Operand {
        let ty = self.lower.type_of(a);
        let dst = self.lower.reg(Type::I1);
        self.lower.emit(InstKind::Cmp { pred, dst, a, b, ty });
        Operand::Reg(dst)
    }

    /// One of two values.
    pub(super) fn select(&mut self, cond: Operand, a: Operand, b: Operand) -> Operand {
        let dst = self.lower.reg(self.lower.type_of(a));
        self.lower.emit(InstKind::Select { dst, cond, a, b });
        Operand::Reg(dst)
    }
}

/// A constant of a width.
pub(super) fn constant(value: i64, width: u8) -> Operand {
    let mask = u128::MAX >> (128 - u32::from(width));
    Operand::Const(i128::from(value) as u128 & mask, Type::Int(width))
}
