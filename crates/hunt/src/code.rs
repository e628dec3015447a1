//! Translates statement trees to linear code with jumps, which the enumerator runs.

use crate::program::{Block, COUNTER, Expr, Local, Node, Program, SCRATCH, Stmt};

/// An instruction.
#[derive(Clone, Debug)]
pub enum Op {
    /// A statement that is not control flow.
    Do(Stmt),
    /// `local = constant`.
    Let(Local, i16),
    /// `local += 1`.
    Next(Local),
    Jump(usize),
    /// Jumps if the condition is false.
    Unless(Expr, usize),
    /// Jumps if the thread's pointer is null.
    UnlessPointer(usize),
    AtomicBegin,
    AtomicEnd,
    /// Enters the routine of a `pthread_once`; jumps if the routine has ended.
    OnceEnter(usize, usize),
    OnceDone(usize),
    /// At the end of a thread: jumps if the key has no value, else clears the value.
    TakeKey(usize),
    /// The end of the thread.
    End,
    /// The end of the process.
    Exit,
}

/// An instruction with the statement it belongs to.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    pub id: u32,
}

/// The code of a function, with the continuations of a thread that exits or is cancelled.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub insts: Vec<Inst>,
    exit: usize,
    /// The instructions between push and pop of a cleanup handler (begin and end), and the start of
    /// the handler's copy for exits. Inner handlers come first.
    guarded: Vec<(usize, usize, usize)>,
}

impl Code {
    /// The instruction at which a thread continues that exits at `pc`.
    pub fn exit(&self, pc: usize) -> usize {
        let guards = |range: &&(usize, usize, usize)| (range.0..range.1).contains(&pc);
        self.guarded
            .iter()
            .find(guards)
            .map_or(self.exit, |range| range.2)
    }
}

/// The code of each function of a program.
pub fn functions(program: &Program) -> Vec<Code> {
    (0..program.functions.len())
        .map(|i| Flattener::new(program, i == 0).function(&program.functions[i].body))
        .collect()
}

struct Flattener<'a> {
    program: &'a Program,
    main: bool,
    code: Vec<Inst>,
    /// Jumps whose targets are not yet known: out of the innermost loop, to the handler of the
    /// innermost `Try`, to the end of the function, and to the end of the thread.
    breaks: Vec<Vec<usize>>,
    throws: Vec<Vec<usize>>,
    returns: Vec<usize>,
    exits: Vec<usize>,
    guarded: Vec<(usize, usize, usize)>,
    id: u32,
}

const LATER: usize = usize::MAX;

impl<'a> Flattener<'a> {
    fn new(program: &'a Program, main: bool) -> Self {
        Flattener {
            program,
            main,
            code: Vec::new(),
            breaks: Vec::new(),
            throws: Vec::new(),
            returns: Vec::new(),
            exits: Vec::new(),
            guarded: Vec::new(),
            id: u32::MAX,
        }
    }

    fn function(mut self, body: &Block) -> Code {
        self.block(body);
        let end = self.code.len();
        for at in std::mem::take(&mut self.returns) {
            self.target(at, end);
        }
        if self.main {
            self.emit(Op::Exit);
        }
        let exit = self.code.len();
        for at in std::mem::take(&mut self.exits) {
            self.target(at, exit);
        }
        if let Some(body) = &self.program.destructor {
            let take = self.emit(Op::TakeKey(LATER));
            self.block(body);
            let end = self.code.len();
            self.target(take, end);
        }
        self.emit(Op::End);
        Code {
            insts: self.code,
            exit,
            guarded: self.guarded,
        }
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.push(Inst { op, id: self.id });
        self.code.len() - 1
    }

    fn target(&mut self, at: usize, to: usize) {
        match &mut self.code[at].op {
            Op::Jump(t) | Op::Unless(_, t) | Op::UnlessPointer(t) | Op::OnceEnter(_, t) | Op::TakeKey(t) => {
                *t = to;
            }
            other => unreachable!("{other:?} does not jump"),
        }
    }

    fn here(&mut self, at: usize) {
        let here = self.code.len();
        self.target(at, here);
    }

    fn block(&mut self, block: &Block) {
        for node in block {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        self.id = node.id;
        match &node.stmt {
            Stmt::If(e, yes, no) => {
                let unless = self.emit(Op::Unless(e.clone(), LATER));
                self.block(yes);
                let over = self.emit(Op::Jump(LATER));
                self.here(unless);
                self.block(no);
                self.here(over);
            }
            Stmt::IfPointer(yes) => {
                let unless = self.emit(Op::UnlessPointer(LATER));
                self.block(yes);
                self.here(unless);
            }
            Stmt::Repeat(counter, rounds, body) => {
                let i = COUNTER + counter;
                self.emit(Op::Let(i, 0));
                let top = self.code.len();
                let more = Expr::less(i, *rounds);
                let leave = self.emit(Op::Unless(more, LATER));
                self.breaks.push(Vec::new());
                self.block(body);
                self.emit(Op::Next(i));
                self.emit(Op::Jump(top));
                self.here(leave);
                self.leave();
            }
            Stmt::JumpRounds(counter, rounds, body) => {
                let i = COUNTER + counter;
                self.emit(Op::Let(i, 0));
                let top = self.code.len();
                self.block(body);
                self.emit(Op::Next(i));
                let leave = self.emit(Op::Unless(Expr::less(i, *rounds), LATER));
                self.emit(Op::Jump(top));
                self.here(leave);
            }
            Stmt::Forever(body) => {
                let top = self.code.len();
                self.breaks.push(Vec::new());
                self.block(body);
                self.emit(Op::Jump(top));
                self.leave();
            }
            Stmt::Break => {
                let at = self.emit(Op::Jump(LATER));
                match self.breaks.last_mut() {
                    Some(breaks) => breaks.push(at),
                    None => self.returns.push(at),
                }
            }
            Stmt::Return => {
                let at = self.emit(Op::Jump(LATER));
                self.returns.push(at);
            }
            Stmt::ThreadExit => {
                let at = self.emit(Op::Jump(LATER));
                self.exits.push(at);
            }
            Stmt::ProcessExit => {
                self.emit(Op::Exit);
            }
            Stmt::Try(body, other) => {
                self.throws.push(Vec::new());
                self.block(body);
                let over = self.emit(Op::Jump(LATER));
                for at in self.throws.pop().unwrap_or_default() {
                    self.here(at);
                }
                self.block(other);
                self.here(over);
            }
            Stmt::Throw(_) => {
                let at = self.emit(Op::Jump(LATER));
                match self.throws.last_mut() {
                    Some(throws) => throws.push(at),
                    None => self.returns.push(at),
                }
            }
            Stmt::Atomic(body) => {
                self.emit(Op::AtomicBegin);
                self.block(body);
                self.emit(Op::AtomicEnd);
            }
            Stmt::Once(o) => {
                let enter = self.emit(Op::OnceEnter(*o, LATER));
                let body = self.program.onces[*o].clone();
                self.block(&body);
                self.id = node.id;
                self.emit(Op::OnceDone(*o));
                self.here(enter);
            }
            Stmt::Either(e, a, b) => {
                let unless = self.emit(Op::Unless(e.clone(), LATER));
                self.emit(Op::Do((**b).clone()));
                let over = self.emit(Op::Jump(LATER));
                self.here(unless);
                self.emit(Op::Do((**a).clone()));
                self.here(over);
            }
            Stmt::Cleanup(handler, body) => {
                let handler = self.program.handlers[*handler].clone();
                let outer = std::mem::take(&mut self.exits);
                let from = self.code.len();
                self.block(body);
                let to = self.code.len();
                self.block(&handler);
                // A thread that exits within the body runs the handler.
                let inner = std::mem::replace(&mut self.exits, outer);
                let over = self.emit(Op::Jump(LATER));
                let target = self.code.len();
                for at in inner {
                    self.here(at);
                }
                self.block(&handler);
                self.id = node.id;
                let leave = self.emit(Op::Jump(LATER));
                self.exits.push(leave);
                self.here(over);
                self.guarded.push((from, to, target));
            }
            Stmt::Add(place, e) => {
                self.emit(Op::Do(Stmt::Load(SCRATCH, place.clone())));
                self.emit(Op::Do(Stmt::Store(
                    place.clone(),
                    Expr::sum(Expr::Local(SCRATCH), e.clone()),
                )));
                self.emit(Op::Let(SCRATCH, 0));
            }
            other => {
                self.emit(Op::Do(other.clone()));
            }
        }
    }

    fn leave(&mut self) {
        for at in self.breaks.pop().unwrap_or_default() {
            self.here(at);
        }
    }
}
