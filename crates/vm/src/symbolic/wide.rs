//! Instructions in the IR's form on symbolic values: wide integers, rare arithmetic, floats.

use crate::arithmetic::partly::{DISTANCE, OVERFLOWING};
use crate::code::{ComplexOperands, NONE};
use crate::interp::stop::{Stop, Trouble};
use crate::memory::Site;
use crate::value::{Poison, Value};
use crate::vm::Vm;
use selvedge_base::ThreadId;
use selvedge_expr::{Arena, BinOp, CmpOp, Expr, FBinOp, FPred, FUnOp, UnOp};
use selvedge_ir as ir;
use selvedge_ir::{InstKind, MinMax, OverflowOp, SatOp, Type};
use selvedge_model::FaultKind;

/// A value of up to 128 bits.
enum Word {
    /// An expression of its type's width.
    Expr(Expr),
    /// Some of its bits are undefined.
    Undefined,
    /// It is poison, with this value.
    Poison(Value),
}

impl Vm {
    /// Executes an instruction if it computes a value and some operand is symbolic; otherwise
    /// `None`.
    pub(crate) fn compute_symbolic(
        &mut self,
        thread: ThreadId,
        kind: &InstKind,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Option<Result<(), Trouble>> {
        let any = operands.operands.iter().any(|&(low, high)| {
            self.slot(thread, low).is_symbolic() || (high != NONE && self.slot(thread, high).is_symbolic())
        });
        if !any {
            return None;
        }
        match kind {
            InstKind::Bin { .. }
            | InstKind::Un { .. }
            | InstKind::Cast { .. }
            | InstKind::Cmp { .. }
            | InstKind::FCmp { .. }
            | InstKind::Overflow { .. }
            | InstKind::Saturating { .. }
            | InstKind::MinMax { .. }
            | InstKind::Funnel { .. }
            | InstKind::Fma { .. } => Some(self.compute(thread, kind, operands, site, performing)),
            InstKind::Select { .. } => {
                let condition = self.slot(thread, operands.operands[0].0);
                if !self.has_truth(condition) {
                    self.join_words(thread, operands, condition);
                    return Some(Ok(()));
                }
                let holds = match self.decide(thread, site, performing, condition, "the condition") {
                    Ok(holds) => holds,
                    Err(stop) => return Some(Err(Trouble::Stop(stop))),
                };
                self.select_words(thread, operands, holds);
                Some(Ok(()))
            }
            InstKind::Gep {
                offset,
                terms,
                inbounds,
                ..
            } => {
                let base = self.slot(thread, operands.operands[0].0);
                let scaled: Vec<(Value, u8, u64)> = terms
                    .iter()
                    .zip(&operands.operands[1..])
                    .map(|(term, &(index, _))| (self.slot(thread, index), term.bits, term.stride as u64))
                    .collect();
                let fits = !*inbounds
                    || match self.offsets_fit(thread, site, performing, &scaled) {
                        Ok(fits) => fits,
                        Err(stop) => return Some(Err(Trouble::Stop(stop))),
                    };
                let address = if fits {
                    self.symbolic_address(base, &scaled, *offset as u64, *inbounds)
                } else {
                    Value::poison(0, Poison::AddressOverflow)
                };
                self.set_slot(thread, operands.results[0].0, address);
                Some(Ok(()))
            }
            _ => None,
        }
    }

    fn word(&self, thread: ThreadId, operands: &ComplexOperands, i: usize) -> Word {
        let (low, high) = operands.operands[i];
        let width = operands.types[i].bits() as u8;
        let (low, high) = (
            self.slot(thread, low).as_number(),
            (high != NONE).then(|| self.slot(thread, high)),
        );
        let tags = &self.state.memory.tags;
        let mut parts = [Some(low), high].into_iter().flatten();
        if let Some(poison) = parts.clone().find(|v| v.tag.as_poison().is_some()) {
            return Word::Poison(poison);
        }
        let undefined = |v: Value| match tags.symbol(v.tag) {
            Some(symbol) => symbol.undefined != 0,
            None => !v.is_concrete(),
        };
        if parts.any(undefined) {
            return Word::Undefined;
        }
        Word::Expr(match high {
            None => tags.expr(low, width),
            Some(high) => tags.arena.concat(tags.expr(high, width - 64), tags.expr(low, 64)),
        })
    }

    /// Sets a result to an expression of its type's width.
    fn set_expr(&mut self, thread: ThreadId, operands: &ComplexOperands, i: usize, expr: Expr) {
        let (slot, ty) = operands.results[i];
        let tags = &self.state.memory.tags;
        let expr = tags.fit(expr, ty.bits() as u8);
        let low = tags.of(tags.fit(expr, ty.bits().min(64) as u8));
        let high = ty
            .is_wide()
            .then(|| tags.of(tags.arena.extract(expr, 64, ty.bits() as u8 - 64)));
        self.set_slot(thread, slot, low);
        if let Some(high) = high {
            self.set_slot(thread, slot + 1, high);
        }
    }

    fn set_without_value(&mut self, thread: ThreadId, operands: &ComplexOperands, poison: Option<Value>) {
        for &(slot, ty) in &operands.results {
            for (i, bits) in [ty.bits().min(64), ty.bits().saturating_sub(64)]
                .into_iter()
                .enumerate()
            {
                if bits > 0 {
                    let value =
                        poison.unwrap_or_else(|| self.state.memory.tags.value(0, u64::MAX >> (64 - bits)));
                    self.set_slot(thread, slot + i as u16, value);
                }
            }
        }
    }

    fn compute(
        &mut self,
        thread: ThreadId,
        kind: &InstKind,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let divides = matches!(
            kind,
            InstKind::Bin {
                op: ir::BinOp::UDiv | ir::BinOp::SDiv | ir::BinOp::URem | ir::BinOp::SRem,
                ..
            }
        );
        let mut words = Vec::with_capacity(operands.operands.len());
        let (mut undefined, mut poison) = (false, None);
        for i in 0..operands.operands.len() {
            match self.word(thread, operands, i) {
                Word::Expr(expr) => words.push(expr),
                _ if divides && i == 1 => {
                    let value = self.slot(thread, operands.operands[1].0);
                    let value = if value.tag.as_poison().is_some() {
                        value
                    } else {
                        Value::UNDEF
                    };
                    return Err(Trouble::Stop(self.undefined(value, "the divisor", site)));
                }
                Word::Undefined => undefined = true,
                Word::Poison(value) => poison = Some(value),
            }
        }
        if undefined || poison.is_some() {
            if let InstKind::Bin { op, nsw, .. } = kind {
                self.check_undefined(thread, (*op, *nsw), operands, site, performing)
                    .map_err(Trouble::Stop)?;
            }
            self.set_without_value(thread, operands, poison);
            return Ok(());
        }
        let arena = &self.state.memory.tags.arena;
        let (a, b) = (words[0], words.get(1).copied().unwrap_or(words[0]));
        let result = match kind {
            InstKind::Bin { op, nsw, .. } => {
                return self.binary_symbolic(thread, *op, *nsw, operands, (a, b), site, performing);
            }
            InstKind::Un { op, .. } => unary(arena, *op, a),
            InstKind::Cast { op, .. } => {
                return self.cast_symbolic(thread, *op, operands, a, site, performing);
            }
            InstKind::Cmp { pred, .. } => arena.compare(comparison(*pred), a, b),
            InstKind::FCmp { pred, .. } => arena.fcompare(float_comparison(*pred), a, b),
            InstKind::Overflow { op, .. } => {
                let (value, overflow) = overflowing(arena, *op, a, b);
                self.set_expr(thread, operands, 0, value);
                self.set_expr(thread, operands, 1, overflow);
                return Ok(());
            }
            InstKind::Saturating { op, .. } => match op {
                SatOp::SAdd => arena.add_saturating(true, a, b),
                SatOp::UAdd => arena.add_saturating(false, a, b),
                SatOp::SSub => arena.sub_saturating(true, a, b),
                SatOp::USub => arena.sub_saturating(false, a, b),
                SatOp::SShl => arena.shl_saturating(true, a, b),
                SatOp::UShl => arena.shl_saturating(false, a, b),
            },
            InstKind::MinMax { op, .. } => {
                let (signed, greatest) = match op {
                    MinMax::SMin => (true, false),
                    MinMax::SMax => (true, true),
                    MinMax::UMin => (false, false),
                    MinMax::UMax => (false, true),
                };
                arena.min_max(signed, greatest, a, b)
            }
            InstKind::Funnel { left, .. } => arena.funnel(*left, a, b, words[2]),
            InstKind::Fma { .. } => arena.fma(a, b, words[2]),
            _ => return Err(Trouble::Unsupported("an instruction on a symbolic value".into())),
        };
        self.set_expr(thread, operands, 0, result);
        Ok(())
    }

    /// Reports an operation with an expression and an undefined operand if it depends on the latter
    /// whether the operation goes wrong.
    fn check_undefined(
        &mut self,
        thread: ThreadId,
        (op, nsw): (ir::BinOp, bool),
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Stop> {
        let (a, b) = (self.word(thread, operands, 0), self.word(thread, operands, 1));
        let value = |word: &Word| match word {
            Word::Expr(_) => None,
            Word::Undefined => Some(Value::UNDEF),
            Word::Poison(value) => Some(*value),
        };
        let (of_a, of_b) = (value(&a), value(&b));
        let checked = self.program.options.check_overflow && nsw;
        match op {
            ir::BinOp::Shl | ir::BinOp::LShr | ir::BinOp::AShr if of_b.is_some() => {
                Err(self.undefined(of_b.unwrap_or(Value::UNDEF), DISTANCE, site))
            }
            ir::BinOp::SDiv | ir::BinOp::SRem => match (of_a, b) {
                (Some(dividend), Word::Expr(divisor)) => {
                    self.divide_undefined(thread, site, performing, dividend, divisor)
                }
                _ => Ok(()),
            },
            ir::BinOp::Add | ir::BinOp::Sub | ir::BinOp::Mul | ir::BinOp::Shl if checked => {
                Err(self.undefined(of_a.or(of_b).unwrap_or(Value::UNDEF), OVERFLOWING, site))
            }
            _ => Ok(()),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn binary_symbolic(
        &mut self,
        thread: ThreadId,
        op: ir::BinOp,
        nsw: bool,
        operands: &ComplexOperands,
        (a, b): (Expr, Expr),
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let stopped = Trouble::Stop;
        let arena = &self.state.memory.tags.arena;
        let width = arena.width(a);
        match op {
            ir::BinOp::UDiv | ir::BinOp::URem | ir::BinOp::SDiv | ir::BinOp::SRem => {
                let signed = matches!(op, ir::BinOp::SDiv | ir::BinOp::SRem);
                self.check_divisor(thread, site, performing, signed, a, b)
                    .map_err(stopped)?;
            }
            ir::BinOp::Shl | ir::BinOp::LShr | ir::BinOp::AShr => {
                let most = arena.constant(width, u128::from(width - 1));
                let fine = arena.compare(CmpOp::Ule, b, most);
                let beyond = arena.not(fine);
                if self
                    .split(thread, site, performing, &[fine, beyond])
                    .map_err(stopped)?
                    == 1
                {
                    let text = format!("shift of a {width}-bit value by as many bits or more");
                    return Err(stopped(self.arithmetic_fault(
                        FaultKind::ShiftOutOfRange,
                        &text,
                        site,
                    )));
                }
            }
            _ => {}
        }
        let may_overflow = matches!(
            op,
            ir::BinOp::Add | ir::BinOp::Sub | ir::BinOp::Mul | ir::BinOp::Shl
        );
        if nsw && may_overflow && self.program.options.check_overflow {
            let arena = &self.state.memory.tags.arena;
            let (overflows, word) = match op {
                ir::BinOp::Add => (arena.add_overflows(true, a, b), "addition"),
                ir::BinOp::Sub => (arena.sub_overflows(true, a, b), "subtraction"),
                ir::BinOp::Shl => {
                    let shifted = arena.binary(BinOp::Shl, a, b);
                    let back = arena.binary(BinOp::AShr, shifted, b);
                    let fits = arena.compare(CmpOp::Eq, back, a);
                    (arena.not(fits), "shift")
                }
                _ => (arena.mul_overflows(true, a, b), "multiplication"),
            };
            let fits = arena.not(overflows);
            if self
                .split(thread, site, performing, &[fits, overflows])
                .map_err(stopped)?
                == 1
            {
                let text = format!("signed {word} overflows {width} bits");
                return Err(stopped(self.arithmetic_fault(
                    FaultKind::SignedOverflow,
                    &text,
                    site,
                )));
            }
        }
        let arena = &self.state.memory.tags.arena;
        let result = match op {
            ir::BinOp::Add => arena.binary(BinOp::Add, a, b),
            ir::BinOp::Sub => arena.binary(BinOp::Sub, a, b),
            ir::BinOp::Mul => arena.binary(BinOp::Mul, a, b),
            ir::BinOp::UDiv => arena.binary(BinOp::UDiv, a, b),
            ir::BinOp::SDiv => arena.binary(BinOp::SDiv, a, b),
            ir::BinOp::URem => arena.binary(BinOp::URem, a, b),
            ir::BinOp::SRem => arena.binary(BinOp::SRem, a, b),
            ir::BinOp::Shl => arena.binary(BinOp::Shl, a, b),
            ir::BinOp::LShr => arena.binary(BinOp::LShr, a, b),
            ir::BinOp::AShr => arena.binary(BinOp::AShr, a, b),
            ir::BinOp::And => arena.binary(BinOp::And, a, b),
            ir::BinOp::Or => arena.binary(BinOp::Or, a, b),
            ir::BinOp::Xor => arena.binary(BinOp::Xor, a, b),
            ir::BinOp::FAdd => arena.fbinary(FBinOp::Add, a, b),
            ir::BinOp::FSub => arena.fbinary(FBinOp::Sub, a, b),
            ir::BinOp::FMul => arena.fbinary(FBinOp::Mul, a, b),
            ir::BinOp::FDiv => arena.fbinary(FBinOp::Div, a, b),
            ir::BinOp::FRem => arena.fbinary(FBinOp::Rem, a, b),
            ir::BinOp::FMin => arena.fmin(a, b),
            ir::BinOp::FMax => arena.fmax(a, b),
            ir::BinOp::FCopySign => arena.fcopysign(a, b),
        };
        self.set_expr(thread, operands, 0, result);
        Ok(())
    }

    fn cast_symbolic(
        &mut self,
        thread: ThreadId,
        op: ir::CastOp,
        operands: &ComplexOperands,
        a: Expr,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        use ir::CastOp::{
            Bitcast, FExt, FToS, FToSSat, FToU, FToUSat, FTrunc, SExt, SToF, Trunc, UToF, ZExt,
        };
        let to = operands.results[0].1.bits() as u8;
        let arena = &self.state.memory.tags.arena;
        let result = match op {
            Trunc => arena.truncate(a, to),
            ZExt => arena.zext(a, to),
            SExt => arena.sext(a, to),
            Bitcast => a,
            FToU | FToS => {
                let signed = op == FToS;
                let fits = arena.to_int_fits(signed, a, to);
                let does_not = arena.not(fits);
                let outcome = self.split(thread, site, performing, &[fits, does_not]);
                if outcome.map_err(Trouble::Stop)? == 1 {
                    let poison = Value::poison(0, Poison::FloatToInt);
                    self.set_without_value(thread, operands, Some(poison));
                    return Ok(());
                }
                self.state.memory.tags.arena.to_int(signed, a, to)
            }
            FToUSat => arena.to_int(false, a, to),
            FToSSat => arena.to_int(true, a, to),
            UToF => arena.from_int(false, a, to),
            SToF => arena.from_int(true, a, to),
            FTrunc | FExt => arena.fconvert(a, to),
        };
        self.set_expr(thread, operands, 0, result);
        Ok(())
    }
}

fn unary(arena: &Arena, op: ir::UnOp, a: Expr) -> Expr {
    match op {
        ir::UnOp::FNeg => arena.fneg(a),
        ir::UnOp::FAbs => arena.fabs(a),
        ir::UnOp::FSqrt => arena.funary(FUnOp::Sqrt, a),
        ir::UnOp::FFloor => arena.funary(FUnOp::Floor, a),
        ir::UnOp::FCeil => arena.funary(FUnOp::Ceil, a),
        ir::UnOp::FTrunc => arena.funary(FUnOp::Trunc, a),
        ir::UnOp::FRound => arena.funary(FUnOp::Round, a),
        ir::UnOp::FRoundEven => arena.funary(FUnOp::RoundEven, a),
        ir::UnOp::Ctpop => arena.unary(UnOp::Ctpop, a),
        ir::UnOp::Ctlz => arena.unary(UnOp::Ctlz, a),
        ir::UnOp::Cttz => arena.unary(UnOp::Cttz, a),
        ir::UnOp::Bswap => arena.unary(UnOp::Bswap, a),
        ir::UnOp::BitReverse => arena.unary(UnOp::BitReverse, a),
        ir::UnOp::Abs => arena.abs(a),
        ir::UnOp::Freeze => a,
    }
}

const fn comparison(pred: ir::IntPred) -> CmpOp {
    match pred {
        ir::IntPred::Eq => CmpOp::Eq,
        ir::IntPred::Ne => CmpOp::Ne,
        ir::IntPred::Ult => CmpOp::Ult,
        ir::IntPred::Ule => CmpOp::Ule,
        ir::IntPred::Ugt => CmpOp::Ugt,
        ir::IntPred::Uge => CmpOp::Uge,
        ir::IntPred::Slt => CmpOp::Slt,
        ir::IntPred::Sle => CmpOp::Sle,
        ir::IntPred::Sgt => CmpOp::Sgt,
        ir::IntPred::Sge => CmpOp::Sge,
    }
}

const fn float_comparison(pred: ir::FloatPred) -> FPred {
    match pred {
        ir::FloatPred::False => FPred::False,
        ir::FloatPred::Oeq => FPred::Oeq,
        ir::FloatPred::Ogt => FPred::Ogt,
        ir::FloatPred::Oge => FPred::Oge,
        ir::FloatPred::Olt => FPred::Olt,
        ir::FloatPred::Ole => FPred::Ole,
        ir::FloatPred::One => FPred::One,
        ir::FloatPred::Ord => FPred::Ord,
        ir::FloatPred::Uno => FPred::Uno,
        ir::FloatPred::Ueq => FPred::Ueq,
        ir::FloatPred::Ugt => FPred::Ugt,
        ir::FloatPred::Uge => FPred::Uge,
        ir::FloatPred::Ult => FPred::Ult,
        ir::FloatPred::Ule => FPred::Ule,
        ir::FloatPred::Une => FPred::Une,
        ir::FloatPred::True => FPred::True,
    }
}

impl Vm {
    /// A read-modify-write of symbolic data: the value to be written. `None` if neither operand is
    /// symbolic, or one is undefined.
    pub(crate) fn combine_symbolic(
        &self,
        op: ir::RmwOp,
        ty: Type,
        old: [Value; 2],
        value: [Value; 2],
    ) -> Option<[Value; 2]> {
        let (tags, width) = (&self.state.memory.tags, ty.bits() as u8);
        let arena = &tags.arena;
        if !old.iter().chain(&value).any(|v| v.is_symbolic()) {
            return None;
        }
        let whole = |[low, high]: [Value; 2]| {
            for v in [low, high] {
                let undefined = tags.symbol(v.tag).map_or(!v.is_concrete(), |s| s.undefined != 0);
                if undefined {
                    return None;
                }
            }
            Some(if width > 64 {
                arena.concat(tags.expr(high, width - 64), tags.expr(low, 64))
            } else {
                tags.expr(low, width)
            })
        };
        let (a, b) = (whole(old)?, whole(value)?);
        let result = match op {
            ir::RmwOp::Xchg => b,
            ir::RmwOp::Add => arena.binary(BinOp::Add, a, b),
            ir::RmwOp::Sub => arena.binary(BinOp::Sub, a, b),
            ir::RmwOp::And => arena.binary(BinOp::And, a, b),
            ir::RmwOp::Nand => arena.not(arena.binary(BinOp::And, a, b)),
            ir::RmwOp::Or => arena.binary(BinOp::Or, a, b),
            ir::RmwOp::Xor => arena.binary(BinOp::Xor, a, b),
            ir::RmwOp::Max => arena.min_max(true, true, a, b),
            ir::RmwOp::Min => arena.min_max(true, false, a, b),
            ir::RmwOp::UMax => arena.min_max(false, true, a, b),
            ir::RmwOp::UMin => arena.min_max(false, false, a, b),
            ir::RmwOp::FAdd => arena.fbinary(FBinOp::Add, a, b),
            ir::RmwOp::FSub => arena.fbinary(FBinOp::Sub, a, b),
            ir::RmwOp::FMax => arena.fmax(a, b),
            ir::RmwOp::FMin => arena.fmin(a, b),
        };
        let low = tags.of(tags.fit(result, width.min(64)));
        let high = if width > 64 {
            tags.of(arena.extract(result, 64, width - 64))
        } else {
            Value::new(0)
        };
        Some([low, high])
    }

    /// The condition that two values are equal, if at least one is symbolic and both are defined.
    pub(crate) fn equal_symbolic(&self, ty: Type, a: [Value; 2], b: [Value; 2]) -> Option<Expr> {
        let tags = &self.state.memory.tags;
        if !a.iter().chain(&b).any(|v| v.is_symbolic()) {
            return None;
        }
        let mut equal = tags.arena.truth(true);
        let words = [ty.bits().min(64), ty.bits().saturating_sub(64)];
        for ((x, y), bits) in a.into_iter().zip(b).zip(words) {
            if bits == 0 {
                continue;
            }
            for v in [x, y] {
                if tags.symbol(v.tag).map_or(!v.is_concrete(), |s| s.undefined != 0) {
                    return None;
                }
            }
            let (x, y) = (tags.expr(x, bits as u8), tags.expr(y, bits as u8));
            equal = tags.arena.and(equal, tags.arena.compare(CmpOp::Eq, x, y));
        }
        Some(equal)
    }
}

fn overflowing(arena: &Arena, op: OverflowOp, a: Expr, b: Expr) -> (Expr, Expr) {
    match op {
        OverflowOp::SAdd => (arena.binary(BinOp::Add, a, b), arena.add_overflows(true, a, b)),
        OverflowOp::UAdd => (arena.binary(BinOp::Add, a, b), arena.add_overflows(false, a, b)),
        OverflowOp::SSub => (arena.binary(BinOp::Sub, a, b), arena.sub_overflows(true, a, b)),
        OverflowOp::USub => (arena.binary(BinOp::Sub, a, b), arena.sub_overflows(false, a, b)),
        OverflowOp::SMul => (arena.binary(BinOp::Mul, a, b), arena.mul_overflows(true, a, b)),
        OverflowOp::UMul => (arena.binary(BinOp::Mul, a, b), arena.mul_overflows(false, a, b)),
    }
}
