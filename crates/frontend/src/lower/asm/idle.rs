//! Instructions that leave all registers as they were. Valgrind takes such a sequence for a request
//! to itself (`valgrind.h`, "magic" preambles); to a processor it is nothing.

use super::plain::split_suffix;
use super::text::{Line, Place};

/// The number of instructions from the first one that together change no register, though they may
/// change flags.
pub(super) fn run(lines: &[Line]) -> usize {
    let Some(first) = lines.first().filter(|line| !line.lock) else {
        return 0;
    };
    match (split_suffix(&first.mnemonic).0, first.operands.as_slice()) {
        ("xchg", [Place::Register(a, wide), Place::Register(b, too)]) => {
            usize::from(a == b && wide == too && keeps_the_rest(*wide))
        }
        ("rol", [_, Place::Register(register, width)]) if keeps_the_rest(*width) => {
            let turn = |line: &Line| match line.operands.as_slice() {
                [Place::Immediate(by), Place::Register(r, w)] if (r, w) == (register, width) => {
                    (!line.lock && split_suffix(&line.mnemonic).0 == "rol").then_some(*by)
                }
                _ => None,
            };
            let (mut turned, mut whole) = (0, 0);
            for (index, by) in lines.iter().map_while(turn).enumerate() {
                turned = (turned + by).rem_euclid(i64::from(*width));
                if turned == 0 {
                    whole = index + 1;
                }
            }
            whole
        }
        _ => 0,
    }
}

/// True if a write of so many bits leaves the other bits of its register.
const fn keeps_the_rest(width: u8) -> bool {
    width != 32
}

#[cfg(test)]
mod tests {
    use super::super::text::lines;
    use super::run;

    #[test]
    fn rotations_that_come_back_are_nothing() {
        let idle = |text: &str| run(&lines(text));
        let request =
            "rolq $$3, %rdi ; rolq $$13, %rdi\n\trolq $$61, %rdi ; rolq $$51, %rdi\n\txchgq %rbx,%rbx";
        assert_eq!(idle(request), 4);
        assert_eq!(idle("xchgq %rbx,%rbx"), 1);
        assert_eq!(idle("rolq $$64, %rdi"), 1);
        assert_eq!(idle("rolq $$3, %rdi; rolq $$13, %rdi; rolq $$61, %rdi"), 0);
        assert_eq!(idle("rolq $$3, %rdi; rolq $$61, %rsi"), 0);
        assert_eq!(idle("rolw $$3, %di; rolw $$13, %di; rolw $$1, %di"), 2);
        // These clear the upper half.
        assert_eq!(idle("roll $$16, %edi; roll $$16, %edi"), 0);
        assert_eq!(idle("xchgl %ebx,%ebx"), 0);
        assert_eq!(idle("xchgq %rbx,%rcx"), 0);
    }
}
