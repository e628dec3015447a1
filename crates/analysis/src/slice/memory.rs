//! Which statements may have written what a statement reads.
//!
//! In a large program many pointers have the *wide* set, of very many objects (`pointsto`). What is
//! written through them is kept once, not for each of its objects, and a slice takes it in once.

use super::{Found, Node, Reason, Slicer, Statement};
use crate::pointsto::{ObjectId, Offset, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{FuncId, InstKind};

/// One use of memory by a statement.
#[derive(Clone, Copy, Debug)]
struct Use {
    statement: Statement,
    /// `None`: any bytes of the object.
    at: Option<(Offset, u64)>,
}

/// Who may write memory.
#[derive(Default)]
pub(super) struct Writers {
    /// By object, through other pointers than wide ones.
    of: FxHashMap<ObjectId, Vec<Use>>,
    /// Through wide pointers.
    anywhere: Vec<Statement>,
    /// The objects of the wide set.
    wide: FxHashSet<ObjectId>,
    /// Variables whose address stays in their function. Empty if calls are not told apart.
    pub own: FxHashSet<ObjectId>,
}

/// What the slice at hand has taken in as a whole: for the function, if writes of other threads are
/// left out.
#[derive(Default)]
pub(super) struct TakenIn {
    /// Writes of the objects of the wide set.
    objects: FxHashSet<Option<FuncId>>,
    /// Writes through wide pointers.
    anywhere: FxHashSet<Option<FuncId>>,
}

impl Writers {
    pub fn new(wide: impl Iterator<Item = ObjectId>) -> Writers {
        Writers {
            wide: wide.collect(),
            ..Writers::default()
        }
    }

    /// A statement may write any bytes of an object.
    pub fn note(&mut self, object: ObjectId, statement: Statement) {
        let at = None;
        self.of.entry(object).or_default().push(Use { statement, at });
    }
}

impl Slicer<'_> {
    pub(super) fn note_writes(&mut self, statement: Statement, kind: &InstKind) {
        for (operand, width) in self.written(statement, kind) {
            if self.points_to.is_wide(statement.0, operand) {
                self.writers.anywhere.push(statement);
                continue;
            }
            for Target { object, offset } in self.points_to.of_operand(statement.0, operand) {
                let at = width.map(|width| (offset, width));
                let uses = self.writers.of.entry(object).or_default();
                uses.push(Use { statement, at });
            }
        }
    }

    /// Who may have written what a statement reads.
    pub(super) fn of_memory(&mut self, statement: Statement, kind: &InstKind, found: &mut Found) {
        for (operand, width) in self.read(statement, kind) {
            if self.points_to.is_wide(statement.0, operand) {
                self.of_wide_objects(statement, found);
                self.of_anywhere(statement, found);
                continue;
            }
            let last = self.last_writes(statement, operand, width);
            let overwritten = |write: Statement| {
                let last = last.as_ref();
                last.is_some_and(|last| !self.may_be_last(last, write))
            };
            let targets = self.points_to.of_operand(statement.0, operand);
            for &Target { object, offset } in &targets {
                for write in self.writers.of.get(&object).into_iter().flatten() {
                    if !self.may_reach(write, statement, offset, width) || overwritten(write.statement) {
                        continue;
                    }
                    let node = Node::At(write.statement);
                    match self.writers.own.contains(&object) && write.statement.0 == statement.0 {
                        true => found.push(Reason::Memory, node),
                        false => found.push_everywhere(Reason::Memory, node),
                    }
                }
            }
            if targets.iter().any(|t| self.writers.wide.contains(&t.object)) {
                self.of_anywhere(statement, found);
            }
        }
    }

    fn may_reach(&self, write: &Use, reader: Statement, offset: Offset, width: Option<u64>) -> bool {
        let apart = write
            .at
            .zip(width)
            .is_some_and(|((at, bytes), width)| !at.overlaps(Some(bytes), offset, Some(width)));
        !apart && self.may_share_a_thread(reader.0, write.statement.0)
    }

    /// Who may write some bytes of an object.
    pub(crate) fn writers(&self, object: ObjectId, at: Offset, bytes: u64) -> Vec<Statement> {
        let uses = self.writers.of.get(&object).into_iter().flatten();
        let near = uses.filter(|write| {
            let apart = |(to, width): (Offset, u64)| !to.overlaps(Some(width), at, Some(bytes));
            !write.at.is_some_and(apart)
        });
        let anywhere = self.writers.anywhere.iter().copied();
        let anywhere = anywhere.filter(|_| self.writers.wide.contains(&object));
        near.map(|write| write.statement).chain(anywhere).collect()
    }

    pub(super) fn is_wide_object(&self, object: ObjectId) -> bool {
        self.writers.wide.contains(&object)
    }

    fn whole(&self, reader: Statement) -> Option<FuncId> {
        self.threads.is_some().then_some(reader.0)
    }

    /// The writes of all objects of the wide set, once.
    fn of_wide_objects(&mut self, reader: Statement, found: &mut Found) {
        if !self.taken_in.objects.insert(self.whole(reader)) {
            return;
        }
        for object in &self.writers.wide {
            for write in self.writers.of.get(object).into_iter().flatten() {
                if self.may_share_a_thread(reader.0, write.statement.0) {
                    found.push_everywhere(Reason::Memory, Node::At(write.statement));
                }
            }
        }
    }

    /// The writes through wide pointers, once.
    fn of_anywhere(&mut self, reader: Statement, found: &mut Found) {
        if !self.taken_in.anywhere.insert(self.whole(reader)) {
            return;
        }
        for &write in &self.writers.anywhere {
            if self.may_share_a_thread(reader.0, write.0) {
                found.push_everywhere(Reason::Memory, Node::At(write));
            }
        }
    }

    /// Whether a statement may read what another one has written.
    pub fn may_read_from(&mut self, reader: Statement, writer: Statement) -> bool {
        self.kind(reader)
            .is_some_and(|kind| self.any_writer(reader, kind, |_, write| write == writer))
    }

    /// Whether one of the statements that may have written what a statement reads is such a one,
    /// and the object.
    pub(crate) fn any_writer(
        &mut self,
        reader: Statement,
        kind: &InstKind,
        mut is: impl FnMut(ObjectId, Statement) -> bool,
    ) -> bool {
        let reads = self.read(reader, kind);
        let last: Vec<_> = reads
            .iter()
            .map(|&(operand, width)| self.last_writes(reader, operand, width))
            .collect();
        let Writers {
            of, anywhere, wide, ..
        } = &self.writers;
        let mut is =
            |object, write: Statement| self.may_share_a_thread(reader.0, write.0) && is(object, write);
        reads.into_iter().zip(last).any(|((operand, width), last)| {
            if self.points_to.is_wide(reader.0, operand) {
                return wide.iter().any(|&object| {
                    let uses = of.get(&object).into_iter().flatten();
                    let mut writes = uses.map(|write| write.statement).chain(anywhere.iter().copied());
                    writes.any(|write| is(object, write))
                });
            }
            let overwritten = |write: Statement| {
                let last = last.as_ref();
                last.is_some_and(|last| !self.may_be_last(last, write))
            };
            let targets = self.points_to.of_operand(reader.0, operand);
            targets.into_iter().any(|Target { object, offset }| {
                let uses = of.get(&object).into_iter().flatten();
                let mut uses = uses.filter(|write| {
                    self.may_reach(write, reader, offset, width) && !overwritten(write.statement)
                });
                let everywhere = if wide.contains(&object) {
                    anywhere.as_slice()
                } else {
                    &[]
                };
                uses.any(|write| is(object, write.statement)) || everywhere.iter().any(|&w| is(object, w))
            })
        })
    }
}
