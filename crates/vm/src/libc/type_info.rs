//! Decides which handlers catch an exception, by the C++ types that `std::type_info` objects
//! describe.
//!
//! The layout is that of the Itanium C++ ABI (2.9.5, "RTTI Layout"). The rules are those of
//! libstdc++'s `__do_catch`. A handler catches an exception of the same type, or of a type with a
//! unique public base class of the handler's type. For pointers, it also catches after conversions
//! of qualifiers, from classes to such bases, and to `void *`. Types with equal names are the same
//! type.

use super::Answer;
use crate::native::{Cx, Flow, Stop};
use crate::program::Program;
use selvedge_base::Id;

/// Offsets of the fields of a description.
const NAME: u64 = 8;
const BASE: u64 = 16;
const BASE_COUNT: u64 = 20;
const BASES: u64 = 24;
const FLAGS: u64 = 16;
const POINTEE: u64 = 24;
const CLASS: u64 = 32;

/// Flags of a base class.
const VIRTUAL: u64 = 1;
const PUBLIC: u64 = 2;
/// Flags of a pointer.
const CONST: u64 = 1;
const FUNCTION_QUALIFIERS: u64 = 0x20 | 0x40;

/// The maximum length of a chain of base classes or pointers.
const DEEPEST: u32 = 256;

/// The kind of a type, by the class of its description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A class without bases.
    Class,
    /// A class with one public base at offset 0.
    Single,
    /// A class with other bases.
    Multiple,
    Pointer,
    MemberPointer,
    Function,
    /// Numbers, enumerations, arrays.
    Other,
}

const KINDS: [(&str, Kind); 6] = [
    ("_ZTVN10__cxxabiv117__class_type_infoE", Kind::Class),
    ("_ZTVN10__cxxabiv120__si_class_type_infoE", Kind::Single),
    ("_ZTVN10__cxxabiv121__vmi_class_type_infoE", Kind::Multiple),
    ("_ZTVN10__cxxabiv119__pointer_type_infoE", Kind::Pointer),
    (
        "_ZTVN10__cxxabiv129__pointer_to_member_type_infoE",
        Kind::MemberPointer,
    ),
    ("_ZTVN10__cxxabiv120__function_type_infoE", Kind::Function),
];

/// `__dynamic_cast(address, from, to, hint)`.
pub(super) fn dynamic_cast(cx: &mut Cx<'_>) -> Answer {
    let (address, from, to) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let tables = Tables::of(cx.program);
    Ok(Flow::word(Types::new(cx, &tables).cast(address, from, to)?))
}

/// Compares types.
pub(super) struct Types<'c, 'a> {
    cx: &'c mut Cx<'a>,
    tables: &'c Tables,
}

/// The addresses of the virtual tables of descriptions, with the kinds that they mean.
pub(super) struct Tables(Vec<(u64, Kind)>);

impl Tables {
    pub fn of(program: &Program) -> Tables {
        let table = |&(name, kind): &(&str, Kind)| {
            let global = program.module.global(name)?;
            Some((program.globals[global.index()].wrapping_add(16), kind))
        };
        Tables(KINDS.iter().filter_map(table).collect())
    }
}

/// A base-class part of an object: the virtual base that contains it (0: none), and the offset in
/// that.
type Part = (u64, i64);

impl<'c, 'a> Types<'c, 'a> {
    pub fn new(cx: &'c mut Cx<'a>, tables: &'c Tables) -> Self {
        Types { cx, tables }
    }

    /// Whether a handler for type `caught` catches an exception of type `thrown`. If so, returns
    /// the value for the handler: the address of the object or of its part, or the pointer.
    pub fn catches(&mut self, caught: u64, thrown: u64, object: u64) -> Result<Option<u64>, Stop> {
        if caught == 0 {
            return Ok(Some(object));
        }
        // A panic of Rust has no type.
        if thrown == 0 {
            return Ok(None);
        }
        let mut address = object;
        if self.kind(thrown)? == Kind::Pointer {
            address = self.cx.load_defined(object, 8, "a pointer that is thrown")?;
        }
        Ok(self.matches(caught, thrown, &mut address, 1)?.then_some(address))
    }

    /// `outer`: twice the number of pointers around the type, plus one if all of them point to
    /// constants.
    fn matches(&mut self, caught: u64, thrown: u64, address: &mut u64, outer: u32) -> Result<bool, Stop> {
        if self.same(caught, thrown)? {
            return Ok(true);
        }
        let kind = self.kind(caught)?;
        match kind {
            Kind::Class | Kind::Single | Kind::Multiple if outer < 4 => self.upcast(thrown, caught, address),
            Kind::Pointer | Kind::MemberPointer if outer < 2 * DEEPEST => {
                self.matches_pointer(kind, [caught, thrown], address, outer)
            }
            _ => Ok(false),
        }
    }

    fn matches_pointer(
        &mut self,
        kind: Kind,
        [caught, thrown]: [u64; 2],
        address: &mut u64,
        mut outer: u32,
    ) -> Result<bool, Stop> {
        if self.name(thrown)? == b"Dn" {
            if kind == Kind::MemberPointer {
                return Err(Flow::Unsupported(
                    "nullptr caught as a pointer to a member".into(),
                ));
            }
            *address = 0;
            return Ok(true);
        }
        if self.kind(thrown)? != kind || outer & 1 == 0 {
            return Ok(false);
        }
        let [mine, mut its] = [self.word(caught, FLAGS, 4)?, self.word(thrown, FLAGS, 4)?];
        let [my_function, its_function] = [mine & FUNCTION_QUALIFIERS, its & FUNCTION_QUALIFIERS];
        if its_function & !my_function != 0 {
            its &= my_function;
        }
        if my_function & !its_function != 0 || its & !mine != 0 {
            return Ok(false);
        }
        if mine & CONST == 0 {
            outer &= !1;
        }
        let [to, from] = [self.word(caught, POINTEE, 8)?, self.word(thrown, POINTEE, 8)?];
        if kind == Kind::Pointer && outer < 2 && self.name(to)? == b"v" {
            return Ok(self.kind(from)? != Kind::Function);
        }
        if kind == Kind::MemberPointer {
            let [mine, its] = [self.word(caught, CLASS, 8)?, self.word(thrown, CLASS, 8)?];
            if !self.same(mine, its)? {
                return Ok(false);
            }
        }
        self.matches(to, from, address, outer + 2)
    }

    /// Whether class `from` has exactly one base of class `to`, and a public path leads to it. If
    /// so, moves the address to that part.
    fn upcast(&mut self, from: u64, to: u64, address: &mut u64) -> Result<bool, Stop> {
        let mut found: Vec<(Part, bool)> = Vec::new();
        self.bases(from, to, ((0, 0), *address), true, 0, &mut found)?;
        let mut parts: Vec<Part> = found.iter().map(|&(part, _)| part).collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.len() != 1 || !found.iter().any(|&(_, public)| public) {
            return Ok(false);
        }
        if *address != 0 {
            *address = self.address_of(from, *address, parts[0])?;
        }
        Ok(true)
    }

    /// The address of a part in an object of a class.
    fn address_of(&mut self, class: u64, object: u64, (base, offset): Part) -> Result<u64, Stop> {
        let start = match base {
            0 => object,
            base => self.virtual_base(class, base, object)?,
        };
        Ok(start.wrapping_add_signed(offset))
    }

    /// The parts of class `base` in an object of class `class`: the address of each, and whether
    /// the path to it is public.
    fn parts(&mut self, class: u64, object: u64, base: u64) -> Result<Vec<(u64, bool)>, Stop> {
        let mut found = Vec::new();
        self.bases(class, base, ((0, 0), object), true, 0, &mut found)?;
        let at = |(part, public)| Ok((self.address_of(class, object, part)?, public));
        found.into_iter().map(at).collect()
    }

    /// The result of `dynamic_cast` for a part of class `from` at `address` in its complete object;
    /// 0 if the cast fails.
    fn cast(&mut self, address: u64, from: u64, to: u64) -> Result<u64, Stop> {
        let table = self.cx.load_defined(address, 8, "virtual table")?;
        let offset = self
            .cx
            .load_defined(table.wrapping_sub(16), 8, "offset to the object")?;
        let whole = address.wrapping_add(offset);
        let class = self
            .cx
            .load_defined(table.wrapping_sub(8), 8, "type of the object")?;
        let mut parts = self.parts(class, whole, to)?;
        if self.same(class, to)? {
            parts.push((whole, true));
        }
        // A cast to a derived class that contains this part.
        let mut around = Vec::new();
        for &(at, _) in &parts {
            if self.parts(to, at, from)?.contains(&(address, true)) && !around.contains(&at) {
                around.push(at);
            }
        }
        if let [one] = around[..] {
            return Ok(one);
        }
        // A cast to a base of the complete object.
        let seen = self.same(class, from)? || self.parts(class, whole, from)?.contains(&(address, true));
        let mut at = whole;
        Ok(if around.is_empty() && seen && self.upcast(class, to, &mut at)? {
            at
        } else {
            0
        })
    }

    /// The parts of a class that have type `to`, and whether the path to each is public.
    fn bases(
        &mut self,
        from: u64,
        to: u64,
        (part, address): (Part, u64),
        public: bool,
        depth: u32,
        found: &mut Vec<(Part, bool)>,
    ) -> Result<(), Stop> {
        if depth > 0 && self.same(from, to)? {
            found.push((part, public));
            return Ok(());
        }
        for (base, offset, flags) in self.direct_bases(from, depth)? {
            let next = match flags & VIRTUAL {
                0 => ((part.0, part.1 + offset), address),
                _ => ((self.word(base, NAME, 8)?, 0), address),
            };
            self.bases(base, to, next, public && flags & PUBLIC != 0, depth + 1, found)?;
        }
        Ok(())
    }

    /// The direct bases of a class: type, offset (of a virtual base: the offset of its entry in the
    /// virtual table), and flags.
    fn direct_bases(&mut self, class: u64, depth: u32) -> Result<Vec<(u64, i64, u64)>, Stop> {
        if depth > DEEPEST {
            return Err(Flow::Unsupported("a class with endless bases".into()));
        }
        Ok(match self.kind(class)? {
            Kind::Single => vec![(self.word(class, BASE, 8)?, 0, PUBLIC)],
            Kind::Multiple => {
                let count = self.word(class, BASE_COUNT, 4)?;
                let mut bases = Vec::new();
                for at in (0..count).map(|i| BASES + 16 * i) {
                    let (base, word) = (self.word(class, at, 8)?, self.word(class, at + 8, 8)?);
                    bases.push((base, word as i64 >> 8, word & 0xff));
                }
                bases
            }
            _ => Vec::new(),
        })
    }

    /// The address of the virtual base with this name in an object of a class.
    fn virtual_base(&mut self, class: u64, name: u64, address: u64) -> Result<u64, Stop> {
        let mut work = vec![(class, address, 0)];
        while let Some((class, address, depth)) = work.pop() {
            for (base, offset, flags) in self.direct_bases(class, depth)? {
                let at = if flags & VIRTUAL == 0 {
                    address.wrapping_add_signed(offset)
                } else {
                    let table = self.cx.load_defined(address, 8, "virtual table")?;
                    let offset = table.wrapping_add_signed(offset);
                    let offset = self.cx.load_defined(offset, 8, "offset of a virtual base")?;
                    address.wrapping_add(offset)
                };
                if flags & VIRTUAL != 0 && self.word(base, NAME, 8)? == name {
                    return Ok(at);
                }
                work.push((base, at, depth + 1));
            }
        }
        Err(Flow::Unsupported("a virtual base that is not there".into()))
    }

    fn kind(&mut self, ty: u64) -> Result<Kind, Stop> {
        let table = self.word(ty, 0, 8)?;
        let known = self.tables.0.iter().find(|&&(address, _)| address == table);
        Ok(known.map_or(Kind::Other, |&(_, kind)| kind))
    }

    fn same(&mut self, a: u64, b: u64) -> Result<bool, Stop> {
        if a == b {
            return Ok(true);
        }
        let [first, second] = [self.word(a, NAME, 8)?, self.word(b, NAME, 8)?];
        if first == second {
            return Ok(true);
        }
        let name = self.name(a)?;
        // A name that begins with a star is local to one module.
        Ok(!name.starts_with(b"*") && name == self.name(b)?)
    }

    /// The mangled name of a type.
    pub fn name(&mut self, ty: u64) -> Result<Vec<u8>, Stop> {
        let mut at = self.word(ty, NAME, 8)?;
        let mut name = Vec::new();
        loop {
            match self.read(at, 1)? as u8 {
                0 => return Ok(name),
                byte => name.push(byte),
            }
            at += 1;
        }
    }

    fn word(&mut self, ty: u64, at: u64, size: u64) -> Result<u64, Stop> {
        self.read(ty.wrapping_add(at), size)
    }

    /// Reads a part of a description. It is a constant, so no access is recorded.
    fn read(&mut self, address: u64, size: u64) -> Result<u64, Stop> {
        let memory = &self.cx.state.memory;
        let value = memory
            .check(address, size, false)
            .is_ok()
            .then(|| memory.peek_checked(address, size));
        match value {
            Some(value) if value.is_concrete() => Ok(value.bits),
            _ => Err(Flow::Unsupported(
                "a C++ exception of a type that nothing describes".into(),
            )),
        }
    }
}
