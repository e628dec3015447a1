//! Instructions and terminators of the text format: what follows the statement id.

use super::{Parser, Result};
use crate::parse::lexer::Token;
use crate::{
    AtomicOrder, BinOp, Callee, CastOp, Clause, FloatPred, GepTerm, InstKind, IntPred, MinMax, Operand,
    OverflowOp, Pad, Reg, RmwOp, SatOp, Terminator, Type, UnOp,
};
use smallvec::SmallVec;

impl<'t> Parser<'t> {
    /// Reads a terminator. If an instruction follows instead, consumes nothing and returns `None`.
    pub(super) fn terminator(&mut self) -> Result<Option<Terminator>> {
        let Token::Word(word) = self.token else {
            return Ok(None);
        };
        if !matches!(
            word,
            "jump" | "branch" | "switch" | "goto" | "return" | "invoke" | "unreachable" | "trap"
        ) {
            return Ok(None);
        }
        self.advance()?;
        Ok(Some(match word {
            "jump" => Terminator::Jump(self.block_id()?),
            "branch" => {
                let cond = self.operand()?;
                self.sign(',')?;
                let then = self.block_id()?;
                self.sign(',')?;
                let otherwise = self.block_id()?;
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                }
            }
            "switch" => self.switch()?,
            "goto" => {
                let address = self.operand()?;
                self.sign('[')?;
                let targets = self.list(']', Self::block_id)?;
                Terminator::Indirect { address, targets }
            }
            "return" => Terminator::Return(self.returned()?),
            "invoke" => self.invoke()?,
            "unreachable" => Terminator::Unreachable,
            _ => Terminator::Trap,
        }))
    }

    fn switch(&mut self) -> Result<Terminator> {
        let ty = self.ty()?;
        let value = self.operand()?;
        self.sign(',')?;
        let default = self.block_id()?;
        self.sign('[')?;
        let cases = self.list(']', |parser| {
            let case = parser.integer("a case")?;
            parser.sign(':')?;
            Ok((case, parser.block_id()?))
        })?;
        Ok(Terminator::Switch {
            value,
            ty,
            cases,
            default,
        })
    }

    fn selector(&mut self) -> Result<i32> {
        let number = self.signed("a selector")?;
        match i32::try_from(number) {
            Ok(selector) => Ok(selector),
            Err(_) => self.fail(format!("{number} is too large for a selector")),
        }
    }

    fn invoke(&mut self) -> Result<Terminator> {
        let normal = self.block_id()?;
        self.sign(',')?;
        let unwind = self.block_id()?;
        self.sign('[')?;
        let clauses = self.list(']', |parser| {
            if parser.flag("catch")? {
                return Ok(Clause::Catch {
                    selector: parser.selector()?,
                    ty: parser.operand()?,
                });
            }
            if !parser.flag("filter")? {
                return parser.expected("`catch` or `filter`");
            }
            let selector = parser.selector()?;
            parser.sign('[')?;
            let types = parser.list(']', Self::operand)?;
            Ok(Clause::Filter { types, selector })
        })?;
        let pad = Pad {
            clauses,
            cleanup: self.flag("cleanup")?,
        };
        Ok(Terminator::Invoke { normal, unwind, pad })
    }

    /// The operands of a return; none if the next block or the end of the function follows.
    fn returned(&mut self) -> Result<SmallVec<[Operand; 1]>> {
        let mut values = SmallVec::new();
        match self.token {
            Token::Sign('}') => return Ok(values),
            Token::Word(word) if word.starts_with('b') => return Ok(values),
            _ => {}
        }
        loop {
            values.push(self.operand()?);
            if !self.accept(',')? {
                return Ok(values);
            }
        }
    }

    /// An instruction.
    pub(super) fn inst(&mut self) -> Result<InstKind> {
        let results = self.results()?;
        let Token::Word(name) = self.token else {
            return self.expected("an instruction or a terminator");
        };
        let start = self.start;
        self.advance()?;
        if name == "call" {
            return self.call(results);
        }
        let inst = match results[..] {
            [] => self.without_result(name)?,
            [dst] => self.with_result(name, dst)?,
            [first, second] => self.with_two_results(name, first, second)?,
            _ => None,
        };
        inst.ok_or_else(|| {
            let message = match results.len() {
                0 => format!("no instruction without a result and no terminator is called `{name}`"),
                n => format!("no instruction with this number of results ({n}) is called `{name}`"),
            };
            self.lexer.error(start, message)
        })
    }

    /// `r1, r2 =`, or nothing.
    fn results(&mut self) -> Result<SmallVec<[Reg; 1]>> {
        let mut results = SmallVec::new();
        // No instruction without a result has a name of the form `r1`.
        if !matches!(self.token, Token::Word(word) if super::id_number(word, "r").is_some()) {
            return Ok(results);
        }
        loop {
            results.push(self.reg()?);
            if !self.accept(',')? {
                break;
            }
        }
        self.sign('=')?;
        Ok(results)
    }

    fn call(&mut self, results: SmallVec<[Reg; 1]>) -> Result<InstKind> {
        let callee = if self.accept('*')? {
            Callee::Indirect(self.operand()?)
        } else {
            Callee::Direct(self.func_id()?)
        };
        let arguments = self.parenthesised(|parser| {
            let argument = parser.operand()?;
            if parser.flag("as")? {
                return Ok((argument, parser.ty()?));
            }
            match argument.own_type() {
                Some(ty) => Ok((argument, ty)),
                None => parser.expected("`as` and the type of the argument"),
            }
        })?;
        let (args, types) = arguments.into_iter().unzip();
        Ok(InstKind::Call {
            results,
            callee,
            args,
            types,
        })
    }

    fn without_result(&mut self, name: &str) -> Result<Option<InstKind>> {
        Ok(Some(match name {
            "lifetime_start" => InstKind::LifetimeStart {
                local: self.local_id()?,
            },
            "lifetime_end" => InstKind::LifetimeEnd {
                local: self.local_id()?,
            },
            "stack_restore" => InstKind::StackRestore {
                token: self.operand()?,
            },
            "store" => self.store()?,
            "fence" => InstKind::Fence {
                single_thread: self.flag("single_thread")?,
                order: self.order()?,
            },
            "memcpy" | "memmove" => {
                let [dst, src, len] = self.operands()?;
                InstKind::MemCopy {
                    dst,
                    src,
                    len,
                    overlap: name == "memmove",
                }
            }
            "memset" => {
                let [dst, value, len] = self.operands()?;
                InstKind::MemSet { dst, value, len }
            }
            "va_start" => InstKind::VaStart {
                list: self.operand()?,
            },
            "va_copy" => {
                let [dst, src] = self.operands()?;
                InstKind::VaCopy { dst, src }
            }
            "pause" => InstKind::Pause,
            "unsupported" => InstKind::Unsupported { what: self.text()? },
            _ => return Ok(None),
        }))
    }

    fn with_result(&mut self, name: &str, dst: Reg) -> Result<Option<InstKind>> {
        if let Some(op) = BinOp::from_name(name) {
            let (nsw, nuw) = (self.flag("nsw")?, self.flag("nuw")?);
            let [a, b] = self.operands()?;
            return Ok(Some(InstKind::Bin {
                op,
                dst,
                a,
                b,
                nsw,
                nuw,
            }));
        }
        if let Some(op) = UnOp::from_name(name) {
            return Ok(Some(InstKind::Un {
                op,
                dst,
                a: self.operand()?,
            }));
        }
        if let Some(op) = MinMax::from_name(name) {
            let [a, b] = self.operands()?;
            return Ok(Some(InstKind::MinMax { op, dst, a, b }));
        }
        if let Some(op) = CastOp::from_name(name) {
            return Ok(Some(InstKind::Cast {
                op,
                dst,
                from: self.ty()?,
                a: self.operand()?,
            }));
        }
        Ok(Some(match name {
            "copy" => InstKind::Copy {
                dst,
                value: self.operand()?,
            },
            "cmp" => {
                let (pred, ty) = (self.named("a predicate", IntPred::from_name)?, self.ty()?);
                let [a, b] = self.operands()?;
                InstKind::Cmp { pred, dst, a, b, ty }
            }
            "fcmp" => {
                let (pred, ty) = (self.named("a predicate", FloatPred::from_name)?, self.ty()?);
                let [a, b] = self.operands()?;
                InstKind::FCmp { pred, dst, a, b, ty }
            }
            "select" => {
                let [cond, a, b] = self.operands()?;
                InstKind::Select { dst, cond, a, b }
            }
            "sat" => {
                let op = self.named("a saturating operation", SatOp::from_name)?;
                let [a, b] = self.operands()?;
                InstKind::Saturating { op, dst, a, b }
            }
            "fshl" | "fshr" => {
                let [a, b, amount] = self.operands()?;
                InstKind::Funnel {
                    left: name == "fshl",
                    dst,
                    a,
                    b,
                    amount,
                }
            }
            "fma" => {
                let [a, b, c] = self.operands()?;
                InstKind::Fma { dst, a, b, c }
            }
            "local" => InstKind::LocalAddr {
                dst,
                local: self.local_id()?,
            },
            "alloca" => InstKind::Alloca {
                dst,
                size: self.operand()?,
                align: self.alignment()?,
            },
            "stack_save" => InstKind::StackSave { dst },
            "gep" => self.gep(dst)?,
            "load" => InstKind::Load {
                dst,
                volatile: self.flag("volatile")?,
                order: self.atomic()?,
                ty: self.ty()?,
                ptr: self.operand()?,
                align: self.alignment()?,
            },
            "rmw" => {
                let op = self.named("an operation", RmwOp::from_name)?;
                let (order, ty) = (self.order()?, self.ty()?);
                let [ptr, value] = self.operands()?;
                InstKind::Rmw {
                    op,
                    dst,
                    ptr,
                    value,
                    ty,
                    order,
                }
            }
            _ => return Ok(None),
        }))
    }

    fn with_two_results(&mut self, name: &str, first: Reg, second: Reg) -> Result<Option<InstKind>> {
        Ok(Some(match name {
            "overflow" => {
                let op = self.named("an operation with overflow", OverflowOp::from_name)?;
                let [a, b] = self.operands()?;
                InstKind::Overflow {
                    op,
                    dst: first,
                    overflow: second,
                    a,
                    b,
                }
            }
            "cmpxchg" => {
                let weak = self.flag("weak")?;
                let (order, failure, ty) = (self.order()?, self.order()?, self.ty()?);
                let [ptr, expected, new] = self.operands()?;
                InstKind::CompareExchange {
                    old: first,
                    success: second,
                    ptr,
                    expected,
                    new,
                    ty,
                    order,
                    failure,
                    weak,
                }
            }
            "landing_pad" => InstKind::LandingPad {
                exception: first,
                selector: second,
            },
            _ => return Ok(None),
        }))
    }

    fn gep(&mut self, dst: Reg) -> Result<InstKind> {
        let inbounds = self.flag("inbounds")?;
        let base = self.operand()?;
        self.sign(',')?;
        let offset = self.signed("an offset")?;
        self.sign('[')?;
        let terms = self.list(']', |parser| {
            let index = parser.operand()?;
            parser.sign(':')?;
            let bits = parser.integer("a width in bits")?;
            parser.sign('*')?;
            let stride = parser.signed("a stride")?;
            Ok(GepTerm { index, bits, stride })
        })?;
        Ok(InstKind::Gep {
            dst,
            base,
            offset,
            terms: terms.into(),
            inbounds,
        })
    }

    fn store(&mut self) -> Result<InstKind> {
        let volatile = self.flag("volatile")?;
        let order = self.atomic()?;
        let ty = self.ty()?;
        let [value, ptr] = self.operands()?;
        let align = self.alignment()?;
        Ok(InstKind::Store {
            ptr,
            value,
            ty,
            align,
            volatile,
            order,
        })
    }

    /// A fixed number of operands with commas.
    fn operands<const N: usize>(&mut self) -> Result<[Operand; N]> {
        let mut operands = [Operand::Undef(Type::I1); N];
        for (i, operand) in operands.iter_mut().enumerate() {
            if i > 0 {
                self.sign(',')?;
            }
            *operand = self.operand()?;
        }
        Ok(operands)
    }

    /// `, align n`.
    fn alignment(&mut self) -> Result<u32> {
        self.sign(',')?;
        self.attribute("align")
    }

    /// `atomic` and an order, or nothing.
    fn atomic(&mut self) -> Result<Option<AtomicOrder>> {
        if self.flag("atomic")? {
            self.order().map(Some)
        } else {
            Ok(None)
        }
    }

    fn order(&mut self) -> Result<AtomicOrder> {
        self.named("a memory order", AtomicOrder::from_name)
    }

    /// A word of one of the tables in `names.rs`.
    fn named<T>(&mut self, what: &str, from_name: impl Fn(&str) -> Option<T>) -> Result<T> {
        let found = match self.token {
            Token::Word(word) => from_name(word),
            _ => None,
        };
        match found {
            Some(found) => {
                self.advance()?;
                Ok(found)
            }
            None => self.expected(what),
        }
    }
}
