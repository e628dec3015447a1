//! Which threads there may be, and which statements may run in parallel.
//!
//! A *kind* of threads is all threads that one statement creates; the first thread is a kind of its
//! own. For each statement and kind of threads that may run it, the analysis finds the kinds of
//! which this thread's descendants may be alive then (`flow.rs`; a creation adds its kind and the
//! kinds that such threads may create, a join that surely waits for all threads of a kind takes it
//! out). Two statements may run in parallel if
//!
//! - one thread may be a descendant of the other one that is alive there, or
//! - their threads come from two creations by a common ancestor, of which the earlier one's threads
//!   may be alive at the later one.
//!
//! This is complete: of two threads, either one is an ancestor of the other, or their closest
//! common ancestor has created two different branches (as in the thread creation trees of Barik
//! 2005).
//!
//! Barriers, condition variables and detaching are not looked at: the threads that they order
//! count as parallel. Functions that the library may call at any time (handlers of `atexit`,
//! destructors) run in parallel with everything.

mod counted;
mod creation;
mod joins;

use crate::PointsTo;
use crate::flow::{Effects, Flow, Meet, Members};
use crate::slice::Statement;
use creation::Creation;
use joins::{Join, Joins};
use rustc_hash::FxHashMap;
use selvedge_base::{Id, id_type};
use selvedge_ir::{FuncId, Module};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

id_type! {
    /// A kind of threads.
    pub struct KindId(u32), "k";
}

/// The first thread of the program.
pub const FIRST: KindId = KindId(0);

/// All threads that one statement creates.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The statement; none for the first thread.
    pub site: Option<Statement>,
    /// The functions that they may begin with.
    pub starts: BTreeSet<FuncId>,
    /// True if there may be more than one such thread in an execution.
    pub repeated: bool,
    /// The kinds of threads that such a thread may create, also by others that it creates.
    pub creates: BTreeSet<KindId>,
    /// The functions that it may run.
    runs: BTreeSet<FuncId>,
    /// At the entry of each function that it may run: the kinds of which its descendants may be
    /// alive.
    entries: FxHashMap<FuncId, Members>,
}

/// The threads of a program.
pub struct Threads<'a> {
    flow: Flow<'a>,
    kinds: Vec<Kind>,
    /// Functions that may run in any thread at any time.
    loose: BTreeSet<FuncId>,
    /// Kinds that such functions create, and those that these create.
    always: BTreeSet<KindId>,
    /// Pairs of kinds whose threads come from two creations of one thread and may overlap.
    beside: BTreeSet<(KindId, KindId)>,
    joins: Vec<Join>,
    /// False if something is unknown about library functions.
    known: bool,
}

impl<'a> Threads<'a> {
    /// The threads of a program that begins with this function. If something is unknown about its
    /// library functions ([`PointsTo::unknown`]), any two statements may run in parallel.
    pub fn of(module: &'a Module, points_to: &'a PointsTo, entry: Option<FuncId>) -> Threads<'a> {
        let mut first: BTreeSet<FuncId> = module.constructors.iter().copied().collect();
        first.extend(entry);
        let creation = Creation::of(module, points_to, &first);
        let loose = creation.reached(creation.loose.iter().copied());
        let number: BTreeMap<Statement, KindId> = creation.sites.keys().copied().zip(ids().skip(1)).collect();
        let kinds = kinds(module, &creation, &number, &first);
        let mut always = creation.created(&loose, &number);
        always = closed(always, &kinds);
        let joins = match kinds.len() {
            1 => Joins::default(),
            _ => Joins::of(module, points_to, &kinds, &loose),
        };
        let mut threads = Threads {
            flow: flow(module, points_to, &creation, &kinds, &joins.found),
            kinds,
            loose,
            always,
            beside: BTreeSet::new(),
            joins: joins.found,
            known: points_to.unknown().next().is_none(),
        };
        threads.enter(module, entry);
        // A join of a kind counts only if none of its threads may be alive where the next ones are
        // created. All are taken to count first, and those that do not are left out until none is
        // found: the first wrong one in an execution would follow only right ones.
        loop {
            let wrong: BTreeSet<KindId> = threads.overtaken(&joins.begins);
            if wrong.is_empty() {
                break;
            }
            threads.joins.retain(|join| !wrong.contains(&join.kind));
            threads.flow = flow(module, points_to, &creation, &threads.kinds, &threads.joins);
            threads.enter(module, entry);
        }
        threads.beside = threads.pairs();
        threads
    }

    /// All kinds, in the order of their numbers.
    pub fn kinds(&self) -> impl Iterator<Item = (KindId, &Kind)> {
        ids().zip(&self.kinds)
    }

    /// The kind of the threads that a statement creates.
    pub fn created_at(&self, site: Statement) -> Option<KindId> {
        self.kinds()
            .find(|(_, kind)| kind.site == Some(site))
            .map(|(id, _)| id)
    }

    /// False if something is unknown about library functions.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// The joins after which no thread of a kind is alive: those of a loop when it ends.
    pub fn joined(&self, kind: KindId) -> impl Iterator<Item = Statement> + '_ {
        let joins = self.joins.iter().filter(move |join| join.kind == kind);
        joins.map(|join| join.statement)
    }

    /// True if a function may run in any thread at any time.
    pub fn is_loose(&self, function: FuncId) -> bool {
        self.loose.contains(&function)
    }

    /// Whether threads of a kind may run a function.
    pub fn runs(&self, kind: KindId, function: FuncId) -> bool {
        self.kinds[kind.index()].runs.contains(&function) || self.loose.contains(&function)
    }

    /// The kinds of which descendants of a thread may be alive while it executes a statement.
    pub fn alive(&self, kind: KindId, statement: Statement) -> BTreeSet<KindId> {
        let entry = self.kinds[kind.index()].entries.get(&statement.0);
        let Some((entry, change)) = entry.zip(self.flow.before(statement)) else {
            return BTreeSet::new(); // it never executes it
        };
        let before = change.of(entry);
        let during = self.flow.during(statement);
        let alive = before.union(&during).map(|&id| KindId(id));
        alive.chain(self.always.iter().copied()).collect()
    }

    /// Whether a thread of one kind may execute one statement while another thread, of the other
    /// kind, executes the other one.
    pub fn parallel(&self, (one, at): (KindId, Statement), (other, there): (KindId, Statement)) -> bool {
        let at_any_time = |kind: KindId, at: Statement| self.always.contains(&kind) || self.is_loose(at.0);
        !self.known
            || at_any_time(one, at)
            || at_any_time(other, there)
            || self.beside.contains(&(one, other))
            || self.alive(one, at).contains(&other)
            || self.alive(other, there).contains(&one)
    }

    fn standing(&self, statement: Statement) -> Standing {
        let by = self.kinds().map(|(id, _)| id);
        let by = by.filter(|&id| self.runs(id, statement.0));
        let by: Vec<_> = by.map(|id| (id, self.alive(id, statement))).collect();
        Standing {
            // If no thread is known to run it, nothing is known.
            at_any_time: !self.known || self.is_loose(statement.0) || by.is_empty(),
            by,
        }
    }

    /// Whether two different threads may execute two statements, or one statement, at the same
    /// time.
    fn may_meet(&self, one: &Standing, other: &Standing) -> bool {
        let meet = |(a, alive_at_a): &(KindId, BTreeSet<KindId>)| {
            other.by.iter().any(|(b, alive_at_b)| {
                self.always.contains(a)
                    || self.always.contains(b)
                    || self.beside.contains(&(*a, *b))
                    || alive_at_a.contains(b)
                    || alive_at_b.contains(a)
            })
        };
        one.at_any_time || other.at_any_time || one.by.iter().any(meet)
    }

    /// The kinds of threads that may be alive while a statement is executed, by whatever thread.
    pub fn beside(&self, statement: Statement) -> BTreeSet<KindId> {
        if !self.known || self.is_loose(statement.0) {
            return self.kinds().map(|(id, _)| id).collect();
        }
        let mut found = BTreeSet::new();
        for (id, _) in self.kinds().filter(|(id, _)| self.runs(*id, statement.0)) {
            found.extend(self.alive(id, statement));
            found.extend(
                self.kinds()
                    .map(|(other, _)| other)
                    .filter(|&other| self.beside.contains(&(id, other)) || self.may_be_ancestor(other, id)),
            );
        }
        found
    }

    /// Whether threads of two kinds may be alive at the same time.
    pub fn overlap(&self, one: KindId, other: KindId) -> bool {
        !self.known
            || self.always.contains(&one)
            || self.always.contains(&other)
            || self.beside.contains(&(one, other))
            || self.may_be_ancestor(one, other)
            || self.may_be_ancestor(other, one)
    }

    fn may_be_ancestor(&self, one: KindId, other: KindId) -> bool {
        self.kinds[one.index()].creates.contains(&other)
    }

    /// Finds what is alive at the entries of functions.
    fn enter(&mut self, module: &Module, entry: Option<FuncId>) {
        let constructed: Members = module
            .constructors
            .iter()
            .flat_map(|&f| self.flow.ever(f))
            .collect();
        for (id, number) in ids().zip(0..self.kinds.len()) {
            let kind = &self.kinds[number];
            let mut roots: Vec<(FuncId, Members)> = Vec::new();
            if id == FIRST {
                // Constructors run one after the other, in an order that is not looked at.
                let constructors = module.constructors.iter().copied().chain(entry);
                roots.extend(constructors.map(|f| (f, constructed.clone())));
            } else {
                roots.extend(kind.starts.iter().map(|&start| (start, Members::new())));
            }
            self.kinds[number].entries = self.flow.entries(&roots);
        }
    }

    /// The kinds of which a thread may be alive when the creation begins that a join relies on.
    fn overtaken(&self, begins: &BTreeMap<KindId, Vec<Begin>>) -> BTreeSet<KindId> {
        let counts = |kind: KindId| self.joins.iter().any(|join| join.kind == kind);
        let wrong = |kind: KindId, begin: &Begin| {
            let alive = |statement: Statement| {
                self.kinds.iter().any(|by| {
                    let entry = by.entries.get(&statement.0);
                    let before = entry.zip(self.flow.before(statement));
                    before.is_some_and(|(entry, change)| change.of(entry).contains(&kind.0))
                })
            };
            begin.iter().any(|&statement| alive(statement))
        };
        begins
            .iter()
            .filter(|&(&kind, begins)| counts(kind) && begins.iter().any(|begin| wrong(kind, begin)))
            .map(|(&kind, _)| kind)
            .collect()
    }

    /// Pairs of kinds from two creations of one thread.
    fn pairs(&self) -> BTreeSet<(KindId, KindId)> {
        let mut pairs = BTreeSet::new();
        for (id, kind) in self.kinds().filter(|(_, kind)| kind.site.is_some()) {
            let Some(site) = kind.site else { continue };
            let branch: Vec<KindId> = kind.creates.iter().copied().chain([id]).collect();
            for by in &self.kinds {
                let entry = by.entries.get(&site.0);
                let Some((entry, change)) = entry.zip(self.flow.before(site)) else {
                    continue;
                };
                for &earlier in &change.of(entry) {
                    for &later in &branch {
                        pairs.insert((KindId(earlier), later));
                        pairs.insert((later, KindId(earlier)));
                    }
                }
            }
        }
        pairs
    }
}

/// Answers whether threads may meet, and remembers what it has found out.
pub struct Meetings<'a> {
    threads: Threads<'a>,
    standing: RefCell<FxHashMap<Statement, Rc<Standing>>>,
}

impl<'a> Meetings<'a> {
    /// For a program with these threads.
    pub fn of(threads: Threads<'a>) -> Meetings<'a> {
        Meetings {
            threads,
            standing: RefCell::default(),
        }
    }

    /// Whether two different threads may execute two statements, or one statement, at the same
    /// time.
    pub fn may_meet(&self, one: Statement, other: Statement) -> bool {
        self.threads.may_meet(&self.standing(one), &self.standing(other))
    }

    fn standing(&self, statement: Statement) -> Rc<Standing> {
        let mut known = self.standing.borrow_mut();
        let found = known.entry(statement);
        Rc::clone(found.or_insert_with(|| Rc::new(self.threads.standing(statement))))
    }
}

/// Who may execute a statement.
#[derive(Clone, Debug)]
struct Standing {
    /// The library may call its function at any time.
    at_any_time: bool,
    /// Kinds of threads, each with the kinds of which its descendants may be alive then.
    by: Vec<(KindId, BTreeSet<KindId>)>,
}

/// The statements that begin a creation: its last ones before any of its threads is created.
type Begin = Vec<Statement>;

fn ids() -> impl Iterator<Item = KindId> {
    (0..).map(KindId)
}

/// The kinds of a program, without what is alive when.
fn kinds(
    module: &Module,
    creation: &Creation,
    number: &BTreeMap<Statement, KindId>,
    first: &BTreeSet<FuncId>,
) -> Vec<Kind> {
    let repeated = creation.repeated(module, first);
    let mut forests = FxHashMap::default();
    let mut kind = |site: Option<Statement>, starts: &BTreeSet<FuncId>| {
        let again =
            |site: Statement| repeated.contains(&site.0) || creation::in_loop(module, site, &mut forests);
        Kind {
            site,
            starts: starts.clone(),
            repeated: site.is_some_and(again),
            creates: BTreeSet::new(),
            runs: creation.reached(starts.iter().copied()),
            entries: FxHashMap::default(),
        }
    };
    let mut kinds = vec![kind(None, first)];
    kinds.extend(
        creation
            .sites
            .iter()
            .map(|(&site, starts)| kind(Some(site), starts)),
    );
    let direct: Vec<BTreeSet<KindId>> = kinds
        .iter()
        .map(|kind| creation.created(&kind.runs, number))
        .collect();
    for (kind, created) in kinds.iter_mut().zip(&direct) {
        kind.creates.clone_from(created);
    }
    let all: Vec<BTreeSet<KindId>> = direct
        .into_iter()
        .map(|created| closed(created, &kinds))
        .collect();
    for (kind, creates) in kinds.iter_mut().zip(all) {
        kind.creates = creates;
    }
    kinds
}

/// These kinds, and those that they create, directly or not.
fn closed(mut found: BTreeSet<KindId>, kinds: &[Kind]) -> BTreeSet<KindId> {
    let mut work: Vec<KindId> = found.iter().copied().collect();
    while let Some(id) = work.pop() {
        for &next in &kinds[id.index()].creates {
            if found.insert(next) {
                work.push(next);
            }
        }
    }
    found
}

/// The flow of the kinds that may be alive.
fn flow<'a>(
    module: &'a Module,
    points_to: &'a PointsTo,
    creation: &Creation,
    kinds: &[Kind],
    joins: &[Join],
) -> Flow<'a> {
    let mut effects = Effects {
        runs: creation.runs.clone(),
        ..Effects::default()
    };
    for (id, kind) in ids().zip(kinds) {
        let Some(site) = kind.site else { continue };
        let step = effects.steps.entry(site).or_default();
        step.give(id.0);
        kind.creates.iter().for_each(|created| step.give(created.0));
    }
    for join in joins {
        let change = match join.along {
            None => effects.steps.entry(join.statement).or_default(),
            Some((from, to)) => {
                let edge = (join.statement.0, from.index() as u32, to.index() as u32);
                effects.edges.entry(edge).or_default()
            }
        };
        change.take(join.kind.0);
    }
    let all = (0..kinds.len() as u32).collect();
    Flow::of(module, points_to, Meet::May, effects, all)
}
