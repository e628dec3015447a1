//! Atomic instructions: they read and write memory in one indivisible step.

use super::machine::{Flags, Held, Location, Machine, constant};
use super::text::{Line, Place, RAX, RBX, RCX, RDX};
use selvedge_ir::{AtomicOrder, BinOp, CastOp, GepTerm, InstKind, Operand, RmwOp, Type};
use smallvec::smallvec;

impl Machine<'_, '_, '_, '_> {
    /// An instruction with `lock`, or an exchange, which locks by itself if it is one with memory.
    pub(super) fn locked(&mut self, base: &str, suffix: Option<u8>, operands: &[Place]) -> Option<()> {
        let locations: Option<Vec<Location>> = operands.iter().map(|p| self.locate(p)).collect();
        let locations = locations?;
        let width = Self::width(suffix, &locations)?;
        match (base, locations.as_slice()) {
            ("xchg", &[Location::Register(a, _), Location::Register(b, _)]) => {
                if width == 64 {
                    self.registers.swap(a, b);
                    return Some(());
                }
                let (was_a, was_b) = (self.register(a, width)?, self.register(b, width)?);
                self.set_register(a, was_b);
                self.set_register(b, was_a);
                Some(())
            }
            ("xchg", &[Location::Register(register, _), Location::Memory(ptr, _)])
            | ("xchg", &[Location::Memory(ptr, _), Location::Register(register, _)]) => {
                let value = self.register(register, width)?;
                let old = self.modify(RmwOp::Xchg, ptr, value);
                self.set_register(register, old);
                Some(())
            }
            ("xadd", &[Location::Register(register, _), Location::Memory(ptr, _)]) => {
                let value = self.register(register, width)?;
                let old = self.modify(RmwOp::Add, ptr, value);
                self.arithmetic("add", old, value)?;
                self.set_register(register, old);
                Some(())
            }
            ("inc" | "dec", &[Location::Memory(ptr, _)]) => {
                let (op, again) = if base == "inc" {
                    (RmwOp::Add, BinOp::Add)
                } else {
                    (RmwOp::Sub, BinOp::Sub)
                };
                let one = constant(1, width);
                let old = self.modify(op, ptr, one);
                let result = self.lower.bin(again, old, one);
                self.flags = Flags::Step { result };
                Some(())
            }
            ("not", &[Location::Memory(ptr, _)]) => {
                // Rust's libraries use it on a variable of their own, for the fence that it is.
                self.lower.barrier(AtomicOrder::SeqCst, false);
                self.modify(RmwOp::Xor, ptr, constant(-1, width));
                Some(())
            }
            ("add" | "sub" | "and" | "or" | "xor", &[source, Location::Memory(ptr, _)]) => {
                if matches!(source, Location::Memory(..)) {
                    return None;
                }
                let value = self.read(source, width)?;
                let op = match base {
                    "add" => RmwOp::Add,
                    "sub" => RmwOp::Sub,
                    "and" => RmwOp::And,
                    "or" => RmwOp::Or,
                    _ => RmwOp::Xor,
                };
                let old = self.modify(op, ptr, value);
                self.arithmetic(base, old, value)?;
                Some(())
            }
            ("cmpxchg", &[source, Location::Memory(ptr, _)]) => {
                let new = self.read(source, width)?;
                let expected = self.register(RAX, width)?;
                let old = self.compare_exchange(ptr, expected, new);
                self.arithmetic("cmp", expected, old)?;
                self.registers[RAX] = Held::Known(old, false);
                Some(())
            }
            ("bts" | "btr" | "btc", &[bit, Location::Memory(ptr, _)]) if width > 8 => {
                self.locked_bit(base, bit, ptr, width)
            }
            _ => None,
        }
    }

    /// Sets, clears or complements a bit. Its number, if it is in a register, may be that of a bit
    /// in another word.
    fn locked_bit(&mut self, base: &str, bit: Location, ptr: Operand, width: u8) -> Option<()> {
        let constant_bit = matches!(bit, Location::Constant(_));
        let bit = self.read(bit, width)?;
        let ptr = if constant_bit {
            ptr
        } else {
            let log = i64::from(width.trailing_zeros());
            let word = self.lower.bin(BinOp::AShr, bit, constant(log, width));
            let index = match width {
                64 => word,
                _ => self.lower.cast(CastOp::SExt, word, Type::Int(64)),
            };
            let stride = i64::from(width / 8);
            self.moved(
                ptr,
                0,
                smallvec![GepTerm {
                    index,
                    bits: 64,
                    stride,
                }],
            )
        };
        let (mask, _) = self.bit_of(constant(0, width), bit, width);
        let old = match base {
            "bts" => self.modify(RmwOp::Or, ptr, mask),
            "btc" => self.modify(RmwOp::Xor, ptr, mask),
            _ => {
                let others = self.lower.bin(BinOp::Xor, mask, constant(-1, width));
                self.modify(RmwOp::And, ptr, others)
            }
        };
        let (_, carry) = self.bit_of(old, bit, width);
        self.flags = Flags::Carry(carry);
        Some(())
    }

    fn modify(&mut self, op: RmwOp, ptr: Operand, value: Operand) -> Operand {
        let ty = self.lower.type_of(value);
        let dst = self.lower.reg(ty);
        self.lower.emit(InstKind::Rmw {
            op,
            dst,
            ptr,
            value,
            ty,
            order: AtomicOrder::SeqCst,
        });
        Operand::Reg(dst)
    }

    /// The old value.
    fn compare_exchange(&mut self, ptr: Operand, expected: Operand, new: Operand) -> Operand {
        let ty = self.lower.type_of(new);
        let (old, success) = (self.lower.reg(ty), self.lower.reg(Type::I1));
        self.lower.emit(InstKind::CompareExchange {
            old,
            success,
            ptr,
            expected,
            new,
            ty,
            order: AtomicOrder::SeqCst,
            failure: AtomicOrder::SeqCst,
            weak: false,
        });
        Operand::Reg(old)
    }

    /// Compares two words with `rdx:rax`, and stores `rcx:rbx`.
    pub(super) fn compare_exchange_two(&mut self, line: &Line) -> Option<()> {
        let [place] = line.operands.as_slice() else {
            return None;
        };
        let Location::Memory(ptr, _) = self.locate(place)? else {
            return None;
        };
        let half: u8 = if line.mnemonic == "cmpxchg16b" { 64 } else { 32 };
        let whole = Type::Int(half * 2);
        if !line.lock {
            return None;
        }
        let same = |machine: &Self, a: usize, b: usize| {
            matches!(machine.registers[a], Held::Unknown(_)) && machine.registers[a] == machine.registers[b]
        };
        let old = if same(self, RAX, RBX) && same(self, RDX, RCX) {
            // Whatever is compared is what is stored: it stays what it is.
            let old = self.load(ptr, whole, AtomicOrder::SeqCst);
            self.flags = Flags::Unknown;
            old
        } else {
            let expected = self.joined(RAX, RDX, half)?;
            let new = self.joined(RBX, RCX, half)?;
            let old = self.compare_exchange(ptr, expected, new);
            let success = self.compare(selvedge_ir::IntPred::Eq, old, expected);
            self.flags = Flags::Zero(success);
            old
        };
        let low = self.lower.cast(CastOp::Trunc, old, Type::Int(half));
        let high = self
            .lower
            .bin(BinOp::LShr, old, Operand::Const(u128::from(half), whole));
        let high = self.lower.cast(CastOp::Trunc, high, Type::Int(half));
        self.registers[RAX] = Held::Known(low, false);
        self.registers[RDX] = Held::Known(high, false);
        Some(())
    }

    /// Two registers as one number.
    fn joined(&mut self, low: usize, high: usize, half: u8) -> Option<Operand> {
        let whole = Type::Int(half * 2);
        let low = self.register(low, half)?;
        let high = self.register(high, half)?;
        let low = self.lower.cast(CastOp::ZExt, low, whole);
        let high = self.lower.cast(CastOp::ZExt, high, whole);
        let high = self
            .lower
            .bin(BinOp::Shl, high, Operand::Const(u128::from(half), whole));
        Some(self.lower.bin(BinOp::Or, low, high))
    }
}
