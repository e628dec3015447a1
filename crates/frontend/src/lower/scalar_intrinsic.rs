//! Intrinsics that compute values from values, lane by lane.

use super::function::{FnLower, Lower, Parts};
use crate::llvm::Value;
use selvedge_ir::{
    BinOp, CastOp, FloatPred, InstKind, IntPred, MinMax, Operand, OverflowOp, Reg, SatOp, Type, UnOp,
};

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn scalar_intrinsic(&mut self, inst: Value<'m>, name: &str, base: &str) -> Lower<()> {
        if let Some(op) = overflow(base) {
            return self.with_overflow(inst, op);
        }
        if let Some(function) = library_function(base) {
            let double = self.flat(inst.ty())?.as_slice() == [(Type::F64, 0)];
            let single = self.flat(inst.ty())?.as_slice() == [(Type::F32, 0)];
            if double || single {
                return self.call_library(
                    inst,
                    &if double {
                        function.to_owned()
                    } else {
                        format!("{function}f")
                    },
                );
            }
        }
        if let Some(reduction) = base.strip_prefix("vector.reduce.") {
            return self.reduce(inst, reduction);
        }
        if matches!(base, "x86.sse2.pmovmskb.128" | "x86.avx2.pmovmskb") {
            return self.sign_bits(inst);
        }
        let dst = self.results(inst)?;
        let a = self.operands(inst, 0)?;
        if base == "modf" {
            return self.parts_of_floats(&dst, &a);
        }
        if let Some(op) = unary(base) {
            let poison = match base {
                // Their second argument says that zero, or the minimum, gives poison.
                "ctlz" | "cttz" | "abs" => inst.operand(1).and_then(|f| f.int()) == Some(1),
                _ => false,
            };
            for (&dst, a) in dst.iter().zip(a) {
                self.emit(InstKind::Un { op, dst, a });
                if poison {
                    let ty = self.type_of(a);
                    let bad = if base == "abs" {
                        self.negate(ty, a);
                        1u128 << (ty.bits() - 1)
                    } else {
                        0
                    };
                    let cond = self.equals(a, bad);
                    self.emit(InstKind::Select {
                        dst,
                        cond,
                        a: Operand::Poison(ty),
                        b: Operand::Reg(dst),
                    });
                }
            }
            return Ok(());
        }
        if let Some(op) = float_conversion(base) {
            for (&dst, a) in dst.iter().zip(a) {
                let from = self.type_of(a);
                self.emit(InstKind::Cast { op, dst, a, from });
            }
            return Ok(());
        }
        match base {
            "lround" | "llround" | "lrint" | "llrint" => {
                let round = if base.ends_with("round") {
                    UnOp::FRound
                } else {
                    UnOp::FRoundEven
                };
                for (&dst, a) in dst.iter().zip(a) {
                    let from = self.type_of(a);
                    let rounded = self.reg(from);
                    self.emit(InstKind::Un {
                        op: round,
                        dst: rounded,
                        a,
                    });
                    self.emit(InstKind::Cast {
                        op: CastOp::FToS,
                        dst,
                        a: Operand::Reg(rounded),
                        from,
                    });
                }
                return Ok(());
            }
            "is.fpclass" => return self.float_class(inst, a, &dst),
            _ => {}
        }
        let b = self.operands(inst, 1).map_err(|_| unknown(name))?;
        if a.len() != dst.len() || b.len() != dst.len() {
            return Err(unknown(name));
        }
        if base == "scmp" || base == "ucmp" {
            for ((&dst, a), b) in dst.iter().zip(a).zip(b) {
                self.three_way(base == "scmp", dst, a, b);
            }
            return Ok(());
        }
        if base == "fma" || base == "fmuladd" || base == "fshl" || base == "fshr" {
            let c = self.operands(inst, 2)?;
            for (((&dst, a), b), c) in dst.iter().zip(a).zip(b).zip(c) {
                self.ternary(base, dst, [a, b, c]);
            }
            return Ok(());
        }
        for ((&dst, a), b) in dst.iter().zip(a).zip(b) {
            let kind = two_operands(base, dst, a, b).ok_or_else(|| unknown(name))?;
            if base == "ptrmask" {
                let address = self.cast(CastOp::Bitcast, a, Type::I64);
                let masked = self.bin(BinOp::And, address, b);
                self.emit(InstKind::Cast {
                    op: CastOp::Bitcast,
                    dst,
                    a: masked,
                    from: Type::I64,
                });
            } else {
                self.emit(kind);
            }
        }
        Ok(())
    }

    /// `llvm.modf`: the fractions, which have the signs of the floats, and the whole parts.
    fn parts_of_floats(&mut self, dst: &[Reg], floats: &Parts) -> Lower<()> {
        if dst.len() != 2 * floats.len() {
            return Err("the intrinsic modf of unknown form".to_owned());
        }
        let (fractions, wholes) = dst.split_at(floats.len());
        for ((&fraction, &whole), &a) in fractions.iter().zip(wholes).zip(floats) {
            let ty = self.type_of(a);
            let op = UnOp::FTrunc;
            self.emit(InstKind::Un { op, dst: whole, a });
            let rest = self.bin(BinOp::FSub, a, Operand::Reg(whole));
            // An infinity is a whole number, too.
            let is_whole = self.reg(Type::I1);
            self.emit(InstKind::FCmp {
                pred: FloatPred::Oeq,
                dst: is_whole,
                a,
                b: Operand::Reg(whole),
                ty,
            });
            let size = self.reg(ty);
            self.emit(InstKind::Select {
                dst: size,
                cond: Operand::Reg(is_whole),
                a: Operand::Const(0, ty),
                b: rest,
            });
            let signed = self.bin(BinOp::FCopySign, Operand::Reg(size), a);
            self.copy(fraction, signed);
        }
        Ok(())
    }

    /// Negates an integer for the sake of its overflow, which is a finding on request.
    fn negate(&mut self, ty: Type, a: Operand) {
        let dst = self.reg(ty);
        self.emit(InstKind::Bin {
            op: BinOp::Sub,
            dst,
            a: Operand::Const(0, ty),
            b: a,
            nsw: true,
            nuw: false,
        });
    }

    /// 1, 0 or -1: how one integer compares with another.
    fn three_way(&mut self, signed: bool, dst: Reg, a: Operand, b: Operand) {
        let (greater, less) = match signed {
            true => (IntPred::Sgt, IntPred::Slt),
            false => (IntPred::Ugt, IntPred::Ult),
        };
        let to = self.type_of(Operand::Reg(dst));
        let (greater, less) = (self.compare(greater, a, b), self.compare(less, a, b));
        let (plus, minus) = (
            self.cast(CastOp::ZExt, greater, to),
            self.cast(CastOp::ZExt, less, to),
        );
        let difference = self.bin(BinOp::Sub, plus, minus);
        self.copy(dst, difference);
    }

    fn ternary(&mut self, base: &str, dst: Reg, [a, b, c]: [Operand; 3]) {
        match base {
            "fma" => self.emit(InstKind::Fma { dst, a, b, c }),
            "fmuladd" => {
                // Fused where the processor can; plain x86-64 cannot.
                let product = self.bin(BinOp::FMul, a, b);
                self.emit(InstKind::Bin {
                    op: BinOp::FAdd,
                    dst,
                    a: product,
                    b: c,
                    nsw: false,
                    nuw: false,
                });
            }
            _ => self.emit(InstKind::Funnel {
                left: base == "fshl",
                dst,
                a,
                b,
                amount: c,
            }),
        }
    }

    fn with_overflow(&mut self, inst: Value<'m>, op: OverflowOp) -> Lower<()> {
        let (a, b) = (self.operands(inst, 0)?, self.operands(inst, 1)?);
        let dst = self.results(inst)?;
        let lanes = a.len();
        for (i, (a, b)) in a.into_iter().zip(b).enumerate() {
            let (Some(&dst), Some(&overflow)) = (dst.get(i), dst.get(lanes + i)) else {
                return Err("arithmetic with overflow of unknown form".to_owned());
            };
            self.emit(InstKind::Overflow {
                op,
                dst,
                overflow,
                a,
                b,
            });
        }
        Ok(())
    }

    fn reduce(&mut self, inst: Value<'m>, reduction: &str) -> Lower<()> {
        let dst = self.results(inst)?;
        let [dst] = dst.as_slice() else {
            return Err(format!("vector reduction {reduction}"));
        };
        let dst = *dst;
        // Floats are added in order, to a start value.
        let ordered = matches!(reduction, "fadd" | "fmul");
        let mut parts = if ordered {
            self.operands(inst, 0)?
        } else {
            Parts::new()
        };
        parts.extend(self.operands(inst, u32::from(ordered))?);
        let mut parts = parts.into_iter();
        let mut total = parts.next().ok_or("an empty vector")?;
        for part in parts {
            let next = self.reg(self.reg_type(dst));
            let kind = two_operands(reduction, next, total, part)
                .ok_or_else(|| format!("vector reduction {reduction}"))?;
            self.emit(kind);
            total = Operand::Reg(next);
        }
        self.copy(dst, total);
        Ok(())
    }

    /// The sign of each element as a bit of a number, the first one the lowest.
    fn sign_bits(&mut self, inst: Value<'m>) -> Lower<()> {
        let dst = self.results(inst)?;
        let mut total = Operand::Const(0, Type::I32);
        for (i, part) in self.operands(inst, 0)?.into_iter().enumerate() {
            let zero = Operand::Const(0, self.type_of(part));
            let sign = self.compare(IntPred::Slt, part, zero);
            let sign = self.cast(CastOp::ZExt, sign, Type::I32);
            let shifted = self.bin(BinOp::Shl, sign, Operand::Const(i as u128, Type::I32));
            total = self.bin(BinOp::Or, total, shifted);
        }
        for dst in dst {
            self.copy(dst, total);
        }
        Ok(())
    }

    fn equals(&mut self, a: Operand, constant: u128) -> Operand {
        let ty = self.type_of(a);
        self.compare(IntPred::Eq, a, Operand::Const(constant, ty))
    }

    pub(super) fn compare(&mut self, pred: IntPred, a: Operand, b: Operand) -> Operand {
        let ty = self.type_of(a);
        let dst = self.reg(Type::I1);
        self.emit(InstKind::Cmp { pred, dst, a, b, ty });
        Operand::Reg(dst)
    }

    /// `llvm.is.fpclass`: whether a float is of one of the classes in a mask.
    fn float_class(&mut self, inst: Value<'m>, values: Parts, dst: &[Reg]) -> Lower<()> {
        let mask = inst
            .operand(1)
            .and_then(|m| m.int())
            .ok_or("a class test without classes")? as u32;
        for (&dst, value) in dst.iter().zip(values) {
            let (width, mantissa) = match self.type_of(value) {
                Type::F32 => (32, 23),
                Type::F64 => (64, 52),
                other => return Err(format!("a class test of {other}")),
            };
            let int = Type::Int(width);
            let sign = 1u128 << (width - 1);
            let least_normal = 1u128 << mantissa;
            let infinity = (sign - 1) & !(least_normal - 1);
            let quiet = infinity | 1 << (mantissa - 1);
            let bits = self.cast(CastOp::Bitcast, value, int);
            let size = self.bin(BinOp::And, bits, Operand::Const(sign - 1, int));
            let negative = self.compare(IntPred::Uge, bits, Operand::Const(sign, int));
            // Classes as ranges `[from, to)` of the magnitude, with their mask bits: negative,
            // positive.
            let classes = [
                (0, 1, 0x20, 0x40),
                (1, least_normal, 0x10, 0x80),
                (least_normal, infinity, 0x8, 0x100),
                (infinity, infinity + 1, 0x4, 0x200),
                (infinity + 1, quiet, 0x1, 0x1),
                (quiet, sign, 0x2, 0x2),
            ];
            let mut any = Operand::Const(0, Type::I1);
            for (from, to, minus, plus) in classes {
                let (minus, plus) = (mask & minus != 0, mask & plus != 0);
                if !minus && !plus {
                    continue;
                }
                let above = self.bin(BinOp::Sub, size, Operand::Const(from, int));
                let mut is = self.compare(IntPred::Ult, above, Operand::Const(to - from, int));
                if !plus {
                    is = self.bin(BinOp::And, is, negative);
                } else if !minus {
                    let positive = self.bin(BinOp::Xor, negative, Operand::Const(1, Type::I1));
                    is = self.bin(BinOp::And, is, positive);
                }
                any = self.bin(BinOp::Or, any, is);
            }
            self.copy(dst, any);
        }
        Ok(())
    }
}

fn unknown(name: &str) -> String {
    format!("intrinsic `{name}`")
}

fn overflow(base: &str) -> Option<OverflowOp> {
    Some(match base {
        "sadd.with.overflow" => OverflowOp::SAdd,
        "uadd.with.overflow" => OverflowOp::UAdd,
        "ssub.with.overflow" => OverflowOp::SSub,
        "usub.with.overflow" => OverflowOp::USub,
        "smul.with.overflow" => OverflowOp::SMul,
        "umul.with.overflow" => OverflowOp::UMul,
        _ => return None,
    })
}

fn unary(base: &str) -> Option<UnOp> {
    Some(match base {
        "ctpop" => UnOp::Ctpop,
        "ctlz" => UnOp::Ctlz,
        "cttz" => UnOp::Cttz,
        "bswap" => UnOp::Bswap,
        "bitreverse" => UnOp::BitReverse,
        "abs" => UnOp::Abs,
        "fabs" => UnOp::FAbs,
        "sqrt" => UnOp::FSqrt,
        "floor" => UnOp::FFloor,
        "ceil" => UnOp::FCeil,
        "trunc" => UnOp::FTrunc,
        "round" => UnOp::FRound,
        "rint" | "nearbyint" | "roundeven" => UnOp::FRoundEven,
        _ => return None,
    })
}

fn float_conversion(base: &str) -> Option<CastOp> {
    Some(match base {
        "fptosi.sat" => CastOp::FToSSat,
        "fptoui.sat" => CastOp::FToUSat,
        _ => return None,
    })
}

/// Functions of the mathematical library that have an intrinsic.
fn library_function(base: &str) -> Option<&str> {
    const NAMES: [&str; 22] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "exp10",
        "log", "log2", "log10", "pow", "cbrt", "hypot", "expm1", "log1p", "fmod",
    ];
    NAMES.contains(&base).then_some(base)
}

fn two_operands(base: &str, dst: Reg, a: Operand, b: Operand) -> Option<InstKind> {
    let bin = |op| InstKind::Bin {
        op,
        dst,
        a,
        b,
        nsw: false,
        nuw: false,
    };
    let saturating = |op| InstKind::Saturating { op, dst, a, b };
    let extreme = |op| InstKind::MinMax { op, dst, a, b };
    Some(match base {
        "sadd.sat" => saturating(SatOp::SAdd),
        "uadd.sat" => saturating(SatOp::UAdd),
        "ssub.sat" => saturating(SatOp::SSub),
        "usub.sat" => saturating(SatOp::USub),
        "sshl.sat" => saturating(SatOp::SShl),
        "ushl.sat" => saturating(SatOp::UShl),
        "smin" => extreme(MinMax::SMin),
        "smax" => extreme(MinMax::SMax),
        "umin" => extreme(MinMax::UMin),
        "umax" => extreme(MinMax::UMax),
        "minnum" | "fmin" => bin(BinOp::FMin),
        "maxnum" | "fmax" => bin(BinOp::FMax),
        "copysign" => bin(BinOp::FCopySign),
        "ptrmask" => bin(BinOp::And),
        "add" => bin(BinOp::Add),
        "mul" => bin(BinOp::Mul),
        "and" => bin(BinOp::And),
        "or" => bin(BinOp::Or),
        "xor" => bin(BinOp::Xor),
        "fadd" => bin(BinOp::FAdd),
        "fmul" => bin(BinOp::FMul),
        _ => return None,
    })
}
