//! What an exploration collects: the schedules of its executions, and what they lack.

use crate::combined::{Combined, TooMany};
use crate::parts;
use crate::plan::Plan;
use crate::trie::Trie;
use crate::without::{Optimisation, Without};
use rustc_hash::FxHashMap;
use selvedge_base::StmtId;
use selvedge_model::Unsupported;
use selvedge_schedule::cover::{Cover, Object, Order, Part};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The schedules of an exploration.
#[derive(Default)]
pub struct Collector {
    pub(crate) without: Without,
    pub(crate) inner: RefCell<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    pub(crate) trie: Trie,
    pub(crate) objects: Vec<Object>,
    /// Where each object is used: the first statement, and all of them.
    pub(crate) stmts: Vec<(StmtId, BTreeSet<StmtId>)>,
    pub(crate) numbers: FxHashMap<Object, usize>,
    pub(crate) parts: Vec<Part>,
    /// What is known from an exploration before; the parts are combined ones then.
    pub(crate) combined: Option<Combined>,
    pub(crate) schedules: Vec<Order>,
    /// The schedule of each leaf and the part that it leads to.
    pub(crate) leaves: FxHashMap<(usize, Option<usize>), usize>,
    pub(crate) refused: BTreeSet<Unsupported>,
    pub(crate) gaps: BTreeSet<Gap>,
    pub(crate) left_out: u64,
}

/// What schedules lack, by statements of the program's own code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gap {
    /// No operation orders an action of this statement with one of another thread that depends on
    /// it.
    Unordered(StmtId),
    /// No operation orders what several threads print.
    Printing,
    /// An operation of this statement is on an object without a name.
    Unnamed(StmtId),
    /// In several states that no operation tells apart, operations come in other orders.
    Order,
}

/// What was collected.
pub enum Collected {
    /// The set, without inputs and options, and the reasons why executions were left out of it. The
    /// set is complete only if there are no reasons and the exploration was complete. And what
    /// schedules lack: with that the program can be explored again.
    Set(Cover, BTreeSet<Unsupported>, BTreeSet<Gap>),
    /// Schedules lead to one of several parts. The program has to be explored again, and this
    /// collects the set then.
    Again(Box<Collector>),
}

impl Collector {
    /// Of an exploration without some of what keeps sets small.
    pub fn new(without: Without) -> Collector {
        Collector {
            without,
            inner: RefCell::default(),
        }
    }

    /// Returns what was collected.
    pub fn finish(self) -> Collected {
        let mut inner = self.inner.into_inner();
        for order in &mut inner.schedules {
            inner.trie.settle(order, &inner.parts);
        }
        let cover = Cover {
            objects: inner.objects,
            parts: inner.parts,
            schedules: inner.schedules,
            ..Cover::default()
        };
        let cover = match self.without.has(Optimisation::Parts) {
            true => cover,
            false => parts::merged(cover),
        };
        match Combined::of(&cover) {
            Ok(None) => {}
            Ok(Some(_)) if self.without.has(Optimisation::Combined) => {
                inner.refused.insert(Unsupported {
                    what: "parts that no operation tells apart, where parts are not combined".to_owned(),
                    stmt: StmtId(0),
                });
                return Collected::Set(cover, inner.refused, inner.gaps);
            }
            Ok(Some(combined)) if inner.refused.is_empty() => {
                return Collected::Again(Box::new(Collector {
                    without: self.without,
                    inner: RefCell::new(Inner {
                        objects: cover.objects,
                        stmts: inner.stmts,
                        numbers: inner.numbers,
                        parts: combined.parts.clone(),
                        combined: Some(combined),
                        ..Inner::default()
                    }),
                }));
            }
            Ok(Some(_)) => return Collected::Set(cover, inner.refused, inner.gaps),
            Err(TooMany) => {
                inner.refused.insert(Unsupported {
                    what: "parts after which too many states are possible that no operation tells apart"
                        .to_owned(),
                    stmt: StmtId(0),
                });
                return Collected::Set(cover, inner.refused, inner.gaps);
            }
        }
        // The set of an exploration that ends early has no plan, and is no set.
        let plan = Plan::of(&cover).ok();
        if let Some(plan) = plan.as_ref().filter(|_| !cover.parts.is_empty())
            && let Some(object) = plan.met(&cover)
        {
            inner.refused.insert(Unsupported {
                what: "a synchronisation object that is neither in a global variable nor initialised by a call, \
                       in a program whose schedules are in parts"
                    .to_owned(),
                stmt: inner.stmts[object].0,
            });
        }
        if inner.refused.is_empty()
            && let Some(object) = plan.and_then(|plan| plan.ambiguous(&cover))
        {
            let unnamed = inner.stmts[object].1.iter().map(|&stmt| Gap::Unnamed(stmt));
            inner.gaps.extend(unnamed);
            inner.refused.insert(Unsupported {
                what: "a synchronisation object that is neither in a global variable nor initialised by a call, \
                       where a thread may come to another one, too"
                    .to_owned(),
                stmt: inner.stmts[object].0,
            });
        }
        Collected::Set(cover, inner.refused, inner.gaps)
    }

    /// The exploration begins again.
    pub fn forget(&self) {
        let mut inner = self.inner.borrow_mut();
        let before = std::mem::take(&mut *inner);
        if let Some(combined) = before.combined {
            inner.objects = before.objects;
            inner.stmts = before.stmts;
            inner.numbers = before.numbers;
            inner.parts.clone_from(&combined.parts);
            inner.combined = Some(combined);
        }
    }

    /// What schedules lack, as far as an execution alone shows it.
    pub fn gaps(&self) -> BTreeSet<Gap> {
        self.inner.borrow().gaps.clone()
    }

    /// The number of executions that ended with a parked thread: an assumption of the program does
    /// not hold in them, or the machine gave up.
    pub fn left_out(&self) -> u64 {
        self.inner.borrow().left_out
    }
}

impl Inner {
    /// The number of an object that a statement uses.
    pub(crate) fn number(&mut self, object: Object, stmt: StmtId) -> usize {
        let next = self.objects.len();
        let number = *self.numbers.entry(object.clone()).or_insert(next);
        if number == next {
            self.objects.push(object);
            self.stmts.push((stmt, BTreeSet::new()));
        }
        self.stmts[number].1.insert(stmt);
        number
    }
}
