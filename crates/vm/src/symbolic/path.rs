//! The condition of the present path, an assignment of inputs that takes it, and the values known
//! because of it.
//!
//! In a canonical machine (`Vm::canonical`), each thread has its own knowledge: its own decisions,
//! what its parent knew when it created the thread, what threads knew that it joined, and decisions
//! made while no other thread was left, which come before everything later. The decisions of
//! concurrent threads must not influence which decisions of a thread are events.

use crate::memory::{Site, address_of};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Expr, InputKey, Node, UnOp};
use selvedge_model::{Action, InputKind};
use std::rc::Rc;

/// One possible outcome of a decision.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// The condition that holds then.
    pub condition: Expr,
    /// Inputs with which the path and the condition hold.
    pub model: Rc<Assignment>,
    /// The name of the outcome, the same wherever the decision occurs; usually the hash of the
    /// condition.
    pub name: Digest,
    /// The expression that is decided, and its only value then, if the decision is about a value.
    pub fact: Option<(Expr, u128)>,
    /// True if it is the only outcome: the path implies it.
    pub only: bool,
}

/// The owner of knowledge that every thread has.
pub(crate) const EVERYBODY: u32 = 0;

/// The owner of a thread's own knowledge.
pub(crate) fn known_to(thread: ThreadId) -> u32 {
    1 + thread.index() as u32
}

/// A decision that is part of the path: the region of the thread that made it, and the outcome's
/// name.
pub(crate) type Decided = (u32, Digest);

/// An input that was requested on this path.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The thread that requested it.
    pub thread: ThreadId,
    /// The program's name for it.
    pub name: Rc<str>,
    /// The place.
    pub site: Site,
    /// The interpretation of its bytes.
    pub kind: InputKind,
    /// Its size in bytes.
    pub size: u64,
    /// Its pieces, the lowest first: bytes of an object, words of a number.
    pub pieces: Vec<InputKey>,
    /// The bytes themselves, if inputs are fixed.
    pub fixed: Option<Vec<u8>>,
}

impl Asked {
    /// Whether it is one of the inputs of its thread, and no byte of memory that threads share.
    pub fn is_of_thread(&self) -> bool {
        let first = self.pieces.first();
        first.is_none_or(|&key| address_of(key).is_none())
    }
}

/// A change, for the log.
#[derive(Clone, Debug)]
enum Change {
    /// A condition was added: the number of constraints before it, the model before it, and the new
    /// knowledge.
    Constrained {
        constraints: u32,
        model: Rc<Assignment>,
        learnt: Vec<(u32, Expr)>,
        decided: Option<Decided>,
    },
    /// Knowledge that follows from a condition was added, without the condition.
    Learnt(Vec<(u32, Expr)>),
    /// An input was requested.
    Asked,
    /// A thread's pending data choice changed.
    Choosing(ThreadId, Choosing),
    /// Everything but the inputs requested and the choices was replaced.
    Generalised(Box<Before>),
}

/// What a path was before it was replaced.
#[derive(Clone, Debug)]
struct Before {
    constraints: Vec<Expr>,
    model: Rc<Assignment>,
    known: FxHashMap<(u32, Expr), u128>,
    decided: FxHashSet<Decided>,
}

/// A thread's pending data choice.
#[derive(Clone, Debug)]
struct Choosing {
    arms: Rc<[Arm]>,
    begun: Option<Begun>,
}

/// The visible action that contains a thread's pending data choice. No other thread may run in
/// between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    /// The action.
    pub action: Action,
    /// The alternative of the action that was taken.
    pub alternative: u16,
    /// True if the action has no effect yet: it is performed with the choice. Otherwise the choice
    /// is within an atomic block.
    pub undone: bool,
}

/// See the module's documentation. Changed through `State`, which logs each change.
#[derive(Clone, Default)]
pub(crate) struct Path {
    constraints: Vec<Expr>,
    model: Rc<Assignment>,
    known: FxHashMap<(u32, Expr), u128>,
    decided: FxHashSet<Decided>,
    asked: Vec<Asked>,
    /// By thread.
    choosing: Vec<Choosing>,
    /// How many times the path was replaced.
    generalised: u32,
    log: Vec<Change>,
}

impl Path {
    /// True if an input was requested, something was assumed or decided, or the path was replaced.
    #[inline]
    pub fn is_used(&self) -> bool {
        !(self.constraints.is_empty()
            && self.asked.is_empty()
            && self.decided.is_empty()
            && self.known.is_empty()
            && self.generalised == 0)
    }

    /// The constraints of this path, oldest first.
    pub fn constraints(&self) -> &[Expr] {
        &self.constraints
    }

    /// Inputs for which this path is taken.
    pub fn model(&self) -> &Rc<Assignment> {
        &self.model
    }

    /// The only value of an expression on this path, as far as `who` knows.
    pub fn known(&self, who: u32, expr: Expr) -> Option<u128> {
        let known = self.known.get(&(EVERYBODY, expr));
        known
            .or_else(|| match who {
                EVERYBODY => None,
                _ => self.known.get(&(who, expr)),
            })
            .copied()
    }

    /// All knowledge: the owner, the expression and its value.
    pub fn all_known(&self) -> impl Iterator<Item = ((u32, Expr), u128)> + '_ {
        self.known.iter().map(|(&key, &value)| (key, value))
    }

    /// The decisions that are part of the path.
    pub fn decided(&self) -> impl Iterator<Item = Decided> + '_ {
        self.decided.iter().copied()
    }

    /// The decisions that the last `changes` changes made part of the path.
    pub fn newly_decided(&self, changes: usize) -> impl Iterator<Item = Decided> + '_ {
        let new = &self.log[self.log.len().saturating_sub(changes)..];
        new.iter().filter_map(|change| match change {
            Change::Constrained { decided, .. } => *decided,
            _ => None,
        })
    }

    /// The inputs requested, in order.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// The alternatives of a thread's pending data choice.
    pub fn arms(&self, thread: ThreadId) -> &[Arm] {
        self.choosing
            .get(thread.index())
            .map_or(&[], |choosing| &choosing.arms)
    }

    /// The visible action that a thread has begun and that contains its pending data choice.
    pub fn begun(&self, thread: ThreadId) -> Option<Begun> {
        self.choosing
            .get(thread.index())
            .and_then(|choosing| choosing.begun)
    }

    /// Adds the outcome of a decision by the thread with this region. `who` gets this knowledge.
    pub fn constrain(&mut self, arena: &Arena, who: u32, region: u32, arm: &Arm) {
        let constraints = self.constraints.len() as u32;
        if !arm.only {
            self.add(arena, who, arm.condition);
        }
        let mut learnt = Vec::new();
        self.learn(arena, who, arm.condition, 1, &mut learnt);
        if let Some((expr, value)) = arm.fact {
            self.learn(arena, who, expr, value, &mut learnt);
        }
        let decided = (region, arm.name);
        let decided = self.decided.insert(decided).then_some(decided);
        let model = std::mem::replace(&mut self.model, arm.model.clone());
        self.log.push(Change::Constrained {
            constraints,
            model,
            learnt,
            decided,
        });
    }

    /// Conjunctions are added in parts: small constraints share less with one another.
    fn add(&mut self, arena: &Arena, who: u32, condition: Expr) {
        match arena.node(condition) {
            Node::Binary(BinOp::And, a, b) if arena.width(condition) == 1 => {
                self.add(arena, who, a);
                self.add(arena, who, b);
            }
            _ if self.known(who, condition) == Some(1) || arena.as_const(condition) == Some(1) => {}
            _ => self.constraints.push(condition),
        }
    }

    /// Records that an expression has one value on this path, because the path's condition implies
    /// it. Returns true if this is new.
    pub fn note(&mut self, arena: &Arena, who: u32, expr: Expr, value: u128) -> bool {
        let mut learnt = Vec::new();
        self.learn(arena, who, expr, value, &mut learnt);
        if learnt.is_empty() {
            return false;
        }
        self.log.push(Change::Learnt(learnt));
        true
    }

    /// Adds a thread's knowledge to another thread's. Returns true if the other thread's knowledge
    /// grows.
    pub fn tell(&mut self, from: u32, to: u32) -> bool {
        let known = self.known.iter().filter(|((who, _), _)| *who == from);
        let news: Vec<(Expr, u128)> = known
            .filter(|((_, expr), _)| self.known(to, *expr).is_none())
            .map(|((_, expr), value)| (*expr, *value))
            .collect();
        if news.is_empty() {
            return false;
        }
        self.known
            .extend(news.iter().map(|&(expr, value)| ((to, expr), value)));
        let learnt = news.into_iter().map(|(expr, _)| (to, expr)).collect();
        self.log.push(Change::Learnt(learnt));
        true
    }

    fn learn(&mut self, arena: &Arena, who: u32, expr: Expr, value: u128, learnt: &mut Vec<(u32, Expr)>) {
        if arena.as_const(expr).is_some() || self.known(who, expr).is_some() {
            return;
        }
        self.known.insert((who, expr), value);
        learnt.push((who, expr));
        match arena.node(expr) {
            Node::Unary(UnOp::Not, a) => {
                let all = u128::MAX >> (128 - u32::from(arena.width(expr)));
                self.learn(arena, who, a, !value & all, learnt);
            }
            Node::Binary(BinOp::And, a, b) if arena.width(expr) == 1 && value == 1 => {
                self.learn(arena, who, a, 1, learnt);
                self.learn(arena, who, b, 1, learnt);
            }
            Node::Compare(CmpOp::Eq, a, b) if value == 1 => match (arena.as_const(a), arena.as_const(b)) {
                (Some(value), None) => self.learn(arena, who, b, value, learnt),
                (None, Some(value)) => self.learn(arena, who, a, value, learnt),
                _ => {}
            },
            _ => {}
        }
        // The negation is looked up as often.
        if arena.width(expr) == 1 {
            let negation = arena.not(expr);
            if self.known(who, negation).is_none() {
                self.known.insert((who, negation), 1 - value);
                learnt.push((who, negation));
            }
        }
    }

    /// How many times the path was [replaced](Self::replace).
    pub fn generalised(&self) -> u32 {
        self.generalised
    }

    /// Puts these conditions in the place of all that was decided. `model`: inputs with which they
    /// hold.
    pub fn replace(&mut self, arena: &Arena, facts: &[Expr], model: Assignment) {
        let before = Before {
            constraints: std::mem::take(&mut self.constraints),
            model: std::mem::replace(&mut self.model, Rc::new(model)),
            known: std::mem::take(&mut self.known),
            decided: std::mem::take(&mut self.decided),
        };
        for &fact in facts {
            self.add(arena, EVERYBODY, fact);
            self.learn(arena, EVERYBODY, fact, 1, &mut Vec::new());
        }
        self.generalised += 1;
        self.log.push(Change::Generalised(Box::new(before)));
    }

    /// Adds an input.
    pub fn ask(&mut self, asked: Asked) {
        self.asked.push(asked);
        self.log.push(Change::Asked);
    }

    /// Sets the alternatives of a thread's data choice, and the action that contains it.
    pub fn choose_from(&mut self, thread: ThreadId, arms: Rc<[Arm]>, begun: Option<Begun>) {
        if self.choosing.len() <= thread.index() {
            let nothing = Choosing {
                arms: Rc::new([]),
                begun: None,
            };
            self.choosing.resize(thread.index() + 1, nothing);
        }
        let old = std::mem::replace(&mut self.choosing[thread.index()], Choosing { arms, begun });
        self.log.push(Change::Choosing(thread, old));
    }

    /// Undoes the last change.
    pub fn undo_one(&mut self) {
        match self.log.pop() {
            Some(Change::Constrained {
                constraints,
                model,
                learnt,
                decided,
            }) => {
                self.constraints.truncate(constraints as usize);
                self.model = model;
                self.forget(&learnt);
                if let Some(decided) = decided {
                    self.decided.remove(&decided);
                }
            }
            Some(Change::Learnt(learnt)) => self.forget(&learnt),
            Some(Change::Asked) => {
                self.asked.pop();
            }
            Some(Change::Choosing(thread, old)) => self.choosing[thread.index()] = old,
            Some(Change::Generalised(before)) => {
                let Before {
                    constraints,
                    model,
                    known,
                    decided,
                } = *before;
                self.constraints = constraints;
                self.model = model;
                self.known = known;
                self.decided = decided;
                self.generalised -= 1;
            }
            None => {}
        }
    }

    fn forget(&mut self, learnt: &[(u32, Expr)]) {
        for known in learnt {
            self.known.remove(known);
        }
    }

    /// Empties the log: the present state becomes the oldest one.
    pub fn commit(&mut self) {
        self.log.clear();
    }
}
