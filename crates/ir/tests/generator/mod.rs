//! Random well-formed modules, made from a string of random bytes, so that shrinking the bytes
//! shrinks the module.

mod instructions;
mod source;

use source::Source;

use selvedge_base::{FileId, IdVec, StmtId};
use selvedge_ir::{
    Block, BlockId, Field, FuncId, Function, Global, GlobalId, Inst, InstKind, Local, Module, Parts, Reg,
    RegInfo, Relocation, Scalar, Shape, ShapeId, Stmt, Symbol, Terminator, Type,
};

/// Every function has two registers of each of these types, so that each operand can be a register.
const TYPES: [Type; 11] = [
    Type::I1,
    Type::I8,
    Type::Int(7),
    Type::Int(16),
    Type::I32,
    Type::I64,
    Type::Int(65),
    Type::Int(128),
    Type::F32,
    Type::F64,
    Type::Ptr,
];
const INTS: &[Type] = TYPES.split_at(8).0;
const WORDS: &[Type] = TYPES.split_at(6).0;
const FLOATS: [Type; 2] = [Type::F32, Type::F64];

/// Makes a well-formed module. The same bytes give the same module.
pub fn module(bytes: &[u8]) -> Module {
    let mut source = Source { bytes };
    let mut module = Module::default();
    for _ in 0..source.below(3) {
        let path = source.text();
        module.files.push(path);
    }
    let globals = source.below(4);
    let functions = 1 + source.below(3);
    for i in 0..globals {
        let global = source.global(i, globals, functions, &module.files);
        module.globals.push(global);
    }
    // Heads first: calls and addresses of blocks need the heads of all functions.
    for i in 0..functions {
        let head = source.head(i, &module.files);
        module.functions.push(head);
    }
    for i in 0..functions {
        source.body(&mut module, FuncId(i));
    }
    for _ in 0..source.below(5) {
        let shape = source.shape();
        module.shapes.push(shape);
    }
    for id in module.stmts.ids() {
        if let Some(shape) = source.shape_id() {
            module.made.insert(id, shape);
        }
    }
    for (id, function) in module.functions.iter_ids() {
        if function.params.is_empty() && source.flag() {
            module.constructors.push(id);
        } else if function.params.is_empty() && source.flag() {
            module.destructors.push(id);
        }
    }
    module
}

impl Source<'_> {
    fn global(&mut self, i: u32, globals: u32, functions: u32, files: &IdVec<FileId, String>) -> Global {
        let init: Vec<u8> = (0..self.below(200)).map(|_| self.byte()).collect();
        let size = init.len() as u64 + u64::from(self.byte());
        let mut relocations = Vec::new();
        for slot in 0..init.len() / 8 {
            if !self.flag() || self.flag() {
                continue;
            }
            let symbol = match self.flag() {
                true => Symbol::Global(GlobalId(self.below(globals))),
                false => Symbol::Func(FuncId(self.below(functions))),
            };
            relocations.push(Relocation {
                offset: slot as u64 * 8,
                symbol,
                addend: self.word() as i64,
            });
        }
        let mut undefined = Vec::new();
        if size > 0 && self.flag() {
            let start = u64::from(self.byte()) % size;
            undefined.push((start, start + 1 + u64::from(self.byte()) % (size - start)));
        }
        Global {
            name: if self.flag() {
                format!("g{i}{}", self.text())
            } else {
                String::new()
            },
            size,
            align: self.align(),
            init,
            relocations,
            undefined,
            thread_local: self.flag(),
            constant: self.flag(),
            external: self.flag(),
            span: self.span(files),
            shape: self.shape_id(),
        }
    }

    /// The id of a shape that need not exist.
    fn shape_id(&mut self) -> Option<ShapeId> {
        self.flag().then(|| ShapeId(self.below(6)))
    }

    fn shape(&mut self) -> Shape {
        let parts = match self.below(4) {
            0 => Parts::Opaque,
            1 => Parts::Value(self.pick(Scalar::ALL)),
            2 => Parts::Elements {
                shape: ShapeId(self.below(6)),
                stride: self.word(),
            },
            _ => Parts::Fields(
                (0..self.below(3))
                    .map(|_| Field {
                        offset: self.word(),
                        name: self.text(),
                        shape: ShapeId(self.below(6)),
                    })
                    .collect(),
            ),
        };
        Shape {
            name: self.text(),
            size: self.word(),
            parts,
        }
    }

    fn head(&mut self, i: u32, files: &IdVec<FileId, String>) -> Function {
        let name = format!("{i}{}", self.text());
        let mut function = Function {
            display: if self.flag() { self.text() } else { name.clone() },
            name,
            varargs: self.flag(),
            library: self.flag(),
            span: self.span(files),
            ..Function::default()
        };
        let params = self.flag();
        for (i, &ty) in TYPES.iter().chain(&TYPES).enumerate() {
            let name = if self.flag() { Some(self.text()) } else { None };
            let shape = self.shape_id();
            function.regs.push(RegInfo { ty, name, shape });
            if params && self.below(4) == 3 {
                function.params.push(Reg(i as u32));
            }
        }
        function.returns = (0..self.below(3)).map(|_| self.pick(&TYPES)).collect();
        for _ in 0..1 + self.below(3) {
            function.locals.push(Local {
                name: self.text(),
                size: self.word(),
                align: self.align(),
                scoped: true,
                shape: self.shape_id(),
            });
        }
        let blocks = self.below(5);
        for _ in 0..blocks {
            function.blocks.push(Block {
                insts: Vec::new(),
                term: Terminator::Unreachable,
                term_stmt: StmtId(0),
            });
        }
        function
    }

    fn body(&mut self, module: &mut Module, id: FuncId) {
        let blocks: Vec<BlockId> = module.functions[id].blocks.ids().collect();
        for (ordinal, &block) in (0..).zip(&blocks) {
            let stmt = module.stmts.push(Stmt {
                func: id,
                ordinal,
                span: self.span(&module.files),
            });
            let mut insts = Vec::new();
            for _ in 0..self.below(8) {
                let kind = self.inst(module, id);
                insts.push(Inst { stmt, kind });
            }
            let called = matches!(
                insts.last(),
                Some(Inst {
                    kind: InstKind::Call { .. },
                    ..
                })
            );
            let term = match called && self.flag() {
                true => self.invoke(module, id),
                false => self.terminator(module, id),
            };
            module.functions[id].blocks[block] = Block {
                insts,
                term,
                term_stmt: stmt,
            };
        }
    }
}
