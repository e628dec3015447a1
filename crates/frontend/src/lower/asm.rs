//! Inline assembly: the idioms of concurrent C on x86-64, and nothing else.
//!
//! Understood are the compiler barrier, pauses, fences, and one locked instruction (add, sub, and, or, xor, inc, dec, xadd,
//! cmpxchg, xchg), also with its zero flag as an output. Values of locked instructions keep their type's width.

use super::function::{FnLower, Lower};
use crate::llvm::Value;
use selvedge_ir::{AtomicOrder, BinOp, CastOp, InstKind, IntPred, Operand, Reg, RmwOp, Type};

/// One operand of the assembly, as its constraint describes it.
struct Slot {
    /// Letters of the constraint: `r`, `m`, `{ax}`, `{@ccz}`.
    class: String,
    /// What comes in: a value, or the address of one if `indirect`.
    input: Option<Operand>,
    indirect: bool,
    /// The type of the memory at an indirect operand.
    memory: Option<Type>,
    /// Where an output goes.
    output: Option<Reg>,
    /// The output that an input shares its register with.
    tied: Option<usize>,
}

/// An operand in the text.
enum Place {
    /// `$0`.
    Slot(usize),
    /// `($0)`: the memory that a register points to.
    At(usize),
    /// `$$5`.
    Immediate(i64),
    /// A register by name, or something more complicated.
    Other,
}

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn assembly(&mut self, inst: Value<'m>, callee: Value<'m>) -> Lower<()> {
        let (text, constraints) = callee.asm().ok_or("inline assembly")?;
        let known = self.idiom(inst, &text, &constraints)?;
        known.ok_or_else(|| format!("inline assembly `{}` ({constraints})", text.trim()))
    }

    fn idiom(&mut self, inst: Value<'m>, text: &str, constraints: &str) -> Lower<Option<()>> {
        let Some(slots) = self.slots(inst, constraints)? else {
            return Ok(None);
        };
        let lines = instructions(text);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let barrier = constraints.contains("~{memory}");
        match lines.as_slice() {
            [] => return Ok(self.empty(&slots, barrier)),
            ["pause" | "rep nop" | "nop"] => self.emit(InstKind::Pause),
            ["mfence"] => self.full_barrier(AtomicOrder::SeqCst),
            ["lfence"] => self.full_barrier(AtomicOrder::Acquire),
            ["sfence"] => self.full_barrier(AtomicOrder::Release),
            [one] if is_stack_fence(one) => self.full_barrier(AtomicOrder::SeqCst),
            [one] => return Ok(self.locked(one, None, &slots)),
            [one, flag] => {
                let Some(("sete" | "setz", place)) = flag.split_once(' ') else {
                    return Ok(None);
                };
                let Place::Slot(flag) = place_of(place) else {
                    return Ok(None);
                };
                return Ok(self.locked(one, Some(flag), &slots));
            }
            _ => return Ok(None),
        }
        Ok(slots.is_empty().then_some(()))
    }

    fn full_barrier(&mut self, order: AtomicOrder) {
        self.emit(InstKind::Fence {
            order,
            single_thread: false,
        });
    }

    /// Assembly without instructions: its outputs are the inputs tied to them.
    fn empty(&mut self, slots: &[Slot], barrier: bool) -> Option<()> {
        let tied = |i: usize| slots.iter().find(|s| s.tied == Some(i)).and_then(|s| s.input);
        let mut copies = Vec::new();
        for (i, slot) in slots.iter().enumerate() {
            if let Some(dst) = slot.output {
                copies.push((dst, tied(i)?));
            }
        }
        for (dst, value) in copies {
            self.copy(dst, value);
        }
        if barrier {
            self.emit(InstKind::Fence {
                order: AtomicOrder::SeqCst,
                single_thread: true,
            });
        }
        Some(())
    }

    /// The operands, in the order in which the text numbers them.
    fn slots(&mut self, inst: Value<'m>, constraints: &str) -> Lower<Option<Vec<Slot>>> {
        let mut results = self.results(inst)?.into_iter();
        let mut next_argument = 0;
        let mut slots = Vec::new();
        for constraint in constraints.split(',') {
            if constraint.starts_with('~') || constraint.is_empty() {
                continue;
            }
            if constraint.starts_with('!') {
                return Ok(None);
            }
            let is_output = constraint.starts_with('=');
            let class = constraint.trim_start_matches(['=', '&', '%']);
            let indirect = class.starts_with('*');
            let class = class.trim_start_matches('*').to_owned();
            let mut slot = Slot {
                tied: class.parse().ok(),
                class,
                input: None,
                indirect,
                memory: None,
                output: None,
            };
            if is_output && !indirect {
                slot.output = results.next();
                if slot.output.is_none() {
                    return Ok(None);
                }
            } else {
                let argument = inst.operand(next_argument).ok_or("an assembly operand")?;
                if indirect {
                    let ty = inst.arg_type_attribute(next_argument, "elementtype");
                    slot.memory = ty.and_then(|t| super::flatten::scalar(t).ok());
                }
                slot.input = Some(self.part(argument)?);
                next_argument += 1;
            }
            slots.push(slot);
        }
        Ok(Some(slots))
    }

    /// One locked instruction; `flag` is the output that receives whether the zero flag is set.
    fn locked(&mut self, line: &str, flag: Option<usize>, slots: &[Slot]) -> Option<()> {
        let (lock, line) = match line.strip_prefix("lock ") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, line),
        };
        let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
        let places: Vec<Place> = operands.split(',').map(|o| place_of(o.trim())).collect();
        let (base, suffix) = split_suffix(mnemonic);
        // Only `xchg` locks by itself.
        if !lock && base != "xchg" {
            return None;
        }
        let condition = |s: &Slot| matches!(s.class.as_str(), "{@ccz}" | "{@cce}");
        let flag = flag.or_else(|| slots.iter().position(condition));
        let memory = |place: &Place| match place {
            Place::Slot(i) => {
                let slot = slots.get(*i).filter(|s| s.indirect)?;
                Some((slot.input?, suffix.or(slot.memory)?))
            }
            Place::At(i) => Some((slots.get(*i).filter(|s| !s.indirect)?.input?, suffix?)),
            _ => None,
        };
        match (base, places.as_slice()) {
            ("inc" | "dec", [at]) => {
                let (ptr, ty) = memory(at)?;
                let op = if base == "inc" { RmwOp::Add } else { RmwOp::Sub };
                self.arithmetic(op, ptr, Operand::Const(1, ty), ty, flag, slots)
            }
            ("add" | "sub" | "and" | "or" | "xor", [source, at]) => {
                let (ptr, ty) = memory(at)?;
                let value = self.source(source, ty, slots)?;
                let op = match base {
                    "add" => RmwOp::Add,
                    "sub" => RmwOp::Sub,
                    "and" => RmwOp::And,
                    "or" => RmwOp::Or,
                    _ => RmwOp::Xor,
                };
                self.arithmetic(op, ptr, value, ty, flag, slots)
            }
            ("xadd" | "xchg", [a, b]) if flag.is_none() => {
                let (register, (ptr, ty)) = match (memory(b), memory(a)) {
                    (Some(at), _) => (a, at),
                    (None, Some(at)) if base == "xchg" => (b, at),
                    _ => return None,
                };
                let Place::Slot(out) = *register else { return None };
                let value = self.tied_value(out, ty, slots)?;
                let op = if base == "xadd" { RmwOp::Add } else { RmwOp::Xchg };
                let old = self.reg(ty);
                self.emit(InstKind::Rmw {
                    op,
                    dst: old,
                    ptr,
                    value,
                    ty,
                    order: AtomicOrder::SeqCst,
                });
                self.outputs(slots, &[(out, Operand::Reg(old))])
            }
            ("cmpxchg", [source, at]) => {
                let (ptr, ty) = memory(at)?;
                let new = self.source(source, ty, slots)?;
                let ax = slots
                    .iter()
                    .position(|s| s.output.is_some() && matches!(s.class.as_str(), "{ax}" | "a"))?;
                let expected = self.tied_value(ax, ty, slots)?;
                let (old, success) = (self.reg(ty), self.reg(Type::I1));
                self.emit(InstKind::CompareExchange {
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
                let mut values = vec![(ax, Operand::Reg(old))];
                values.extend(flag.map(|f| (f, Operand::Reg(success))));
                self.outputs(slots, &values)
            }
            _ => None,
        }
    }

    /// A locked instruction that leaves nothing but memory and the zero flag.
    fn arithmetic(
        &mut self,
        op: RmwOp,
        ptr: Operand,
        value: Operand,
        ty: Type,
        flag: Option<usize>,
        slots: &[Slot],
    ) -> Option<()> {
        let old = self.reg(ty);
        self.emit(InstKind::Rmw {
            op,
            dst: old,
            ptr,
            value,
            ty,
            order: AtomicOrder::SeqCst,
        });
        let Some(flag) = flag else {
            return self.outputs(slots, &[]);
        };
        let again = match op {
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::And => BinOp::And,
            RmwOp::Or => BinOp::Or,
            _ => BinOp::Xor,
        };
        let new = self.bin(again, Operand::Reg(old), value);
        let zero = self.reg(Type::I1);
        self.emit(InstKind::Cmp {
            pred: IntPred::Eq,
            dst: zero,
            a: new,
            b: Operand::Const(0, ty),
            ty,
        });
        self.outputs(slots, &[(flag, Operand::Reg(zero))])
    }

    /// The value of a source operand, in the width of the access.
    fn source(&mut self, place: &Place, ty: Type, slots: &[Slot]) -> Option<Operand> {
        match *place {
            Place::Immediate(n) => Some(Operand::Const(truncate(n as i128 as u128, ty), ty)),
            Place::Slot(i) => {
                let slot = slots.get(i)?;
                match slot.output {
                    Some(_) => self.tied_value(i, ty, slots),
                    None if slot.indirect => None,
                    None => {
                        let value = slot.input?;
                        self.resize(value, ty)
                    }
                }
            }
            Place::At(_) | Place::Other => None,
        }
    }

    /// The value that comes in through an output's register.
    fn tied_value(&mut self, output: usize, ty: Type, slots: &[Slot]) -> Option<Operand> {
        slots.get(output)?.output?;
        let value = slots.iter().find(|s| s.tied == Some(output))?.input?;
        self.resize(value, ty)
    }

    fn resize(&mut self, value: Operand, ty: Type) -> Option<Operand> {
        let from = self.type_of(value);
        if from == ty {
            return Some(value);
        }
        if let (Operand::Const(n, Type::Int(_)), Type::Int(_)) = (value, ty) {
            return (ty.bits() <= from.bits()).then(|| Operand::Const(truncate(n, ty), ty));
        }
        let op = match (from, ty) {
            _ if from.bits() == ty.bits() => CastOp::Bitcast,
            (Type::Int(_), Type::Int(_)) if ty.bits() < from.bits() => CastOp::Trunc,
            // The upper bits of the register are not known here.
            _ => return None,
        };
        Some(self.cast(op, value, ty))
    }

    /// Assigns all outputs; gives up if one is not among the values.
    fn outputs(&mut self, slots: &[Slot], values: &[(usize, Operand)]) -> Option<()> {
        for (i, slot) in slots.iter().enumerate() {
            let Some(dst) = slot.output else { continue };
            let &(_, value) = values.iter().find(|&&(of, _)| of == i)?;
            let (from, to) = (self.type_of(value), self.reg_type(dst));
            if from == to {
                self.copy(dst, value);
            } else if from.bits() == to.bits() {
                self.emit(InstKind::Cast {
                    op: CastOp::Bitcast,
                    dst,
                    a: value,
                    from,
                });
            } else if from == Type::I1 && matches!(to, Type::Int(_)) {
                self.emit(InstKind::Cast {
                    op: CastOp::ZExt,
                    dst,
                    a: value,
                    from,
                });
            } else {
                return None;
            }
        }
        Some(())
    }
}

fn truncate(value: u128, ty: Type) -> u128 {
    if ty.bits() >= 128 {
        value
    } else {
        value & ((1 << ty.bits()) - 1)
    }
}

/// The instructions of a text, one a line, blanks made single; prefixes stand before their instruction.
fn instructions(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut prefix = String::new();
    for line in text.split([';', '\n']) {
        // Clang writes alternatives for dialects as `{att|intel}`.
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = words.join(" ");
        match line.as_str() {
            "" => {}
            // Where code lies is nothing a program can see.
            directive if directive.starts_with(".p2align ") || directive.starts_with(".balign ") => {}
            "lock" | "rep" => {
                prefix = line;
                prefix.push(' ');
            }
            _ => lines.push(std::mem::take(&mut prefix) + &line),
        }
    }
    if !prefix.is_empty() {
        lines.push(prefix);
    }
    lines
}

/// `lock addl $0,0(%rsp)`: a fence in the form of a locked instruction on the thread's own stack.
fn is_stack_fence(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("lock ") else {
        return false;
    };
    let (mnemonic, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let operands: String = operands.split_whitespace().collect();
    let harmless = matches!(split_suffix(mnemonic).0, "add" | "or" | "xor" | "sub")
        && (operands.starts_with("$$0,") || operands.starts_with("$$0x0,"));
    harmless && (operands.ends_with("(%rsp)") || operands.ends_with("(%esp)"))
}

/// A mnemonic without its width, and the width.
fn split_suffix(mnemonic: &str) -> (&str, Option<Type>) {
    const BASES: [&str; 10] = [
        "add", "sub", "and", "or", "xor", "inc", "dec", "xadd", "xchg", "cmpxchg",
    ];
    if BASES.contains(&mnemonic) {
        return (mnemonic, None);
    }
    for (suffix, bits) in [("b", 8), ("w", 16), ("l", 32), ("q", 64)] {
        if let Some(base) = mnemonic.strip_suffix(suffix)
            && BASES.contains(&base)
        {
            return (base, Some(Type::Int(bits)));
        }
    }
    (mnemonic, None)
}

/// An operand of an instruction.
fn place_of(text: &str) -> Place {
    if let Some(number) = text.strip_prefix("$$") {
        return number.parse().map_or(Place::Other, Place::Immediate);
    }
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let number = |t: &str| -> Option<usize> {
        let t = t.strip_prefix('$')?;
        match t.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            Some(modified) => modified.split(':').next()?.parse().ok(),
            None => t.parse().ok(),
        }
    };
    match inner {
        Some(inner) => number(inner).map_or(Place::Other, Place::At),
        None => number(text).map_or(Place::Other, Place::Slot),
    }
}

#[cfg(test)]
mod tests {
    use super::{instructions, is_stack_fence};

    #[test]
    fn prefixes_join_their_instruction() {
        assert_eq!(instructions("lock; addl $1,$0"), ["lock addl $1,$0"]);
        assert_eq!(instructions("rep; nop"), ["rep nop"]);
        assert_eq!(
            instructions("\n\tlock\n\t xaddl  $0, $1\n"),
            ["lock xaddl $0, $1"]
        );
        assert!(instructions("").is_empty());
    }

    #[test]
    fn fences_on_the_stack() {
        assert!(is_stack_fence("lock addl $$0,0(%rsp)"));
        assert!(is_stack_fence("lock orq $$0, (%rsp)"));
        assert!(!is_stack_fence("lock addl $$1,0(%rsp)"));
    }
}
