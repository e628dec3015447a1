//! Instructions that record coverage. Without the coverage option, these functions do nothing.

use super::Compiler;
use crate::code::Op;
use crate::coverage::{Point, is_covered, is_own};
use crate::program::Program;
use selvedge_base::{FileId, Id, StmtId};
use selvedge_ir::{BlockId, FuncId};

/// The data for coverage while a function is compiled.
pub(super) struct Cover<'a> {
    points: &'a mut Vec<Point>,
    /// The last recorded line in the current block.
    line: Option<(FileId, u32)>,
    /// Outcomes of branches: the coverage point, the statement, and the target. Each becomes a
    /// block after the function's own blocks.
    ways: Vec<(u32, StmtId, BlockId)>,
}

impl<'a> Cover<'a> {
    /// `None` if the coverage of the function is not recorded.
    pub fn new(program: &Program, func: FuncId, points: &'a mut Vec<Point>) -> Option<Cover<'a>> {
        let wanted = program.options.coverage && is_covered(&program.module, func);
        wanted.then_some(Cover {
            points,
            line: None,
            ways: Vec::new(),
        })
    }

    fn point(&mut self, point: Point) -> u32 {
        self.points.push(point);
        (self.points.len() - 1) as u32
    }
}

impl Compiler<'_> {
    /// Starts a block. Control may come from anywhere, so the first line of the block is always
    /// recorded.
    pub(super) fn begin_block(&mut self) {
        if let Some(cover) = &mut self.cover {
            cover.line = None;
        }
    }

    /// Records the line of the current statement if it differs from the last recorded one.
    pub(super) fn line(&mut self) {
        let Some(cover) = &mut self.cover else { return };
        let Some(stmt) = self.program.module.stmts.get(self.stmt) else {
            return;
        };
        let line = (stmt.span.file, stmt.span.line);
        if line.1 == 0 || cover.line == Some(line) || !is_own(&self.program.module, line.0) {
            return;
        }
        cover.line = Some(line);
        let point = cover.point(Point::Line(self.stmt));
        self.emit_long(Op::Cover, 0, point);
    }

    /// The block to jump to for an outcome of the current branch.
    pub(super) fn way(&mut self, target: BlockId, number: u32) -> BlockId {
        let Some(cover) = &mut self.cover else {
            return target;
        };
        let known = self.program.module.stmts.get(self.stmt);
        if !known.is_some_and(|stmt| stmt.span.line > 0 && is_own(&self.program.module, stmt.span.file)) {
            return target;
        }
        let stmt = self.stmt;
        let point = cover.point(Point::Way { stmt, number });
        cover.ways.push((point, stmt, target));
        BlockId::from_index(self.function.blocks.len() + cover.ways.len() - 1)
    }

    /// Adds the blocks for all outcomes after the function's code.
    pub(super) fn ways(&mut self) {
        let Some(cover) = &mut self.cover else { return };
        for (point, stmt, target) in std::mem::take(&mut cover.ways) {
            self.stmt = stmt;
            self.code.blocks.push(self.code.insts.len() as u32);
            self.emit_long(Op::Cover, 0, point);
            self.jump(Op::Jump, 0, target);
        }
    }
}
