//! Object files, executables and shared libraries (the ELF specification; 64 bits, little-endian):
//! their sections, symbols and required libraries. Also adds a section to a file.
//!
//! A new section is appended at the end of the file, followed by a new table of sections; all
//! existing contents stay in place. Only then are the two fields of the header changed that give
//! the table's position and length. So the file is valid at every moment.

use crate::{Malformed, number, part};

/// The first bytes of every ELF file.
pub const MAGIC: [u8; 4] = *b"\x7fELF";

const HEADER: u64 = 64;
const ENTRY: u64 = 64;
const SYMBOL: u64 = 24;

const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const DYNAMIC: u32 = 6;
/// The type of a section that holds notes. Linkers keep and concatenate such sections, and tools
/// that strip files are more likely to keep them than other sections.
const NOTE: u32 = 7;
const NOBITS: u32 = 8;
const DYNSYM: u32 = 11;

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A relocatable object, an input of the linker.
    Object,
    /// A program that is loaded at a fixed address.
    Executable,
    /// A shared library, or a position-independent program.
    Shared,
}

/// A parsed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elf<'a> {
    bytes: &'a [u8],
    /// Its kind.
    pub kind: Kind,
    sections: Vec<Section<'a>>,
    /// The position of the section table, its number of entries, and the section with their names.
    table: u64,
    count: u64,
    names: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Section<'a> {
    name: &'a [u8],
    kind: u32,
    link: u32,
    contents: &'a [u8],
}

/// A symbol that other files may refer to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name, without a version.
    pub name: String,
    /// Whether it is code. Otherwise it is data or of unknown type.
    pub function: bool,
}

/// The data that the system's loader reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dynamic {
    /// Shared libraries by name.
    pub needed: Vec<String>,
    /// Directories to search for them, separated by colons; `$ORIGIN` is the directory of the file.
    pub search: Vec<String>,
    /// The name by which other files require this one.
    pub name: Option<String>,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The bytes from `at` to the next zero byte.
fn word(table: &[u8], at: u64) -> Option<&[u8]> {
    let rest = table.get(usize::try_from(at).ok()?..)?;
    rest.split(|&byte| byte == 0).next()
}

impl<'a> Elf<'a> {
    /// Parses a file.
    ///
    /// # Errors
    /// If the file is for another processor or truncated, or one of its tables exceeds the file.
    pub fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, Malformed> {
        let short = || Malformed::new("it is cut short");
        if !bytes.starts_with(&MAGIC) {
            return Err(Malformed::new("it is no ELF file"));
        }
        let field = |at, width| number(bytes, at, width).ok_or_else(short);
        if field(4, 1)? != 2 || field(5, 1)? != 1 || field(18, 2)? != 62 {
            return Err(Malformed::new(
                "it is for another processor; only x86-64 is supported",
            ));
        }
        let kind = match field(16, 2)? {
            1 => Kind::Object,
            2 => Kind::Executable,
            3 => Kind::Shared,
            other => {
                return Err(Malformed::new(format!(
                    "it is an ELF file of the unknown type {other}"
                )));
            }
        };
        let table = field(0x28, 8)?;
        let (mut count, mut names) = (field(0x3c, 2)?, field(0x3e, 2)?);
        if table == 0 {
            return Err(Malformed::new("it has no table of sections"));
        }
        if field(0x3a, 2)? != ENTRY {
            return Err(Malformed::new(
                "its table of sections has entries of another size",
            ));
        }
        let entry = |n: u64| {
            let at = n.checked_mul(ENTRY).and_then(|offset| table.checked_add(offset));
            at.and_then(|at| part(bytes, at, ENTRY))
                .ok_or_else(|| Malformed::new("its table of sections is cut short"))
        };
        // The first entry of the table holds numbers that do not fit into the header.
        let first = entry(0)?;
        if count == 0 {
            count = number(first, 32, 8).ok_or_else(short)?;
        }
        if names == 0xffff {
            names = number(first, 40, 4).ok_or_else(short)?;
        }
        let mut elf = Elf {
            bytes,
            kind,
            sections: Vec::new(),
            table,
            count,
            names,
        };
        let contents = |header: &[u8]| {
            let kind = number(header, 4, 4).unwrap_or_default() as u32;
            let (offset, size) = (number(header, 24, 8)?, number(header, 32, 8)?);
            match kind {
                0 | NOBITS => Some(&bytes[..0]),
                _ => part(bytes, offset, size),
            }
        };
        let outside = || Malformed::new("a section lies outside of it");
        let names = match names {
            0 => &bytes[..0],
            names if names < count => contents(entry(names)?).ok_or_else(outside)?,
            _ => return Err(Malformed::new("its sections have no names")),
        };
        for n in 0..count {
            let header = entry(n)?;
            let name = number(header, 0, 4).ok_or_else(short)?;
            elf.sections.push(Section {
                name: word(names, name).unwrap_or_default(),
                kind: number(header, 4, 4).ok_or_else(short)? as u32,
                link: number(header, 40, 4).ok_or_else(short)? as u32,
                contents: contents(header).ok_or_else(outside)?,
            });
        }
        Ok(elf)
    }

    /// The contents of all sections of this name.
    pub fn sections(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let named = self.sections.iter().filter(move |s| s.name == name.as_bytes());
        named.map(|section| section.contents)
    }

    /// Whether a section's name begins like this.
    #[must_use]
    pub fn has_section(&self, prefix: &str) -> bool {
        self.sections
            .iter()
            .any(|s| s.name.starts_with(prefix.as_bytes()))
    }

    fn of_kind(&self, kind: u32) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// Whether the file lists all symbols, not only those that the loader needs.
    #[must_use]
    pub fn lists_all(&self) -> bool {
        self.of_kind(SYMTAB).is_some()
    }

    /// The symbols that the file defines for other files, as far as it lists them. Entries that
    /// point outside of the file are left out.
    #[must_use]
    pub fn defined(&self) -> Vec<Symbol> {
        let Some(table) = self.of_kind(SYMTAB).or_else(|| self.of_kind(DYNSYM)) else {
            return Vec::new();
        };
        let names = self
            .sections
            .get(table.link as usize)
            .map_or(&self.bytes[..0], |s| s.contents);
        let one = |entry: &[u8]| {
            let (info, section) = (number(entry, 4, 1)?, number(entry, 6, 2)?);
            let (binding, kind) = (info >> 4, info & 15);
            // Bindings: 1 global, 2 weak, 10 unique. Section 0: the symbol is undefined. Types: 0
            // unknown, 1 data, 2 code, 10 a function that a resolver chooses at load time.
            if !matches!(binding, 1 | 2 | 10) || section == 0 || !matches!(kind, 0 | 1 | 2 | 10) {
                return None;
            }
            let name = text(word(names, number(entry, 0, 4)?)?);
            let name = name.split('@').next().unwrap_or_default();
            (!name.is_empty()).then(|| Symbol {
                name: name.to_owned(),
                function: matches!(kind, 2 | 10),
            })
        };
        let entries = table.contents.chunks_exact(SYMBOL as usize);
        entries.filter_map(one).collect()
    }

    /// The data that the loader reads; empty for an object.
    #[must_use]
    pub fn dynamic(&self) -> Dynamic {
        let mut dynamic = Dynamic::default();
        let Some(table) = self.of_kind(DYNAMIC) else {
            return dynamic;
        };
        let names = self
            .sections
            .get(table.link as usize)
            .map_or(&self.bytes[..0], |s| s.contents);
        for entry in table.contents.chunks_exact(16) {
            let (Some(tag), Some(value)) = (number(entry, 0, 8), number(entry, 8, 8)) else {
                break;
            };
            let name = || word(names, value).map(text);
            match tag {
                0 => break,
                1 => dynamic.needed.extend(name()),
                14 => dynamic.name = name(),
                15 | 29 => dynamic.search.extend(name()),
                _ => {}
            }
        }
        dynamic
    }

    /// Whether the file is a program that can be started: it names the loader, or has a fixed
    /// address, or its flags mark it as a program.
    #[must_use]
    pub fn is_program(&self) -> bool {
        match self.kind {
            Kind::Object => false,
            Kind::Executable => true,
            // A static position-independent program names no loader. Its flags mark it as a
            // program.
            Kind::Shared => {
                self.sections(".interp").next().is_some() || self.flag(0x6fff_fffb) & 0x0800_0000 != 0
            }
        }
    }

    fn flag(&self, wanted: u64) -> u64 {
        let entries = self
            .of_kind(DYNAMIC)
            .into_iter()
            .flat_map(|t| t.contents.chunks_exact(16));
        let mut entries = entries.filter(|entry| number(entry, 0, 8) == Some(wanted));
        entries
            .next()
            .and_then(|entry| number(entry, 8, 8))
            .unwrap_or_default()
    }

    /// The changes that add a section of notes to the file: bytes to append, and then new first
    /// bytes.
    ///
    /// # Errors
    /// If it has too many sections, or its table of section names is missing.
    pub fn with_notes(&self, name: &str, contents: &[u8]) -> Result<Added, Malformed> {
        let too_many = || Malformed::new("it has too many sections");
        let names = self
            .sections
            .get(self.names as usize)
            .filter(|s| s.kind == STRTAB);
        let names = names.ok_or_else(|| Malformed::new("its sections have no names"))?;
        let count = self
            .count
            .checked_add(1)
            .filter(|&n| n < 0xff00)
            .ok_or_else(too_many)?;
        let start = self.bytes.len() as u64;
        let mut tail = Vec::new();
        let align = |tail: &mut Vec<u8>, to: u64| {
            while !(start + tail.len() as u64).is_multiple_of(to) {
                tail.push(0);
            }
            start + tail.len() as u64
        };
        let at = align(&mut tail, 4);
        tail.extend_from_slice(contents);
        let names_at = start + tail.len() as u64;
        tail.extend_from_slice(names.contents);
        let name_at = names.contents.len() as u64;
        tail.extend_from_slice(name.as_bytes());
        tail.push(0);
        let names_length = start + tail.len() as u64 - names_at;
        let table_at = align(&mut tail, 8);
        let table = part(self.bytes, self.table, self.count * ENTRY).ok_or_else(too_many)?;
        let table_in_tail = tail.len();
        tail.extend_from_slice(table);
        let mut put = |at: u64, value: u64, width: usize| {
            let at = table_in_tail + at as usize;
            tail[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        };
        put(self.names * ENTRY + 24, names_at, 8);
        put(self.names * ENTRY + 32, names_length, 8);
        let fields = [
            (name_at, 4),
            (NOTE.into(), 4),
            (0, 8),
            (0, 8),
            (at, 8),
            (contents.len() as u64, 8),
            (0, 4),
            (0, 4),
            (4, 8),
            (0, 8),
        ];
        for (value, width) in fields {
            tail.extend_from_slice(&u64::to_le_bytes(value)[..width]);
        }
        let mut head = part(self.bytes, 0, HEADER).ok_or_else(too_many)?.to_vec();
        head[0x28..0x30].copy_from_slice(&table_at.to_le_bytes());
        head[0x3c..0x3e].copy_from_slice(&(count as u16).to_le_bytes());
        Ok(Added { tail, head })
    }
}

/// The writes that add a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// First: bytes to append at the end of the file.
    pub tail: Vec<u8>,
    /// Then: the new first bytes of the file.
    pub head: Vec<u8>,
}
