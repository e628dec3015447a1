//! Backward slices: the statements that may decide what a statement does and whether it is executed
//! (Weiser 1981; Ferrante, Ottenstein and Warren 1987).
//!
//! A slice is closed under these dependences:
//!
//! - a value read from a register: what may have assigned it; a parameter: the callers' arguments;
//!   the result of a call: what the callee returns;
//! - a value read from memory: each statement that may have written it, whatever thread runs it and
//!   in whatever order, unless strong updates are asked for (`strong.rs`); that a variable's scope
//!   begins or ends writes nothing, for what nothing has defined is decided by no statement;
//! - whether a statement is executed: the branches that decide it, and the calls that run its
//!   function; with [`Ending::Possible`] also the calls before it that may not return, with what
//!   decides that in the functions called, and the loops before it that may not end.
//!
//! What a slice does not say: in which order threads run (so operations of mutexes are in it only
//! where their result is used), whether a thread blocks for ever, and whether a fault ends the
//! program before (a stack that is full is one).
//!
//! Calls are told apart (`outcomes.rs`), or what reaches a function from one call is taken to go
//! back to all of them ([`Callers`]).

mod collect;
mod memory;
mod outcomes;
mod strong;
mod threads;

use crate::cfg::ControlDependence;
use crate::library::{Effect, Returns, Special, effect};
use crate::{Cfg, DefUse, Definition, LoopForest, Place, PointsTo};
use memory::{TakenIn, Writers};
use outcomes::{Calls, Outcomes, Part};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, Module, Operand, Reg, Terminator};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use strong::Strong;

/// A statement of the ir.
pub type Statement = (FuncId, Place);

/// Why a statement is in a slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// It was asked for.
    Asked,
    /// It computes a value that the other one uses.
    Value,
    /// It may write what the other one reads.
    Memory,
    /// It decides whether the other one is executed.
    Branch,
    /// It is a call that may not return, and the other one comes after it.
    MayNotReturn,
    /// It runs the function that the other one is in.
    Call,
}

/// Whether calls that do not come back and loops that do not end are dependences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// A call may end its thread or the process, and a loop may run for ever.
    Possible,
    /// What comes after is taken to be executed. Whoever asks has to ask for all statements that
    /// may not come back, too, and has to find out by other means whether loops end.
    Excluded,
}

/// Whether a slice goes back from a function only to the calls that it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callers {
    /// It does.
    ToldApart,
    /// It goes back to all of them. So each statement of the slice depends on statements of the
    /// slice alone, for whatever call it is executed.
    Merged,
}

/// What to slice for.
#[derive(Clone, Default, Debug)]
pub struct Criterion {
    /// Statements: what they do, and whether they are executed.
    pub whole: Vec<Statement>,
    /// Statements of which only matters whether they are executed. They are no part of the slice.
    pub executed: Vec<Statement>,
    /// Operands of statements that are no part of the slice.
    pub operands: Vec<(Statement, Operand)>,
}

/// What may decide about some statements: each with the reason, and with the statement that it was
/// taken in for. The first one decides directly about the second.
pub type Slice = BTreeMap<Statement, (Reason, Statement)>;

/// What can be asked of a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Node {
    /// What it does, and whether it is executed.
    At(Statement),
    /// Of a call: what it returns, in which result.
    Result(Statement, u32),
    /// Of a call: an argument.
    Argument(Statement, u32),
    /// Whether a function comes back to a call.
    Returns(FuncId, Statement),
}

impl Node {
    fn statement(self) -> Statement {
        match self {
            Node::At(statement)
            | Node::Result(statement, _)
            | Node::Argument(statement, _)
            | Node::Returns(_, statement) => statement,
        }
    }
}

/// What something depends on.
#[derive(Clone, Copy, Debug)]
struct Dependence {
    reason: Reason,
    on: Node,
    /// In which calls of its function.
    calls: Calls,
}

/// What a statement depends on.
struct Found {
    /// In which calls of its function.
    calls: Calls,
    list: Vec<Dependence>,
}

impl Found {
    /// In the calls at hand of its function.
    fn push(&mut self, reason: Reason, on: Node) {
        let calls = self.calls;
        self.list.push(Dependence { reason, on, calls });
    }

    /// In all calls of its function.
    fn push_everywhere(&mut self, reason: Reason, on: Node) {
        self.within(Calls::All, |found| found.push(reason, on));
    }

    fn within(&mut self, calls: Calls, find: impl FnOnce(&mut Found)) {
        let outer = std::mem::replace(&mut self.calls, calls);
        find(self);
        self.calls = outer;
    }
}

/// The facts of one function.
struct Facts {
    uses: DefUse,
    control: ControlDependence,
}

/// Computes slices of one program.
pub struct Slicer<'a> {
    module: &'a Module,
    ending: Ending,
    points_to: &'a PointsTo,
    facts: FxHashMap<FuncId, Facts>,
    writers: Writers,
    /// By function: the calls that may run it.
    callers: FxHashMap<FuncId, Vec<Statement>>,
    /// By function: whether it may not come back to its caller.
    leaving: Vec<bool>,
    /// Whether calls are told apart, and the outcomes in the slice at hand.
    callers_apart: bool,
    outcomes: Outcomes,
    /// What the slice at hand has already taken in.
    taken_in: TakenIn,
    /// The functions whose callers it has.
    called: FxHashSet<FuncId>,
    /// Of blocks: before which instruction it has the calls that may not return.
    left: FxHashMap<(FuncId, BlockId, Calls), u32>,
    /// Library calls that may run functions of the program.
    calling_back: Vec<Statement>,
    /// What decides what other threads and files give: calls by what they do.
    ends: Vec<Statement>,
    output: Vec<Statement>,
    keeping: Vec<Statement>,
    jumps: Vec<Statement>,
    /// The calls by which an exception comes to a landing pad.
    throws: Vec<Statement>,
    /// If writes that are surely overwritten are left out.
    strong: Option<Strong<'a>>,
    /// If only writes of a thread's own count: by function, the threads that may run it.
    threads: Option<Vec<BTreeSet<FuncId>>>,
}

impl<'a> Slicer<'a> {
    /// Prepares slices of a program. If something is unknown about its library functions
    /// ([`PointsTo::unknown`]), slices may lack statements.
    pub fn new(module: &'a Module, points_to: &'a PointsTo, ending: Ending, callers: Callers) -> Slicer<'a> {
        let mut slicer = Slicer {
            module,
            ending,
            points_to,
            facts: FxHashMap::default(),
            writers: Writers::new(points_to.wide()),
            callers: FxHashMap::default(),
            leaving: Vec::new(),
            callers_apart: callers == Callers::ToldApart,
            outcomes: Outcomes::default(),
            taken_in: TakenIn::default(),
            called: FxHashSet::default(),
            left: FxHashMap::default(),
            calling_back: Vec::new(),
            ends: Vec::new(),
            output: Vec::new(),
            keeping: Vec::new(),
            jumps: Vec::new(),
            throws: Vec::new(),
            strong: None,
            threads: None,
        };
        let running = module.functions.iter_ids();
        for (id, function) in running.filter(|(id, _)| points_to.may_run(*id)) {
            for (statement, kind) in instructions(id, function) {
                slicer.note(statement, kind);
            }
        }
        if slicer.callers_apart {
            slicer.writers.own = slicer.own_variables();
        }
        slicer.leaving = match ending {
            Ending::Possible => slicer.functions_that_leave(),
            Ending::Excluded => vec![false; module.functions.len()],
        };
        slicer
    }

    /// All statements that may decide about these, and these.
    pub fn of(&mut self, asked: impl IntoIterator<Item = Statement>) -> Slice {
        self.of_criterion(&Criterion {
            whole: asked.into_iter().collect(),
            ..Criterion::default()
        })
    }

    /// All statements that may decide about what is asked for.
    pub fn of_criterion(&mut self, criterion: &Criterion) -> Slice {
        self.outcomes = Outcomes::default();
        self.taken_in = TakenIn::default();
        self.called.clear();
        self.left.clear();
        let mut slice = Slice::new();
        let mut seen = FxHashSet::default();
        let mut work = VecDeque::new();
        let mut found = Found {
            calls: Calls::All,
            list: Vec::new(),
        };
        for &statement in &criterion.whole {
            slice.insert(statement, (Reason::Asked, statement));
            if seen.insert((Node::At(statement), Calls::All)) {
                work.push_back((Node::At(statement), Calls::All));
            }
        }
        let mut take = |from: Statement, found: &mut Found, work: &mut VecDeque<(Node, Calls)>| {
            for Dependence { reason, on, calls } in found.list.drain(..) {
                if !matches!(on, Node::Returns(..)) {
                    slice.entry(on.statement()).or_insert((reason, from));
                }
                if !seen.contains(&(on, Calls::All)) && seen.insert((on, calls)) {
                    work.push_back((on, calls));
                }
            }
        };
        for &statement in &criterion.executed {
            self.of_execution(statement, &mut found);
            take(statement, &mut found, &mut work);
        }
        for &(statement, operand) in &criterion.operands {
            self.of_operand(statement, operand, &mut found);
            take(statement, &mut found, &mut work);
        }
        while let Some((node, calls)) = work.pop_front() {
            found.calls = calls;
            self.dependences(node, &mut found);
            take(node.statement(), &mut found, &mut work);
        }
        slice
    }

    fn function(&self, statement: Statement) -> &'a Function {
        &self.module.functions[statement.0]
    }

    fn kind(&self, statement: Statement) -> Option<&'a InstKind> {
        let block = &self.function(statement).blocks[BlockId::from_index(statement.1.block as usize)];
        block.insts.get(statement.1.index as usize).map(|inst| &inst.kind)
    }

    /// The library functions that a call may run.
    fn effects(&self, call: Statement) -> impl Iterator<Item = (&'a str, Effect)> + use<'a> {
        let (module, points_to) = (self.module, self.points_to);
        points_to.callees(call.0, call.1).filter_map(move |f| {
            let function = &module.functions[f];
            let effect = effect(&function.name).filter(|_| !function.is_defined())?;
            Some((function.name.as_str(), effect))
        })
    }

    fn dependences(&mut self, node: Node, found: &mut Found) {
        match node {
            Node::Result(call, result) => {
                let callees: Vec<FuncId> = self.points_to.callees(call.0, call.1).collect();
                for callee in callees {
                    self.of_outcome(callee, Part::Result(result), call, found);
                }
            }
            Node::Argument(call, number) => {
                if let Some(InstKind::Call { args, .. }) = self.kind(call)
                    && let Some(&argument) = args.get(number as usize)
                {
                    self.of_operand(call, argument, found);
                }
            }
            Node::Returns(function, call) => self.of_outcome(function, Part::Returning, call, found),
            Node::At(statement) => {
                self.of_execution(statement, found);
                match self.kind(statement) {
                    Some(InstKind::Call { callee, args, .. }) => {
                        if let Callee::Indirect(address) = callee {
                            self.of_operand(statement, *address, found);
                        }
                        let library = self.effects(statement).next().is_some();
                        let variable = self.points_to.callees(statement.0, statement.1);
                        let variable = variable.map(|f| &self.module.functions[f]).any(|f| f.varargs);
                        if library || variable {
                            args.iter().for_each(|&a| self.of_operand(statement, a, found));
                        }
                        if library {
                            self.of_library(statement, found);
                        }
                    }
                    Some(InstKind::LandingPad { .. }) => {
                        for &throw in &self.throws {
                            found.push_everywhere(Reason::Value, Node::At(throw));
                        }
                    }
                    Some(kind) => kind.for_each_operand(|o| self.of_operand(statement, o, found)),
                    None => {
                        let block = BlockId::from_index(statement.1.block as usize);
                        let term = &self.function(statement).blocks[block].term;
                        // What is returned matters where it is used; how a branch is decided,
                        // always.
                        if !matches!(term, Terminator::Return(_)) {
                            term.for_each_operand(|o| self.of_operand(statement, o, found));
                        }
                    }
                }
                if let Some(kind) = self.kind(statement) {
                    self.of_memory(statement, kind, found);
                }
            }
        }
    }

    fn of_operand(&mut self, statement: Statement, operand: Operand, found: &mut Found) {
        let Operand::Reg(register) = operand else { return };
        let (id, place) = statement;
        let definitions = self.facts(id).uses.definitions(place, register).to_vec();
        for definition in definitions {
            match definition {
                Definition::Missing => {}
                Definition::At(place) => self.of_definition((id, place), register, found),
                Definition::Parameter => self.of_parameter(id, register, found),
            }
        }
    }

    /// A statement assigns a register.
    fn of_definition(&mut self, statement: Statement, register: Reg, found: &mut Found) {
        found.push(Reason::Value, Node::At(statement));
        if let Some(InstKind::Call { results, .. }) = self.kind(statement) {
            for (i, _) in results.iter().enumerate().filter(|(_, r)| **r == register) {
                found.push(Reason::Value, Node::Result(statement, i as u32));
            }
        }
    }

    /// The arguments that callers pass.
    fn of_parameter(&mut self, id: FuncId, register: Reg, found: &mut Found) {
        let function = &self.module.functions[id];
        let Some(number) = function.params.iter().position(|&p| p == register) else {
            return;
        };
        let number = number as u32;
        if let Calls::Asking(outcome) = found.calls {
            return self.reach_parameter(outcome, number, found);
        }
        for &call in self.callers.get(&id).into_iter().flatten() {
            found.push(Reason::Value, Node::At(call));
            found.push(Reason::Value, Node::Argument(call, number));
        }
        if self.points_to.called_by_library().any(|f| f == id) {
            for &call in self.calling_back.iter().chain(&self.keeping) {
                found.push(Reason::Value, Node::At(call));
            }
        }
    }

    /// The values that a function returns in a result.
    fn of_returned(&mut self, callee: FuncId, result: u32, found: &mut Found) {
        let function = &self.module.functions[callee];
        for end in ends(callee, function) {
            found.push(Reason::Value, Node::At(end));
            let block = BlockId::from_index(end.1.block as usize);
            if let Terminator::Return(values) = &function.blocks[block].term
                && let Some(&value) = values.get(result as usize)
            {
                self.of_operand(end, value, found);
            }
        }
    }

    /// What a library call does may be decided by other calls.
    fn of_library(&mut self, call: Statement, found: &mut Found) {
        let effects: Vec<_> = self.effects(call).collect();
        for (name, effect) in effects {
            let calls: Vec<Statement> = match (effect.special, effect.result) {
                (Special::Joins(_), _) => {
                    let starts: Vec<FuncId> = self.points_to.called_by_library().collect();
                    found.within(Calls::All, |found| {
                        for start in starts {
                            self.of_returned(start, 0, found);
                        }
                    });
                    self.ends.clone()
                }
                (Special::Input(_), _) | (_, Returns::Files) => self.output.clone(),
                (Special::GetsKey, _) => self.keeping.clone(),
                _ if name.contains("setjmp") => self.jumps.clone(),
                _ => continue,
            };
            for call in calls {
                found.push_everywhere(Reason::Memory, Node::At(call));
            }
        }
    }

    /// What decides whether a statement is executed.
    fn of_execution(&mut self, statement: Statement, found: &mut Found) {
        let (id, place) = statement;
        let block = BlockId::from_index(place.block as usize);
        self.calls_that_leave(id, block, place.index, found);
        let controllers = self.facts(id).control.controllers(block).to_vec();
        for controller in controllers {
            let end = self.module.functions[id].blocks[controller].insts.len() as u32;
            let place = Place {
                block: controller.index() as u32,
                index: end,
            };
            found.push(Reason::Branch, Node::At((id, place)));
            self.calls_that_leave(id, controller, end, found);
        }
        // For other calls, those that asked are in the slice.
        if found.calls != Calls::All || !self.called.insert(id) {
            return;
        }
        for &call in self.callers.get(&id).into_iter().flatten() {
            found.push(Reason::Call, Node::At(call));
        }
        if self.points_to.called_by_library().any(|f| f == id) {
            for &call in &self.calling_back {
                found.push(Reason::Call, Node::At(call));
            }
        }
    }

    /// What decides whether a function comes back: its calls that may not, and how its loops are
    /// left.
    fn of_returning(&mut self, id: FuncId, found: &mut Found) {
        let function = &self.module.functions[id];
        for (block, what) in function.blocks.iter_ids() {
            let end = what.insts.len() as u32;
            self.calls_that_leave(id, block, end, found);
            if matches!(what.term, Terminator::Unreachable | Terminator::Trap) {
                found.push(Reason::MayNotReturn, Node::At(at(id, block, end)));
            }
        }
        let cfg = Cfg::of(self.module, function, |_| false);
        for each in LoopForest::of(&cfg).iter() {
            for &block in &each.blocks {
                let what = &function.blocks[block];
                let mut leaves = each.headers.contains(&block);
                crate::cfg::successors(&what.term, |to| leaves |= !each.blocks.contains(&to));
                if leaves {
                    let end = at(id, block, what.insts.len() as u32);
                    found.push(Reason::MayNotReturn, Node::At(end));
                }
            }
        }
    }

    /// The functions that a call runs and that may not come back to it.
    fn callees_that_leave(&mut self, call: Statement, found: &mut Found) {
        for callee in self.points_to.callees(call.0, call.1) {
            let leaves = self.leaving[callee.index()] && self.module.functions[callee].is_defined();
            if leaves {
                found.push(Reason::MayNotReturn, Node::Returns(callee, call));
            }
        }
    }

    /// Calls of a block, before an instruction, that may not return.
    fn calls_that_leave(&mut self, id: FuncId, block: BlockId, before: u32, found: &mut Found) {
        let module = self.module;
        let insts = &module.functions[id].blocks[block].insts;
        let known = self.left.entry((id, block, found.calls)).or_default();
        let from = std::mem::replace(known, before.max(*known));
        let between = insts.iter().enumerate().take(before as usize);
        for (index, inst) in between.skip(from as usize) {
            let place = Place {
                block: block.index() as u32,
                index: index as u32,
            };
            let leaves = match inst.kind {
                InstKind::Call { .. } => self.may_leave((id, place)),
                InstKind::Unsupported { .. } => true,
                _ => false,
            };
            if leaves {
                found.push(Reason::MayNotReturn, Node::At((id, place)));
                self.callees_that_leave((id, place), found);
            }
        }
    }
}

fn at(function: FuncId, block: BlockId, index: u32) -> Statement {
    let block = block.index() as u32;
    (function, Place { block, index })
}

/// All instructions of a function, without the terminators.
fn instructions(id: FuncId, function: &Function) -> impl Iterator<Item = (Statement, &InstKind)> {
    function.blocks.iter_ids().flat_map(move |(block, what)| {
        what.insts.iter().enumerate().map(move |(index, inst)| {
            let place = Place {
                block: block.index() as u32,
                index: index as u32,
            };
            ((id, place), &inst.kind)
        })
    })
}

/// The statements with which a function returns.
fn ends(id: FuncId, function: &Function) -> impl Iterator<Item = Statement> + use<> {
    let returns = function
        .blocks
        .iter_ids()
        .filter(|(_, what)| matches!(what.term, Terminator::Return(_)));
    let places: Vec<Place> = returns
        .map(|(block, what)| Place {
            block: block.index() as u32,
            index: what.insts.len() as u32,
        })
        .collect();
    places.into_iter().map(move |place| (id, place))
}
