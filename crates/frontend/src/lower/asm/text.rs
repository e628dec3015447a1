//! The text of inline assembly: instructions and their operands, as written for x86-64 in AT&T's
//! syntax.

/// One instruction.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    /// Whether `lock` stands before it.
    pub(super) lock: bool,
    /// `addl`, `rep nop`.
    pub(super) mnemonic: String,
    /// What it works on, the destination last.
    pub(super) operands: Vec<Place>,
}

/// A register in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    /// That of an operand of the assembly.
    Slot(usize),
    /// A processor's register, by its number.
    Physical(usize),
}

/// An operand of an instruction.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Place {
    /// `$0`, or with the width of a modifier, `${0:k}`.
    Slot(usize, Option<u8>),
    /// `%eax`: its number and width in bits.
    Register(usize, u8),
    /// `$$5`.
    Immediate(i64),
    /// `8($0,%rax,4)`.
    Memory(Address),
    /// `%fs:0`: where the address of the thread's own block is.
    ThreadPointer,
    /// Something more complicated.
    Other,
}

/// `displacement(base,index,scale)`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Address {
    pub(super) displacement: i64,
    /// An operand that is a constant and is added, `${1:c}`.
    pub(super) constant: Option<usize>,
    pub(super) base: Name,
    pub(super) index: Option<(Name, i64)>,
}

/// The names of the registers of 64, 32, 16 and 8 bits, by number.
const REGISTERS: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rbx", "ebx", "bx", "bl"],
    ["rsp", "esp", "sp", "spl"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// How many registers there are.
pub(super) const REGISTER_COUNT: usize = REGISTERS.len();
/// The numbers of the registers that instructions use without naming them.
pub(super) const RAX: usize = 0;
/// The counter of shifts.
pub(super) const RCX: usize = 1;
/// The upper half of products.
pub(super) const RDX: usize = 2;
/// The lower half of what `cmpxchg16b` stores.
pub(super) const RBX: usize = 3;

/// The number and the width of a register.
pub(super) fn register(name: &str) -> Option<(usize, u8)> {
    REGISTERS.iter().enumerate().find_map(|(number, names)| {
        let at = names.iter().position(|known| *known == name)?;
        Some((number, 64 >> at))
    })
}

/// The instructions of a text.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let line = |(lock, mnemonic, operands): (bool, String, String)| Line {
        lock,
        mnemonic,
        operands: split_operands(&operands).into_iter().map(place).collect(),
    };
    instructions(&in_dialect(text, 0)).into_iter().map(line).collect()
}

/// The instructions of a text in one dialect: whether they have `lock`, their mnemonics, and the
/// text of their operands.
pub(super) fn instructions(text: &str) -> Vec<(bool, String, String)> {
    let mut instructions = Vec::new();
    let mut lock = false;
    let mut repeat = false;
    for statement in statements(text) {
        let (first, rest) = statement.split_once(' ').unwrap_or((&statement, ""));
        let mut words = (first, rest);
        loop {
            match words.0 {
                "lock" => lock = true,
                "rep" => repeat = true,
                _ => break,
            }
            words = words.1.split_once(' ').unwrap_or((words.1, ""));
        }
        // A prefix may stand in a statement of its own.
        if words.0.is_empty() {
            continue;
        }
        let mnemonic = if std::mem::take(&mut repeat) {
            format!("rep {}", words.0)
        } else {
            words.0.to_owned()
        };
        instructions.push((std::mem::take(&mut lock), mnemonic, words.1.to_owned()));
    }
    if lock || repeat {
        instructions.push((lock, String::new(), String::new()));
    }
    instructions
}

/// Of each alternative for dialects, `$(att$|intel$)`, the one with this number.
pub(super) fn in_dialect(text: &str, number: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$(") {
        out += before;
        let Some((alternatives, behind)) = after.split_once("$)") else {
            return text.to_owned();
        };
        out += alternatives.split("$|").nth(number).unwrap_or_default();
        rest = behind;
    }
    out + rest
}

/// The statements, blanks made single, without comments and directives about where code lies.
fn statements(text: &str) -> Vec<String> {
    let directive = |line: &str| {
        [".p2align ", ".balign ", ".align "]
            .iter()
            .any(|d| line.starts_with(d))
    };
    text.split('\n')
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(';'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty() && !directive(line))
        .collect()
}

/// The operands, at the commas outside of parentheses.
pub(super) fn split_operands(text: &str) -> Vec<&str> {
    let mut operands = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() || !operands.is_empty() {
        operands.push(last);
    }
    operands
}

fn place(text: &str) -> Place {
    let known = if let Some(number) = text.strip_prefix("$$") {
        integer(number).map(Place::Immediate)
    } else if let Some(offset) = text.strip_prefix("%fs:") {
        (integer(offset) == Some(0)).then_some(Place::ThreadPointer)
    } else if let Some(name) = text.strip_prefix('%') {
        register(name).map(|(number, bits)| Place::Register(number, bits))
    } else if text.ends_with(')') {
        address(text).map(Place::Memory)
    } else {
        slot(text).and_then(|(number, modifier)| match modifier {
            None => Some(Place::Slot(number, None)),
            Some(letter) => Some(Place::Slot(number, Some(width_of_modifier(letter)?))),
        })
    };
    known.unwrap_or(Place::Other)
}

/// `$0` or `${0:k}`: the number and the modifier.
pub(super) fn slot(text: &str) -> Option<(usize, Option<&str>)> {
    let text = text.strip_prefix('$')?;
    match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        Some(inner) => {
            let (number, modifier) = inner.split_once(':')?;
            Some((number.parse().ok()?, Some(modifier)))
        }
        None => Some((text.parse().ok()?, None)),
    }
}

pub(super) fn width_of_modifier(letter: &str) -> Option<u8> {
    match letter {
        "b" => Some(8),
        "w" => Some(16),
        "k" => Some(32),
        "q" => Some(64),
        _ => None,
    }
}

fn address(text: &str) -> Option<Address> {
    let (before, inner) = text.strip_suffix(')')?.split_once('(')?;
    let mut address = Address {
        displacement: 0,
        constant: None,
        base: Name::Physical(0),
        index: None,
    };
    match slot(before) {
        Some((number, Some("c" | "P"))) => address.constant = Some(number),
        Some(_) => return None,
        None if before.is_empty() => {}
        None => address.displacement = integer(before)?,
    }
    let mut parts = inner.split(',').map(str::trim);
    address.base = name(parts.next()?)?;
    if let Some(index) = parts.next() {
        let scale = parts.next().map_or(Some(1), integer)?;
        address.index = Some((name(index)?, scale));
    }
    parts.next().is_none().then_some(address)
}

/// A register of 64 bits.
fn name(text: &str) -> Option<Name> {
    if let Some(name) = text.strip_prefix('%') {
        let (number, bits) = register(name)?;
        return (bits == 64).then_some(Name::Physical(number));
    }
    match slot(text)? {
        (number, None | Some("q")) => Some(Name::Slot(number)),
        _ => None,
    }
}

pub(super) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()? as i64,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::{Address, Line, Name, Place, lines};

    fn line(lock: bool, mnemonic: &str, operands: &[Place]) -> Line {
        Line {
            lock,
            mnemonic: mnemonic.to_owned(),
            operands: operands.to_vec(),
        }
    }

    #[test]
    fn prefixes_join_their_instruction() {
        let add = line(true, "addl", &[Place::Slot(1, None), Place::Slot(0, None)]);
        assert_eq!(lines("lock; addl $1,$0"), std::slice::from_ref(&add));
        assert_eq!(lines("\n\tlock\n\t addl  $1, $0 # a comment; of two\n"), [add]);
        assert_eq!(lines("rep; nop"), [line(false, "rep nop", &[])]);
        assert_eq!(lines("rep nop"), [line(false, "rep nop", &[])]);
        assert!(lines("").is_empty());
        assert_eq!(lines("lock"), [line(true, "", &[])]);
    }

    #[test]
    fn operands() {
        let of = |text: &str| lines(&format!("mov {text}"))[0].operands.clone();
        let memory = |displacement, constant, base, index| {
            Place::Memory(Address {
                displacement,
                constant,
                base,
                index,
            })
        };
        assert_eq!(of("%eax"), [Place::Register(0, 32)]);
        assert_eq!(of("%r9b"), [Place::Register(9, 8)]);
        assert_eq!(of("$$-1"), [Place::Immediate(-1)]);
        assert_eq!(of("$$0x10"), [Place::Immediate(16)]);
        assert_eq!(of("${1:k}"), [Place::Slot(1, Some(32))]);
        assert_eq!(of("%fs:0"), [Place::ThreadPointer]);
        assert_eq!(of("%fs:8"), [Place::Other]);
        assert_eq!(of("$$sym"), [Place::Other]);
        assert_eq!(of("8($0)"), [memory(8, None, Name::Slot(0), None)]);
        assert_eq!(
            of("${1:c}($0,%rax,4), $2"),
            [
                memory(0, Some(1), Name::Slot(0), Some((Name::Physical(0), 4))),
                Place::Slot(2, None)
            ]
        );
        assert_eq!(of("(%eax)"), [Place::Other]);
    }

    #[test]
    fn the_first_dialect_counts() {
        assert_eq!(
            lines("$(movq $1, $0$|mov $0, $1$)"),
            [line(false, "movq", &[Place::Slot(1, None), Place::Slot(0, None)])]
        );
    }
}
