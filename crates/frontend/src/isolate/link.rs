//! The modules that make the program, and the order in which they are linked.
//!
//! 1. All units that are always part of it.
//! 2. Members of archives, and sources of a build, while one of them defines a symbol that the
//!    program refers to and that is not defined yet. A linker treats archives in the same way. Weak
//!    references do not add a member.
//! 3. Shared libraries, each of which is first linked by itself: its hidden symbols are its own.
//!    The other symbols give way to those that the program or an earlier library defines, as with
//!    the system's loader (interposition). Its constructors run before those of units that were
//!    linked earlier.

use super::wire::link_refusal;
use crate::llvm::{Linkage, Module, Value};
use crate::request::{Refusal, Role};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is linked so far.
pub(super) struct Link<'c> {
    entry: String,
    program: Option<Module<'c>>,
    /// Units of the program that are not linked with it yet, in order, each with the number of
    /// times that it was doubled. LLVM looks at all of a module whenever it links another one into
    /// it. So modules of like size are linked first: then all of it together takes time that grows
    /// little faster than its size.
    units: Vec<(u32, Module<'c>)>,
    /// Members of archives and sources of builds that were not needed yet.
    members: Vec<Member<'c>>,
    libraries: BTreeMap<u32, Module<'c>>,
}

struct Member<'c> {
    number: u32,
    role: Role,
    /// What it defines, and whether no other definition may replace that one.
    defines: FxHashMap<String, bool>,
    /// Until it is linked.
    module: Option<Module<'c>>,
}

impl<'c> Link<'c> {
    /// Nothing, of a program that begins with this function.
    pub(super) fn new(entry: &str) -> Link<'c> {
        Link {
            entry: entry.to_owned(),
            program: None,
            units: Vec::new(),
            members: Vec::new(),
            libraries: BTreeMap::new(),
        }
    }

    /// Adds a unit.
    pub(super) fn add(&mut self, number: u32, role: Role, module: Module<'c>) -> Result<(), Refusal> {
        match role {
            Role::Program => self.unit(module),
            Role::Definitions => {
                self.join()?;
                if let Some(program) = &self.program {
                    show_rustc_symbols(program);
                }
                take_if_needed(&module);
                self.link(module)
            }
            Role::Archive | Role::Database => {
                let own = all(&module).filter(|value| !value.is_declaration() && is_external(*value));
                let defines = own.map(|value| (value.name(), is_strong(value))).collect();
                self.members.push(Member {
                    number,
                    role,
                    defines,
                    module: Some(module),
                });
                Ok(())
            }
            Role::Library(library) => match self.libraries.get_mut(&library) {
                Some(whole) => linked(whole, module),
                None => {
                    self.libraries.insert(library, module);
                    Ok(())
                }
            },
        }
    }

    /// Adds a unit of the program.
    fn unit(&mut self, module: Module<'c>) -> Result<(), Refusal> {
        let (mut doubled, mut module) = (0, module);
        while let Some((_, mut before)) = self.units.pop_if(|before| before.0 == doubled) {
            linked(&mut before, module)?;
            (doubled, module) = (doubled + 1, before);
        }
        self.units.push((doubled, module));
        Ok(())
    }

    /// Links all units with the program.
    fn join(&mut self) -> Result<(), Refusal> {
        let mut units = std::mem::take(&mut self.units);
        while let Some((_, unit)) = units.pop() {
            match units.last_mut() {
                Some((_, before)) => linked(before, unit)?,
                None => self.link(unit)?,
            }
        }
        Ok(())
    }

    fn link(&mut self, module: Module<'c>) -> Result<(), Refusal> {
        match &mut self.program {
            Some(whole) => linked(whole, module),
            None => {
                self.program = Some(module);
                Ok(())
            }
        }
    }

    /// The whole program.
    pub(super) fn finish(mut self) -> Result<Module<'c>, Refusal> {
        self.join()?;
        self.members()?;
        let libraries = std::mem::take(&mut self.libraries);
        if let Some(program) = &self.program
            && !libraries.is_empty()
        {
            hide(program);
        }
        for (number, library) in libraries {
            hide(&library);
            give_way(&library);
            library.note_constructors(number);
            self.link(library)?;
            // Libraries refer to each other and to the program; a member may be needed only now.
            self.members()?;
        }
        self.program
            .ok_or_else(|| Refusal::Link("there are no modules".to_owned()))
    }

    /// Links members until none is needed.
    fn members(&mut self) -> Result<(), Refusal> {
        let mut found = !self.members.is_empty();
        while std::mem::take(&mut found) {
            let mut wanted = self.wanted();
            for place in 0..self.members.len() {
                let member = &self.members[place];
                let name = wanted.iter().find(|name| member.defines.contains_key(*name));
                let Some(name) = name.filter(|_| member.module.is_some()).cloned() else {
                    continue;
                };
                self.is_only_one(place, &name)?;
                wanted.retain(|name| !member.defines.contains_key(name));
                if let Some(module) = self.members[place].module.take() {
                    self.link(module)?;
                    found = true;
                }
            }
        }
        Ok(())
    }

    /// Refuses a source of a build if another source defines the same symbol: it may belong to
    /// another program of the build.
    fn is_only_one(&self, place: usize, name: &str) -> Result<(), Refusal> {
        let strong = |member: &Member<'_>| {
            member.role == Role::Database && member.defines.get(name).is_some_and(|strong| *strong)
        };
        let member = &self.members[place];
        let other = self
            .members
            .iter()
            .find(|other| other.number != member.number && strong(other));
        match other {
            Some(other) if strong(member) => {
                let (first, second) = (member.number.min(other.number), member.number.max(other.number));
                Err(Refusal::Ambiguous(name.to_owned(), first, second))
            }
            _ => Ok(()),
        }
    }

    /// The symbols that the program refers to and that are not defined, sorted.
    fn wanted(&self) -> Vec<String> {
        let Some(program) = &self.program else {
            return vec![self.entry.clone()];
        };
        let missing =
            |value: Value<'_>| value.is_declaration() && value.linkage() != Linkage::LLVMExternalWeakLinkage;
        let mut wanted: Vec<String> = all(program)
            .filter(|value| missing(*value))
            .map(|value| value.name())
            .collect();
        let begins = program
            .functions()
            .into_iter()
            .any(|f| f.name() == self.entry && !f.is_declaration());
        if !begins {
            wanted.push(self.entry.clone());
        }
        wanted.sort_unstable();
        wanted
    }
}

fn linked<'c>(whole: &mut Module<'c>, module: Module<'c>) -> Result<(), Refusal> {
    whole.link(module).map_err(|message| link_refusal(&message))
}

fn all<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Value<'m>> {
    let functions = module.functions().into_iter().chain(module.globals());
    let all = functions.chain(module.aliases());
    all.filter(|value| !value.name().starts_with("llvm."))
}

/// Whether others may refer to a definition.
fn is_external(value: Value<'_>) -> bool {
    !matches!(
        value.linkage(),
        Linkage::LLVMInternalLinkage
            | Linkage::LLVMPrivateLinkage
            | Linkage::LLVMAvailableExternallyLinkage
            | Linkage::LLVMAppendingLinkage
    )
}

/// Whether no other definition may be taken in place of this one.
fn is_strong(value: Value<'_>) -> bool {
    value.linkage() == Linkage::LLVMExternalLinkage
}

/// Lets LLVM link only those definitions that the program refers to, directly or by others.
fn take_if_needed(module: &Module<'_>) {
    for value in all(module) {
        if !value.is_declaration() && is_external(value) {
            value.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
        }
    }
}

/// Lets Rust's library refer to what a program puts in the place of its parts, such as the
/// functions of a `#[global_allocator]`. rustc makes all symbols of a program its own.
fn show_rustc_symbols(program: &Module<'_>) {
    for function in program.functions() {
        let is_own = function.linkage() == Linkage::LLVMInternalLinkage && !function.is_declaration();
        if is_own && function.name().contains(RUSTC_SYMBOL) {
            function.set_linkage(Linkage::LLVMExternalLinkage);
        }
    }
}

/// What the names of functions have that are in rustc's own name space `__rustc`.
const RUSTC_SYMBOL: &str = "_7___rustc";

/// Makes the symbols that a file hides from others its own.
fn hide(module: &Module<'_>) {
    for value in all(module) {
        if !value.is_declaration() && is_external(value) && value.is_hidden() {
            value.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
}

/// Uses a library's definitions only where there is no earlier one.
fn give_way(module: &Module<'_>) {
    for value in all(module) {
        if !value.is_declaration() && is_external(value) {
            value.set_linkage(Linkage::LLVMWeakAnyLinkage);
        }
    }
}
