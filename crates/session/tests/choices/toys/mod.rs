//! Random toys with arrays: a language small enough that all schedules and inputs are tried one by
//! one, each access a step of its own (`every.rs`), and the same toy as LLVM IR (`emitted.rs`).
//!
//! Shared are an array `a` of four numbers, two structures `o` with a field `f` and an array `g` of
//! two numbers, a matrix `d` of two by two, a number `n`, a pointer `p` to two numbers of `a` or of
//! a `g`, and two mutexes. Shared numbers are 0 to 3, and all indexes are within their limits.

pub mod emitted;
pub mod every;
mod test;

use fastrand::Rng;

/// Registers of a thread: a value, an index, a second index, the number of the thread, an input.
pub type Register = usize;
pub const VALUE: Register = 0;
pub const INDEX: Register = 1;
pub const SECOND: Register = 2;
pub const ME: Register = 3;
pub const INPUT: Register = 4;
pub const REGISTERS: usize = 5;

/// What a pointer can lead to: the first two numbers of three places in `a`, and two `g`.
pub const TARGETS: u8 = 5;

/// What a register becomes, a number below 8. A store keeps its two lowest bits.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Constant(u8),
    Register(Register),
    /// A register plus a number.
    Plus(Register, u8),
    /// The lowest bits of a register.
    And(Register, u8),
    /// Twice a register plus a number, modulo 4.
    Twice(Register, u8),
}

/// A shared number; the registers are its indexes.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Array(Register),
    Field(Register),
    InField(Register, Register),
    Matrix(Register, Register),
    Scalar,
    /// What the thread's pointer leads to.
    Through(Register),
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Set(Register, Number),
    /// An input of one bit.
    Input(Register),
    Load(Register, Place),
    Store(Place, Number),
    /// The thread's pointer is the shared one.
    LoadPointer,
    /// The thread's pointer is an own one: one of [`TARGETS`].
    SetPointer(Number, u8),
    /// The shared pointer is the thread's.
    StorePointer,
    /// A function is called that stores through its argument.
    Put(Register, Number),
    Lock(Register),
    Unlock(Register),
    /// Goes on at an operation if a register is not a number.
    Unless(Register, u8, usize),
    /// Goes on at an operation if a register is a number or more.
    Least(Register, u8, usize),
    Jump(usize),
    /// Fails if a register is a number.
    Assert(Register, u8),
    Create(usize),
    Join(usize),
}

/// The operations of each thread; the first is `main`.
#[derive(Clone, Debug)]
pub struct Toy {
    pub threads: Vec<Vec<Op>>,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    ops: Vec<Op>,
}

impl Toy {
    pub fn random(seed: u64) -> Toy {
        let mut rng = Rng::with_seed(seed);
        let others = 2 + usize::from(rng.u8(..5) == 0);
        let mut threads = vec![Vec::new()];
        let same = rng.u8(..3) == 0;
        for number in 1..=others {
            let ops = match threads.get(1) {
                Some(first) if same => {
                    let mut ops: Vec<Op> = first.clone();
                    ops[0] = Op::Set(ME, Number::Constant(number as u8));
                    ops
                }
                _ => {
                    let mut writer = Writer {
                        rng: &mut rng,
                        ops: vec![Op::Set(ME, Number::Constant(number as u8))],
                    };
                    if writer.rng.u8(..6) == 0 {
                        writer.ops.push(Op::Input(INPUT));
                    }
                    for _ in 0..writer.rng.usize(2..5) {
                        writer.statement(0);
                    }
                    writer.ops
                }
            };
            threads.push(ops);
        }
        let mut main = Writer {
            rng: &mut rng,
            ops: vec![Op::Set(ME, Number::Constant(0))],
        };
        if main.rng.u8(..3) == 0 {
            main.statement(1);
        }
        main.ops.extend((1..=others).map(Op::Create));
        if main.rng.bool() {
            main.statement(1);
        }
        main.ops.extend((1..=others).map(Op::Join));
        threads[0] = main.ops;
        Toy { threads }
    }
}

impl Writer<'_> {
    fn number(&mut self) -> Number {
        match self.rng.u8(..7) {
            0..=2 => Number::Constant(self.rng.u8(..4)),
            3 => Number::Register(VALUE),
            4 => Number::Plus(VALUE, 1),
            5 => Number::Register(INPUT),
            _ => Number::Plus(ME, self.rng.u8(..2)),
        }
    }

    /// Puts an index below 2 or 4 into a register.
    fn index(&mut self, into: Register, limit: u8) {
        let most = limit - 1;
        let number = match self.rng.u8(..9) {
            0..=2 => Number::Constant(self.rng.u8(..limit)),
            3 => Number::And(ME, most),
            4 if limit == 4 => Number::Twice(ME, self.rng.u8(..2)),
            4 | 5 => Number::And(INPUT, most),
            6 => Number::And(VALUE, most),
            kind => {
                let from = match kind {
                    7 => Place::Scalar,
                    _ => {
                        self.ops.push(Op::Set(into, Number::Constant(self.rng.u8(..2))));
                        Place::Field(into)
                    }
                };
                self.ops.push(Op::Load(into, from));
                Number::And(into, most)
            }
        };
        self.ops.push(Op::Set(into, number));
    }

    fn place(&mut self) -> Place {
        match self.rng.u8(..10) {
            0..=2 => {
                self.index(INDEX, 4);
                Place::Array(INDEX)
            }
            3 => {
                self.index(INDEX, 2);
                Place::Field(INDEX)
            }
            4 => {
                self.index(INDEX, 2);
                self.index(SECOND, 2);
                Place::InField(INDEX, SECOND)
            }
            5 | 6 => {
                self.index(INDEX, 2);
                self.index(SECOND, 2);
                Place::Matrix(INDEX, SECOND)
            }
            7 => Place::Scalar,
            _ => {
                self.pointer();
                self.index(INDEX, 2);
                Place::Through(INDEX)
            }
        }
    }

    /// Gives the thread a pointer.
    fn pointer(&mut self) {
        match self.rng.u8(..4) {
            0 | 1 => self.ops.push(Op::LoadPointer),
            2 => {
                self.index(INDEX, 2);
                self.ops.push(Op::SetPointer(Number::Register(INDEX), 0));
            }
            _ => {
                self.index(INDEX, 2);
                self.ops.push(Op::SetPointer(Number::Register(INDEX), 3));
            }
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.rng.u8(..if depth < 2 { 17 } else { 11 }) {
            0..=3 => {
                let place = self.place();
                let number = self.number();
                self.ops.push(Op::Store(place, number));
            }
            4 | 5 => {
                let place = self.place();
                self.ops.push(Op::Load(VALUE, place));
            }
            6 => {
                let place = self.place();
                self.ops.push(Op::Load(VALUE, place));
                self.ops.push(Op::Store(place, Number::Plus(VALUE, 1)));
            }
            7 => {
                self.pointer();
                self.ops.push(Op::StorePointer);
            }
            8 => {
                self.pointer();
                self.index(INDEX, 2);
                let number = self.number();
                self.ops.push(Op::Put(INDEX, number));
            }
            9 | 10 => {
                let place = self.place();
                self.ops.push(Op::Load(VALUE, place));
                self.ops.push(Op::Assert(VALUE, self.rng.u8(1..3)));
            }
            11 | 12 => self.walk(),
            13 | 14 => {
                let lock = self.rng.u8(..2);
                match self.rng.u8(..4) {
                    0 => self.index(SECOND, 2),
                    _ => self.ops.push(Op::Set(SECOND, Number::Constant(lock))),
                }
                // The inner statements may need the register, so the number is known beside it.
                let Some(Op::Set(_, number)) = self.ops.last().copied() else {
                    unreachable!("an index ends with its register")
                };
                if !matches!(number, Number::Constant(_)) {
                    // An index that is not constant: nothing else happens in its section.
                    self.ops.push(Op::Lock(SECOND));
                    self.ops.push(Op::Load(VALUE, Place::Scalar));
                    self.ops.push(Op::Unlock(SECOND));
                    return;
                }
                self.ops.push(Op::Lock(SECOND));
                self.statement(depth + 1);
                self.ops.push(Op::Set(SECOND, number));
                self.ops.push(Op::Unlock(SECOND));
            }
            _ => {
                let place = self.place();
                self.ops.push(Op::Load(VALUE, place));
                let here = self.ops.len();
                self.ops.push(Op::Jump(0));
                self.statement(depth + 1);
                let after = self.ops.len();
                self.ops[here] = match self.rng.bool() {
                    true => Op::Unless(VALUE, self.rng.u8(..3), after),
                    false => Op::Least(VALUE, self.rng.u8(1..3), after),
                };
            }
        }
    }

    /// A loop over elements of the array or of a row: with a stride, up to a number or the input.
    fn walk(&mut self) {
        let row = self.rng.u8(..3) == 0;
        if row {
            self.index(SECOND, 2);
        }
        let from = match self.rng.u8(..3) {
            0 => Number::And(ME, 1),
            _ => Number::Constant(self.rng.u8(..2)),
        };
        self.ops.push(Op::Set(INDEX, from));
        let begin = self.ops.len();
        let (limit, step) = match row {
            true => (2, 1),
            false => (self.rng.u8(2..5), self.rng.u8(1..3)),
        };
        self.ops.push(Op::Jump(0));
        let place = match row {
            true => Place::Matrix(SECOND, INDEX),
            false => Place::Array(INDEX),
        };
        match self.rng.u8(..3) {
            0 => self.ops.push(Op::Load(VALUE, place)),
            _ => {
                let number = self.number();
                self.ops.push(Op::Store(place, number));
            }
        }
        if self.rng.u8(..4) == 0 {
            self.ops.push(Op::Load(VALUE, Place::Scalar));
            let leave = self.ops.len();
            self.ops.push(Op::Unless(VALUE, 1, leave + 2));
            self.ops.push(Op::Store(Place::Scalar, Number::Constant(2)));
        }
        self.ops.push(Op::Set(INDEX, Number::Plus(INDEX, step)));
        self.ops.push(Op::Jump(begin));
        let after = self.ops.len();
        self.ops[begin] = Op::Least(INDEX, limit, after);
    }
}
