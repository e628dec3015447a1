//! The condition of the present path, an assignment of inputs that takes it, and what is known because of it.

use crate::memory::Site;
use rustc_hash::FxHashMap;
use selvedge_base::ThreadId;
use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Expr, InputKey, Node, UnOp};
use selvedge_model::InputKind;
use std::rc::Rc;

/// One possible outcome of a decision.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// What holds then.
    pub condition: Expr,
    /// Inputs with which the path and the condition hold.
    pub model: Rc<Assignment>,
}

/// An input that was asked for on this path.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Who asked.
    pub thread: ThreadId,
    /// What the program calls it.
    pub name: Rc<str>,
    /// Where.
    pub site: Site,
    /// How its bytes are to be read.
    pub kind: InputKind,
    /// Its size in bytes.
    pub size: u64,
    /// Its pieces, the lowest first: bytes of an object, words of a number.
    pub pieces: Vec<InputKey>,
    /// The bytes themselves, if inputs are fixed.
    pub fixed: Option<Vec<u8>>,
}

/// What the log says of one change.
#[derive(Clone, Debug)]
enum Change {
    /// A condition was added: constraints before it, the model before it, and what was learnt.
    Constrained {
        constraints: u32,
        model: Rc<Assignment>,
        learnt: Vec<Expr>,
    },
    /// What a condition says was learnt without adding it.
    Learnt(Vec<Expr>),
    /// An input was asked for.
    Asked,
    /// Other arms are to be chosen from.
    Choosing(Rc<[Arm]>),
}

/// See the module's documentation. Changed through `State`, which logs each change.
#[derive(Clone, Default)]
pub(crate) struct Path {
    constraints: Vec<Expr>,
    model: Rc<Assignment>,
    known: FxHashMap<Expr, u128>,
    asked: Vec<Asked>,
    choosing: Option<Rc<[Arm]>>,
    log: Vec<Change>,
}

impl Path {
    /// What holds on this path, oldest first.
    pub fn constraints(&self) -> &[Expr] {
        &self.constraints
    }

    /// Inputs with which this path is taken.
    pub fn model(&self) -> &Rc<Assignment> {
        &self.model
    }

    /// The only value of an expression on this path, if that is known.
    pub fn known(&self, expr: Expr) -> Option<u128> {
        self.known.get(&expr).copied()
    }

    /// The inputs asked for, in order.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// The alternatives of the pending data choice.
    pub fn arms(&self) -> &[Arm] {
        self.choosing.as_deref().unwrap_or(&[])
    }

    /// Adds a condition, and inputs with which it holds as well.
    pub fn constrain(&mut self, arena: &Arena, condition: Expr, model: Rc<Assignment>) {
        let constraints = self.constraints.len() as u32;
        self.add(arena, condition);
        let mut learnt = Vec::new();
        self.learn(arena, condition, 1, &mut learnt);
        let model = std::mem::replace(&mut self.model, model);
        self.log.push(Change::Constrained {
            constraints,
            model,
            learnt,
        });
    }

    /// Conjunctions are added in parts: small constraints share less with one another.
    fn add(&mut self, arena: &Arena, condition: Expr) {
        match arena.node(condition) {
            Node::Binary(BinOp::And, a, b) if arena.width(condition) == 1 => {
                self.add(arena, a);
                self.add(arena, b);
            }
            _ if self.known.get(&condition) == Some(&1) || arena.as_const(condition) == Some(1) => {}
            _ => self.constraints.push(condition),
        }
    }

    /// Notes that an expression has one value on this path, because the path's condition says so already.
    /// Whether that was new.
    pub fn note(&mut self, arena: &Arena, expr: Expr, value: u128) -> bool {
        let mut learnt = Vec::new();
        self.learn(arena, expr, value, &mut learnt);
        if learnt.is_empty() {
            return false;
        }
        self.log.push(Change::Learnt(learnt));
        true
    }

    fn learn(&mut self, arena: &Arena, expr: Expr, value: u128, learnt: &mut Vec<Expr>) {
        if arena.as_const(expr).is_some() || self.known.contains_key(&expr) {
            return;
        }
        self.known.insert(expr, value);
        learnt.push(expr);
        match arena.node(expr) {
            Node::Unary(UnOp::Not, a) => {
                let all = u128::MAX >> (128 - u32::from(arena.width(expr)));
                self.learn(arena, a, !value & all, learnt);
            }
            Node::Binary(BinOp::And, a, b) if arena.width(expr) == 1 && value == 1 => {
                self.learn(arena, a, 1, learnt);
                self.learn(arena, b, 1, learnt);
            }
            Node::Compare(CmpOp::Eq, a, b) if value == 1 => match (arena.as_const(a), arena.as_const(b)) {
                (Some(value), None) => self.learn(arena, b, value, learnt),
                (None, Some(value)) => self.learn(arena, a, value, learnt),
                _ => {}
            },
            _ => {}
        }
        // The negation is asked for as often.
        if arena.width(expr) == 1 {
            let negation = arena.not(expr);
            if let std::collections::hash_map::Entry::Vacant(place) = self.known.entry(negation) {
                place.insert(1 - value);
                learnt.push(negation);
            }
        }
    }

    /// Adds an input.
    pub fn ask(&mut self, asked: Asked) {
        self.asked.push(asked);
        self.log.push(Change::Asked);
    }

    /// Sets the alternatives of a data choice.
    pub fn choose_from(&mut self, arms: Rc<[Arm]>) {
        let old = self.choosing.replace(arms);
        self.log
            .push(Change::Choosing(old.unwrap_or_else(|| Rc::new([]))));
    }

    /// Takes back the last change.
    pub fn undo_one(&mut self) {
        match self.log.pop() {
            Some(Change::Constrained {
                constraints,
                model,
                learnt,
            }) => {
                self.constraints.truncate(constraints as usize);
                self.model = model;
                self.forget(&learnt);
            }
            Some(Change::Learnt(learnt)) => self.forget(&learnt),
            Some(Change::Asked) => {
                self.asked.pop();
            }
            Some(Change::Choosing(old)) => self.choosing = Some(old),
            None => {}
        }
    }

    fn forget(&mut self, learnt: &[Expr]) {
        for expr in learnt {
            self.known.remove(expr);
        }
    }

    /// Empties the log: the present state becomes the oldest one.
    pub fn commit(&mut self) {
        self.log.clear();
    }
}
