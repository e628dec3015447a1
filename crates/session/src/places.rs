//! The places of a program that a set of schedules has beyond its synchronisation.
//!
//! At some, atomic accesses and calls of library functions are operations, because no operation
//! orders them with those of other threads (`crates/analysis/src/places.rs`). At others there are
//! operations on objects that have no name; these are named by the place. Both are found by
//! exploring; then the program is explored again, until nothing more is found.
//!
//! *Why a place is enough as a name.* What a thread does next is a function of the inputs and of
//! the order of the operations so far. So a native program in which these are the same acts on the
//! same objects, whatever they are called. Names only serve to notice inputs that were not
//! declared.

use selvedge_analysis::places::{Site, order, prints, sites};
use selvedge_base::StmtId;
use selvedge_cover::Gap;
use selvedge_ir::Module;
use selvedge_schedule::site;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The places.
pub(crate) struct Places {
    sites: Vec<Site>,
    /// The name of each site.
    names: Vec<String>,
    /// The sites of each statement.
    of: BTreeMap<StmtId, Vec<usize>>,
    /// The names that are ordered.
    ordered: BTreeSet<String>,
    /// The names that objects have.
    naming: BTreeSet<String>,
}

impl Places {
    /// None of a module yet.
    pub(crate) fn of(module: &Module) -> Places {
        let name = |site_of: &Site| {
            let span = module.stmts.get(site_of.stmt)?.span;
            let file = module.files.get(span.file)?;
            (span.line > 0).then(|| site(&site_of.access, file, span.line, span.column))
        };
        let (mut named, mut names) = (Vec::new(), Vec::new());
        let mut of: BTreeMap<StmtId, Vec<usize>> = BTreeMap::new();
        for site in sites(module) {
            if let Some(name) = name(&site) {
                of.entry(site.stmt).or_default().push(named.len());
                names.push(name);
                named.push(site);
            }
        }
        Places {
            sites: named,
            names,
            of,
            ordered: BTreeSet::new(),
            naming: BTreeSet::new(),
        }
    }

    /// Fills gaps, as far as there are places. True if there is something new.
    pub(crate) fn fill(&mut self, gaps: &BTreeSet<Gap>) -> bool {
        let before = (self.ordered.len(), self.naming.len());
        for gap in gaps {
            let at = |stmt: &StmtId| self.of.get(stmt).cloned().unwrap_or_default();
            let called = |site: &Site| site.access.strip_prefix("call ").is_some_and(prints);
            let (found, names) = match gap {
                Gap::Unordered(stmt) => (at(stmt), &mut self.ordered),
                Gap::Unnamed(stmt) => (at(stmt), &mut self.naming),
                Gap::Order => continue,
                Gap::Printing => {
                    let all = 0..self.sites.len();
                    (
                        all.filter(|&at| called(&self.sites[at])).collect(),
                        &mut self.ordered,
                    )
                }
            };
            names.extend(found.into_iter().map(|at| self.names[at].clone()));
        }
        (self.ordered.len(), self.naming.len()) > before
    }

    /// Orders all atomic accesses and output.
    pub(crate) fn fill_all(&mut self) {
        let is_one = |site: &Site| site.access.strip_prefix("call ").is_none_or(prints);
        let all = self.sites.iter().zip(&self.names);
        let names = all.filter(|(site, _)| is_one(site)).map(|(_, name)| name.clone());
        self.ordered.extend(names);
    }

    /// The name of a statement's place, if objects are named by it.
    pub(crate) fn naming(&self, stmt: StmtId) -> Option<&str> {
        let names = self.of.get(&stmt)?.iter().map(|&at| &self.names[at]);
        names.map(String::as_str).find(|&name| self.naming.contains(name))
    }

    /// The name of a place that is an operation, by number.
    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.ordered.iter().nth(number as usize).map(String::as_str)
    }

    /// Whether what is done at such a place prints.
    pub(crate) fn prints(&self, number: u32) -> bool {
        let words = self.name(number).and_then(|name| name.strip_prefix("call "));
        words.and_then(|rest| rest.split(' ').next()).is_some_and(prints)
    }

    /// The module with its places as operations.
    pub(crate) fn module(&self, plain: &Arc<Module>) -> Arc<Module> {
        if self.ordered.is_empty() {
            return Arc::clone(plain);
        }
        let numbers: BTreeMap<&str, u32> = (self.ordered.iter())
            .zip(0..)
            .map(|(name, number)| (name.as_str(), number))
            .collect();
        let mut of_site = BTreeMap::new();
        for (site, name) in self.sites.iter().zip(&self.names) {
            if let Some(&number) = numbers.get(name.as_str()) {
                of_site.insert(site.at(), number);
            }
        }
        let mut module = Module::clone(plain);
        order(&mut module, &self.sites, &|site| of_site.get(&site.at()).copied());
        Arc::new(module)
    }
}
