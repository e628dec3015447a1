//! Cycles of files inside a crate: files that need each other can only be understood together.
//!
//! A file depends on another if it names something that the other defines. A name is followed
//! through re-exports to its definition; a re-export itself is no dependence, and neither is the
//! declaration of a module. Methods are not followed, and code for tests does not count.

use anyhow::{Context, Result};
use petgraph::algo::{is_cyclic_directed, tarjan_scc};
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// The cycles that stay, by their files, each with its reason.
const JUSTIFIED: &[(&[&str], &str)] = &[
    (
        &[
            "crates/explore/src/dpor/search.rs",
            "crates/explore/src/dpor/search/keep.rs",
            "crates/explore/src/dpor/share.rs",
        ],
        "a search gives parts of itself to other workers, suspended or as tasks, and they are searches",
    ),
    (
        &[
            "crates/vm/src/awaits/loops.rs",
            "crates/vm/src/code.rs",
            "crates/vm/src/compile/liveness.rs",
            "crates/vm/src/native/fault.rs",
            "crates/vm/src/native/mod.rs",
            "crates/vm/src/program/binding.rs",
            "crates/vm/src/program.rs",
        ],
        "a program and its code hold native functions, which take the program; see docs/ARCHITECTURE.md",
    ),
];

/// No chain of re-exports has more links.
const LONGEST: usize = 32;

/// The names from the root of a crate to a module or an item.
type Names = Vec<String>;

/// What files name of other files.
type Edges<'a> = BTreeMap<(&'a Path, &'a Path), BTreeSet<String>>;

/// A module that is a file.
struct Module {
    file: PathBuf,
    syntax: syn::File,
    /// What it defines, modules inside of the file too.
    defines: BTreeSet<String>,
    /// Names that it imports, with what they stand for.
    imports: BTreeMap<String, Names>,
    /// Modules of which it imports everything.
    globs: Vec<Names>,
}

struct Crate {
    modules: BTreeMap<Names, Module>,
}

/// Reports each cycle of files of a crate that is not justified.
pub fn check(files: &[PathBuf], problems: &mut Vec<String>) -> Result<()> {
    let mut crates: BTreeMap<PathBuf, Vec<&PathBuf>> = BTreeMap::new();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|e| e == "rs"))
    {
        let mut above = file.ancestors();
        if let Some(source) = above.find(|above| above.ends_with("src")) {
            crates.entry(source.to_owned()).or_default().push(file);
        }
    }
    for (source, files) in crates {
        let found = Crate::read(&source, &files)?;
        for mut cycle in found.cycles() {
            cycle.sort();
            let is_justified = JUSTIFIED.iter().any(|(files, _)| {
                cycle
                    .iter()
                    .all(|file| files.iter().any(|&f| *file == Path::new(f)))
            });
            if !is_justified && !found.is_a_module_with_its_parts(&cycle) {
                let names: Vec<_> = cycle.iter().map(|file| file.display().to_string()).collect();
                problems.push(format!(
                    "{} files need each other: {}",
                    names.len(),
                    names.join(", ")
                ));
                for ((from, to), named) in found.edges_within(&cycle) {
                    let named = Vec::from_iter(named).join(", ");
                    problems.push(format!(
                        "    {} names {named} of {}",
                        from.display(),
                        to.display()
                    ));
                }
            }
        }
    }
    Ok(())
}

impl Crate {
    fn read(source: &Path, files: &[&PathBuf]) -> Result<Crate> {
        let mut modules = BTreeMap::new();
        for &file in files {
            let Ok(text) = std::fs::read_to_string(file) else {
                continue;
            };
            let syntax = syn::parse_file(&text).with_context(|| file.display().to_string())?;
            let names = names_of(file.strip_prefix(source)?);
            let mut module = Module {
                file: file.clone(),
                syntax,
                defines: BTreeSet::new(),
                imports: BTreeMap::new(),
                globs: Vec::new(),
            };
            module.collect();
            modules.insert(names, module);
        }
        Ok(Crate { modules })
    }

    fn edges(&self) -> Edges<'_> {
        let mut edges = Edges::new();
        for (names, module) in &self.modules {
            let mut paths = Paths::default();
            paths.visit_file(&module.syntax);
            for path in paths.found {
                let Some(at) = self.resolve(names, &path, &mut Vec::new()) else {
                    continue;
                };
                if at != module.file {
                    let named = edges.entry((module.file.as_path(), at)).or_default();
                    named.insert(path.join("::"));
                }
            }
        }
        edges
    }

    fn cycles(&self) -> Vec<Vec<&Path>> {
        let graph: DiGraphMap<&Path, ()> = self.edges().into_keys().collect();
        let components = tarjan_scc(&graph);
        components.into_iter().filter(|files| files.len() > 1).collect()
    }

    /// Whether one file of a cycle is a module, the others are its parts, and each cycle leads
    /// through it: it dispatches to its parts, and they share what it defines.
    fn is_a_module_with_its_parts(&self, cycle: &[&Path]) -> bool {
        let names_of = |file: &Path| {
            self.modules
                .iter()
                .find(|(_, m)| m.file == file)
                .map(|(names, _)| names)
        };
        cycle.iter().any(|whole| {
            let parts: Vec<&Path> = cycle.iter().copied().filter(|file| file != whole).collect();
            let inside = |part: &&Path| match (names_of(whole), names_of(part)) {
                (Some(whole), Some(part)) => !whole.is_empty() && part.starts_with(whole),
                _ => false,
            };
            let graph: DiGraphMap<&Path, ()> = self.edges_within(&parts).into_keys().collect();
            parts.iter().all(inside) && !is_cyclic_directed(&graph)
        })
    }

    fn edges_within(&self, cycle: &[&Path]) -> Edges<'_> {
        let mut edges = self.edges();
        edges.retain(|(from, to), _| cycle.contains(from) && cycle.contains(to));
        edges
    }

    /// The file that defines what a path names in a module.
    fn resolve(&self, within: &Names, path: &[String], open: &mut Vec<(Names, Names)>) -> Option<&Path> {
        let visited = (within.clone(), path.to_vec());
        if open.len() > LONGEST || open.contains(&visited) {
            return None;
        }
        open.push(visited);
        let (first, rest) = path.split_first()?;
        let mut child = within.clone();
        match first.as_str() {
            "crate" => return self.resolve(&Names::new(), rest, open),
            "self" => return self.resolve(within, rest, open),
            "super" => {
                child.pop();
                return self.resolve(&child, rest, open);
            }
            _ => {}
        }
        let module = self.modules.get(within)?;
        child.push(first.clone());
        if self.modules.contains_key(&child) {
            return match rest.is_empty() {
                true => None,
                false => self.resolve(&child, rest, open),
            };
        }
        if module.defines.contains(first) {
            return Some(&module.file);
        }
        // `use anyhow::anyhow` names another crate first, not what it imports.
        let import = module
            .imports
            .get(first)
            .filter(|import| import.first() != Some(first));
        if let Some(import) = import {
            let whole: Names = import.iter().chain(rest).cloned().collect();
            return self.resolve(within, &whole, open);
        }
        module.globs.iter().find_map(|glob| {
            let whole: Names = glob.iter().chain(path).cloned().collect();
            self.resolve(within, &whole, open)
        })
    }
}

impl Module {
    fn collect(&mut self) {
        let items = std::mem::take(&mut self.syntax.items);
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            match item {
                Item::Use(item) => self.import(&mut Names::new(), &item.tree),
                Item::Mod(item) if item.content.is_none() => {}
                Item::Macro(item) => self.defines.extend(item.ident.iter().map(ToString::to_string)),
                item => self.defines.extend(name_of(item)),
            }
        }
        self.syntax.items = items;
    }

    fn import(&mut self, before: &mut Names, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(before, &path.tree);
                before.pop();
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.import_as(before, &name, &name);
            }
            UseTree::Rename(rename) => {
                self.import_as(before, &rename.ident.to_string(), &rename.rename.to_string());
            }
            UseTree::Glob(_) => self.globs.push(before.clone()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(before, tree)),
        }
    }

    fn import_as(&mut self, before: &Names, name: &str, known_as: &str) {
        let mut whole = before.clone();
        let mut known_as = known_as;
        if name == "self" {
            if known_as == "self" {
                known_as = before.last().map_or("self", String::as_str);
            }
        } else {
            whole.push(name.to_owned());
        }
        self.imports.insert(known_as.to_owned(), whole);
    }
}

/// The paths in a file, but for re-exports and code for tests.
#[derive(Default)]
struct Paths {
    found: BTreeSet<Names>,
}

impl<'a> Visit<'a> for Paths {
    fn visit_item(&mut self, item: &'a Item) {
        let exports = matches!(item, Item::Use(item) if !matches!(item.vis, Visibility::Inherited));
        if !exports && !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_use_name(&mut self, name: &'a syn::UseName) {
        self.found.insert(vec![name.ident.to_string()]);
    }

    fn visit_use_rename(&mut self, rename: &'a syn::UseRename) {
        self.found.insert(vec![rename.rename.to_string()]);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        self.found.insert(names.collect());
        visit::visit_path(self, path);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        list.path.is_ident("cfg") && list.tokens.to_string().contains("test")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// The module that a file of a crate is.
fn names_of(file: &Path) -> Names {
    let file = file.with_extension("");
    let mut names: Names = file
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if names.last().is_some_and(|last| last == "mod") || names == ["lib"] || names == ["main"] {
        names.pop();
    }
    names
}
