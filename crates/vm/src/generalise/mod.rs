//! Generalised states: one state for all those that differ only in numbers.
//!
//! Where a loop goes round, its counter makes each state a new one. Of states of one *shape*
//! (`fingerprint/shape.rs`), those numbers that have many values, and those that inputs decide, are
//! replaced by new symbols: those that differ by the same in all states (a *class*) by one symbol.
//! What is known of the symbols are *facts* (`fact.rs`), and these take the place of the path's
//! condition.
//!
//! *Why nothing is lost.* A state is replaced only if it is an instance of the general one: with
//! its numbers for the symbols, its path implies that numbers of one class differ as they should,
//! and each fact. If it is not, the general state is weakened, and the exploration begins again. So
//! in an exploration that came to its end, each state that was replaced is an instance of what was
//! explored in its place. The general state may stand for states that no execution comes to: what
//! goes wrong there is a candidate for a finding, and no finding.
//!
//! *Why it ends.* A general state only gets weaker: a cell is generalised, a class is divided, a
//! fact is dropped. There are finitely many of each.
//!
//! After Bergan, Ceze and Grossman (OOPSLA 2013), section 5: the state at the begin of an epoch.

mod cell;
mod fact;

use crate::memory::Memory;
use crate::value::{Symbol, Value};
use crate::vm::Vm;
use cell::{Cell, Contents};
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_expr::{Assignment, BinOp, CmpOp, Expr, InputKey, eval};
use selvedge_solver::{Answer, Query};
use std::collections::BTreeSet;

/// So many states of one shape are told apart before numbers in them are generalised.
const MOST_STATES: usize = 6;

/// A cell that has more numbers than this is generalised, if states are to be told apart no more.
const FEW_NUMBERS: usize = 3;

/// The owner of the symbols of general states: no thread has this region.
const GENERAL: u32 = u32::MAX;
/// The owner of the names of classes in facts. They are in no state.
const NAMES: u32 = u32::MAX - 1;

/// What is known of the states of each shape. It belongs to the expressions of one machine.
#[derive(Default)]
pub struct Generalised {
    known: FxHashMap<Digest, Shape>,
    /// The state that arrived last.
    last: Option<(Digest, Contents)>,
    names: u32,
    /// Whether numbers that are left open may be any.
    no_facts: bool,
}

impl Generalised {
    /// Nothing is known, and nothing will be of the numbers that are left open. To measure what
    /// facts are good for.
    pub fn without_facts() -> Generalised {
        Generalised {
            no_facts: true,
            ..Generalised::default()
        }
    }
}

/// States of one shape.
#[derive(Default)]
struct Shape {
    /// The states that were told apart in this exploration.
    seen: Vec<Contents>,
    general: Option<General>,
}

/// A general state.
#[derive(Default)]
struct General {
    classes: Vec<Class>,
    /// Conditions on the names of classes.
    facts: Vec<Expr>,
    /// Cells that had something else than a number.
    never: BTreeSet<Cell>,
}

/// Cells whose numbers differ by the same in each state.
struct Class {
    /// Each cell, and by how much its number is greater than that of the first one.
    cells: Vec<(Cell, u128)>,
    /// What stands for the number of the first one in facts.
    name: Expr,
}

impl Class {
    /// Its first cell. A class has one.
    fn first(&self) -> Option<Cell> {
        self.cells.first().map(|&(cell, _)| cell)
    }

    fn width(&self) -> u8 {
        self.first().map_or(0, Cell::width)
    }
}

impl General {
    /// Drops the facts about names that no class has any more.
    fn forget_names(&mut self, memory: &Memory) {
        let arena = &memory.tags.arena;
        let live: BTreeSet<Expr> = self.classes.iter().map(|class| class.name).collect();
        self.facts.retain(|&fact| {
            let inputs = arena.inputs_of(fact);
            let mut names = inputs
                .iter()
                .filter(|&&input| arena.input_key(input).thread == NAMES);
            names.all(|&input| live.contains(&arena.input_expr(input)))
        });
    }

    fn cells(&self) -> BTreeSet<Cell> {
        let cells = self.classes.iter().flat_map(|class| &class.cells);
        cells.map(|&(cell, _)| cell).collect()
    }
}

impl Vm {
    /// Puts the general state in the place of the present one, if there is a general state of its
    /// shape. False: the present state is no instance of it. The general state is weaker now, and
    /// the exploration has to begin again.
    pub fn generalise(&mut self, known: &mut Generalised) -> bool {
        self.settle_numbers();
        let (shape, contents) = (self.shape(), Contents::of(self));
        let mut fits = true;
        if let Some(mut general) = known.known.get_mut(&shape).and_then(|shape| shape.general.take()) {
            fits = self.fits(&mut general, &contents, &mut known.names);
            if fits {
                self.take(&general, &contents);
            }
            known.known.entry(shape).or_default().general = Some(general);
        }
        known.last = Some((shape, contents));
        fits
    }

    /// Puts the number in the place of each expression that has only one on this path. So states
    /// with the same numbers are the same, whichever inputs they are made of.
    fn settle_numbers(&mut self) {
        let position = self.state.position();
        let mut known: FxHashMap<Expr, Option<u128>> = FxHashMap::default();
        let mut settled = Vec::new();
        let symbolic = Contents::of(self).symbolic(&self.state.memory);
        // A number is settled as a whole: else what is left of it has another form.
        for word in symbolic.chunk_by(|one, other| one.0.word() == other.0.word()) {
            let numbers: Option<Vec<(Cell, Value)>> = word
                .iter()
                .map(|&(cell, expr)| {
                    let number = *known.entry(expr).or_insert_with(|| self.only_number(expr));
                    number.map(|number| (cell, Value::new(number as u64)))
                })
                .collect();
            settled.extend(numbers.into_iter().flatten());
        }
        if settled.is_empty() {
            return;
        }
        self.began = self.state.memory.mark();
        self.state.memory.begin_step();
        for (cell, value) in settled {
            self.replace(cell, value);
        }
        self.foreseen.get_mut().known = None;
        if let Some(prints) = &mut self.fingerprints {
            prints.changed(&self.program, &self.state, position);
        }
    }

    /// The only number that an expression can be on this path.
    fn only_number(&mut self, expr: Expr) -> Option<u128> {
        let value = self.evaluate(expr);
        let arena = &self.state.memory.tags.arena;
        let only = arena.compare(CmpOp::Eq, expr, arena.constant(arena.width(expr), value));
        self.implies(only).then_some(value)
    }

    /// Replaces the contents of a cell.
    fn replace(&mut self, cell: Cell, value: Value) {
        match cell {
            Cell::Bytes(address, size) => {
                self.state.memory.poke_checked(address, u64::from(size), value);
            }
            Cell::Register((region, frame, slot), _) => {
                let threads = self.state.threads();
                let Some(thread) = threads.iter().position(|thread| thread.region == region) else {
                    return;
                };
                let at = threads[thread].frame(frame as usize).base + u32::from(slot);
                self.state
                    .replace_register(ThreadId::from_index(thread), at, value);
            }
        }
    }

    /// Whether the present state is an instance of a general one, which is made weaker if not.
    fn fits(&mut self, general: &mut General, contents: &Contents, names: &mut u32) -> bool {
        let mut fits = true;
        let mut classes = Vec::new();
        for class in std::mem::take(&mut general.classes) {
            let mut rest = Vec::new();
            for (cell, by) in class.cells {
                let memory = &self.state.memory;
                match (contents.number(memory, cell), cell) {
                    (Some(_), _) => rest.push((cell, by)),
                    (None, Cell::Register(register, bits)) if bits < 64 => {
                        fits = false;
                        rest.push((Cell::Register(register, 64), 0));
                    }
                    (None, _) => {
                        fits = false;
                        general.never.insert(cell);
                    }
                }
            }
            let mut name = Some(class.name);
            while let Some(&(first, base)) = rest.first() {
                let all = u128::MAX >> (128 - u32::from(first.width()));
                let (mut cells, mut others) = (Vec::new(), Vec::new());
                for (cell, by) in rest {
                    let by = by.wrapping_sub(base) & all;
                    match cell == first || self.differ_by(contents, (first, cell), by) {
                        true => cells.push((cell, by)),
                        false => others.push((cell, by)),
                    }
                }
                rest = others;
                fits &= rest.is_empty();
                let memory = &self.state.memory;
                let kept = name
                    .take()
                    .filter(|&name| memory.tags.arena.width(name) == first.width());
                let name = kept.unwrap_or_else(|| new_name(memory, names, first.width()));
                classes.push(Class { cells, name });
            }
        }
        general.classes = classes;
        if !fits {
            general.forget_names(&self.state.memory);
            return false;
        }
        let pairs = self.numbers(general, contents);
        let before = general.facts.len();
        general.facts = self.implied(&general.facts, &pairs);
        general.facts.len() == before
    }

    /// Those of some facts that the path implies, with numbers in the place of names.
    fn implied(&mut self, facts: &[Expr], pairs: &[(Expr, Expr)]) -> Vec<Expr> {
        let arena = &self.state.memory.tags.arena;
        let instance = |&fact: &Expr| (fact, arena.substitute(fact, pairs));
        let mut open: Vec<(Expr, Expr)> = facts.iter().map(instance).collect();
        // Each query drops all facts that its answer refutes.
        loop {
            let arena = &self.state.memory.tags.arena;
            let and = |all, &(_, one): &(Expr, Expr)| arena.binary(BinOp::And, all, one);
            let all = open.iter().fold(arena.truth(true), and);
            match self.refuted(all) {
                Answer::Unsat => return open.into_iter().map(|(fact, _)| fact).collect(),
                Answer::Sat(model) => {
                    let before = open.len();
                    let arena = &self.state.memory.tags.arena;
                    open.retain(|&(_, one)| eval(arena, one, &model) == 1);
                    if open.len() == before {
                        return Vec::new();
                    }
                }
                Answer::Unknown(_) => {
                    open.retain(|&(_, one)| self.implies(one));
                    return open.into_iter().map(|(fact, _)| fact).collect();
                }
            }
        }
    }

    /// Whether the second of two cells has a number that is greater by so much, modulo 2^width.
    fn differ_by(&mut self, contents: &Contents, (first, other): (Cell, Cell), by: u128) -> bool {
        let memory = &self.state.memory;
        let (Some(one), Some(two)) = (contents.number(memory, first), contents.number(memory, other)) else {
            return false;
        };
        let arena = &memory.tags.arena;
        if first.width() != other.width() {
            return false;
        }
        let sum = arena.binary(BinOp::Add, one, arena.constant(first.width(), by));
        let equal = arena.compare(CmpOp::Eq, sum, two);
        self.implies(equal)
    }

    /// The name of each class, and its number in a state.
    fn numbers(&self, general: &General, contents: &Contents) -> Vec<(Expr, Expr)> {
        let number = |class: &Class| {
            let first = class.first()?;
            Some((class.name, contents.number(&self.state.memory, first)?))
        };
        general.classes.iter().filter_map(number).collect()
    }

    /// Whether the path implies a condition. No answer means no.
    fn implies(&mut self, condition: Expr) -> bool {
        matches!(self.refuted(condition), Answer::Unsat)
    }

    /// Inputs of the path for which a condition does not hold.
    fn refuted(&mut self, condition: Expr) -> Answer {
        let arena = &self.state.memory.tags.arena;
        let path = self.state.path();
        match arena.as_const(condition) {
            Some(1) => return Answer::Unsat,
            Some(_) => return Answer::Sat(path.model().clone()),
            None => {}
        }
        if self.evaluator.eval(arena, condition, path.model()) == 0 {
            return Answer::Sat(path.model().clone());
        }
        let query = Query {
            path: path.constraints(),
            goal: &[arena.not(condition)],
            hint: Some(path.model().as_ref()),
        };
        self.solver.check(&self.program.solver_options, arena, &query)
    }

    /// Puts a general state in the place of an instance of it.
    fn take(&mut self, general: &General, contents: &Contents) {
        let (state, memory) = (self.state.position(), self.state.memory.mark());
        self.began = memory;
        self.state.memory.begin_step();
        let pairs = self.numbers(general, contents);
        let number = self.state.path().generalised();
        let mut model = Assignment::clone(self.state.path().model());
        let mut new = Vec::new();
        for (at, (class, &(name, old))) in general.classes.iter().zip(&pairs).enumerate() {
            let value = self.evaluate(old);
            let tags = &self.state.memory.tags;
            let key = InputKey {
                thread: GENERAL,
                ordinal: number,
                byte: at as u32 | u32::from(class.width()) << 24,
            };
            let expr = tags.arena.input(key, class.width());
            if let Some(id) = tags.arena.find_input(key) {
                model.set(id, value);
            }
            new.push((name, expr));
            for &(cell, by) in &class.cells {
                let tags = &self.state.memory.tags;
                let by = tags.arena.constant(class.width(), by);
                let number = tags.symbolic(Symbol {
                    expr: tags.arena.binary(BinOp::Add, expr, by),
                    undefined: 0,
                    home: 0,
                });
                self.replace(cell, number);
            }
        }
        let arena = &self.state.memory.tags.arena;
        let facts: Vec<Expr> = general
            .facts
            .iter()
            .map(|&fact| arena.substitute(fact, &new))
            .collect();
        self.state.replace_path(&facts, model);
        self.foreseen.get_mut().known = None;
        if let Some(prints) = &mut self.fingerprints {
            prints.changed(&self.program, &self.state, state);
        }
    }
}

impl Generalised {
    /// The state that arrived last is a new one. False: there are too many of its shape, so numbers
    /// in them are left open from now on, and the exploration has to begin again.
    pub fn add(&mut self, vm: &Vm) -> bool {
        let Some((shape, contents)) = self.last.take() else {
            return true;
        };
        let known = self.known.entry(shape).or_default();
        let masked = known.general.as_ref().map(General::cells);
        let told = |state: &Contents| match &masked {
            None => state.clone(),
            Some(cells) => state.without(cells),
        };
        let new = told(&contents);
        if known.seen.iter().any(|state| told(state).is_like(&new)) {
            // The difference is in no number.
            return true;
        }
        known.seen.push(contents);
        if known.seen.len() <= MOST_STATES {
            return true;
        }
        let widened = known.widen(&vm.state.memory, &mut self.names);
        if let Some(general) = known.general.as_mut().filter(|_| self.no_facts) {
            general.facts.clear();
        }
        !widened
    }

    /// The exploration begins again.
    pub fn begin(&mut self) {
        self.last = None;
        for shape in self.known.values_mut() {
            shape.seen.clear();
        }
    }

    /// Whether states were generalised.
    pub fn is_used(&self) -> bool {
        self.known.values().any(|shape| shape.general.is_some())
    }
}

impl Shape {
    /// Generalises what differs most between the states. False: there is nothing to generalise.
    fn widen(&mut self, memory: &Memory, names: &mut u32) -> bool {
        let first = self.general.is_none();
        let general = self.general.get_or_insert_default();
        let known = general.cells();
        let mut cells: Vec<(usize, Cell)> = cell::differing(memory, &self.seen)
            .into_iter()
            .filter(|cell| !general.never.contains(cell) && !known.iter().any(|known| known.contains(*cell)))
            .map(|cell| (cell::variety(memory, &self.seen, cell), cell))
            .collect();
        let most = cells.iter().map(|&(variety, _)| variety).max().unwrap_or(0);
        // What inputs decide is left open, too, so that facts need not speak of inputs.
        cells.retain(|&(variety, cell)| {
            variety > FEW_NUMBERS || variety == most || cell::is_open(memory, &self.seen, cell)
        });
        // What is a part of a larger number now.
        let is_part = |part: Cell| cells.iter().any(|(_, cell)| cell.contains(part));
        for class in &mut general.classes {
            class.cells.retain(|&(cell, _)| !is_part(cell));
        }
        general.classes.retain(|class| !class.cells.is_empty());
        general.forget_names(memory);
        let mut classes: Vec<Class> = Vec::new();
        for (_, cell) in cells {
            let by = |class: &Class| cell::difference(memory, &self.seen, class.first()?, cell);
            match classes.iter_mut().find_map(|class| Some((by(class)?, class))) {
                Some((by, class)) => class.cells.push((cell, by)),
                None => classes.push(Class {
                    cells: vec![(cell, 0)],
                    name: new_name(memory, names, cell.width()),
                }),
            }
        }
        let some = !classes.is_empty() || first;
        for class in &classes {
            fact::bounds(memory, &self.seen, class, &mut general.facts);
        }
        if first {
            fact::conditions(memory, &self.seen, &classes, &mut general.facts);
        }
        general.classes.extend(classes);
        some
    }
}

/// A name for a class.
fn new_name(memory: &Memory, names: &mut u32, width: u8) -> Expr {
    let key = InputKey {
        thread: NAMES,
        ordinal: *names,
        byte: u32::from(width) << 24,
    };
    *names += 1;
    memory.tags.arena.input(key, width)
}
