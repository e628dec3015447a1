//! Random programs of two to four threads, from a seed.
//!
//! A program takes one to three *themes*, so that its threads access the same objects. Most of its
//! code is well formed: locks are released, waits are in loops, threads are joined. Each rule is
//! broken occasionally.

use crate::program::{
    self, Binary, Block, Expr, Function, Global, Local, MAX_THREADS, MutexKind, Node, Objects, Order,
    Program, Stmt, Storage, Type,
};
use crate::random::Random;

mod statements;
mod themes;
mod values;

/// The kind of objects that the threads of a program share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Theme {
    Plain,
    Mutex,
    Cond,
    RwLock,
    Semaphore,
    Barrier,
    Spin,
    Once,
    Atomics,
    Blocks,
    Jumps,
    Inputs,
    Arrays,
    Endless,
    Exits,
    Keys,
    Heap,
    Cancel,
    Assume,
}

const THEMES: [Theme; 24] = [
    Theme::Plain,
    Theme::Mutex,
    Theme::Mutex,
    Theme::Cond,
    Theme::Cond,
    Theme::RwLock,
    Theme::Semaphore,
    Theme::Barrier,
    Theme::Spin,
    Theme::Once,
    Theme::Atomics,
    Theme::Atomics,
    Theme::Atomics,
    Theme::Blocks,
    Theme::Jumps,
    Theme::Inputs,
    Theme::Arrays,
    Theme::Arrays,
    Theme::Endless,
    Theme::Endless,
    Theme::Exits,
    Theme::Keys,
    Theme::Heap,
    Theme::Cancel,
];

/// Themes for identical threads, in programs made for symmetry. None of them distinguishes the
/// threads.
const ALIKE: [Theme; 12] = [
    Theme::Plain,
    Theme::Mutex,
    Theme::Mutex,
    Theme::Cond,
    Theme::RwLock,
    Theme::Semaphore,
    Theme::Barrier,
    Theme::Spin,
    Theme::Atomics,
    Theme::Atomics,
    Theme::Inputs,
    Theme::Endless,
];

/// The program for a seed.
pub fn program(seed: u64) -> Program {
    let mut generator = Generator::new(seed);
    let mut program = generator.program();
    program.number();
    program
}

struct Generator {
    random: Random,
    themes: Vec<Theme>,
    globals: Vec<Global>,
    kinds: Vec<MutexKind>,
    handlers: Vec<Block>,
    barriers: usize,
    /// All threads except main have the same function and argument, and are created and joined one
    /// after another.
    alike: bool,
    /// The number of threads, including main.
    threads: usize,
    /// The first worker creates the second.
    nested: bool,
    /// Main creates and joins the threads in loops. A value determines how many.
    by_number: bool,
    /// Whether the function being generated is main, and whether it uses setjmp.
    main: bool,
    jumps: bool,
    /// The loops around the current statement: the number of counters in use, and whether one loop
    /// is endless.
    counters: u8,
    endless: bool,
    in_try: bool,
    in_loop: bool,
    in_block: bool,
    /// Between push and pop of a cleanup handler. Neither a jump nor a return may leave this code.
    in_cleanup: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let count = 1 + random.below(3);
        let alike = random.one_in(6);
        let mut themes = vec![];
        while themes.len() < count {
            let theme = match alike {
                true => random.pick(&ALIKE),
                false => random.pick(&THEMES),
            };
            if !themes.contains(&theme) {
                themes.push(theme);
            }
        }
        if random.one_in(20) {
            themes.push(Theme::Assume);
        }
        Generator {
            random,
            themes,
            globals: Vec::new(),
            kinds: Vec::new(),
            handlers: Vec::new(),
            barriers: 0,
            alike,
            threads: 0,
            nested: false,
            by_number: false,
            main: false,
            jumps: false,
            counters: 0,
            endless: false,
            in_try: false,
            in_loop: false,
            in_block: false,
            in_cleanup: false,
        }
    }

    fn has(&self, theme: Theme) -> bool {
        self.themes.contains(&theme)
    }

    fn program(&mut self) -> Program {
        let scalars = 1 + self.random.below(3);
        for _ in 0..scalars {
            let global = self.global(None);
            self.globals.push(global);
        }
        if self.has(Theme::Arrays) || self.random.one_in(6) {
            let len = 2 + self.random.below(2);
            let global = self.global(Some(len));
            self.globals.push(global);
        }
        self.kinds = (0..1 + self.random.below(2))
            .map(|_| {
                self.random.pick(&[
                    MutexKind::Normal,
                    MutexKind::Normal,
                    MutexKind::Normal,
                    MutexKind::Recursive,
                    MutexKind::ErrorCheck,
                ])
            })
            .collect();
        let workers = match self.random.below(12) {
            0..9 if self.alike => 2,
            0..5 => 1,
            5..11 => 2,
            _ => MAX_THREADS - 1,
        };
        self.threads = workers + 1;
        let functions = if workers > 1 && (self.alike || self.random.one_in(2)) {
            1
        } else {
            workers
        };
        self.barriers = usize::from(self.has(Theme::Barrier));
        let barriers = (0..self.barriers)
            .map(|_| 1 + self.random.below(self.threads) as u8)
            .collect();
        let onces = if self.has(Theme::Once) {
            vec![self.once()]
        } else {
            Vec::new()
        };
        let destructor = self.has(Theme::Keys).then(|| self.once());
        if self.has(Theme::Cancel) || self.has(Theme::Exits) {
            self.handlers = vec![self.once()];
        }
        // Threads with the same function and argument are identical.
        let identical = functions < workers && (self.alike || self.random.one_in(2));
        let threads: Vec<(usize, i16)> = (0..self.threads)
            .map(|t| match t {
                0 => (0, 0),
                _ if identical => (1, 0),
                _ => (1 + (t - 1) % functions, t as i16 - 1),
            })
            .collect();
        let budget = 2 + self.random.below(match workers {
            1 => 5,
            2 => 4,
            _ => 2,
        });
        let mut all = vec![Function { body: Vec::new() }];
        self.nested = workers > 1 && functions == workers && self.random.one_in(4);
        for i in 1..=functions {
            let mut body = self.function(budget);
            if self.nested && i == 1 {
                let at = self.random.below(body.len() + 1);
                // A statement that ends the function must stay last.
                let ends = |n: &Node| matches!(n.stmt, Stmt::Forever(_) | Stmt::ThreadExit);
                let last = body.last().is_some_and(ends);
                body.insert(at.min(body.len() - usize::from(last)), Stmt::Create(2).into());
                if self.random.one_in(2) {
                    body.insert(body.len() - usize::from(last), Stmt::Join(2).into());
                }
            }
            all.push(Function { body });
        }
        self.by_number = functions == 1 && workers > 1 && !identical && self.random.one_in(4);
        all[0].body = self.main(budget);
        let mut program = Program {
            globals: std::mem::take(&mut self.globals),
            mutexes: self.kinds.clone(),
            conds: usize::from(self.has(Theme::Cond)) * 2,
            rwlocks: usize::from(self.has(Theme::RwLock)),
            semaphores: (0..2 * usize::from(self.has(Theme::Semaphore)))
                .map(|_| self.random.below(2) as u8)
                .collect(),
            barriers,
            spins: usize::from(self.has(Theme::Spin)),
            onces,
            pointers: usize::from(self.has(Theme::Heap)),
            handlers: self.handlers.clone(),
            objects: self
                .random
                .pick(&[Objects::Plain, Objects::Plain, Objects::Arrays, Objects::Block]),
            destructor,
            functions: all,
            threads,
        };
        if !program.main_stays() {
            for global in &mut program.globals {
                if global.storage == Storage::Stack {
                    global.storage = Storage::Static;
                }
            }
        }
        program
    }

    fn global(&mut self, array: Option<usize>) -> Global {
        Global {
            kind: self
                .random
                .pick(&[Type::Int, Type::Int, Type::Char, Type::Short, Type::Long]),
            array,
            volatile: self.random.one_in(12),
            storage: match self.random.below(12) {
                0 if array.is_none() => Storage::Member,
                1 if array.is_none() => Storage::Member,
                2 => Storage::Stack,
                3 => Storage::Heap,
                _ => Storage::Static,
            },
            initial: if self.random.one_in(5) { 1 } else { 0 },
        }
    }

    /// A function without local variables: a `pthread_once` routine or a destructor.
    fn once(&mut self) -> Block {
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let place = self.constant_place();
            let value = Expr::Const(1 + self.random.below(3) as i16);
            body.push(match self.random.below(5) {
                0 | 1 => Stmt::Store(place, value).into(),
                2 => Stmt::Add(place, value).into(),
                _ => Stmt::AtomicStore(place, value, self.write_order()).into(),
            });
        }
        if self.random.one_in(3) {
            let m = self.random.below(self.kinds.len());
            body.insert(0, Stmt::Lock(m).into());
            body.push(Stmt::Unlock(m).into());
        }
        body
    }

    fn function(&mut self, budget: usize) -> Block {
        self.main = false;
        self.jumps = self.has(Theme::Jumps);
        let mut body = Vec::new();
        let many = 1 + self.random.below(budget);
        for _ in 0..many {
            self.statement(&mut body, 0);
        }
        if self.random.one_in(8) {
            self.observe(&mut body);
        }
        self.last(&mut body);
        body
    }

    /// The end of a thread's function: an endless loop, or an exit.
    fn last(&mut self, body: &mut Block) {
        if self.has(Theme::Endless) && self.random.one_in(2) {
            let inner = self.rounds();
            body.push(Stmt::Forever(inner).into());
        } else if self.random.one_in(15) {
            body.push(Stmt::ThreadExit.into());
        }
    }

    fn main(&mut self, budget: usize) -> Block {
        self.main = true;
        self.jumps = self.has(Theme::Jumps) && self.random.one_in(3);
        let mut body: Block = Vec::new();
        if self.has(Theme::Inputs) && self.random.one_in(2) {
            let most = self.random.pick(&[1, 2, 3]);
            body.push(Stmt::Input(0, most).into());
            if self.random.one_in(2) {
                let place = self.place();
                body.push(Stmt::Store(place, Expr::Local(0)).into());
            }
        }
        if self.has(Theme::Heap) && self.random.one_in(2) {
            body.push(Stmt::New(Expr::Const(1)).into());
            body.push(Stmt::PutPointer(0).into());
        }
        let own: Vec<usize> = (1..self.threads).filter(|&t| !(self.nested && t == 2)).collect();
        if self.by_number {
            self.threads_by_number(&mut body);
            return body;
        }
        for &t in &own {
            body.push(Stmt::Create(t).into());
            if !self.alike && self.random.one_in(5) {
                self.statement(&mut body, 0);
            }
        }
        for _ in 0..self.random.below(budget) {
            self.statement(&mut body, 0);
        }
        if self.has(Theme::Cancel) {
            for &t in &own {
                if self.random.one_in(2) {
                    body.push(Stmt::Cancel(t).into());
                }
            }
        }
        let careless = if self.has(Theme::Exits) || self.has(Theme::Endless) {
            3
        } else {
            20
        };
        let mut joined = true;
        for &t in &own {
            if self.random.one_in(careless) {
                joined = false;
                if self.random.one_in(2) {
                    body.push(Stmt::Detach(t).into());
                }
            } else {
                body.push(Stmt::Join(t).into());
            }
        }
        if joined && self.random.one_in(2) {
            self.observe(&mut body);
        } else if joined || self.random.one_in(4) {
            for _ in 0..1 + self.random.below(2) {
                let r = self.random.below(3) as Local;
                let place = self.place();
                if self.random.one_in(4) {
                    let order = self.read_order();
                    body.push(Stmt::AtomicLoad(r, place, order).into());
                } else {
                    body.push(Stmt::Load(r, place).into());
                }
            }
            self.check(&mut body);
        }
        if self.has(Theme::Endless) && self.random.one_in(4) {
            let inner = self.rounds();
            body.push(Stmt::Forever(inner).into());
        } else if self.random.one_in(12) {
            body.push(Stmt::ThreadExit.into());
        }
        body
    }

    /// A loop that creates threads, a loop that joins them, and a check of the result.
    fn threads_by_number(&mut self, body: &mut Block) {
        let workers = self.threads as u8 - 1;
        let many = 2;
        body.push(if self.has(Theme::Inputs) || self.random.one_in(2) {
            Stmt::Input(many, self.random.pick(&[1, 2, 3])).into()
        } else {
            Stmt::Set(many, Expr::Const(i16::from(workers))).into()
        });
        for create in [true, false] {
            let i = Expr::Local(program::COUNTER);
            let stmt = if create {
                Stmt::CreateAt(i.clone())
            } else {
                Stmt::JoinAt(i.clone())
            };
            let below = Expr::Binary(Binary::Lt, Box::new(i), Box::new(Expr::Local(many)));
            let inner = Stmt::If(below, vec![stmt.into()], Vec::new());
            body.push(Stmt::Repeat(0, workers, vec![inner.into()]).into());
            if create && self.random.one_in(2) {
                let place = self.place();
                body.push(Stmt::AtomicLoad(0, place, Order::SeqCst).into());
            }
        }
        self.observe(body);
    }

    /// The body of an endless loop. Its first statement is a step.
    fn rounds(&mut self) -> Block {
        self.endless = true;
        self.in_loop = true;
        let mut inner: Block = Vec::new();
        let r = self.random.below(3) as Local;
        match self.random.below(6) {
            0 => inner.push(Stmt::Yield.into()),
            1 if !self.kinds.is_empty() => {
                let m = self.random.below(self.kinds.len());
                inner.push(Stmt::Lock(m).into());
                if self.random.one_in(2) {
                    let place = self.place();
                    inner.push(Stmt::Add(place, Expr::Const(1)).into());
                }
                inner.push(Stmt::Unlock(m).into());
            }
            2 => {
                let (place, order) = (self.place(), self.write_order());
                let value = self.small();
                inner.push(Stmt::AtomicStore(place, value, order).into());
            }
            _ => {
                let (place, order) = (self.place(), self.read_order());
                inner.push(Stmt::AtomicLoad(r, place, order).into());
                if self.random.one_in(2) {
                    let test = Expr::equal(Expr::Local(r), self.small());
                    let mut then = Vec::new();
                    if self.random.one_in(2) {
                        self.statement(&mut then, 2);
                    }
                    then.push(Stmt::Break.into());
                    inner.push(Stmt::If(test, then, Vec::new()).into());
                }
            }
        }
        if self.random.one_in(2) {
            self.statement(&mut inner, 1);
        }
        self.endless = false;
        self.in_loop = false;
        inner
    }
}
