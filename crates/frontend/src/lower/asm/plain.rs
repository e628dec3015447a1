//! Instructions on registers and memory, each with at most one access to memory at a time.

use super::machine::{Flags, Held, Location, Machine, constant, is_condition};
use super::text::{Line, Place, RAX, RBX, RCX, RDX};
use selvedge_ir::{BinOp, CastOp, InstKind, Operand, Type, UnOp};

/// The mnemonics of instructions without their width.
const BASES: [&str; 34] = [
    "mov", "movabs", "lea", "add", "sub", "and", "or", "xor", "cmp", "test", "inc", "dec", "neg", "not",
    "xadd", "xchg", "cmpxchg", "bsf", "bsr", "tzcnt", "lzcnt", "popcnt", "bt", "bts", "btr", "btc", "shl",
    "sal", "shr", "sar", "rol", "ror", "bswap", "imul",
];

/// A mnemonic without its width, and the width.
pub(super) fn split_suffix(mnemonic: &str) -> (&str, Option<u8>) {
    if BASES.contains(&mnemonic) {
        return (mnemonic, None);
    }
    for (suffix, bits) in [("b", 8), ("w", 16), ("l", 32), ("q", 64)] {
        if let Some(base) = mnemonic.strip_suffix(suffix)
            && BASES.contains(&base)
        {
            return (base, Some(bits));
        }
    }
    (mnemonic, None)
}

impl Machine<'_, '_, '_, '_> {
    /// One instruction; none if it is not understood.
    pub(super) fn execute(&mut self, line: &Line) -> Option<()> {
        let (base, suffix) = split_suffix(&line.mnemonic);
        if matches!(base, "cmpxchg16b" | "cmpxchg8b") {
            return self.compare_exchange_two(line);
        }
        let reads_and_writes_memory = matches!(line.operands.last(), Some(p) if self.is_memory(p));
        if base == "xchg" || line.lock {
            return self.locked(base, suffix, &line.operands);
        }
        match (base, line.operands.as_slice()) {
            ("cpuid", []) => self.identify(),
            ("rdtsc", []) => self.count_cycles()?,
            ("rdtscp", []) => {
                self.count_cycles()?;
                self.registers[RCX] = Held::Known(constant(0, 32), true);
            }
            ("push" | "pushq", [place]) => {
                let Location::Register(register, _) = self.locate(place)? else {
                    return None;
                };
                self.stack.push(self.registers[register]);
            }
            ("pop" | "popq", [place]) => {
                let Location::Register(register, _) = self.locate(place)? else {
                    return None;
                };
                self.registers[register] = self.stack.pop()?;
            }
            ("mov" | "movabs", [Place::ThreadPointer, to]) => {
                let to = self.locate(to)?;
                let pointer = self.lower.thread_pointer().ok()?;
                self.write(to, pointer)?;
            }
            ("mov" | "movabs", [from, to]) => self.moves(suffix, from, to)?,
            ("lea", [Place::Memory(address), to]) => {
                let to = self.locate(to)?;
                if Self::width(suffix, &[to])? != 64 {
                    return None;
                }
                let pointer = self.address(address)?;
                self.write(to, pointer)?;
            }
            ("xadd" | "cmpxchg" | "bts" | "btr" | "btc", _) if reads_and_writes_memory => return None,
            _ => return self.compute(line, base, suffix),
        }
        Some(())
    }

    fn is_memory(&self, place: &Place) -> bool {
        match place {
            Place::Slot(index, _) => self.slots.get(*index).is_some_and(|s| s.indirect),
            Place::Memory(_) => true,
            _ => false,
        }
    }

    /// A move. An unknown value can be moved between whole registers.
    fn moves(&mut self, suffix: Option<u8>, from: &Place, to: &Place) -> Option<()> {
        let (from, to) = (self.locate(from)?, self.locate(to)?);
        let width = Self::width(suffix, &[to, from])?;
        match (from, to) {
            (Location::Memory(..), Location::Memory(..)) => None,
            (Location::Register(from, _), Location::Register(to, _)) if width == 64 => {
                self.registers[to] = self.registers[from];
                Some(())
            }
            _ => {
                let value = self.read(from, width)?;
                self.write(to, value)
            }
        }
    }

    /// `cpuid`: the processor reports no optional parts.
    fn identify(&mut self) {
        for register in [RAX, RBX, RCX, RDX] {
            self.registers[register] = Held::Known(constant(0, 32), true);
        }
    }

    /// `rdtsc`: the two halves of the counter.
    fn count_cycles(&mut self) -> Option<()> {
        let cycles = self.lower.cycles().ok()?;
        let upper = self.lower.bin(BinOp::LShr, cycles, constant(32, 64));
        for (register, value) in [(RAX, cycles), (RDX, upper)] {
            let half = self.lower.cast(CastOp::Trunc, value, Type::Int(32));
            self.registers[register] = Held::Known(half, true);
        }
        Some(())
    }

    fn compute(&mut self, line: &Line, base: &str, suffix: Option<u8>) -> Option<()> {
        let locations: Option<Vec<Location>> = line.operands.iter().map(|p| self.locate(p)).collect();
        let locations = locations?;
        if let Some(condition) = line.mnemonic.strip_prefix("set") {
            let [to] = locations.as_slice() else { return None };
            let holds = self.condition(condition)?;
            let byte = self.lower.cast(CastOp::ZExt, holds, Type::Int(8));
            return self.write(*to, byte);
        }
        if let Some(name) = line.mnemonic.strip_prefix("cmov") {
            return self.conditional_move(name, &locations);
        }
        if let Some(widths) = line.mnemonic.strip_prefix("mov") {
            return self.extend(widths, &locations);
        }
        match (base, locations.as_slice()) {
            ("add" | "sub" | "and" | "or" | "xor" | "cmp" | "test", [source, to]) => {
                let width = Self::width(suffix, &[*to, *source])?;
                let zeroed = matches!((base, source, to), ("xor" | "sub", Location::Register(a, _), Location::Register(b, _)) if a == b);
                let (a, b) = if zeroed {
                    (constant(0, width), constant(0, width))
                } else {
                    let b = self.read(*source, width)?;
                    (self.read(*to, width)?, b)
                };
                let result = self.arithmetic(base, a, b)?;
                if matches!(base, "cmp" | "test") {
                    return Some(());
                }
                self.write(*to, result)
            }
            ("inc" | "dec" | "neg", [to]) => {
                let width = Self::width(suffix, &[*to])?;
                let old = self.read(*to, width)?;
                let one = constant(1, width);
                let result = match base {
                    "inc" => self.lower.bin(BinOp::Add, old, one),
                    "dec" => self.lower.bin(BinOp::Sub, old, one),
                    _ => self.lower.bin(BinOp::Sub, constant(0, width), old),
                };
                self.flags = if base == "neg" {
                    Flags::Difference {
                        a: constant(0, width),
                        b: old,
                        result,
                    }
                } else {
                    Flags::Step { result }
                };
                self.write(*to, result)
            }
            ("not", [to]) => {
                let width = Self::width(suffix, &[*to])?;
                let old = self.read(*to, width)?;
                let result = self.lower.bin(BinOp::Xor, old, constant(-1, width));
                self.write(*to, result)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", _) => self.shift(base, suffix, &locations),
            ("bsf" | "bsr" | "tzcnt" | "lzcnt" | "popcnt" | "bswap" | "imul", _) => {
                self.count(base, suffix, &locations)
            }
            ("bt" | "bts" | "btr" | "btc", [bit, to]) => {
                let width = Self::width(suffix, &[*to, *bit])?;
                if matches!(to, Location::Memory(..)) && !matches!(bit, Location::Constant(_)) {
                    return None;
                }
                let bit = self.read(*bit, width)?;
                let old = self.read(*to, width)?;
                let (mask, carry) = self.bit_of(old, bit, width);
                self.flags = Flags::Carry(carry);
                if base == "bt" {
                    return Some(());
                }
                let result = self.with_bit(base, old, mask, width);
                self.write(*to, result)
            }
            _ => None,
        }
    }

    /// The result of an instruction with two operands, and its flags.
    pub(super) fn arithmetic(&mut self, base: &str, a: Operand, b: Operand) -> Option<Operand> {
        let op = match base {
            "add" => BinOp::Add,
            "sub" | "cmp" => BinOp::Sub,
            "and" | "test" => BinOp::And,
            "or" => BinOp::Or,
            "xor" => BinOp::Xor,
            _ => return None,
        };
        let result = self.lower.bin(op, a, b);
        self.flags = match op {
            BinOp::Add => Flags::Sum { a, b, result },
            BinOp::Sub => Flags::Difference { a, b, result },
            _ => Flags::Bits { result },
        };
        Some(result)
    }

    /// The bit of a number, as a mask, and whether it is set.
    pub(super) fn bit_of(&mut self, value: Operand, bit: Operand, width: u8) -> (Operand, Operand) {
        let bit = self
            .lower
            .bin(BinOp::And, bit, constant(i64::from(width) - 1, width));
        let mask = self.lower.bin(BinOp::Shl, constant(1, width), bit);
        let shifted = self.lower.bin(BinOp::LShr, value, bit);
        let carry = self.lower.cast(CastOp::Trunc, shifted, Type::I1);
        (mask, carry)
    }

    fn with_bit(&mut self, base: &str, old: Operand, mask: Operand, width: u8) -> Operand {
        match base {
            "bts" => self.lower.bin(BinOp::Or, old, mask),
            "btc" => self.lower.bin(BinOp::Xor, old, mask),
            _ => {
                let others = self.lower.bin(BinOp::Xor, mask, constant(-1, width));
                self.lower.bin(BinOp::And, old, others)
            }
        }
    }

    fn conditional_move(&mut self, name: &str, locations: &[Location]) -> Option<()> {
        let (name, suffix) = if is_condition(name) {
            (name, None)
        } else {
            let width = match name.chars().last()? {
                'w' => 16,
                'l' => 32,
                'q' => 64,
                _ => return None,
            };
            (&name[..name.len() - 1], Some(width))
        };
        let &[from, to] = locations else { return None };
        let width = Self::width(suffix, &[to, from])?;
        let holds = self.condition(name)?;
        let new = self.read(from, width)?;
        let old = self.read(to, width)?;
        let value = self.select(holds, new, old);
        self.write(to, value)
    }

    /// `movzbl` and its kin: the widths at the end of the mnemonic.
    fn extend(&mut self, widths: &str, locations: &[Location]) -> Option<()> {
        let &[from, to] = locations else { return None };
        let (kind, widths) = widths.split_at_checked(1)?;
        let op = match kind {
            "z" => CastOp::ZExt,
            "s" => CastOp::SExt,
            _ => return None,
        };
        let width = |letter: u8| match letter {
            b'b' => Some(8),
            b'w' => Some(16),
            b'l' => Some(32),
            b'q' => Some(64),
            _ => None,
        };
        let (narrow, wide) = match widths.as_bytes() {
            [b'x'] => (Self::width(None, &[from])?, Self::width(None, &[to])?),
            [narrow, wide] => (width(*narrow)?, width(*wide)?),
            _ => return None,
        };
        let value = self.read(from, narrow)?;
        if narrow >= wide {
            return None;
        }
        let value = self.lower.cast(op, value, Type::Int(wide));
        self.write(to, value)
    }

    fn shift(&mut self, base: &str, suffix: Option<u8>, locations: &[Location]) -> Option<()> {
        let (by, to) = match *locations {
            [to] => (Location::Constant(1), to),
            [by, to] => (by, to),
            _ => return None,
        };
        let width = Self::width(suffix, &[to])?;
        if width < 32 {
            return None;
        }
        let by = match by {
            Location::Constant(n) => constant(n & i64::from(width - 1), width),
            Location::Register(register, _) => {
                let by = self.register(register, 8)?;
                let by = self.lower.cast(CastOp::ZExt, by, Type::Int(width));
                self.lower
                    .bin(BinOp::And, by, constant(i64::from(width) - 1, width))
            }
            Location::Memory(..) => return None,
        };
        let old = self.read(to, width)?;
        let result = match base {
            "shl" | "sal" => self.lower.bin(BinOp::Shl, old, by),
            "shr" => self.lower.bin(BinOp::LShr, old, by),
            "sar" => self.lower.bin(BinOp::AShr, old, by),
            _ => {
                let dst = self.lower.reg(Type::Int(width));
                self.lower.emit(InstKind::Funnel {
                    left: base == "rol",
                    dst,
                    a: old,
                    b: old,
                    amount: by,
                });
                Operand::Reg(dst)
            }
        };
        self.flags = Flags::Unknown;
        self.write(to, result)
    }

    /// Instructions that count or reorder bits, and products.
    fn count(&mut self, base: &str, suffix: Option<u8>, locations: &[Location]) -> Option<()> {
        let (from, to) = match *locations {
            [to] if base == "bswap" => (to, to),
            [from, to] => (from, to),
            _ => return None,
        };
        let width = Self::width(suffix, &[to, from])?;
        if width < 32 {
            return None;
        }
        let value = self.read(from, width)?;
        let result = match base {
            "bswap" => self.unary(UnOp::Bswap, value),
            "popcnt" => self.unary(UnOp::Ctpop, value),
            "tzcnt" => self.unary(UnOp::Cttz, value),
            "lzcnt" => self.unary(UnOp::Ctlz, value),
            "imul" => {
                let old = self.read(to, width)?;
                self.lower.bin(BinOp::Mul, old, value)
            }
            _ => {
                let found = if base == "bsf" {
                    self.unary(UnOp::Cttz, value)
                } else {
                    let above = self.unary(UnOp::Ctlz, value);
                    self.lower
                        .bin(BinOp::Sub, constant(i64::from(width) - 1, width), above)
                };
                let zero = self.compare(selvedge_ir::IntPred::Eq, value, constant(0, width));
                // Of zero there is none: then the destination stays what it was, if it was
                // anything.
                let old = self.read(to, width).unwrap_or(Operand::Undef(Type::Int(width)));
                let result = self.select(zero, old, found);
                self.flags = Flags::Zero(zero);
                return self.write(to, result);
            }
        };
        if base != "bswap" {
            self.flags = Flags::Unknown;
        }
        self.write(to, result)
    }

    fn unary(&mut self, op: UnOp, a: Operand) -> Operand {
        let dst = self.lower.reg(self.lower.type_of(a));
        self.lower.emit(InstKind::Un { op, dst, a });
        Operand::Reg(dst)
    }
}

#[cfg(test)]
mod tests {
    use super::split_suffix;

    #[test]
    fn widths_at_the_end() {
        assert_eq!(split_suffix("addl"), ("add", Some(32)));
        assert_eq!(split_suffix("sub"), ("sub", None));
        assert_eq!(split_suffix("subb"), ("sub", Some(8)));
        assert_eq!(split_suffix("btsq"), ("bts", Some(64)));
        assert_eq!(split_suffix("cpuid"), ("cpuid", None));
    }
}
