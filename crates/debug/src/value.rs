//! Values in the notation of the source, in one line.

pub(crate) mod expand;

use expand::{Part, count, has_elements, parts, settled, target};
use selvedge_ir::{Parts, Scalar, Shape, ShapeId};
use selvedge_model::{Describe, ObjectId};
use selvedge_vm::Vm;
use selvedge_vm::inspect::{Content, Home, scalar_of, value_text};

/// Maximum length in characters of a structure or an array in one line.
const MOST_TEXT: usize = 100;

/// Maximum length of a string.
const MOST_STRING: u64 = 200;

/// Something that has a value.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// The expression for it: `accounts[1].next->count`.
    pub(crate) path: String,
    /// Its type in the source, if known.
    pub(crate) shape: Option<ShapeId>,
    /// Its storage.
    pub(crate) home: Home,
}

/// The type of a term.
pub(crate) fn shape_of<'v>(vm: &'v Vm, term: &Term) -> Option<&'v Shape> {
    vm.program().module.shapes.get(term.shape?)
}

/// The name of the type; empty if it is not known.
pub(crate) fn type_of(vm: &Vm, term: &Term) -> String {
    match (shape_of(vm, term), term.home) {
        (Some(shape), Home::Memory(..)) if has_elements(vm, term) => {
            let of = match &shape.parts {
                Parts::Elements { shape, .. } => vm.program().module.shapes.get(*shape),
                _ => Some(shape),
            };
            let of = of.map(|of| of.name.as_str()).filter(|name| !name.is_empty());
            of.map_or(String::new(), |of| format!("{of}[{}]", count(vm, term)))
        }
        (Some(shape), _) if shape.name.is_empty() && is_pointer(shape) => "pointer".to_owned(),
        (Some(shape), _) => shape.name.clone(),
        (None, Home::Register(ty, _)) => match scalar_of(ty) {
            (Scalar::Pointer, _) => "pointer".to_owned(),
            (Scalar::Float, size) => format!("{}-bit float", 8 * size),
            (_, size) => format!("{}-bit integer", 8 * size),
        },
        (None, _) => String::new(),
    }
}

fn is_pointer(shape: &Shape) -> bool {
    matches!(shape.parts, Parts::Value(Scalar::Pointer))
}

/// The value in one line.
pub(crate) fn text(vm: &Vm, term: &Term) -> String {
    text_within(vm, term, 1)
}

fn text_within(vm: &Vm, term: &Term, levels: u32) -> String {
    let term = &settled(vm, term);
    let parts = shape_of(vm, term).map(|shape| &shape.parts);
    match (parts, term.home) {
        (_, Home::Nowhere) => "<has no place yet>".to_owned(),
        (Some(Parts::Value(_)), _) if is_array(vm, term) => elements(vm, term, levels),
        (Some(Parts::Value(scalar)), _) => {
            let size = shape_of(vm, term).map_or(0, |shape| shape.size);
            one(vm, term, *scalar, size)
        }
        (_, Home::Register(ty, _)) => {
            let (scalar, size) = scalar_of(ty);
            one(vm, term, scalar, size)
        }
        (Some(Parts::Fields(_)), _) => fields(vm, term, levels),
        (Some(Parts::Elements { .. }), _) => elements(vm, term, levels),
        (Some(Parts::Opaque) | None, Home::Memory(address, size)) => bytes(vm, address, size),
    }
}

/// Whether the term is an array of its type: its storage has room for two values or more.
pub(crate) fn is_array(vm: &Vm, term: &Term) -> bool {
    let one = shape_of(vm, term).map_or(0, |shape| shape.size);
    matches!(term.home, Home::Memory(_, size) if one > 0 && size >= 2 * one)
}

/// The contents of a value with `size` bytes.
pub(crate) fn content(vm: &Vm, term: &Term, size: u64) -> Content {
    match term.home {
        Home::Memory(address, _) => vm.read(address, size),
        Home::Register(_, content) => content,
        Home::Nowhere => Content::Undefined,
    }
}

fn one(vm: &Vm, term: &Term, scalar: Scalar, size: u64) -> String {
    let (bits, is_input) = match content(vm, term, size) {
        Content::Bits(bits) => (bits, false),
        Content::Input(bits) => (bits, true),
        Content::Undefined => return "<undefined>".to_owned(),
        Content::Gone if size > 8 => return format!("<{size} bytes>"),
        Content::Gone => return "<not alive>".to_owned(),
    };
    let mut text = match value_text(scalar, size, bits) {
        Some(text) => text,
        None if scalar == Scalar::Pointer => pointer(vm, bits),
        None => format!("{bits:#x}"),
    };
    if let Home::Memory(address, _) = term.home
        && let Some(state) = vm.synchronisation(address)
        && scalar != Scalar::Pointer
    {
        text = format!("{text} ({state})");
    }
    if is_input {
        text.push_str(" (an input)");
    }
    text
}

/// The text for an address: what it points to.
fn pointer(vm: &Vm, address: u64) -> String {
    if let Some(function) = vm.program().function_at(address) {
        return vm.program().module.functions[function].display.clone();
    }
    let Some(object) = vm.object(address) else {
        return format!("{address:#x}");
    };
    let target = target(vm, address, "");
    let size = match target.as_ref().map(|target| target.home) {
        Some(Home::Memory(_, size)) => size,
        _ => 1,
    };
    let name = vm.bytes_name(ObjectId(address), size.max(1));
    let plain = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
    let mut text = match plain {
        // String literals of the program have no names of their own.
        Some(name) if name.starts_with(".str") => string(vm, address, object.base + object.size - address),
        Some(name) => format!("&{name}"),
        None => format!("→ {name}"),
    };
    if !object.live {
        text.push_str(" (not alive)");
    }
    text
}

/// A string that ends with a zero byte, in quotes.
fn string(vm: &Vm, address: u64, room: u64) -> String {
    let mut bytes = Vec::new();
    let mut ends = false;
    for offset in 0..room.min(MOST_STRING) {
        match vm.read(address + offset, 1) {
            Content::Bits(0) => {
                ends = true;
                break;
            }
            Content::Bits(byte) | Content::Input(byte) => bytes.push(byte as u8),
            Content::Undefined | Content::Gone => break,
        }
    }
    let more = if ends { "" } else { "…" };
    format!("{:?}{more}", String::from_utf8_lossy(&bytes))
}

/// Bytes of unknown type.
fn bytes(vm: &Vm, address: u64, size: u64) -> String {
    if let Some(state) = vm.synchronisation(address) {
        return state;
    }
    if size == 0 || size > 8 {
        return format!("<{size} bytes>");
    }
    match vm.read(address, size) {
        Content::Bits(bits) => format!("{bits:#x}"),
        Content::Input(bits) => format!("{bits:#x} (an input)"),
        Content::Undefined => "<undefined>".to_owned(),
        Content::Gone => "<not alive>".to_owned(),
    }
}

fn fields(vm: &Vm, term: &Term, levels: u32) -> String {
    let named = |part: Part| {
        let value = text_within(vm, &part.term, levels.saturating_sub(1));
        format!("{}: {value}", part.name)
    };
    match levels {
        0 => "{…}".to_owned(),
        _ => list(parts(vm, term, 0, 16).map(named), '{', '}'),
    }
}

fn elements(vm: &Vm, term: &Term, levels: u32) -> String {
    let element = shape_of(vm, term).and_then(|shape| match &shape.parts {
        Parts::Elements { shape, .. } => vm.program().module.shapes.get(*shape),
        _ => Some(shape),
    });
    if let Some(Parts::Value(Scalar::Char)) = element.map(|shape| &shape.parts)
        && let Home::Memory(address, size) = term.home
    {
        return string(vm, address, size);
    }
    let value = |part: Part| text_within(vm, &part.term, levels.saturating_sub(1));
    match levels {
        0 => "[…]".to_owned(),
        _ => list(parts(vm, term, 0, 17).map(value), '[', ']'),
    }
}

/// Texts in brackets, up to the maximum length.
fn list(texts: impl Iterator<Item = String>, open: char, close: char) -> String {
    let mut line = String::from(open);
    for (number, text) in texts.enumerate() {
        if number > 0 {
            line.push_str(", ");
        }
        if number == 16 || line.chars().count() + text.chars().count() > MOST_TEXT {
            line.push('…');
            break;
        }
        line.push_str(&text);
    }
    line.push(close);
    line
}
