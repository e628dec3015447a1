//! Inline assembly for x86-64: straight-line code on integers, atomics and fences.
//!
//! | file | what |
//! | --- | --- |
//! | `text` | the text: instructions and their operands, in AT&T's syntax |
//! | `intel` | the same in Intel's syntax, which Rust uses |
//! | `machine` | registers, memory, the places of operands |
//! | `flags` | the flags that instructions set, and conditions on them |
//! | `idle` | instructions that leave all registers as they were |
//! | `plain` | instructions on registers and memory |
//! | `locked` | atomic instructions |
//!
//! A move between a register and memory is an atomic access with acquire or release order, as an
//! aligned move is on the processor. An instruction without `lock` that reads and writes memory is
//! two such accesses. `cpuid` reports a processor without optional parts. Jumps, uses of the stack
//! pointer, vectors and privileged instructions are unsupported.

mod idle;
mod intel;
mod locked;
mod machine;
mod plain;
mod text;

use super::function::{FnLower, Lower};
use crate::llvm::Value;
use machine::{Flags, Held, Machine, Slot};
use selvedge_ir::{AtomicOrder, CastOp, InstKind, Reg, Type};
use text::Line;

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn assembly(&mut self, inst: Value<'m>, callee: Value<'m>) -> Lower<()> {
        let (text, constraints, is_intel) = callee.asm().ok_or("inline assembly")?;
        let lines = match is_intel {
            true => intel::lines(&text),
            false => text::lines(&text),
        };
        let before = self.insts.len();
        let known = match self.slots(inst, &constraints)? {
            Some(slots) => self.code(&lines, &constraints, &slots),
            None => None,
        };
        known.ok_or_else(|| {
            // Half of it may be there.
            self.insts.truncate(before);
            format!("inline assembly `{}` ({constraints})", text.trim())
        })
    }

    fn code(&mut self, lines: &[Line], constraints: &str, slots: &[Slot]) -> Option<()> {
        if lines.is_empty() && constraints.contains("~{memory}") {
            self.barrier(AtomicOrder::SeqCst, true);
        }
        let mut machine = Machine::new(self, slots);
        let mut rest = lines;
        while let [line, after @ ..] = rest {
            let idle = idle::run(rest);
            if idle > 0 {
                machine.flags = Flags::Unknown;
                rest = &rest[idle..];
                continue;
            }
            if !machine.lower.fence_or_hint(line) {
                machine.execute(line)?;
            }
            rest = after;
        }
        for (index, slot) in slots.iter().enumerate() {
            if let Some(dst) = slot.output {
                machine.output(index, slot, dst)?;
            }
        }
        Some(())
    }

    pub(super) fn barrier(&mut self, order: AtomicOrder, single_thread: bool) {
        self.emit(InstKind::Fence { order, single_thread });
    }

    /// Lowers an instruction that uses no register. Returns true if it was one.
    fn fence_or_hint(&mut self, line: &Line) -> bool {
        match line.mnemonic.as_str() {
            _ if is_stack_fence(line) => self.barrier(AtomicOrder::SeqCst, false),
            _ if line.lock => return false,
            "pause" | "rep nop" | "nop" => self.emit(InstKind::Pause),
            "mfence" => self.barrier(AtomicOrder::SeqCst, false),
            "lfence" => self.barrier(AtomicOrder::Acquire, false),
            "sfence" => self.barrier(AtomicOrder::Release, false),
            "endbr64" | "cld" | "vzeroupper" => {}
            prefetch if prefetch.starts_with("prefetch") => {}
            _ => return false,
        }
        true
    }

    /// The operands, in the order in which the text numbers them.
    fn slots(&mut self, inst: Value<'m>, constraints: &str) -> Lower<Option<Vec<Slot>>> {
        let mut results = self.results(inst)?.into_iter();
        let mut next_argument = 0;
        let mut slots: Vec<Slot> = Vec::new();
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
            let named = class.strip_prefix('{').and_then(|c| c.strip_suffix('}'));
            let physical = named.and_then(text::register).map(|(number, _)| number);
            if let Some(name) = named
                && physical.is_none()
                && !name.starts_with("@cc")
            {
                return Ok(None);
            }
            let mut slot = Slot {
                tied: class.parse().ok(),
                class,
                physical,
                input: None,
                indirect,
                memory: None,
                output: None,
            };
            if slot.tied.is_some_and(|home| home >= slots.len()) {
                return Ok(None);
            }
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
}

impl Machine<'_, '_, '_, '_> {
    /// Assigns an output from its register, or from a condition.
    fn output(&mut self, index: usize, slot: &Slot, dst: Reg) -> Option<()> {
        let to = self.lower.reg_type(dst);
        let named = slot.class.strip_prefix("{@cc").and_then(|c| c.strip_suffix('}'));
        let value = match named {
            Some(condition) => self.condition(condition)?,
            None => match self.registers[self.register_of(index)] {
                Held::Unknown(_) => return None,
                Held::Known(value, _) if self.lower.type_of(value) == to => value,
                Held::Known(..) => self.register(self.register_of(index), to.bits() as u8)?,
            },
        };
        let from = self.lower.type_of(value);
        let op = match (from, to) {
            _ if from == to => {
                self.lower.copy(dst, value);
                return Some(());
            }
            _ if from.bits() == to.bits() => CastOp::Bitcast,
            (Type::I1, Type::Int(_)) => CastOp::ZExt,
            _ => return None,
        };
        self.lower.emit(InstKind::Cast {
            op,
            dst,
            a: value,
            from,
        });
        Some(())
    }
}

/// `lock addl $0,0(%rsp)`: a fence in the form of a locked instruction on the thread's own stack.
fn is_stack_fence(line: &Line) -> bool {
    use text::{Name, Place};
    const STACK_POINTER: usize = 4;
    let base = line.mnemonic.trim_end_matches(['b', 'w', 'l', 'q']);
    let [Place::Immediate(0), Place::Memory(address)] = line.operands.as_slice() else {
        return false;
    };
    line.lock
        && matches!(base, "add" | "or" | "xor" | "sub" | "su")
        && address.base == Name::Physical(STACK_POINTER)
}

#[cfg(test)]
mod tests {
    use super::{is_stack_fence, text::lines};

    #[test]
    fn fences_on_the_stack() {
        assert!(is_stack_fence(&lines("lock addl $$0,0(%rsp)")[0]));
        assert!(is_stack_fence(&lines("lock; orq $$0, -4(%rsp)")[0]));
        assert!(is_stack_fence(&lines("lock subl $$0, (%rsp)")[0]));
        assert!(!is_stack_fence(&lines("lock addl $$1,0(%rsp)")[0]));
        assert!(!is_stack_fence(&lines("addl $$0,0(%rsp)")[0]));
    }
}
