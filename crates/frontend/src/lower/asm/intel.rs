//! The text of inline assembly in Intel's syntax, which Rust's `asm!` uses: the destination first,
//! sizes at the operand, addresses in brackets.

use super::text::{
    Address, Line, Name, Place, in_dialect, instructions, integer, register, slot, split_operands,
    width_of_modifier,
};

/// The instructions of a text, as in AT&T's syntax: the destination last, the size of memory in the
/// mnemonic.
pub(super) fn lines(text: &str) -> Vec<Line> {
    instructions(&in_dialect(text, 1)).into_iter().map(line).collect()
}

fn line((lock, mnemonic, operands): (bool, String, String)) -> Line {
    let (mut mnemonic, mut places) = (mnemonic, Vec::new());
    for text in split_operands(&operands).into_iter().rev() {
        let (size, text) = sized(text);
        let place = match size {
            // These have a size of their own for the other operand.
            Some(_) if mnemonic.starts_with("movzx") || mnemonic.starts_with("movsx") => Place::Other,
            Some(suffix) => {
                mnemonic.push(suffix);
                memory(text)
            }
            None => place(text),
        };
        places.push(place);
    }
    Line {
        lock,
        mnemonic,
        operands: places,
    }
}

/// The letter for the size before `ptr`, and what follows.
fn sized(text: &str) -> (Option<char>, &str) {
    let lower = text.to_ascii_lowercase();
    for (size, letter) in [("byte", 'b'), ("word", 'w'), ("dword", 'l'), ("qword", 'q')] {
        if let Some(rest) = lower
            .strip_prefix(size)
            .and_then(|rest| rest.trim_start().strip_prefix("ptr"))
        {
            return (Some(letter), text[text.len() - rest.len()..].trim_start());
        }
    }
    (None, text)
}

fn place(text: &str) -> Place {
    let known = if text.starts_with('[') {
        return memory(text);
    } else if let Some((number, bits)) = register(text) {
        Some(Place::Register(number, bits))
    } else if let Some((number, modifier)) = slot(text) {
        match modifier {
            None => Some(Place::Slot(number, None)),
            Some(letter) => width_of_modifier(letter).map(|width| Place::Slot(number, Some(width))),
        }
    } else {
        integer(text).map(Place::Immediate)
    };
    known.unwrap_or(Place::Other)
}

fn memory(text: &str) -> Place {
    address(text).map_or(Place::Other, Place::Memory)
}

/// `[base + index * scale + displacement]`, in any order.
fn address(text: &str) -> Option<Address> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let (mut base, mut index, mut displacement) = (None, None, 0_i64);
    for term in inner
        .replace('-', "+-")
        .split('+')
        .map(str::trim)
        .filter(|term| !term.is_empty())
    {
        // A blank may stand behind the sign.
        let term = term
            .strip_prefix('-')
            .map_or(term.to_owned(), |rest| format!("-{}", rest.trim()));
        if let Some(number) = integer(&term) {
            displacement = displacement.checked_add(number)?;
        } else if let Some((one, other)) = term.split_once('*') {
            let (one, other) = (one.trim(), other.trim());
            let (register, scale) = match integer(one) {
                Some(scale) => (other, scale),
                None => (one, integer(other)?),
            };
            let scaled = (name(register)?, scale);
            if index.replace(scaled).is_some() {
                return None;
            }
        } else if base.is_none() {
            base = Some(name(&term)?);
        } else if index.replace((name(&term)?, 1)).is_some() {
            return None;
        }
    }
    Some(Address {
        displacement,
        constant: None,
        base: base?,
        index,
    })
}

/// A register of 64 bits.
fn name(text: &str) -> Option<Name> {
    if let Some((number, bits)) = register(text) {
        return (bits == 64).then_some(Name::Physical(number));
    }
    match slot(text)? {
        (number, None | Some("q" | "r")) => Some(Name::Slot(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::lower::asm::text;

    /// Both syntaxes have the same meaning.
    #[test]
    fn as_in_the_other_syntax() {
        for (intel, att) in [
            ("lock not qword ptr [${0:q}]", "lock notq (${0:q})"),
            ("lock or dword ptr [rsp], 0", "lock orl $$0, 0(%rsp)"),
            ("mov eax, 5", "mov $$5, %eax"),
            ("mov ${0:k}, dword ptr [${1:q} + 8]", "movl 8($1), ${0:k}"),
            ("xchg qword ptr [${0:q} - 0x10], rax", "xchgq %rax, -16($0)"),
            ("lea rax, [rdx + 4*rcx]", "lea (%rdx,%rcx,4), %rax"),
            ("lea rax, [rdx + rcx*4 + 1]", "lea 1(%rdx,%rcx,4), %rax"),
            ("lock xadd [rdi + rsi], ecx", "lock xadd %ecx, (%rdi,%rsi,1)"),
            ("pause", "pause"),
            ("xchg bl, byte  PTR [rax]", "xchgb (%rax), %bl"),
        ] {
            assert_eq!(lines(intel), text::lines(att), "{intel}");
        }
    }
}
